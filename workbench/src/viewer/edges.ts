// Edges and normals of a triangle surface.

/** Angle beyond which two triangles meet in an edge of the shape. */
const crease = Math.cos((38 * Math.PI) / 180);

function faceNormals(p: Float32Array, t: Uint32Array): Float32Array {
  const normals = new Float32Array(t.length);
  for (let i = 0; i < t.length; i += 3) {
    const a = t[i] * 3;
    const b = t[i + 1] * 3;
    const c = t[i + 2] * 3;
    const ux = p[b] - p[a];
    const uy = p[b + 1] - p[a + 1];
    const uz = p[b + 2] - p[a + 2];
    const vx = p[c] - p[a];
    const vy = p[c + 1] - p[a + 1];
    const vz = p[c + 2] - p[a + 2];
    const x = uy * vz - uz * vy;
    const y = uz * vx - ux * vz;
    const z = ux * vy - uy * vx;
    const l = Math.hypot(x, y, z) || 1;
    normals[i] = x / l;
    normals[i + 1] = y / l;
    normals[i + 2] = z / l;
  }
  return normals;
}

/** weld names vertices at the same place alike, so that formats that repeat them have neighbours. */
export function weld(p: Float32Array): Uint32Array {
  const n = p.length / 3;
  const names = new Uint32Array(n);
  const bits = new Int32Array(p.buffer, p.byteOffset, p.length);
  const table = new HashTable(n);
  for (let i = 0; i < n; i++) {
    names[i] = table.find(bits[3 * i], bits[3 * i + 1], bits[3 * i + 2], i);
  }
  return names;
}

/** HashTable finds a number by three others, by open addressing. */
export class HashTable {
  private readonly slots: Int32Array;
  private readonly mask: number;
  private readonly keys: Int32Array;

  constructor(entries: number) {
    let size = 16;
    while (size < entries * 2) size *= 2;
    this.slots = new Int32Array(size).fill(-1);
    this.keys = new Int32Array(size * 3);
    this.mask = size - 1;
  }

  /** find answers with the value of a key, which becomes value where there was none. */
  find(a: number, b: number, c: number, value: number): number {
    let h = (Math.imul(a, 73856093) ^ Math.imul(b, 19349663) ^ Math.imul(c, 83492791)) >>> 0;
    h ^= h >>> 15;
    for (let i = h & this.mask; ; i = (i + 1) & this.mask) {
      if (this.slots[i] < 0) {
        this.slots[i] = value;
        this.keys[3 * i] = a;
        this.keys[3 * i + 1] = b;
        this.keys[3 * i + 2] = c;
        return value;
      }
      if (this.keys[3 * i] === a && this.keys[3 * i + 1] === b && this.keys[3 * i + 2] === c) return this.slots[i];
    }
  }
}

/** smooth gives a normal by corner: the mean of those neighbours that do not meet in an edge. */
export function smooth(p: Float32Array, t: Uint32Array, names: Uint32Array): Float32Array {
  const flat = faceNormals(p, t);
  const start = new Uint32Array(p.length / 3 + 1);
  for (const v of t) start[names[v] + 1]++;
  for (let i = 1; i < start.length; i++) start[i] += start[i - 1];
  const around = new Uint32Array(t.length);
  const next = start.slice();
  for (let i = 0; i < t.length; i++) around[next[names[t[i]]]++] = Math.floor(i / 3) * 3;
  const normals = new Float32Array(t.length * 3);
  for (let i = 0; i < t.length; i++) {
    const own = Math.floor(i / 3) * 3;
    let x = 0;
    let y = 0;
    let z = 0;
    const v = names[t[i]];
    for (let k = start[v]; k < start[v + 1]; k++) {
      const f = around[k];
      const dot = flat[f] * flat[own] + flat[f + 1] * flat[own + 1] + flat[f + 2] * flat[own + 2];
      if (dot < crease) continue;
      x += flat[f];
      y += flat[f + 1];
      z += flat[f + 2];
    }
    const l = Math.hypot(x, y, z) || 1;
    normals[3 * i] = x / l;
    normals[3 * i + 1] = y / l;
    normals[3 * i + 2] = z / l;
  }
  return normals;
}

/** edges lists all edges, and those where the surface bends, ends, or another face begins. */
export function edges(
  p: Float32Array,
  t: Uint32Array,
  names: Uint32Array,
  groups?: Int32Array,
): { all: Uint32Array; feature: Uint32Array } {
  const flat = faceNormals(p, t);
  const table = new HashTable(t.length);
  const ends = new Uint32Array(t.length * 2);
  const first = new Int32Array(t.length);
  const shared = new Uint8Array(t.length); // 1: of two triangles, 2: and it is a feature
  let count = 0;
  for (let i = 0; i < t.length; i++) {
    const a = t[i];
    const b = t[i % 3 === 2 ? i - 2 : i + 1];
    const na = names[a];
    const nb = names[b];
    const e = table.find(Math.min(na, nb), Math.max(na, nb), 0, count);
    const face = Math.floor(i / 3);
    if (e === count) {
      ends[2 * e] = a;
      ends[2 * e + 1] = b;
      first[e] = face;
      count++;
      continue;
    }
    const f = first[e] * 3;
    const g = face * 3;
    const dot = flat[f] * flat[g] + flat[f + 1] * flat[g + 1] + flat[f + 2] * flat[g + 2];
    if (!shared[e]) shared[e] = 1;
    if (dot < crease || (groups && groups[first[e]] !== groups[face])) shared[e] = 2;
  }
  const feature: number[] = [];
  for (let e = 0; e < count; e++) if (shared[e] !== 1) feature.push(ends[2 * e], ends[2 * e + 1]);
  return { all: ends.slice(0, count * 2), feature: Uint32Array.from(feature) };
}
