// Geometry as text: OBJ, MFEM meshes; and STL in both forms.
import type { Volume } from "./surface";

export interface Surface {
  positions: Float32Array;
  triangles: Uint32Array;
  groups?: Int32Array;
  groupNames: Record<number, string>;
  lengthUnit: string;
}

/** Notes that the server's tools write into meshes: unit and names of faces. */
function notes(text: string): { lengthUnit: string; groupNames: Record<number, string> } {
  const line = /^# atelier (\{.*\})/m.exec(text.slice(0, 1 << 20));
  const names: Record<number, string> = {};
  if (!line) return { lengthUnit: "", groupNames: names };
  try {
    const note = JSON.parse(line[1]) as { length_unit?: string; faces?: { id: number; name?: string }[] };
    for (const f of note.faces ?? []) if (f.name) names[f.id] = f.name;
    return { lengthUnit: note.length_unit ?? "", groupNames: names };
  } catch {
    return { lengthUnit: "", groupNames: names };
  }
}

/** readOBJ reads vertices and polygons; a group face_N is the CAD face N. */
export function readOBJ(text: string): Surface {
  const positions: number[] = [];
  const triangles: number[] = [];
  const groups: number[] = [];
  let group = 0;
  let any = false;
  for (const line of text.split("\n")) {
    if (line.startsWith("v ")) {
      const w = line.trim().split(/\s+/);
      positions.push(+w[1], +w[2], +w[3]);
    } else if (line.startsWith("f ")) {
      const corner = line
        .trim()
        .split(/\s+/)
        .slice(1)
        .map((w) => {
          const i = parseInt(w, 10);
          return i < 0 ? positions.length / 3 + i : i - 1;
        });
      for (let k = 2; k < corner.length; k++) {
        triangles.push(corner[0], corner[k - 1], corner[k]);
        groups.push(group);
      }
    } else if (line.startsWith("g ")) {
      const id = /face_(\d+)/.exec(line);
      group = id ? Number(id[1]) : 0;
      any ||= group > 0;
    }
  }
  return {
    positions: Float32Array.from(positions),
    triangles: Uint32Array.from(triangles),
    groups: any ? Int32Array.from(groups) : undefined,
    ...notes(text),
  };
}

/** readSTL reads binary and ASCII STL; the attribute bytes of binary ones may name CAD faces. */
export function readSTL(bytes: Uint8Array): Surface {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = bytes.length >= 84 ? view.getUint32(80, true) : -1;
  if (bytes.length === 84 + 50 * count) {
    const positions = new Float32Array(count * 9);
    const groups = new Int32Array(count);
    let any = false;
    for (let i = 0; i < count; i++) {
      for (let k = 0; k < 9; k++) positions[9 * i + k] = view.getFloat32(96 + 50 * i + 4 * k, true);
      groups[i] = view.getUint16(132 + 50 * i, true);
      any ||= groups[i] > 0;
    }
    return {
      positions,
      triangles: Uint32Array.from({ length: count * 3 }, (_, i) => i),
      groups: any ? groups : undefined,
      groupNames: {},
      lengthUnit: "",
    };
  }
  const numbers: number[] = [];
  for (const m of new TextDecoder().decode(bytes).matchAll(/vertex\s+(\S+)\s+(\S+)\s+(\S+)/g))
    numbers.push(+m[1], +m[2], +m[3]);
  if (!numbers.length) throw new Error("The file holds no triangle.");
  return {
    positions: Float32Array.from(numbers),
    triangles: Uint32Array.from({ length: numbers.length / 3 }, (_, i) => i),
    groupNames: {},
    lengthUnit: "",
  };
}

/** VTK's cell types by MFEM's geometry numbers. */
const geometries: Record<number, [number, number]> = {
  2: [5, 3],
  3: [9, 4],
  4: [10, 4],
  5: [12, 8],
  6: [13, 6],
  7: [14, 5],
};

const tetrahedron = 4; // MFEM's geometry
const quadraticTetrahedron = 24; // VTK's cell type
const edgesOfMFEM = [
  [0, 1],
  [0, 2],
  [0, 3],
  [1, 2],
  [1, 3],
  [2, 3],
];
const edgesOfVTK = [
  [0, 1],
  [1, 2],
  [0, 2],
  [0, 3],
  [1, 3],
  [2, 3],
];

/** readNodes reads where the nodes of curved elements lie: those of the vertices first. */
function readNodes(lines: string[]): { points: Float32Array; order: number } | undefined {
  const at = lines.findIndex((l) => l.trim() === "nodes");
  if (at < 0) return undefined;
  const head = lines.slice(at + 1, at + 8);
  const value = (key: string) =>
    head
      .find((l) => l.startsWith(key + ":"))
      ?.slice(key.length + 1)
      .trim() ?? "";
  const order = /^H1_\dD_P(\d+)$/.exec(value("FiniteElementCollection"));
  if (!order)
    throw new Error(`Curved elements of the kind "${value("FiniteElementCollection")}" are shown after a solve.`);
  const dim = Number(value("VDim"));
  const from = lines.findIndex((l, i) => i > at && l.startsWith("Ordering:")) + 1;
  const numbers = lines.slice(from).join(" ").trim().split(/\s+/).map(Number);
  const count = numbers.length / dim;
  const points = new Float32Array(3 * count);
  const together = value("Ordering") === "1"; // the coordinates of a node
  for (let i = 0; i < count; i++)
    for (let k = 0; k < dim; k++) points[3 * i + k] = numbers[together ? i * dim + k : k * count + i];
  return { points, order: Number(order[1]) };
}

export interface MFEMMesh {
  volume: Volume;
  lengthUnit: string;
  groupNames: Record<number, string>;
  boundary: { triangles: number[]; groups: number[]; edges: number[] };
}

/** readMFEM reads a mesh in MFEM's own format, with its boundary attributes. */
export function readMFEM(text: string): MFEMMesh {
  const lines = text.split("\n");
  if (!lines[0].startsWith("MFEM mesh")) throw new Error("This is no mesh in MFEM's format.");
  const section = (name: string): number => {
    const at = lines.findIndex((l) => l.trim() === name);
    if (at < 0) throw new Error(`The mesh has no section "${name}".`);
    return at + 1;
  };
  const rows = (name: string): number[][] => {
    const at = section(name);
    return lines.slice(at + 1, at + 1 + Number(lines[at])).map((l) => l.trim().split(/\s+/).map(Number));
  };
  const vertices = section("vertices");
  const count = Number(lines[vertices]);
  const curved = readNodes(lines);
  const points = curved?.points ?? new Float32Array(count * 3);
  const dim = Number(lines[vertices + 1]);
  for (let i = 0; i < count && !curved; i++)
    lines[vertices + 2 + i]
      .trim()
      .split(/\s+/)
      .forEach((w, k) => k < dim && (points[3 * i + k] = Number(w)));
  const middles = new Map<string, number>(); // the node on an edge, by its ends
  const middle = (a: number, b: number) => middles.get(a < b ? `${a} ${b}` : `${b} ${a}`);
  const connectivity: number[] = [];
  const offsets: number[] = [];
  const types: number[] = [];
  const attributes: number[] = [];
  const elements = rows("elements");
  const quadratic = curved?.order === 2 && elements.every((e) => e[1] === tetrahedron);
  for (const [attribute, geometry, ...nodes] of elements) {
    const known = geometries[geometry];
    if (!known) continue;
    const corners = nodes.slice(0, known[1]);
    for (const v of corners) connectivity.push(v);
    if (quadratic) {
      // MFEM numbers edges as elements name them for the first time.
      for (const [i, j] of edgesOfMFEM) {
        const [a, b] = [corners[i], corners[j]];
        if (middle(a, b) === undefined) middles.set(a < b ? `${a} ${b}` : `${b} ${a}`, count + middles.size);
      }
      for (const [i, j] of edgesOfVTK) connectivity.push(middle(corners[i], corners[j])!);
    }
    offsets.push(connectivity.length);
    types.push(quadratic ? quadraticTetrahedron : known[0]);
    attributes.push(attribute);
  }
  const out: MFEMMesh["boundary"] = { triangles: [], groups: [], edges: [] };
  for (const [attribute, geometry, ...n] of rows("boundary")) {
    if (geometry !== 2 && geometry !== 3) continue;
    const m = geometry === 3 ? 4 : 3;
    const mids = Array.from({ length: m }, (_, k) => middle(n[k], n[(k + 1) % m]));
    if (quadratic && m === 3 && mids.every((v) => v !== undefined)) {
      const [a, b, c] = mids;
      out.triangles.push(n[0], a, c, a, n[1], b, c, b, n[2], a, b, c);
      out.groups.push(attribute, attribute, attribute, attribute);
      mids.forEach((v, k) => out.edges.push(n[k], v, v, n[(k + 1) % m]));
      continue;
    }
    out.triangles.push(n[0], n[1], n[2]);
    out.groups.push(attribute);
    if (geometry === 3) {
      out.triangles.push(n[0], n[2], n[3]);
      out.groups.push(attribute);
    }
    for (let k = 0; k < m; k++) out.edges.push(n[k], n[(k + 1) % m]);
  }
  const fields =
    new Set(attributes).size > 1
      ? [{ name: "material attribute", components: 1, cell: true, data: Float32Array.from(attributes) }]
      : [];
  return { volume: { points, connectivity, offsets, types, fields }, boundary: out, ...notes(text) };
}
