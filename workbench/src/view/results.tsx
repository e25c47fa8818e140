// What the steps of a session found, latest first.
import { useEffect, useState } from "preact/hooks";
import { get } from "../api";
import type { Asset, Job, Step } from "../types";
import { State } from "./parts";
import { ResultView } from "./result";

export function Results({ steps }: { steps: Step[]; assets: Asset[] }) {
  const ended = steps.filter((s) => s.job_id && (s.status === "succeeded" || s.status === "failed")).reverse();
  const [chosen, choose] = useState<string>();
  if (!ended.length) return <p class="faint">Results come here as the steps end.</p>;
  // A picture says less than the solution it shows.
  const shown =
    ended.find((s) => s.id === chosen) ??
    ended.find((s) => !s.outputs?.some((o) => o.startsWith("render/"))) ??
    ended[0];
  return (
    <>
      <label class="inline">
        Result of{" "}
        <select value={shown.id} onChange={(e) => choose(e.currentTarget.value)}>
          {ended.map((s) => (
            <option key={s.id} value={s.id}>
              {s.id.replace("step_", "")}. {s.tool}
            </option>
          ))}
        </select>
      </label>{" "}
      <State value={shown.status} />
      <Loaded key={shown.job_id} id={shown.job_id!} />
    </>
  );
}

function Loaded({ id }: { id: string }) {
  const [job, setJob] = useState<Job>();
  useEffect(() => {
    const stop = new AbortController();
    get<Job>("/v1/jobs/" + id, stop.signal).then(setJob, () => {});
    return () => stop.abort();
  }, [id]);
  return job?.result ? <ResultView result={job.result} /> : null;
}
