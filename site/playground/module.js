// The engines as a module of WebAssembly: a question in JSON, an answer with columns of numbers.

const KINDS = { f64: Float64Array, u64: BigUint64Array, u32: Uint32Array, bool: Uint8Array };

// `look` hears the simulated time and answers 0 to go on, 1 to cancel, 2 for the samples so far, which `show` takes.
function engineOf(module, { look = () => 0, show = () => {} } = {}) {
  let memory = null, message = "";
  const text = (at, size) => new TextDecoder().decode(new Uint8Array(memory.buffer, at, size));
  // The solver of the optimum over free routes asks for a clock; the page does not ask that solver.
  const missing = name => new Proxy({}, { get: (_, field) => () => { throw new Error(`the page has no ${name}.${String(field)}`); } });
  const imports = {};
  for (const { module: from } of WebAssembly.Module.imports(module)) imports[from] ??= missing(from);
  imports.windward = { look, show: (at, size) => show(unpacked(memory.buffer.slice(at, at + size))), fail: (at, size) => { message = text(at, size); } };
  const { exports } = new WebAssembly.Instance(module, imports);
  memory = exports.memory;
  return {
    // Throws after a panic, with its message; the instance is of no use then.
    ask(question) {
      const bytes = new TextEncoder().encode(JSON.stringify(question));
      try {
        const place = exports.question(bytes.length) >>> 0;
        new Uint8Array(memory.buffer, place, bytes.length).set(bytes);
        const size = exports.run() >>> 0;
        const at = exports.answer() >>> 0;
        return unpacked(memory.buffer.slice(at, at + size));
      } catch (error) {
        throw new Error(message || `the engine stopped: ${error.message}`);
      }
    },
    bytes: () => memory.buffer.byteLength,
  };
}

// An answer's header, its references replaced by columns.
function unpacked(buffer) {
  const size = new DataView(buffer).getUint32(0, true), begin = 4 + size;
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
  for (const table of Object.values(header.tables ?? {})) {
    for (const [name, column] of Object.entries(table)) {
      if (column?.kind) table[name] = new KINDS[column.kind](buffer, begin + column.at, column.count);
    }
  }
  header.buffer = buffer;
  return header;
}
