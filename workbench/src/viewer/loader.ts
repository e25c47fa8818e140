// Fetches geometry and lets the worker read it.
import { request } from "../api";
import type { Asset } from "../types";
import { ending } from "../viewable";
import type { Answer, Ask, Model, Section, SectionRequest } from "./model";

declare const WORKER: string; // its name, given by the build

type Wanted = { load: { format: string; content: ArrayBuffer } } | { section: SectionRequest };

/** Reader reads one geometry after the other; the last volume can be cut. */
export class Reader {
  private readonly worker = new Worker("/assets/" + WORKER, { type: "module" });
  private readonly open = new Map<number, (a: Answer) => void>();
  private next = 1;

  constructor() {
    this.worker.onmessage = (e: MessageEvent<Answer>) => {
      this.open.get(e.data.id)?.(e.data);
      this.open.delete(e.data.id);
    };
  }

  private ask(wanted: Wanted, transfer: Transferable[] = []): Promise<Answer> {
    const id = this.next++;
    return new Promise((done, fail) => {
      this.open.set(id, (a) => (a.error ? fail(new Error(a.error)) : done(a)));
      this.worker.postMessage({ id, ...wanted } as Ask, transfer);
    });
  }

  async load(url: string, format: string, signal: AbortSignal): Promise<Model> {
    const content = await (await request(url, { signal })).arrayBuffer();
    return (await this.ask({ load: { format, content } }, [content])).model!;
  }

  async section(s: SectionRequest): Promise<Section> {
    return (await this.ask({ section: s })).section!;
  }

  close(): void {
    this.worker.terminate();
  }
}

export interface Moment {
  time: number;
  asset: Asset;
}

/** moments lists the states of a series; any other asset is one state. */
export async function moments(asset: Asset, assets: Asset[], signal: AbortSignal): Promise<Moment[]> {
  if (ending(asset.path) !== "pvd") return [{ time: 0, asset }];
  const xml = await (await request(asset.url, { signal })).text();
  const folder = asset.path.slice(0, asset.path.lastIndexOf("/") + 1);
  const found: Moment[] = [];
  for (const m of xml.matchAll(/<DataSet\b[^>]*>/g)) {
    const file = /file="([^"]*)"/.exec(m[0])?.[1] ?? "";
    const part = assets.find((a) => a.path === folder + file);
    if (part && ending(part.path) === "vtu")
      found.push({ time: Number(/timestep="([^"]*)"/.exec(m[0])?.[1] ?? 0), asset: part });
  }
  if (!found.length) throw new Error("The collection names no VTU file of this session.");
  return found;
}
