// What the user sets in the view, and the look that follows from it.
import { num } from "../format";
import type { Model } from "./model";
import type { Look } from "./scene";

export interface Settings {
  field?: string;
  component: number;
  colormap: string;
  bands: number;
  low?: number; // the user's own range; absent: the field's
  high?: number;
  warp: number; // 0 none, 1 the automatic scale, else a multiple of it
  edges: Look["edges"];
  clip: "" | "x" | "y" | "z";
  clipAt: number; // 0 … 1 along the axis
  flip: boolean;
}

/** initial chooses the first scalar of the fields that the maker names, else the first field. */
export function initial(model: Model, order: string[]): Settings {
  const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  const fields = [...model.fields].sort((a, b) => rank(a.name) - rank(b.name));
  const first =
    fields.find((f) => f.components === 1 && !f.cell) ?? fields.find((f) => f.name !== model.warp) ?? fields[0];
  return {
    field: first?.name,
    component: first && first.components > 1 ? first.components : 0,
    colormap: "viridis",
    bands: 0,
    warp: 0,
    edges: "feature",
    clip: "",
    clipAt: 0.5,
    flip: false,
  };
}

/** rangeOf is the range of colours. */
export function rangeOf(model: Model, s: Settings): [number, number] {
  const field = model.fields.find((f) => f.name === s.field);
  const [lo, hi] = field?.ranges[s.component] ?? [0, 1];
  return [s.low ?? lo, s.high ?? hi];
}

function box(model: Model): [number[], number[]] {
  const lo = [Infinity, Infinity, Infinity];
  const hi = [-Infinity, -Infinity, -Infinity];
  const p = model.positions;
  for (let i = 0; i < p.length; i++) {
    if (p[i] < lo[i % 3]) lo[i % 3] = p[i];
    if (p[i] > hi[i % 3]) hi[i % 3] = p[i];
  }
  return [lo, hi];
}

const boxes = new WeakMap<Model, [number[], number[]]>();

/** boxOf is the box around the undeformed body. */
export function boxOf(model: Model): [number[], number[]] {
  let b = boxes.get(model);
  if (!b) boxes.set(model, (b = box(model)));
  return b;
}

/** autoScale makes the largest movement a tenth of the body's diagonal, as a round number. */
export function autoScale(model: Model): number {
  const field = model.fields.find((f) => f.name === model.warp);
  const largest = field?.ranges[field.components]?.[1] ?? 0;
  if (!largest) return 0;
  const [lo, hi] = boxOf(model);
  const diagonal = Math.hypot(hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]);
  const raw = (0.1 * diagonal) / largest;
  const ten = 10 ** Math.floor(Math.log10(raw));
  return ten * (raw / ten >= 5 ? 5 : raw / ten >= 2 ? 2 : 1);
}

export function lookOf(model: Model, s: Settings, dark: boolean): Look {
  const look: Look = {
    field: s.field,
    component: s.component,
    colormap: s.colormap,
    bands: s.bands,
    range: rangeOf(model, s),
    scale: s.warp * autoScale(model),
    edges: s.edges,
    dark,
  };
  if (s.clip) {
    const k = "xyz".indexOf(s.clip);
    const [lo, hi] = boxOf(model);
    const normal: [number, number, number] = [0, 0, 0];
    normal[k] = s.flip ? -1 : 1;
    look.clip = { normal, offset: normal[k] * (lo[k] + s.clipAt * (hi[k] - lo[k])) };
  }
  return look;
}

/** lengthText writes a point; metres of small parts as millimetres. */
export function lengthText(p: number[], unit: string): string {
  const small = unit === "m" && p.every((x) => Math.abs(x) < 1);
  const shown = p.map((x) => num(Math.abs(x) < 1e-9 ? 0 : small ? x * 1000 : x));
  return `(${shown.join(", ")})` + (unit ? " " + (small ? "mm" : unit) : "");
}
