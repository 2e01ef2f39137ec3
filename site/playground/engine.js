// Answers what the page asks, by workers in place of a server: packets a worker for each seed, beside them optimum and equations.

class Superseded extends Error {}

// Answers that are kept, and bytes of them: those of a run with thousands of flows are many.
const KEPT = 64, KEPT_BYTES = 256e6, MOST_PIECES = 24;

class Pool {
  // `code` is the worker's script, `module` the compiled engine.
  constructor(code, module, size) {
    this.address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    this.module = module;
    this.kept = new Map();
    this.running = new Map();
    this.waiting = [];
    this.idle = Array.from({ length: size }, () => this.hire());
    this.count = 0;
    this.restarts = 0;
  }

  hire() {
    const worker = new Worker(this.address);
    worker.postMessage({ module: this.module });
    return worker;
  }

  // The answer to a question: the one that is kept, the one that is being worked at, or a new one.
  ask(question, onShown = null) {
    const key = JSON.stringify(question);
    if (this.kept.has(key)) {
      const answer = this.kept.get(key);
      this.kept.delete(key);
      this.kept.set(key, answer);
      return { key, answer: Promise.resolve(answer) };
    }
    let task = this.running.get(key) ?? this.waiting.find(one => one.key === key);
    if (!task) {
      task = { key, question, id: ++this.count };
      task.answer = new Promise((resolve, reject) => Object.assign(task, { resolve, reject }));
      task.answer.catch(() => {});
      this.waiting.push(task);
    }
    task.onShown = onShown;
    this.start();
    return task;
  }

  start() {
    while (this.waiting.length && this.idle.length) {
      const task = this.waiting.shift(), worker = this.idle.pop();
      this.running.set(task.key, Object.assign(task, { worker }));
      worker.onmessage = ({ data }) => this.heard(task, data);
      worker.onerror = event => this.lost(task, event.message || "the worker stopped");
      worker.postMessage({ id: task.id, question: task.question, isShown: task.onShown !== null });
    }
  }

  heard(task, data) {
    if (data.shown) { task.onShown?.(data.shown); return; }
    if (data.panic !== undefined) { this.lost(task, data.panic); return; }
    this.running.delete(task.key);
    this.idle.push(task.worker);
    this.kept.set(task.key, data.answer);
    const bytes = () => [...this.kept.values()].reduce((whole, answer) => whole + (answer.buffer?.byteLength ?? 0), 0);
    while (this.kept.size > KEPT || (this.kept.size > 1 && bytes() > KEPT_BYTES)) this.kept.delete(this.kept.keys().next().value);
    task.resolve(data.answer);
    this.start();
  }

  // After a panic: another worker in its place, and the message to the caller.
  lost(task, message) {
    this.end(task);
    task.reject(new Error(`${message}\nThis is a bug in Windward; the engine was started again.`));
  }

  end(task) {
    task.worker.terminate();
    this.running.delete(task.key);
    this.idle.push(this.hire());
    this.restarts++;
    this.start();
  }

  // Ends what is worked at or waited for, but for these.
  keepOnly(keys) {
    for (const task of this.waiting.filter(one => !keys.has(one.key))) task.reject(new Superseded());
    this.waiting = this.waiting.filter(one => keys.has(one.key));
    for (const task of [...this.running.values()].filter(one => !keys.has(one.key))) { task.reject(new Superseded()); this.end(task); }
  }
}

class Engine {
  constructor(code, module) {
    this.pool = new Pool(code, module, Math.max(2, Math.min(8, navigator.hardwareConcurrency || 2)));
    this.files = {};
    this.written = null;
    //: The answers of the last question, for whoever wants the tables.
    this.last = null;
  }

  // Reads a file: what the page opens with, or `error` and `problems` with their places.
  async open(text, files = this.files) {
    const found = await this.pool.ask({ do: "read", scenario: text, files, format: "toml" }).answer;
    if (!found.error) { this.files = files; this.written = found.written; }
    return found;
  }

  async file(scenario) {
    const found = await this.read(scenario).answer;
    if (found.error) throw new Error(found.error);
    return found.toml;
  }

  read(scenario) {
    return this.pool.ask({ do: "read", scenario: JSON.stringify(scenario), format: "json", files: this.files, written: this.written });
  }

  // Tells `emit` what the engines answer, as soon as each does.
  async run({ scenario, seeds, utility, scale, figures }, signal, emit) {
    const began = performance.now(), check = () => { if (signal.aborted) throw new DOMException("superseded", "AbortError"); };
    const reading = this.read(scenario);
    const text = { scenario: JSON.stringify(scenario), format: "json", files: this.files };
    const asked = [reading];
    const keep = () => this.pool.keepOnly(new Set(asked.map(task => task.key)));
    keep();
    const about = await reading.answer;
    check();
    if (about.error) { emit({ error: about.error }); return; }
    if (about.python_classes.length) { emit({ error: `${about.python_classes.join(", ")}: laws, schedulers and rules in Python do not run in a browser; use windward explore on your own machine` }); return; }
    emit({ scenario: about.scenario, groups: about.groups });
    const found = { about, began, scale, figures, outputs: new Map(), shown: null, best: null, fluid: null, pieces: [], leftOut: new Map(), packetsDone: false };
    const say = isDone => { check(); this.last = found; emit(soFar(found, isDone)); };
    const ask = (question, onShown) => { const task = this.pool.ask({ ...text, ...question }, onShown); asked.push(task); return task.answer; };
    const work = [];
    if (about.has_region) { found.leftOut.set("packets", "a region says which rates are possible, not how packets get them"); found.packetsDone = true; } else {
      const shown = (answer, seed) => { if (seed === 1 && !signal.aborted && !found.outputs.size) { found.shown = answer; say(false); } };
      const all = Array.from({ length: seeds }, (_, at) => at + 1).map(async seed => {
        const output = await ask({ do: "simulate", seed }, answer => shown(answer, seed));
        if (output.error) throw new Error(output.error);
        found.outputs.set(seed, output);
      });
      work.push(Promise.all(all).then(() => { found.packetsDone = true; }));
    }
    const changes = about.changes_s.filter(time => time > 0 && time < about.duration_s);
    const optimum = ask({ do: "optimum", utility }).then(async best => {
      if (best.error) { found.leftOut.set("optimum", best.error.split("\n")[0]); return; }
      found.best = { names: best.tables.flows.flow, goodput_bps: [...best.tables.flows.goodput_bps], tables: best.tables };
      if (changes.length >= MOST_PIECES) { found.leftOut.set("optimum", `the network changes ${changes.length} times; the optimum is that of its end`); return; }
      if (!changes.length) return;
      check();
      const { pieces } = await ask({ do: "pieces", utility, changes, duration: about.duration_s });
      if (pieces.every(piece => piece.goodput_bps === null)) found.leftOut.set("optimum", pieces[0].reason); else found.pieces = pieces;
    });
    const fluid = ask({ do: "fluid" }).then(answer => {
      if (answer.error) found.leftOut.set("fluid", answer.error.split("\n")[0]); else found.fluid = fluidOf(answer);
    });
    // What fails after the question has ended concerns nobody.
    fluid.catch(() => {});
    keep();
    try {
      await Promise.all([...work, optimum]);
      // The equations may have come meanwhile: then this is all.
      const isDone = found.fluid !== null || found.leftOut.has("fluid");
      say(isDone);
      if (!isDone) { await fluid; say(true); }
    } catch (error) {
      if (error instanceof Superseded || signal.aborted) throw new DOMException("superseded", "AbortError");
      throw error;
    }
  }
}

// The engine's answer as a column for each flow.
function fluidOf({ flow: names, settled_s, tables: { flow_series: series, rests } }) {
  const count = names.length, rows = series.time_s.length;
  const columns = flat => names.map((_, at) => Float64Array.from({ length: rows }, (_, row) => flat[row * count + at]));
  const pieces = Array.from({ length: rests.from_s.length / count }, (_, piece) => ({
    from_s: rests.from_s[piece * count], until_s: rests.until_s[piece * count], goodput_bps: rests.goodput_bps.slice(piece * count, (piece + 1) * count),
  }));
  return { names, settled_s, time: series.time_s, windows: columns(series.cwnd), goodputs: columns(series.goodput_bps), rests: pieces };
}

// Current content of the page.
function soFar(found, isDone) {
  const { about, began, scale, figures, outputs, best, fluid, pieces, leftOut } = found;
  let run = null, untilS = null;
  if (outputs.size) run = new Run(about, outputs);
  else if (found.shown) {
    untilS = Math.max(...found.shown.tables.link_series.time_s.slice(-1), 0);
    run = new Run(about, new Map([[1, { ...found.shown, totals: [], tables: { ...found.shown.tables, flows: {}, links: {} } }]]), untilS);
  }
  const charts = run === null ? [] : chartsOf(run, figures, { fluid, best, pieces });
  const { partial, notes } = ignoredByOptimum(about);
  const whole = untilS === null ? run : null;
  const rows = best === null ? [] : comparedRows({ best, fluid, run: whole, about, pieces, partial });
  const own = best === null ? 0 : scaleOf(rows);
  const remarks = [...notes.map(note => ["note:", note]), ...[...leftOut].map(([engine, reason]) => [`${engine} skipped:`, reason])];
  return {
    charts, frames: charts.map(frameOf), engines: (best === null ? "" : enginesTable(rows, scale)) + itemsOf(remarks), tables: whole === null ? "" : detailsOf(whole),
    scale: own, drawn: Math.max(own, scale), done: isDone, until: untilS, ms: Math.round(performance.now() - began),
  };
}

// Flows that do not send all the time that counts, and what optimum and equations take instead.
function ignoredByOptimum(about) {
  const { flow, group } = about.entities.flows, { start_s, stop_s, size_bytes } = about.spans, notes = [];
  const sized = flow.map((_, at) => at).filter(at => size_bytes[at] > 0);
  const partTime = flow.map((_, at) => at).filter(at => start_s[at] > about.warmup_s || (stop_s[at] ?? Infinity) < about.duration_s);
  const listed = flows => { const names = [...new Set(flows.map(at => group[at]))], more = names.length - 4; return names.slice(0, 4).join(", ") + (more > 0 ? ` and ${more} more` : ""); };
  if (sized.length) notes.push(`optimum and equations: without \`size\` of ${listed(sized)}, as if it had no end`);
  if (partTime.length) notes.push(`optimum and equations: without \`start\` and \`stop\` of ${listed(partTime)}, as if all flows sent all the time`);
  return { partial: new Set([...sized, ...partTime].map(at => flow[at])), notes };
}
