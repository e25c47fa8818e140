// VTU files (VTK XML unstructured grids): appended raw or base64, inline base64
// or ASCII, zlib-compressed blocks or none.
import type { Volume } from "./surface";

type Numbers =
  Float32Array | Float64Array | Int32Array | Uint32Array | Uint8Array | Int8Array | Int16Array | Uint16Array | number[];

interface Head {
  compressed: boolean;
  wide: boolean; // headers of 64 bits
  appended?: { start: number; raw: boolean };
}

/** inflate undoes zlib's compression with what the browser brings. */
async function inflate(block: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([block as BlobPart]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function base64(text: string): Uint8Array {
  // Header and data may each be padded; what follows the padding is decoded apart.
  const parts = text.replace(/\s+/g, "").split(/(?<==)(?!=)/);
  const pieces = parts.filter(Boolean).map((p) => Uint8Array.from(atob(p), (c) => c.charCodeAt(0)));
  const all = new Uint8Array(pieces.reduce((n, p) => n + p.length, 0));
  pieces.reduce((at, p) => (all.set(p, at), at + p.length), 0);
  return all;
}

async function unpack(bytes: Uint8Array, at: number, head: Head): Promise<Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const word = head.wide ? 8 : 4;
  const read = (i: number) =>
    head.wide ? Number(view.getBigUint64(at + 8 * i, true)) : view.getUint32(at + 4 * i, true);
  if (!head.compressed) return bytes.slice(at + word, at + word + read(0));
  const blocks = read(0);
  let from = at + word * (3 + blocks);
  const parts: Promise<Uint8Array>[] = [];
  for (let i = 0; i < blocks; i++) {
    parts.push(inflate(bytes.subarray(from, from + read(3 + i))));
    from += read(3 + i);
  }
  const done = await Promise.all(parts);
  const all = new Uint8Array(done.reduce((n, p) => n + p.length, 0));
  done.reduce((to, p) => (all.set(p, to), to + p.length), 0);
  return all;
}

function typed(type: string, raw: Uint8Array): Numbers {
  const b = raw.buffer as ArrayBuffer;
  switch (type) {
    case "Float32":
      return new Float32Array(b);
    case "Float64":
      return new Float64Array(b);
    case "Int32":
      return new Int32Array(b);
    case "UInt32":
      return new Uint32Array(b);
    case "UInt8":
      return raw;
    case "Int8":
      return new Int8Array(b);
    case "Int16":
      return new Int16Array(b);
    case "UInt16":
      return new Uint16Array(b);
    case "Int64":
    case "UInt64": {
      // Ids lie far below 2^53: the low and high words say all.
      const words = new Uint32Array(b);
      const out = new Float64Array(words.length / 2);
      for (let i = 0; i < out.length; i++) out[i] = words[2 * i] + words[2 * i + 1] * 4294967296;
      return out;
    }
  }
  throw new Error(`The file holds numbers of the type ${type}, which the view does not read.`);
}

const attribute = (tag: string, name: string): string | undefined => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1];

/** readVTU reads the pieces of a file as one mesh. */
export async function readVTU(bytes: Uint8Array): Promise<Volume> {
  const marker = find(bytes, "<AppendedData");
  const xml = new TextDecoder().decode(marker < 0 ? bytes : bytes.subarray(0, marker));
  const file = /<VTKFile[^>]*>/.exec(xml)?.[0] ?? "";
  if (attribute(file, "type") !== "UnstructuredGrid") throw new Error("This is no VTU file of an unstructured grid.");
  if (attribute(file, "byte_order") === "BigEndian")
    throw new Error("The file is big-endian, which the view does not read.");
  const head: Head = { compressed: /compressor=/.test(file), wide: attribute(file, "header_type") === "UInt64" };
  let content = bytes;
  if (marker >= 0) {
    const start = bytes.indexOf(95, marker) + 1; // after the underscore
    const tag = new TextDecoder().decode(bytes.subarray(marker, start));
    const raw = attribute(tag, "encoding") === "raw";
    if (!raw) content = bytes.subarray(start);
    head.appended = { start: raw ? start : 0, raw };
  }
  const volumes: Volume[] = [];
  for (const piece of xml.split(/<Piece\b/).slice(1)) volumes.push(await readPiece(piece, content, head));
  if (!volumes.length) throw new Error("The file holds no piece.");
  return volumes.length === 1 ? volumes[0] : joined(volumes);
}

function find(bytes: Uint8Array, text: string): number {
  const first = text.charCodeAt(0);
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
    let k = 1;
    while (k < text.length && bytes[at + k] === text.charCodeAt(k)) k++;
    if (k === text.length) return at;
    if (at > 200000) return -1; // the head of a file is short
  }
  return -1;
}

async function readPiece(piece: string, content: Uint8Array, head: Head): Promise<Volume> {
  const part = (name: string) => new RegExp(`<${name}\\b[^>]*>([\\s\\S]*?)</${name}>`).exec(piece)?.[1] ?? "";
  const arrays = async (xml: string) => {
    const found: { name: string; components: number; data: Numbers }[] = [];
    for (const match of xml.matchAll(/<DataArray\b([^>]*?)(?:\/>|>([\s\S]*?)<\/DataArray>)/g)) {
      found.push({
        name: attribute(match[1], "Name") ?? "",
        components: Number(attribute(match[1], "NumberOfComponents") ?? 1),
        data: await readArray(match[1], (match[2] ?? "").replace(/<(\w+)\b[\s\S]*?<\/\1>/g, ""), content, head), // VTK puts notes among the numbers
      });
    }
    return found;
  };
  const cells = await arrays(part("Cells"));
  const named = (name: string) => cells.find((a) => a.name === name)?.data ?? [];
  const fields = [];
  for (const a of await arrays(part("PointData"))) fields.push({ ...a, cell: false, data: Float32Array.from(a.data) });
  for (const a of await arrays(part("CellData"))) fields.push({ ...a, cell: true, data: Float32Array.from(a.data) });
  const points = (await arrays(part("Points")))[0]?.data ?? [];
  return {
    points: Float32Array.from(points),
    connectivity: named("connectivity"),
    offsets: named("offsets"),
    types: named("types"),
    fields,
  };
}

async function readArray(tag: string, text: string, content: Uint8Array, head: Head): Promise<Numbers> {
  const type = attribute(tag, "type") ?? "Float32";
  switch (attribute(tag, "format")) {
    case "ascii":
      return text.trim() ? text.trim().split(/\s+/).map(Number) : [];
    case "appended": {
      const at = head.appended!.start + Number(attribute(tag, "offset"));
      if (!head.appended!.raw) throw new Error("Appended base64 is not read; write the file with raw appended data.");
      return typed(type, await unpack(content, at, head));
    }
    default:
      return typed(type, await unpack(base64(text), 0, head));
  }
}

/** joined puts the pieces of a parallel run side by side. */
function joined(parts: Volume[]): Volume {
  const points: number[] = [];
  const connectivity: number[] = [];
  const offsets: number[] = [];
  const types: number[] = [];
  const fields = parts[0].fields.map((f) => ({
    ...f,
    data: Float32Array.from(parts.flatMap((p) => [...(p.fields.find((g) => g.name === f.name)?.data ?? [])])),
  }));
  for (const p of parts) {
    const base = points.length / 3;
    const end = connectivity.length;
    for (const x of p.points) points.push(x);
    for (let i = 0; i < p.connectivity.length; i++) connectivity.push(p.connectivity[i] + base);
    for (let i = 0; i < p.offsets.length; i++) offsets.push(p.offsets[i] + end);
    for (let i = 0; i < p.types.length; i++) types.push(p.types[i]);
  }
  return { points: Float32Array.from(points), connectivity, offsets, types, fields };
}
