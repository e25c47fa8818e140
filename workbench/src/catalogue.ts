// The tools of the server, read once, and where they take files.
import { get } from "./api";
import type { Schema, Tool } from "./types";

let loading: Promise<Tool[]> | undefined;

/** loadTools reads the catalogue. */
export function loadTools(): Promise<Tool[]> {
  loading ??= get<{ tools: Tool[] }>("/v1/tools").then((r) => r.tools);
  loading.catch(() => (loading = undefined));
  return loading;
}

/** filePath is the first argument that takes a file, as a path of names. */
export function filePath(schema: Schema, depth = 0): string[] | undefined {
  const entries = Object.entries(schema.properties ?? {});
  for (const [name, s] of entries) {
    if (s.type === "string" && (/(^|_)path$/.test(name) || s.description?.includes("file:<id>"))) return [name];
  }
  if (depth < 2) {
    for (const [name, s] of entries) {
      const inner = filePath(s, depth + 1);
      if (inner) return [name, ...inner];
    }
  }
  return undefined;
}

/** filesOf lists tools that take a file, first those whose description names the format, then those whose arguments do. */
export function filesOf(tools: Tool[], ending: string): Tool[] {
  const word = new RegExp("\\b" + ending.toUpperCase() + "\\b|\\." + ending + "\\b");
  const speaks = (t: Tool) => (word.test(t.description) ? 0 : word.test(JSON.stringify(t.input_schema)) ? 1 : 2);
  return tools.filter((t) => filePath(t.input_schema)).sort((a, b) => speaks(a) - speaks(b));
}

/** withFile is an input of a tool with a file at its place. */
export function withFile(tool: Tool, reference: string): Record<string, unknown> {
  const path = filePath(tool.input_schema) ?? [];
  const input: Record<string, unknown> = {};
  let at = input;
  let schema: Schema = tool.input_schema;
  path.forEach((name, i) => {
    if (i === path.length - 1) {
      at[name] = reference;
      // A file by its path, where an object can also hold other kinds.
      const kind = schema.properties?.type;
      if (kind?.enum?.includes("file")) at.type = "file";
      return;
    }
    at = at[name] = {} as Record<string, unknown>;
    schema = schema.properties![name];
  });
  return input;
}
