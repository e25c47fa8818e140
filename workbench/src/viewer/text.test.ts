import assert from "node:assert/strict";
import { test } from "node:test";
import { measure, random } from "../testing";
import { readMFEM, readOBJ, readSTL } from "./text";

/** box is a box of random sides: 8 corners, 6 quadrilaterals that look outward. */
function box(stream: number) {
  const r = random(stream);
  const side = [r.between(0.5, 5), r.between(0.5, 5), r.between(0.5, 5)];
  const corners = Array.from({ length: 8 }, (_, i) => side.map((s, k) => ((i >> k) & 1 ? s : 0)));
  const faces = [
    [0, 2, 3, 1],
    [4, 5, 7, 6],
    [0, 1, 5, 4],
    [2, 6, 7, 3],
    [0, 4, 6, 2],
    [1, 3, 7, 5],
  ];
  const [a, b, c] = side;
  return { corners, faces, volume: a * b * c, area: 2 * (a * b + b * c + c * a) };
}

function near(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) <= 1e-5 * Math.abs(expected), `${actual} is not ${expected}`);
}

test("OBJ: polygons, face groups, names and unit", () => {
  const b = box(31);
  const note = '# atelier {"length_unit":"mm","faces":[{"id":3,"name":"side"}]}\n';
  const vertices = b.corners.map((p) => "v " + p.join(" ")).join("\n");
  const faces = b.faces.map((f, i) => `g face_${i + 1}\nf ${f.map((v) => `${v + 1}//1`).join(" ")}`).join("\n");
  const s = readOBJ(note + vertices + "\n" + faces + "\n");
  near(measure(s.positions, s.triangles).volume, b.volume);
  near(measure(s.positions, s.triangles).area, b.area);
  assert.deepEqual([...s.groups!], [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]);
  assert.deepEqual([s.lengthUnit, s.groupNames], ["mm", { 3: "side" }]);
  // Numbers that count back from the last vertex.
  const back = readOBJ(vertices + "\n" + b.faces.map((f) => "f " + f.map((v) => v - 8).join(" ")).join("\n"));
  assert.deepEqual([...back.triangles], [...s.triangles]);
  assert.equal(back.groups, undefined);
});

test("STL: binary with face ids, and text", () => {
  const b = box(32);
  const corners = b.faces.flatMap(([p, q, r, s]) => [p, q, r, p, r, s].map((v) => b.corners[v]));
  const bytes = Buffer.alloc(84 + 50 * 12);
  bytes.writeUInt32LE(12, 80);
  corners.forEach((p, i) =>
    p.forEach((x, k) => bytes.writeFloatLE(x, 96 + 50 * Math.floor(i / 3) + 12 * (i % 3) + 4 * k)),
  );
  for (let i = 0; i < 12; i++) bytes.writeUInt16LE(i + 1, 132 + 50 * i);
  const binary = readSTL(new Uint8Array(bytes));
  near(measure(binary.positions, binary.triangles).volume, b.volume);
  assert.deepEqual(
    [...binary.groups!],
    Array.from({ length: 12 }, (_, i) => i + 1),
  );
  const text = corners.map((p) => "vertex " + p.map((x) => x.toExponential()).join(" ")).join("\n");
  const ascii = readSTL(new TextEncoder().encode("solid box\n" + text + "\nendsolid"));
  near(measure(ascii.positions, ascii.triangles).volume, b.volume);
  assert.throws(() => readSTL(new TextEncoder().encode("solid nothing")), /no triangle/);
});

test("MFEM: a hexahedron with its boundary", () => {
  const b = box(33);
  const order = [0, 1, 3, 2, 4, 5, 7, 6]; // corners of a hexahedron go round
  const head = '# atelier {"length_unit":"in","faces":[{"id":2,"name":"top"}]}\n';
  const mesh =
    "MFEM mesh v1.0\n" +
    head +
    "dimension\n3\n\nelements\n1\n7 5 " +
    order.join(" ") +
    "\n\nboundary\n6\n" +
    b.faces.map((f, i) => `${i + 1} 3 ${f.join(" ")}`).join("\n") +
    "\n\nvertices\n8\n3\n" +
    b.corners.map((p) => p.join(" ")).join("\n") +
    "\n";
  const m = readMFEM(mesh);
  near(measure(m.volume.points, m.boundary.triangles).volume, b.volume);
  assert.deepEqual(m.boundary.groups, [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]);
  assert.deepEqual([...Array.from(m.volume.types)], [12]);
  assert.deepEqual([...Array.from(m.volume.connectivity)], order);
  assert.deepEqual([m.lengthUnit, m.groupNames], ["in", { 2: "top" }]);
  assert.throws(() => readMFEM("MFEM NURBS"), /MFEM's format/);
  assert.throws(() => readMFEM("MFEM mesh v1.0\nelements\n"), /no section/);
});

// A tetrahedron of order 2 whose middle nodes lie in the middle of its edges has its
// straight volume; one that bulges on a face has more.
test("MFEM: a tetrahedron with curved edges, in both orders of its nodes", () => {
  const corners = [
    [0, 0, 0],
    [2, 0, 0],
    [0, 3, 0],
    [0, 0, 4],
  ];
  const ends = [
    [0, 1],
    [0, 2],
    [0, 3],
    [1, 2],
    [1, 3],
    [2, 3],
  ];
  for (const bulge of [0, 0.3])
    for (const ordering of [0, 1]) {
      const nodes = [
        ...corners,
        ...ends.map(([i, j]) => corners[i].map((v, k) => (v + corners[j][k]) / 2 + (i > 0 ? bulge : 0))),
      ];
      const numbers = ordering
        ? nodes.map((p) => p.join(" "))
        : [0, 1, 2].map((k) => nodes.map((p) => p[k]).join("\n"));
      const m = readMFEM(
        "MFEM mesh v1.0\n\ndimension\n3\n\nelements\n1\n1 4 0 1 2 3\n\nboundary\n4\n" +
          "1 2 0 2 1\n2 2 0 1 3\n3 2 1 2 3\n4 2 0 3 2\n\nvertices\n4\n\nnodes\nFiniteElementSpace\n" +
          `FiniteElementCollection: H1_3D_P2\nVDim: 3\nOrdering: ${ordering}\n\n${numbers.join("\n")}\n`,
      );
      assert.deepEqual([Array.from(m.volume.types), m.volume.connectivity.length], [[24], 10]);
      assert.equal(m.boundary.triangles.length, 3 * 16);
      const { volume } = measure(m.volume.points, m.boundary.triangles);
      if (bulge) assert.ok(volume > 4.1, `${volume}`);
      else near(volume, 4);
    }
});
