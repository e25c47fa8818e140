// Walks examples through the workbench in a real Chromium: drops the part, types
// the prompt, waits for the answer and for what the README says is shown.
// Usage: walk.mjs URL CHROMIUM, a list of {name, file, prompt, shown} on stdin;
// prints the answers by name.
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const [url, executablePath] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });
const answers = {};
for (const { name, file, prompt, shown } of JSON.parse(readFileSync(0, "utf8"))) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(100000);
  await page.goto(url + "/#/");
  await page.waitForSelector("#prompt");
  if (file) {
    await page.locator("#files").setInputFiles(file);
    await page.waitForFunction(() => location.hash.startsWith("#/s/"));
  }
  await page.fill("#prompt", prompt);
  await page.keyboard.press("Enter");
  const said = () => [...document.querySelectorAll(".said.assistant")].at(-1)?.innerText ?? "";
  try {
    await page.waitForFunction(() => [...document.querySelectorAll(".said.assistant")].at(-1)?.innerText.match(/Evidence.*:/));
    await page.waitForSelector(shown);
  } catch (fault) {
    console.error(`${name}: ${fault.message}\nlast answer: ${await page.evaluate(said)}`);
    process.exit(1);
  }
  answers[name] = await page.evaluate(said);
  await page.close();
}
await browser.close();
console.log(JSON.stringify(answers));
