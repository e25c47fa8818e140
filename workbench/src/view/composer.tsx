// Where to say more: files, a prompt, and what is to be asked about first.
import { useRef, useState } from "preact/hooks";
import { ApiError, send } from "../api";
import type { Manifest } from "../types";
import { ErrorBox } from "./parts";
import { add } from "./session";

interface Props {
  id?: string;
  running: boolean;
  files: string[];
  setManifest: (m: Manifest) => void;
}

/** useSending holds what is written, and sends it. */
function useSending({ id, running, setManifest }: Props) {
  const [prompt, setPrompt] = useState("");
  const [waiting, setWaiting] = useState<File[]>([]);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const [approve, setApprove] = useState("never");
  const take = async (list: File[]) => {
    if (!list.length) return;
    setError(undefined);
    setBusy(true);
    setWaiting(list);
    const f = await add(id, list, setManifest);
    setWaiting([]);
    setBusy(false);
    setError(f);
  };
  const say = async () => {
    if (!prompt.trim() || busy || running) return;
    setBusy(true);
    setError(undefined);
    try {
      let session = id;
      if (!session) session = (await send<{ session_id: string }>("POST", "/v1/sessions", {})).session_id;
      // The stream of the session's events tells the rest.
      const r = await send<{ state: Manifest }>("POST", `/v1/sessions/${session}/chat`, {
        prompt,
        approve,
        stream: false,
        wait_ms: 1,
      });
      setPrompt("");
      if (id) setManifest(r.state);
      else location.hash = "#/s/" + session;
    } catch (e) {
      setError(e as ApiError);
    }
    setBusy(false);
  };
  const cancel = () =>
    send<{ state: Manifest }>("POST", `/v1/sessions/${id}/cancel`)
      .then((r) => setManifest(r.state))
      .catch((e) => setError(e as ApiError));
  return { prompt, setPrompt, waiting, busy, error, approve, setApprove, take, say, cancel };
}

export function Composer(props: Props) {
  const s = useSending(props);
  return (
    <form
      class="composer"
      onSubmit={(e) => {
        e.preventDefault();
        void s.say();
      }}
      onDragOver={(e) => e.preventDefault()}
      onDrop={(e) => {
        e.preventDefault();
        void s.take([...(e.dataTransfer?.files ?? [])]);
      }}
    >
      <ErrorBox error={s.error} />
      <div class="chips">
        {props.files.map((f) => (
          <span class="chip" key={f} title={f}>
            {f.slice("input/".length)}
          </span>
        ))}
        {s.waiting.map((f) => (
          <span class="chip" key={f.name}>
            {f.name} …
          </span>
        ))}
      </div>
      <label class="hidden" for="prompt">
        What to do
      </label>
      <textarea
        id="prompt"
        rows={3}
        placeholder="steel, fixed at the bottom, 500 N on top, show the stress"
        value={s.prompt}
        maxLength={16000}
        onInput={(e) => s.setPrompt(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key === "Enter" && !e.shiftKey && !e.isComposing) {
            e.preventDefault();
            void s.say();
          }
        }}
      />
      <Actions sending={s} running={props.running} />
    </form>
  );
}

function Actions({ sending: s, running }: { sending: ReturnType<typeof useSending>; running: boolean }) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <div class="actions">
      <input
        ref={picker}
        id="files"
        class="hidden"
        type="file"
        multiple
        tabIndex={-1}
        aria-label="Files"
        onChange={(e) => {
          void s.take([...(e.currentTarget.files ?? [])]);
          e.currentTarget.value = "";
        }}
      />
      <button type="button" onClick={() => picker.current?.click()} disabled={s.busy}>
        Add files
      </button>
      <label class="inline">
        Ask before
        <select class="small" value={s.approve} onChange={(e) => s.setApprove(e.currentTarget.value)}>
          <option value="never">nothing</option>
          <option value="destructive">what destroys</option>
          <option value="always">every call</option>
        </select>
      </label>
      <span class="grow" />
      {running ? (
        <button type="button" class="danger" onClick={s.cancel}>
          Cancel
        </button>
      ) : (
        <button class="primary" disabled={s.busy || !s.prompt.trim()}>
          Send
        </button>
      )}
    </div>
  );
}
