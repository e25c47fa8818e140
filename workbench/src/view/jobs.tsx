// Jobs: what runs, what waits, what has ended; one of them in full.
import { useEffect, useState } from "preact/hooks";
import { ApiError, errorOf, get, send } from "../api";
import { duration, time } from "../format";
import type { Job } from "../types";
import { ErrorBox, State, usePoll } from "./parts";
import { JobBody } from "./step";

const states = ["", "running", "queued", "succeeded", "failed", "cancelled"];

export function Jobs({ id }: { id?: string }) {
  return id ? <OneJob key={id} id={id} /> : <JobList />;
}

function took(j: Job): string {
  if (!j.started_at) return "";
  return duration((j.finished_at ? Date.parse(j.finished_at) : Date.now()) - Date.parse(j.started_at));
}

function JobList() {
  const [state, setState] = useState("");
  const [limit, setLimit] = useState(50);
  const [page, error, again] = usePoll(
    () => get<{ jobs: Job[]; next_cursor?: string }>(`/v1/jobs?limit=${limit}` + (state ? "&state=" + state : "")),
    2000,
    state + limit,
  );
  return (
    <div class="page">
      <h1>Jobs</h1>
      <label class="inline">
        State{" "}
        <select value={state} onChange={(e) => setState(e.currentTarget.value)}>
          {states.map((s) => (
            <option key={s} value={s}>
              {s || "all"}
            </option>
          ))}
        </select>
      </label>
      <ErrorBox error={error} />
      <div class="scroll">
        <table class="rows">
          <thead>
            <tr>
              <th>State</th>
              <th>Tool</th>
              <th>Summary</th>
              <th>Made</th>
              <th>Took</th>
              <th>
                <span class="hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {page?.jobs.map((j) => (
              <tr key={j.id}>
                <td>
                  <State value={j.status} />
                </td>
                <td>
                  <a href={"#/jobs/" + j.id}>{j.tool_name}</a>
                </td>
                <td class="wide">{j.error ? j.error.message : j.status === "succeeded" ? j.summary : ""}</td>
                <td>{time(j.created_at)}</td>
                <td class="number">{took(j)}</td>
                <td>{!j.finished_at && <Stop job={j} done={again} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {page?.jobs.length === 0 && <p class="faint">None.</p>}
      {page?.next_cursor && limit < 500 && <button onClick={() => setLimit(Math.min(limit * 2, 500))}>More</button>}
    </div>
  );
}

function Stop({ job, done }: { job: Job; done: () => void }) {
  const [error, setError] = useState<ApiError>();
  return (
    <>
      <button
        class="small danger"
        onClick={() => send("DELETE", "/v1/jobs/" + job.id).then(done, (e) => setError(e as ApiError))}
      >
        Cancel
      </button>
      {error && <span class="bad">{error.message}</span>}
    </>
  );
}

function OneJob({ id }: { id: string }) {
  const [job, setJob] = useState<Job>();
  const [error, setError] = useState<ApiError>();
  useEffect(() => {
    const stop = new AbortController();
    void (async () => {
      try {
        let now = await get<Job>("/v1/jobs/" + id, stop.signal);
        setJob(now);
        while (!now.finished_at && !stop.signal.aborted)
          setJob((now = await get<Job>(`/v1/jobs/${id}?wait_ms=20000`, stop.signal)));
      } catch (e) {
        if (!stop.signal.aborted) setError(e as ApiError);
      }
    })();
    return () => stop.abort();
  }, [id]);
  return (
    <div class="page">
      <p>
        <a href="#/jobs">All jobs</a>
      </p>
      <ErrorBox error={error} />
      {job && (
        <>
          <h1>
            {job.tool_name} <State value={job.status} />
          </h1>
          <p class="faint">
            <code>{job.id}</code> · made {time(job.created_at)}
            {took(job) && " · took " + took(job)}
            {(job.attempt ?? 1) > 1 && " · attempt " + job.attempt}
          </p>
          {!job.finished_at && <Stop job={job} done={() => {}} />}
          {job.error && <ErrorBox error={errorOf(job.error)} />}
          <JobBody key={job.status} id={id} />
        </>
      )}
    </div>
  );
}
