// The tables of a page: the engines side by side, and what is told of flows, links, applications and sources.

const NAMES = { optimum: "optimum", fluid: "fluid", packets: "packets" }, ROWS = 20;
const WIDTH = 300, HEIGHT = 24, EDGE = 8;

// A row for each flow: its goodput by each engine.
function comparedRows({ best, fluid, run, about, pieces, partial }) {
  const { flow, group, law } = about.entities.flows, packets = run?.draws("flows") ?? null, span = [about.warmup_s, about.duration_s];
  const lengths = pieces.filter(piece => piece.goodput_bps).map(piece => [Math.max(0, Math.min(piece.until_s, span[1]) - Math.max(piece.from_s, span[0])), piece.goodput_bps]);
  const whole = fsum(lengths.map(([length]) => length));
  const most = at => whole ? fsum(lengths.map(([length, rates]) => length * rates[at])) / whole : best === null ? NaN : best.goodput_bps[at];
  return flow.map((name, at) => {
    const [mean, error] = packets === null ? [NaN, NaN] : meanAndInterval(packets.values("goodput_bps", at));
    const optimum = most(at);
    return { flow: name, group: group[at], law: law[at], optimum, fluid: fluid === null ? NaN : restOf(fluid, at, pieces, span), packets: mean, error,
      share: optimum && !partial.has(name) ? mean / optimum : NaN };
  });
}

// The rate at rest of the equations: at the end, or piece by piece, weighted by the time that each counts.
function restOf(fluid, at, pieces, span) {
  if (!pieces.length) return fluid.goodputs[at][fluid.time.length - 1];
  let whole = 0, length = 0;
  for (const rest of fluid.rests) {
    const part = Math.max(0, Math.min(rest.until_s, span[1]) - Math.max(rest.from_s, span[0]));
    whole += part * rest.goodput_bps[at];
    length += part;
  }
  return length ? whole / length : NaN;
}

// Rows that there is room for, of many flows the means of each group, and what is to be said.
function folded(rows) {
  if (rows.length <= ROWS) return [rows, ""];
  const groups = new Map();
  for (const row of rows) { const key = JSON.stringify([row.group, row.law]); groups.set(key, [...(groups.get(key) ?? []), row]); }
  const shown = [...groups.values()].map(members => {
    const means = Object.fromEntries(["optimum", "fluid", "packets"].map(name => [name, meanAndInterval(members.map(row => row[name]))[0]]));
    const isWhole = members.every(row => Number.isFinite(row.share));
    const { group, law, flow } = members[0];
    return { flow: members.length > 1 ? `${group}, ${members.length} flows` : flow, group, law, ...means, error: NaN, share: isWhole && means.optimum ? means.packets / means.optimum : NaN };
  });
  const more = shown.length - ROWS;
  return [shown.slice(0, ROWS), "of each group the mean of its flows" + (more > 0 ? `; ${more} more group${more > 1 ? "s" : ""}` : "")];
}

// Upper end of a table's scale, in bits a second, above the rates of all engines.
function scaleOf(rows) {
  const peaks = folded(rows)[0].flatMap(row => [row.optimum, row.fluid, row.packets, row.packets + row.error]).filter(Number.isFinite);
  return peaks.length ? 1.04 * Math.max(...peaks) || 1 : 1.04;
}

function enginesTable(rows, atLeast) {
  const [shown, said] = folded(rows), there = Object.keys(NAMES).filter(name => rows.some(row => Number.isFinite(row[name])));
  const most = Math.max(scaleOf(rows), atLeast), hasShare = there.includes("packets");
  const columns = [said ? "group" : "flow", "law", "", ...there.map(name => NAMES[name]), ...(hasShare ? ["of optimum"] : [])];
  const kinds = ["word", "word", "strip", ...there.map(name => `number of-${name}`), ...(hasShare ? ["number of-share"] : [])];
  const heads = columns.map((name, at) => `<th scope="col" class="${kinds[at]}">${kinds[at] === "strip" ? scaleSvg(most) : escaped(name)}</th>`);
  let group = null;
  const body = shown.map(row => {
    const cells = [`<th scope="row" class="word">${escaped(row.flow)}</th>`, `<td class="word">${escaped(row.law)}</td>`, `<td class="strip">${strip(row, there, most)}</td>`];
    for (const name of there) cells.push(`<td class="number of-${name}">${quantity(row[name], "bit/s", name === "packets" ? row.error : NaN)}</td>`);
    if (hasShare) cells.push(`<td class="number of-share">${percent(row.share)}</td>`);
    const isNew = group !== null && row.law !== group;
    group = row.law;
    return `<tr class="${isNew ? "new" : "same"}">${cells.join("")}</tr>`;
  });
  const key = there.map(name => `<li><svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">${markOf(name, 10, 10)}</svg>${NAMES[name]}</li>`);
  return `<ul class="key">${key.join("")}</ul><div class="wide"><table class="engines"><thead><tr>${heads.join("")}</tr></thead><tbody>${body.join("")}</tbody></table></div>`
    + (said ? `<p class="note">${escaped(said)}</p>` : "");
}

const xOf = (value, most) => EDGE + value / most * (WIDTH - 2 * EDGE);

function scaleSvg(most) {
  const [size, prefix] = [[1e9, "G"], [1e6, "M"], [1e3, "k"]].find(([one]) => most >= one) ?? [1, ""];
  const marks = ticksOf(most / size, 5).map(([value, text]) => `<text x="${fixed(xOf(value * size, most), 1)}" y="12" text-anchor="middle">${text}</text>`);
  marks[0] = `<text x="${EDGE - 3}" y="12">0 ${prefix}bit/s</text>`;
  return `<svg class="scale" viewBox="0 0 ${WIDTH} 16" role="img" aria-label="goodput in ${prefix}bit/s">${marks.join("")}</svg>`;
}

// About so many round values from 0 to an end, with their texts.
function ticksOf(high, count) {
  const raw = high / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map(size => size * power).find(size => size >= 0.999 * raw);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9) + (Math.abs(step / power - 2.5) < 1e-6 ? 1 : 0));
  return Array.from({ length: Math.floor(high / step + 1e-9) + 1 }, (_, at) => [at * step, fixed(at * step, decimals)]);
}

function strip(row, there, most) {
  const middle = HEIGHT / 2, parts = [`<path class="axis" d="M${EDGE} ${middle}.0H${WIDTH - EDGE}"/>`], said = [];
  for (const name of ["packets", "fluid", "optimum"]) {
    const value = row[name];
    if (!there.includes(name) || !Number.isFinite(value)) continue;
    const error = name === "packets" ? row.error : NaN, text = `${NAMES[name]}: ${quantity(value, "bit/s", error)}`, x = xOf(value, most);
    said.push(text);
    const band = Number.isFinite(error) ? `<path class="error" d="M${fixed(xOf(Math.max(value - error, 0), most), 1)} ${middle}.0H${fixed(xOf(value + error, most), 1)}"/>` : "";
    parts.push(`<g data-x='${fixed(x, 1)}'><title>${escaped(text)}</title>${band}${markOf(name, x, middle)}</g>`);
  }
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(said.reverse().join("; "))}">${parts.join("")}</svg>`;
}

function markOf(name, x, y) {
  if (name === "optimum") return `<path class="optimum" d="M${fixed(x, 1)} ${general(y - 8)}V${general(y + 8)}"/>`;
  return `<circle class="${name}" cx="${fixed(x, 1)}" cy="${general(y)}" r="${name === "fluid" ? "4.6" : "3.4"}"/>`;
}

// ---- Round trips, waits and losses.
const MANY_FLOWS = 20, MANY_LINKS = 12;
const leftOut = (count, noun) => count > 0 ? `${count} ${noun}${count > 1 ? "s" : ""} left out` : "";
const ifAny = (totals, metric, text) => totals.any(metric) ? text() : "–";
const shareOf = (totals, part, whole, at) => percents(shares(totals.tables.map(table => [table[part][at], table[whole][at]])));

function detailsOf(run) {
  const flows = run.draws("flows"), found = [];
  found.push(flows.names.length > MANY_FLOWS ? groupsTable(run, flows) : flowsTable(flows));
  const listed = (kind, title, noun, columns) => {
    const totals = run.draws(kind), names = totals.names.slice(0, MANY_FLOWS);
    found.push(tableOf(title, names.map((name, at) => columns(totals, at, name)), leftOut(totals.names.length - names.length, `more ${noun}`)));
  };
  const s = (totals, metric, at) => interval(totals.values(metric, at), "s");
  listed("apps", "Requests", "application", (apps, at, name) => ({ application: name, requests: interval(apps.values("requests", at)), p50: s(apps, "completion_p50_s", at),
    p95: s(apps, "completion_p95_s", at), p99: s(apps, "completion_p99_s", at), "not finished": ifAny(apps, "unfinished", () => shareOf(apps, "unfinished", "requests", at)),
    late: ifAny(apps, "late", () => shareOf(apps, "late", "requests", at)) }));
  listed("pages", "Pages", "page", (pages, at, name) => ({ page: name, "p50 first byte": s(pages, "first_byte_p50_s", at), "p50 picture": s(pages, "paint_p50_s", at),
    "p50 load": s(pages, "load_p50_s", at), p95: s(pages, "load_p95_s", at), "not complete": ifAny(pages, "unfinished", () => shareOf(pages, "unfinished", "visits", at)) }));
  listed("videos", "Videos", "video", (videos, at, name) => ({ video: name, "start-up": s(videos, "startup_s", at), stalls: ifAny(videos, "stalls", () => events("stalls", videos.values("stalls", at))),
    stalled: ifAny(videos, "stalled_s", () => s(videos, "stalled_s", at)), "mean bit rate": interval(videos.values("mean_bitrate_bps", at), "bit/s"),
    "QoE per chunk": interval(videos.values("mean_qoe", at)) }));
  listed("calls", "Calls", "direction", (calls, at, name) => ({ call: name, "mouth to ear": s(calls, "delay_s", at), lost: percents(calls.values("lost", at)),
    "too late": percents(calls.values("late", at)), MOS: interval(calls.values("mos", at)) }));
  listed("call_videos", "Video of calls", "direction", (videos, at, name) => ({ "video of a call": name, received: interval(videos.values("received_bps", at), "bit/s"),
    loss: percents(videos.values("loss", at)), p95: s(videos, "frame_delay_p95_s", at), missed: percents(videos.values("missed", at)), freezes: events("freezes", videos.values("freezes", at)) }));
  listed("games", "Games", "game", (games, at, name) => ({ game: name.replace(/:down$/, ""), "mean RTT": s(games, "mean_rtt_s", at), "p50 RTT": s(games, "rtt_p50_s", at),
    p95: s(games, "rtt_p95_s", at), p99: s(games, "rtt_p99_s", at) }));
  found.push(linksTable(run.draws("links")));
  listed("background", "Datagrams", "source", (sources, at, name) => ({ source: name, received: interval(sources.values("received_bps", at), "bit/s"),
    loss: percents(sources.values("loss", at)), "mean delay": s(sources, "mean_delay_s", at), p95: s(sources, "delay_p95_s", at) }));
  return found.join("");
}

function flowsTable(flows) {
  const rows = flows.names.map((name, at) => ({
    flow: name, "mean RTT": interval(flows.values("mean_rtt_s", at), "s"), "p95 RTT": interval(flows.values("rtt_p95_s", at), "s"),
    loss: percents(flows.values("loss", at)), timeouts: events("timeouts", flows.values("timeouts", at)), "completed after": interval(flows.values("completion_s", at), "s"),
    "not completed": ifAny(flows, "unfinished", () => percent(sum(flows.values("unfinished", at)) / flows.tables.length)),
    marked: ifAny(flows, "marked", () => shareOf(flows, "marked", "segments_sent", at)),
  }));
  return tableOf("Flows", rows, flows.tables.length > 1 && flows.any("unfinished") ? "not completed: share of the seeds" : "");
}

function groupsTable(run, flows) {
  const groups = new Map(), mean = values => meanAndInterval(values)[0], { group, law } = run.about.entities.flows;
  flows.names.forEach((_, at) => { const key = JSON.stringify([group[at], law[at]]); groups.set(key, [...(groups.get(key) ?? []), at]); });
  const sent = flows.tables.map((table, seed) => sentByFlow(run, table, seed));
  const bySeed = (metric, members) => flows.tables.map(table => members.map(at => table[metric][at]));
  const rows = [...groups].map(([key, members]) => ({
    group: JSON.parse(key)[0], flows: String(members.length), "mean RTT": interval(bySeed("mean_rtt_s", members).map(mean), "s"),
    loss: percents(shares(bySeed("segments_lost", members).map((lost, seed) => [sum(lost), sum(members.map(at => sent[seed][at]))]))),
    timeouts: events("timeouts", bySeed("timeouts", members).map(sum)), "completed after": interval(bySeed("completion_s", members).map(mean), "s"),
    "not completed": ifAny(flows, "unfinished", () => percent(sum(bySeed("unfinished", members).map(sum)) / (members.length * flows.tables.length))),
  }));
  return tableOf("Flows by group", rows, flows.any("unfinished") ? "completed after: mean of those that did; not completed: share of the flows" : "");
}

// Packets that each flow sent and may lose: its segments, or a coded flow's combinations.
function sentByFlow(run, table, seed) {
  const coding = run.table("coding", seed) ?? { flow: [] }, sent = Array.from(table.segments_sent, Number);
  Array.from(coding.flow).forEach((flow, at) => { sent[flow] = Number(coding.combinations[at]); });
  return sent;
}

function linksTable(links) {
  const means = links.names.map((_, at) => meanAndInterval(links.values("utilization", at))[0]);
  const most = Math.max(0, ...means.filter(mean => !Number.isNaN(mean)));
  const order = means.map((_, at) => at).filter(at => means[at] >= 0.05 * most).sort((a, b) => means[b] - means[a] || a - b), busy = new Set(order.slice(0, MANY_LINKS));
  const rows = links.names.map((name, at) => at).filter(at => busy.has(at)).map(at => ({
    link: links.names[at], utilization: percents(links.values("utilization", at)), "mean wait": interval(links.values("mean_queue_delay_s", at), "s"),
    "p95 wait": interval(links.values("queue_delay_p95_s", at), "s"), loss: percents(links.values("loss", at)),
    marked: ifAny(links, "marked", () => shareOf(links, "marked", "packets", at)),
  }));
  return tableOf("Links", rows, leftOut(links.names.length - rows.length, "idle link"));
}

// Rows of texts as an HTML table, without columns in which nothing was measured.
function tableOf(title, rows, note) {
  if (!rows.length) return "";
  const columns = Object.keys(rows[0]).filter((name, at) => at === 0 || rows.some(row => row[name] !== "–"));
  if (columns.length < 2) return "";
  const cell = (tag, at, value, scope) => `<${tag} ${scope}class="${at ? "number" : "word"}">${escaped(value)}</${tag}>`;
  const head = columns.map((name, at) => cell("th", at, name, 'scope="col" '));
  const body = rows.map(row => `<tr>${columns.map((name, at) => cell(at ? "td" : "th", at, row[name], at ? "" : 'scope="row" ')).join("")}</tr>`);
  return `<div><div class="wide"><table><caption>${escaped(title)}</caption><thead><tr>${head.join("")}</tr></thead><tbody>${body.join("")}</tbody></table></div>`
    + `${note ? `<p class="note">${escaped(note)}</p>` : ""}</div>`;
}

const itemsOf = rows => rows.length ? `<ul class="left-out">${rows.map(([who, what]) => `<li class="remark"><b>${escaped(who)}</b> ${escaped(what)}</li>`).join("")}</ul>` : "";
