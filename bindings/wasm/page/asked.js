// Who answers the page: kport itself, in a worker. The module is in the page: packed, in base64.
const script = URL.createObjectURL(new Blob([$("worker").textContent], {type: "text/javascript"}));
/// Requests in the order in which they came; the worker has the first one, `asked`. A worker whose module has trapped is of no use any more.
const work = {module: null, worker: null, waiting: [], asked: null};
const pictures = [];

async function unpacked() {
  const packed = Uint8Array.from(atob($("module").textContent), letter => letter.charCodeAt(0));
  const whole = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(whole).arrayBuffer());
}
const refusal = error => ({status: 4, text: "", warnings: [], error});
/// Another worker takes its place when it is needed.
function end() { work.worker?.terminate(); work.worker = null; }
function answered(told) {
  work.asked = null;
  work.waiting.shift()?.answer(told);
  askNext();
}
function broke(why) {
  end();
  const line = work.waiting.length ? " at `kport " + work.waiting[0].words.join(" ") + "`" : "";
  answered(refusal("kport broke down in this page" + line + " (" + why + "). The next request opens it again: ask for a smaller machine, or take the program kport, which has more memory"));
}
function stop() {
  end();
  work.asked = null;
  for (const {answer} of work.waiting.splice(0)) answer(refusal("stopped; the next request opens kport again"));
}
function started(compiled) {
  const worker = new Worker(script), isCurrent = () => worker === work.worker;
  worker.onmessage = ({data}) => { if (isCurrent()) data.died ? broke(data.died) : answered(data); };
  worker.onerror = event => { event.preventDefault(); if (isCurrent()) broke(event.message || "its worker does not start"); };
  worker.postMessage({module: compiled});
  return worker;
}
async function askNext() {
  const first = work.waiting[0];
  if (!first || work.asked === first) return;
  work.asked = first;
  let compiled = null;
  try { compiled = await (work.module ??= unpacked()); } catch (error) {
    work.module = null;
    if (work.asked === first) answered(refusal("kport cannot be opened in this page (" + error.message + "); want Chromium 95, Firefox 113, Safari 16.4 or a later one, or the program kport"));
    return;
  }
  if (work.asked !== first) return;  // stopped meanwhile
  work.worker ??= started(compiled);
  work.worker.postMessage({words: first.words, input: first.input});
}
/// Pages that play a run; the last ones are kept.
function kept(html) {
  pictures.push(URL.createObjectURL(new Blob([html], {type: "text/html"})));
  if (pictures.length > 8) URL.revokeObjectURL(pictures.shift());
  return pictures.at(-1);
}
async function posted(path, {words, input}) {
  if (path === "/now") return {at_work: !work.waiting.length ? "" : (work.worker ? "kport " : "opening kport: ") + work.waiting[0].words.join(" ")};
  if (path === "/stop") { stop(); return {}; }
  const told = await new Promise(answer => { work.waiting.push({words, input, answer}); askNext(); });
  if (told.text.startsWith("<!DOCTYPE html>")) { told.picture = kept(told.text); delete told.text; }
  return told;
}
