// A worker: one instance of the engine, which answers one question after the other.

const LOOK_MS = 150;
let engine = null, groups = null, module = null, task = null, shownAt = 0, paused = 0;

function begin() {
  const look = seconds => {
    const now = performance.now();
    if (now - shownAt < Math.max(LOOK_MS, 4 * paused)) return 0;
    shownAt = now;
    return task?.isShown ? 2 : 0;
  };
  const show = answer => {
    const before = performance.now();
    postMessage({ id: task.id, shown: answer }, [answer.buffer]);
    paused = performance.now() - before;
  };
  engine = engineOf(module, { look, show });
}

// The optimum of each piece of a network that changes.
function piecesOf({ scenario, files, format, utility, changes, duration }) {
  const times = [0, ...changes, duration];
  return times.slice(0, -1).map((from, at) => {
    const best = engine.ask({ do: "optimum", scenario, files, format, utility, time: from });
    const piece = { from_s: from, until_s: times[at + 1] };
    return best.error ? { ...piece, goodput_bps: null, reason: best.error.split("\n")[0] } : { ...piece, goodput_bps: [...best.tables.flows.goodput_bps] };
  });
}

function answer(question) {
  if (question.do === "pieces") return { pieces: piecesOf(question) };
  const found = engine.ask(question);
  if (question.do === "read" && !found.error) {
    groups ??= fieldsOf(engine.ask({ do: "schema" }).schema, text => engine.ask({ do: "quantity", text }).quantity);
    found.scenario = JSON.parse(found.json);
    found.groups = groups(found.scenario, question.written ?? found.written);
  }
  return found;
}

onmessage = ({ data }) => {
  if (data.module) { module = data.module; begin(); return; }
  task = data;
  shownAt = performance.now();
  try {
    const found = answer(data.question);
    postMessage({ id: data.id, answer: found }, found.buffer ? [found.buffer] : []);
  } catch (error) {
    // Nothing is known of the state of an engine that panicked: the page ends this worker.
    postMessage({ id: data.id, panic: error.message });
  }
};
