// Small parts that several views share.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Fault, request, save } from "../api";

/** FaultBox tells what went wrong and what to do. */
export function FaultBox({ fault }: { fault: Fault | undefined }) {
  if (!fault) return null;
  return (
    <div class="fault" role="alert">
      <strong>{fault.message}</strong>
      {fault.hint && <p>{fault.hint}</p>}
      <p class="faint">
        <code>{fault.code}</code>
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
export function useBlob(url: string | undefined): [string | undefined, Fault | undefined] {
  const [state, set] = useState<[string | undefined, Fault | undefined]>([undefined, undefined]);
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
      .catch((e) => gone || set([undefined, e as Fault]));
    return () => {
      gone = true;
      if (made) URL.revokeObjectURL(made);
    };
  }, [url]);
  return state;
}

/** Picture is an image of the server. */
export function Picture({ url, alt }: { url: string; alt: string }) {
  const [src, fault] = useBlob(url);
  if (fault) return <span class="faint">{fault.message}</span>;
  return src ? <img src={src} alt={alt} /> : <span class="blank" aria-hidden="true" />;
}

/** Download is a button that saves a content. */
export function Download({ url, name, children }: { url: string; name: string; children: ComponentChildren }) {
  const [fault, setFault] = useState<Fault>();
  return (
    <>
      <button
        class="link"
        onClick={() => {
          setFault(undefined);
          save(url, name.split("/").pop()!).catch((e) => setFault(e as Fault));
        }}
      >
        {children}
      </button>
      {fault && <span class="bad"> {fault.message}</span>}
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
export function usePoll<T>(ask: () => Promise<T>, every: number, key: string): [T | undefined, Fault | undefined, () => void] {
  const [value, set] = useState<T>();
  const [fault, setFault] = useState<Fault>();
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
            setFault(undefined);
          }
        } catch (e) {
          if (!gone) setFault(e as Fault);
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
  return [value, fault, () => setAgain((n) => n + 1)];
}
