// The conversation of a session: what was said, the steps as they go, and where
// to say more.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Fault, get, send } from "../api";
import type { Manifest, Message, SessionRow, Step } from "../types";
import type { SessionNow } from "../useSession";
import { Bar, Download, FaultBox } from "./parts";
import { add } from "./session";
import { SessionNames } from "./sessions";
import { StepItem } from "./step";

interface Props {
  id?: string;
  now: SessionNow;
  setManifest: (m: Manifest) => void;
}

type Entry = { at: string; message?: Message; step?: Step };

export function Chat({ id, now, setManifest }: Props) {
  const m = now.manifest;
  const entries = useMemo<Entry[]>(() => {
    if (!m) return [];
    const said = m.messages.map((message) => ({ at: message.created_at, message }));
    const done = m.steps.map((step) => ({ at: step.started_at, step }));
    return [...said, ...done].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  }, [m]);
  const running = m?.status === "processing";
  const log = useRef<HTMLDivElement>(null);
  const seen = useRef(false); // whether what was there at first has been scrolled to its end
  useEffect(() => {
    const box = log.current;
    if (box && (running || !seen.current || box.scrollHeight - box.scrollTop - box.clientHeight < 300)) box.scrollTop = box.scrollHeight;
    if (entries.length) seen.current = true;
  }, [entries.length, now.live.length, running]);
  const overall = now.progress[""];
  const approving = m?.steps.find((s) => s.status === "awaiting_approval");
  return (
    <section class="chat" aria-label="Conversation">
      {m && (
        <p class="which">
          <span class="faint">Session</span> <code title={m.session_id}>{m.session_id.replace("session_", "").slice(0, 8)}</code>
          <span class="faint">{m.stage.replaceAll("_", " ")}</span>
          <span class="grow" />
          <a href="#/">New session</a>
        </p>
      )}
      <div class="log" ref={log} tabIndex={0} role="region" aria-label="Messages and steps">
        {entries.length === 0 && !running && <Welcome recent={!id} />}
        <ol class="entries">
          {entries.map((e) =>
            e.step ? (
              <li key={e.step.id}>
                <StepItem step={e.step} progress={now.progress[e.step.id]} />
              </li>
            ) : (
              <li key={e.at + e.message!.role} class={"said " + e.message!.role}>
                <span class="who">{e.message!.role === "user" ? "You" : "Atelier"}</span>
                <Prose text={e.message!.content} />
              </li>
            ),
          )}
          {running && now.live && (
            <li class="said assistant">
              <span class="who">Atelier</span>
              <Prose text={now.live} />
            </li>
          )}
        </ol>
        {now.ended === "cancelled" && !running && <p class="note">The run was cancelled.</p>}
        {!running && m && <FaultBox fault={now.fault} />}
      </div>
      <div class="hidden" role="status" aria-live="polite">
        {running ? (overall?.message ?? "Working.") : now.ended ? "The run is " + now.ended + "." : ""}
      </div>
      {now.down && (
        <p class="note warn" role="status">
          {now.down.message} Trying again.
        </p>
      )}
      {approving && id && <Approval id={id} step={approving} setManifest={setManifest} />}
      {running && (
        <div class="overall">
          <Bar fraction={overall?.fraction} label="Progress of the run" />
          <span>{overall?.message ?? "Working"}</span>
        </div>
      )}
      <Composer id={id} running={running ?? false} files={m?.assets.filter((a) => a.startsWith("input/")) ?? []} setManifest={setManifest} />
    </section>
  );
}

/** Prose is text with paragraphs, and links where it names contents. */
function Prose({ text }: { text: string }) {
  return (
    <div class="prose">
      {text.split(/\n{2,}/).map((paragraph, i) => (
        <p key={i}>
          {paragraph.split(/(\/v1\/jobs\/[\w-]+\/artifacts\/[\w./%-]*\w)/).map((part, k) =>
            k % 2 ? (
              <Download key={k} url={part} name={part}>
                {part.split("/").pop()}
              </Download>
            ) : (
              part
            ),
          )}
        </p>
      ))}
    </div>
  );
}

function Welcome({ recent }: { recent: boolean }) {
  const [rows, setRows] = useState<SessionRow[]>([]);
  useEffect(() => {
    if (recent) get<{ sessions: SessionRow[] }>("/v1/sessions?limit=5").then((r) => setRows(r.sessions), () => {});
  }, [recent]);
  return (
    <div class="welcome">
      <h2>Say what the part is for, and what you want to know.</h2>
      <p>Add a STEP file and write, for example:</p>
      <blockquote>steel, fixed at the bottom, 500 N on top, show the stress</blockquote>
      <p class="faint">
        Each step is a tool call that you can open, cancel and repeat. Numbers come with their evidence: residual, balance, error estimate.
      </p>
      {rows.length > 0 && (
        <>
          <h3>Recent sessions</h3>
          <SessionNames rows={rows} />
        </>
      )}
    </div>
  );
}

function Approval({ id, step, setManifest }: { id: string; step: Step; setManifest: (m: Manifest) => void }) {
  const [fault, setFault] = useState<Fault>();
  const decide = (decision: string) =>
    send<{ state: Manifest }>("POST", `/v1/sessions/${id}/approval`, { step_id: step.id, decision })
      .then((r) => setManifest(r.state))
      .catch((e) => setFault(e as Fault));
  return (
    <div class="approval" role="alertdialog" aria-label="Approval needed">
      <p>
        <strong>{step.tool}</strong> waits for you. {step.reason}
      </p>
      <button class="primary" onClick={() => decide("approve")}>
        Approve
      </button>
      <button onClick={() => decide("deny")}>Deny</button>
      <FaultBox fault={fault} />
    </div>
  );
}

function Composer({ id, running, files, setManifest }: { id?: string; running: boolean; files: string[]; setManifest: (m: Manifest) => void }) {
  const [prompt, setPrompt] = useState("");
  const [waiting, setWaiting] = useState<File[]>([]);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault>();
  const [approve, setApprove] = useState("never");
  const picker = useRef<HTMLInputElement>(null);

  const take = async (list: File[]) => {
    if (!list.length) return;
    setFault(undefined);
    setBusy(true);
    setWaiting(list);
    const f = await add(id, list, setManifest);
    setWaiting([]);
    setBusy(false);
    setFault(f);
  };
  const say = async () => {
    if (!prompt.trim() || busy || running) return;
    setBusy(true);
    setFault(undefined);
    try {
      let session = id;
      if (!session) session = (await send<{ session_id: string }>("POST", "/v1/sessions", {})).session_id;
      // The stream of the session's events tells the rest.
      const r = await send<{ state: Manifest }>("POST", `/v1/sessions/${session}/chat`, { prompt, approve, stream: false, wait_ms: 1 });
      setPrompt("");
      if (id) setManifest(r.state);
      else location.hash = "#/s/" + session;
    } catch (e) {
      setFault(e as Fault);
    }
    setBusy(false);
  };
  const cancel = () =>
    send<{ state: Manifest }>("POST", `/v1/sessions/${id}/cancel`)
      .then((r) => setManifest(r.state))
      .catch((e) => setFault(e as Fault));
  return (
    <form
      class="composer"
      onSubmit={(e) => {
        e.preventDefault();
        void say();
      }}
      onDragOver={(e) => e.preventDefault()}
      onDrop={(e) => {
        e.preventDefault();
        void take([...(e.dataTransfer?.files ?? [])]);
      }}
    >
      <FaultBox fault={fault} />
      <div class="chips">
        {files.map((f) => (
          <span class="chip" key={f} title={f}>
            {f.slice("input/".length)}
          </span>
        ))}
        {waiting.map((f) => (
          <span class="chip" key={f.name}>
            {f.name} …
          </span>
        ))}
      </div>
      <label class="hidden" for="prompt">
        What to do
      </label>
      <textarea
        id="prompt"
        rows={3}
        placeholder="steel, fixed at the bottom, 500 N on top, show the stress"
        value={prompt}
        maxLength={16000}
        onInput={(e) => setPrompt(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key === "Enter" && !e.shiftKey && !e.isComposing) {
            e.preventDefault();
            void say();
          }
        }}
      />
      <div class="actions">
        <input
          ref={picker}
          id="files"
          class="hidden"
          type="file"
          multiple
          tabIndex={-1}
          aria-label="Files"
          onChange={(e) => {
            void take([...(e.currentTarget.files ?? [])]);
            e.currentTarget.value = "";
          }}
        />
        <button type="button" onClick={() => picker.current?.click()} disabled={busy}>
          Add files
        </button>
        <label class="inline">
          Ask before
          <select class="small" value={approve} onChange={(e) => setApprove(e.currentTarget.value)}>
            <option value="never">nothing</option>
            <option value="destructive">what destroys</option>
            <option value="always">every call</option>
          </select>
        </label>
        <span class="grow" />
        {running ? (
          <button type="button" class="danger" onClick={cancel}>
            Cancel
          </button>
        ) : (
          <button class="primary" disabled={busy || !prompt.trim()}>
            Send
          </button>
        )}
      </div>
    </form>
  );
}
