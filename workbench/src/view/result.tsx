// A tool's result as it would show in a chat: what came out with units, how far
// it is to be trusted, plots with their tables, files.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { bytes, num, quantity, words } from "../format";
import type { ToolResult } from "../types";
import { Download, Json, Picture } from "./parts";
import { curves, Histories, Plots } from "./plots";

type Bag = Record<string, unknown>;
const isBag = (v: unknown): v is Bag => typeof v === "object" && v !== null && !Array.isArray(v);

/** Keys of a result that are shown otherwise, or are no quantity. */
const apart = new Set([
  "status",
  "solver",
  "summary",
  "stdout",
  "stderr",
  "exit_code",
  "artifacts",
  "metrics",
  "output",
  "evidence",
  "quantities",
  "series",
  "vectors",
  "fields",
]);

interface Check {
  name: string;
  value: number | null;
  limit: number | null;
  unit: string;
  passed: boolean;
  sentence: string;
}

interface Evidence {
  trust?: string;
  reasons?: string[];
  checks?: Check[];
}

/** A figure with its error bar and what may be believed of it. */
interface Figure {
  name: string;
  value: number | null;
  error: number | null;
  coverage?: string;
  unit: string;
  method: string;
  trust: string;
  reasons: string[];
}

export function ResultView({ result, brief }: { result: ToolResult; brief?: boolean }) {
  const output = isBag(result.output) ? result.output : {};
  const body: Bag = Object.keys(output).length ? output : result;
  const evidence = (body.evidence ?? result.evidence) as Evidence | undefined;
  const errors = result.metrics?.errors as { message: string; hint?: string; field?: string }[] | undefined;
  const warnings = result.metrics?.warnings as (string | { message?: string })[] | undefined;
  const found = curves(body, result.artifacts ?? []);
  return (
    <div class="result">
      {!brief && result.summary && <p class={result.status === "error" ? "bad" : ""}>{result.summary}</p>}
      {result.status === "error" &&
        errors?.map((e, i) => (
          <p key={i} class="bad">
            {[e.field, e.message, e.hint].filter(Boolean).join(" · ")}
          </p>
        ))}
      {warnings?.map((w, i) => (
        <p key={i} class="warn">
          {typeof w === "string" ? w : (w.message ?? JSON.stringify(w))}
        </p>
      ))}
      {evidence && <Trust evidence={evidence} />}
      {Array.isArray(body.quantities) && body.quantities.length > 0 && <Figures list={body.quantities as Figure[]} />}
      <Quantities body={body} />
      {found.length ? <Plots curves={found} /> : <Histories artifacts={result.artifacts ?? []} />}
      <Tables body={body} />
      <Artifacts result={result} />
      {(result.stdout || result.stderr) && (
        <details>
          <summary>Output of the engine</summary>
          {result.stdout && <Json value={result.stdout} label="Standard output" />}
          {result.stderr && <Json value={result.stderr} label="Standard error" />}
        </details>
      )}
      <Lazy title="As JSON">{() => <Json value={result.output ?? result} label="Output" />}</Lazy>
    </div>
  );
}

function Lazy({ title, children }: { title: string; children: () => ComponentChildren }) {
  const [open, setOpen] = useState(false);
  return (
    <details open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>{title}</summary>
      {open && children()}
    </details>
  );
}

function Trust({ evidence }: { evidence: Evidence }) {
  const checks = evidence.checks ?? [];
  return (
    <details class="trust">
      <summary>
        <span class={"badge " + (evidence.trust ?? "")}>{evidence.trust}</span> {evidence.reasons?.[0]}
      </summary>
      <ul>
        {evidence.reasons?.slice(1).map((r) => (
          <li key={r}>{r}</li>
        ))}
      </ul>
      {checks.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>Check</th>
              <th>Value</th>
              <th>Limit</th>
              <th>Passed</th>
              <th>What it says</th>
            </tr>
          </thead>
          <tbody>
            {checks.map((c) => (
              <tr key={c.name}>
                <td>{words(c.name)}</td>
                <td class="number">{value(c.value, c.unit)}</td>
                <td class="number">{value(c.limit, c.unit)}</td>
                <td class={c.passed ? "good" : "bad"}>{c.passed ? "yes" : "no"}</td>
                <td>{c.sentence}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </details>
  );
}

function Figures({ list }: { list: Figure[] }) {
  return (
    <table class="figures">
      <thead>
        <tr>
          <th>Figure</th>
          <th>Value</th>
          <th>Error</th>
          <th>Trust</th>
        </tr>
      </thead>
      <tbody>
        {list.map((f) => (
          <tr key={f.name}>
            <td title={f.method}>{words(f.name)}</td>
            <td class="number">{f.value === null ? "undefined" : value(f.value, f.unit)}</td>
            <td class="number" title={f.coverage}>
              {f.error === null ? "not known" : "± " + value(f.error, f.unit)}
            </td>
            <td title={f.reasons.join(" ")}>
              <span class={"badge " + f.trust}>{f.trust}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const value = (v: number | null | undefined, unit = ""): string =>
  typeof v === "number" ? quantity(v, unit === "1" ? "" : unit) : "";

interface Row {
  name: string;
  text: string;
}

/** Quantities are single values, with unit and place where they have one. */
function Quantities({ body }: { body: Bag }) {
  const rows: Row[] = [];
  const groups: [string, Row[]][] = [];
  for (const [name, v] of Object.entries(body)) {
    if (apart.has(name) || /_(url|file|path)$/.test(name)) continue;
    if (typeof v === "number") rows.push({ name, text: num(v, 6) });
    else if (typeof v === "boolean") rows.push({ name, text: v ? "yes" : "no" });
    else if (typeof v === "string" && v.length < 80) rows.push({ name, text: v });
    else if (Array.isArray(v) && v.length <= 4 && v.length > 0 && v.every((x) => typeof x === "number"))
      rows.push({ name, text: "(" + v.map((x) => num(x as number, 6)).join(", ") + ")" });
    else if (isBag(v)) {
      const more = inner(name, v);
      if (more.length > 5) groups.push([name, more.map((r) => ({ ...r, name: r.name.slice(name.length + 1) }))]);
      else rows.push(...more);
    }
  }
  return (
    <>
      {rows.length > 0 && <Rows rows={rows} />}
      {groups.map(([name, list]) => (
        <Lazy key={name} title={words(name)}>
          {() => <Rows rows={list} />}
        </Lazy>
      ))}
    </>
  );
}

function Rows({ rows }: { rows: Row[] }) {
  return (
    <dl class="quantities">
      {rows.map((r) => (
        <div key={r.name}>
          <dt>{words(r.name)}</dt>
          <dd>{r.text}</dd>
        </div>
      ))}
    </dl>
  );
}

function inner(name: string, v: Bag): Row[] {
  const unit = typeof v.unit === "string" ? v.unit : "";
  const at = Array.isArray(v.at) ? " at (" + v.at.map((x) => num(Number(x), 4)).join(", ") + ")" : "";
  if (typeof v.value === "number") return [{ name, text: value(v.value, unit) + at }];
  const measured = /^(max|min|mean|median|rms|p\d+)$/; // others may be ratios
  if (unit)
    return Object.entries(v)
      .filter(([, x]) => typeof x === "number")
      .map(([k, x]) => ({
        name: name + " " + k,
        text: (measured.test(k) ? value(x as number, unit) : num(x as number, 6)) + (k === "max" ? at : ""),
      }));
  if (typeof v.max === "number" && typeof v.min === "number")
    return [{ name, text: `${value(v.min, unit)} … ${value(v.max, unit)}${at}` }];
  return Object.entries(v)
    .filter(([, x]) => typeof x === "number")
    .slice(0, 40)
    .map(([k, x]) => ({ name: name + " " + k, text: num(x as number, 6) }));
}

/** Tables are lists of records. */
function Tables({ body }: { body: Bag }) {
  const lists = Object.entries(body).filter(
    ([name, v]) => (!apart.has(name) || name === "fields") && Array.isArray(v) && v.length > 0 && v.every(isBag),
  ) as [string, Bag[]][];
  return (
    <>
      {lists.map(([name, rows]) => (
        <Lazy key={name} title={`${words(name)} (${rows.length})`}>
          {() => <Records rows={rows.slice(0, 200)} label={words(name)} />}
        </Lazy>
      ))}
    </>
  );
}

function Records({ rows, label }: { rows: Bag[]; label: string }) {
  const columns = [...new Set(rows.flatMap((r) => Object.keys(r)))]
    .filter((c) => rows.some((r) => cell(r[c]) !== ""))
    .slice(0, 10);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map((c) => (
              <th key={c}>{words(c)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((r, i) => (
            <tr key={i}>
              {columns.map((c) => (
                <td key={c} class={typeof r[c] === "number" ? "number" : ""}>
                  {cell(r[c])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function cell(v: unknown): string {
  if (typeof v === "number") return num(v, 5);
  if (typeof v === "string") return v.startsWith("/v1/") ? "" : v;
  if (typeof v === "boolean") return v ? "yes" : "no";
  if (Array.isArray(v) && v.length <= 4 && v.every((x) => typeof x === "number"))
    return "(" + v.map((x) => num(x as number)).join(", ") + ")";
  return "";
}

function Artifacts({ result }: { result: ToolResult }) {
  const all = result.artifacts ?? [];
  if (!all.length) return null;
  const pictures = all.filter((a) => /^image\/(png|jpeg)/.test(a.mime_type));
  return (
    <>
      {pictures.map((p) => (
        <figure key={p.path} class="picture">
          <Picture url={p.path} alt={p.name} />
        </figure>
      ))}
      <ul class="artifacts">
        {all.map((a) => (
          <li key={a.path}>
            <Download url={a.path} name={a.name}>
              {a.name}
            </Download>{" "}
            <span class="faint">{bytes(a.bytes)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
