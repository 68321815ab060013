// kport in a worker: a module comes first, then requests, each of which is answered in turn.
let kport = null;
const decoder = new TextDecoder(), encoder = new TextEncoder();

/// The calls of WASI that kport makes. There are no files, no arguments and no environment.
function system(memory) {
  const view = () => new DataView(memory().buffer);
  const badFile = 8, unknown = 52;
  const nothing = (count, bytes) => { view().setUint32(count, 0, true); view().setUint32(bytes, 0, true); return 0; };
  const known = {
    args_sizes_get: nothing, args_get: () => 0,
    environ_sizes_get: nothing, environ_get: () => 0,
    clock_time_get(id, precision, out) {
      const now = id === 0 ? Date.now() : performance.now();
      view().setBigUint64(out, BigInt(Math.round(now * 1e6)), true);
      return 0;
    },
    random_get(at, size) { crypto.getRandomValues(new Uint8Array(memory().buffer, at, size)); return 0; },
    fd_write(file, pieces, count, out) {
      let written = 0;
      for (let i = 0; i < count; ++i) written += view().getUint32(pieces + 8 * i + 4, true);
      view().setUint32(out, written, true);
      return 0;
    },
    fd_prestat_get: () => badFile, fd_close: () => 0,
    proc_exit(status) { throw new Error("status " + status); },
  };
  return new Proxy({}, {get: (_, name) => known[name] ?? (() => unknown)});
}

async function opened(module) {
  let memory = null;
  const calls = system(() => memory);
  const imports = {};
  for (const {module: from, name} of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = calls[name];
  const {exports} = await WebAssembly.instantiate(module, imports);
  memory = exports.memory;
  exports._initialize();
  return request => {
    const bytes = encoder.encode(JSON.stringify(request));
    const at = exports.kport_alloc(bytes.length) >>> 0;  // an address above 2 GiB is negative in JavaScript
    if (at === 0) throw new Error("no memory for a request of " + bytes.length + " bytes");
    new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
    exports.kport_answer(at, bytes.length);
    exports.kport_free(at);
    const text = new Uint8Array(memory.buffer, exports.kport_text() >>> 0, exports.kport_text_bytes() >>> 0);
    return JSON.parse(decoder.decode(text));
  };
}

async function taken(data) {
  if (data.module) return void (kport = opened(data.module));
  const answer = await kport;
  return answer({words: data.words, input: data.input ?? ""});
}
// In a page; a test in node calls opened() itself.
if (typeof postMessage === "function")
  onmessage = async ({data}) => {
    try {
      const told = await taken(data);
      if (told) postMessage(told);
    } catch (error) { postMessage({died: error?.message || "an exception without a text"}); }  // one of C++ has none
  };
