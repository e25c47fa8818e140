// Builds the page into workbench/dist: scripts and styles by esbuild, each with a
// hash of its content in its name and compressed, the page that loads them, and
// the licences of the libraries inside. The same sources give the same files.
// Usage: node workbench/build.mjs MODULES [OUT]
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";

const here = import.meta.dirname;
const modules = path.resolve(process.argv[2], "node_modules");
const out = path.resolve(process.argv[3] ?? path.join(here, "dist"));
const platform = `${process.platform}-${process.arch}`;
const esbuild = path.join(modules, "@esbuild", platform, "bin", "esbuild");

// A copy of the sources beside the modules, whose links are not followed: no folder
// of the build is in the result.
const work = mkdtempSync(path.join(tmpdir(), "workbench-"));
cpSync(path.join(here, "src"), path.join(work, "src"), { recursive: true });
cpSync(path.join(here, "tsconfig.json"), path.join(work, "tsconfig.json"));
symlinkSync(modules, path.join(work, "node_modules"));

function run(program, args) {
  const r = spawnSync(program, args, { cwd: work, stdio: ["ignore", "inherit", "inherit"] });
  if (r.status !== 0) process.exit(r.status ?? 1);
}

function bundle(entries, more) {
  run(esbuild, [
    ...entries,
    "--bundle",
    "--minify",
    "--format=esm",
    "--target=es2022",
    "--splitting",
    "--outdir=assets",
    "--log-level=warning",
    "--entry-names=[name]-[hash]",
    "--chunk-names=[name]-[hash]",
    "--legal-comments=none",
    "--jsx=automatic",
    "--jsx-import-source=preact",
    "--metafile=meta.json",
    "--preserve-symlinks",
    ...more,
  ]);
  const { outputs } = JSON.parse(readFileSync(path.join(work, "meta.json"), "utf8"));
  return (entry) => path.basename(Object.keys(outputs).find((o) => outputs[o].entryPoint === entry));
}

const worker = bundle(["src/viewer/worker.ts"], [])("src/viewer/worker.ts");
const made = bundle(["src/main.tsx", "src/main.css"], [`--define:WORKER=${JSON.stringify(worker)}`]);

rmSync(out, { recursive: true, force: true });
mkdirSync(path.join(out, "assets"), { recursive: true });
for (const name of readdirSync(path.join(work, "assets")).sort()) {
  writeFileSync(
    path.join(out, "assets", name + ".gz"),
    gzipSync(readFileSync(path.join(work, "assets", name)), { level: 9 }),
  );
}
const page = readFileSync(path.join(here, "index.html"), "utf8")
  .replace("main.js", made("src/main.tsx"))
  .replace("main.css", made("src/main.css"));
writeFileSync(path.join(out, "index.html"), page);

const inside = ["preact", "three", "uplot"];
const licences = inside.map((name) => {
  const { version, license } = JSON.parse(readFileSync(path.join(modules, name, "package.json"), "utf8"));
  return `${name} ${version} (${license})\n\n${readFileSync(path.join(modules, name, "LICENSE"), "utf8").trim()}\n`;
});
writeFileSync(
  path.join(out, "LICENSES.txt"),
  "Libraries inside the workbench's scripts.\n\n" + licences.join("\n----\n\n"),
);
rmSync(work, { recursive: true });
