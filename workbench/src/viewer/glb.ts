// Binary glTF 2.0: triangles with their scalars. Of the file's looks nothing is
// kept, since the view colours by fields.
import type { Field } from "./model";
import { rangesOf } from "./model";
import type { Surface } from "./text";

interface Accessor {
  bufferView?: number;
  byteOffset?: number;
  componentType: number;
  count: number;
  type: string;
}

interface Document {
  asset?: { extras?: { atelier?: Notes } };
  extensionsRequired?: string[];
  scene?: number;
  scenes?: { nodes?: number[] }[];
  nodes?: {
    mesh?: number;
    children?: number[];
    matrix?: number[];
    translation?: number[];
    rotation?: number[];
    scale?: number[];
  }[];
  meshes?: {
    primitives: {
      attributes: Record<string, number>;
      indices?: number;
      mode?: number;
      targets?: { POSITION?: number }[];
    }[];
  }[];
  accessors?: Accessor[];
  bufferViews?: { byteOffset?: number; byteLength: number; byteStride?: number }[];
}

/** Notes that the server's renderer writes into a file. */
interface Notes {
  length_unit?: string;
  field?: { name?: string; component?: string; unit?: string };
  warp?: { field?: string; unit?: string };
}

const sizes: Record<string, number> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };

class File {
  readonly doc: Document;
  private readonly data: DataView;

  constructor(bytes: Uint8Array) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (bytes.length < 20 || view.getUint32(0, true) !== 0x46546c67) throw new Error("This is no binary glTF file.");
    const length = view.getUint32(12, true);
    this.doc = JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + length))) as Document;
    if (this.doc.extensionsRequired?.length)
      throw new Error("The file needs " + this.doc.extensionsRequired.join(", ") + ", which the view does not read.");
    this.data = new DataView(bytes.buffer, bytes.byteOffset + 20 + length + 8);
  }

  /** read gives an accessor's numbers. */
  read(index: number): { components: number; values: Float32Array } {
    const a = this.doc.accessors![index];
    const components = sizes[a.type] ?? 1;
    const values = new Float32Array(a.count * components);
    if (a.bufferView === undefined) return { components, values };
    const view = this.doc.bufferViews![a.bufferView];
    const base = (view.byteOffset ?? 0) + (a.byteOffset ?? 0);
    const [width, get] = this.reader(a.componentType);
    const stride = view.byteStride ?? width * components;
    for (let i = 0; i < a.count; i++)
      for (let k = 0; k < components; k++) values[i * components + k] = get(base + i * stride + k * width);
    return { components, values };
  }

  indices(index: number): Uint32Array {
    const a = this.doc.accessors![index];
    const view = this.doc.bufferViews![a.bufferView!];
    const base = (view.byteOffset ?? 0) + (a.byteOffset ?? 0);
    const [width, get] = this.reader(a.componentType);
    return Uint32Array.from({ length: a.count }, (_, i) => get(base + i * width));
  }

  private reader(type: number): [number, (at: number) => number] {
    switch (type) {
      case 5120:
        return [1, (at) => this.data.getInt8(at)];
      case 5121:
        return [1, (at) => this.data.getUint8(at)];
      case 5122:
        return [2, (at) => this.data.getInt16(at, true)];
      case 5123:
        return [2, (at) => this.data.getUint16(at, true)];
      case 5125:
        return [4, (at) => this.data.getUint32(at, true)];
    }
    return [4, (at) => this.data.getFloat32(at, true)];
  }
}

type Matrix = number[]; // 4 x 4, by columns
const unit: Matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

function times(a: Matrix, b: Matrix): Matrix {
  return Array.from({ length: 16 }, (_, i) =>
    [0, 1, 2, 3].reduce((s, k) => s + a[k * 4 + (i % 4)] * b[Math.floor(i / 4) * 4 + k], 0),
  );
}

function local(n: NonNullable<Document["nodes"]>[number]): Matrix {
  if (n.matrix) return n.matrix;
  const [x, y, z, w] = n.rotation ?? [0, 0, 0, 1];
  const [sx, sy, sz] = n.scale ?? [1, 1, 1];
  const [tx, ty, tz] = n.translation ?? [0, 0, 0];
  return [
    (1 - 2 * (y * y + z * z)) * sx,
    2 * (x * y + z * w) * sx,
    2 * (x * z - y * w) * sx,
    0,
    2 * (x * y - z * w) * sy,
    (1 - 2 * (x * x + z * z)) * sy,
    2 * (y * z + x * w) * sy,
    0,
    2 * (x * z + y * w) * sz,
    2 * (y * z - x * w) * sz,
    (1 - 2 * (x * x + y * y)) * sz,
    0,
    tx,
    ty,
    tz,
    1,
  ];
}

/** readGLB reads all triangles of the scene, with attributes _NAME as fields. */
export function readGLB(bytes: Uint8Array): { surface: Surface; fields: Field[]; warp?: string } {
  const file = new File(bytes);
  const { doc } = file;
  const notes = doc.asset?.extras?.atelier ?? {};
  const positions: number[][] = [];
  const triangles: number[] = [];
  const extra = new Map<string, { components: number; parts: Float32Array[] }>();
  let base = 0;
  const visit = (index: number, above: Matrix) => {
    const node = doc.nodes![index];
    const m = times(above, local(node));
    for (const p of doc.meshes?.[node.mesh ?? -1]?.primitives ?? []) {
      if ((p.mode ?? 4) !== 4) continue;
      const { values } = file.read(p.attributes.POSITION);
      const count = values.length / 3;
      const moved: number[] = new Array(values.length);
      for (let i = 0; i < count; i++) {
        for (let k = 0; k < 3; k++)
          moved[3 * i + k] =
            m[k] * values[3 * i] + m[4 + k] * values[3 * i + 1] + m[8 + k] * values[3 * i + 2] + m[12 + k];
      }
      positions.push(moved);
      if (p.indices === undefined) for (let i = 0; i < count; i++) triangles.push(base + i);
      else for (const i of file.indices(p.indices)) triangles.push(base + i);
      const keep = (name: string, accessor: number) => {
        const { components, values } = file.read(accessor);
        const known = extra.get(name) ?? { components, parts: [] };
        known.parts.push(values);
        extra.set(name, known);
      };
      for (const [name, accessor] of Object.entries(p.attributes)) if (name.startsWith("_")) keep(name, accessor);
      if (p.targets?.[0]?.POSITION !== undefined) keep("warp", p.targets[0].POSITION);
      base += count;
    }
    for (const child of node.children ?? []) visit(child, m);
  };
  for (const n of doc.scenes?.[doc.scene ?? 0]?.nodes ?? []) visit(n, unit);
  const fields: Field[] = [];
  let warp: string | undefined;
  for (const [name, { components, parts }] of extra) {
    const data = Float32Array.from(parts.flatMap((p) => [...p]));
    if (data.length !== base * components) continue; // not of every part
    let shown = name.replace(/^_/, "").toLowerCase();
    let fieldUnit = "";
    if (name === "_SCALAR") {
      shown = notes.field?.name ?? shown;
      fieldUnit = notes.field?.unit ?? "";
    } else if (name === "warp") {
      shown = warp = notes.warp?.field ?? "displacement";
      fieldUnit = notes.length_unit ?? "";
    }
    fields.push({ name: shown, unit: fieldUnit, components, cell: false, data, ranges: rangesOf(data, components) });
  }
  const all = new Float32Array(base * 3);
  positions.reduce((at, p) => (all.set(p, at), at + p.length), 0);
  return {
    surface: {
      positions: all,
      triangles: Uint32Array.from(triangles),
      groupNames: {},
      lengthUnit: notes.length_unit ?? "",
    },
    fields,
    warp,
  };
}
