// The drawing of a net on a canvas: places come from a worker, so that the page answers while it thinks.
import { html, useEffect, useRef } from './vendor/preact-htm.js';
import { t } from './language.js';

const RADIUS = 7;
/** The length of a line as the layout wants it. */
const LENGTH = 120;

/** How far lines between the same two things are apart, as they are seen. */
const APART = 26;
const ARROW = 8;

/** Each edge with its place among those that join the same two things. */
function fanned(edges) {
  const pairs = new Map();
  for (const edge of edges) {
    const pair = [edge.from, edge.to].sort().join(' ');
    pairs.set(pair, [...(pairs.get(pair) ?? []), edge]);
  }
  return [...pairs.values()].flatMap((all) => all.map((edge, place) => {
    const aside = place - (all.length - 1) / 2;
    // Of two that go opposite ways each has its own side.
    return { edge, bend: edge.from < edge.to ? aside : -aside };
  }));
}

/** The way of an edge: a curve from `a` by `by` to `b`, and where its words stand. */
function way({ edge, bend }, { places, zoom }) {
  const [a, b] = [places.get(edge.from), places.get(edge.to)];
  if (!a || !b) return null;
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const far = Math.hypot(dx, dy);
  if (far < 0.01) return null;
  const side = (2 * bend * APART) / zoom;
  const by = [(a[0] + b[0]) / 2 - (dy / far) * side, (a[1] + b[1]) / 2 + (dx / far) * side];
  const at = (part) => [0, 1].map((axis) => (1 - part) ** 2 * a[axis]
    + 2 * part * (1 - part) * by[axis] + part ** 2 * b[axis]);
  return { a, b, by, words: at(0.5) };
}

/** The head of an arrow, before the thing that it reaches. */
function arrow(pen, { by, b }, zoom) {
  const far = Math.hypot(b[0] - by[0], b[1] - by[1]) || 1;
  const [x, y] = [(b[0] - by[0]) / far, (b[1] - by[1]) / far];
  const gap = (RADIUS + 3) / Math.max(zoom, 0.6);
  const [tip, size] = [[b[0] - x * gap, b[1] - y * gap], ARROW / zoom];
  pen.beginPath();
  pen.moveTo(...tip);
  for (const wide of [size * 0.45, size * -0.45]) {
    pen.lineTo(tip[0] - x * size - y * wide, tip[1] - y * size + x * wide);
  }
  pen.closePath();
  pen.fill();
}

/** What the pointer and the keyboard need of the drawing. */
function makeView(canvas) {
  return { canvas, places: new Map(), shift: [0, 0], zoom: 1, hover: null, drag: null, moved: false, touched: false };
}

/** Shows all of it, until somebody moves or zooms. */
function fit(view) {
  const places = [...view.places.values()];
  if (view.touched || places.length === 0) return;
  const [xs, ys] = [places.map((at) => at[0]), places.map((at) => at[1])];
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  // Names stand below things, and take room at the sides.
  const beside = Math.min(160, view.canvas.clientWidth * 0.24);
  const room = [view.canvas.clientWidth - beside, view.canvas.clientHeight - 90];
  view.zoom = Math.max(0.1, Math.min(1.7, room[0] / Math.max(right - left, 1), room[1] / Math.max(bottom - top, 1)));
  view.shift = [-((left + right) / 2) * view.zoom, -((top + bottom) / 2) * view.zoom];
}

/** How high a line of words is, as it is seen. */
const LINE = 15;
/** Where words go that would lie on others: below, above, and so on. */
const STEPS = [0, 1, -1, 2, -2, 3, -3];

/** Takes the first place near `y` where no other words are, or `y` where there is none. */
function placeWords(pen, text, [x, y], taken, zoom) {
  const half = pen.measureText(text).width / 2 + 3 / zoom;
  const line = LINE / zoom;
  const free = (at) => taken.every((one) => Math.abs(one.y - at) >= line
    || Math.abs(one.x - x) >= one.half + half);
  const at = STEPS.map((step) => y + step * line).find(free) ?? y;
  taken.push({ x, y: at, half });
  return at;
}

/** The name of a thing, as much as there is room for. */
const shortName = ({ name }) => (name.length > 28 ? `${name.slice(0, 27)}…` : name);

/** A text with the ground behind it, so that no line runs through it. */
function write(pen, text, x, y, colour, ground, zoom) {
  pen.lineWidth = 4 / zoom;
  pen.strokeStyle = ground;
  pen.strokeText(text, x, y);
  pen.fillStyle = colour;
  pen.fillText(text, x, y);
}

function colours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(name).trim();
  return { line: of('--line-strong'), text: of('--text'), quiet: of('--quiet'), panel: of('--panel'), kinds: Array.from({ length: 8 }, (_, place) => of(`--k${place}`)) };
}

function draw(view, { nodes, edges, kinds, centre }) {
  const { canvas } = view;
  const scale = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== width * scale || canvas.height !== height * scale) [canvas.width, canvas.height] = [width * scale, height * scale];
  const pen = canvas.getContext('2d');
  const tint = colours();
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.translate(width / 2 + view.shift[0], height / 2 + view.shift[1]);
  pen.scale(view.zoom, view.zoom);
  pen.strokeStyle = tint.line;
  pen.fillStyle = tint.quiet;
  pen.lineWidth = 1 / view.zoom;
  const ways = fanned(edges).map((one) => ({ edge: one.edge, way: way(one, view) }))
    .filter((one) => one.way);
  pen.beginPath();
  for (const { way: { a, by, b } } of ways) { pen.moveTo(...a); pen.quadraticCurveTo(...by, ...b); }
  pen.stroke();
  for (const one of ways) arrow(pen, one.way, view.zoom);
  pen.font = `${12 / view.zoom}px system-ui, sans-serif`;
  pen.textAlign = 'center';
  const near = (edge) => view.hover && (edge.from === view.hover.id || edge.to === view.hover.id);
  // Where lines are short, the words on them would lie on each other: one points at a thing to read them.
  const roomy = edges.length <= 40 && view.zoom * LENGTH >= 90;
  if (roomy || view.hover) {
    const taken = [];
    for (const node of nodes) {
      const at = view.places.get(node.id);
      const name = at && [at[0], at[1] + (RADIUS + 14) / view.zoom];
      if (name) placeWords(pen, shortName(node), name, taken, view.zoom);
    }
    for (const { edge, way: { words: [x, y] } } of ways) {
      if (!roomy && !near(edge)) continue;
      const at = placeWords(pen, edge.predicate, [x, y + 4 / view.zoom], taken, view.zoom);
      write(pen, edge.predicate, x, at, tint.quiet, tint.panel, view.zoom);
    }
  }
  const named = nodes.length <= 150 || view.zoom > 1.6;
  for (const node of nodes) {
    const at = view.places.get(node.id);
    if (!at) continue;
    pen.fillStyle = tint.kinds[kinds.indexOf(node.kind ?? '') % 8];
    pen.beginPath();
    const radius = (view.hover === node || node.id === centre ? RADIUS + 3 : RADIUS) / Math.max(view.zoom, 0.6);
    pen.arc(at[0], at[1], radius, 0, 7);
    pen.fill();
    if (node.id === centre) {
      pen.lineWidth = 2 / view.zoom;
      pen.strokeStyle = tint.text;
      pen.stroke();
    }
    if (named || view.hover === node) {
      const below = at[1] + (RADIUS + 14) / view.zoom;
      write(pen, shortName(node), at[0], below, tint.text, tint.panel, view.zoom);
    }
  }
}

/** The point of the drawing below the pointer. */
function point(view, event) {
  const box = view.canvas.getBoundingClientRect();
  return [(event.clientX - box.left - box.width / 2 - view.shift[0]) / view.zoom, (event.clientY - box.top - box.height / 2 - view.shift[1]) / view.zoom];
}

function nodeAt(view, nodes, event) {
  const [x, y] = point(view, event);
  const reach = (RADIUS + 6) / view.zoom;
  return nodes.find((node) => { const at = view.places.get(node.id); return at && Math.hypot(at[0] - x, at[1] - y) < reach; }) ?? null;
}

export function Net({ nodes, edges, kinds, pick, centre }) {
  const canvas = useRef(null);
  const view = useRef(null);
  const worker = useRef(null);
  const latest = useRef({});
  latest.current = { nodes, edges, kinds, pick, centre };
  const paint = () => requestAnimationFrame(() => view.current && draw(view.current, latest.current));
  useEffect(() => {
    view.current = makeView(canvas.current);
    worker.current = new Worker('/page/layout.js');
    worker.current.onmessage = ({ data }) => { data.ids.forEach((id, place) => view.current.places.set(id, [data.at[place * 2], data.at[place * 2 + 1]])); fit(view.current); paint(); };
    const size = new ResizeObserver(() => { fit(view.current); paint(); });
    size.observe(canvas.current);
    window.addEventListener('annals-theme', paint);
    return () => { worker.current.terminate(); size.disconnect(); window.removeEventListener('annals-theme', paint); };
  }, []);
  useEffect(() => {
    worker.current.postMessage({ ids: nodes.map((node) => node.id), edges: edges.map((edge) => [edge.from, edge.to]) });
  }, [nodes, edges]);
  const down = (event) => { view.current.drag = [event.clientX, event.clientY]; view.current.moved = false; event.currentTarget.setPointerCapture(event.pointerId); };
  const move = (event) => {
    const now = view.current;
    if (now.drag) {
      const [dx, dy] = [event.clientX - now.drag[0], event.clientY - now.drag[1]];
      if (Math.hypot(dx, dy) > 3 || now.moved) { now.moved = true; now.touched = true; now.shift = [now.shift[0] + dx, now.shift[1] + dy]; now.drag = [event.clientX, event.clientY]; }
    } else now.hover = nodeAt(now, latest.current.nodes, event);
    canvas.current.style.cursor = now.hover ? 'pointer' : 'grab';
    paint();
  };
  const up = (event) => {
    const hit = !view.current.moved && nodeAt(view.current, latest.current.nodes, event);
    view.current.drag = null;
    if (hit) latest.current.pick(hit);
  };
  const wheel = (event) => { event.preventDefault(); view.current.touched = true; view.current.zoom = Math.max(0.1, Math.min(6, view.current.zoom * Math.exp(-event.deltaY / 400))); paint(); };
  const key = (event) => {
    const step = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] }[event.key];
    const zoom = { '+': 1.2, '-': 1 / 1.2 }[event.key];
    if (!step && !zoom) return;
    event.preventDefault();
    view.current.touched = true;
    if (step) view.current.shift = view.current.shift.map((value, axis) => value + step[axis]);
    if (zoom) view.current.zoom *= zoom;
    paint();
  };
  return html`<canvas class="canvas" ref=${canvas} tabindex="0" role="img" aria-label=${t('net-label', { nodes: nodes.length, edges: edges.length })}
    onPointerDown=${down} onPointerMove=${move} onPointerUp=${up} onWheel=${wheel} onKeyDown=${key}></canvas>`;
}
