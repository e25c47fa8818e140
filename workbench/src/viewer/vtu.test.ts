// Files in every encoding that VTK's description of the format has, compressed by
// Node's own zlib.
import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { random } from "../testing";
import { readVTU } from "./vtu";

type Numbers = Float32Array | Float64Array | BigInt64Array | Int32Array | Uint8Array;
const types = new Map<Function, string>([
  [Float32Array, "Float32"],
  [Float64Array, "Float64"],
  [BigInt64Array, "Int64"],
  [Int32Array, "Int32"],
  [Uint8Array, "UInt8"],
]);

interface Encoding {
  format: "ascii" | "binary" | "appended";
  wide: boolean;
  compressed: boolean;
}

/** words packs numbers of a header. */
function words(wide: boolean, ...values: number[]): Buffer {
  const b = Buffer.alloc(values.length * (wide ? 8 : 4));
  values.forEach((v, i) => (wide ? b.writeBigUInt64LE(BigInt(v), 8 * i) : b.writeUInt32LE(v, 4 * i)));
  return b;
}

class Writer {
  private appended = Buffer.alloc(0);
  constructor(private readonly e: Encoding) {}

  array(name: string, data: Numbers, components = 1): string {
    const tag = `<DataArray type="${types.get(data.constructor)}" Name="${name}" NumberOfComponents="${components}"`;
    const raw = Buffer.from(data.buffer);
    if (this.e.format === "ascii") return `${tag} format="ascii">\n${[...data].join(" ")}\n</DataArray>`;
    let head = words(this.e.wide, raw.length);
    let body: Buffer = raw;
    if (this.e.compressed) {
      const size = 64; // small, so that there are several blocks and a shorter last one
      const blocks = Array.from({ length: Math.ceil(raw.length / size) }, (_, i) =>
        deflateSync(raw.subarray(i * size, (i + 1) * size)),
      );
      head = words(this.e.wide, blocks.length, size, raw.length % size, ...blocks.map((b) => b.length));
      body = Buffer.concat(blocks);
    }
    if (this.e.format === "binary") {
      const text = this.e.compressed
        ? head.toString("base64") + body.toString("base64")
        : Buffer.concat([head, body]).toString("base64");
      return `${tag} format="binary">${text}</DataArray>`;
    }
    const offset = this.appended.length;
    this.appended = Buffer.concat([this.appended, head, body]);
    return `${tag} format="appended" offset="${offset}"/>`;
  }

  file(pieces: string[]): Uint8Array {
    const head =
      `<?xml version="1.0"?><VTKFile type="UnstructuredGrid" byte_order="LittleEndian" ` +
      `header_type="${this.e.wide ? "UInt64" : "UInt32"}"${this.e.compressed ? ' compressor="vtkZLibDataCompressor"' : ""}>` +
      `<UnstructuredGrid>${pieces.join("")}</UnstructuredGrid>`;
    const end = Buffer.from("</VTKFile>");
    if (this.e.format !== "appended") return new Uint8Array(Buffer.concat([Buffer.from(head), end]));
    const before = Buffer.from(head + '<AppendedData encoding="raw">_');
    return new Uint8Array(Buffer.concat([before, this.appended, Buffer.from("</AppendedData>"), end]));
  }
}

/** tetrahedra are cells of their own, with random fields. */
function tetrahedra(stream: number, count: number) {
  const r = random(stream);
  return {
    points: Float64Array.from({ length: 12 * count }, () => Math.fround(r.between(-9, 9))),
    connectivity: BigInt64Array.from({ length: 4 * count }, (_, i) => BigInt(i)),
    offsets: Int32Array.from({ length: count }, (_, i) => 4 * (i + 1)),
    types: new Uint8Array(count).fill(10),
    move: Float32Array.from({ length: 12 * count }, () => r.between(-1, 1)),
    size: Float64Array.from({ length: count }, () => Math.fround(r.between(-1, 1))),
  };
}

function piece(w: Writer, m: ReturnType<typeof tetrahedra>): string {
  return (
    `<Piece NumberOfPoints="${m.points.length / 3}" NumberOfCells="${m.types.length}">` +
    `<PointData>${w.array("move", m.move, 3)}</PointData><CellData>${w.array("size", m.size)}</CellData>` +
    `<Points>${w.array("Points", m.points, 3)}</Points><Cells>${w.array("connectivity", m.connectivity)}` +
    `${w.array("offsets", m.offsets)}${w.array("types", m.types)}</Cells></Piece>`
  );
}

const encodings: Encoding[] = [{ format: "ascii", wide: false, compressed: false }];
for (const format of ["binary", "appended"] as const)
  for (const wide of [false, true])
    for (const compressed of [false, true]) encodings.push({ format, wide, compressed });

for (const e of encodings) {
  test(`${e.format}, ${e.wide ? 64 : 32} bits, ${e.compressed ? "compressed" : "plain"}`, async () => {
    const m = tetrahedra(21, 17);
    const w = new Writer(e);
    const v = await readVTU(w.file([piece(w, m)]));
    assert.deepEqual([...v.points], [...m.points]);
    assert.deepEqual([...Array.from(v.connectivity)], [...m.connectivity].map(Number));
    assert.deepEqual([...Array.from(v.offsets)], [...m.offsets]);
    assert.deepEqual([...Array.from(v.types)], [...m.types]);
    const [move, size] = v.fields;
    assert.deepEqual([move.name, move.components, move.cell], ["move", 3, false]);
    assert.deepEqual([...move.data], [...m.move]);
    assert.deepEqual([size.name, size.components, size.cell], ["size", 1, true]);
    assert.deepEqual([...size.data], [...m.size]);
  });
}

test("pieces of a parallel run become one mesh", async () => {
  const [a, b] = [tetrahedra(22, 5), tetrahedra(23, 3)];
  const w = new Writer({ format: "appended", wide: true, compressed: true });
  const v = await readVTU(w.file([piece(w, a), piece(w, b)]));
  assert.deepEqual([...v.points], [...a.points, ...b.points]);
  assert.deepEqual(
    [...Array.from(v.connectivity)],
    Array.from({ length: 32 }, (_, i) => i),
  );
  assert.deepEqual(
    [...Array.from(v.offsets)],
    Array.from({ length: 8 }, (_, i) => 4 * (i + 1)),
  );
  assert.deepEqual([...v.fields[1].data], [...a.size, ...b.size]);
});

test("what the view cannot read is refused in words", async () => {
  const file = (head: string) => new TextEncoder().encode(`<VTKFile ${head}></VTKFile>`);
  await assert.rejects(readVTU(file('type="PolyData"')), /unstructured grid/);
  await assert.rejects(readVTU(file('type="UnstructuredGrid" byte_order="BigEndian"')), /big-endian/);
  await assert.rejects(readVTU(file('type="UnstructuredGrid"')), /no piece/);
});
