"use strict";
// Draws the charts of a page with uPlot over their still pictures: pointing reads values, dragging zooms, all over time together.
const Windward = (() => {
  const HEIGHT = 176, SIDES = [8, 8, 0, 0];
  const zoom = new Map();      // The ends of the axis on which the figures of a kind are zoomed.
  const drawn = new Map();     // Figures by their element.
  let isBusy = false;

  const color = number => getComputedStyle(document.documentElement).getPropertyValue("--c" + number).trim();
  const named = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

  // Whole multiples of a power of ten, or evenly spaced.
  function numbers(packed) {
    if (packed.v === undefined) return Float64Array.from({ length: packed.count }, (_, at) => packed.from + at * packed.by);
    const digits = Math.max(0, -packed.e), size = Math.pow(10, packed.e), scale = Math.pow(10, digits);
    return packed.v.map(value => value === null ? null : packed.e < 0 ? value / scale : value * size);
  }

  function columns(chart, panel) {
    const data = [numbers(chart.x)], series = [{}], bands = [];
    for (const line of panel.lines) {
      if (line.low) {
        data.push(numbers(line.high), numbers(line.low));
        const at = data.length - 2;
        series.push({ look: "edge", color: line.color }, { look: "edge", color: line.color });
        bands.push({ series: [at, at + 1], color: line.color });
      }
      data.push(numbers(line.y));
      series.push({ name: line.name, look: line.look, color: line.color });
    }
    for (const level of panel.levels) {
      data.push(Array.from(data[0], () => level.value));
      series.push({ name: level.name, look: "level", color: level.color });
    }
    return { data, series, bands };
  }

  const LOOKS = {
    line: { width: 1.6 }, fluid: { width: 1.5, dash: [5, 3] }, level: { width: 1.6, dash: [1.5, 3.5] }, edge: { width: 0 }, mark: { width: 1.4 },
  };

  function look(series, chart) {
    const kind = LOOKS[series.look];
    const stroke = series.look === "edge" ? "transparent" : () => color(series.color);
    const paths = series.look === "mark" ? uPlot.paths.linear() : undefined;
    return { label: series.name || "", stroke, ...kind, paths, spanGaps: false,
      points: { show: series.look === "mark" && chart.x.count !== 0, size: 6, fill: () => color(series.color) } };
  }

  function text(value) {
    if (value === null || value === undefined || !isFinite(value)) return "–";
    const size = Math.abs(value);
    if (size >= 10000 || (size < 0.001 && size > 0)) return value.toPrecision(3);
    return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
  }

  function place(chart, value) {
    if (chart.places.length) return chart.places[Math.round(value)] || "";
    const unit = /\(([^)]*)\)/.exec(chart.xLabel);
    const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.max(chart.span[1] - chart.span[0], 1e-9))));
    return (chart.log ? value.toPrecision(3) : value.toFixed(Math.min(digits, 6))) + (unit ? " " + unit[1] : "");
  }

  // One figure: its panels share both axes.
  class Figure {
    constructor(element, chart) {
      this.element = element; this.chart = chart; this.plots = [];
      this.at = element.querySelector(".at");
      this.key = chart.xLabel;
      element.querySelectorAll(".plot").forEach((slot, number) => this.begin(slot, number));
      const known = zoom.get(this.key);
      if (known) this.show(...known);
    }

    begin(slot, number) {
      const panel = this.chart.panels[number], made = columns(this.chart, panel), chart = this.chart;
      const outputs = [...slot.parentNode.querySelectorAll("figcaption output")];
      const axis = { stroke: () => named("faint"), font: "11px " + named("sans"), grid: { stroke: () => named("hair"), width: 1 }, ticks: { show: false } };
      const options = {
        width: slot.clientWidth, height: HEIGHT, padding: SIDES, legend: { show: false }, pxAlign: 0,
        series: made.series.map((series, at) => at ? look(series, chart) : {}),
        bands: made.bands.map(band => ({ series: band.series, fill: () => color(band.color) + "2e" })),
        scales: {
          // The ends are those of the numbers that are there now: they may come later, or from what stands beside.
          x: { time: false, distr: chart.log ? 3 : 1, range: () => this.range || this.chart.span.slice(0, 2) },
          y: { range: () => this.isZoomed ? this.visible() : this.chart.span.slice(2) },
        },
        axes: [
          { ...axis, size: 22, gap: 3, grid: { show: false }, ...(chart.places.length ? { splits: () => chart.places.map((_, at) => at), values: () => chart.places } : {}),
            ...(chart.log ? { splits: () => this.decades(), filter: (plot, splits) => splits, values: (plot, splits) => splits.map(String) } : {}) },
          { ...axis, size: 40, gap: 4, space: 34 },
        ],
        cursor: {
          x: true, y: false, drag: { x: true, y: false, uni: 8, setScale: false },
          points: { size: 6, width: 1.5, fill: (u, at) => made.series[at].look === "edge" || made.series[at].look === "level" ? "transparent" : color(made.series[at].color), stroke: (u, at) => made.series[at].look === "edge" || made.series[at].look === "level" ? "transparent" : named("paper") },
          bind: { dblclick: () => () => Windward.reset(this.key) },
        },
        hooks: {
          setCursor: [plot => { if (!isBusy) this.point(plot.cursor.idx, plot, plot.cursor.left); }],
          setSelect: [plot => {
            const { left, width } = plot.select;
            if (width < 8) return;
            const ends = [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")];
            plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
            Windward.zoom(this.key, ...ends);
          }],
          draw: [plot => this.warmup(plot)],
        },
      };
      if (chart.begin > 0) options.hooks.drawClear = [plot => this.warmup(plot)];
      options.hooks.draw = [];
      const plot = new uPlot(options, made.data, slot);
      plot.made = made;
      plot.outputs = outputs;
      slot.classList.add("live");
      slot.tabIndex = 0;
      slot.setAttribute("role", "application");
      slot.setAttribute("aria-roledescription", "chart");
      const still = slot.querySelector(".still");
      slot.setAttribute("aria-label", (still && still.getAttribute("aria-label")) || `${chart.title}, ${panel.title}`);
      slot.addEventListener("keydown", event => this.press(event, plot));
      slot.addEventListener("blur", () => Windward.point(this.key, null));
      plot.over.addEventListener("mouseleave", () => Windward.point(this.key, null));
      this.plots.push(plot);
    }

    // Before counting begins the ground is shaded.
    warmup(plot) {
      const { ctx, bbox } = plot, end = Math.min(plot.valToPos(this.chart.begin, "x", true), bbox.left + bbox.width);
      if (end <= bbox.left) return;
      ctx.save(); ctx.fillStyle = named("warm"); ctx.fillRect(bbox.left, bbox.top, end - bbox.left, bbox.height); ctx.restore();
    }

    // The ends of the values that are in sight, the same in all panels.
    visible() {
      const [, , low0] = this.chart.span;
      let low = Infinity, high = -Infinity;
      for (const plot of this.plots) {
        const x = plot.data[0];
        plot.made.series.forEach((series, number) => {
          if (!number || series.look === "edge") return;
          const values = plot.data[number];
          for (let at = 0; at < x.length; at++) {
            const value = values[at];
            if (x[at] >= this.range[0] && x[at] <= this.range[1] && value !== null && value === value) { low = Math.min(low, value); high = Math.max(high, value); }
          }
        });
      }
      if (!(high >= low)) return [low0, this.chart.span[3]];
      if (this.chart.fromZero) low = Math.min(0, low);
      const margin = 0.05 * (high - low || Math.abs(high) || 1);
      const { fromZero, least, most } = this.chart;
      return [fromZero ? low : Math.max(low - margin, least ?? -Infinity), most ?? high + margin];
    }

    // 1, 2 and 5 times powers of ten in sight; of more than three decades the powers alone.
    decades() {
      const [low, high] = this.range || this.chart.span, factors = high < 1000 * low ? [1, 2, 5] : [1], found = [];
      for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
        for (const factor of factors) { const value = Number(`${factor}e${power}`); if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) found.push(value); }
      return found;
    }

    show(from, to) {
      this.range = from === undefined ? null : [from, to];
      this.isZoomed = Boolean(this.range);
      for (const plot of this.plots) plot.batch(() => { plot.setScale("x", {}); plot.setScale("y", {}); plot.redraw(false, true); });
    }

    // A value along the axis is pointed at, in all figures that share it.
    point(at, plot, left) {
      const isOut = at === null || at === undefined || left < 0;
      Windward.point(this.key, isOut ? null : plot.data[0][at]);
    }

    read(value) {
      for (const plot of this.plots) {
        const at = value === null ? null : plot.valToIdx(value);
        let number = 0;
        plot.made.series.forEach((series, place) => {
          if (!place || series.look === "edge") return;
          const output = plot.outputs[number++];
          if (output) output.textContent = at === null ? "" : text(plot.data[place][at]);
        });
        if (value === null) plot.setCursor({ left: -10, top: -10 }, false);
        else plot.setCursor({ left: plot.valToPos(plot.data[0][at], "x"), top: 20 }, false);
      }
      if (this.at) this.at.textContent = value === null ? "" : "at " + place(this.chart, value);
    }

    press(event, plot) {
      const x = plot.data[0], at = plot.cursor.idx, [from, to] = this.range || this.chart.span;
      const step = Math.max(1, Math.round(x.length / (event.shiftKey ? 12 : 120)));
      const middle = at === null || at === undefined ? (from + to) / 2 : x[at];
      const go = where => Windward.point(this.key, x[Math.min(x.length - 1, Math.max(0, where))]);
      const by = factor => {
        const [least, most] = this.chart.span, width = (to - from) * factor;
        const begin = Math.min(Math.max(least, middle - width / 2), most - width);
        if (width >= 0.999 * (most - least)) Windward.reset(this.key); else Windward.zoom(this.key, begin, begin + width);
      };
      const keys = {
        ArrowRight: () => go((at ?? -1) + step), ArrowLeft: () => go((at ?? x.length) - step), Home: () => go(0), End: () => go(x.length - 1),
        "+": () => by(0.5), "=": () => by(0.5), "-": () => by(2), Escape: () => Windward.reset(this.key),
      };
      if (!keys[event.key]) return;
      event.preventDefault();
      keys[event.key]();
    }

    // New numbers in the same panels.
    update(chart) {
      this.chart = chart;
      this.plots.forEach((plot, number) => {
        const made = columns(chart, chart.panels[number]);
        plot.made = made;
        plot.setData(made.data, true);
        plot.redraw(true, true);
      });
    }

    size() { for (const plot of this.plots) { const width = plot.root.parentNode.clientWidth; if (width && width !== plot.width) plot.setSize({ width, height: HEIGHT }); } }
    redraw() { for (const plot of this.plots) plot.redraw(false, true); }
    end() { for (const plot of this.plots) plot.destroy(); }
  }

  function whole() {
    const button = document.getElementById("whole");
    if (button) button.hidden = zoom.size === 0;
  }

  const sizes = new ResizeObserver(entries => { for (const entry of entries) drawn.get(entry.target)?.size(); });
  const sights = new IntersectionObserver(entries => {
    for (const entry of entries) if (entry.isIntersecting) { sights.unobserve(entry.target); make(entry.target); }
  }, { rootMargin: "400px" });

  const waiting = new Map();
  function make(element) {
    const chart = waiting.get(element);
    if (!chart || drawn.has(element)) return;
    waiting.delete(element);
    drawn.set(element, new Figure(element, chart));
    sizes.observe(element);
  }

  function dark(isAsked) {
    const root = document.documentElement, isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    if (isAsked) root.dataset.theme = isDark ? "light" : "dark";
    for (const figure of drawn.values()) figure.redraw();
  }

  return {
    text, color,
    // Draws a figure when it comes into sight.
    add(element, chart) { waiting.set(element, chart); sights.observe(element); },
    // Draws it at once, or gives it new numbers.
    put(element, chart) {
      const figure = drawn.get(element);
      if (this.fits(element, chart)) figure.update(chart);
      else { if (figure) { figure.end(); drawn.delete(element); } waiting.set(element, chart); make(element); }
    },
    // The ends of its axes as they are drawn: from, to, low, high.
    ends(element) { const { x, y } = drawn.get(element).plots[0].scales; return [x.min, x.max, y.min, y.max]; },
    // Whether it can be given these numbers as it is.
    fits(element, chart) { const figure = drawn.get(element); return Boolean(figure) && figure.plots.length === chart.panels.length && same(figure.chart, chart); },
    drop(element) { drawn.get(element)?.end(); drawn.delete(element); waiting.delete(element); sights.unobserve(element); },
    zoom(key, from, to) { zoom.set(key, [from, to]); for (const figure of drawn.values()) if (figure.key === key) figure.show(from, to); whole(); },
    reset(key) { zoom.delete(key); for (const figure of drawn.values()) if (figure.key === key) figure.show(); whole(); },
    resetAll() { for (const key of [...zoom.keys()]) this.reset(key); },
    point(key, value) {
      if (isBusy) return;
      isBusy = true;
      for (const figure of drawn.values()) if (figure.key === key) figure.read(value);
      isBusy = false;
    },
    begin() {
      document.getElementById("whole")?.addEventListener("click", () => this.resetAll());
      const theme = document.getElementById("theme");
      if (theme) { theme.hidden = false; theme.addEventListener("click", () => dark(true)); }
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => dark(false));
      addEventListener("keydown", event => { if (event.key === "Escape") this.resetAll(); });
      const links = [...document.querySelectorAll("nav a[href^='#']")];
      const mark = () => {
        const parts = links.map(link => document.querySelector(link.getAttribute("href"))).filter(Boolean);
        const here = parts.filter(part => part.getBoundingClientRect().top < innerHeight / 3).pop();
        for (const link of links) here && link.hash === "#" + here.id ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current");
      };
      addEventListener("scroll", mark, { passive: true });
      mark();
    },
  };

  // Whether two charts have the same lines, so that only numbers change.
  function same(a, b) {
    const shape = chart => JSON.stringify([chart.log, chart.places, chart.begin > 0, chart.panels.map(panel => [panel.lines.map(line => [line.name, line.look, line.color, Boolean(line.low)]), panel.levels.map(level => [level.name, level.color])])]);
    return shape(a) === shape(b);
  }
})();
