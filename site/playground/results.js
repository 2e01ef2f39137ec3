// A run's tables, seed by seed, and its series as arrays: as windward/results does.

// Above so many lines a panel is split; of more flows a group is a median and a band; at most so many panels.
const FEW = 3;

// Whole numbers of 64 bits as plain ones: what tables count is below 2^53.
const plain = column => column instanceof BigUint64Array ? Float64Array.from(column, Number) : column;

// Totals of one kind over the seeds; each seed has the same entities.
class Totals {
  constructor(kind, entity, attributes, tables) { Object.assign(this, { kind, entity, attributes, tables }); }
  get names() { return this.attributes[this.entity] ?? []; }
  attribute(name) { return this.attributes[name] ?? this.tables[0]?.[name] ?? []; }
  values(metric, at) { return this.tables.map(table => Number(table[metric][at])); }
  any(metric) { return this.tables.some(table => table[metric].some(value => value > 0 || value < 0)); }
}

// What a row is about, in the tables that a page shows; the names of directions and videos are indices.
const ENTITIES = { flows: "flow", groups: "group", links: "link", apps: "app", background: "source", pages: "app", videos: "app", calls: "source",
  call_videos: "source", games: "source" };
const LISTED = { pages: ["apps", "app"], videos: ["apps", "app"], calls: ["background", "source"], call_videos: ["background", "source"], games: ["background", "source"] };

class Run {
  // `outputs` are answers of the engine by seed; `about` is that of the scenario.
  constructor(about, outputs, untilS = null) {
    this.about = about;
    this.seeds = [...outputs.keys()].sort((a, b) => a - b);
    this.outputs = this.seeds.map(seed => outputs.get(seed));
    this.untilS = untilS;
    this.isOneRun = untilS === null && this.seeds.length > 1 && this.outputs.slice(1).every(output => areAlike(this.outputs[0], output));
  }
  get hasBands() { return this.seeds.length > 1 && !this.isOneRun; }

  // Totals to draw: of one seed alone if all are the same run.
  draws(kind) {
    const key = ENTITIES[kind], outputs = this.isOneRun ? this.outputs.slice(0, 1) : this.outputs;
    const tables = outputs.map(output => Object.fromEntries(Object.entries(output.tables[kind] ?? {}).map(([name, column]) => [name, plain(column)])));
    const attributes = { ...(this.about.entities[kind] ?? {}) };
    if (kind in LISTED) {
      const [table, column] = LISTED[kind], names = this.about.entities[table][column];
      attributes[key] = Array.from(tables[0]?.[key] ?? [], at => names[at]);
    }
    return new Totals(kind, key, attributes, tables);
  }

  table(kind, at) { return this.outputs[at].tables[kind]; }
}

// Whether two seeds are the same run to the last digit: all totals agree.
function areAlike(one, other) {
  const bytes = column => new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
  return one.totals.every(kind => Object.entries(one.tables[kind]).every(([name, column]) => {
    const a = bytes(column), b = bytes(other.tables[kind][name]);
    return a.length === b.length && a.every((byte, at) => byte === b[at]);
  }));
}

// ---- Series: a column each for the flows or links, a row for each instant.
const SERIES = {
  windows: { kind: "flow_series", column: "cwnd", label: "window (packets)", unit: 1, isSmooth: false, isFromZero: true },
  rates: { kind: "flow_series", column: "goodput_bps", label: "goodput (Mbit/s)", unit: 1e-6, isSmooth: true, isFromZero: true },
  rtt: { kind: "flow_series", column: "srtt_ms", label: "smoothed RTT (ms)", unit: 1, isSmooth: false, isFromZero: false },
  queues: { kind: "link_series", column: "backlog", label: "backlog (packets)", unit: 1, isSmooth: false, isFromZero: true },
  delays: { kind: "link_series", column: "queue_delay_ms", label: "queueing delay (ms)", unit: 1, isSmooth: false, isFromZero: true },
};

// `columns` has an array of numbers for each name; `low` and `high` too where there are several seeds.
function valuesOf(run, at, { kind, column, unit, isSmooth }) {
  const entity = kind === "flow_series" ? "flow" : "link", table = run.table(kind, at), times = table.time_s, whose = table[entity], values = plain(table[column]);
  if (!times.length) return null;
  const names = run.about.entities[`${entity}s`][entity];
  const instants = [...new Set(times)].sort((a, b) => a - b), place = new Map(instants.map((time, row) => [time, row]));
  const columns = names.map(() => new Float64Array(instants.length).fill(NaN)), isThere = names.map(() => false);
  for (let row = 0; row < times.length; row++) {
    columns[whose[row]][place.get(times[row])] = values[row] * unit;
    isThere[whose[row]] = true;
  }
  const known = names.map((_, index) => index).filter(index => isThere[index]);
  const found = { entity, names: known.map(index => names[index]), time: Float64Array.from(instants), columns: known.map(index => columns[index]), spanS: 0, most: Infinity };
  return isSmooth ? smooth(found, run.about.duration_s) : found;
}

// A centred moving mean over a hundredth of the run, and the time over which it goes.
function smooth(values, durationS) {
  const { time } = values, size = time.length;
  const steps = Array.from({ length: size - 1 }, (_, at) => time[at + 1] - time[at]).sort((a, b) => a - b), half = steps.length / 2;
  const step = !steps.length ? durationS : steps.length % 2 ? steps[half - 0.5] : (steps[half - 1] + steps[half]) / 2;
  const count = Math.max(1, halfEven(durationS * 0.01 / step)), after = Math.floor((count - 1) / 2);
  const columns = values.columns.map(column => {
    const sums = new Float64Array(size + 1), counts = new Float64Array(size + 1);
    for (let at = 0; at < size; at++) {
      const isKnown = Number.isFinite(column[at]);
      sums[at + 1] = sums[at] + (isKnown ? column[at] : 0);
      counts[at + 1] = counts[at] + (isKnown ? 1 : 0);
    }
    return column.map((_, at) => {
      const end = Math.min(at + after + 1, size), begin = Math.max(at + after + 1 - count, 0);
      return (sums[end] - sums[begin]) / (counts[end] - counts[begin]);
    });
  });
  return { ...values, columns, spanS: count * step };
}

// The nearest whole number, of two the even.
function halfEven(value) {
  const low = Math.floor(value), rest = value - low;
  return rest > 0.5 || (rest === 0.5 && low % 2 !== 0) ? low + 1 : low;
}

// Jain's index of the smoothed goodputs.
function indexOf(run, at) {
  const values = valuesOf(run, at, { ...SERIES.rates, unit: 1 });
  if (values === null || run.draws("flows").names.length < 2) return null;
  const column = values.time.map((_, row) => {
    let whole = 0, squares = 0;
    for (const one of values.columns) if (!Number.isNaN(one[row])) { whole += one[row]; squares += one[row] ** 2; }
    return squares > 0 ? whole ** 2 / (values.columns.length * squares) : NaN;
  });
  return { ...values, names: ["all flows"], columns: [column], most: 1 };
}

// The values of the first seed, or the mean over all at each instant with its interval; of few seeds their range.
function overSeeds(run, read) {
  if (!run.hasBands) return read(run, 0);
  const each = run.seeds.map((_, at) => read(run, at));
  if (each.some(values => values === null)) return null;
  const [first] = each, aligned = each.map(values => values.columns.map(column => atTimes(values.time, column, first.time)));
  const means = [], lows = [], highs = [];
  first.columns.forEach((_, index) => {
    const mean = new Float64Array(first.time.length), low = new Float64Array(first.time.length), high = new Float64Array(first.time.length);
    for (let row = 0; row < first.time.length; row++) {
      const known = aligned.map(columns => columns[index][row]).filter(Number.isFinite), count = known.length;
      mean[row] = count ? sum(known) / count : NaN;
      if (run.seeds.length <= FEW) {
        low[row] = count ? Math.min(...known) : NaN;
        high[row] = count ? Math.max(...known) : NaN;
      } else {
        const spread = count > 1 ? Math.sqrt(sum(known.map(value => (value - mean[row]) ** 2)) / (count - 1)) : NaN;
        const error = count > 1 ? quantileOf(count - 1) * spread / Math.sqrt(count) : NaN;
        low[row] = Math.max(mean[row] - error, 0);
        high[row] = Math.min(mean[row] + error, first.most);
      }
    }
    means.push(mean); lows.push(low); highs.push(high);
  });
  return { ...first, columns: means, lows, highs };
}

const quantiles = new Map();
function quantileOf(freedom) {
  if (!quantiles.has(freedom)) quantiles.set(freedom, tQuantile(freedom));
  return quantiles.get(freedom);
}

// The values at other instants: those of the nearest of their own.
function atTimes(own, column, times) {
  if (own.length === times.length && own.every((time, at) => time === times[at])) return column;
  let after = 0;
  return Float64Array.from(times, time => {
    while (after < own.length && own[after] < time) after++;
    const next = Math.min(Math.max(after, 1), Math.max(own.length - 1, 1)), before = Math.min(next, own.length - 1) - (own.length > 1 ? 1 : 0), last = Math.min(next, own.length - 1);
    return column[Math.abs(time - own[before]) <= Math.abs(own[last] - time) ? before : last];
  });
}
