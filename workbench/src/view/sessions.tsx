// All sessions, newest first.
import { useEffect, useState } from "preact/hooks";
import { Fault, get, send } from "../api";
import { bytes, time } from "../format";
import type { SessionRow } from "../types";
import { FaultBox } from "./parts";

export function Sessions() {
  const [rows, setRows] = useState<SessionRow[]>();
  const [next, setNext] = useState<string>();
  const [fault, setFault] = useState<Fault>();
  const load = async (cursor?: string) => {
    try {
      const page = await get<{ sessions: SessionRow[]; next_cursor?: string }>("/v1/sessions" + (cursor ? "?cursor=" + cursor : ""));
      setRows((old) => (cursor ? [...(old ?? []), ...page.sessions] : page.sessions));
      setNext(page.next_cursor);
    } catch (e) {
      setFault(e as Fault);
    }
  };
  useEffect(() => void load(), []);
  const remove = async (s: SessionRow) => {
    if (!confirm(`Remove ${s.session_id} with its files and jobs?`)) return;
    try {
      await send("DELETE", "/v1/sessions/" + s.session_id);
      setRows((old) => old?.filter((r) => r !== s));
    } catch (e) {
      setFault(e as Fault);
    }
  };
  return (
    <div class="page">
      <h1>Sessions</h1>
      <FaultBox fault={fault} />
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
                <tr key={s.session_id}>
                  <td>
                    <a href={"#/s/" + s.session_id}>
                      <code>{s.session_id.replace("session_", "").slice(0, 13)}</code>
                    </a>
                  </td>
                  <td>{s.status}</td>
                  <td>{s.stage}</td>
                  <td>{time(s.updated_at)}</td>
                  <td class="number">{bytes(s.bytes)}</td>
                  <td>
                    <button class="small" onClick={() => void remove(s)} aria-label={"Remove " + s.session_id}>
                      Remove
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {next && <button onClick={() => void load(next)}>More</button>}
    </div>
  );
}
