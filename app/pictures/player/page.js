// One state (`at`, and the time of the clock) says what is looked at; sceneOf() says what is drawn of it. At rest the round that has just ended is drawn, with
// its messages; while time passes, the round that is under way.
const D = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const NEVER = -1, heat = D.mode === "heat", steps = D.rounds.length, N = D.nodes, H = D.hosts;  // switches come behind the hosts
const at = {view: "rounds", node: -1, packet: -1, message: -1, pointer: null};
let colours = {}, frames = 0, drawn = null;

function bytesOf(text) {
  const s = atob(text), bytes = new Uint8Array(s.length);
  for (let i = 0; i < s.length; ++i) bytes[i] = s.charCodeAt(i);
  return bytes;
}
/// For each node (in a heat map: each dot) the step after which it has learned; NEVER.
const learned = heat ? Int32Array.from(new Uint16Array(bytesOf(D.heat.learned).buffer).subarray(0, D.heat.dots), v => v === 65535 ? NEVER : v) : Int32Array.from(D.learned);
const touched = heat ? learned : Int32Array.from(D.touched);
const M = heat ? null : {from: D.from, to: D.to, set: D.set, begin: D.begin};
const broken = new Map(D.broken || []), via = new Map((D.via || []).map(([m, ...path]) => [m, path]));

function readColours() {
  const s = getComputedStyle(document.documentElement);
  for (const name of ["paper", "panel", "ink", "faint", "line", "link", "all", "some", "none", "gave", "message", "broken", "mark"])
    colours[name] = s.getPropertyValue("--" + name).trim();
}

// ---- what is so after k steps ---------------------------------------------------------------------------------------
/// "7 (Ulm)": a number and a name.
const nameOf = v => "node " + (D.names ? D.names[v] : v);
const shortName = v => { const name = D.names ? /\((.*)\)$/.exec(D.names[v]) : null; return name && !/^[\d,]+$/.test(name[1]) ? name[1].slice(0, 12) : ""; };
const endedSteps = () => Math.min(steps, Math.floor(clock.time + 1e-9));
const roundOf = step => D.rounds[step - 1].round;  // of the step that has ended
const reachedAfter = k => k ? D.rounds[k - 1].reached : D.reached_before;
/// {after: k, step: the index of the step drawn, -1 for none; f: how far it is, 1 at rest}
function sceneOf(time) {
  const after = Math.min(steps, Math.floor(time + 1e-9)), f = time - after;
  return f > 1e-9 && after < steps ? {after, step: after, f} : {after, step: after - 1, f: 1};
}
/// What nodes hold, step by step: the share of what they are promised, in thousandths, and a label. It goes forward by changes.
const held = {step: -1, share: null, label: null, count: null};
function holdAfter(k) {
  if (!D.held) return;
  if (held.step > k || held.step < 0) { held.step = -1; held.share = new Int16Array(N).fill(0); held.label = new Int32Array(N).fill(-1); held.count = new Float64Array(N); }
  for (let i = D.held.begin[held.step + 1]; i < D.held.begin[k + 1]; ++i) { held.share[D.held.node[i]] = D.held.share[i]; held.label[D.held.node[i]] = D.held.label[i]; held.count[D.held.node[i]] = D.held.count[i]; }
  held.step = k;
}
const takesNoPart = (v, k) => learned[v] === 0 && (touched[v] === NEVER || touched[v] > k);  // it is promised nothing, and has nothing
function stateOf(v, k) {
  if (takesNoPart(v, k)) return "none";
  if (learned[v] !== NEVER && learned[v] <= k) return D.inwards && v !== D.root ? "gave" : "all";
  return touched[v] !== NEVER && touched[v] <= k ? "some" : "none";
}
const complete = (() => {  // nodes that have learned, by step
  const after = new Array(steps + 1).fill(0);
  for (const k of learned) if (k !== NEVER) ++after[k];
  for (let k = 1; k <= steps; ++k) after[k] += after[k - 1];
  return after;
})();
function inSet(s, packet) {
  const column = packet % D.columns, row = Math.floor(packet / D.columns);
  return D.sets[s].some(([f, d, c, r, e, n]) =>
    column >= f && column <= f + (c - 1) * d && (column - f) % d === 0 && row >= r && row <= r + (n - 1) * e && (row - r) % e === 0);
}
const isFollowed = m => at.message === m || at.node >= 0 && (M.from[m] === at.node || M.to[m] === at.node) || at.packet >= 0 && inSet(M.set[m], at.packet);
const following = () => at.node >= 0 || at.packet >= 0 || at.message >= 0;
function stepOf(m) {
  let low = 0, high = steps;
  while (low + 1 < high) { const mid = low + high >> 1; if (M.begin[mid] <= m) low = mid; else high = mid; }
  return low;
}

// ---- places -----------------------------------------------------------------------------------------------------------
/// What is drawn on: a canvas in device pixels, and which part of the machine it shows.
const canvas = $("canvas"), screen = {canvas, g: canvas.getContext("2d"), ratio: 1, view: {scale: 1, x: 0, y: 0}, layer: null, key: ""};
const boost = () => document.documentElement.classList.contains("projector") ? 2 : 1;
const place = (s, v) => placed(s, D.x[v] / 100, D.y[v] / 100);
const placed = (s, x, y) => ({x: (x - s.view.x) * s.view.scale + s.canvas.width / 2, y: (y - s.view.y) * s.view.scale + s.canvas.height / 2});
const fitting = s => Math.min(s.canvas.width / (D.corner[0] + (heat ? 0 : 1.6)), s.canvas.height / (D.corner[1] + (heat ? 0 : 2)));
function fit(s) { s.view = {scale: fitting(s), x: D.corner[0] / 2, y: D.corner[1] / 2}; s.key = ""; }
/// Between the whole machine and about twelve nodes side by side; in a heat map, dots of 24 pixels.
function zoomed(s, scale) {
  const most = heat ? Math.max(fitting(s), 24 * s.ratio) : Math.max(fitting(s), s.canvas.width / 4);
  return Math.max(fitting(s), Math.min(most, scale));
}
const radius = s => Math.max(1, Math.min(18 * s.ratio * boost(), s.view.scale * 0.27));

const pairOf = (v, w) => Math.min(v, w) * N + Math.max(v, w), bowed = new Set();
if (!heat) for (let i = 0; i < D.bowed.length; i += 2) bowed.add(pairOf(D.bowed[i], D.bowed[i + 1]));
/// The way along a link in pieces. It is bowed where it would pass over a node, at most so far that it stays in the picture.
function linkPath(s, v, w) {
  const a = place(s, v), b = place(s, w);
  if (!bowed.has(pairOf(v, w))) return [a, b];
  const dx = b.x - a.x, dy = b.y - a.y, length = Math.hypot(dx, dy) / s.view.scale || 1;
  const off = Math.min(0.75 + 0.05 * length, 1.5) / length * (v < w ? 1 : -1), x = (a.x + b.x) / 2 + dy * off, y = (a.y + b.y) / 2 - dx * off, points = [];
  for (let i = 0; i <= 12; ++i) { const t = i / 12, u = 1 - t; points.push({x: u * u * a.x + 2 * u * t * x + t * t * b.x, y: u * u * a.y + 2 * u * t * y + t * t * b.y}); }
  return points;
}
/// A message's way: a lane to the right of its direction, so that opposite messages do not coincide, from the rim of a node to that of
/// another one.
function lane(s, m) { return laneAlong(s, via.has(m) ? [M.from[m], ...via.get(m), M.to[m]].map(v => place(s, v)) : linkPath(s, M.from[m], M.to[m])); }
function laneAlong(s, points) {
  const r = radius(s), off = Math.min(5 * s.ratio * boost(), 0.08 * s.view.scale);
  const shifted = points.map((p, i) => {
    const a = points[Math.max(0, i - 1)], b = points[Math.min(points.length - 1, i + 1)], length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    return {x: p.x - (b.y - a.y) / length * off, y: p.y + (b.x - a.x) / length * off};
  });
  const cut = (p, q) => { const length = Math.hypot(q.x - p.x, q.y - p.y) || 1, by = Math.min(0.45, r / length); return {x: p.x + (q.x - p.x) * by, y: p.y + (q.y - p.y) * by}; };
  const last = shifted.length - 1, first = cut(shifted[0], shifted[1]), end = cut(shifted[last], shifted[last - 1]);
  shifted[0] = first; shifted[last] = end;
  return shifted;
}
function along(points, f) {
  const i = Math.min(points.length - 2, Math.floor(f * (points.length - 1))), g = f * (points.length - 1) - i;
  return {x: points[i].x + g * (points[i + 1].x - points[i].x), y: points[i].y + g * (points[i + 1].y - points[i].y)};
}

// ---- drawing ------------------------------------------------------------------------------------------------------------
/// Boxes on which nothing more is written.
class Taken {
  constructor() { this.boxes = []; }
  isFree(box) { return !this.boxes.some(b => box.x < b.x + b.w && b.x < box.x + box.w && box.y < b.y + b.h && b.y < box.y + box.h); }
  add(box) { this.boxes.push(box); }
}
const labelsMost = 60, arrowsMost = 3000;

function drawLinks(s, g) {
  g.strokeStyle = colours.link; g.lineWidth = (radius(s) > 5 ? 1.5 * s.ratio : 0.6) * boost();
  g.beginPath();
  for (let i = 0; i < D.links.length; i += 2) {
    const points = linkPath(s, D.links[i], D.links[i + 1]);
    g.moveTo(points[0].x, points[0].y);
    for (let j = 1; j < points.length; ++j) g.lineTo(points[j].x, points[j].y);
  }
  g.stroke();
  g.lineWidth *= 3; g.beginPath();
  for (let i = 0; i < (D.trunks || []).length; i += 2) {
    const points = linkPath(s, D.trunks[i], D.trunks[i + 1]);
    g.moveTo(points[0].x, points[0].y);
    for (let j = 1; j < points.length; ++j) g.lineTo(points[j].x, points[j].y);
  }
  g.stroke();
}
function drawHead(g, a, b, size) {
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1, x = (b.x - a.x) / length * size, y = (b.y - a.y) / length * size;
  g.beginPath(); g.moveTo(b.x, b.y); g.lineTo(b.x - x - y / 2, b.y - y + x / 2); g.lineTo(b.x - x + y / 2, b.y - y - x / 2); g.fill();
}
/// The messages of a step: arrows at rest; the ways alone, faint, while they move.
function drawArrows(s, g, step, moving) {
  const begin = M.begin[step], end = M.begin[step + 1], many = end - begin > arrowsMost, thick = (radius(s) > 5 ? 2 : 1) * s.ratio * boost();
  const put = (only, style, width, alpha, dash) => {
    g.strokeStyle = g.fillStyle = style; g.lineWidth = width; g.globalAlpha = alpha; g.setLineDash(dash); g.beginPath();
    const heads = [];
    for (let m = begin; m < end; ++m) {
      if (!only(m)) continue;
      const points = lane(s, m);
      g.moveTo(points[0].x, points[0].y);
      for (let j = 1; j < points.length; ++j) g.lineTo(points[j].x, points[j].y);
      if (!many && !moving) heads.push([points[points.length - 2], points[points.length - 1]]);
    }
    g.stroke(); g.setLineDash([]);
    const size = Math.min(4 * thick, 0.16 * s.view.scale);
    for (const [a, b] of heads) drawHead(g, a, b, size);
    g.globalAlpha = 1;
  };
  const faint = moving || many ? 0.3 : 0.9;
  put(m => !broken.has(m) && !(following() && isFollowed(m)), colours.message, thick, following() ? 0.2 : faint, []);
  if (following()) put(m => isFollowed(m) && !broken.has(m), colours.message, 2 * thick, 1, []);
  if (broken.size) put(m => broken.has(m), colours.broken, 1.5 * thick, 1, [7 * s.ratio, 4 * s.ratio]);
}
/// A circle that is filled from below by the share of what the node is promised; switches are squares.
function drawNodes(s, g, k, step) {
  const r = radius(s);
  holdAfter(k);
  g.lineWidth = s.ratio * boost();
  for (const state of ["none", "gave", "some", "all"]) for (let v = 0; v < N; ++v) {  // who has most stands in front
    if (stateOf(v, k) !== state) continue;
    const p = place(s, v), share = state === "some" && D.held && !D.inwards ? held.share[v] / 1000 : 1;
    if (p.x < -r || p.y < -r || p.x > s.canvas.width + r || p.y > s.canvas.height + r) continue;
    g.strokeStyle = colours.faint;
    if (v >= H) {
      const half = 0.75 * r;
      g.fillStyle = colours.gave; g.fillRect(p.x - half, p.y - half, 2 * half, 2 * half); g.strokeRect(p.x - half, p.y - half, 2 * half, 2 * half);
      continue;
    }
    if (r < 4) {
      g.fillStyle = colours[state]; g.fillRect(p.x - r, p.y - r, 2 * r, 2 * r);
      if (r > 1.5) g.strokeRect(p.x - r, p.y - r, 2 * r, 2 * r);
      continue;
    }
    g.beginPath(); g.arc(p.x, p.y, r, 0, 7); g.fillStyle = share < 1 ? colours.none : colours[state]; g.fill();
    if (share < 1 && share > 0) { const a = Math.acos(2 * share - 1); g.beginPath(); g.arc(p.x, p.y, r, Math.PI / 2 - (Math.PI - a), Math.PI / 2 + (Math.PI - a)); g.fillStyle = colours.some; g.fill(); }
    g.beginPath(); g.arc(p.x, p.y, r, 0, 7); g.stroke();
  }
  const ring = (v, style, width) => { const p = place(s, v); g.strokeStyle = style; g.lineWidth = width * s.ratio * boost(); g.beginPath(); g.arc(p.x, p.y, Math.max(r, 4) + 3, 0, 7); g.stroke(); };
  if (r > 3 && step >= 0 && k === step + 1) for (let v = 0; v < N; ++v) if (learned[v] === k) ring(v, colours.message, 1.5);
  if (step >= 0) for (const i of D.rounds[step].broken) { const v = D.violations[i].node; if (v !== null) ring(v, colours.broken, 3); }
  if (at.node >= 0) ring(at.node, colours.message, 3);
}
/// Numbers in the nodes, names and what they hold below them, and what the messages carry: nothing on another thing.
function drawTexts(s, g, k, step) {
  const r = radius(s);
  if (r <= 7 * s.ratio) return;
  const taken = new Taken(), line = Math.max(10, Math.min(13, r / s.ratio * 0.75)) * s.ratio * boost();
  g.textAlign = "center"; g.textBaseline = "middle"; g.font = Math.round(r * (N > 999 ? 0.7 : 0.95)) + "px sans-serif";
  for (let v = 0; v < N; ++v) {
    const p = place(s, v);
    g.fillStyle = stateOf(v, k) === "all" ? colours.paper : colours.ink; g.fillText(v, p.x, p.y + 1);
    taken.add({x: p.x - r, y: p.y - r, w: 2 * r, h: 2 * r});
  }
  g.font = line + "px sans-serif";
  const write = (text, x, y, background) => {
    const wide = g.measureText(text).width + 4, box = {x: x - wide / 2, y: y - line * 0.6, w: wide, h: line * 1.2};
    if (!taken.isFree(box)) return false;
    taken.add(box);
    if (background) { g.globalAlpha = 0.85; g.fillStyle = colours.paper; g.fillRect(box.x, box.y, box.w, box.h); g.globalAlpha = 1; }
    g.fillStyle = colours.ink; g.fillText(text, x, y);
    return true;
  };
  const few = step >= 0 && M.begin[step + 1] - M.begin[step] <= labelsMost, lanes = [];
  if (few) for (let m = M.begin[step]; m < M.begin[step + 1]; ++m) { const points = lane(s, m); for (let i = 0; i <= 16; ++i) lanes.push(along(points, i / 16)); }
  const hides = (x, y, wide, lines) => lanes.some(p => Math.abs(p.x - x) < wide / 2 && Math.abs(p.y - y) < line * 0.6 * lines);
  if (N <= 64) for (let v = 0; v < N; ++v) {
    const p = place(s, v), lines = [shortName(v), D.held && held.label[v] >= 0 ? D.held.labels[held.label[v]] : ""].filter(text => text);
    const wide = Math.max(0, ...lines.map(text => g.measureText(text).width)), down = r + line * 0.8, aside = r + wide / 2 + line * 0.4;
    // Below the node; where that would hide an arrow above it or beside it.
    const [x, y] = [[0, down], [0, -down - line * 1.2 * (lines.length - 1)], [aside, 0], [-aside, 0]].find(([x, y]) => !hides(p.x + x, p.y + y, wide, lines.length)) || [0, down];
    lines.forEach((text, i) => write(text, p.x + x, p.y + y + line * 1.2 * i, true));
  }
  if (!few) return;
  for (let m = M.begin[step]; m < M.begin[step + 1]; ++m) {
    if (following() && !isFollowed(m)) continue;
    const whole = D.labels[M.set[m]], points = lane(s, m);
    if (!whole) continue;
    const brief = whole.length > 8 ? [whole, D.sets[M.set[m]].reduce((sum, block) => sum + block[2] * block[5], 0) + " packets"] : [whole];
    brief.some(text => [0.5, 0.35, 0.65, 0.2, 0.8].some(f => {
      const p = along(points, f), q = along(points, Math.min(1, f + 0.1)), length = Math.hypot(q.x - p.x, q.y - p.y) || 1, wide = g.measureText(text).width / 2 + 4;
      const x = -(q.y - p.y) / length, y = (q.x - p.x) / length;  // to the right of its direction
      return write(text, p.x + x * wide, p.y + y * line * 0.9, true);
    }));
  }
}
function drawMachine(s, g, scene) {
  const moving = scene.f < 1;
  g.fillStyle = colours.paper; g.fillRect(0, 0, s.canvas.width, s.canvas.height);
  drawLinks(s, g);
  if (scene.step >= 0) drawArrows(s, g, scene.step, moving);
  drawNodes(s, g, scene.after, scene.step);
  if (!moving) drawGuess(s, g, scene);
  drawTexts(s, g, scene.after, moving ? -1 : scene.step);
}
function drawMoving(s, g, scene) {
  const size = Math.max(2, Math.min(6 * s.ratio * boost(), s.view.scale * 0.09));
  for (let m = M.begin[scene.step]; m < M.begin[scene.step + 1]; ++m) {
    if (following() && !isFollowed(m)) continue;
    const p = along(lane(s, m), scene.f);
    g.fillStyle = broken.has(m) ? colours.broken : colours.message;
    g.fillRect(p.x - size, p.y - size, 2 * size, 2 * size);
  }
}

// ---- machines that are too large for circles: a dot a node, or for a square of nodes, in rows as the machine has them
const dotOf = v => Math.floor(Math.floor(v / D.heat.row) / D.heat.block) * D.heat.width + Math.floor(v % D.heat.row / D.heat.block);
const firstOf = (column, row) => row * D.heat.block * D.heat.row + column * D.heat.block;
const cell = v => heat ? dotOf(v) : v;
let heatImage = null;
/// Draws all dots; colourOf gives a pixel, 0xAABBGGRR.
function drawDots(s, g, colourOf) {
  const w = D.heat.width, h = D.heat.height;
  if (!heatImage) { heatImage = document.createElement("canvas"); heatImage.width = w; heatImage.height = h; }
  const i = heatImage.getContext("2d"), image = i.createImageData(w, h), pixels = new Uint32Array(image.data.buffer);
  for (let c = 0; c < learned.length; ++c) pixels[c] = colourOf(c);
  i.putImageData(image, 0, 0);
  g.fillStyle = colours.paper; g.fillRect(0, 0, s.canvas.width, s.canvas.height);
  g.imageSmoothingEnabled = false;
  const corner = placed(s, 0, 0);
  g.drawImage(heatImage, corner.x, corner.y, w * s.view.scale, h * s.view.scale);
}
function markDot(s, g, v, style) {
  const w = D.heat.width, p = placed(s, dotOf(v) % w + 0.5, Math.floor(dotOf(v) / w) + 0.5), half = Math.max(s.view.scale / 2, 6 * s.ratio);
  for (const [colour, width] of [[colours.paper, 5], [style, 3]]) { g.strokeStyle = colour; g.lineWidth = width * s.ratio; g.strokeRect(p.x - half, p.y - half, 2 * half, 2 * half); }
}
function drawHeat(s, g, scene) {
  const w = D.heat.width, table = new Uint32Array(steps + 1);
  const stops = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];  // viridis: dark blue to yellow, also in grey
  for (let k = 0; k <= steps; ++k) {
    const q = steps ? k / steps * 4 : 0, j = Math.min(3, Math.floor(q)), mix = c => Math.round(stops[j][c] + (q - j) * (stops[j + 1][c] - stops[j][c]));
    table[k] = 255 << 24 | mix(2) << 16 | mix(1) << 8 | mix(0);
  }
  const notYet = [255 << 24 | 0xc6bfb9, 255 << 24 | 0xebe7e3];
  drawDots(s, g, c => learned[c] !== NEVER && learned[c] <= scene.after ? table[learned[c]] : notYet[(c % w + Math.floor(c / w)) % 2]);
  const mark = (v, style) => markDot(s, g, v, style);
  if (scene.step >= 0) for (const b of D.rounds[scene.step].broken.slice(0, 1000)) if (D.violations[b].node !== null) mark(D.violations[b].node, colours.broken);
  if (at.node >= 0) mark(at.node, colours.message);
}

// ---- other views: the load of links and nodes, who holds what, and the messages behind the last receipt -------------------------
/// Messages over each link in each direction (v * N + w), and of each node, after k steps.
const loaded = {step: -1, links: new Map(), nodes: new Int32Array(0)};
function loadAfter(k) {
  if (loaded.step > k || loaded.step < 0) { loaded.step = 0; loaded.links = new Map(); loaded.nodes = new Int32Array(N); }
  for (let m = M.begin[loaded.step]; m < M.begin[k]; ++m) {
    const path = [M.from[m], ...(via.get(m) || []), M.to[m]];
    for (const v of path) ++loaded.nodes[v];
    for (let i = 1; i < path.length; ++i) { const link = path[i - 1] * N + path[i]; loaded.links.set(link, (loaded.links.get(link) || 0) + 1); }
  }
  loaded.step = k;
  return loaded;
}
/// Counts in at most four classes, as in the SVG pictures: each by itself, or equally far apart, or equally far apart by factors.
function scaleOf(counts) {
  const all = [...new Set(counts)].filter(n => n > 0).sort((a, b) => a - b), classes = [], a = all[0], b = all[all.length - 1];
  const put = (n, shade) => { if (!classes.length || classes[classes.length - 1].shade !== shade) classes.push({least: n, shade}); classes[classes.length - 1].most = n; };
  const middle = Math.sqrt(a) * Math.sqrt(b), bounds = b <= 20 * a ? [a + (b - a) / 4, a + (b - a) / 2, a + (b - a) * 3 / 4] : [Math.sqrt(a) * Math.sqrt(middle), middle, Math.sqrt(middle) * Math.sqrt(b)];
  all.forEach((n, i) => put(n, all.length <= 4 ? i * (all.length === 2 ? 2 : 1) : bounds.filter(bound => bound <= n).length));
  return classes;
}
const shadeOf = (classes, n) => (classes.find(one => n <= one.most) || classes[classes.length - 1]).shade;
/// [fill, text on it] of the classes: the more, the farther from the paper.
const shades = () => isDark() ? [["#a8602a", "#ffffff"], ["#d98b3a", "#14181d"], ["#f2c14e", "#14181d"], ["#fff3b0", "#14181d"]]
  : [["#d07f1e", "#1c2733"], ["#b3501b", "#ffffff"], ["#7d2440", "#ffffff"], ["#33104a", "#ffffff"]];
function isDark() { const hex = /^#(..)(..)(..)$/.exec(colours.paper.replace(/^#(.)(.)(.)$/, "#$1$1$2$2$3$3")); return hex !== null && hex.slice(1).reduce((sum, part) => sum + parseInt(part, 16), 0) < 384; }
/// Of the whole run, so that colours mean the same in each round.
const scales = (() => { let made = null; return () => { if (!made) { const load = heat ? null : loadAfter(steps); made = heat ? {nodes: scaleOf(dotLoads())} : {links: scaleOf(load.links.values()), nodes: scaleOf(load.nodes)}; } return made; }; })();
const dotLoads = (() => { let made = null; return () => made = made || new (D.heat.load_bytes === 2 ? Uint16Array : Uint32Array)(bytesOf(D.heat.load).buffer).subarray(0, D.heat.dots); })();
function drawLoad(s, g, scene) {
  const {links, nodes} = scales(), load = loadAfter(scene.after), r = radius(s), ramp = shades(), unit = (r > 5 ? 1 : 0.5) * s.ratio * boost();
  g.fillStyle = colours.paper; g.fillRect(0, 0, s.canvas.width, s.canvas.height);
  drawLinks(s, g);
  const taken = new Taken(), texts = [];
  for (let v = 0; v < N; ++v) { const p = place(s, v); taken.add({x: p.x - r, y: p.y - r, w: 2 * r, h: 2 * r}); }
  for (const [link, count] of load.links) {
    const points = laneAlong(s, linkPath(s, Math.floor(link / N), link % N)), shade = shadeOf(links, count), last = points.length - 1;
    g.strokeStyle = g.fillStyle = ramp[shade][0]; g.lineWidth = (1.5 + shade) * unit;
    g.beginPath(); g.moveTo(points[0].x, points[0].y); for (const p of points.slice(1)) g.lineTo(p.x, p.y); g.stroke();
    drawHead(g, points[last - 1], points[last], Math.min((6 + 2 * shade) * unit, 0.2 * s.view.scale));
    texts.push([count, points]);
  }
  for (let v = 0; v < N; ++v) {
    const p = place(s, v), count = load.nodes[v], [fill, ink] = count ? ramp[shadeOf(nodes, count)] : [colours.none, colours.ink];
    g.fillStyle = fill; g.strokeStyle = colours.faint; g.lineWidth = s.ratio * boost();
    g.beginPath(); if (v < H) g.arc(p.x, p.y, r, 0, 7); else g.rect(p.x - 0.75 * r, p.y - 0.75 * r, 1.5 * r, 1.5 * r); g.fill(); if (r > 1.5) g.stroke();
    if (r > 7 * s.ratio) { g.fillStyle = ink; g.textAlign = "center"; g.textBaseline = "middle"; g.font = Math.round(r * (N > 999 ? 0.7 : 0.95)) + "px sans-serif"; g.fillText(v, p.x, p.y + 1); }
  }
  if (r <= 7 * s.ratio) return;
  const line = Math.max(10, Math.min(13, r / s.ratio * 0.75)) * s.ratio * boost();
  g.font = line + "px sans-serif";
  const write = (text, x, y) => {
    const wide = g.measureText(text).width + 4, box = {x: x - wide / 2, y: y - line * 0.6, w: wide, h: line * 1.2};
    if (!taken.isFree(box)) return false;
    taken.add(box); g.globalAlpha = 0.85; g.fillStyle = colours.paper; g.fillRect(box.x, box.y, box.w, box.h); g.globalAlpha = 1; g.fillStyle = colours.ink; g.fillText(text, x, y);
    return true;
  };
  for (const [count, points] of texts) [0.5, 0.35, 0.65, 0.2, 0.8].some(f => { const p = along(points, f); return write(grouped(count), p.x, p.y); });
}
function drawHeatLoad(s, g) {
  const ramp = shades().map(([fill]) => 255 << 24 | parseInt(fill.slice(5, 7), 16) << 16 | parseInt(fill.slice(3, 5), 16) << 8 | parseInt(fill.slice(1, 3), 16));
  const loads = dotLoads(), {nodes} = scales(), none = [255 << 24 | 0xc6bfb9, 255 << 24 | 0xebe7e3], w = D.heat.width;
  drawDots(s, g, c => loads[c] ? ramp[shadeOf(nodes, loads[c])] : none[(c % w + Math.floor(c / w)) % 2]);
  if (at.node >= 0) markDot(s, g, at.node, colours.message);
}
/// A row a node, a column a round: as high and wide as there is room.
const matrix = s => { const left = 48 * s.ratio * boost(), top = 22 * s.ratio * boost(); return {left, top, w: (s.canvas.width - left - 6) / (steps + 1), h: Math.min(26 * s.ratio * boost(), (s.canvas.height - top - 6) / H)}; };
function drawHoldings(s, g, scene) {
  const {left, top, w, h} = matrix(s), line = Math.min(13 * s.ratio * boost(), Math.max(h - 2, 1));
  g.fillStyle = colours.paper; g.fillRect(0, 0, s.canvas.width, s.canvas.height);
  g.textBaseline = "middle"; g.textAlign = "center";
  const fontOf = size => size + "px sans-serif", each = (of, text) => { let n = 1; while (of * n < text) n = n === 1 ? 2 : n === 2 ? 5 : n * 2; return n; };
  g.font = fontOf(11 * s.ratio * boost());
  const wide = g.measureText("start").width + 6, columns = each(w, wide), rows = each(h, 13 * s.ratio * boost());
  g.fillStyle = colours.ink;
  for (let k = 0; k <= steps; k += columns) g.fillText(k ? roundOf(k) : "start", left + (k + 0.5) * w, top / 2);
  g.textAlign = "right";
  for (let v = 0; v < H; v += rows) g.fillText(v, left - 6, top + (v + 0.5) * h);
  g.textAlign = "center"; g.font = fontOf(line);
  for (let k = 0; k <= steps; ++k) {
    holdAfter(k);
    for (let v = 0; v < H; ++v) {
      const count = held.count ? held.count[v] : 0, state = hasOf(v, k), x = left + k * w, y = top + v * h;
      g.fillStyle = colours[state]; g.fillRect(x, y, w + 0.5, h + 0.5);
      if (w > 6 && h > 6) { g.strokeStyle = colours.faint; g.lineWidth = s.ratio / 2; g.strokeRect(x, y, w, h); }
      const text = String(grouped(count));
      if (count && D.held.labels.length && h >= 9 * s.ratio && g.measureText(text).width < w - 2) { g.fillStyle = state === "all" ? colours.paper : colours.ink; g.fillText(text, x + w / 2, y + h / 2); }
    }
  }
  if (scene.after >= 0) { g.strokeStyle = colours.message; g.lineWidth = 3 * s.ratio; g.strokeRect(left + scene.after * w, top, w, h * H); }
  if (at.node >= 0 && at.node < H) { g.strokeStyle = colours.message; g.lineWidth = 2 * s.ratio; g.strokeRect(left, top + at.node * h, w * (steps + 1), h); }
}
/// What a node has of its promise, after holdAfter(k).
function hasOf(v, k) {
  if (takesNoPart(v, k)) return "none";
  if (learned[v] !== NEVER && learned[v] <= k) return D.inwards && v !== D.root ? "gave" : "all";
  return held.count && held.count[v] ? "some" : "none";
}
function drawPath(s, g) {
  const r = radius(s), chain = new Set(D.path), ends = new Set(D.path.flatMap(m => [M.from[m], M.to[m]])), last = M.to[D.path[D.path.length - 1]], thick = (r > 5 ? 2.5 : 1.5) * s.ratio * boost();
  g.fillStyle = colours.paper; g.fillRect(0, 0, s.canvas.width, s.canvas.height);
  drawLinks(s, g);
  const taken = new Taken(), rounds = new Map();
  for (let v = 0; v < N; ++v) { const p = place(s, v); taken.add({x: p.x - r, y: p.y - r, w: 2 * r, h: 2 * r}); }
  g.strokeStyle = g.fillStyle = colours.message; g.lineWidth = thick;
  for (const m of chain) {
    const points = lane(s, m), key = M.from[m] * N + M.to[m];
    g.beginPath(); g.moveTo(points[0].x, points[0].y); for (const p of points.slice(1)) g.lineTo(p.x, p.y); g.stroke();
    drawHead(g, points[points.length - 2], points[points.length - 1], Math.min(4 * thick, 0.18 * s.view.scale));
    rounds.set(key, {points, text: (rounds.has(key) ? rounds.get(key).text + "," : "") + D.rounds[stepOf(m)].round});
  }
  for (let v = 0; v < N; ++v) {
    const p = place(s, v), state = v === last ? "all" : ends.has(v) ? "some" : "none";
    g.fillStyle = v >= H ? colours.gave : colours[state]; g.strokeStyle = colours.faint; g.lineWidth = s.ratio * boost();
    g.beginPath(); if (v < H) g.arc(p.x, p.y, r, 0, 7); else g.rect(p.x - 0.75 * r, p.y - 0.75 * r, 1.5 * r, 1.5 * r); g.fill(); if (r > 1.5) g.stroke();
    if (r > 7 * s.ratio) { g.fillStyle = state === "all" ? colours.paper : colours.ink; g.textAlign = "center"; g.textBaseline = "middle"; g.font = Math.round(r * (N > 999 ? 0.7 : 0.95)) + "px sans-serif"; g.fillText(v, p.x, p.y + 1); }
  }
  const line = Math.max(11, Math.min(14, r / s.ratio * 0.8)) * s.ratio * boost();
  g.font = "bold " + line + "px sans-serif"; g.textAlign = "center"; g.textBaseline = "middle";
  for (const {points, text} of rounds.values()) [0.5, 0.35, 0.65, 0.2, 0.8].some(f => {
    const p = along(points, f), wide = g.measureText(text).width + 4, box = {x: p.x - wide / 2, y: p.y - line * 0.6, w: wide, h: line * 1.2};
    if (!taken.isFree(box)) return false;
    taken.add(box); g.globalAlpha = 0.85; g.fillStyle = colours.paper; g.fillRect(box.x, box.y, box.w, box.h); g.globalAlpha = 1; g.fillStyle = colours.ink; g.fillText(text, p.x, p.y);
    return true;
  });
}
/// The views that this run has: [name, what the page calls it, what draws it].
const views = D.alone ? [["rounds", "rounds", drawMachine]] : heat ? [["rounds", "rounds", drawHeat], ["load", "load", drawHeatLoad]]
  : [["rounds", "rounds", drawMachine], ["load", "load of links and nodes", drawLoad], ...(D.held && H <= 1024 && steps <= 4000 ? [["holdings", "who holds what", drawHoldings]] : []),
    ...(D.path && D.path.length ? [["path", "what makes the last receipt late", drawPath]] : [])];
function look(name) {
  at.view = views.some(([view]) => view === name) ? name : "rounds";
  $("view").value = at.view;
  legend(); redraw(); tip();
}
function legend() {
  const box = $("legend"), dot = (colour, says) => { const span = element("span", "", box), i = element("i", "", span); i.className = "dot"; i.style.background = colour; span.append(says); };
  box.replaceChildren();
  if (at.view === "load") {
    const counts = (what, classes) => { if (!classes.length) return; element("b", what, box); for (const one of classes) dot(shades()[one.shade][0], one.least === one.most ? grouped(one.least) : grouped(one.least) + " to " + grouped(one.most)); };
    if (!heat) counts("messages over a link", scales().links);
    counts("messages of a node", scales().nodes);
    element("span", heat ? "of the whole run" + (D.heat.block > 1 ? ", of the busiest of " + D.heat.block + " x " + D.heat.block + " nodes" : "") : "up to the round shown", box);
  } else if (at.view === "path") {
    dot("var(--some)", "on the chain"); dot("var(--all)", "receives last"); element("span", "at a message: its round", box);
  } else if (heat) {
    const span = element("span", D.learning + ": round " + (steps ? D.rounds[0].round : 0), box);
    element("i", "", span).className = "scale"; span.append(steps ? D.rounds[steps - 1].round : 0);
    const notYet = element("span", "", box); element("i", "", notYet).className = "dot hatched"; notYet.append("not yet");
    element("span", D.heat.block > 1 ? "a dot for " + D.heat.block + " x " + D.heat.block + " nodes, the last of them" : "a dot for each node", box);
  } else {
    for (const [state, says] of D.legend) dot("var(--" + state + ")", says);
    if (at.view === "holdings") element("span", "a row a node, a column a round" + (D.held.labels.length ? "; the numbers: what it holds" : ""), box);
  }
}

function drawOn(s, scene) {
  if (!s.canvas.width || !s.canvas.height) return;  // in a frame that is hidden
  const moving = !heat && at.view === "rounds" && scene.f < 1;
  const key = [at.view, scene.after, scene.step, moving, s.view.scale, s.view.x, s.view.y, s.canvas.width, s.canvas.height, at.node, at.packet, at.message, colours.paper, colours.link].join();
  if (key !== s.key) {  // what changes once a round
    s.key = key;
    if (!s.layer) s.layer = document.createElement("canvas");
    s.layer.width = s.canvas.width; s.layer.height = s.canvas.height;
    views.find(([view]) => view === at.view)[2](s, s.layer.getContext("2d"), scene);
  }
  s.g.drawImage(s.layer, 0, 0);
  if (moving) drawMoving(s, s.g, scene);
}
function draw() {
  const scene = sceneOf(clock.time);
  drawOn(screen, scene);
  drawn = scene.step < 0 ? {round: 0, messages: 0} : {round: D.rounds[scene.step].round, messages: heat ? D.rounds[scene.step].messages : M.begin[scene.step + 1] - M.begin[scene.step]};
  ++frames;
}

// ---- beside the drawing -------------------------------------------------------------------------------------------------
let shownRow = -1, spoken = "";
function textOf(scene) {
  if (steps === 0) return D.alone ? "" : "nothing moves";
  const bound = D.bound === undefined ? "" : " (bound " + D.bound + ")", of = " of " + D.last + bound;
  if (scene.step < 0) return "before round " + D.rounds[0].round + of;
  const one = D.rounds[scene.step], moving = scene.f < 1, done = D.inwards ? " have sent or hold all" : " complete";
  return (moving ? "in" : "after") + " round " + one.round + of + ": " + grouped(one.messages) + (one.messages === 1 ? " message" : " messages") +
    (moving ? "" : ", " + grouped(one.reached) + " of " + grouped(H) + " nodes reached" + (D.complete ? ", " + grouped(complete[scene.after]) + done : "")) + (one.broken.length ? ", a rule is broken" : "");
}
function tell() {
  const scene = sceneOf(clock.time), text = textOf(scene);
  clock.mark();
  if (text !== spoken) { spoken = text; $("now").textContent = text; canvas.setAttribute("aria-label", D.title + "; " + text); about(); tip(); }
  if (scene.step === shownRow) return;
  const rows = $("rounds").children;
  if (shownRow >= 0) { rows[shownRow].classList.remove("current"); rows[shownRow].removeAttribute("aria-current"); }
  if (scene.step >= 0) { rows[scene.step].classList.add("current"); rows[scene.step].setAttribute("aria-current", "true"); const box = rows[scene.step].closest(".scroll"); box.scrollTop = rows[scene.step].offsetTop - box.clientHeight / 2; }
  shownRow = scene.step;
}
function refresh() { draw(); tell(); }
function redraw() { screen.key = ""; refresh(); }
function messageText(m) {
  return "round " + D.rounds[stepOf(m)].round + ": " + [M.from[m], ...(via.get(m) || []), M.to[m]].join(" \u2192 ") + " " + D.labels[M.set[m]] + (broken.has(m) ? "\nbreaks " + broken.get(m) : "");
}
const sinceText = v => { const k = learned[cell(v)]; return guess.on && (k === NEVER || k > shownSteps()) ? "not yet" : k === NEVER ? D.partial ? "not in the rounds shown" : "never" : k === 0 ? "from the start" : "round " + roundOf(k); };
/// Sentences about what a node breaks, in rounds that may be shown.
const brokenAt = v => D.violations.filter(bad => bad.node === v && (!guess.on || shownSteps() > 0 && bad.round <= roundOf(shownSteps()))).map(bad => bad.text);
/// The messages that `takes` names, as "round 3  ..." lines.
function listed(takes) {
  const lines = [];
  if (!heat) for (let k = 0; k < shownSteps(); ++k) for (let m = M.begin[k]; m < M.begin[k + 1] && lines.length < 400; ++m) { const text = takes(m); if (text) lines.push("  round " + D.rounds[k].round + "  " + text); }
  return lines;
}
function aboutNode(v) {
  const k = endedSteps(), lines = [nameOf(v)];
  if (heat && D.heat.block > 1) lines.push("its dot is of " + D.heat.block + " x " + D.heat.block + " nodes; it has the colour of the last of them");
  if (D.alone) return lines.join("\n");
  if (v >= H) return [...lines, "a switch, which holds nothing", ...brokenAt(v)].join("\n");
  if (D.held) { holdAfter(k);
    const label = held.label[v] >= 0 ? D.held.labels[held.label[v]] : "", share = held.share[v], promised = share >= 0 && !(D.inwards && v !== D.root);
    const holds = label || (D.held.labels.length || share <= 0 ? "nothing" : share === 1000 ? "all that it is promised" : "some of what it is promised");
    lines.push((k ? "after round " + roundOf(k) : "at the start") + " it holds " + holds + (promised && label ? ", " + Math.round(share / 10) + " % of what it is promised" : "")); }
  lines.push(D.learning + ": " + sinceText(v));
  lines.push(...brokenAt(v));
  const label = m => " " + D.labels[M.set[m]], got = listed(m => M.to[m] === v && "from " + M.from[m] + label(m)), gave = listed(m => M.from[m] === v && "to " + M.to[m] + label(m));
  if (got.length) lines.push("received", ...got);
  if (gave.length) lines.push("sent", ...gave);
  return lines.join("\n");
}
function about() {
  let text = "nothing; click on a node" + (heat || D.alone ? "" : " or a message");
  if (at.node >= 0) text = aboutNode(at.node);
  else if (at.message >= 0) text = messageText(at.message);
  else if (at.packet >= 0) { const way = listed(m => inSet(M.set[m], at.packet) && M.from[m] + " \u2192 " + M.to[m]); text = "packet " + packetText(at.packet) + "\n" + (way.length ? way.join("\n") : "  no message has it"); }
  $("about").textContent = text;
}
function follow(node, packet, message) {
  at.node = node; at.packet = packet; at.message = message;
  if (node >= 0 && heat) showDot(node);
  about(); redraw();
}
/// Brings a dot into the picture, large enough to be seen.
function showDot(v) {
  const w = D.heat.width, x = dotOf(v) % w + 0.5, y = Math.floor(dotOf(v) / w) + 0.5, p = placed(screen, x, y);
  if (p.x < 0 || p.y < 0 || p.x > canvas.width || p.y > canvas.height) { screen.view.x = x; screen.view.y = y; }
}

// ---- finding: nodes and packets in the words of reports ------------------------------------------------------------------
const rowsOfPackets = () => heat ? 0 : D.rows;
const packetText = p => { const column = p % D.columns, row = Math.floor(p / D.columns); return D.pairs === ">" ? row + ">" + column : D.pairs === ":" ? column + ":" + row : String(p); };
/// By name, by coordinates, by number, in this order; -1 for none.
function nodeNamed(text) {
  const named = D.names ? D.names.findIndex((name, v) => name === text || name === v + " (" + text + ")") : -1;
  return named >= 0 ? named : /^\d+$/.test(text) && Number(text) < N ? Number(text) : -1;
}
const nodeOf = text => nodeNamed(text.trim().replace(/^node /i, "").replace(/^\((.*)\)$/, "$1"));
/// Returns {node} or {packet}, or {wrong: a sentence}.
function found(text) {
  const packet = /^(?:packet |p)(\d+)$/i.exec(text), pair = /^(?:packet )?(\d+)([>:])(\d+)$/i.exec(text);
  const want = "want a node (0 to " + (N - 1) + (D.names ? ", or a name" : "") + ")" + (rowsOfPackets() === 0 ? "" : " or a packet (" + (D.pairs ? D.pairs === ":" ? "2:5 is packet 5 of 2" : D.each > 1 ? D.each + ">0 is the first of node 1 for node 0" : "2>0 is that of node 2 for node 0" : "p0 to p" + (D.columns - 1)) + ")");
  const given = packet && !D.pairs ? [0, Number(packet[1])] : pair && pair[2] === D.pairs ? D.pairs === ">" ? [Number(pair[1]), Number(pair[3])] : [Number(pair[3]), Number(pair[1])] : null;
  if (given && rowsOfPackets() > 0) return given[0] < D.rows && given[1] < D.columns ? {packet: given[0] * D.columns + given[1]} : {wrong: "there is no packet '" + text + "'; " + want};
  const node = nodeOf(text);
  return node >= 0 ? {node} : {wrong: "'" + text + "' is neither; " + want};
}
function find() {
  const text = $("find").value.trim(), what = text ? found(text) : {};
  $("found").textContent = what.wrong || "";
  $("find").setAttribute("aria-invalid", what.wrong ? "true" : "false");
  if (!what.wrong) follow(what.node ?? -1, what.packet ?? -1, -1);
}
function forget() { hand.from = -1; if (guess.on) askNext(); $("find").value = ""; $("found").textContent = ""; $("find").setAttribute("aria-invalid", "false"); follow(-1, -1, -1); }

// ---- mouse, fingers and keys -----------------------------------------------------------------------------------------------
const pixel = e => { const box = canvas.getBoundingClientRect(); return {x: (e.clientX - box.left) * screen.ratio, y: (e.clientY - box.top) * screen.ratio}; };
/// What is drawn at a place; messages only if they are asked for.
function under({x, y}, messages = true) {
  if (at.view === "holdings") { const {left, top, w, h} = matrix(screen), v = Math.floor((y - top) / h); return x >= left && x < left + w * (steps + 1) && v >= 0 && v < H ? {node: v} : null; }
  if (heat) {
    const column = Math.floor((x - canvas.width / 2) / screen.view.scale + screen.view.x), row = Math.floor((y - canvas.height / 2) / screen.view.scale + screen.view.y), v = firstOf(column, row);
    return column >= 0 && row >= 0 && column < D.heat.width && v < N ? {node: v} : null;
  }
  let best = null, least = (Math.max(radius(screen), 6 * screen.ratio) + 2) ** 2;
  for (let v = 0; v < N; ++v) { const p = place(screen, v), d = (p.x - x) ** 2 + (p.y - y) ** 2; if (d < least) { least = d; best = {node: v}; } }
  if (best) return best;
  const near = (points, within) => points.some((b, i) => { if (i === 0) return false; const a = points[i - 1], dx = b.x - a.x, dy = b.y - a.y, q = Math.max(0, Math.min(1, ((x - a.x) * dx + (y - a.y) * dy) / (dx * dx + dy * dy || 1))); return Math.hypot(x - a.x - q * dx, y - a.y - q * dy) < within * screen.ratio; });
  const step = messages && at.view === "rounds" ? sceneOf(clock.time).step : -1;
  if (step >= 0 && M.begin[step + 1] - M.begin[step] < 20000) for (let m = M.begin[step]; m < M.begin[step + 1]; ++m) if (near(lane(screen, m), 8)) return {message: m};
  if (D.links.length < 40000) for (let i = 0; i < D.links.length; i += 2) if (near(linkPath(screen, D.links[i], D.links[i + 1]), 4)) return {link: [D.links[i], D.links[i + 1]]};
  return null;
}
function tipText(what) {
  if (what.link) { const [v, w] = what.link, count = (a, b) => a + " \u2192 " + b + ": " + grouped(loadAfter(endedSteps()).links.get(a * N + b) || 0);
    return "link " + v + " \u2013 " + w + (at.view === "load" ? "\nmessages " + count(v, w) + ", " + count(w, v) : ""); }
  if (what.message !== undefined) return messageText(what.message);
  const k = endedSteps(), v = what.node, lines = [nameOf(v) + (v >= H ? ": a switch" : D.alone ? "" : ": " + (learned[cell(v)] !== NEVER && learned[cell(v)] <= k ? "complete since " + sinceText(v) : "not complete"))];
  if (D.held && !D.alone && v < H) { holdAfter(k); if (held.label[v] >= 0) lines.push("holds " + D.held.labels[held.label[v]]); }
  return [...lines, ...brokenAt(v)].join("\n");
}
function tip() {
  const what = at.pointer && under(pixel(at.pointer)), box = $("stage").getBoundingClientRect();
  $("tip").style.display = what ? "block" : "none";
  if (!what) return;
  $("tip").textContent = tipText(what);
  $("tip").style.left = Math.min(at.pointer.clientX - box.left + 14, box.width - 180) + "px"; $("tip").style.top = at.pointer.clientY - box.top + 14 + "px";
}
function move(dx, dy) { screen.view.x -= dx / screen.view.scale; screen.view.y -= dy / screen.view.scale; }
function zoom(by, {x, y}) {
  const scale = zoomed(screen, screen.view.scale * by), px = x - canvas.width / 2, py = y - canvas.height / 2;
  screen.view.x += px / screen.view.scale - px / scale; screen.view.y += py / screen.view.scale - py / scale;
  screen.view.scale = scale;
  const all = scale <= fitting(screen) * 1.001;
  if (all) fit(screen);
  canvas.classList.toggle("zoomed", !all);  // else a finger scrolls the page
}
// ---- drawing: the page around this one keeps the schedule and asks for messages of a round; it is told what is drawn ------------
const hand = {round: 0, from: -1};  // the round that is drawn into, 0: none; the node from which a message is being drawn
const tellOuter = what => window.parent.postMessage(what, "*");
/// Whether messages are drawn by hand: into a schedule, or those that are expected.
const draws = () => hand.round > 0 || isAsked() && guess.kind === "messages";
function beginMessage(v) { hand.from = v < H ? v : -1; if (guess.on) askNext(); redraw(); }
/// A message to v, with what both hold before the round, in the words of schedules.
function endMessage(v) {
  const from = hand.from;
  hand.from = -1;
  if (guess.on) {
    if (mayMeet(from, v)) toggleExpected(from + ">" + v);
    askNext();
  } else if (from >= 0 && v >= 0 && v < H && v !== from) {
    holdAfter(D.rounds.filter(one => one.round < hand.round).length);
    const holds = n => held.label && held.label[n] >= 0 ? D.held.labels[held.label[n]] : "";
    tellOuter({kport: "drawn", round: hand.round, from, to: v, holds: holds(from), has: holds(v)});
  }
  redraw();
}
function removeMessage() {
  if (hand.round > 0 && at.message >= 0) tellOuter({kport: "removed", round: D.rounds[stepOf(at.message)].round, from: M.from[at.message], to: M.to[at.message]});
}
// ---- beside another run: the page around both has the clock, and is told what is shown -----------------------------------------
let led = false;
function beLed() {
  led = true;
  if (guess.on) predict(false, 0);
  document.documentElement.classList.add("led"); $("now").setAttribute("aria-live", "off"); resize();
  const messages = D.rounds.reduce((sum, one) => sum + one.messages, 0);
  tellOuter({kport: "led", last: steps ? D.rounds[steps - 1].round : 0, messages, hosts: H, lawful: D.lawful, cost: D.cost, quantities: D.quantities});
}
/// Shows a time in rounds, which need not all have messages.
function showTime(time) {
  const ended = D.rounds.filter(one => one.round <= time).length, next = ended < steps && D.rounds[ended].round - 1 < time ? time - (D.rounds[ended].round - 1) : 0;
  clock.go(ended + next);
  const scene = sceneOf(clock.time), messages = D.rounds.slice(0, scene.after).reduce((sum, one) => sum + one.messages, 0);
  tellOuter({kport: "shows", time, round: drawn.round, moving: scene.f < 1, messages, reached: reachedAfter(scene.after)});
}
window.addEventListener("message", e => {
  if (e.source !== window.parent || window.parent === window) return;
  const {kport: what, round, time} = e.data || {};
  if (what === "lead") beLed();
  if (what === "project" && e.data.on !== document.documentElement.classList.contains("projector")) project(e.data.on === true);
  if (what === "time" && time >= 0) showTime(time);
  if (heat) return;
  if (what === "draw" && round > 0) { if (guess.on) predict(false, 0); $("predict").hidden = true; hand.round = round; clock.rest(D.rounds.filter(one => one.round <= round).length); }
  if (what === "remove") removeMessage();
});
function drawHand() {
  if (hand.from < 0 || !at.pointer) return;
  const a = place(screen, hand.from), b = pixel(at.pointer), g = screen.g;
  g.strokeStyle = colours.message; g.lineWidth = 3 * screen.ratio; g.beginPath(); g.moveTo(a.x, a.y); g.lineTo(b.x, b.y); g.stroke();
}

const pointers = new Map();
let moved = false;
canvas.addEventListener("pointerdown", e => {
  moved = pointers.size > 0; pointers.set(e.pointerId, pixel(e)); canvas.setPointerCapture(e.pointerId);
  const what = draws() && !moved && under(pixel(e));
  if (what && what.node !== undefined) beginMessage(what.node); else hand.from = -1;
});
canvas.addEventListener("pointermove", e => {
  at.pointer = e;
  const before = pointers.get(e.pointerId), now = pixel(e);
  if (!before) return tip();
  const other = [...pointers].find(([id]) => id !== e.pointerId);
  if (other) { const far = p => Math.hypot(p.x - other[1].x, p.y - other[1].y) || 1; zoom(far(now) / far(before), {x: (now.x + other[1].x) / 2, y: (now.y + other[1].y) / 2}); }
  if (!moved && Math.hypot(now.x - before.x, now.y - before.y) <= 3 * screen.ratio) return;
  moved = true; pointers.set(e.pointerId, now);
  if (hand.from >= 0) { redraw(); return drawHand(); }
  if (other || e.pointerType === "mouse" || canvas.classList.contains("zoomed")) move((now.x - before.x) / pointers.size, (now.y - before.y) / pointers.size);
  redraw();
});
canvas.addEventListener("pointerup", e => {
  pointers.delete(e.pointerId);
  const what = under(pixel(e));
  if (moved && hand.from >= 0) return endMessage(what && what.node !== undefined ? what.node : -1);
  hand.from = -1;
  if (moved || pointers.size) return;
  if (isAsked()) return expectAt(pixel(e));
  forget();
  if (what && !what.link) follow(what.node ?? -1, -1, what.message ?? -1);
});
canvas.addEventListener("pointercancel", e => pointers.delete(e.pointerId));
canvas.addEventListener("pointerleave", () => { at.pointer = null; tip(); });
canvas.addEventListener("wheel", e => { e.preventDefault(); zoom(Math.exp(-e.deltaY / 500), pixel(e)); redraw(); }, {passive: false});

const whole = () => { fit(screen); canvas.classList.remove("zoomed"); refresh(); };
function project(on) { document.documentElement.classList.toggle("projector", on); $("project").setAttribute("aria-pressed", on); resize(); }
/// A page around this one does the same.
const toggleProjector = () => { const on = !document.documentElement.classList.contains("projector"); project(on); tellOuter({kport: "projects", on}); };
const nextView = () => guess.on || look(views[(views.findIndex(([view]) => view === at.view) + 1) % views.length][0]);
$("view").onchange = () => look($("view").value);
$("find").onchange = find; $("clear").onclick = forget; $("fit").onclick = whole; $("project").onclick = toggleProjector;
$("help").onclick = () => $("keys").showModal();
$("image").onclick = () => canvas.toBlob(blob => { const link = document.createElement("a"); link.href = URL.createObjectURL(blob); link.download = "kport.png"; link.click(); setTimeout(() => URL.revokeObjectURL(link.href), 1000); });
/// What keys do now. All of them stand in the dialog "keys".
function keysNow() {
  const enter = () => {
    if (at.node < 0) return;
    if (guess.on && guess.kind === "senders") { if (at.node < H) toggleExpected(String(at.node)); return; }
    if (hand.from >= 0) endMessage(at.node); else beginMessage(at.node);
  };
  const playing = led ? Object.fromEntries(Object.keys(clock.keys).map(key => [key, () => tellOuter({kport: "key", key})])) : {...clock.keys, g: togglePrediction, G: togglePrediction};
  const drawing = {Enter: enter, Delete: removeMessage, Backspace: removeMessage};
  return {...(D.alone ? {} : playing), ...(hand.round > 0 || isAsked() ? drawing : {}), "0": whole, v: nextView, V: nextView, p: toggleProjector, P: toggleProjector, "?": $("help").onclick, "/": () => $("find").focus(), Escape: forget};
}
document.addEventListener("keydown", e => { if (!$("keys").open) pressed(e, keysNow()); });

// ---- paper -------------------------------------------------------------------------------------------------------------------
/// A picture of each round, dark on white; of long runs the first ones.
function sheets() {
  const most = 60, root = document.documentElement;
  root.classList.add("paper", "sheets"); readColours();
  const view = at.view;
  at.view = "rounds";
  const sheet = document.createElement("canvas"), s = {canvas: sheet, g: sheet.getContext("2d"), ratio: 2, layer: null, key: ""};
  sheet.width = 1000; sheet.height = 640; fit(s);
  $("sheets").replaceChildren();
  for (let k = 1; k <= Math.min(shownSteps(), most); ++k) {
    drawOn(s, sceneOf(k));
    const figure = document.createElement("figure"), image = document.createElement("img"), caption = document.createElement("figcaption");
    image.src = sheet.toDataURL(); image.alt = caption.textContent = textOf(sceneOf(k));
    figure.append(image, caption); $("sheets").append(figure);
  }
  at.view = view;
  root.classList.remove("paper"); readColours();
}
$("print").onclick = () => { sheets(); setTimeout(() => window.print(), 200); };
window.addEventListener("beforeprint", () => { document.documentElement.classList.add("paper"); readColours(); redraw(); });
window.addEventListener("afterprint", () => { document.documentElement.classList.remove("paper", "sheets"); $("sheets").replaceChildren(); readColours(); redraw(); });

// ---- the page ------------------------------------------------------------------------------------------------------------------
function resize() {
  const box = canvas.getBoundingClientRect();
  screen.ratio = Math.min(2, window.devicePixelRatio || 1);
  canvas.width = Math.round(box.width * screen.ratio); canvas.height = Math.round(box.height * screen.ratio);
  readColours(); whole();
}
function element(tag, text, inside) { const made = document.createElement(tag); made.textContent = text; inside.append(made); return made; }
document.documentElement.classList.toggle("alone", D.alone);
$("title").textContent = D.title; $("cost").textContent = D.cost; $("cost").className = D.lawful ? "" : "broken";
for (const [view, says] of views) element("option", says, $("view")).value = view;
legend();
$("find").placeholder = rowsOfPackets() === 0 ? "a node" : "node or packet";
for (const [title, value, bound] of D.quantities || []) {
  const row = element("tr", "", $("quantities").tBodies[0]);
  element("td", title, row); element("td", grouped(value), row); element("td", bound === null ? "" : grouped(bound), row);
  const bar = element("div", "", element("td", "", row));
  bar.className = "bar"; if (bound !== null) element("i", "", bar).style.width = Math.min(100, value ? 100 * bound / value : 100) + "%";
}
if (!(D.quantities || []).length) $("quantities").parentElement.remove();
for (const [title, text] of D.facts || []) { const line = element("p", title + ": ", $("facts")); element(title === "again" ? "code" : "span", text, line); }
D.rounds.forEach((round, i) => {
  const row = element("tr", "", $("rounds"));
  for (const text of [round.round, round.messages, round.bytes, round.reached, complete[i + 1]]) element("td", grouped(text), row);
  if (round.broken.length) row.className = "broken";
  row.onclick = () => clock.rest(i + 1);
});
keyedRows([...$("rounds").children], i => clock.rest(i + 1));
if (D.inwards) $("done").textContent = "sent or all";
if (!D.violations.length) $("broken").remove();
D.violations.forEach(bad => { element("button", bad.text, $("violations")).onclick = () => {
  const step = D.rounds.findIndex(round => round.round === bad.round);
  follow(bad.node === null ? -1 : bad.node, -1, -1); clock.rest(step < 0 ? steps : step + 1); }; });
clock.start(shownSteps, refresh);
startPrediction();
window.addEventListener("resize", resize);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColours(); legend(); redraw(); });
about(); resize();
/// For tests and for who looks behind it: the state that is shown.
window.kport = {look, shades, views: views.map(([view]) => view), loadAfter: k => { const load = loadAfter(k); return {links: [...load.links].map(([link, count]) => [Math.floor(link / N), link % N, count]), nodes: [...load.nodes]}; },
  heldAfter: k => { holdAfter(k); return held.count ? [...held.count] : null; }, dotLoads: () => [...dotLoads()], go: clock.go, play: clock.play, follow, find, predict: togglePrediction, sheets, data: D, keys: () => Object.keys(keysNow()), get drawsInto() { return hand.round; }, get led() { return led; },
  prediction: () => ({on: guess.on, round: isAsked() ? D.rounds[guess.seen].round : 0, expected: inText(guess.expected), asked: $("asked").textContent, judged: $("judged").textContent, unclear: $("unclear").textContent}),
  placeOf: v => { const p = place(screen, v); return {x: p.x / screen.ratio, y: p.y / screen.ratio}; }, get time() { return clock.time; }, get playing() { return clock.playing; }, get frames() { return frames; },
  state: () => { const scene = sceneOf(clock.time), k = scene.after; holdAfter(k);
    return {step: k, round: k ? roundOf(k) : 0, messages: k ? D.rounds[k - 1].messages : 0, reached: reachedAfter(k), learned: complete[k], drawn,
      said: $("now").textContent, held: D.held && D.held.labels.length ? [...held.label].map(i => i < 0 ? "" : D.held.labels[i]) : null, share: D.held ? [...held.share] : null, node: at.node, packet: at.packet, wrong: $("found").textContent}; }};
