"use strict";
// The page of `windward explore`: settings on the left, what the engines answer on the right. `engine` answers: the
// command's server, or workers of the browser in the playground; `onAnswer` hears of each setting that is answered.
function explore(opening, engine, onAnswer = () => {}) {
  const $ = id => document.getElementById(id);
  let start = structuredClone(opening.scenario);
  let scenario = structuredClone(opening.scenario), groups = opening.groups, question = null, newest = 0, timer = 0;
  const live = { title: "Now", element: null, answer: null, scenario: null };
  const pinned = [];
  // By this the server knows the questions of one page.
  const me = `${performance.timeOrigin} ${Math.random()}`;

  // ---- Values at paths.
  const key = path => JSON.stringify(path);
  const get = (from, path) => path.reduce((inner, name) => inner?.[name], from);
  function set(into, path, value) {
    const last = path[path.length - 1];
    get(into, path.slice(0, -1))[last] = value;
  }

  // ---- Numbers as people write them.
  const STEPS = 1000, DECADES = 2;
  const three = value => String(Number(value.toPrecision(3)));

  function written(field, worth) {
    // In the unit that the file has, unless the number would be unwieldy there.
    const fits = unit => { const number = worth / field.units[unit]; return number >= 0.1 && number < 10000; };
    const usual = Object.keys(field.units).filter(unit => !/^(bps|kbps|Mbps|Gbps|B\/s|kB\/s|MB\/s|GB\/s|us|min|h|packet|pkt|pkts|KiB|MiB|GiB)$/.test(unit));
    const sorted = usual.sort((a, b) => field.units[b] - field.units[a]);
    const unit = worth === 0 || fits(field.unit) ? field.unit : sorted.find(fits) || field.unit;
    return three(worth / field.units[unit]) + " " + unit;
  }

  // Where a slider stands for a value, and back: logarithmic, with zero at its left end where zero can be.
  function scale(field) {
    if (field.type === "integer" || field.type === "number") {
      const value = field.start, whole = field.type === "integer";
      let low = field.low ?? (value < 0 ? 4 * value : 0), high = field.high;
      if (high === null || high === undefined || (value > 0 && high > 100 * value && high > 50)) high = Math.max(4 * Math.abs(value), whole ? 8 : 1);
      if (low > high) low = high - 1;
      const at = number => Math.round((number - low) / (high - low) * STEPS);
      const of = place => { const number = low + place / STEPS * (high - low); return whole ? Math.round(number) : Number(number.toPrecision(3)); };
      return { at, of, step: whole ? Math.max(1, Math.round(STEPS / (high - low))) : 1 };
    }
    const usual = field.type === "share" ? 0.001 : { s: 0.01, "bit/s": 1e6, packets: 100, B: 1e4 }[Object.keys(field.units)[0]] || Object.values(field.units)[0];
    const middle = field.start > 0 ? field.start : usual;
    let low = middle / 10 ** DECADES, high = middle * 10 ** DECADES;
    if (field.type === "share") { low = 1e-5; high = 0.5; }
    const span = Math.log(high / low);
    const at = worth => worth <= 0 ? 0 : Math.round(1 + Math.min(1, Math.max(0, Math.log(worth / low) / span)) * (STEPS - 1));
    const of = place => place <= 0 ? (field.mayBeZero ? 0 : low) : low * Math.exp((place - 1) / (STEPS - 1) * span);
    return { at, of, step: 5 };
  }

  // ---- Controls.
  const controls = new Map();
  let count = 0;

  function shape() { return JSON.stringify(groups.map(group => [group.title, group.fields.map(field => [field.path, field.type, field.choices])])); }
  let built = "";

  function build() {
    remember();
    if (shape() === built) { refresh(); return; }
    const focused = document.activeElement?.closest(".field")?.dataset.path, wasOpen = new Map();
    for (const group of document.querySelectorAll("#groups details")) wasOpen.set(group.dataset.key, group.open);
    built = shape();
    controls.clear();
    $("groups").replaceChildren(...groups.map((group, number) => {
      const details = make("details", { className: "group" });
      details.dataset.key = group.kind + group.title;
      details.open = wasOpen.get(details.dataset.key) ?? number < 4;
      details.append(make("summary", {}, group.title + " ", make("small", {}, group.kind === "run" ? "" : group.kind), " ", make("span", { className: "count" })));
      const first = make("div", { className: "fields" }), rest = group.fields.filter(field => !field.isWritten);
      for (const field of group.fields.filter(field => field.isWritten)) first.append(control(field));
      details.append(first);
      if (rest.length) {
        const more = make("details", { className: "more" });
        more.dataset.key = details.dataset.key + "+";
        more.open = wasOpen.get(more.dataset.key) ?? false;
        more.append(make("summary", {}, rest.length + " more, at their defaults"), ...rest.map(control));
        first.append(more);
      }
      return details;
    }));
    if (focused) document.querySelector(`.field[data-path='${CSS.escape(focused)}'] .value`)?.focus();
    refresh();
  }

  function make(name, properties, ...children) {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  }

  function control(field) {
    const id = "f" + count++, box = make("div", { className: "field", title: field.about });
    const known = first(field.path);
    box.dataset.path = key(field.path);
    field.start = field.type === "quantity" ? (field.worth) : field.value;
    field.mayBeZero = field.type === "share" || ["buffer", "delay", "rate", "duration", "segment"].indexOf(field.name) < 0;
    box.append(make("label", { htmlFor: id }, field.name));
    const entry = { field, box };
    if (field.type === "choice") {
      entry.value = make("select", { id, className: "value" }, ...field.choices.map(choice => make("option", { value: choice }, choice)));
      entry.value.addEventListener("change", () => change(field, field.isTable ? { [field.isTable]: entry.value.value } : entry.value.value));
    } else if (field.type === "switch") {
      entry.value = make("input", { id, type: "checkbox", className: "value" });
      entry.value.addEventListener("change", () => change(field, entry.value.checked));
    } else {
      entry.value = make("input", { id, className: "value", type: "text", inputMode: "text", spellcheck: false });
      entry.value.addEventListener("change", () => typed(entry));
      if (field.type !== "text") {
        entry.scale = scale(field);
        entry.slider = make("input", { type: "range", min: 0, max: STEPS, step: entry.scale.step });
        entry.slider.setAttribute("aria-label", `${field.path[0]} ${field.name}`);
        entry.slider.addEventListener("input", () => slid(entry));
        box.append(entry.slider);
      }
    }
    if (field.about) { entry.value.setAttribute("aria-description", field.about); }
    const back = make("button", { type: "button", className: "back", title: "As in the file" }, "↺");
    back.setAttribute("aria-label", `${field.name} as in the file`);
    back.addEventListener("click", () => { change(field, structuredClone(known)); refresh(); });
    box.append(entry.value, back);
    controls.set(key(field.path), entry);
    return box;
  }

  function slid(entry) {
    const { field } = entry, worth = entry.scale.of(Number(entry.slider.value));
    const value = field.type === "quantity" ? written(field, worth) : field.type === "share" ? Number(worth.toPrecision(3)) : worth;
    entry.value.value = text(field, value);
    entry.slider.setAttribute("aria-valuetext", entry.value.value);
    change(field, value);
  }

  function typed(entry) {
    const { field } = entry, raw = entry.value.value.trim();
    if (field.type === "quantity" || field.type === "text") { change(field, raw); return; }
    const number = field.type === "share" && raw.endsWith("%") ? Number(raw.slice(0, -1)) / 100 : Number(raw);
    if (raw === "" || !isFinite(number)) { entry.value.setAttribute("aria-invalid", "true"); return; }
    change(field, number);
  }

  function text(field, value) {
    if (field.type === "share") return three(100 * value) + " %";
    return typeof value === "number" ? String(Number(value.toPrecision(6))) : String(value);
  }

  function change(field, value) {
    const isTable = field.isTable !== undefined;
    set(scenario, field.path, value);
    if (isTable) built = "";
    for (const entry of controls.values()) entry.value.removeAttribute("aria-invalid");
    mark();
    ask();
  }

  // What the controls show is what the scenario says.
  function refresh() {
    for (const group of groups) for (const field of group.fields) {
      const entry = controls.get(key(field.path));
      if (!entry) continue;
      Object.assign(entry.field, { value: field.value, worth: field.worth, unit: field.unit ?? entry.field.unit });
      const { value, slider } = entry;
      if (field.type === "switch") value.checked = field.value;
      else if (document.activeElement !== value) value.value = text(field, field.value);
      if (slider && document.activeElement !== slider) {
        slider.value = entry.scale.at(field.type === "quantity" ? field.worth : field.value);
        slider.setAttribute("aria-valuetext", value.value);
      }
    }
    mark();
  }

  // What a field was at first: in the file, or, of a law chosen here, that law's own default.
  const firsts = new Map();
  const tag = (from, path) => { const table = get(from, path.slice(0, -1)); return table?.name && path.length > 3 ? table.name : table?.kind; };
  function first(path, now = scenario) {
    if (tag(now, path) === tag(start, path)) { const value = get(start, path); if (value !== undefined) return value; }
    return firsts.get(key(path) + tag(now, path));
  }
  function remember() {
    for (const group of groups) for (const { path } of group.fields) {
      const name = key(path) + tag(scenario, path);
      if (!firsts.has(name)) firsts.set(name, structuredClone(get(scenario, path)));
    }
  }

  function differs(path) { return JSON.stringify(plainly(get(scenario, path))) !== JSON.stringify(plainly(first(path))); }
  // A law is told by its name: its parameters are fields of their own.
  const plainly = value => value && typeof value === "object" ? value.name || value.kind || value : value;

  function mark() {
    for (const entry of controls.values()) entry.box.classList.toggle("changed", differs(entry.field.path));
    for (const group of document.querySelectorAll("#groups > .group")) {
      const number = group.querySelectorAll(".field.changed").length;
      group.querySelector(".count").textContent = number ? number + " changed" : "";
    }
    $("undo").disabled = !groups.some(group => group.fields.some(field => differs(field.path)));
  }

  // What is different from the file, in words.
  function changes(now) {
    const said = [];
    for (const group of groups) for (const field of group.fields) {
      const value = plainly(get(now, field.path));
      if (value === undefined || JSON.stringify(value) === JSON.stringify(plainly(first(field.path, now)))) continue;
      said.push(`${group.kind === "run" ? "" : group.title + " "}${field.name} ${text(field, value)}`);
    }
    return said.length ? said.join(", ") : "as in the file";
  }

  // ---- Questions and answers.
  const say = text => { $("status").textContent = text; };

  function ask() {
    // From now on the answer to what was asked before is out of date: it would put the controls back.
    newest++;
    question?.abort();
    document.body.classList.add("busy");
    clearTimeout(timer);
    timer = setTimeout(send, 15);
  }

  async function send() {
    const number = newest, began = performance.now();
    question = new AbortController();
    const asked = { page: me, number, scenario, seeds: Number($("seeds").value) || 1, utility: $("utility").value,
      scale: Math.max(0, ...pinned.map(state => state.answer.scale)),
      figures: [...document.querySelectorAll("[name=figure]:checked")].map(box => box.value) };
    let first = 0;
    try {
      await engine.run(asked, question.signal, news => {
        if (number !== newest) return;
        if (news.error !== undefined) { problem(news.error); return; }
        if (news.groups) { problem(""); scenario = news.scenario; groups = news.groups; build(); return; }
        show(news);
        first ||= performance.now() - began;
        say(news.until !== null && news.until !== undefined ? `so far ${news.until.toFixed(1)} s …`
          : `first shown in ${Math.round(first)} ms` + (news.done ? `, all engines in ${Math.round(performance.now() - began)} ms` : ", equations follow …"));
        if (news.done) { document.body.dataset.done = String(number); onAnswer(); }
      });
    } catch (error) {
      if (error.name === "AbortError") return;
      problem(error.message);
    }
    if (number === newest) document.body.classList.remove("busy");
  }

  function problem(text) {
    const box = $("problem");
    box.hidden = !text;
    box.textContent = text;
    if (text) { say("not a scenario"); document.body.classList.remove("busy"); }
  }

  // ---- What is shown.
  function column(state) {
    const element = make("section", { className: "column" + (state === live ? " live" : "") });
    element.setAttribute("aria-label", state.title);
    const head = make("div", { className: "head" }, make("h2", {}, state.title), make("p", { className: "changes" }));
    if (state !== live) {
      const off = make("button", { type: "button" }, "Unpin"), back = make("button", { type: "button", title: "Put the sliders there" }, "Take");
      off.addEventListener("click", () => { pinned.splice(pinned.indexOf(state), 1); element.querySelectorAll(".chart").forEach(Windward.drop); element.remove(); arrange(); });
      back.addEventListener("click", () => { scenario = structuredClone(state.scenario); built = ""; ask(); });
      head.append(back, off);
    }
    element.append(head, make("div", { className: "table" }), make("div", { className: "told" }), make("div", { className: "charts" }));
    state.element = element;
    return element;
  }

  function show(answer) {
    live.answer = answer;
    live.scenario = structuredClone(scenario);
    fill(live);
    for (const other of pinned) draw(other);
    align();
  }

  function fill(state) {
    const { element, answer } = state;
    element.querySelector(".changes").textContent = element.querySelector(".changes").title = changes(state.scenario);
    if (answer.engines) element.querySelector(".table").innerHTML = answer.engines;
    if (answer.tables) element.querySelector(".told").innerHTML = answer.tables;
    const place = element.querySelector(".charts"), old = new Map([...place.children].map(child => [child.id, child]));
    const wanted = answer.charts.map((chart, number) => {
      const known = old.get("chart-" + chart.key);
      if (known && Windward.fits(known, chart)) {
        known.querySelector(".note").textContent = "";
        known.querySelector(".note").insertAdjacentHTML("beforeend", new DOMParser().parseFromString(answer.frames[number], "text/html").querySelector(".note").innerHTML);
        return known;
      }
      if (known) Windward.drop(known);
      const frame = document.createElement("template");
      frame.innerHTML = answer.frames[number];
      return frame.content.firstElementChild;
    });
    for (const child of old.values()) if (!wanted.includes(child)) Windward.drop(child);
    place.replaceChildren(...wanted);
    draw(state);
  }

  // The same axes in all columns.
  function draw(state) {
    const place = state.element.querySelector(".charts");
    state.answer.charts.forEach((chart, number) => {
      const others = [live, ...pinned].map(other => other.answer?.charts.find(one => one.key === chart.key)).filter(Boolean);
      const span = chart.span.map((_, end) => Math[end % 2 ? "max" : "min"](...others.map(one => one.span[end])));
      Windward.put(place.children[number], { ...chart, span });
    });
  }

  function arrange() {
    const columns = $("columns");
    columns.style.setProperty("--columns", pinned.length + 1);
    columns.classList.toggle("several", pinned.length > 0);
    $("pin").disabled = pinned.length > 1;
    if (live.answer) for (const state of [...pinned, live]) draw(state);
    align();
  }

  // The same scale in the strips of all columns: marks, ticks and errors go where the widest scale has them.
  const EDGE = 8;
  function align() {
    const states = [...pinned, live].filter(state => state.answer?.drawn > 0), most = Math.max(...states.map(state => state.answer.drawn));
    const widest = states.find(state => state.answer.drawn === most)?.element.querySelector("svg.scale");
    for (const { element, answer } of states) {
      const factor = answer.drawn / most;
      for (const mark of element.querySelectorAll(".strip g[data-x]")) {
        const shift = (Number(mark.dataset.x) - EDGE) * (factor - 1);
        mark.setAttribute("transform", `translate(${shift} 0)`);
        mark.querySelector(".error")?.setAttribute("transform", `translate(${EDGE * (1 - factor) - shift} 0) scale(${factor} 1)`);
      }
      const ticks = element.querySelector("svg.scale");
      if (ticks && widest && ticks !== widest) ticks.innerHTML = widest.innerHTML;
    }
  }

  // ---- Files.
  function save(blob, name) {
    const link = make("a", { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  $("file").addEventListener("click", async () => {
    try {
      save(new Blob([await engine.file(scenario)], { type: "application/toml" }), scenario.name + ".toml");
    } catch (error) {
      problem(error.message);
    }
  });

  $("picture").addEventListener("click", async () => save(await picture(document.querySelector("main")), scenario.name + ".png"));

  // What an element shows as a picture: its texts, its canvases, its drawings.
  async function picture(element) {
    const whole = element.getBoundingClientRect(), ratio = 2, style = getComputedStyle(document.documentElement);
    const canvas = make("canvas", { width: whole.width * ratio, height: whole.height * ratio }), ctx = canvas.getContext("2d");
    ctx.scale(ratio, ratio);
    ctx.fillStyle = style.getPropertyValue("--paper");
    ctx.fillRect(0, 0, whole.width, whole.height);
    const at = rect => [rect.left - whole.left, rect.top - whole.top, rect.width, rect.height];
    for (const one of element.querySelectorAll("canvas")) ctx.drawImage(one, ...at(one.getBoundingClientRect()));
    for (const one of element.querySelectorAll("svg")) {
      const copy = one.cloneNode(true), rect = one.getBoundingClientRect();
      if (!rect.width) continue;
      const originals = one.querySelectorAll("*");
      copy.querySelectorAll("*").forEach((part, number) => {
        const look = getComputedStyle(originals[number]);
        for (const name of ["fill", "stroke", "stroke-width", "opacity", "fill-opacity", "font"]) part.style.setProperty(name, look.getPropertyValue(name));
      });
      copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
      copy.setAttribute("width", rect.width);
      copy.setAttribute("height", rect.height);
      const image = new Image();
      image.src = "data:image/svg+xml," + encodeURIComponent(new XMLSerializer().serializeToString(copy));
      await image.decode().catch(() => {});
      ctx.drawImage(image, ...at(rect));
    }
    for (const one of element.querySelectorAll("figcaption i")) {
      const [x, y, width] = at(one.getBoundingClientRect());
      ctx.fillStyle = getComputedStyle(one).borderTopColor;
      ctx.fillRect(x, y, width, 2);
    }
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    ctx.textBaseline = "middle";
    while (walker.nextNode()) {
      const node = walker.currentNode, parent = node.parentElement;
      if (!node.data.trim() || parent.closest("svg, button, [hidden], title")) continue;
      const range = document.createRange(), look = getComputedStyle(parent);
      ctx.font = `${look.fontWeight} ${look.fontSize} ${look.fontFamily}`;
      ctx.fillStyle = look.color;
      // Line by line, as it is broken.
      let line = "", top = null, place = null;
      const flush = () => { if (line.trim()) ctx.fillText(line.trimEnd(), place[0], place[1] + place[3] / 2); line = ""; };
      for (let number = 0; number < node.length; number++) {
        range.setStart(node, number);
        range.setEnd(node, number + 1);
        const rect = range.getBoundingClientRect();
        if (!rect.width) continue;
        if (top === null || Math.abs(rect.top - top) > 3) { flush(); top = rect.top; place = at(rect); }
        line += node.data[number];
      }
      flush();
    }
    return new Promise(resolve => canvas.toBlob(resolve, "image/png"));
  }

  // ---- The rest of the page.
  $("pin").addEventListener("click", () => {
    if (!live.answer || pinned.length > 1) return;
    const state = { title: pinned.some(one => one.title === "A") ? "B" : "A", answer: live.answer, scenario: live.scenario };
    pinned.push(state);
    $("columns").insertBefore(column(state), live.element);
    fill(state);
    arrange();
  });
  $("undo").addEventListener("click", () => { scenario = structuredClone(start); built = ""; ask(); });
  $("controls").addEventListener("submit", event => event.preventDefault());
  for (const name of ["seeds", "utility"]) $(name).addEventListener("change", ask);
  for (const box of document.querySelectorAll("[name=figure]")) box.addEventListener("change", ask);

  // ---- Another file, and the settings in it.
  // Fields that differ from the file, with their values, and what is asked beside them.
  function state() {
    const changes = groups.flatMap(group => group.fields).filter(field => differs(field.path)).map(({ path }) => [path, get(scenario, path)]);
    return { changes, seeds: Number($("seeds").value) || 1, utility: $("utility").value };
  }

  function open(opening, { changes = [], seeds = 1, utility = "proportional" } = {}) {
    start = structuredClone(opening.scenario);
    scenario = structuredClone(opening.scenario);
    groups = opening.groups;
    firsts.clear();
    built = "";
    for (const one of pinned.splice(0)) one.element.remove();
    live.answer = null;
    arrange();
    $("seeds").value = seeds;
    $("utility").value = utility;
    document.querySelector("h1").textContent = scenario.title || scenario.name;
    document.querySelector(".bar b").textContent = scenario.name;
    build();
    for (const [path, value] of changes) if (get(scenario, path.slice(0, -1)) !== undefined) set(scenario, path, value);
    ask();
  }

  Windward.begin();
  $("columns").append(column(live));
  arrange();
  build();
  send();
  return { open, state, problem };
}

// The command's server: questions are requests, answers lines of JSON.
const server = {
  async run(asked, signal, emit) {
    const answer = await this.post("run", asked, signal);
    const reader = answer.body.getReader(), decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      const lines = rest.split("\n");
      rest = lines.pop();
      for (const line of lines) emit(JSON.parse(line));
    }
  },

  async file(scenario) { return (await this.post("file", { scenario })).text(); },

  async post(to, asked, signal) {
    let answer;
    try {
      answer = await fetch(to, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(asked), signal });
    } catch (error) {
      throw error instanceof TypeError ? new Error("windward explore does not run any more: start it again.") : error;
    }
    if (!answer.ok) throw new Error((await answer.text()).trim());
    return answer;
  },
};

// The playground has no opening in the page: it reads a file first.
if (document.getElementById("opening")) explore(JSON.parse(document.getElementById("opening").textContent), server);
