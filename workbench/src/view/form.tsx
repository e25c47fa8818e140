// Forms made from JSON Schemas. A value that the schema cannot say is edited as
// JSON; what is wrong is told by the server, beside the field that it names.
import { useId, useState } from "preact/hooks";
import type { FieldError } from "../api";
import { words } from "../format";
import type { Schema } from "../types";
import { FileInput, NumberInput, RawJson } from "./inputs";

export interface FormContext {
  root: Schema;
  errors: FieldError[];
  files: string[]; // references that a file argument may take
}

interface FieldProps {
  name: string;
  schema: Schema;
  value: unknown;
  set: (v: unknown) => void;
  path: string;
  required: boolean;
  context: FormContext;
}

type Bag = Record<string, unknown>;

/** resolve follows references within the tool's schema. */
export function resolve(schema: Schema, root: Schema): Schema {
  if (!schema.$ref?.startsWith("#/")) return schema;
  let at: unknown = root;
  for (const part of schema.$ref.slice(2).split("/"))
    at = (at as Bag | undefined)?.[part.replaceAll("~1", "/").replaceAll("~0", "~")];
  return { ...(at as Schema), description: schema.description ?? (at as Schema)?.description };
}

const typeOf = (s: Schema): string =>
  Array.isArray(s.type)
    ? s.type.find((t) => t !== "null")!
    : (s.type ?? (s.properties ? "object" : s.enum ? "string" : ""));

const isFile = (name: string, s: Schema): boolean =>
  typeOf(s) === "string" && (/(^|_)path$/.test(name) || (s.description?.includes("file:<id>") ?? false));

/** Fields is the form of an object: what is needed first, the rest on request. */
export function Fields({
  schema,
  value,
  set,
  path,
  context,
}: {
  schema: Schema;
  value: Bag;
  set: (v: Bag) => void;
  path: string;
  context: FormContext;
}) {
  const all = Object.entries(schema.properties ?? {});
  const needed = new Set(schema.required ?? []);
  // What had a value at first stands with what is needed; a field that gets one keeps its place, and the focus.
  const [given] = useState(() => new Set(Object.keys(value)));
  const first = all.filter(([n]) => needed.has(n) || given.has(n));
  const rest = all.filter(([n]) => !needed.has(n) && !given.has(n));
  const field = ([name, s]: [string, Schema]) => (
    <Field
      key={name}
      name={name}
      schema={resolve(s, context.root)}
      value={value[name]}
      set={(v) => {
        const next = { ...value };
        if (v === undefined) delete next[name];
        else next[name] = v;
        set(next);
      }}
      path={path + "/" + name.replaceAll("~", "~0").replaceAll("/", "~1")}
      required={needed.has(name)}
      context={context}
    />
  );
  const touched = rest.some(
    ([n]) =>
      value[n] !== undefined ||
      context.errors.some((f) => f.field === path + "/" + n || f.field?.startsWith(path + "/" + n + "/")),
  );
  return (
    <>
      {first.map(field)}
      {rest.length > 0 &&
        (first.length === 0 && rest.length < 4 ? (
          rest.map(field)
        ) : (
          <details class="optional" open={touched || undefined}>
            <summary>Optional ({rest.length})</summary>
            {rest.map(field)}
          </details>
        ))}
      <Unplaced path={path} names={all.map(([n]) => n)} errors={context.errors} />
    </>
  );
}

/** Unplaced are errors of members that the schema does not have. */
function Unplaced({ path, names, errors }: { path: string; names: string[]; errors: FieldError[] }) {
  const here = errors.filter(
    (f) =>
      f.field === (path || "/") ||
      (f.field !== undefined &&
        f.field.startsWith(path + "/") &&
        !names.includes(f.field.slice(path.length + 1).split("/")[0])),
  );
  return (
    <>
      {here.map((f, i) => (
        <p key={i} class="fielderror" role="alert">
          {f.message} {f.hint}
        </p>
      ))}
    </>
  );
}

function Field(p: FieldProps) {
  const id = useId();
  const own = p.context.errors.filter((f) => f.field === p.path);
  const kind = typeOf(p.schema);
  const nested = kind === "object" || kind === "array" || p.schema.oneOf || (p.schema.anyOf && !p.schema.type);
  const about = p.schema.description;
  const note = (
    <>
      {about && (
        <span class="about" id={id + "about"}>
          {about}
        </span>
      )}
      {own.map((f, i) => (
        <span key={i} class="fielderror" id={id + "error"} role="alert">
          {f.message} {f.hint}
        </span>
      ))}
    </>
  );
  const label = (
    <>
      {words(p.name)}
      {p.required && (
        <span class="needed" title="needed" aria-hidden="true">
          {" "}
          *
        </span>
      )}
    </>
  );
  if (nested) {
    return (
      <fieldset class={own.length ? "invalid" : ""}>
        <legend>{label}</legend>
        {note}
        <Nested {...p} kind={kind} />
      </fieldset>
    );
  }
  return (
    <div class={"field" + (own.length ? " invalid" : "")}>
      <label for={id}>{label}</label>
      <Input {...p} id={id} kind={kind} described={(about ? id + "about " : "") + (own.length ? id + "error" : "")} />
      {note}
    </div>
  );
}

function Nested(p: FieldProps & { kind: string }) {
  const variants = (p.schema.oneOf ?? (p.schema.type ? undefined : p.schema.anyOf))?.map((v) =>
    resolve(v, p.context.root),
  );
  if (variants) return <Variants {...p} variants={variants} />;
  if (p.kind === "array") return <List {...p} />;
  if (!p.schema.properties) return <RawJson label={p.name} value={p.value} set={p.set} />;
  if (p.value === undefined && !p.required) {
    return (
      <button type="button" class="small" onClick={() => p.set({})}>
        Add {words(p.name)}
      </button>
    );
  }
  return (
    <>
      <Fields schema={p.schema} value={(p.value ?? {}) as Bag} set={p.set} path={p.path} context={p.context} />
      {!p.required && (
        <button type="button" class="small" onClick={() => p.set(undefined)}>
          Leave out {words(p.name)}
        </button>
      )}
    </>
  );
}

const called = (s: Schema): string =>
  s.title ??
  (s.const !== undefined
    ? String(s.const)
    : typeOf(s) === "array"
      ? "a list"
      : typeOf(s) === "object"
        ? Object.keys(s.properties ?? {})
            .slice(0, 3)
            .join(", ")
        : "one " + (typeOf(s) === "string" ? "text" : typeOf(s) || "value"));

function fits(v: unknown, s: Schema): boolean {
  if (v === undefined) return false;
  if (Array.isArray(s.type) && s.type.includes(typeof v)) return true; // a number, or a text with its unit
  const t = typeOf(s);
  if (t === "array") return Array.isArray(v);
  if (t === "object")
    return typeof v === "object" && v !== null && !Array.isArray(v) && (s.required ?? []).every((n) => n in (v as Bag));
  if (t === "number" || t === "integer") return typeof v === "number";
  return typeof v === t;
}

function Variants(p: FieldProps & { variants: Schema[] }) {
  const found = p.variants.findIndex((v) => fits(p.value, v));
  const [picked, pick] = useState(Math.max(found, 0));
  const at = found >= 0 ? found : picked;
  const v = p.variants[at];
  const kind = typeOf(v);
  const id = useId();
  return (
    <>
      <label class="inline" for={id}>
        as{" "}
      </label>
      <select
        id={id}
        class="small"
        value={at}
        onChange={(e) => {
          pick(Number(e.currentTarget.value));
          p.set(undefined);
        }}
      >
        {p.variants.map((s, i) => (
          <option key={i} value={i}>
            {called(s)}
          </option>
        ))}
      </select>
      {kind === "object" || kind === "array" ? (
        <Nested {...p} schema={v} kind={kind} />
      ) : (
        <Input {...p} schema={v} id={id + "value"} kind={kind} described="" label={words(p.name)} />
      )}
    </>
  );
}

function List(p: FieldProps) {
  const items = resolve(p.schema.items ?? {}, p.context.root);
  const list = Array.isArray(p.value) ? (p.value as unknown[]) : [];
  const kind = typeOf(items);
  const few = (kind === "number" || kind === "integer") && (p.schema.maxItems ?? 99) <= 4;
  const change = (next: unknown[]) => p.set(next.length ? next : undefined);
  const fixed = few && p.schema.minItems === p.schema.maxItems;
  const shown = fixed ? Array.from({ length: p.schema.maxItems! }, (_, i) => list[i]) : list;
  return (
    <div class={few ? "row" : "list"}>
      {shown.map((v, i) => (
        <div key={i} class="item">
          {kind === "object" || kind === "array" || items.oneOf ? (
            <Field
              name={`${p.name} ${i + 1}`}
              schema={items}
              value={v}
              set={(n) => change(list.map((o, k) => (k === i ? (n ?? {}) : o)))}
              path={p.path + "/" + i}
              required
              context={p.context}
            />
          ) : (
            <Input
              {...p}
              required
              name={p.name}
              schema={items}
              id=""
              label={`${words(p.name)} ${i + 1}`}
              kind={kind}
              described=""
              value={v}
              path={p.path + "/" + i}
              set={(n) =>
                change(shown.map((o, k) => (k === i ? n : o)).map((o) => (o === undefined && fixed ? null : o)))
              }
            />
          )}
          {!fixed && (
            <button
              type="button"
              class="small"
              aria-label={`Remove ${words(p.name)} ${i + 1}`}
              onClick={() => change(list.filter((_, k) => k !== i))}
            >
              ×
            </button>
          )}
        </div>
      ))}
      {!fixed && list.length < (p.schema.maxItems ?? Infinity) && (
        <button
          type="button"
          class="small"
          onClick={() => p.set([...list, kind === "object" ? {} : kind === "array" ? [] : kind === "string" ? "" : 0])}
        >
          Add
        </button>
      )}
    </div>
  );
}

interface InputProps extends FieldProps {
  id: string;
  kind: string;
  described: string;
  label?: string;
}

function Input({ name, schema, value, set, path, required, context, id, kind, described, label }: InputProps) {
  const bad = context.errors.some((f) => f.field === path);
  const common = {
    id: id || undefined,
    "aria-describedby": described.trim() || undefined,
    "aria-invalid": bad || undefined,
    "aria-required": required || undefined,
    "aria-label": label,
  };
  const fallback = schema.default === undefined ? "" : String(schema.default);
  if (schema.const !== undefined) return <output>{String(schema.const)}</output>;
  if (schema.enum) {
    return (
      <select
        {...common}
        value={value === undefined ? "" : JSON.stringify(value)}
        onChange={(e) => set(e.currentTarget.value ? JSON.parse(e.currentTarget.value) : undefined)}
      >
        {(!required || value === undefined) && <option value="">{fallback ? `default: ${fallback}` : "choose"}</option>}
        {schema.enum.map((v) => (
          <option key={String(v)} value={JSON.stringify(v)}>
            {String(v)}
          </option>
        ))}
      </select>
    );
  }
  if (kind === "boolean") {
    return (
      <select
        {...common}
        value={value === undefined ? "" : String(value)}
        onChange={(e) => set(e.currentTarget.value === "" ? undefined : e.currentTarget.value === "true")}
      >
        <option value="">{fallback ? `default: ${fallback === "true" ? "yes" : "no"}` : "not said"}</option>
        <option value="true">yes</option>
        <option value="false">no</option>
      </select>
    );
  }
  if (kind === "number" || kind === "integer") {
    const range = [schema.minimum ?? schema.exclusiveMinimum, schema.maximum ?? schema.exclusiveMaximum];
    const hint = fallback
      ? "default: " + fallback
      : range[0] !== undefined && range[1] !== undefined
        ? `${range[0]} to ${range[1]}`
        : "";
    return <NumberInput common={common} value={value} set={set} hint={hint} />;
  }
  if (isFile(name, schema)) return <FileInput common={common} value={value} set={set} files={context.files} />;
  if (kind === "string") {
    const change = (text: string) => set(text === "" ? undefined : text);
    const shown = typeof value === "string" ? value : "";
    return (schema.maxLength ?? 0) >= 4000 || shown.includes("\n") ? (
      <textarea
        {...common}
        rows={6}
        class="code"
        spellcheck={false}
        value={shown}
        placeholder={fallback}
        onInput={(e) => change(e.currentTarget.value)}
      />
    ) : (
      <input
        {...common}
        type="text"
        value={shown}
        placeholder={fallback}
        onInput={(e) => change(e.currentTarget.value)}
      />
    );
  }
  return <RawJson label={label ?? name} value={value} set={set} />;
}
