// What the page reads and cuts, held against solids whose surfaces, sections and
// fields are known, as VTK itself writes them.
// Usage: node geometry.mjs BUNDLE FOLDER
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const { boundary, edges, rangesOf, readOBJ, readSTL, readVTU, section, weld } = await import(
  pathToFileURL(process.argv[2])
);
const folder = process.argv[3];
let checks = 0;

function near(actual, expected, what) {
  checks++;
  if (!(Math.abs(actual - expected) <= 1e-5 * Math.max(1, Math.abs(expected))))
    throw new Error(`${what} is ${actual}, right is ${expected}`);
}

/** area and closed volume of a triangle soup. */
function measure(p, t) {
  let area = 0;
  let volume = 0;
  for (let i = 0; i < t.length; i += 3) {
    const [a, b, c] = [t[i], t[i + 1], t[i + 2]].map((v) => [p[3 * v], p[3 * v + 1], p[3 * v + 2]]);
    const u = b.map((x, k) => x - a[k]);
    const v = c.map((x, k) => x - a[k]);
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    area += Math.hypot(...n) / 2;
    volume += (a[0] * n[0] + a[1] * n[1] + a[2] * n[2]) / 6;
  }
  return { area, volume };
}

function cut(v, normal, offset, name = "linear") {
  const f = v.fields.find((g) => g.name === name);
  const s = section(v, {
    normal,
    offset,
    data: f.data,
    components: f.components,
    component: 0,
    cell: f.cell,
    moved: v.points,
  });
  return {
    ...s,
    area: measure(
      s.positions,
      Array.from({ length: s.positions.length / 3 }, (_, i) => i),
    ).area,
  };
}

const files = readdirSync(folder).filter((f) => f.startsWith("bricks-"));
if (files.length !== 12) throw new Error(`VTK wrote ${files.length} files`);
for (const name of files) {
  const v = await readVTU(new Uint8Array(readFileSync(path.join(folder, name))));
  near(v.points.length, 36, name + ": coordinates");
  const b = boundary(v);
  near(b.triangles.length / 3, 20, name + ": triangles of 10 faces");
  const { area, volume } = measure(v.points, b.triangles);
  near(area, 10, name + ": surface");
  near(Math.abs(volume), 2, name + ": volume");
  const [lo, hi] = rangesOf(v.fields.find((f) => f.name === "linear").data, 1)[0];
  near(lo, 0, name + ": least value");
  near(hi, 8, name + ": largest value"); // 2 + 2 + 4
  const t = Uint32Array.from(b.triangles);
  near(edges(v.points, t, weld(v.points)).feature.length / 2, 16, name + ": edges of the box"); // 12, four of them in two parts
  // Planes square and askew; a linear field stays linear on them.
  near(cut(v, [1, 0, 0], 0.5).area, 1, name + ": section across x");
  near(cut(v, [0, 0, 1], 0.25).area, 2, name + ": section across z");
  near(cut(v, [Math.SQRT1_2, 0, Math.SQRT1_2], Math.SQRT1_2 * 1.5).area, Math.SQRT2, name + ": section at 45 degrees");
  const s = cut(v, [0, 0, 1], 0.25);
  s.values.forEach((value, i) =>
    near(value, s.positions[3 * i] + 2 * s.positions[3 * i + 1] + 1, name + ": value on the section"),
  );
  const numbers = new Set(cut(v, [0, 0, 1], 0.25, "number").values);
  near(numbers.size, 2, name + ": cells on the section");
  near(cut(v, [1, 0, 0], 5).area, 0, name + ": a plane beside the body");
}

const wedge = await readVTU(new Uint8Array(readFileSync(path.join(folder, "wedge.vtu"))));
near(measure(wedge.points, boundary(wedge).triangles).area, 3 + Math.SQRT2, "surface of the wedge");
near(cut(wedge, [0, 0, 1], 0.5).area, 0.5, "section of the wedge");
const tet = await readVTU(new Uint8Array(readFileSync(path.join(folder, "quadratic.vtu"))));
const faces = boundary(tet);
near(faces.triangles.length / 3, 16, "triangles of four quadratic faces");
near(measure(tet.points, faces.triangles).area, 1.5 + Math.sqrt(3) / 2, "surface of the tetrahedron");
near(Math.abs(measure(tet.points, faces.triangles).volume), 1 / 6, "volume of the tetrahedron");

const obj = readOBJ(
  '# atelier {"length_unit":"mm","faces":[{"id":7,"name":"top"}]}\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\ng face_7\nf 1 2 3 4\ng face_8\nf -4/1/1 -2/2/2 -3/3/3\n',
);
near(obj.triangles.length / 3, 3, "triangles of a quadrilateral and a triangle");
near(measure(obj.positions, obj.triangles.subarray(0, 6)).area, 1, "area of the quadrilateral");
if (obj.groupNames[7] !== "top" || obj.groups.join() !== "7,7,8" || obj.lengthUnit !== "mm")
  throw new Error("the notes of the OBJ file are lost");
const stl = readSTL(
  new TextEncoder().encode(
    "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 2e0 0 0\nvertex 0 2 0\nendloop\nendfacet\nendsolid",
  ),
);
near(measure(stl.positions, stl.triangles).area, 2, "area of the STL triangle");
console.log(`geometry: right, ${checks} figures\n${checks} passed, 0 failed, 0 skipped`);
