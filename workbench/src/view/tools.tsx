// The catalogue of tools: each has a form made from its schema, and its result
// shows as it would in a chat.
import { useEffect, useMemo, useState } from "preact/hooks";
import { ApiError, errorOf, get, send } from "../api";
import { loadTools } from "../catalogue";
import type { Job, Manifest, Tool } from "../types";
import { Fields } from "./form";
import { RawJson } from "./inputs";
import { Download, ErrorBox, State } from "./parts";
import { ResultView } from "./result";
import { JobLog } from "./step";

export function Tools({ name }: { name?: string }) {
  const [tools, setTools] = useState<Tool[]>();
  const [error, setError] = useState<ApiError>();
  const [search, setSearch] = useState("");
  useEffect(() => void loadTools().then(setTools, (e) => setError(e as ApiError)), []);
  const shown = tools?.filter((t) =>
    (t.name + " " + t.tags.join(" ") + " " + t.description).toLowerCase().includes(search.toLowerCase()),
  );
  const tool = tools?.find((t) => t.name === name);
  return (
    <div class="catalogue">
      <nav class="toollist" aria-label="Tools">
        <label class="hidden" for="search">
          Search tools
        </label>
        <input
          id="search"
          type="search"
          placeholder="Search tools"
          value={search}
          onInput={(e) => setSearch(e.currentTarget.value)}
        />
        <ErrorBox error={error} />
        <ul>
          {shown?.map((t) => (
            <li key={t.name}>
              <a href={"#/tools/" + t.name} aria-current={t.name === name ? "page" : undefined}>
                <strong>{t.name}</strong>
                <span class="faint">{t.tags.join(" · ")}</span>
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="toolpage">
        {tool ? (
          <ToolPage key={location.hash} tool={tool} />
        ) : (
          <Overview count={tools?.length} missing={tools && name ? name : undefined} />
        )}
      </div>
    </div>
  );
}

function Overview({ count, missing }: { count?: number; missing?: string }) {
  return (
    <>
      <h1>Tools</h1>
      {missing && <p class="bad">No tool is named {missing}.</p>}
      {count !== undefined && (
        <p>
          {count} tools. Choose one to see what it takes and to run it here; agents get the same tools over every
          protocol.
        </p>
      )}
      <p>
        <Download url="/openapi.json" name="openapi.json">
          Save the OpenAPI document
        </Download>
      </p>
    </>
  );
}

/** given are the input and the session that the address carries. */
function given(): { input: Record<string, unknown>; session: string } {
  const parts = location.hash.split("/");
  try {
    return {
      input: JSON.parse(decodeURIComponent(parts[3] ?? "{}")) as Record<string, unknown>,
      session: parts[4] ?? "",
    };
  } catch {
    return { input: {}, session: "" };
  }
}

function Head({
  tool,
  session,
  load,
}: {
  tool: Tool;
  session: string;
  load: (input: Record<string, unknown>) => void;
}) {
  return (
    <>
      <h1>{tool.name}</h1>
      <p class="faint">
        version {tool.version} · {tool.stability} · {tool.tags.join(" · ")}
      </p>
      <p>{tool.description}</p>
      {session && (
        <p class="note">
          Runs as a step of the session <a href={"#/s/" + session}>{session.replace("session_", "").slice(0, 13)}</a>.
        </p>
      )}
      <div class="actions">
        {tool.examples.map((e) => (
          <button key={e.title} class="small" title={e.notes} onClick={() => load(e.input)}>
            Example: {e.title}
          </button>
        ))}
      </div>
    </>
  );
}

function ToolPage({ tool }: { tool: Tool }) {
  const start = useMemo(given, []);
  const [input, setInput] = useState<Record<string, unknown>>(start.input);
  const [raw, setRaw] = useState(false);
  const [version, setVersion] = useState(0); // of the form: an example makes it anew
  const [error, setError] = useState<ApiError>();
  const [job, setJob] = useState<string>();
  const [files, setFiles] = useState<string[]>([]);
  useEffect(() => {
    if (start.session)
      get<Manifest>("/v1/sessions/" + start.session).then(
        (m) => setFiles(m.asset_details.map((a) => a.reference)),
        () => {},
      );
  }, []);
  const load = (value: Record<string, unknown>) => {
    setInput(value);
    setVersion(version + 1);
    setError(undefined);
  };
  const run = async () => {
    setError(undefined);
    setJob(undefined);
    try {
      const made = await send<{ job_id: string }>("POST", "/v1/jobs", {
        tool_name: tool.name,
        input,
        ...(start.session ? { context: { session_id: start.session } } : {}),
      });
      setJob(made.job_id);
    } catch (e) {
      setError(e as ApiError);
    }
  };
  const errors = (error?.list ?? []).map((f) => ({ ...f, field: f.field?.replace(/^\/input(?=\/|$)/, "") }));
  return (
    <>
      <Head tool={tool} session={start.session} load={load} />
      <form
        class="toolform"
        onSubmit={(e) => {
          e.preventDefault();
          void run();
        }}
        noValidate
      >
        <label class="check">
          <input
            type="checkbox"
            checked={raw}
            onChange={(e) => (setRaw(e.currentTarget.checked), setVersion(version + 1))}
          />{" "}
          edit as JSON
        </label>
        {raw ? (
          <RawJson
            key={version}
            label="Input"
            rows={16}
            value={input}
            set={(v) => setInput((v ?? {}) as Record<string, unknown>)}
          />
        ) : (
          <Fields
            key={version}
            schema={tool.input_schema}
            value={input}
            set={setInput}
            path=""
            context={{ root: tool.input_schema, errors, files }}
          />
        )}
        <ErrorBox error={error} />
        <div class="actions">
          <button class="primary">Run {tool.name}</button>
          <button type="button" onClick={() => load({})}>
            Clear
          </button>
        </div>
      </form>
      {job && <Running key={job} id={job} tool={tool.name} session={start.session} />}
    </>
  );
}

function Running({ id, tool, session }: { id: string; tool: string; session: string }) {
  const [job, setJob] = useState<Job>();
  const [error, setError] = useState<ApiError>();
  useEffect(() => {
    const stop = new AbortController();
    void (async () => {
      try {
        let now: Job;
        do setJob((now = await get<Job>(`/v1/jobs/${id}?wait_ms=20000`, stop.signal)));
        while (!now.finished_at);
      } catch (e) {
        if (!stop.signal.aborted) setError(e as ApiError);
      }
    })();
    return () => stop.abort();
  }, [id]);
  return (
    <section class="card toolresult" aria-label="Result" aria-live="polite">
      <h2>
        {tool} <State value={job?.status ?? "running"} />
      </h2>
      {!job?.finished_at && (
        <button class="danger" onClick={() => send("DELETE", "/v1/jobs/" + id).catch((e) => setError(e as ApiError))}>
          Cancel
        </button>
      )}
      <ErrorBox error={error} />
      <JobLog id={id} />
      {job?.error && <ErrorBox error={errorOf(job.error)} />}
      {job?.result && <ResultView result={job.result} />}
      {session && job?.finished_at && <a href={"#/s/" + session}>Back to the session</a>}
      <p class="faint">
        <a href={"#/jobs/" + id}>Job {id}</a>
      </p>
    </section>
  );
}
