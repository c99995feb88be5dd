// A worker that lays out a net: things push each other away within a grid's cells, edges pull, and it cools down.
const CELL = 160;
const LENGTH = 120;
let [ids, edges, x, y] = [[], [], [], []];
let heat = 0;
let running = false;

onmessage = ({ data }) => {
  const before = new Map(ids.map((id, place) => [id, [x[place], y[place]]]));
  ids = data.ids;
  const number = new Map(ids.map((id, place) => [id, place]));
  edges = data.edges.map(([a, b]) => [number.get(a), number.get(b)]).filter(([a, b]) => a !== undefined && b !== undefined && a !== b);
  x = new Float64Array(ids.length);
  y = new Float64Array(ids.length);
  ids.forEach((id, place) => {
    const old = before.get(id);
    // A new one begins beside a neighbour that has its place, else on a spiral.
    const beside = old ?? edges.filter(([a, b]) => a === place || b === place).map(([a, b]) => before.get(ids[a === place ? b : a])).find(Boolean);
    const angle = place * 2.39996;
    const reach = old ? 0 : beside ? 60 : 26 * Math.sqrt(place);
    [x[place], y[place]] = [(beside?.[0] ?? 0) + Math.cos(angle) * reach, (beside?.[1] ?? 0) + Math.sin(angle) * reach];
  });
  heat = 1;
  if (!running) { running = true; run(); }
};

function step() {
  const [dx, dy] = [new Float64Array(ids.length), new Float64Array(ids.length)];
  const cells = new Map();
  for (let i = 0; i < ids.length; i += 1) {
    const key = `${Math.floor(x[i] / CELL)},${Math.floor(y[i] / CELL)}`;
    if (cells.has(key)) cells.get(key).push(i);
    else cells.set(key, [i]);
  }
  for (let i = 0; i < ids.length; i += 1) push(i, cells, dx, dy);
  for (const [a, b] of edges) {
    const [ex, ey] = [x[b] - x[a], y[b] - y[a]];
    const far = Math.hypot(ex, ey) || 0.01;
    const pull = ((far - LENGTH) / far) * 0.06;
    dx[a] += ex * pull; dy[a] += ey * pull; dx[b] -= ex * pull; dy[b] -= ey * pull;
  }
  for (let i = 0; i < ids.length; i += 1) {
    const [mx, my] = [dx[i] - x[i] * 0.004, dy[i] - y[i] * 0.004];
    const far = Math.hypot(mx, my);
    const most = 30 * heat;
    const scale = far > most ? most / far : 1;
    x[i] += mx * scale;
    y[i] += my * scale;
  }
}

function push(i, cells, dx, dy) {
  const [cx, cy] = [Math.floor(x[i] / CELL), Math.floor(y[i] / CELL)];
  for (let gx = cx - 1; gx <= cx + 1; gx += 1) {
    for (let gy = cy - 1; gy <= cy + 1; gy += 1) {
      for (const j of cells.get(`${gx},${gy}`) ?? []) {
        if (i === j) continue;
        const [ex, ey] = [x[i] - x[j], y[i] - y[j]];
        const square = Math.max(ex * ex + ey * ey, 25);
        if (square > CELL * CELL) continue;
        const force = 1400 / square;
        const far = Math.sqrt(square);
        dx[i] += (ex / far) * force * 3 + (i < j ? 0.01 : -0.01);
        dy[i] += (ey / far) * force * 3;
      }
    }
  }
}

function run() {
  const end = performance.now() + 24;
  do { step(); heat *= 0.985; } while (performance.now() < end && heat > 0.02);
  postMessage({ ids, at: Float32Array.from(ids.flatMap((_, place) => [x[place], y[place]])) });
  if (heat > 0.02) setTimeout(run, 8);
  else running = false;
}
