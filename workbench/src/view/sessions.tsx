// All sessions, newest first.
import { useEffect, useState } from "preact/hooks";
import { ApiError, get, send } from "../api";
import { bytes, time } from "../format";
import type { Manifest, SessionRow } from "../types";
import { ErrorBox } from "./parts";

/** useName is what a session is about: what was asked first, or its files. */
function useName(id: string): string {
  const [name, set] = useState("");
  useEffect(() => {
    const stop = new AbortController();
    get<Manifest>("/v1/sessions/" + id, stop.signal).then(
      (m) =>
        set(
          m.messages.find((x) => x.role === "user")?.content.slice(0, 120) ??
            m.assets
              .slice(0, 3)
              .map((a) => a.split("/").pop())
              .join(", "),
        ),
      () => {},
    );
    return () => stop.abort();
  }, [id]);
  return name;
}

function Name({ id }: { id: string }) {
  const name = useName(id);
  return (
    <a href={"#/s/" + id} title={id}>
      {name || id.replace("session_", "").slice(0, 13)}
    </a>
  );
}

/** SessionNames lists sessions by what they are about. */
export function SessionNames({ rows }: { rows: SessionRow[] }) {
  return (
    <ul class="recent">
      {rows.map((s) => (
        <li key={s.session_id}>
          <Name id={s.session_id} /> <span class="faint">{time(s.updated_at)}</span>
        </li>
      ))}
    </ul>
  );
}

export function Sessions() {
  const [rows, setRows] = useState<SessionRow[]>();
  const [next, setNext] = useState<string>();
  const [error, setError] = useState<ApiError>();
  const load = async (cursor?: string) => {
    try {
      const page = await get<{ sessions: SessionRow[]; next_cursor?: string }>(
        "/v1/sessions" + (cursor ? "?cursor=" + cursor : ""),
      );
      setRows((old) => (cursor ? [...(old ?? []), ...page.sessions] : page.sessions));
      setNext(page.next_cursor);
    } catch (e) {
      setError(e as ApiError);
    }
  };
  useEffect(() => void load(), []);
  const remove = async (s: SessionRow) => {
    if (!confirm(`Remove ${s.session_id} with its files and jobs?`)) return;
    try {
      await send("DELETE", "/v1/sessions/" + s.session_id);
      setRows((old) => old?.filter((r) => r !== s));
    } catch (e) {
      setError(e as ApiError);
    }
  };
  return (
    <div class="page">
      <h1>Sessions</h1>
      <ErrorBox error={error} />
      {rows?.length === 0 && (
        <p>
          None yet. <a href="#/">Start one.</a>
        </p>
      )}
      {rows && rows.length > 0 && (
        <div class="scroll">
          <table class="rows">
            <thead>
              <tr>
                <th>Session</th>
                <th>State</th>
                <th>Stage</th>
                <th>Changed</th>
                <th>Size</th>
                <th>
                  <span class="hidden">Remove</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((s) => (
                <Row key={s.session_id} row={s} remove={() => void remove(s)} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {next && <button onClick={() => void load(next)}>More</button>}
    </div>
  );
}

function Row({ row: s, remove }: { row: SessionRow; remove: () => void }) {
  return (
    <tr>
      <td class="wide">
        <Name id={s.session_id} />
      </td>
      <td>{s.status}</td>
      <td>{s.stage}</td>
      <td>{time(s.updated_at)}</td>
      <td class="number">{bytes(s.bytes)}</td>
      <td>
        <button class="small" onClick={remove} aria-label={"Remove " + s.session_id}>
          Remove
        </button>
      </td>
    </tr>
  );
}
