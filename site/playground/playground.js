// The playground: explore's page with the engine in workers of this browser; the scenario is in the address.

const element = id => document.getElementById(id);
const data = id => JSON.parse(element(id).textContent);

const throughStream = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
const fromBase64 = text => Uint8Array.from(atob(text), sign => sign.charCodeAt(0));

// A state as the part of an address behind `#s=`: JSON, compressed, in base64 for addresses.
async function encoded(state) {
  const bytes = await throughStream(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
  const text = btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(""));
  return text.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

async function decoded(text) {
  const bytes = await throughStream(fromBase64(text.replace(/-/g, "+").replace(/_/g, "/")), new DecompressionStream("deflate-raw"));
  return JSON.parse(new TextDecoder().decode(bytes));
}

// What the address asks for: `t` the file, `f` its recordings, `c` changed fields, `n` seeds, `u` the optimum's utility.
async function asked(examples) {
  const found = /^#s=([\w-]+)$/.exec(location.hash), first = examples.headline;
  if (!found) return { t: first.text, f: first.files };
  try {
    const state = await decoded(found[1]);
    if (typeof state.t !== "string") throw new Error("it has no scenario");
    return state;
  } catch (error) {
    return { t: first.text, f: first.files, wrong: `The address is damaged: ${error.message}. This is the headline.` };
  }
}

async function begin() {
  const examples = data("examples"), module = await WebAssembly.compile(await throughStream(fromBase64(element("engine").textContent.trim()), new DecompressionStream("gzip")));
  const engine = new Engine(element("worker").textContent, module);
  window.playground = { engine, decoded, encoded };
  const { schema } = await engine.pool.ask({ do: "schema" }).answer;
  let text = "", files = {}, page = null, own = "";
  const box = element("source"), editor = new Editor(box, schema, changed => { text = changed; show({}); });

  // Reads the file of the editor, and opens it with these settings.
  async function show(settings) {
    const read = text, found = await engine.open(read, files).catch(error => ({ error: error.message, problems: [] }));
    if (read !== text) return;
    editor.tell(found.problems ?? []);
    if (found.error) {
      element("status").textContent = "not a scenario";
      if (!found.problems?.length) page?.problem(found.error);
      return;
    }
    page?.problem("");
    const opening = { scenario: found.scenario, groups: found.groups };
    page ??= explore(opening, engine, note);
    page.open(opening, settings);
    document.title = `${found.scenario.name} – Windward playground`;
  }

  // The address says what is on the page, so that a link is a result.
  async function note() {
    const { changes, seeds, utility } = page.state(), state = { t: text };
    if (Object.keys(files).length) state.f = files;
    if (changes.length) state.c = changes;
    if (seeds !== 1) state.n = seeds;
    if (utility !== "proportional") state.u = utility;
    own = `#s=${await encoded(state)}`;
    history.replaceState(null, "", own);
  }

  async function open(state) {
    text = state.t;
    files = state.f ?? {};
    editor.set(text);
    await show({ changes: state.c, seeds: state.n, utility: state.u });
    if (state.wrong) page?.problem(state.wrong);
  }

  addEventListener("hashchange", async () => { if (location.hash !== own) open(await asked(examples)); });
  const choice = element("example");
  choice.append(...Object.entries(examples).map(([name, { title }]) => new Option(title, name)));
  choice.addEventListener("change", () => { const { text: t, files: f } = examples[choice.value] ?? {}; if (t) open({ t, f }); choice.value = ""; });
  element("link").addEventListener("click", async () => {
    await note();
    try { await navigator.clipboard.writeText(location.href); element("status").textContent = "link copied"; } catch { element("status").textContent = "the link is in the address bar"; }
  });
  element("upload").addEventListener("change", async ({ target }) => {
    const all = await Promise.all([...target.files].map(async file => [file.name, await file.text()]));
    const scenario = all.find(([name]) => name.endsWith(".toml")), others = all.filter(one => one !== scenario);
    // A scenario names a recording as it finds it from its own folder.
    const names = [...(scenario?.[1] ?? text).matchAll(/"([^"\n]+)"/g)].map(found => found[1]);
    const placed = Object.fromEntries(others.map(([name, content]) => [names.find(path => path === name || path.endsWith(`/${name}`)) ?? name, content]));
    await open({ t: scenario?.[1] ?? text, f: { ...(scenario ? {} : files), ...placed } });
    target.value = "";
  });
  await open(await asked(examples));
}

begin().catch(error => {
  element("problem").hidden = false;
  element("problem").textContent = `The playground needs a browser with WebAssembly, workers and DecompressionStream (Chrome 103, Firefox 113, Safari 16.4): ${error.message}`;
  element("status").textContent = "not started";
});
