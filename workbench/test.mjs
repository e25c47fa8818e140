// Runs the unit tests beside the sources: bundled by esbuild, since their imports
// name no file ends, and run by Node's own runner. ATELIER_SEED repeats a run.
// Usage: node workbench/test.mjs MODULES
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";

const here = import.meta.dirname;
const modules = path.resolve(process.argv[2], "node_modules");
const out = mkdtempSync(path.join(modules, "..", "tests-")); // beside the modules, which stay outside the bundles
const esbuild = path.join(modules, "@esbuild", `${process.platform}-${process.arch}`, "bin", "esbuild");
const tests = globSync("src/**/*.test.ts", { cwd: here });
const bundle = [
  "--bundle",
  "--packages=external",
  "--platform=node",
  "--format=esm",
  "--out-extension:.js=.mjs",
  "--log-level=warning",
];
const seed = process.env.ATELIER_SEED ?? String(Math.floor(Math.random() * 2 ** 31));
let r = spawnSync(esbuild, [...tests, ...bundle, `--outdir=${out}`], { cwd: here, stdio: "inherit" });
if (r.status === 0) {
  const files = globSync("**/*.test.mjs", { cwd: out }).map((f) => path.join(out, f));
  r = spawnSync(process.execPath, ["--test", "--test-reporter=tap", ...files], {
    encoding: "utf8",
    env: { ...process.env, ATELIER_SEED: seed },
  });
  const count = (what) => Number(new RegExp(`^# ${what} (\\d+)$`, "m").exec(r.stdout)?.[1] ?? 0);
  const failed = count("fail") + count("cancelled");
  if (r.status !== 0) process.stdout.write(r.stdout + r.stderr);
  console.log("ATELIER_SEED=" + seed);
  console.log(`${count("pass")} passed, ${failed} failed, ${count("skipped") + count("todo")} skipped`);
}
rmSync(out, { recursive: true });
process.exit(r.status ?? 1);
