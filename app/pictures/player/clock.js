"use strict";
// For every page that plays runs: time in rounds with its buttons and keys (clock.html). The page sets how far it goes, and what shows a time.
const clock = {
  time: 0, playing: false, speed: 1, last: () => 0, show: () => {},
  go(time) { clock.time = Math.max(0, Math.min(clock.last(), time)); clock.show(); },
  rest(time) { clock.play(false); clock.go(time); },
  play(on) {
    const button = document.getElementById("play");
    clock.playing = on;
    button.textContent = on ? "\u2016 pause" : "\u25B6 play"; button.setAttribute("aria-label", on ? "pause" : "play");
    if (!on) return clock.show();
    if (clock.time >= clock.last()) clock.time = 0;
    const whole = matchMedia("(prefers-reduced-motion: reduce)").matches;  // then rounds are shown one after the other
    let before = null, time = clock.time;
    const frame = now => {
      if (!clock.playing) return;
      if (before !== null) time = Math.min(clock.last(), time + Math.min(0.25, (now - before) / 1000) * clock.speed * 0.8);
      before = now; clock.time = whole ? Math.floor(time) : time;
      clock.show();
      if (time >= clock.last()) clock.play(false); else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  },
  /// What keys do.
  keys: {
    " ": () => clock.play(!clock.playing), ArrowRight: () => clock.rest(Math.floor(clock.time + 1e-9) + 1), ArrowLeft: () => clock.rest(Math.ceil(clock.time - 1e-9) - 1),
    Home: () => clock.rest(0), End: () => clock.rest(clock.last()), "+": () => clock.faster(1), "-": () => clock.faster(-1),
  },
  faster(by) {
    const all = document.getElementById("speed");
    all.selectedIndex = Math.max(0, Math.min(all.options.length - 1, all.selectedIndex + by)); clock.speed = Number(all.value);
  },
  start(last, show) {
    clock.last = last; clock.show = show;
    for (const [id, key] of [["play", " "], ["step", "ArrowRight"], ["back", "ArrowLeft"], ["first", "Home"], ["last", "End"]]) document.getElementById(id).onclick = clock.keys[key];
    const scrub = document.getElementById("scrub"), speed = document.getElementById("speed");
    scrub.oninput = () => clock.rest(Number(scrub.value));
    speed.onchange = () => { clock.speed = Number(speed.value); };
  },
  /// The slider, at the time that is shown.
  mark() { const scrub = document.getElementById("scrub"); scrub.max = clock.last(); scrub.value = clock.time; },
};
/// A table whose rows keys reach: up and down go from row to row, Enter and space choose one.
function keyedRows(rows, choose) {
  rows.forEach((row, i) => {
    row.tabIndex = i ? -1 : 0;
    row.onfocus = () => { for (const other of rows) other.tabIndex = other === row ? 0 : -1; };
    row.onkeydown = event => {
      const by = {ArrowUp: -1, ArrowDown: 1}[event.key], isChosen = [" ", "Enter"].includes(event.key) && event.target === row;
      if (!by && !isChosen) return;
      event.preventDefault(); event.stopPropagation();
      if (isChosen) return choose(i);
      const shown = rows.filter(other => !other.hidden), next = shown[shown.indexOf(row) + by];
      if (next) next.focus();
    };
  });
}
/// A number as people read it.
const grouped = n => typeof n === "number" && Math.abs(n) >= 10000 ? n.toLocaleString("en-US", {maximumFractionDigits: 3}) : n;
/// Does what `keys` has for a key that is pressed outside of what takes keys itself.
function pressed(event, keys) {
  const {target, key} = event;
  if (["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName) && target.id !== "scrub" || event.ctrlKey || event.altKey || event.metaKey) return;
  if ([" ", "Enter"].includes(key) && target.tagName === "BUTTON" || !Object.hasOwn(keys, key)) return;
  event.preventDefault(); keys[key]();
}
