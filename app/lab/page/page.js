// The command line is the state: the controls write it, and it sets the controls. What is shown is kport's answer to it.
const $ = id => document.getElementById(id);
const at = {tab: "watch", words: [], asked: 0, wanted: 0, known: {}};
window.kportLab = {at, settled: false};  // for tests

/// Waits for its turn: another page, or this one before it was opened again, may have a run.
async function post(path, body) {
  for (;;) try { return await posted(path, body); } catch (error) {
    if (!error.busy) throw error;
    $("busy").textContent = error.message; $("stop").hidden = false;
    await new Promise(done => setTimeout(done, 500));
  }
}
const ask = (words, input = "") => post("/answer", {words, input});
async function askJson(words) {
  const told = await ask([...words, "--json"]);
  if (told.error) throw new Error(told.error);
  return JSON.parse(told.text);
}

// ---- words -----------------------------------------------------------------------------------------------------------
/// As a shell splits them, without the quotation marks and the name of the program.
function split(line) {
  const words = [];
  let word = null, mark = "";
  for (const letter of line) {
    if (mark) { if (letter === mark) mark = ""; else word += letter; }
    else if (letter === '"' || letter === "'") { mark = letter; word ??= ""; }
    else if (!/\s/.test(letter)) word = (word ?? "") + letter;
    else if (word !== null) { words.push(word); word = null; }
  }
  if (mark) throw new Error("a quotation mark " + mark + " is not closed; want a second one");
  if (word !== null) words.push(word);
  return words[0] === "kport" ? words.slice(1) : words;
}
const quoted = word => !/[\s"'#&;|<>*?$()]/.test(word) && word !== "" ? word : word.includes("'") ? '"' + word + '"' : "'" + word + "'";
/// {operation, options: Map of name to value}; the words behind the command that stand before the first option are the operation's.
function parsed(words) {
  const options = new Map(), subjects = [];
  let last = null;
  for (const word of words.slice(1)) {
    const [, name, value] = /^(--[^=]+)(?:=(.*))?$/.exec(word) || [];
    if (name) { last = name === "--root" ? "--source" : name; options.set(last, value ?? ""); } else if (last) options.set(last, (options.get(last) + " " + word).trim()); else subjects.push(word);
  }
  return {operation: subjects.join(" "), options};
}
const wordsOf = (command, operation, options, without = []) =>
  [command, operation, ...[...options].filter(([name]) => !without.includes(name)).flatMap(([name, value]) => value === "" ? [name] : [name, value])];

// ---- what goes on ------------------------------------------------------------------------------------------------------
function say(error) { $("error").textContent = error; $("command").setAttribute("aria-invalid", error ? "true" : "false"); }
async function working(work) {
  const turn = ++at.asked;
  $("stop").hidden = false;
  let over = false;
  (async () => {
    while (await new Promise(done => setTimeout(() => done(!over), 500))) {
      const goes = await posted("/now", {}).then(told => told.at_work, error => error.message);
      if (!over) $("busy").textContent = goes;
    }
  })();
  try { await work(turn); } catch (error) { if (turn === at.asked) { say(error.message); show(""); } } finally {
    over = true;
    if (turn === at.asked) { $("busy").textContent = ""; $("stop").hidden = true; }
  }
}
let queue = Promise.resolve();
/// One request after the other; of those that wait, the last.
function later(work) {
  const mine = ++at.wanted;
  window.kportLab.settled = false;
  queue = queue.then(() => mine === at.wanted ? working(work) : null).then(() => { if (mine === at.wanted) window.kportLab.settled = true; });
  return queue;
}

/// Without an entry in the history, which would make "back" turn the frame instead of the page.
const turnTo = (frame, path) => frame.contentWindow.location.replace(new URL(path, location.href));
/// Ends when a picture has come.
async function show(what, content) {
  if (what !== "text" || at.tab !== "build") $("picture").hidden = what !== "picture";
  if (what !== "picture" || at.tab !== "build") $("text").hidden = what !== "text";
  $("table").hidden = what !== "table"; $("race").hidden = what !== "race"; $("drawing").hidden = what !== "drawing";
  if (what === "drawing") putDrawing(content.text);
  if (what === "text") { $("text").textContent = content.text || ""; $("text").className = content.status ? "broken" : ""; }
  if (what === "picture") return new Promise(done => { $("picture").addEventListener("load", done, {once: true}); turnTo($("picture"), content); });
}
/// In the page, so that pointing at a part shows its text; as an image where it has a style sheet, which the page does not let in.
function putDrawing(text) {
  if (text.includes("<style")) {
    const image = new Image();
    image.src = "data:image/svg+xml," + encodeURIComponent(text); image.alt = "the picture that the command draws";
    return $("drawing").replaceChildren(image);
  }
  const drawn = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
  drawn.setAttribute("role", "img"); drawn.setAttribute("aria-label", drawn.querySelector("title, text")?.textContent || "");
  $("drawing").replaceChildren(drawn);
}
function shown(told) {
  const cut = told.status === 4 && !told.error ? "The run was stopped, or came to its limit of time or rounds: this is what it did until then." : "";
  say([told.error, cut, ...told.warnings].filter(text => text).join("\n"));
  if (told.picture) return show("picture", told.picture);
  show(told.text?.startsWith("<svg ") ? "drawing" : "text", told);
}

// ---- pictures of a run, and of many runs: kport draws them ------------------------------------------------------------------
/// {says, one of "as" (of kport show) and "options" (of kport compare --plot), "fits": of which operations}.
const kinds = [
  {name: "holdings", says: "who holds what over time", as: "holdings"},
  {name: "bounds", says: "the run beside each bound", as: "bounds"},
  {name: "critical-path", says: "what makes the last receipt late", as: "critical-path"},
  {name: "load", says: "load of links and nodes", as: "load"},
  {name: "overview", says: "the machine once, with rounds", as: "overview"},
  {name: "svg", says: "the machine in each round", as: "svg"},
  {name: "space-time", says: "nodes over time", as: "space-time"},
  {name: "map", says: "every node as the source", options: [["--source", "all"], ["--plot-as", "map"]], fits: operation => rooted(operation)},
  {name: "ports", says: "algorithms over ports", options: [["--ports", "1,2,3,all"]]},
  {name: "bytes", says: "algorithms over bytes", options: [["--bytes", "8..64KiB"]]},
  {name: "matrix", says: "algorithms by ports, run over bound", options: [["--ports", "1,2,3,all"], ["--plot-as", "matrix"]]},
];
function wordsOfPicture(kind, operation, options) {
  if (kind.as) return [...wordsOf("show", operation, options, notOfPictures), "--as", kind.as];
  const all = new Map([...options].filter(([name]) => name !== "--inject" && !notOfPictures.includes(name)));
  for (const [name, value] of [...kind.options, ["--plot-of", $("of").value], ["--plot", "-"]]) all.set(name, value);
  return wordsOf("compare", operation, all);
}
async function drawPicture(operation, options) {
  const kind = kinds.find(one => one.name === $("kind").value && (!one.fits || one.fits(operation))) || kinds[0];
  for (const choice of $("kind").options) { const {fits} = kinds.find(one => one.name === choice.value); choice.disabled = Boolean(fits && !fits(operation)); }
  $("kind").value = kind.name; $("of-label").hidden = Boolean(kind.as);
  const words = wordsOfPicture(kind, operation, options);
  $("drawn-by").textContent = "kport " + words.map(quoted).join(" ");
  shown(await ask(words));
}
for (const {name, says} of kinds) $("kind").append(new Option(says, name));
for (const id of ["kind", "of"]) $(id).onchange = () => refresh();

// ---- the tabs ------------------------------------------------------------------------------------------------------------
const notOfBounds = ["--algorithm", "--inject", "--as", "--json", "--per-round", "--record", "--reproducible", "--output"];
const nodesCompared = 1024;  // on larger machines a comparison takes long
const notOfPictures = ["--json", "--per-round", "--as", "--record", "--reproducible", "--output"];
const notInRaces = ["--inject", ...notOfPictures];
const tabs = {
  race: async (operation, options) => {
    say(""); $("lanes").hidden = true; $("ahead").textContent = "";
    for (const lane of lanes) lane.run = lane.shown = null;
    show("race");  // also where an algorithm does not fit: another one is chosen there
    try { await race(operation, options); } catch (error) { say(error.message); }
  },
  watch: async (operation, options) => await shown(await ask([...wordsOf("show", operation, options, notOfPictures), "--as", "html"])),
  pictures: drawPicture,
  report: async (operation, options) => shown(await ask(wordsOf("run", operation, options, ["--as"]))),
  explain: async (operation, options) => shown(await ask(wordsOf("explain", operation, options, ["--as", "--inject", ...notOfPictures]))),
  compare: async (operation, options) => { say(""); const all = await askJson(wordsOf("compare", operation, options, ["--algorithm", "--inject", ...notOfPictures])); table(all); },
  build: async (operation, options) => {
    const machine = wordsOfWritten(operation, options), input = writtenSchedule();
    const judged = await ask(machine, input);
    shown($("schedule").value.trim() ? judged : {text: "No message yet.", warnings: []});
    const drawn = judged.error ? {} : await ask(["show", ...machine.slice(1), "--as", "html"], input);
    if (drawn.picture) await show("picture", drawn.picture); else $("picture").hidden = true;
  },
};
// ---- schedules by hand: their text is the state, which a message that is drawn changes as typing does -------------------------
const written = {past: [], now: "", next: []};
const writtenSchedule = () => $("schedule").value.trim() ? $("schedule").value : "round 1: silent\n";
const wordsOfWritten = (operation, options) => ["check", "-", ...wordsOf("", operation, options, ["--algorithm", "--inject", ...notOfPictures]).slice(1)];
function showSchedule(text) { $("advice").textContent = ""; $("schedule").value = written.now = text; $("undo").disabled = !written.past.length; $("redo").disabled = !written.next.length; }
function writeSchedule(text) {
  if (text === written.now) return;
  written.past.push(written.now); written.next = [];
  showSchedule(text); refresh();
}
function goBack(from, to) { if (!from.length) return; to.push(written.now); showSchedule(from.pop()); refresh(); }
/// [{round, line, text}]: where "round k:" stands; its text goes on to the next one.
function roundsOf(lines) { return lines.flatMap((text, line) => { const found = /^\s*round\s+(\d+)\s*:/.exec(text); return found ? [{round: Number(found[1]), line, head: found[0].length}] : []; }); }
function withMessage(text, round, message) {
  const lines = text.trimEnd() ? text.trimEnd().split("\n") : [], rounds = roundsOf(lines), here = rounds.findIndex(one => one.round === round);
  if (here < 0) {
    const behind = rounds.find(one => one.round > round);
    lines.splice(behind ? behind.line : lines.length, 0, "round " + round + ": " + message);
  } else {
    const {line, head} = rounds[here], end = here + 1 < rounds.length ? rounds[here + 1].line : lines.length, is = lines[line].slice(head).replace(/#.*/, "").trim();
    if (end === line + 1 && (is === "" || is === "silent")) lines[line] = "round " + round + ": " + message; else lines.splice(end, 0, "  " + message);
  }
  return lines.join("\n") + "\n";
}
/// Without the message; nothing where the text has none of this form.
function withoutMessage(text, round, from, to) {
  const lines = text.split("\n"), rounds = roundsOf(lines), here = rounds.findIndex(one => one.round === round);
  if (here < 0) return null;
  const end = here + 1 < rounds.length ? rounds[here + 1].line : lines.length;
  for (let i = rounds[here].line; i < end; ++i) {
    const head = i === rounds[here].line ? lines[i].slice(0, rounds[here].head) : "", messages = lines[i].slice(head.length).split(/,(?![^{]*\})/).map(one => one.trim()).filter(one => one);
    const which = messages.findIndex(one => new RegExp("^" + from + "\\s*->\\s*" + to + "(?!\\d)").test(one));
    if (which < 0) continue;
    messages.splice(which, 1);
    if (messages.length || !head) lines[i] = head ? head + " " + messages.join(", ") : "  " + messages.join(", "); else lines[i] = end > i + 1 && lines.slice(i + 1, end).some(one => one.trim()) ? head : head + " silent";
    if (!lines[i].trim()) lines.splice(i, 1);
    return lines.join("\n");
  }
  return null;
}
/// The members of a set such as "{0..3,7}" as words; ranges of plain numbers are taken apart.
const members = set => set.replace(/[{}]/g, "").split(",").map(one => one.trim()).filter(one => one).flatMap(one => {
  const range = /^(\d+)\.\.(\d+)(?: step (\d+))?$/.exec(one);
  return range ? Array.from({length: Math.floor((range[2] - range[1]) / (range[3] || 1)) + 1}, (_, i) => String(Number(range[1]) + i * Number(range[3] || 1))) : [one];
});
/// A set as reports write it, on one line.
const isSet = text => typeof text === "string" && /^(\{[\w:.>, ]*\})?$/.test(text);
/// A schedule says what these carry by itself: the packet, or all that the sender holds.
const saysNothing = ["broadcast", "gather", "reduce", "barrier"];
window.addEventListener("message", event => {
  const told = event.data || {}, isNumber = n => Number.isInteger(n) && n >= 0;
  if (event.source !== $("picture").contentWindow || at.tab !== "build" || ![told.round, told.from, told.to].every(isNumber)) return;
  const text = $("schedule").value;
  if (told.kport === "removed") {
    const left = withoutMessage(text, told.round, told.from, told.to);
    return left === null ? say("the text has this message in another form; remove it there") : writeSchedule(left);
  }
  if (told.kport !== "drawn" || ![told.holds, told.has].every(isSet)) return;
  const operation = $("operation").value, holds = members(told.holds), has = new Set(members(told.has)), folds = ["allreduce", "reduce-scatter", "scan", "exscan"].includes(operation);
  const given = folds ? holds : holds.filter(one => !has.has(one));
  if (!saysNothing.includes(operation) && !given.length) return say("node " + told.from + " holds nothing in round " + told.round + " that node " + told.to + " lacks");
  writeSchedule(withMessage(text, told.round, told.from + " -> " + told.to + (saysNothing.includes(operation) ? "" : " {" + given.join(", ") + "}")));
});
const draw = () => $("picture").contentWindow.postMessage({kport: "draw", round: Math.max(1, Number($("round").value) || 1)}, "*");
$("picture").addEventListener("load", () => { if (at.tab === "build") draw(); });
$("round").oninput = draw;
$("undo").onclick = () => goBack(written.past, written.next);
$("redo").onclick = () => goBack(written.next, written.past);
$("remove").onclick = () => $("picture").contentWindow.postMessage({kport: "remove"}, "*");

// ---- a race: two runs of the player, which show the time of the clock here and say what they show -------------------------------
const lanes = [0, 1].map(number => ({number, run: null, shown: null, name: "", ready: null}));
const algorithmsOf = options => (options.get("--algorithm") || "").split(",").map(name => name.trim()).filter(name => name);
const isRace = words => words[0] === "compare" && algorithmsOf(parsed(words).options).length === 2;
async function race(operation, options) {
  const pair = await pairOf(operation, options);
  write(wordsOf("compare", operation, new Map([...options, ["--algorithm", pair.join(",")]]), notInRaces), true);
  setControl("algorithm", pair[0]);
  clock.play(false);
  for (const lane of lanes) {
    lane.name = pair[lane.number];
    const told = await ask([...wordsOf("show", operation, new Map([...options, ["--algorithm", lane.name]]), notInRaces), "--as", "html"]);
    if (!told.picture) throw new Error([told.error, ...told.warnings].filter(text => text).join("\n"));
    $("lanes").hidden = false;
    $("name-" + lane.number).textContent = lane.name;
    await new Promise((done, fail) => {
      lane.ready = done;
      setTimeout(() => fail(new Error("the picture of " + lane.name + " does not come; run it again")), 60000);
      $("lane-" + lane.number).addEventListener("load", () => $("lane-" + lane.number).contentWindow.postMessage({kport: "lead"}, "*"), {once: true});
      turnTo($("lane-" + lane.number), told.picture);
    });
  }
  clock.rest(0);
}
/// The two that are named; for one that is not, the cheapest other one that fits.
async function pairOf(operation, options) {
  const named = algorithmsOf(options).slice(0, 2);
  if (named.length === 2) return named;
  if ((await askJson(wordsOf("bounds", operation, options, notOfBounds))).topology.nodes > nodesCompared) throw new Error("on a machine of more than " + nodesCompared + " nodes name both algorithms: compare ... --algorithm A,B");
  const all = (await askJson(wordsOf("compare", operation, options, ["--algorithm", ...notInRaces]))).runs.map(run => run.algorithm);
  const pair = [...named, ...all.filter(name => !named.includes(name))].slice(0, 2);
  if (pair.length < 2) throw new Error("only " + pair[0] + " fits here, and a race takes two algorithms; choose another operation or machine");
  return pair;
}
const isRow = row => Array.isArray(row) && row.length === 3 && typeof row[0] === "string" && row.slice(1).every(n => n === null || isCount(n));
const isCount = n => Number.isFinite(n) && n >= 0, raceLast = () => Math.max(0, ...lanes.map(lane => lane.run ? lane.run.last : 0));
const showRaceTime = () => { clock.mark(); for (const lane of lanes) if (lane.run) $("lane-" + lane.number).contentWindow.postMessage({kport: "time", time: clock.time}, "*"); };
window.addEventListener("message", event => {
  const lane = lanes.find(one => event.source === $("lane-" + one.number).contentWindow), told = event.data || {};
  if (!lane || at.tab !== "race") return;
  if (told.kport === "key" && Object.hasOwn(clock.keys, told.key)) clock.keys[told.key]();
  if (told.kport === "led" && [told.last, told.messages, told.hosts].every(isCount) && Array.isArray(told.quantities) && told.quantities.every(isRow) && typeof told.cost === "string") { lane.run = told; lane.ready(); }
  if (told.kport === "shows" && lane.run && [told.time, told.round, told.messages, told.reached].every(isCount)) { lane.shown = told; showCounts(lane); sayWhoLeads(); }
});
/// What a lane shows, all of its run, and the bounds. Its other costs stand in the sentence below. A bound on work is one on messages where each goes over one link.
function showCounts({number, run, shown}) {
  const of = name => run.quantities.find(([title]) => title === name) || [name, null, null], [, work, workBound] = of("work"), [, , roundsBound] = of("rounds");
  const rows = [["", "so far", "in all", "bound"], ["rounds", (shown.moving ? "in " : "") + shown.round, run.last, roundsBound], ["messages", shown.messages, run.messages, work === run.messages ? workBound : null],
    ["nodes reached", shown.reached, run.hosts, null]];
  $("counts-" + number).replaceChildren(...rows.map((cells, i) => { const row = document.createElement("tr"); cells.forEach((text, j) => { const cell = document.createElement(i && j ? "td" : "th"); cell.textContent = grouped(text) ?? ""; if (!i || !j) cell.scope = i ? "row" : "col"; row.append(cell); }); return row; }));
  $("verdict-" + number).textContent = run.cost; $("verdict-" + number).className = run.lawful ? "" : "broken";
}
/// As soon as both lanes show the time of the clock.
function sayWhoLeads() {
  if (lanes.some(lane => !lane.shown || lane.shown.time !== clock.time)) return;
  const [one, other] = lanes, said = ({name, run, shown}) => name + (shown.round === 0 ? " at the start, of " + run.last + (run.last === 1 ? " round: " : " rounds: ") : (shown.moving ? " in" : " after") + " round " + shown.round + " of " + run.last + ": ") + shown.messages + " of " + run.messages + " messages, " + shown.reached + " of " + run.hosts + " nodes reached";
  const ahead = other.run.last - one.run.last, by = Math.abs(ahead);
  const end = clock.time < raceLast() ? "" : "\n" + (ahead === 0 ? "Both take " + one.run.last + " rounds." : (ahead > 0 ? one : other).name + " takes " + by + (by === 1 ? " round" : " rounds") + " less.");
  const text = [one, other].map(said).join("\n") + end;
  if ($("ahead").textContent !== text) $("ahead").textContent = text;
}
// ---- keys, and a projector: the pictures are in frames, which have keys of their own ----------------------------------------------
const frames = () => [$("picture"), $("lane-0"), $("lane-1")];
const tellProjector = frame => frame.contentWindow.postMessage({kport: "project", on: document.documentElement.classList.contains("projector")}, "*");
function project(on) {
  document.documentElement.classList.toggle("projector", on); $("project").setAttribute("aria-pressed", on);
  for (const frame of frames()) tellProjector(frame);
}
const toggleProjector = () => project(!document.documentElement.classList.contains("projector"));
for (const frame of frames()) frame.addEventListener("load", () => tellProjector(frame));
window.addEventListener("message", event => {
  if (frames().some(frame => frame.contentWindow === event.source) && event.data?.kport === "projects" && typeof event.data.on === "boolean") project(event.data.on);
});
/// What keys do now. All of them stand in the dialog "keys".
function keysNow(target) {
  const races = at.tab === "race" && !$("race").hidden && !target.closest("[role=tablist]");
  return {...(races ? clock.keys : {}), p: toggleProjector, P: toggleProjector, "?": $("help").onclick, "/": () => { $("command").focus(); $("command").select(); }};
}
document.addEventListener("keydown", event => { if (!$("keys").open) pressed(event, keysNow(event.target)); });
$("project").onclick = toggleProjector;
$("help").onclick = () => $("keys").showModal();
window.kportLab.keys = () => Object.keys(keysNow(document.body));
clock.start(raceLast, showRaceTime);

function table(all) {
  const quantities = ["rounds", "work", "path_sum", "volume", "latency"], made = document.createElement("table");
  const row = (tag, cells) => { const line = made.insertRow(); for (const cell of cells) { const box = document.createElement(tag); box.textContent = cell.text ?? cell; if (cell.kind) box.className = cell.kind; line.append(box); } return line; };
  row("th", ["algorithm", ...quantities.map(q => q.replace("_", " ")), "verdict"]);
  for (const run of all.runs) {
    const line = row("td", ["", ...quantities.map(q => ({text: run.measured[q], kind: run.optimal && run.optimal[q] ? "best" : ""})), {text: run.verdict, kind: run.lawful ? "why" : "why broken"}]);
    const choose = document.createElement("button"); choose.type = "button"; choose.textContent = run.algorithm; choose.onclick = () => { $("algorithm").value = run.algorithm; fromControls(); }; line.cells[0].append(choose);
  }
  row("td", ["bound", ...quantities.map(q => all.bounds[q] ?? ""), ""]);
  for (const other of all.not_applicable) { const line = row("td", [other.algorithm, {text: other.why, kind: "why"}]); line.cells[1].colSpan = 6; }
  const rows = [...made.rows].slice(1);
  for (const button of made.querySelectorAll("button")) button.tabIndex = -1;  // the key is Enter, on its row
  keyedRows(rows, i => rows[i].querySelector("button")?.click());
  $("table").replaceChildren(made);
  show("table");
}
function mark(tab) {
  at.tab = tab;
  if (tab !== "race" && clock.playing) clock.play(false);
  for (const button of $("tabs").children) button.setAttribute("aria-selected", button.dataset.tab === tab);
  $("build").hidden = tab !== "build"; $("pictures").hidden = tab !== "pictures";
  $("inject").parentElement.hidden = tab === "race";
}
function select(tab) {
  mark(tab);
  if (tab !== "race" && isRace(at.words)) $("algorithm").value = lanes[0].name;
  if (tab !== "race" && isRace(at.words)) fromControls(); else if (!isOfTabs(at.words)) fromControls(); else refresh();
}
/// The commands that the tabs ask with the same words. Any other command is answered as it is typed.
const ofTabs = new Map([["run", null], ["show", "watch"], ["compare", "compare"], ["explain", "explain"]]);
const isOfTabs = words => ofTabs.has(words[0]) && at.known.operations?.some(one => one.operation === parsed(words).operation) && !words.some(word => ["--help", "-h", "--as", "--sweep", "--message", "--plot"].includes(word));
const tabOf = words => isRace(words) ? "race" : ofTabs.get(words[0]);
const asTyped = words => words[0] === "show" && !words.includes("--as") && !words.includes("--help") ? [...words, "--as", "html"] : words;
function refresh() {
  if (!at.known.operations) return begin();
  if (!isOfTabs(at.words)) return later(async () => shown(await ask(asTyped(at.words))));
  const {operation, options} = parsed(at.words);
  return later(async turn => { await tabs[at.tab](operation, options); if (turn === at.asked && at.tab !== "build") await offer(operation, options); });
}

// ---- the controls ----------------------------------------------------------------------------------------------------------
const controls = {"--on": "on", "--ports": "ports", "--switching": "switching", "--source": "source", "--packets": "packets", "--bytes": "bytes", "--algorithm": "algorithm", "--inject": "inject"};
function fromControls() {
  if (!at.known.operations) return begin();
  const {options} = parsed(at.words), next = new Map(options);
  for (const [name, id] of Object.entries(controls)) { const value = $(id).value.trim(); if (value) next.set(name, value); else next.delete(name); }
  if (!rooted($("operation").value)) next.delete("--source");
  if (at.tab === "race" && $("algorithm").value && $("rival").value) return setWords(wordsOf("compare", $("operation").value, new Map([...next, ["--algorithm", $("algorithm").value + "," + $("rival").value]]), notInRaces));
  setWords(wordsOf("run", $("operation").value, next));
}
const rooted = operation => ["broadcast", "scatter", "gather", "reduce"].includes(operation);
/// The words, in the box and in the address; as a new entry of the history unless they only complete what is asked.
function write(words, completes = false) {
  at.words = words;
  const line = words.map(quoted).join(" ");
  $("command").value = line;
  const address = "#" + encodeURIComponent(line);
  if (location.hash !== address) history[location.hash && !completes ? "pushState" : "replaceState"](null, "", address);
}
/// Also to a value that its list has not got.
function setControl(id, value) {
  if ($(id).tagName === "SELECT" && ![...$(id).options].some(one => one.value === value)) $(id).append(new Option(value, value));
  $(id).value = value;
}
function setWords(words) {
  write(words);
  const {operation, options} = parsed(words);
  if (!isOfTabs(words)) return refresh();
  if (tabOf(words)) mark(tabOf(words));
  $("operation").value = operation;
  for (const [name, id] of Object.entries(controls)) {
    const value = name === "--algorithm" ? algorithmsOf(options)[0] ?? "" : options.get(name) ?? (name === "--ports" ? "1" : "");
    setControl(id, value);
  }
  const family = $("on").value.split(":")[0];
  $("family").value = [...$("family").options].some(one => one.value === family) ? family : "";
  tellChoice();
  refresh();
}
function tellChoice() {
  $("promise").textContent = (at.known.operations.find(one => one.operation === $("operation").value) || {promise: ""}).promise;
  $("about").textContent = (at.known.topologies.find(one => one.topology === $("family").value) || {about: ""}).about;
  $("source").parentElement.hidden = !rooted($("operation").value);
}
/// The algorithms that fit, the cheapest first, and those that do not with the reason.
async function offer(operation, options) {
  const question = wordsOf("compare", operation, options, ["--algorithm", "--inject", ...notOfPictures]), asked = question.join(" ");
  if (at.offered === asked) return offerRival();
  let all = null;
  try { if ((await askJson(wordsOf("bounds", operation, options, notOfBounds))).topology.nodes <= nodesCompared) all = await askJson(question); } catch { return; }
  if (all === null) all = {runs: [], not_applicable: []};
  at.offered = asked;
  const chosen = $("algorithm").value, fits = document.createElement("optgroup"), others = document.createElement("optgroup");
  fits.label = "fit, the cheapest first"; others.label = "do not fit";
  for (const run of all.runs) fits.append(new Option(run.algorithm + ": " + run.measured.rounds + " rounds" + (run.optimal && run.optimal.rounds ? ", optimal" : "") + (run.lawful ? "" : ", breaks a rule"), run.algorithm));
  for (const one of all.not_applicable) { const option = new Option(one.algorithm + ": " + one.why, one.algorithm); option.disabled = true; others.append(option); }
  $("algorithm").replaceChildren(new Option("kport chooses", ""), fits, others);
  if (chosen && ![...$("algorithm").options].some(one => one.value === chosen)) $("algorithm").append(new Option(chosen, chosen));
  $("algorithm").value = chosen;
  offerRival();
}
/// The second algorithm of a race: any that fits.
function offerRival() {
  const {options} = parsed(at.words), rival = isRace(at.words) ? algorithmsOf(options)[1] : "", fit = [...$("algorithm").options].filter(one => one.value && !one.disabled).map(one => new Option(one.text, one.value));
  if (rival && !fit.some(one => one.value === rival)) fit.push(new Option(rival, rival));
  $("rival").replaceChildren(...fit);
  $("rival").value = rival;
}
/// A machine of a family that is small enough to be seen.
const small = {hypercube: "hypercube:4", mesh: "mesh:4x4", torus: "torus:4x4", line: "line:8", ring: "ring:8", complete: "complete:8", cbt: "cbt:3", star: "star:8",
  wheel: "wheel:8", "generalized-petersen": "generalized-petersen:7,2", circulant: "circulant:9,1,3", knoedel: "knoedel:3,8", "mobius-cube": "mobius-cube:3,0",
  hamming: "hamming:3x3", hyperx: "hyperx:3x3", dragonfly: "dragonfly:3,2", "twisted-torus": "twisted-torus:4x8,4", "express-mesh": "express-mesh:4x4,2", product: "product(ring:4,line:3)",
  "random-regular": "random-regular:3,12,1", crossbar: "crossbar:8", "leaf-spine": "leaf-spine:4,2,2", "fat-tree": "fat-tree:4", "mport-tree": "mport-tree:4,2", "kary-ntree": "kary-ntree:2,3", xgft: "xgft:2x4,1x2",
  bcube: "bcube:3,1", dcell: "dcell:3,1", nvswitch: "nvswitch:8,2", rail: "rail:2,4", hammingmesh: "hammingmesh:2x2,2x2", hosts: "hosts(2,petersen)", broken: "broken(0--1;mesh:4x4)", members: "members(0-3;hypercube:3)"};
function form(family) {
  const one = at.known.topologies.find(known => known.topology === family);
  return small[family] || one.form.replace(/AxBxC\.\.\./, "3x3").replace(/[A-Z]+/g, "3");
}

function setLine(line) { if (!at.known.operations) return begin(); try { setWords(split(line)); } catch (error) { say(error.message); } }
$("line").onsubmit = event => { event.preventDefault(); setLine($("command").value); };
$("stop").onclick = () => posted("/stop", {}).catch(error => say(error.message));
$("copy").onclick = () => navigator.clipboard.writeText("kport " + $("command").value).catch(() => $("command").select());
$("choose").onsubmit = event => event.preventDefault();
for (const id of ["operation", "ports", "switching", "source", "packets", "bytes", "algorithm", "rival", "inject", "on"]) $(id).onchange = () => {
  if (id === "operation" || id === "on") $("algorithm").value = "";
  fromControls();
};
$("family").onchange = () => { if (!$("family").value) return $("on").focus(); $("on").value = form($("family").value); $("algorithm").value = ""; fromControls(); };
$("tabs").onclick = event => { if (event.target.dataset.tab) select(event.target.dataset.tab); };
$("tabs").onkeydown = event => {
  const all = [...$("tabs").children], by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
  if (!by) return;
  const next = all[(all.findIndex(one => one.dataset.tab === at.tab) + by + all.length) % all.length];
  next.focus(); select(next.dataset.tab);
};
// ---- whether the fewest rounds can still be reached: `search` from the nodes that have the packet ----------------------------------
const ofSearch = ["--on", "--broken", "--ports", "--duplex", "--links", "--pairwise", "--switching", "--switch-limit", "--combining"];
const many = (count, what) => count + " " + what + (count === 1 ? "" : "s"), between = ([low, high]) => low === high ? many(low, "round") : low + " to " + high + " rounds";
async function fewestRounds(options, sources) {
  const question = wordsOf("search", "broadcast", new Map([...options].filter(([name]) => ofSearch.includes(name))));
  return (await askJson([...question, ...sources.flatMap(node => ["--source", String(node)]), "--for", "5s"])).between;
}
async function advice(operation, options) {
  if (operation !== "broadcast" || (options.get("--packets") || "1") !== "1" || options.has("--members")) return "This is asked of broadcasts of one packet to all nodes.";
  const words = wordsOfWritten(operation, options), told = [await ask([...words, "--json"], writtenSchedule()), await ask(["show", ...words.slice(1), "--as", "json"], writtenSchedule())];
  for (const {error} of told) if (error) throw new Error(error);
  const [judged, {transfers, root}] = told.map(({text}) => JSON.parse(text));
  if (Object.entries(judged.violations_by_rule).some(([rule, count]) => rule !== "delivery" && count)) return "A rule is broken; mend that first.";
  const rounds = Math.max(0, ...transfers.map(one => one.round)), holders = new Set([root, ...transfers.map(one => one.to)]);
  const least = await fewestRounds(options, [root]), rest = holders.size === judged.topology.hosts ? [0, 0] : await fewestRounds(options, [...holders]);
  const all = rest.map(more => rounds + more), after = "After round " + rounds + " at least " + between(rest) + " more, " + many(all[0], "round") + (all[0] < all[1] ? " or more" : "") + " in all. The fewest of any schedule: " + between(least) + ". ";
  return after + (all[1] <= least[0] ? "It can still be optimal." : all[0] > least[1] ? "It cannot be optimal any more: take a step back." : "Whether it can be optimal is open: the time of the search is over.");
}
$("hint").onclick = () => later(async () => {
  const {operation, options} = parsed(at.words);
  $("advice").textContent = "";
  const said = await advice(operation, options);
  say(""); $("advice").textContent = said;
});
let typing = 0;
$("schedule").oninput = () => { clearTimeout(typing); typing = setTimeout(() => writeSchedule($("schedule").value), 150); };
$("take").onclick = () => later(async () => {
  const {operation, options} = parsed(at.words);
  const json = await ask([...wordsOf("show", operation, options, notOfPictures), "--as", "json"]);
  if (json.error) return say(json.error);
  const text = await ask(["convert", "-", "--to", "text"], json.text);
  if (text.error) return say(text.error);
  writeSchedule(text.text);
});
/// The command in the address; nothing where it cannot be read.
function lineInAddress() { try { return decodeURIComponent(location.hash.slice(1)); } catch { return ""; } }
window.onhashchange = () => { const line = lineInAddress(); if (line && line !== $("command").value) setLine(line); };
setInterval(() => posted("/now", {}).catch(() => {}), 60000);  // the page is open: the server stays

/// Asks what there is to choose, then the command: once more where that was stopped, or kport broke down.
const begin = () => working(async () => {
  const {operations} = await askJson(["list", "operations"]), {topologies} = await askJson(["list", "topologies"]), {faults} = await askJson(["list", "faults"]);
  at.known = {operations, topologies};
  for (const one of operations) $("operation").append(new Option(one.operation, one.operation));
  for (const one of topologies) if (one.topology !== "file") $("family").append(new Option(one.topology, one.topology));
  $("family").append(new Option("a file, or another graph", ""));
  $("inject").append(new Option("none", ""));
  for (const one of faults) $("inject").append(new Option(one.fault + ": " + one.about, one.fault));
  $("algorithm").append(new Option("kport chooses", ""));
  mark(at.tab);
  setWords(split($("command").value || lineInAddress() || "run broadcast --on hypercube:4 --ports 1"));
});
begin();
