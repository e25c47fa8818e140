// Reads geometry and cuts volumes, so that the page stays quick meanwhile.
import { edges, smooth, weld } from "./edges";
import { readGLB } from "./glb";
import type { Answer, Ask, Field, Model, SectionRequest } from "./model";
import { rangesOf } from "./model";
import type { Volume } from "./surface";
import { boundary, section } from "./surface";
import type { Surface } from "./text";
import { readMFEM, readOBJ, readSTL } from "./text";
import { readVTU } from "./vtu";

let volume: Volume | undefined;

async function load(format: string, content: ArrayBuffer): Promise<Model> {
  const bytes = new Uint8Array(content);
  const text = () => new TextDecoder().decode(bytes);
  volume = undefined;
  switch (format) {
    case "vtu":
      volume = await readVTU(bytes);
      return ofVolume(volume);
    case "mesh":
      return ofMesh(text());
    case "glb": {
      const { surface, fields, warp } = readGLB(bytes);
      return { ...ofSurface(surface), fields, warp };
    }
    case "stl":
      return ofSurface(readSTL(bytes));
    default:
      return ofSurface(readOBJ(text()));
  }
}

function ofSurface(s: Surface): Model {
  if (!s.triangles.length) throw new Error("The file holds no triangle.");
  const names = weld(s.positions);
  const { all, feature } = edges(s.positions, s.triangles, names, s.groups);
  return {
    ...s,
    normals: smooth(s.positions, s.triangles, names),
    meshEdges: all,
    featureEdges: feature,
    fields: [],
    cells: 0,
  };
}

function ofMesh(text: string): Model {
  const mesh = readMFEM(text);
  volume = mesh.volume;
  if (!mesh.boundary.triangles.length) return { ...ofVolume(volume), lengthUnit: mesh.lengthUnit };
  const cellOf = new Array<number>(mesh.boundary.groups.length).fill(0);
  const model = extracted(mesh.volume, mesh.boundary.triangles, cellOf, mesh.boundary.edges, mesh.boundary.groups);
  return { ...model, fields: [], lengthUnit: mesh.lengthUnit, groupNames: mesh.groupNames };
}

/** ofVolume is the boundary of a volume with its fields; VTU files of the solvers are in metres. */
function ofVolume(v: Volume): Model {
  const b = boundary(v);
  if (!b.triangles.length) throw new Error("The mesh has no surface that could be shown.");
  const model = extracted(v, b.triangles, b.cellOf, b.edges);
  const warp = v.fields.find((f) => f.components === 3 && !f.cell && /displacement|^mode/i.test(f.name));
  return { ...model, lengthUnit: "m", warp: warp?.name };
}

function extracted(v: Volume, triangles: number[], cellOf: number[], meshEdges: number[], groups?: number[]): Model {
  const rename = new Int32Array(v.points.length / 3).fill(-1);
  const used: number[] = [];
  const name = (i: number) => {
    if (rename[i] < 0) {
      rename[i] = used.length;
      used.push(i);
    }
    return rename[i];
  };
  const t = Uint32Array.from(triangles, name);
  const lines = Uint32Array.from(meshEdges, name);
  const take = (data: Float32Array, n: number, ids: number[]) => {
    const out = new Float32Array(ids.length * n);
    ids.forEach((id, i) => {
      for (let k = 0; k < n; k++) out[i * n + k] = data[id * n + k];
    });
    return out;
  };
  const positions = take(v.points, 3, used);
  const fields: Field[] = v.fields.map((f) => ({
    name: f.name,
    unit: "",
    components: f.components,
    cell: f.cell,
    data: take(f.data, f.components, f.cell ? cellOf : used),
    ranges: rangesOf(f.data, f.components),
  }));
  const names = weld(positions);
  const ids = groups && Int32Array.from(groups);
  const { feature } = edges(positions, t, names, ids);
  return {
    positions,
    triangles: t,
    normals: smooth(positions, t, names),
    meshEdges: lines,
    featureEdges: feature,
    groups: ids,
    groupNames: {},
    fields,
    lengthUnit: "",
    cells: v.types.length,
  };
}

function cut(r: SectionRequest) {
  if (!volume) return { positions: new Float32Array(), values: new Float32Array() };
  const field = volume.fields.find((f) => f.name === r.field);
  const warp = r.scale ? volume.fields.find((f) => f.name === r.warp) : undefined;
  let moved = volume.points;
  if (warp) moved = volume.points.map((x, i) => x + r.scale * warp.data[i]);
  return section(volume, {
    normal: r.normal,
    offset: r.offset,
    data: field?.data,
    components: field?.components ?? 1,
    component: r.component,
    cell: field?.cell ?? false,
    moved,
  });
}

/** buffers are handed over, not copied; those of the volume stay here. */
function buffers(a: Answer): ArrayBuffer[] {
  const arrays = [
    a.model?.positions,
    a.model?.triangles,
    a.model?.normals,
    a.model?.featureEdges,
    a.model?.meshEdges,
    a.model?.groups,
    ...(a.model?.fields.map((f) => f.data) ?? []),
    a.section?.positions,
    a.section?.values,
  ];
  const kept = new Set<ArrayBufferLike>(
    [volume?.points.buffer, ...(volume?.fields.map((f) => f.data.buffer) ?? [])].filter((b) => b !== undefined),
  );
  return [...new Set(arrays.filter((x) => x !== undefined).map((x) => x.buffer as ArrayBuffer))].filter(
    (b) => !kept.has(b),
  );
}

addEventListener("message", (e: MessageEvent<Ask>) => {
  void (async () => {
    const answer: Answer = { id: e.data.id };
    try {
      if ("load" in e.data) answer.model = await load(e.data.load.format, e.data.load.content);
      else answer.section = cut(e.data.section);
    } catch (error) {
      answer.error = (error as Error).message;
    }
    postMessage(answer, { transfer: buffers(answer) });
  })();
});
