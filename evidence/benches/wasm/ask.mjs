// Asks the engines for WebAssembly in Node: a question in JSON a line in, an answer a line out.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [sources, path] = process.argv.slice(2);
const { engineOf } = new Function(`${readFileSync(`${sources}/module.js`, "utf8")}\nreturn { engineOf };`)();
const module = new WebAssembly.Module(readFileSync(path));
let engine = engineOf(module);

const bytes = column => Buffer.from(column.buffer, column.byteOffset, column.byteLength);
const isColumn = column => ArrayBuffer.isView(column);

// Columns as hashes of their bytes, or, of few numbers, as these bytes.
function told(column, isWhole) {
  return isWhole ? bytes(column).toString("base64") : createHash("sha256").update(bytes(column)).digest("hex");
}

for await (const line of createInterface({ input: process.stdin })) {
  const { whole = false, ...question } = JSON.parse(line), before = process.cpuUsage();
  let answer;
  try {
    answer = engine.ask(question);
  } catch (error) {
    answer = { panic: error.message };
    engine = engineOf(module);
  }
  const { user, system } = process.cpuUsage(before);
  const tables = Object.fromEntries(Object.entries(answer.tables ?? {}).map(([kind, table]) =>
    [kind, Object.fromEntries(Object.entries(table).map(([name, column]) => [name, isColumn(column) ? told(column, whole) : column]))]));
  process.stdout.write(JSON.stringify({ error: answer.error, panic: answer.panic, events: answer.events, tables, cpu_s: (user + system) / 1e6, memory: engine.bytes() }) + "\n");
}
