// Boundaries, sections, edges and normals of blocks of cells with random sides.
import assert from "node:assert/strict";
import { test } from "node:test";
import { measure, random } from "../testing";
import { edges, smooth, weld } from "./edges";
import { rangesOf, valueAt } from "./model";
import type { Volume } from "./surface";
import { boundary, section } from "./surface";

function near(actual: number, expected: number, what: string, relative = 1e-4): void {
  assert.ok(Math.abs(actual - expected) <= relative * Math.abs(expected), `${what}: ${actual} is not ${expected}`);
}

const kinds: Record<string, { type: number; cells: (c: number[]) => number[][] }> = {
  hexahedra: { type: 12, cells: (c) => [c] },
  wedges: { type: 13, cells: (c) => [[0, 1, 2, 4, 5, 6].map((i) => c[i]), [0, 2, 3, 4, 6, 7].map((i) => c[i])] },
  tetrahedra: {
    type: 10,
    cells: (c) =>
      [
        [0, 1, 2, 6],
        [0, 2, 3, 6],
        [0, 3, 7, 6],
        [0, 7, 4, 6],
        [0, 4, 5, 6],
        [0, 5, 1, 6],
      ].map((t) => t.map((i) => c[i])),
  },
};

/** block is a box of n x n x n bricks, in cells of a kind, with the field x + 2 y + 3 z. */
function block(kind: string, n: number, side: number[]): Volume {
  const m = n + 1;
  const points = new Float32Array(3 * m * m * m);
  const at = (i: number, j: number, k: number) => i + m * (j + m * k);
  for (let i = 0; i < m; i++)
    for (let j = 0; j < m; j++)
      for (let k = 0; k < m; k++)
        points.set(
          [i, j, k].map((x, c) => (x * side[c]) / n),
          3 * at(i, j, k),
        );
  const connectivity: number[] = [];
  const offsets: number[] = [];
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++)
      for (let k = 0; k < n; k++) {
        const ring = (z: number) => [at(i, j, z), at(i + 1, j, z), at(i + 1, j + 1, z), at(i, j + 1, z)];
        for (const cell of kinds[kind].cells([...ring(k), ...ring(k + 1)])) {
          connectivity.push(...cell);
          offsets.push(connectivity.length);
        }
      }
  const data = Float32Array.from(
    { length: m * m * m },
    (_, i) => points[3 * i] + 2 * points[3 * i + 1] + 3 * points[3 * i + 2],
  );
  return {
    points,
    connectivity,
    offsets,
    types: offsets.map(() => kinds[kind].type),
    fields: [{ name: "f", components: 1, cell: false, data }],
  };
}

for (const kind of Object.keys(kinds)) {
  test("boundary and sections of " + kind, () => {
    const r = random(41);
    const side = [r.between(1, 3), r.between(1, 3), r.between(1, 3)];
    const [a, b, c] = side;
    const v = block(kind, r.integer(2, 4), side);
    const surface = boundary(v);
    const { area, volume } = measure(v.points, surface.triangles);
    near(area, 2 * (a * b + b * c + c * a), "area");
    near(Math.abs(volume), a * b * c, "volume");
    assert.equal(surface.cellOf.length, surface.triangles.length / 3);

    for (let axis = 0; axis < 3; axis++) {
      const normal: [number, number, number] = [0, 0, 0];
      normal[axis] = 1;
      const offset = side[axis] * r.between(0.05, 0.95);
      const s = section(v, {
        normal,
        offset,
        data: v.fields[0].data,
        components: 1,
        component: 0,
        cell: false,
        moved: v.points,
      });
      const soup = Array.from({ length: s.positions.length / 3 }, (_, i) => i);
      near(measure(s.positions, soup).area, (a * b * c) / side[axis], "section");
      for (let i = 0; i < s.values.length; i++) {
        const [x, y, z] = s.positions.subarray(3 * i, 3 * i + 3);
        near(s.values[i], x + 2 * y + 3 * z, "value on the section", 1e-3);
        near(s.positions[3 * i + axis], offset, "point of the section", 1e-3);
      }
    }
  });
}

test("a box has twelve edges that bend, however finely it is meshed", () => {
  const r = random(42);
  const n = r.integer(1, 4);
  const v = block("hexahedra", n, [1, 2, 3]);
  const t = Uint32Array.from(boundary(v).triangles);
  const names = weld(v.points);
  const { all, feature } = edges(v.points, t, names);
  assert.equal(feature.length / 2, 12 * n);
  assert.equal(all.length / 2, (t.length / 3) * 1.5); // closed: three edges, each of two triangles
  const normals = smooth(v.points, t, names); // no smoothing over square edges
  for (let i = 0; i < normals.length; i += 3)
    near(Math.max(...normals.subarray(i, i + 3).map(Math.abs)), 1, "normal along an axis");
});

test("vertices that a format repeats are one", () => {
  const r = random(43);
  const p = [r.between(-1, 1), r.between(-1, 1), r.between(-1, 1)];
  const names = weld(Float32Array.from([...p, 1, 2, 3, ...p, 1, 2, 3.5]));
  assert.equal(names[2], names[0]);
  assert.equal(new Set(names).size, 3);
});

test("ranges are those of components and of the magnitude", () => {
  const r = random(44);
  const data = Float64Array.from({ length: 30 }, () => r.between(-5, 5));
  const ranges = rangesOf(data, 3);
  for (let c = 0; c < 3; c++) {
    const own = [...data].filter((_, i) => i % 3 === c);
    assert.deepEqual(ranges[c], [Math.min(...own), Math.max(...own)]);
  }
  const sizes = Array.from({ length: 10 }, (_, i) =>
    Math.sqrt(data[3 * i] ** 2 + data[3 * i + 1] ** 2 + data[3 * i + 2] ** 2),
  );
  assert.deepEqual(ranges[3], [Math.min(...sizes), Math.max(...sizes)]);
  assert.equal(valueAt(data, 3, 4, 1), data[13]);
});
