import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes, duration, num, quantity, scaleFor, words } from "./format";
import { random } from "./testing";

test("a quantity takes the prefix under which it reads best", () => {
  assert.equal(quantity(2.1e11, "Pa"), "210 GPa");
  assert.equal(quantity(-0.0123456, "m"), "-12.35 mm");
  assert.equal(quantity(999.96, "Hz"), "1 kHz");
  assert.equal(quantity(0, "N"), "0 N");
  assert.equal(quantity(2.5e-12, "F"), "2.500e-12 F");
  assert.equal(quantity(1234567, "kg"), "1.235e6 kg"); // takes no prefix
});

test("scale and unit of any size give the value back", () => {
  const r = random(1);
  for (let i = 0; i < 500; i++) {
    const value = r.between(-1, 1) * 10 ** r.integer(-9, 11);
    const { factor, unit } = scaleFor(value, "Pa");
    const prefix = { G: 1e9, M: 1e6, k: 1e3, "": 1, m: 1e-3, µ: 1e-6, n: 1e-9 }[unit.slice(0, -2)]!;
    assert.ok(Math.abs(value * factor * prefix - value) <= 1e-12 * Math.abs(value), `${value} ${unit}`);
  }
});

test("numbers keep their significant digits", () => {
  const r = random(2);
  for (let i = 0; i < 500; i++) {
    const value = r.between(-1, 1) * 10 ** r.integer(-12, 12);
    assert.ok(Math.abs(Number(num(value, 5)) - value) <= 0.5000001e-4 * Math.abs(value), `${value}: ${num(value, 5)}`);
  }
  assert.equal(num(NaN), "NaN");
});

test("sizes, times and names in words", () => {
  assert.equal(bytes(999), "999 B");
  assert.equal(bytes(1500), "1.5 kB");
  assert.equal(bytes(999_600), "1 MB");
  assert.equal(bytes(5e15), "5000 TB");
  assert.equal(duration(999.4), "999 ms");
  assert.equal(duration(59_000), "59 s");
  assert.equal(duration(61_000), "1 min 1 s");
  assert.equal(words("von_mises_max"), "von mises max");
});
