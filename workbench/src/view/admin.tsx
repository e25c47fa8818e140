// The admin page: engines and sandbox, queues, storage, the server's log, and
// clearing what finished jobs left.
import { useRef, useState } from "preact/hooks";
import { ApiError, get, send } from "../api";
import { bytes, time } from "../format";
import { ErrorBox, usePoll } from "./parts";

interface Engine {
  name: string;
  title: string;
  licence: string;
  installed: boolean;
  version?: string;
  error?: string;
  hint?: string;
}

interface Status {
  version: string;
  started_at: string;
  generated_at: string;
  doctor: {
    ok: boolean;
    go: string;
    sandbox: { level: string; missing: string[] };
    data: { path: string; writable: boolean; free_bytes: number; error?: string };
    engines: Engine[];
  };
  queues: { name: string; tools: string[]; queued: number; running: number }[];
  jobs: Record<string, number>;
  storage: { bytes: number; database_bytes: number; files: number; quota_bytes: number; free_bytes: number };
}

interface Logs {
  lines: string[];
  count: number;
  generated_at: string;
}

export function Admin() {
  const [status, error, again] = usePoll(() => get<Status>("/v1/admin/status"), 3000, "status");
  return (
    <div class="page admin">
      <h1>Admin</h1>
      <ErrorBox error={error} />
      {status && (
        <>
          <p class="faint">
            Atelier {status.version}, {status.doctor.go}, up since {time(status.started_at)}
          </p>
          <div class="cards">
            <Jobs status={status} done={again} />
            <Storage status={status} />
            <Sandbox status={status} />
          </div>
          <Engines engines={status.doctor.engines} />
          <Queues status={status} />
        </>
      )}
      <Log />
    </div>
  );
}

function Jobs({ status, done }: { status: Status; done: () => void }) {
  return (
    <section class="card">
      <h2>Jobs</h2>
      <dl class="quantities">
        {["queued", "running", "succeeded", "failed", "cancelled"].map((s) => (
          <div key={s}>
            <dt>{s}</dt>
            <dd>{status.jobs[s] ?? 0}</dd>
          </div>
        ))}
      </dl>
      <Clear done={done} />
    </section>
  );
}

interface Cleared {
  message: string;
}

function Clear({ done }: { done: () => void }) {
  const box = useRef<HTMLDialogElement>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const [said, setSaid] = useState("");
  const clear = async () => {
    setBusy(true);
    setError(undefined);
    try {
      setSaid((await send<Cleared>("POST", "/v1/admin/clear-jobs", {})).message);
      done();
    } catch (e) {
      setError(e as ApiError);
    }
    setBusy(false);
    box.current?.close();
  };
  return (
    <>
      <button class="danger" onClick={() => box.current?.showModal()}>
        Clear jobs…
      </button>
      <p role="status">{said}</p>
      <ErrorBox error={error} />
      <dialog ref={box} aria-labelledby="cleartitle">
        <h2 id="cleartitle">Clear finished jobs?</h2>
        <p>
          Every finished job is removed with its artifacts. Pinned jobs stay, and so do the files of sessions. This
          cannot be undone.
        </p>
        <div class="actions">
          <button class="danger" disabled={busy} onClick={() => void clear()}>
            Clear them
          </button>
          <button autofocus onClick={() => box.current?.close()}>
            Keep them
          </button>
        </div>
      </dialog>
    </>
  );
}

function Storage({ status }: { status: Status }) {
  const { storage, doctor } = status;
  return (
    <section class="card">
      <h2>Storage</h2>
      <dl class="quantities">
        <div>
          <dt>used</dt>
          <dd>{bytes(storage.bytes)}</dd>
        </div>
        <div>
          <dt>database</dt>
          <dd>{bytes(storage.database_bytes)}</dd>
        </div>
        <div>
          <dt>quota</dt>
          <dd>{storage.quota_bytes ? bytes(storage.quota_bytes) : "none"}</dd>
        </div>
        <div>
          <dt>free on the disk</dt>
          <dd class={storage.free_bytes >= 0 && storage.free_bytes < 2e9 ? "bad" : ""}>
            {storage.free_bytes < 0 ? "unknown" : bytes(storage.free_bytes)}
          </dd>
        </div>
      </dl>
      <p class="faint">
        <code>{doctor.data.path}</code> {doctor.data.error && <span class="bad">{doctor.data.error}</span>}
      </p>
    </section>
  );
}

function Sandbox({ status }: { status: Status }) {
  const { sandbox } = status.doctor;
  return (
    <section class="card">
      <h2>Sandbox</h2>
      <p>
        <span class={"badge " + (sandbox.level === "full" ? "verified" : "suspect")}>{sandbox.level}</span>
      </p>
      {sandbox.missing.length > 0 && (
        <ul>
          {sandbox.missing.map((m) => (
            <li key={m}>{m}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Engines({ engines }: { engines: Engine[] }) {
  return (
    <section>
      <h2>Engines</h2>
      <div class="scroll">
        <table class="rows">
          <thead>
            <tr>
              <th>Engine</th>
              <th>State</th>
              <th>Version</th>
              <th>Licence</th>
              <th>What to do</th>
            </tr>
          </thead>
          <tbody>
            {engines.map((e) => (
              <tr key={e.name}>
                <td>
                  {e.title} <code class="faint">{e.name}</code>
                </td>
                <td class={e.error ? "bad" : e.installed ? "good" : "warn"}>
                  {e.error ? "broken" : e.installed ? "ready" : "not installed"}
                </td>
                <td>{e.version}</td>
                <td>{e.licence}</td>
                <td class="wide">{[e.error, e.installed && !e.error ? "" : e.hint].filter(Boolean).join(" ")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Queues({ status }: { status: Status }) {
  return (
    <section>
      <h2>Queues</h2>
      <div class="scroll">
        <table class="rows">
          <thead>
            <tr>
              <th>Queue</th>
              <th>Waiting</th>
              <th>Running</th>
              <th>Tools</th>
            </tr>
          </thead>
          <tbody>
            {status.queues.map((q) => (
              <tr key={q.name}>
                <td>{q.name}</td>
                <td class="number">{q.queued}</td>
                <td class="number">{q.running}</td>
                <td class="wide faint">{q.tools.join(", ")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Log() {
  const [limit, setLimit] = useState(200);
  const [logs, error] = usePoll(() => get<Logs>("/v1/admin/logs?limit=" + limit), 2000, String(limit));
  return (
    <section>
      <h2>Log of the server</h2>
      <label class="inline">
        Lines{" "}
        <select value={limit} onChange={(e) => setLimit(Number(e.currentTarget.value))}>
          {[50, 200, 400, 1000].map((n) => (
            <option key={n} value={n}>
              {n}
            </option>
          ))}
        </select>
      </label>
      <ErrorBox error={error} />
      <pre class="json log" tabIndex={0} role="region" aria-label="Log of the server">
        {logs?.lines.join("\n") || "Nothing yet."}
      </pre>
    </section>
  );
}
