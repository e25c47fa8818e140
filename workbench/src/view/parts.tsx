// Small parts that several views share.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError, request, save } from "../api";

/** ErrorBox tells what went wrong and what to do. */
export function ErrorBox({ error }: { error: ApiError | undefined }) {
  if (!error) return null;
  return (
    <div class="errorbox" role="alert">
      <strong>{error.message}</strong>
      {error.hint && <p>{error.hint}</p>}
      <p class="faint">
        <code>{error.code}</code>
      </p>
    </div>
  );
}

const marks: Record<string, string> = {
  queued: "○",
  running: "◐",
  approved: "◐",
  awaiting_approval: "?",
  succeeded: "✓",
  failed: "✕",
  cancelled: "–",
  denied: "–",
  interrupted: "–",
};

/** State is a state as a mark, a colour and a word. */
export function State({ value, quiet }: { value: string; quiet?: boolean }) {
  return (
    <span class={"state " + value}>
      <span class="mark" aria-hidden="true">
        {marks[value] ?? "·"}
      </span>
      <span class={quiet ? "hidden" : ""}>{value.replaceAll("_", " ")}</span>
    </span>
  );
}

/** Bar is a progress bar, of unknown length where fraction is missing. */
export function Bar({ fraction, label }: { fraction?: number; label: string }) {
  return <progress class="bar" max={1} value={fraction} aria-label={label} />;
}

/** Json shows a value as it is sent. */
export function Json({ value, label }: { value: unknown; label: string }) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return (
    <pre class="json" tabIndex={0} role="region" aria-label={label}>
      {text}
    </pre>
  );
}

/** useBlob fetches a content as an object URL, with the token. */
export function useBlob(url: string | undefined): [string | undefined, ApiError | undefined] {
  const [state, set] = useState<[string | undefined, ApiError | undefined]>([undefined, undefined]);
  useEffect(() => {
    if (!url) return;
    let made: string | undefined;
    let gone = false;
    request(url)
      .then((r) => r.blob())
      .then((b) => {
        if (gone) return;
        made = URL.createObjectURL(b);
        set([made, undefined]);
      })
      .catch((e) => gone || set([undefined, e as ApiError]));
    return () => {
      gone = true;
      if (made) URL.revokeObjectURL(made);
    };
  }, [url]);
  return state;
}

/** Picture is an image of the server. */
export function Picture({ url, alt }: { url: string; alt: string }) {
  const [src, error] = useBlob(url);
  if (error) return <span class="faint">{error.message}</span>;
  return src ? <img src={src} alt={alt} /> : <span class="blank" aria-hidden="true" />;
}

/** Download is a button that saves a content. */
export function Download({ url, name, children }: { url: string; name: string; children: ComponentChildren }) {
  const [error, setError] = useState<ApiError>();
  return (
    <>
      <button
        class="link"
        onClick={() => {
          setError(undefined);
          save(url, name.split("/").pop()!).catch((e) => setError(e as ApiError));
        }}
      >
        {children}
      </button>
      {error && <span class="bad"> {error.message}</span>}
    </>
  );
}

/** useNow is the time, each second while something runs. */
export function useNow(running: boolean): number {
  const [now, set] = useState(Date.now);
  useEffect(() => {
    if (!running) return;
    const t = setInterval(() => set(Date.now()), 1000);
    return () => clearInterval(t);
  }, [running]);
  return now;
}

/** usePoll asks again and again while the view is shown. */
export function usePoll<T>(
  ask: () => Promise<T>,
  every: number,
  key: string,
): [T | undefined, ApiError | undefined, () => void] {
  const [value, set] = useState<T>();
  const [error, setError] = useState<ApiError>();
  const [again, setAgain] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    let gone = false;
    const round = async () => {
      if (document.visibilityState === "visible") {
        try {
          const v = await ask();
          if (!gone) {
            set(v);
            setError(undefined);
          }
        } catch (e) {
          if (!gone) setError(e as ApiError);
        }
      }
      if (!gone) timer = setTimeout(round, every);
    };
    void round();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [key, again]);
  return [value, error, () => setAgain((n) => n + 1)];
}
