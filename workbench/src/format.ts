// Numbers, sizes and times as an engineer reads them.

const prefixes: [number, string][] = [
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
  [1e-3, "m"],
  [1e-6, "µ"],
  [1e-9, "n"],
];

/** Units that take SI prefixes; others are shown with a power of ten. */
const prefixed = new Set(["Pa", "m", "N", "W", "J", "V", "A", "Hz", "s", "m/s", "Ohm", "F", "H"]);

export interface Scale {
  factor: number; // shown value = value * factor
  unit: string;
}

/** scaleFor chooses the prefix under which values up to max read best. */
export function scaleFor(max: number, unit: string): Scale {
  const size = Math.abs(max);
  if (!prefixed.has(unit) || size === 0 || !Number.isFinite(size)) return { factor: 1, unit };
  for (const [p, name] of prefixes) if (size >= p * 0.9995) return { factor: 1 / p, unit: name + unit };
  return { factor: 1, unit };
}

/** num writes a number with so many significant digits. */
export function num(v: number, digits = 4): string {
  if (!Number.isFinite(v)) return String(v);
  const size = Math.abs(v);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return v.toExponential(digits - 1).replace("e+", "e");
  return String(Number(v.toPrecision(digits)));
}

/** quantity writes a value with the unit's best prefix. */
export function quantity(v: number, unit: string, digits = 4): string {
  const s = scaleFor(v, unit);
  return num(v * s.factor, digits) + (s.unit ? " " + s.unit : "");
}

export function bytes(n: number): string {
  if (n < 1000) return n + " B";
  for (const unit of ["kB", "MB", "GB", "TB"]) {
    n /= 1000;
    if (n < 999.5 || unit === "TB") return num(n, 3) + " " + unit;
  }
  return "";
}

export function duration(ms: number): string {
  if (ms < 1000) return Math.round(ms) + " ms";
  if (ms < 60000) return num(ms / 1000, 3) + " s";
  return Math.floor(ms / 60000) + " min " + Math.round((ms % 60000) / 1000) + " s";
}

export function time(iso: string | undefined): string {
  if (!iso) return "";
  const t = new Date(iso);
  const today = new Date().toDateString() === t.toDateString();
  return today ? t.toLocaleTimeString() : t.toLocaleDateString() + " " + t.toLocaleTimeString();
}

/** words makes a label of an identifier: von_mises -> von mises. */
export const words = (name: string): string => name.replaceAll("_", " ");
