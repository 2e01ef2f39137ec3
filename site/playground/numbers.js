// Numbers as the tables and figures of windward's Python package show them, and their statistics over seeds.

// As Python's "{value:.{decimals}f}": the nearest decimal, of two equally near ones the even.
function fixed(value, decimals) {
  const shifted = value * 2 ** (decimals + 1);
  if (Number.isInteger(shifted) && Math.abs(value) < 2 ** 40) {
    const size = Math.abs(value) * 10 ** decimals, low = Math.floor(size);
    if (size - low === 0.5) return (value < 0 ? "-" : "") + ((low + (low % 2)) / 10 ** decimals).toFixed(decimals);
  }
  return value.toFixed(decimals);
}

// As Python's "{value:.{digits}g}".
function general(value, digits = 6) {
  if (value === 0) return "0";
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  const [mantissa, power] = value.toExponential(digits - 1).split("e"), exponent = Number(power);
  const bare = text => text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  if (exponent < -4 || exponent >= digits) return `${bare(mantissa)}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  return bare(fixed(value, Math.max(0, digits - 1 - exponent)));
}

// The exact sum, rounded once: J. R. Shewchuk's expansion, as Python's math.fsum.
function fsum(values) {
  let parts = [];
  for (let value of values) {
    const kept = [];
    for (let part of parts) {
      if (Math.abs(value) < Math.abs(part)) [value, part] = [part, value];
      const high = value + part, low = part - (high - value);
      if (low) kept.push(low);
      value = high;
    }
    parts = [...kept, value];
  }
  return parts.reverse().reduce((sum, part) => sum + part, 0);
}

const sum = values => values.reduce((whole, value) => whole + value, 0);

// The logarithm of the gamma function: Lanczos' approximation with g = 7.
function lgamma(x) {
  const factors = [0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
    -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7];
  const series = factors.slice(1).reduce((whole, factor, at) => whole + factor / (x + at), factors[0]);
  const t = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(series);
}

// The probability that |T| <= t: M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4.
function within(t, freedom) {
  const cosine2 = 1 / (1 + t * t / freedom), isOdd = freedom % 2;
  let term = 1, whole = 0;
  for (let k = 0; k < (freedom - isOdd) / 2; k++) {
    whole += term;
    term *= cosine2 * (2 * k + 1 + isOdd) / (2 * k + 2 + isOdd);
  }
  const sine = t / Math.sqrt(freedom + t * t);
  return isOdd ? 2 / Math.PI * (Math.atan(t / Math.sqrt(freedom)) + sine * Math.sqrt(cosine2) * whole) : sine * whole;
}

// t(0.975, n) of Student's distribution, by Newton's method; a page has few seeds.
function tQuantile(freedom) {
  const logPeak = lgamma((freedom + 1) / 2) - lgamma(freedom / 2) - Math.log(freedom * Math.PI) / 2;
  let t = 1.959963984540054;
  for (let round = 0; round < 100; round++) {
    const step = (0.95 - within(t, freedom)) / (2 * Math.exp(logPeak - (freedom + 1) / 2 * Math.log1p(t * t / freedom)));
    t += step;
    if (step < 1e-14 * t) break;
  }
  return t;
}

// Mean, and half-width of its 95 % confidence interval; NaN (nothing was measured) is left out.
function meanAndInterval(values) {
  const known = [...values].filter(value => !Number.isNaN(value));
  if (!known.length) return [NaN, NaN];
  if (known.some(value => !Number.isFinite(value))) return [sum(known), NaN];
  const mean = fsum(known) / known.length;
  if (known.length === 1) return [mean, NaN];
  const variance = fsum(known.map(value => (value - mean) ** 2)) / (known.length - 1);
  return [mean, tQuantile(known.length - 1) * Math.sqrt(variance) / Math.sqrt(known.length)];
}

const RARE = new Set([
  "timeouts", "recoveries", "retransmits", "segments_lost", "lost", "dropped", "marked", "unfinished", "late",
  "freezes", "stalls", "switches", "handovers", "forwarded", "failures", "errors", "gaps", "discarded",
  "harq_lost", "harq_retransmissions", "rlc_failures", "rlc_retransmissions", "garbled_frames", "internal_collisions", "mpdu_failures", "given_up",
]);

// Interval of a mean number of rare events: F. Garwood's, with the overdispersion of McCullagh and Nelder.
function rareInterval(metric, values) {
  const known = values.filter(value => !Number.isNaN(value)), n = known.length;
  if (!RARE.has(metric) || n < 2 || sum(known) > 10 * n || (known[0] && Math.min(...known) === Math.max(...known))) return null;
  const whole = fsum(known), mean = whole / n;
  if (!whole) return [0, 3 / n];
  const spread = fsum(known.map(value => (value - mean) ** 2)) / (n - 1) / mean;
  const phi = spread > 1 + 1e-9 ? spread * (tQuantile(n - 1) / 1.959963984540054) ** 2 : 1;
  return [phi * gammaQuantile(whole / phi, 0.025) / n, phi * gammaQuantile(whole / phi + 1, 0.975) / n];
}

function gammaQuantile(shape, probability) {
  let low = 0, high = shape + 1;
  while (lowerGamma(shape, high) < probability) high *= 2;
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2;
    if (lowerGamma(shape, middle) < probability) low = middle; else high = middle;
  }
  return (low + high) / 2;
}

function lowerGamma(shape, x) {
  if (x <= 0) return 0;
  let term = 1, whole = 1, at = shape;
  while (term > 1e-16 * whole) { at++; term *= x / at; whole += term; }
  return Math.min(Math.exp(shape * Math.log(x) - x - lgamma(shape + 1)) * whole, 1);
}

// ---- As tables show them.
const PREFIXES = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"]];

function quantity(value, unit = "", error = NaN) {
  if (Number.isNaN(value)) return "–";
  let scale = 1, prefix = "";
  if ((unit === "bit/s" || unit === "s") && value) [scale, prefix] = PREFIXES.find(([size]) => Math.abs(value) >= size) ?? PREFIXES.at(-1);
  if (error < 1e-9 * Math.abs(value) || error === 0) error = NaN;
  return `${withError(value / scale, error / scale)} ${prefix}${unit}`.trimEnd();
}

function withError(value, error = NaN) {
  const decimals = (size, digits) => size === 0 ? 0 : Math.max(0, Math.min(3, digits - 1 - Math.floor(Math.log10(Math.abs(size)))));
  if (Number.isNaN(error)) return fixed(value, decimals(value, 3));
  const count = decimals(error, 2);
  return `${fixed(value, count)} ± ${fixed(error, count)}`;
}

const interval = (values, unit = "") => { const [mean, error] = meanAndInterval(values); return quantity(mean, unit, error); };
const percents = values => interval(values.map(value => 100 * value), "%");
const percent = share => Number.isNaN(share) ? "–" : `${fixed(100 * share, 1)} %`;
const shares = pairs => pairs.map(([part, whole]) => whole ? part / whole : NaN);

function events(metric, values) {
  const found = rareInterval(metric, values);
  if (found === null) return interval(values);
  const [low, high] = found;
  if (!values.some(Boolean)) return `< ${general(high, 2)}`;
  const [mean] = meanAndInterval(values), decimals = mean < 1 ? 2 : 1;
  return `${fixed(mean, decimals)} (${fixed(low, decimals)} to ${fixed(high, decimals)})`;
}

const escaped = text => String(text).replace(/[&<>"']/g, sign => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#x27;" })[sign]);
