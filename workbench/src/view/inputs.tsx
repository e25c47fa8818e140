// Inputs of numbers, files and JSON.
import { useId, useState } from "preact/hooks";
import { ApiError, upload } from "../api";

/** NumberInput keeps what is typed; a text that is no number goes to the server, which may know units. */
export function NumberInput({
  common,
  value,
  set,
  hint,
}: {
  common: object;
  value: unknown;
  set: (v: unknown) => void;
  hint: string;
}) {
  const [text, setText] = useState(value === undefined || value === null ? "" : String(value));
  const meant = (t: string) => (t.trim() === "" ? undefined : Number.isFinite(Number(t)) ? Number(t) : t);
  const shown = meant(text) === value ? text : value === undefined || value === null ? "" : String(value);
  return (
    <input
      {...common}
      type="text"
      inputMode="decimal"
      value={shown}
      placeholder={hint}
      onInput={(e) => {
        setText(e.currentTarget.value);
        set(meant(e.currentTarget.value));
      }}
    />
  );
}

export function FileInput({
  common,
  value,
  set,
  files,
}: {
  common: object;
  value: unknown;
  set: (v: unknown) => void;
  files: string[];
}) {
  const [error, setError] = useState<ApiError>();
  const list = useId();
  return (
    <span class="fileinput">
      <input
        {...common}
        type="text"
        list={list}
        value={typeof value === "string" ? value : ""}
        placeholder="path, file:<id>, session:<path> or an artifact's URL"
        onInput={(e) => set(e.currentTarget.value || undefined)}
      />
      <datalist id={list}>
        {files.map((f) => (
          <option key={f} value={f} />
        ))}
      </datalist>
      <label class="button">
        Upload
        <input
          type="file"
          class="hidden"
          onChange={(e) => {
            const file = e.currentTarget.files?.[0];
            if (!file) return;
            setError(undefined);
            upload<{ reference: string }>("/v1/files", [file]).then(
              (r) => set(r.reference),
              (f) => setError(f as ApiError),
            );
          }}
        />
      </label>
      {error && <span class="fielderror">{error.message}</span>}
    </span>
  );
}

/** RawJson edits any value as text. */
export function RawJson({
  label,
  value,
  set,
  rows = 4,
}: {
  label: string;
  value: unknown;
  set: (v: unknown) => void;
  rows?: number;
}) {
  const [text, setText] = useState(value === undefined ? "" : JSON.stringify(value, null, 2));
  const [error, setError] = useState("");
  return (
    <>
      <textarea
        class="code"
        rows={rows}
        spellcheck={false}
        aria-label={label + " as JSON"}
        aria-invalid={error ? true : undefined}
        value={text}
        onInput={(e) => {
          setText(e.currentTarget.value);
          try {
            set(e.currentTarget.value.trim() ? JSON.parse(e.currentTarget.value) : undefined);
            setError("");
          } catch (f) {
            setError((f as Error).message);
          }
        }}
      />
      {error && (
        <span class="fielderror" role="alert">
          {error}
        </span>
      )}
    </>
  );
}
