// Files written here by the letter of glTF 2.0, and what three's loader reads of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Mesh, Vector3 } from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import { random } from "../testing";
import { readGLB } from "./glb";

type Stream = ReturnType<typeof random>;

/** glb packs a document and its one buffer. */
function glb(doc: object, bin: Buffer): Uint8Array {
  const pad = (b: Buffer, by: number) => Buffer.concat([b, Buffer.alloc((4 - (b.length % 4)) % 4, by)]);
  const json = pad(Buffer.from(JSON.stringify(doc)), 32);
  const body = pad(bin, 0);
  const head = Buffer.alloc(20);
  head.write("glTF");
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(28 + json.length + body.length, 8);
  head.writeUInt32LE(json.length, 12);
  head.write("JSON", 16);
  const second = Buffer.alloc(8);
  second.writeUInt32LE(body.length, 0);
  second.write("BIN\0", 4);
  return new Uint8Array(Buffer.concat([head, json, second, body]));
}

/** tree is a file of two triangles in nodes that turn, scale and move each other. */
function tree(r: Stream, indexType: 5121 | 5123 | 5125) {
  const positions = Float32Array.from({ length: 12 }, () => r.between(-1, 1));
  const scalar = Float32Array.from({ length: 4 }, () => r.between(-1, 1));
  const indices = [0, 1, 2, 2, 1, 3];
  const width = { 5121: 1, 5123: 2, 5125: 4 }[indexType];
  const packed = Buffer.alloc(6 * width);
  indices.forEach((i, k) => packed.writeUIntLE(i, k * width, width));
  const bin = Buffer.concat([Buffer.from(positions.buffer), Buffer.from(scalar.buffer), packed]);
  const q = [1, 2, 3, 4].map(() => r.between(-1, 1));
  const norm = Math.hypot(...q);
  const doc = {
    asset: { version: "2.0", extras: { atelier: { length_unit: "mm", field: { name: "von_mises", unit: "Pa" } } } },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [
      {
        children: [1, 2],
        rotation: q.map((x) => x / norm),
        translation: [r.between(-5, 5), 0, 1],
        scale: [1, r.between(0.5, 2), 3],
      },
      { mesh: 0, matrix: [0, 1, 0, 0, -2, 0, 0, 0, 0, 0, 1, 0, r.between(-1, 1), 2, 3, 1] },
      { mesh: 0 },
    ],
    meshes: [{ primitives: [{ attributes: { POSITION: 0, _SCALAR: 1 }, indices: 2 }] }],
    accessors: [
      { bufferView: 0, componentType: 5126, count: 4, type: "VEC3", min: [-1, -1, -1], max: [1, 1, 1] },
      { bufferView: 1, componentType: 5126, count: 4, type: "SCALAR" },
      { bufferView: 2, componentType: indexType, count: 6, type: "SCALAR" },
    ],
    bufferViews: [
      { buffer: 0, byteOffset: 0, byteLength: 48 },
      { buffer: 0, byteOffset: 48, byteLength: 16 },
      { buffer: 0, byteOffset: 64, byteLength: packed.length },
    ],
    buffers: [{ byteLength: bin.length }],
  };
  return { file: glb(doc, bin), scalar, indices, doc, bin };
}

async function byThree(file: Uint8Array): Promise<number[]> {
  const copy = file.slice().buffer;
  const { scene } = await new Promise<{ scene: import("three").Group }>((done, fail) =>
    new GLTFLoader().parse(copy, "", done, fail),
  );
  scene.updateMatrixWorld(true);
  const out: number[] = [];
  scene.traverse((o) => {
    if (!(o instanceof Mesh)) return;
    const p = o.geometry.getAttribute("position");
    for (let i = 0; i < p.count; i++) out.push(...new Vector3().fromBufferAttribute(p, i).applyMatrix4(o.matrixWorld));
  });
  return out;
}

test("points stand where three's loader puts them", async () => {
  const r = random(11);
  for (const type of [5121, 5123, 5125] as const) {
    const { file, indices } = tree(r, type);
    const { surface } = readGLB(file);
    const theirs = await byThree(file);
    assert.equal(surface.positions.length, theirs.length);
    theirs.forEach((x, i) => assert.ok(Math.abs(x - surface.positions[i]) <= 1e-5 * (1 + Math.abs(x)), `${i}`));
    assert.deepEqual([...surface.triangles], [...indices, ...indices.map((i) => i + 4)]);
  }
});

test("the field has its name, unit and values", () => {
  const { file, scalar } = tree(random(12), 5125);
  const { surface, fields } = readGLB(file);
  assert.equal(surface.lengthUnit, "mm");
  assert.equal(fields.length, 1);
  assert.deepEqual([fields[0].name, fields[0].unit, fields[0].components], ["von_mises", "Pa", 1]);
  assert.deepEqual([...fields[0].data], [...scalar, ...scalar]);
  assert.deepEqual(fields[0].ranges, [[Math.min(...scalar), Math.max(...scalar)]]);
});

test("what the view cannot read is refused in words", () => {
  const { doc, bin, file } = tree(random(13), 5125);
  assert.throws(() => readGLB(new TextEncoder().encode("solid this is an STL file")), /no binary glTF/);
  assert.throws(() => readGLB(glb({ ...doc, extensionsRequired: ["KHR_draco_mesh_compression"] }, bin)), /KHR_draco/);
  assert.throws(() => readGLB(file.slice(0, file.length - 20)), RangeError);
});
