// The figures of a run over time, beside them what other engines answer: as windward/show/page does.

const CROWD = 4, MANY = 6, PANELS = 12, COLORS = 6, INSTANTS = 3000, DIGITS = 4;

const TITLES = { windows: "Windows", rates: "Goodput", delays: "Queueing delay", queues: "Queues", rtt: "Round-trip time", fairness: "Jain's fairness index" };

// `fluid` has names, times and columns; `best` the names and goodputs of the optimum; `pieces` the optimum between changes.
function chartsOf(run, kinds, { fluid = null, best = null, pieces = [] } = {}) {
  return kinds.flatMap(kind => {
    const series = SERIES[kind] ?? null;
    const values = overSeeds(run, kind === "fairness" ? indexOf : (one, at) => valuesOf(one, at, series));
    return values === null ? [] : [chartOf(run, kind, series, values, fluid, best, pieces)];
  });
}

function chartOf(run, kind, series, values, fluid, best, pieces) {
  const [groups, leftOut] = kind === "fairness" ? [new Map([["all flows", values.names]]), 0] : panelsOf(run, values);
  const beside = fluid !== null && (kind === "windows" || kind === "rates") ? besides(fluid, kind) : null;
  const levels = new Map(), steps = new Map();
  if (best !== null && kind === "rates" && pieces.length) {
    best.names.forEach((name, at) => steps.set(name, Float64Array.from(values.time, time => {
      // The last piece that a time is in: a change belongs to what follows it.
      let rate = NaN;
      for (const piece of pieces) if (time >= piece.from_s && time <= piece.until_s) rate = piece.goodput_bps ? piece.goodput_bps[at] / 1e6 : NaN;
      return rate;
    })));
  } else if (best !== null && kind === "rates") best.names.forEach((name, at) => levels.set(name, best.goodput_bps[at] / 1e6));
  const isCrowded = [...groups.values()].some(names => names.length > MANY);
  const notes = [whose(run)];
  if (values.spanS) notes.push(`mean over ${general(values.spanS, 3)} s`);
  if (isCrowded) notes.push("median and 5–95 % of the flows");
  if (beside) notes.push("dashed: the windows' equations, all flows from the beginning");
  if (levels.size || steps.size) notes.push("dotted: the optimum of all flows together" + (!steps.size && run.about.toml.includes("[[change]]") ? ", as the network ends" : ""));
  if (leftOut) notes.push(`${leftOut} less busy link${leftOut > 1 ? "s" : ""} not drawn`);
  if (run.untilS !== null) notes.push(`so far ${general(run.untilS, 3)} s`);
  const panels = [...groups].map(([title, names]) => ({
    title,
    lines: [...linesOf(values, names), ...(beside ? besideOf(beside, names) : []), ...steppedOf(steps, names)],
    levels: levelsOf(levels, names),
  }));
  return packedChart({ key: kind, title: TITLES[kind], note: notes.join(", "), yLabel: series?.label ?? "index", x: values.time, panels, xTo: run.about.duration_s,
    begin: run.about.warmup_s, isFromZero: series?.isFromZero ?? true, most: series ? null : 1.02 });
}

// Lines that share a panel, and the number of those left out.
function panelsOf(run, values) {
  if (values.entity === "link") {
    const chosen = busiest(values), leftOut = values.names.length - chosen.length;
    return [chosen.length > CROWD ? new Map(chosen.map(name => [name, [name]])) : new Map([["links", chosen]]), leftOut];
  }
  const { flow, group } = run.about.entities.flows, there = new Set(values.names), groups = new Map();
  flow.forEach((name, at) => { if (there.has(name)) groups.set(group[at], [...(groups.get(group[at]) ?? []), name]); });
  if (values.names.length <= CROWD || groups.size > PANELS) return [new Map([[values.names.length > 1 ? "all flows" : values.names[0], values.names]]), 0];
  return [groups, 0];
}

// The links with the largest means, in the scenario's order.
function busiest(values) {
  const means = values.columns.map(column => { const known = column.filter(Number.isFinite); return known.length ? sum([...known]) / known.length : 0; });
  const order = means.map((_, at) => at).sort((a, b) => means[b] - means[a] || a - b);
  let busy = order.slice(0, PANELS).filter(at => means[at] > 0.01 * means[order[0]]);
  if (!busy.length) busy = [order[0]];
  return values.names.filter((_, at) => busy.includes(at));
}

// A line each, with its band; of many the median and a band.
function linesOf(values, names) {
  const own = names.map(name => values.names.indexOf(name));
  if (names.length > MANY) {
    const [low, middle, high] = [5, 50, 95].map(() => new Float64Array(values.time.length).fill(NaN));
    for (let row = 0; row < values.time.length; row++) {
      const known = own.map(at => values.columns[at][row]).filter(value => !Number.isNaN(value)).sort((a, b) => a - b);
      if (!own.some(at => Number.isFinite(values.columns[at][row]))) continue;
      [low[row], middle[row], high[row]] = [0.05, 0.5, 0.95].map(share => quantileAt(known, share));
    }
    return [{ name: `median of ${names.length}`, values: middle, low, high, color: 0, look: "line" }];
  }
  return names.map((name, at) => ({ name, values: values.columns[own[at]], low: values.lows?.[own[at]] ?? null, high: values.highs?.[own[at]] ?? null, color: at % COLORS, look: "line" }));
}

// Of rising values, by linear interpolation.
function quantileAt(values, share) {
  const place = share * (values.length - 1), low = Math.floor(place), part = place - low;
  if (low + 1 >= values.length) return values[values.length - 1];
  const step = values[low + 1] - values[low];
  // As numpy does it, from the nearer end.
  return part >= 0.5 ? values[low + 1] - step * (1 - part) : values[low] + step * part;
}

const areClose = (one, other) => one.length === other.length && one.every((value, at) => value === other[at] || (Number.isNaN(value) && Number.isNaN(other[at]))
  || Math.abs(value - other[at]) <= 1e-8 + 2e-3 * Math.abs(other[at]));

const besides = (fluid, kind) => ({ names: fluid.names, time: fluid.time, columns: kind === "rates" ? fluid.goodputs.map(column => column.map(value => value * 1e-6)) : fluid.windows });

// Lines of the equations for the same flows; identical flows have one line.
function besideOf(fluid, names) {
  if (names.length > MANY) return [];
  const lines = [];
  names.forEach((name, at) => {
    const line = fluid.columns[fluid.names.indexOf(name)];
    if (line === undefined || lines.some(other => areClose(line, other.values))) return;
    lines.push({ name: `fluid, ${name}`, values: line, low: null, high: null, color: at % COLORS, look: "fluid", x: fluid.time });
  });
  return lines.length === 1 ? [{ ...lines[0], name: "fluid", color: 5 }] : lines;
}

function steppedOf(steps, names) {
  const known = names.filter(name => steps.has(name));
  if (!known.length || names.length > MANY) return [];
  const first = steps.get(known[0]), line = { low: null, high: null, look: "level" };
  if (known.every(name => areClose(steps.get(name), first))) return [{ ...line, name: "optimum", values: first, color: 6 }];
  return known.map((name, at) => ({ ...line, name: `optimum, ${name}`, values: steps.get(name), color: at % COLORS }));
}

function levelsOf(levels, names) {
  const known = names.filter(name => levels.has(name)), values = known.map(name => levels.get(name));
  if (!known.length || names.length > MANY) return [];
  if (Math.max(...values) - Math.min(...values) <= 2e-3 * Math.max(...values)) return [{ name: "optimum", value: values[0], color: 6 }];
  return known.map((name, at) => ({ name: `optimum, ${name}`, value: values[at], color: at % COLORS }));
}

function whose(run) {
  const count = run.seeds.length;
  if (run.hasBands) return count <= FEW ? `mean and range of ${count} seeds` : `mean and 95 % confidence interval over ${count} seeds`;
  return `seed ${run.seeds[0]}` + (count > 1 ? ` of ${count}` : "");
}

// ---- Data for the page's script.
function packedChart({ key, title, note, yLabel, x, panels, xTo, begin, isFromZero, most }) {
  const lows = [], highs = [];
  for (const { lines, levels } of panels) {
    for (const line of lines) {
      const known = line.values.filter(Number.isFinite);
      if (known.length) { lows.push(least(known)); highs.push(-least(known.map(value => -value))); }
      const bands = line.high === null ? [] : [...line.high.filter(Number.isFinite)].sort((a, b) => a - b);
      // Not every peak of an interval: a few would press the lines to the ground.
      if (bands.length) highs.push(quantileAt(bands, 0.98));
    }
    highs.push(...levels.map(level => level.value).filter(Number.isFinite));
  }
  let low = lows.length ? Math.min(...lows) : 0, high = lows.length ? Math.max(...highs) : 1;
  if (isFromZero) low = Math.min(low, 0);
  if (high <= low) high = low + (Math.abs(low) || 1);
  const margin = 0.04 * (high - low), end = most ?? high + margin;
  if (!isFromZero) low = Math.max(low - margin, 0);
  const every = Math.max(1, Math.ceil(x.length / INSTANTS)), thin = values => packed(values.filter((_, at) => at % every === 0));
  return {
    key, title, note, x: thin(x), xLabel: "time (s)", yLabel, span: [0, xTo, low, end], begin, fromZero: isFromZero, least: 0, most, log: false, places: [],
    panels: panels.map(panel => ({
      title: panel.title,
      lines: panel.lines.map(line => ({
        name: line.name, color: line.color, look: line.look, y: thin(line.x ? interpolated(x, line.x, line.values) : line.values),
        ...(line.low && line.high ? { low: thin(line.low), high: thin(line.high) } : {}),
      })),
      levels: panel.levels.filter(level => Number.isFinite(level.value)).map(level => ({ ...level, value: Number(level.value.toPrecision(6)) })),
    })),
  };
}

const least = values => values.reduce((one, other) => Math.min(one, other), Infinity);

// Linear between the own instants, nothing outside.
function interpolated(times, own, values) {
  let at = 0;
  return Float64Array.from(times, time => {
    if (time < own[0] || time > own[own.length - 1]) return NaN;
    while (at + 1 < own.length && own[at + 1] <= time) at++;
    if (at + 1 >= own.length || own[at] === time) return values[at];
    return (values[at + 1] - values[at]) / (own[at + 1] - own[at]) * (time - own[at]) + values[at];
  });
}

// Numbers as few characters: whole multiples of a step; of evenly spaced ones the first and the step.
function packed(values) {
  const known = values.filter(Number.isFinite), size = values.length;
  if (size > 2 && known.length === size) {
    const step = Number(((values[size - 1] - values[0]) / (size - 1)).toPrecision(9));
    if (step > 0 && values.every((value, at) => at === 0 || Math.abs(value - values[at - 1] - step) <= 1e-6 * step)) return { from: Number(values[0].toPrecision(9)), by: step, count: size };
  }
  const largest = known.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const exponent = (largest > 0 ? Math.floor(Math.log10(largest)) : 0) - DIGITS + 1, factor = 10 ** -exponent;
  return { e: exponent, v: Array.from(values, value => Number.isFinite(value) ? halfEven(value * factor) : null) };
}

// ---- The frame of a figure, as HTML.
function frameOf(chart) {
  const isAlone = chart.panels.length === 1;
  const panels = chart.panels.map(panel => {
    const keys = [...panel.lines.map(line => [line.look, line.color, line.name]), ...panel.levels.map(level => ["level", level.color, level.name])];
    // Under its panel's title `reno`, `reno-1` is `1`.
    const short = name => name === panel.title && !isAlone ? "" : name.startsWith(`${panel.title}-`) ? name.slice(panel.title.length + 1) : name;
    const marks = keys.map(([look, color, name]) => `<span class="${look}" style="--c:var(--c${color})" title="${escaped(name)}"><i></i>${escaped(short(name))} <output></output></span>`);
    return `<figure class="panel"><figcaption>${isAlone ? "" : `<b>${escaped(panel.title)}</b>`}${marks.join("")}</figcaption><div class="plot"></div></figure>`;
  });
  return `<div class="chart" id="chart-${chart.key}"><div class="head"><h3>${escaped(chart.title)}</h3><span class="unit">${escaped(chart.yLabel)}, over ${escaped(chart.xLabel)}</span>`
    + `<span class="at" aria-live="polite"></span></div><div class="panels${isAlone ? " few" : ""}">${panels.join("")}</div><p class="note">${escaped(chart.note)}</p></div>`;
}
