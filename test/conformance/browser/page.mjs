// Chromium, the server under test, and what the tests ask of a page.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { chromium } from "playwright-core";

export const root = process.env.ATELIER_TREE;
export const shots = process.env.SHOTS;
const axeSource = readFileSync(path.join(process.env.MODULES, "axe-core", "axe.min.js"), "utf8");

/** freePort finds a port that a server can be started on again after it was killed. */
function freePort() {
  return new Promise((done) => {
    const s = createServer().listen(0, "127.0.0.1", () => {
      const { port } = s.address();
      s.close(() => done(port));
    });
  });
}

/** Server is one data folder; it can be killed and started again at the same address. */
export class Server {
  constructor(data, args = []) {
    this.data = data;
    this.args = args;
  }

  async start() {
    this.port ??= await freePort();
    this.url = `http://127.0.0.1:${this.port}`;
    this.process = spawn(
      process.env.ATELIER_BIN,
      [
        "serve",
        "--addr",
        `127.0.0.1:${this.port}`,
        "--data",
        this.data,
        "--root",
        path.join(root, "examples"),
        "--log-level",
        "warn",
        ...this.args,
      ],
      { stdio: ["ignore", "ignore", "inherit"], env: process.env },
    );
    this.ended = new Promise((done) => this.process.on("exit", done));
    for (let i = 0; i < 200; i++) {
      if (
        await fetch(this.url + "/").then(
          (r) => r.ok,
          () => false,
        )
      )
        return this;
      await new Promise((done) => setTimeout(done, 50));
    }
    throw new Error("the server does not start");
  }

  async kill(signal = "SIGKILL") {
    this.process?.kill(signal);
    await this.ended;
  }

  async get(path) {
    return (await fetch(this.url + path)).json();
  }
}

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: [
      "--no-sandbox",
      "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader",
      "--disable-background-networking",
      "--disable-component-update",
      "--no-first-run",
    ],
  });
}

/** open is a page that fails the test on script errors, breaches of its policy and requests elsewhere. */
export async function open(browser, server, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  page.faults = [];
  page.on("pageerror", (e) => page.faults.push("script: " + e.message));
  page.on("console", (m) => {
    const text = m.text();
    if (m.type() === "error" && !/net::ERR_|Failed to load resource/.test(text)) page.faults.push("console: " + text);
  });
  page.on("request", (r) => {
    if (!r.url().startsWith(server.url) && !/^(blob|data):/.test(r.url())) page.faults.push("request to " + r.url());
  });
  return page;
}

export function check(condition, message) {
  if (!condition) throw new Error(message);
}

/** accessible runs axe-core's rules on the page as it is. */
export async function accessible(page, name) {
  await page.evaluate(axeSource);
  const found = await page.evaluate(() => axe.run());
  for (const v of found.violations)
    console.error(
      `${name}: ${v.id} (${v.impact}): ${v.help}\n  ` + v.nodes.map((n) => n.target.join(" ")).join("\n  "),
    );
  check(found.violations.length === 0, `${name}: axe-core finds ${found.violations.length} violations`);
  check(found.passes.length > 10, `${name}: axe-core looked at next to nothing`);
  return found.passes.length;
}

/** colours counts the pixels of the canvas by hue (six sextants), and those that are grey; what is laid over it is hidden meanwhile. */
export async function colours(page) {
  const overlay = (visibility) =>
    page.$$eval(".canvasbox > :not(canvas)", (list, v) => list.forEach((e) => (e.style.visibility = v)), visibility);
  await overlay("hidden");
  const png = (await page.locator(".canvasbox canvas[role=img]").screenshot()).toString("base64");
  await overlay("");
  return page.evaluate(async (data) => {
    const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const p = context.getImageData(0, 0, image.width, image.height).data;
    const hues = new Array(6).fill(0);
    let grey = 0;
    for (let i = 0; i < p.length; i += 4) {
      const [r, g, b] = [p[i], p[i + 1], p[i + 2]];
      const high = Math.max(r, g, b);
      const spread = high - Math.min(r, g, b);
      if (spread < 30) {
        grey++;
        continue;
      }
      const h = high === r ? ((g - b) / spread + 6) % 6 : high === g ? (b - r) / spread + 2 : (r - g) / spread + 4;
      hues[Math.floor(h) % 6]++;
    }
    return { hues, grey, all: p.length / 4 };
  }, png);
}

/** steps are the states of the steps shown, in their order. */
export const steps = (page) =>
  page.$$eval(".step", (list) =>
    list.map((e) => [
      e.querySelector(".tool").textContent,
      e.className.replace("step ", ""),
      getComputedStyle(e).borderLeftColor,
    ]),
  );

/** say uploads the bracket into a new session and writes a prompt; it answers with the session's id. */
export async function say(page, server, prompt) {
  await page.goto(server.url + "/#/");
  await page.locator("#files").setInputFiles(path.join(root, "examples/bracket/bracket.step"));
  await page.waitForFunction(() => location.hash.startsWith("#/s/"));
  await page.fill("#prompt", prompt);
  await page.keyboard.press("Enter");
  await page.waitForSelector(".step", { timeout: 30000 });
  return page.evaluate(() => location.hash.split("/")[2]);
}

/** until waits for a condition on what is read again and again. */
export async function until(what, read, good, ms = 90000) {
  const end = Date.now() + ms;
  for (;;) {
    const v = await read();
    if (good(v)) return v;
    if (Date.now() > end) throw new Error(`${what}: still ${JSON.stringify(v)}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}
