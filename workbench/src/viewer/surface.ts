// Boundary surfaces and plane sections of volume meshes. Node orders are those
// of VTK's cell types.
import { HashTable } from "./edges";
import type { Section } from "./model";
import { valueAt } from "./model";

/** Faces of a cell, as corners, and for quadratic cells the node between each two corners. */
interface CellKind {
  dim: number;
  faces: number[][];
  mids?: number[][];
  tets: number[][]; // the cell's corners as tetrahedra
}

const tetFaces = [
  [0, 2, 1],
  [0, 1, 3],
  [1, 2, 3],
  [0, 3, 2],
];
const hexFaces = [
  [0, 3, 2, 1],
  [4, 5, 6, 7],
  [0, 1, 5, 4],
  [1, 2, 6, 5],
  [2, 3, 7, 6],
  [3, 0, 4, 7],
];
const hexTets = [
  [0, 1, 3, 4],
  [1, 2, 3, 6],
  [1, 5, 6, 4],
  [3, 6, 7, 4],
  [1, 6, 3, 4],
];
const wedge: CellKind = {
  dim: 3,
  faces: [
    [0, 1, 2],
    [3, 5, 4],
    [0, 3, 4, 1],
    [1, 4, 5, 2],
    [2, 5, 3, 0],
  ],
  tets: [
    [0, 1, 2, 3],
    [1, 2, 3, 4],
    [2, 3, 4, 5],
  ],
};
const tet: CellKind = { dim: 3, faces: tetFaces, tets: [[0, 1, 2, 3]] };
const quadraticTet: CellKind = {
  ...tet,
  mids: [
    [6, 5, 4],
    [4, 8, 7],
    [5, 9, 8],
    [7, 9, 6],
  ],
};
const hex: CellKind = { dim: 3, faces: hexFaces, tets: hexTets };
const pyramid: CellKind = {
  dim: 3,
  faces: [
    [0, 3, 2, 1],
    [0, 1, 4],
    [1, 2, 4],
    [2, 3, 4],
    [3, 0, 4],
  ],
  tets: [
    [0, 1, 2, 4],
    [0, 2, 3, 4],
  ],
};
const triangle: CellKind = { dim: 2, faces: [[0, 1, 2]], tets: [] };
const quadraticTriangle: CellKind = { ...triangle, mids: [[3, 4, 5]] };
const quad: CellKind = { dim: 2, faces: [[0, 1, 2, 3]], tets: [] };

/** Kinds by VTK cell type and number of nodes; of higher orders the corners are taken. */
export function kindOf(type: number, nodes: number): CellKind | undefined {
  switch (type) {
    case 5:
      return triangle;
    case 22:
    case 69:
      return nodes === 6 ? quadraticTriangle : triangle;
    case 9:
    case 23:
    case 28:
    case 70:
      return quad;
    case 10:
      return tet;
    case 24:
    case 71:
      return nodes === 10 ? quadraticTet : tet;
    case 12:
    case 25:
    case 29:
    case 72:
      return hex;
    case 13:
    case 26:
    case 32:
    case 73:
      return wedge;
    case 14:
    case 27:
    case 74:
      return pyramid;
  }
  return undefined; // points and lines have no surface
}

/** Volume is a mesh of cells with fields on its points and cells. */
export interface Volume {
  points: Float32Array;
  connectivity: ArrayLike<number>;
  offsets: ArrayLike<number>; // the end of each cell
  types: ArrayLike<number>;
  fields: { name: string; components: number; cell: boolean; data: Float32Array }[];
}

/** Boundary: triangles of the volume's points, the cell of each, and the edges of its faces. */
export interface Boundary {
  triangles: number[];
  cellOf: number[];
  edges: number[];
}

/** boundary finds the faces that one cell alone has; cells of surfaces are taken whole. */
export function boundary(v: Volume): Boundary {
  const cells = v.types.length;
  let faces = 0;
  for (let c = 0; c < cells; c++) faces += kindOf(v.types[c], size(v, c))?.faces.length ?? 0;
  const table = new HashTable(faces);
  const twice = new Uint8Array(faces);
  const key = new Int32Array(3);
  const visit = (each: (cell: number, start: number, kind: CellKind, f: number, index: number) => void) => {
    for (let c = 0, index = 0; c < cells; c++) {
      const start = c ? v.offsets[c - 1] : 0;
      const kind = kindOf(v.types[c], v.offsets[c] - start);
      if (!kind) continue;
      for (let f = 0; f < kind.faces.length; f++) each(c, start, kind, f, index++);
    }
  };
  visit((_, start, kind, f, index) => {
    if (kind.dim < 3) return;
    smallest(v, start, kind.faces[f], key);
    const other = table.find(key[0], key[1], key[2], index);
    if (other !== index) twice[other] = twice[index] = 1;
  });
  const out: Boundary = { triangles: [], cellOf: [], edges: [] };
  const solid = Array.prototype.some.call(v.types, (t: number, c: number) => kindOf(t, size(v, c))?.dim === 3);
  visit((cell, start, kind, f, index) => {
    if (twice[index] || (solid && kind.dim < 3)) return;
    addFace(out, v, cell, start, kind, f);
  });
  return out;
}

/** smallest sorts the three smallest of a face's three or four nodes into key: no two faces of a mesh share them. */
function smallest(v: Volume, start: number, face: number[], key: Int32Array): void {
  let a = v.connectivity[start + face[0]];
  let b = v.connectivity[start + face[1]];
  let c = v.connectivity[start + face[2]];
  if (a > b) [a, b] = [b, a];
  if (b > c) [b, c] = [c, b];
  if (a > b) [a, b] = [b, a];
  if (face.length === 4) {
    const d = v.connectivity[start + face[3]];
    if (d < c) c = d;
    if (b > c) [b, c] = [c, b];
    if (a > b) [a, b] = [b, a];
  }
  key[0] = a;
  key[1] = b;
  key[2] = c;
}

const size = (v: Volume, cell: number): number => v.offsets[cell] - (cell ? v.offsets[cell - 1] : 0);

function addFace(out: Boundary, v: Volume, cell: number, start: number, kind: CellKind, f: number): void {
  const n = kind.faces[f].map((k) => v.connectivity[start + k]);
  const m = kind.mids?.[f].map((k) => v.connectivity[start + k]);
  const tri = (a: number, b: number, c: number) => {
    out.triangles.push(a, b, c);
    out.cellOf.push(cell);
  };
  if (m) {
    tri(n[0], m[0], m[2]);
    tri(m[0], n[1], m[1]);
    tri(m[2], m[1], n[2]);
    tri(m[0], m[1], m[2]);
  } else {
    tri(n[0], n[1], n[2]);
    if (n.length === 4) tri(n[0], n[2], n[3]);
  }
  for (let i = 0; i < n.length; i++) {
    const j = (i + 1) % n.length;
    if (m) out.edges.push(n[i], m[i], m[i], n[j]);
    else out.edges.push(n[i], n[j]);
  }
}

/** Cut is a plane n·x = d and what is wanted on it. */
export interface Cut {
  normal: [number, number, number];
  offset: number;
  data?: Float32Array;
  components: number;
  component: number;
  cell: boolean;
  moved: Float32Array; // the points, deformed as they are shown
}

/** section cuts the cells, as tetrahedra, by a plane. */
export function section(v: Volume, cut: Cut): Section {
  const [nx, ny, nz] = cut.normal;
  const p = cut.moved;
  const count = p.length / 3;
  const d = new Float32Array(count);
  for (let i = 0; i < count; i++) d[i] = nx * p[3 * i] + ny * p[3 * i + 1] + nz * p[3 * i + 2] - cut.offset;
  const positions: number[] = [];
  const values: number[] = [];
  const value = (i: number) => (cut.data ? valueAt(cut.data, cut.components, i, cut.component) : 0);
  const put = (cell: number, a: number, b: number) => {
    const t = d[a] / (d[a] - d[b]);
    for (let k = 0; k < 3; k++) positions.push(p[3 * a + k] + t * (p[3 * b + k] - p[3 * a + k]));
    values.push(cut.cell ? value(cell) : value(a) + t * (value(b) - value(a)));
  };
  for (let c = 0; c < v.types.length; c++) {
    const start = c ? v.offsets[c - 1] : 0;
    const kind = kindOf(v.types[c], v.offsets[c] - start);
    for (const corners of kind?.tets ?? []) {
      const up: number[] = [];
      const down: number[] = [];
      for (const k of corners) {
        const i = v.connectivity[start + k];
        (d[i] >= 0 ? up : down).push(i);
      }
      if (!up.length || !down.length) continue;
      if (up.length === 2) {
        put(c, up[0], down[0]);
        put(c, up[0], down[1]);
        put(c, up[1], down[1]);
        put(c, up[0], down[0]);
        put(c, up[1], down[1]);
        put(c, up[1], down[0]);
      } else {
        const [lone, rest] = up.length === 1 ? [up[0], down] : [down[0], up];
        for (const other of rest) put(c, lone, other);
      }
    }
  }
  return { positions: Float32Array.from(positions), values: Float32Array.from(values) };
}
