// The scenario file beside the sliders: problems at their lines, and what may be written where the cursor is.

const TABLE = /^\s*\[\[?\s*([\w.-]+)\s*\]\]?/;

// What may be written at a place of a text: names of fields, or values of the field before the cursor.
function completionsAt(schema, text, caret) {
  const before = text.slice(0, caret), line = before.slice(before.lastIndexOf("\n") + 1);
  if (/^\s*(#|\[)/.test(line)) return null;
  let path = before.split("\n").slice(0, -1).reduce((found, one) => TABLE.exec(one)?.[1].split(".") ?? found, []);
  // Tables in braces that are still open, each behind the name that it is the value of.
  const open = [];
  for (const token of before.replace(/#.*$/gm, "").matchAll(/"(?:[^"\\\n]|\\.)*"?|([\w-]+)\s*=\s*(?:\[\s*)?(?=\{)|[{}]|^\s*\[\[?.*$/gm)) {
    if (token[1]) open.push({ name: token[1], isOpen: false });
    else if (token[0] === "{") { const last = open.at(-1); if (last && !last.isOpen) last.isOpen = true; else open.push({ name: last?.name, isOpen: true, isNext: true }); }
    else if (token[0] === "}") { const last = open.at(-1); if (last?.isNext) open.pop(); else if (last) last.isOpen = false; }
    else if (/^\s*\[/.test(token[0])) open.length = 0;
  }
  while (open.length && !open.at(-1).isOpen) open.pop();
  path = [...path, ...open.filter(one => one.isOpen && !one.isNext).map(one => one.name)];
  const rest = line.slice(Math.max(line.lastIndexOf("{"), line.lastIndexOf(",")) + 1);
  const variants = part => { part = part?.$ref ? schema.$defs[part.$ref.split("/").at(-1)] : part; return [...(part?.anyOf ?? []), ...(part?.oneOf ?? [])].flatMap(variants).concat(part && !part.anyOf && !part.oneOf ? [part] : []); };
  const inside = kinds => kinds.flatMap(kind => kind.type === "array" || kind.items ? variants(kind.items) : [kind]);
  const kinds = path.reduce((found, name) => inside(inside(found).flatMap(kind => variants(kind.properties?.[name]))), variants(schema));
  const value = /^\s*([\w-]+)\s*=\s*"?([^"]*)$/.exec(rest);
  if (value) {
    const found = kinds.flatMap(kind => variants(kind.properties?.[value[1]]));
    const words = found.flatMap(kind => [...(kind.enum ?? []), kind.const, kind.properties?.name?.const, kind.properties?.kind?.const]);
    const isQuoted = rest.includes('"'), known = [...new Set(words.filter(word => typeof word === "string" && word !== "python"))];
    return { from: caret - value[2].length, words: known.filter(word => word.startsWith(value[2])).map(word => ({ word, text: isQuoted ? word : `"${word}"` })) };
  }
  const name = /^\s*([\w-]*)$/.exec(rest);
  if (!name) return null;
  const properties = Object.assign({}, ...kinds.map(kind => kind.properties ?? {}));
  const words = Object.keys(properties).filter(word => word.startsWith(name[1])).map(word => ({ word, text: `${word} = `, about: variants(properties[word])[0]?.description ?? properties[word].description ?? "" }));
  return { from: caret - name[1].length, words };
}

class Editor {
  // `onChange` gets the text once it rests.
  constructor(box, schema, onChange) {
    this.area = box.querySelector("textarea");
    this.lines = box.querySelector(".lines");
    this.said = box.querySelector(".problems");
    this.list = box.querySelector(".completions");
    this.schema = schema;
    let timer = 0;
    this.area.addEventListener("input", () => { this.number(); this.offer(false); clearTimeout(timer); timer = setTimeout(() => onChange(this.area.value), 300); });
    this.area.addEventListener("scroll", () => { this.lines.scrollTop = this.area.scrollTop; });
    this.area.addEventListener("blur", () => setTimeout(() => this.close(), 150));
    this.area.addEventListener("keydown", event => this.pressed(event));
  }

  set(text) { this.area.value = text; this.number(); this.tell([]); }

  number(bad = new Set()) {
    const count = this.area.value.split("\n").length;
    this.lines.replaceChildren(...Array.from({ length: count }, (_, at) => Object.assign(document.createElement("div"), { textContent: at + 1, className: bad.has(at + 1) ? "bad" : "" })));
    this.lines.scrollTop = this.area.scrollTop;
  }

  // Problems with line, column and hint; a click goes to the place.
  tell(problems) {
    this.number(new Set(problems.map(problem => problem.line)));
    this.area.toggleAttribute("aria-invalid", problems.length > 0);
    this.said.hidden = !problems.length;
    this.said.replaceChildren(...problems.map(({ line, column, width, path, message, hint }) => {
      const item = document.createElement("li"), button = Object.assign(document.createElement("button"), { type: "button", textContent: line ? `line ${line}` : path || "file" });
      button.addEventListener("click", () => this.go(line ?? 1, column ?? 1, width ?? 0));
      item.append(button, ` ${message}`, ...(hint ? [Object.assign(document.createElement("small"), { textContent: ` hint: ${hint}` })] : []));
      return item;
    }));
  }

  go(line, column, width) {
    const before = this.area.value.split("\n").slice(0, line - 1).reduce((size, one) => size + one.length + 1, 0);
    this.area.focus();
    this.area.setSelectionRange(before + column - 1, before + column - 1 + width);
    this.area.scrollTop = (line - 4) * parseFloat(getComputedStyle(this.area).lineHeight);
  }

  offer(isAsked) {
    const found = this.area.selectionStart === this.area.selectionEnd ? completionsAt(this.schema, this.area.value, this.area.selectionStart) : null;
    const typed = found === null ? "" : this.area.value.slice(found.from, this.area.selectionStart);
    if (found === null || !found.words.length || (!isAsked && !typed) || (found.words.length === 1 && found.words[0].word === typed)) { this.close(); return; }
    this.found = { ...found, words: found.words.slice(0, 40) };
    this.chosen = 0;
    this.list.hidden = false;
    this.list.replaceChildren(...this.found.words.map(({ word, about }, at) => {
      const item = Object.assign(document.createElement("li"), { title: about ?? "" });
      item.setAttribute("role", "option");
      item.append(Object.assign(document.createElement("b"), { textContent: word }), ` ${(about ?? "").split(/(?<=\.)\s/)[0]}`);
      item.addEventListener("mousedown", event => { event.preventDefault(); this.take(at); });
      return item;
    }));
    this.mark();
  }

  mark() { [...this.list.children].forEach((item, at) => { item.setAttribute("aria-selected", at === this.chosen); if (at === this.chosen) item.scrollIntoView({ block: "nearest" }); }); }
  close() { this.list.hidden = true; }

  take(at) {
    const { from, words } = this.found;
    this.area.setRangeText(words[at].text, from, this.area.selectionStart, "end");
    this.close();
    this.area.dispatchEvent(new Event("input"));
    this.close();
  }

  pressed(event) {
    if (event.key === " " && event.ctrlKey) { event.preventDefault(); this.offer(true); return; }
    if (this.list.hidden) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) { this.chosen = (this.chosen + step + this.found.words.length) % this.found.words.length; this.mark(); }
    else if (event.key === "Enter" || event.key === "Tab") this.take(this.chosen);
    else if (event.key === "Escape") this.close();
    else return;
    event.preventDefault();
  }
}
