// Answers of the playground's page to what the native engine computed: read from a file of JSON, written to the output.
import { readFileSync } from "node:fs";

const [sources, given] = process.argv.slice(2);
const names = ["fields.js", "numbers.js", "results.js", "figures.js", "tables.js", "engine.js", "editor.js"];
const code = names.map(name => readFileSync(`${sources}/${name}`, "utf8")).join("\n");
const page = new Function(`${code}\nreturn { fieldsOf, fluidOf, soFar, completionsAt, fixed, general, tQuantile };`)();
const asked = JSON.parse(readFileSync(given, "utf8"));

// JSON has neither NaN nor infinities: null and texts stand for them.
const numbers = column => column.every(value => value === null || typeof value === "number" || value === "Infinity")
  ? Float64Array.from(column, value => value === null ? NaN : Number(value)) : column;
const tables = all => Object.fromEntries(Object.entries(all).map(([kind, table]) => [kind, Object.fromEntries(Object.entries(table).map(([name, column]) => [name, numbers(column)]))]));

const answers = {
  groups: ({ schema, quantities, scenario, written }) => page.fieldsOf(schema, text => quantities[text] ?? null)(scenario, written),
  answer: ({ about, outputs, best, fluid, pieces, figures, leftOut }) => page.soFar({
    about, figures, pieces, scale: 0, began: 0, shown: null, leftOut: new Map(Object.entries(leftOut)),
    outputs: new Map(Object.entries(outputs).map(([seed, output]) => [Number(seed), { ...output, tables: tables(output.tables) }])),
    best: best && { names: best.flow, goodput_bps: best.goodput_bps },
    fluid: fluid && page.fluidOf({ ...fluid, tables: tables(fluid.tables) }),
  }, true),
  completions: ({ schema, text, caret }) => page.completionsAt(schema, text, caret),
  numbers: ({ values }) => values.map(([value, digits]) => [page.fixed(value, digits), page.general(value, digits + 1)]),
  quantiles: ({ counts }) => counts.map(count => page.tQuantile(count)),
};
process.stdout.write(JSON.stringify(asked.map(question => answers[question.do](question))));
