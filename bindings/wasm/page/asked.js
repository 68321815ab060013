// Who answers the page: kport itself, in a worker. The module is in the page: packed, in base64.
const module = (async () => {
  const packed = Uint8Array.from(atob($("module").textContent), letter => letter.charCodeAt(0));
  const whole = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(whole).arrayBuffer());
})();
const script = URL.createObjectURL(new Blob([$("worker").textContent], {type: "text/javascript"}));
const work = {worker: null, waiting: [], words: ""};
const pictures = [];

function ended(error) {
  work.worker?.terminate();
  work.worker = null;
  for (const {answer} of work.waiting.splice(0)) answer({status: 4, text: "", warnings: [], error});
}
async function workerAtWork() {
  const compiled = await module;
  if (work.worker) return work.worker;  // also that of a request which waited beside this one
  work.worker = new Worker(script);
  work.worker.postMessage({module: compiled});
  work.worker.onmessage = ({data}) => {
    if (data.died) return ended("kport ended in this page (" + data.died + "); the program kport has more memory");
    work.waiting.shift().answer(data);
  };
  return work.worker;
}
/// Pages that play a run; the last ones are kept.
function kept(html) {
  pictures.push(URL.createObjectURL(new Blob([html], {type: "text/html"})));
  if (pictures.length > 8) URL.revokeObjectURL(pictures.shift());
  return pictures.at(-1);
}
async function posted(path, {words, input}) {
  if (path === "/now") return {at_work: work.waiting.length ? "kport " + work.waiting[0].words.join(" ") : ""};
  if (path === "/stop") { ended("stopped"); return {}; }
  const worker = await workerAtWork();
  const told = await new Promise(answer => { work.waiting.push({words, answer}); worker.postMessage({words, input}); });
  if (told.text.startsWith("<!DOCTYPE html>")) { told.picture = kept(told.text); delete told.text; }
  return told;
}
