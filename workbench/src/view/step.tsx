// One step of a session: its state as it goes, and on request what went in,
// what came out, and what the engine said.
import { useEffect, useState } from "preact/hooks";
import { ApiError, follow, get } from "../api";
import { duration } from "../format";
import type { Job, JobEvent, Step } from "../types";
import type { Progress } from "../useSession";
import { Bar, ErrorBox, Json, State, useNow } from "./parts";
import { ResultView } from "./result";

export function StepItem({ step, progress }: { step: Step; progress?: Progress }) {
  const running = step.status === "running";
  const now = useNow(running);
  const [open, setOpen] = useState(false);
  const took = step.duration_ms ?? (running ? now - Date.parse(step.started_at) : undefined);
  return (
    <details class={"step " + step.status} open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>
        <State value={step.status} quiet />
        <span class="tool">{step.tool}</span>
        {took !== undefined && took >= 0 && <span class="took">{duration(took)}</span>}
        {step.summary && <span class="summary">{step.summary}</span>}
        {step.error && <span class="summary bad">{step.error.message}</span>}
        {running && (
          <span class="going">
            <Bar fraction={progress?.fraction} label={"Progress of " + step.tool} />
            {progress?.message}
          </span>
        )}
      </summary>
      {open && <StepBody step={step} />}
    </details>
  );
}

function StepBody({ step }: { step: Step }) {
  return (
    <div class="stepbody">
      {step.error?.hint && <p>{step.error.hint}</p>}
      <p class="minor">Input</p>
      <Json value={step.input ?? "longer than the manifest keeps; the job's record has it"} label="Input" />
      <p>
        <a href={"#/tools/" + step.tool + "/" + encodeURIComponent(JSON.stringify(step.input ?? {}))}>Open as a form</a>
        {step.job_id && (
          <>
            {" · "}
            <a href={"#/jobs/" + step.job_id}>Job {step.job_id.slice(0, 12)}…</a>
          </>
        )}
      </p>
      {step.job_id && <JobBody key={step.status} id={step.job_id} />}
    </div>
  );
}

/** JobBody shows what a job said and made. */
export function JobBody({ id }: { id: string }) {
  const [job, setJob] = useState<Job>();
  const [error, setError] = useState<ApiError>();
  const refresh = () =>
    get<Job>("/v1/jobs/" + id)
      .then(setJob)
      .catch((e) => setError(e as ApiError));
  useEffect(() => void refresh(), [id]);
  return (
    <>
      <ErrorBox error={error} />
      <JobLog id={id} ended={refresh} />
      {job?.result && <ResultView result={job.result} />}
    </>
  );
}

const done = new Set(["succeeded", "failed", "cancelled"]);

/** JobLog is a job's log, live. */
export function JobLog({ id, ended }: { id: string; ended?: () => void }) {
  const [lines, setLines] = useState<JobEvent[]>([]);
  const [progress, setProgress] = useState<JobEvent>();
  const [state, setState] = useState<string>();
  useEffect(() => {
    const stop = new AbortController();
    void (async () => {
      let live = false;
      try {
        for await (const e of follow(`/v1/jobs/${id}/events`, stop.signal, (e) => done.has(e.data.state))) {
          const event = e.data as JobEvent;
          if (event.type === "log") setLines((all) => [...all.slice(-1999), event]);
          if (event.type === "progress") setProgress(event);
          if (event.type === "state") {
            setState(event.state);
            if (done.has(event.state!) && live) ended?.();
            live = event.state === "running" || live;
          }
        }
      } catch {
        setState(undefined); // what there is of it is in the job's record
      }
    })();
    return () => stop.abort();
  }, [id]);
  return (
    <>
      {state === "running" && progress && (
        <div class="going">
          <Bar fraction={progress.fraction} label="Progress" /> {progress.message}
        </div>
      )}
      {lines.length > 0 && (
        <>
          <p class="minor">Log</p>
          <pre class="json" tabIndex={0} role="region" aria-label="Log">
            {lines.map((l) => (l.level && l.level !== "info" ? `[${l.level}] ` : "") + l.message).join("\n")}
          </pre>
        </>
      )}
    </>
  );
}
