// One session as it is now: the manifest, and what its event stream tells.
import { useEffect, useState } from "preact/hooks";
import { ApiError, follow, get } from "./api";
import type { Manifest } from "./types";

export interface Progress {
  fraction: number;
  message: string;
}

export interface SessionNow {
  manifest?: Manifest;
  live: string; // what the assistant says in the run that goes on
  progress: Record<string, Progress>; // by step; "" is the run's own
  ended?: string; // how the last run ended that was watched
  error?: ApiError; // why there is nothing to show, or how the last run failed
  down?: ApiError; // the connection is away
}

const nothing: SessionNow = { live: "", progress: {} };

const visible = () =>
  new Promise<void>((done) => {
    if (document.visibilityState === "visible") return done();
    document.addEventListener("visibilitychange", () => done(), { once: true });
  });

/** useSession follows a session for as long as it is shown. */
export function useSession(id: string | undefined): [SessionNow, (m: Manifest) => void] {
  const [now, set] = useState<SessionNow>(nothing);
  useEffect(() => {
    set(nothing);
    if (!id) return;
    const stop = new AbortController();
    void watch(id, stop.signal, (change) => stop.signal.aborted || set(change));
    return () => stop.abort();
  }, [id]);
  return [now, (manifest) => set((n) => newer(n, manifest))];
}

function newer(n: SessionNow, m: Manifest): SessionNow {
  return n.manifest && n.manifest.session_id === m.session_id && n.manifest.version > m.version
    ? n
    : { ...n, manifest: m };
}

type Change = (fn: (n: SessionNow) => SessionNow) => void;

async function watch(id: string, signal: AbortSignal, change: Change): Promise<void> {
  const base = "/v1/sessions/" + encodeURIComponent(id);
  let after = 0;
  try {
    const first = await get<Manifest>(base, signal);
    change((n) => newer(n, first));
    while (!signal.aborted) {
      await visible();
      const down = (error: ApiError | null) =>
        change((n) => (n.down || error ? { ...n, down: error ?? undefined } : n));
      for await (const e of follow(base + "/events?wait_ms=30000", signal, () => false, down, after)) {
        after = Math.max(after, e.id);
        change((n) => apply(n, e.event, e.data));
      }
      await new Promise((done) => setTimeout(done, 200)); // a server that ends streams at once is not run down
    }
  } catch (e) {
    if (!signal.aborted) change((n) => ({ ...n, error: e as ApiError }));
  }
}

function apply(n: SessionNow, event: string, data: any): SessionNow {
  switch (event) {
    case "state_update":
      return newer(n, data.state);
    case "text_delta":
      return { ...n, live: n.live + data.delta, ended: undefined, error: undefined };
    case "tool_call_start":
      return { ...n, ended: undefined, error: undefined };
    case "progress":
      return {
        ...n,
        ended: undefined,
        progress: { ...n.progress, [data.step_id ?? ""]: { fraction: data.fraction, message: data.message } },
      };
    case "error":
      return { ...n, error: new ApiError(200, data.code, data.message, data.hint ?? data.details?.hint ?? "") };
    case "agent_done":
      return { ...n, live: "", progress: {}, ended: data.status };
  }
  return n;
}
