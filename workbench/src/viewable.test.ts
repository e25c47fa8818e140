import assert from "node:assert/strict";
import { test } from "node:test";
import type { Asset } from "./types";
import { best, viewable } from "./viewable";

const asset = (path: string, more: Partial<Asset> = {}): Asset => ({
  path,
  reference: path,
  url: "/" + path,
  mime_type: "",
  bytes: 1,
  sha256: "",
  ...more,
});

test("geometry is shown, parts of a series and tables are not", () => {
  assert.ok(viewable(asset("a/Part.STL")));
  assert.ok(!viewable(asset("a/stl")));
  assert.ok(!viewable(asset("a.csv")));
  assert.ok(!viewable(asset("s/s_000001.vtu", { series_of: "s/s.pvd" })));
});

test("the latest of the highest rank is shown first", () => {
  assert.equal(best([]), undefined);
  assert.equal(best([asset("a.csv")]), undefined);
  assert.equal(best([asset("1.vtu"), asset("a.obj"), asset("2.vtu"), asset("b.stl")])?.path, "2.vtu");
});
