// Curves of a result, with the numbers beside them.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { request } from "../api";
import { num, words } from "../format";
import type { Artifact } from "../types";

export interface Curve {
  name: string;
  unit: string;
  xName: string;
  xUnit: string;
  x: number[];
  y: (number | null)[];
  /** A CSV file with all points, where the result holds a part of them. */
  csv?: string;
}

type Bag = Record<string, unknown>;
const numbers = (v: unknown): v is number[] =>
  Array.isArray(v) && v.length > 2 && v.every((x) => typeof x === "number" || x === null);

/** curves finds what can be plotted: series, vectors over time or frequency, histories. */
export function curves(body: Bag, artifacts: Artifact[]): Curve[] {
  const csv = artifacts.find((a) => a.name.endsWith(".csv") && a.bytes < 8e6)?.path;
  const found: Curve[] = [];
  if (Array.isArray(body.series)) {
    for (const s of body.series as Bag[]) {
      if (!numbers(s.x) || !numbers(s.y)) continue;
      found.push({
        name: String(s.probe ?? s.name ?? "y"),
        unit: String(s.unit ?? ""),
        xName: String(s.x_name ?? "x"),
        xUnit: String(s.x_unit ?? ""),
        x: s.x,
        y: s.y,
        csv,
      });
    }
  }
  if (typeof body.vectors === "object" && body.vectors) {
    const vectors = Object.entries(body.vectors as Bag).filter(([, v]) => numbers(v)) as [string, number[]][];
    const base = vectors.find(([n]) => /^(time|frequency|sweep)/.test(n));
    for (const [name, y] of vectors)
      if (base && name !== base[0] && y.length === base[1].length)
        found.push({ name, unit: "", xName: base[0], xUnit: base[0] === "time" ? "s" : "Hz", x: base[1], y });
  }
  for (const [key, v] of Object.entries(body)) {
    if (key === "series" || !Array.isArray(v) || v.length < 4) continue;
    const first = v[0] as Bag;
    const axis =
      first && typeof first === "object"
        ? ["time", "t", "iteration", "step", "level", "unknowns", "dofs"].find((a) => typeof first[a] === "number")
        : undefined;
    if (!axis) continue;
    for (const name of Object.keys(first)) {
      if (name === axis || typeof first[name] !== "number") continue;
      found.push({
        name: words(key) + " " + words(name),
        unit: "",
        xName: axis,
        xUnit: axis === "time" || axis === "t" ? "s" : "",
        x: (v as Bag[]).map((r) => Number(r[axis])),
        y: (v as Bag[]).map((r) => Number(r[name])),
      });
    }
  }
  return found;
}

/** Plots draws curves with the same abscissa and unit together. */
export function Plots({ curves }: { curves: Curve[] }) {
  const groups = new Map<string, Curve[]>();
  for (const c of curves) {
    const key = [c.xName, c.xUnit, c.unit].join(" ");
    groups.set(key, [...(groups.get(key) ?? []), c]);
  }
  return (
    <>
      {[...groups].map(([key, list]) => (
        <PlotBox key={key} curves={list} />
      ))}
    </>
  );
}

export interface ChartProps {
  curves: Curve[];
  logX: boolean;
  logY: boolean;
}

/** table reads a CSV file of numbers. */
async function table(url: string): Promise<{ head: string[]; rows: number[][] }> {
  const lines = (await (await request(url)).text()).trim().split("\n");
  const head = [...lines[0].matchAll(/"([^"]*)"|[^,]+/g)].map((m) => (m[1] ?? m[0]).trim());
  return { head, rows: lines.slice(1).map((l) => l.split(",").map(Number)) };
}

/** Histories plots CSV files whose first column grows: what happened over time or over iterations. */
export function Histories({ artifacts }: { artifacts: Artifact[] }) {
  const files = artifacts.filter((a) => a.name.endsWith(".csv") && a.bytes < 8e6);
  const [list, setList] = useState<Curve[]>([]);
  useEffect(() => {
    let gone = false;
    void Promise.all(files.map((f) => history(f).catch(() => []))).then((all) => gone || setList(all.flat()));
    return () => {
      gone = true;
    };
  }, []);
  return list.length ? <Plots curves={list} /> : null;
}

async function history(file: Artifact): Promise<Curve[]> {
  const { head, rows } = await table(file.path);
  const grows =
    rows.length > 2 &&
    rows.every((r, i) => r.length === head.length && r.every(Number.isFinite) && (i === 0 || r[0] > rows[i - 1][0]));
  if (!grows) return [];
  // A column time_s is the time in s.
  const split = (h: string) => /^(.+)_([A-Za-z%/0-9^]{1,6})$/.exec(h)?.slice(1) ?? [h, ""];
  const [xName, xUnit] = split(head[0]);
  return head.slice(1).map((h, i) => ({
    name: split(h)[0],
    unit: split(h)[1],
    xName,
    xUnit,
    x: rows.map((r) => r[0]),
    y: rows.map((r) => r[i + 1]),
  }));
}

/** full reads all points of curves from their CSV file. */
async function full(list: Curve[]): Promise<Curve[]> {
  const url = list[0].csv;
  if (!url) return list;
  const { head, rows } = await table(url);
  const column = (name: string) =>
    head.findIndex((h) => h === name || h.startsWith(name + " ") || h.startsWith(name + "["));
  const x = column(list[0].xName);
  if (x < 0) return list;
  return list.map((c) => {
    const y = column(c.name);
    return y < 0 ? c : { ...c, x: rows.map((r) => r[x]), y: rows.map((r) => r[y]) };
  });
}

function PlotBox({ curves: given }: { curves: Curve[] }) {
  const [Chart, setChart] = useState<ComponentType<ChartProps>>();
  const [list, setList] = useState(given);
  const first = list[0];
  const [logX, setLogX] = useState(first.xName === "frequency");
  const [logY, setLogY] = useState(/residual|error/.test(first.name) || first.xName === "frequency");
  useEffect(() => void import("./chart").then((m) => setChart(() => m.Chart)), []);
  useEffect(() => {
    let gone = false;
    full(given).then(
      (all) => gone || setList(all),
      () => {},
    ); // the file is gone: the result's own points remain
    return () => {
      gone = true;
    };
  }, []);
  const summary = list.map((c) => `${c.name} from ${num(lowest(c.y))} to ${num(highest(c.y))} ${c.unit}`).join("; ");
  return (
    <figure class="plot">
      <div role="img" aria-label={`${summary}, over ${first.xName}`}>
        {Chart && <Chart key={list[0].x.length + " " + logX + logY} curves={list} logX={logX} logY={logY} />}
      </div>
      <figcaption>
        <label class="check">
          <input type="checkbox" checked={logX} onChange={(e) => setLogX(e.currentTarget.checked)} /> log {first.xName}
        </label>
        <label class="check">
          <input type="checkbox" checked={logY} onChange={(e) => setLogY(e.currentTarget.checked)} /> log y
        </label>
      </figcaption>
      <details>
        <summary>Numbers</summary>
        <Numbers curves={given} />
      </details>
    </figure>
  );
}

const lowest = (y: (number | null)[]) => y.reduce<number>((m, v) => (v !== null && v < m ? v : m), Infinity);
const highest = (y: (number | null)[]) => y.reduce<number>((m, v) => (v !== null && v > m ? v : m), -Infinity);

function Numbers({ curves: list }: { curves: Curve[] }) {
  const same = list.filter((c) => c.x.length === list[0].x.length);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Numbers of the plot">
      <table>
        <thead>
          <tr>
            <th>
              {same[0].xName} {same[0].xUnit && `(${same[0].xUnit})`}
            </th>
            {same.map((c) => (
              <th key={c.name}>
                {c.name} {c.unit && `(${c.unit})`}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {same[0].x.slice(0, 500).map((x, i) => (
            <tr key={i}>
              <td class="number">{num(x, 6)}</td>
              {same.map((c) => (
                <td key={c.name} class="number">
                  {c.y[i] === null ? "" : num(c.y[i] as number, 6)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
