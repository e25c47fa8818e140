// What the 3-D view draws: a surface with fields, whatever format it came from.

/** Field on a surface: per vertex, or per triangle where cell is set. */
export interface Field {
  name: string;
  unit: string;
  components: number;
  cell: boolean;
  data: Float32Array;
  /** Range over the whole body by component; the last is that of the magnitude. */
  ranges: [number, number][];
}

/** Model is a triangle surface; of a volume mesh, its boundary. */
export interface Model {
  positions: Float32Array; // x, y, z by vertex
  triangles: Uint32Array; // 3 vertices each
  normals: Float32Array; // by corner of each triangle
  featureEdges: Uint32Array; // vertices, two by two
  meshEdges: Uint32Array;
  groups?: Int32Array; // face id by triangle
  groupNames: Record<number, string>;
  fields: Field[];
  lengthUnit: string;
  cells: number; // of the volume mesh, 0 of a surface
  warp?: string; // the field that says how points move
}

/** Names of the choices for a field's component. */
export function componentNames(components: number): string[] {
  if (components === 1) return [""];
  if (components === 6) return ["xx", "yy", "zz", "xy", "yz", "xz", "magnitude"];
  if (components === 9) return ["xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz", "magnitude"];
  return [...["x", "y", "z", "w"].slice(0, components), "magnitude"];
}

/** valueAt is a component of a tuple, or its magnitude. */
export function valueAt(data: ArrayLike<number>, components: number, tuple: number, component: number): number {
  const at = tuple * components;
  if (component < components) return data[at + component];
  let sum = 0;
  for (let k = 0; k < components; k++) sum += data[at + k] * data[at + k];
  return Math.sqrt(sum);
}

/** rangesOf finds the range of each component and of the magnitude. */
export function rangesOf(data: ArrayLike<number>, components: number): [number, number][] {
  const ranges: [number, number][] = [];
  const tuples = data.length / components;
  for (let c = 0; c <= (components === 1 ? 0 : components); c++) {
    let lo = Infinity;
    let hi = -Infinity;
    for (let i = 0; i < tuples; i++) {
      const v = valueAt(data, components, i, c);
      if (v < lo) lo = v;
      if (v > hi) hi = v;
    }
    ranges.push(lo <= hi ? [lo, hi] : [0, 0]);
  }
  return ranges;
}

/** Section is what a plane cuts out of a volume: triangles with their values. */
export interface Section {
  positions: Float32Array;
  values: Float32Array;
}

/** SectionRequest names the plane (n·x = d) and what is shown. */
export interface SectionRequest {
  normal: [number, number, number];
  offset: number;
  field?: string;
  component: number;
  warp?: string;
  scale: number;
}

export type Ask =
  { id: number; load: { format: string; content: ArrayBuffer } } | { id: number; section: SectionRequest };

export type Answer = { id: number; model?: Model; section?: Section; error?: string };
