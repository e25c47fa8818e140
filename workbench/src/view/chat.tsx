// The conversation of a session: what was said, the steps as they go, and where
// to say more.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiError, get, send } from "../api";
import type { Manifest, Message, SessionRow, Step } from "../types";
import type { SessionNow } from "../useSession";
import { Bar, Download, ErrorBox } from "./parts";
import { Composer } from "./composer";
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
  const running = m?.status === "processing";
  const overall = now.progress[""];
  const approving = m?.steps.find((s) => s.status === "awaiting_approval");
  return (
    <section class="chat" aria-label="Conversation">
      {m && (
        <p class="which">
          <span class="faint">Session</span>{" "}
          <code title={m.session_id}>{m.session_id.replace("session_", "").slice(0, 8)}</code>
          <span class="faint">{m.stage.replaceAll("_", " ")}</span>
          <span class="grow" />
          <a href="#/">New session</a>
        </p>
      )}
      <Log id={id} now={now} running={running} />
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
      <Composer
        id={id}
        running={running}
        files={m?.assets.filter((a) => a.startsWith("input/")) ?? []}
        setManifest={setManifest}
      />
    </section>
  );
}

/** Log is what was said and done, in its order. */
function Log({ id, now, running }: { id?: string; now: SessionNow; running: boolean }) {
  const m = now.manifest;
  const entries = useMemo<Entry[]>(() => {
    if (!m) return [];
    const said = m.messages.map((message) => ({ at: message.created_at, message }));
    const done = m.steps.map((step) => ({ at: step.started_at, step }));
    return [...said, ...done].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  }, [m]);
  const log = useRef<HTMLDivElement>(null);
  const seen = useRef(false); // whether what was there at first has been scrolled to its end
  useEffect(() => {
    const box = log.current;
    if (box && (running || !seen.current || box.scrollHeight - box.scrollTop - box.clientHeight < 300))
      box.scrollTop = box.scrollHeight;
    if (entries.length) seen.current = true;
  }, [entries.length, now.live.length, running]);
  return (
    <div class="log" ref={log} tabIndex={0} role="region" aria-label="Messages and steps">
      {entries.length === 0 && !running && <Welcome recent={!id} />}
      <ol class="entries">
        {entries.map((e) =>
          e.step ? (
            <li key={e.step.id}>
              <StepItem step={e.step} progress={now.progress[e.step.id]} />
            </li>
          ) : (
            <Said key={e.at + e.message!.role} who={e.message!.role} text={e.message!.content} />
          ),
        )}
        {running && now.live && <Said who="assistant" text={now.live} />}
      </ol>
      {now.ended === "cancelled" && !running && <p class="note">The run was cancelled.</p>}
      {!running && m && <ErrorBox error={now.error} />}
    </div>
  );
}

function Said({ who, text }: { who: string; text: string }) {
  return (
    <li class={"said " + who}>
      <span class="who">{who === "user" ? "You" : "Atelier"}</span>
      <Prose text={text} />
    </li>
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
    if (recent)
      get<{ sessions: SessionRow[] }>("/v1/sessions?limit=5").then(
        (r) => setRows(r.sessions),
        () => {},
      );
  }, [recent]);
  return (
    <div class="welcome">
      <h2>Say what the part is for, and what you want to know.</h2>
      <p>Add a STEP file and write, for example:</p>
      <blockquote>steel, fixed at the bottom, 500 N on top, show the stress</blockquote>
      <p class="faint">
        Each step is a tool call that you can open, cancel and repeat. Numbers come with their evidence: residual,
        balance, error estimate.
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
  const [error, setError] = useState<ApiError>();
  const decide = (decision: string) =>
    send<{ state: Manifest }>("POST", `/v1/sessions/${id}/approval`, { step_id: step.id, decision })
      .then((r) => setManifest(r.state))
      .catch((e) => setError(e as ApiError));
  return (
    <div class="approval" role="alertdialog" aria-label="Approval needed">
      <p>
        <strong>{step.tool}</strong> waits for you. {step.reason}
      </p>
      <button class="primary" onClick={() => decide("approve")}>
        Approve
      </button>
      <button onClick={() => decide("deny")}>Deny</button>
      <ErrorBox error={error} />
    </div>
  );
}
