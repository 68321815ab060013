// ---- predicting the next round: what comes behind the steps that are seen is hidden until the student has said what he expects ----
/// What is expected: messages as "4>6", or senders as "4". Answers by step, of those that are over.
const guess = {on: false, kind: "messages", seen: 0, expected: new Set(), answers: new Map()};
/// How many steps may be shown.
const shownSteps = () => guess.on ? guess.seen : steps;
const isAsked = () => guess.on && guess.seen < steps;
const keysOf = (step, kind) => { const keys = new Set(); for (let m = M.begin[step]; m < M.begin[step + 1]; ++m) keys.add(kind === "senders" ? String(M.from[m]) : M.from[m] + ">" + M.to[m]); return keys; };
const inText = keys => [...keys].map(key => key.split(">").map(Number)).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(ends => ends.join(" -> ")).join(", ");
/// Whether all messages go over one link: then no others are expected.
const overOneLink = (() => { let made = null; return () => made ??= H === N && M.from.every((v, m) => linked().has(pairOf(v, M.to[m]))); })();
const linked = (() => { let made = null; return () => { if (!made) { made = new Set(); for (let i = 0; i < D.links.length; i += 2) made.add(pairOf(D.links[i], D.links[i + 1])); } return made; }; })();
const mayMeet = (v, w) => v !== w && v < H && w < H && (!overOneLink() || linked().has(pairOf(v, w)));

/// {keys}, or {wrong: a sentence}.
function expectedIn(text) {
  const keys = new Set(), want = guess.kind === "senders" ? "want nodes, such as 0, 3" : "want messages, such as 0 -> 4, 1 -> 5";
  for (const part of text.split(/[,;](?![^(]*\))/).map(one => one.trim()).filter(one => one)) {
    const ends = (guess.kind === "senders" ? [part] : part.split(/->|\u2192|>/)).map(one => [one.trim(), nodeOf(one)]);
    if (ends.length !== (guess.kind === "senders" ? 1 : 2)) return {wrong: "'" + part + "' is no message; " + want};
    for (const [name, v] of ends) if (v < 0 || v >= H) return {wrong: "'" + name + "' is no node that sends or receives; " + want};
    const [[, from], [, to]] = [...ends, ends[0]];
    if (ends.length === 2 && !mayMeet(from, to)) return {wrong: from + " -> " + to + ": " + (from === to ? "a node does not send to itself" : "no link joins them") + "; " + want};
    keys.add(ends.map(([, v]) => v).join(">"));
  }
  return {keys};
}
/// Takes what is written; false where it is none.
function readExpected() {
  const {keys, wrong} = expectedIn($("expected").value);
  $("unclear").textContent = wrong || ""; $("expected").setAttribute("aria-invalid", wrong ? "true" : "false");
  if (wrong) return false;
  guess.expected = keys;
  redraw();
  return true;
}
function toggleExpected(key) {
  if (!isAsked()) return;
  if (clock.time !== guess.seen) clock.rest(guess.seen);
  if (!guess.expected.delete(key)) guess.expected.add(key);
  $("expected").value = inText(guess.expected);
  readExpected();
}
/// A click: a sender; a link, near the end that sends; or the sender and then the receiver.
function expectAt(p) {
  const what = under(p, false);
  if (!what) return forget();
  if (guess.kind === "senders") return what.node < H ? toggleExpected(String(what.node)) : undefined;
  if (what.node !== undefined) {
    if (at.node < 0 || !mayMeet(at.node, what.node)) return follow(what.node === at.node ? -1 : what.node, -1, -1);
    toggleExpected(at.node + ">" + what.node);
    return forget();
  }
  const far = v => Math.hypot(place(screen, v).x - p.x, place(screen, v).y - p.y), [v, w] = what.link[0] !== undefined && far(what.link[1]) < far(what.link[0]) ? [what.link[1], what.link[0]] : what.link;
  if (mayMeet(v, w)) toggleExpected(v + ">" + w);
}
function compareExpected() {
  if (!isAsked() || !readExpected()) return;
  const is = keysOf(guess.seen, guess.kind), {expected} = guess;
  guess.answers.set(guess.seen, {right: [...is].filter(key => expected.has(key)), missed: [...is].filter(key => !expected.has(key)), much: [...expected].filter(key => !is.has(key))});
  ++guess.seen; guess.expected = new Set(); $("expected").value = "";
  forget();
  clock.rest(guess.seen);
  askNext();
}
/// The sentence about the last answer, and the score of all.
function judgedText() {
  if (!guess.answers.size) return "";
  const step = Math.max(...guess.answers.keys()), some = (sign, name, keys) => keys.length ? [sign + " " + keys.length + " " + name + ": " + inText(keys.slice(0, 30)) + (keys.length > 30 ? " ..." : "")] : [];
  const {right, missed, much} = guess.answers.get(step), all = [...guess.answers.values()], sum = name => all.reduce((n, one) => n + one[name].length, 0);
  const last = [...some("\u2713", "right", right), ...some("!", "missed", missed), ...some("\u2717", "too much", much)];
  const without = all.filter(one => !one.missed.length && !one.much.length).length;
  return "round " + roundOf(step + 1) + ": " + last.join("; ") + "\nscore: " + sum("right") + " of " + (sum("right") + sum("missed")) + " " + guess.kind + " right, " + sum("missed") + " missed, " + sum("much") +
    " too much; " + without + " of " + all.length + (all.length === 1 ? " round" : " rounds") + " without a mistake";
}
function askNext() {
  const round = isAsked() ? D.rounds[guess.seen].round : 0;
  $("prediction").hidden = !guess.on;
  $("next").textContent = round || "";
  for (const id of ["expected", "compare"]) $(id).disabled = !round;
  $("asked").textContent = !round ? "No round is left." : hand.from >= 0 ? "To whom does node " + hand.from + " send? Find it, and press Enter." : guess.kind === "senders" ? "Who sends in round " + round + "? Click the nodes, or write them."
    : "Who sends to whom in round " + round + "? Click a link near its sender, drag from node to node, or write it.";
  $("judged").textContent = judgedText();
  [...$("rounds").children].forEach((row, i) => { row.hidden = i >= shownSteps(); });
}
/// From step `seen` on, without a score.
function predict(on, seen) {
  Object.assign(guess, {on, seen, expected: new Set(), answers: new Map()});
  hand.from = -1;
  $("expected").value = $("unclear").textContent = ""; $("expected").setAttribute("aria-invalid", "false");
  $("predict").setAttribute("aria-pressed", on);
  $("view").disabled = $("print").disabled = on;
  document.documentElement.classList.toggle("predicting", on);
  if (on) look("rounds");
  forget();
  clock.rest(on ? seen : clock.time);
  askNext();
}
const togglePrediction = () => { if (!$("predict").hidden) predict(!guess.on, endedSteps() < steps ? endedSteps() : 0); };

/// What is expected of the next round; after an answer what was right, missed, too much.
function drawGuess(s, g, scene) {
  if (!guess.on) return;
  const unit = s.ratio * boost(), r = radius(s), answer = guess.answers.get(scene.step);
  const draw = (key, style, dash, sign) => {
    const [v, w] = key.split(">").map(Number), p = place(s, v), points = w === undefined ? [] : laneAlong(s, linkPath(s, v, w));
    g.strokeStyle = g.fillStyle = style; g.lineWidth = 3 * unit; g.setLineDash(dash); g.beginPath();
    if (w === undefined) g.arc(p.x, p.y, r + 5 * unit, 0, 7); else { g.moveTo(points[0].x, points[0].y); for (const q of points.slice(1)) g.lineTo(q.x, q.y); }
    g.stroke(); g.setLineDash([]);
    if (w !== undefined) drawHead(g, points[points.length - 2], points[points.length - 1], Math.min(12 * unit, 0.2 * s.view.scale));
    if (!sign) return;
    const at = w === undefined ? {x: p.x + r, y: p.y - r} : along(points, 0.3), half = Math.min(9 * unit, Math.max(5, r));
    g.beginPath(); g.arc(at.x, at.y, half, 0, 7); g.fillStyle = colours.paper; g.fill(); g.lineWidth = 1.5 * unit; g.stroke();
    g.fillStyle = style; g.textAlign = "center"; g.textBaseline = "middle"; g.font = "bold " + Math.round(1.4 * half) + "px sans-serif"; g.fillText(sign, at.x, at.y + 1);
  };
  if (answer) for (const [keys, style, dash, sign] of [[answer.right, colours.all, [], "\u2713"], [answer.missed, colours.message, [], "!"], [answer.much, colours.broken, [6 * unit, 5 * unit], "\u2717"]])
    for (const key of keys) draw(key, style, dash, sign);
  if (scene.after === guess.seen) for (const key of guess.expected) draw(key, colours.ink, [8 * unit, 4 * unit], "");
}
function startPrediction() {
  $("predict").hidden = heat || D.alone || steps === 0;
  $("predict").onclick = togglePrediction;
  $("kind").onchange = () => { guess.kind = $("kind").value; predict(true, guess.seen); };
  $("expected").onchange = readExpected;
  $("expected").onkeydown = event => { if (event.key === "Enter") compareExpected(); };
  $("compare").onclick = compareExpected;
  $("restart").onclick = () => predict(true, 0);
}
