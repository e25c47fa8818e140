import assert from "node:assert/strict";
import { test } from "node:test";
import "./testing";
import { filePath, filesOf, withFile } from "./catalogue";
import type { Schema, Tool } from "./types";

const tool = (name: string, description: string, input_schema: unknown): Tool =>
  ({ name, description, input_schema: input_schema as Schema }) as Tool;

const plain = tool("import", "Reads STEP files.", {
  properties: { unit: { type: "string" }, file_path: { type: "string" } },
});
const nested = tool("solve", "Solves.", {
  properties: { mesh: { properties: { type: { type: "string", enum: ["file", "box"] }, path: { type: "string" } } } },
});
const none = tool("echo", "Repeats STEP.", { properties: { message: { type: "string" } } });

test("the argument that takes a file is found, outside before inside", () => {
  assert.deepEqual(filePath(plain.input_schema), ["file_path"]);
  assert.deepEqual(filePath(nested.input_schema), ["mesh", "path"]);
  assert.equal(filePath(none.input_schema), undefined);
});

test("a file stands at its place, with the kind where there is a choice", () => {
  assert.deepEqual(withFile(plain, "file:1"), { file_path: "file:1" });
  assert.deepEqual(withFile(nested, "file:1"), { mesh: { type: "file", path: "file:1" } });
});

test("tools that speak of the format come first, those without a file not at all", () => {
  assert.deepEqual(
    filesOf([nested, none, plain], "step").map((t) => t.name),
    ["import", "solve"],
  );
});
