// Reads what `atelier harmony` shows of the tools as TypeScript, so that no
// description or default breaks the types around it.
// Usage: typescript.js PROMPT
const fs = require("node:fs");
const ts = require("typescript");

const prompt = fs.readFileSync(process.argv[2], "utf8");
const [, tools] = prompt.split("\n# Tools\n");
const source = tools.split("\n# Valid channels")[0].replace(/^## .*$/gm, "");
const file = ts.createSourceFile("tools.ts", source, ts.ScriptTarget.Latest, true);
for (const fault of file.parseDiagnostics) {
  const { line } = file.getLineAndCharacterOfPosition(fault.start);
  const text = ts.flattenDiagnosticMessageText(fault.messageText, "\n");
  console.error(`harmony: line ${line + 1}: ${text}: ${source.split("\n")[line]}`);
}
const types = file.statements.flatMap((s) => (s.body ? s.body.statements : []));
if (file.parseDiagnostics.length > 0 || !types.length || !types.every(ts.isTypeAliasDeclaration)) {
  process.exit(1);
}
console.log(`harmony: ${types.length} tools in ${file.statements.length} namespaces are TypeScript`);
console.log(`${types.length} passed, 0 failed, 0 skipped`);
