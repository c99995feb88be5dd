// Plots as lists and SVG of our own: each says the same as a table to those who do not see it.
import { html, useRef, useState, useEffect } from './vendor/preact-htm.js';
import { number, t } from './language.js';
import { Bar } from './pieces.js';

/**
 * Bars below each other: `[id, label, value]`, of a whole that others may share. The numbers stand
 * beside them, so the list is its own table.
 */
export function Bars({ rows, hrefs, show = number, label, tight, most: whole }) {
  const most = whole ?? (Math.max(...rows.map(([, , value]) => value), 0) || 1);
  return html`<ul class=${`bars ${tight ? 'tight' : ''}`} aria-label=${label}>${rows.map(([id, name, value]) => html`<li key=${id} data-count=${id}>
    ${hrefs ? html`<a href=${hrefs(id)}>${name}</a>` : html`<span>${name}</span>`}<${Bar} part=${value / most} label=${`${name}: ${show(value)}`} /><span class="num right">${show(value)}</span></li>`)}</ul>`;
}

const HEIGHT = 170;
const FOOT = 24;
const HEAD = 14;

/** A round number at or above a value, for the top of an axis. */
function ceiling(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  const step = [1, 2, 2.5, 5, 10].find((factor) => Number.isInteger(factor * power) && factor * power >= value);
  return (step ?? 10) * power;
}

/** The width that an element has now. */
function useWidth() {
  const box = useRef(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => setWidth(Math.round(entry.contentRect.width)));
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  return [box, width];
}

/** Columns side by side: `[label, value]` in their order, such as of time. */
export function Columns({ id, rows, label, head, show = number }) {
  const [box, width] = useWidth();
  const top = ceiling(Math.max(...rows.map(([, value]) => value)));
  const left = show(top).length * 7.5 + 10;
  const [room, high] = [Math.max(width - left, 1), HEIGHT - FOOT - HEAD];
  const step = room / rows.length;
  const y = (value) => HEAD + high * (1 - value / top);
  const named = [0, rows.length - 1, ...(rows.length > 4 && room > 420 ? [Math.floor(rows.length / 2)] : [])];
  const anchor = (place) => (place === 0 ? 'start' : place === rows.length - 1 ? 'end' : 'middle');
  const at = (place) => left + (place === 0 ? 0 : place === rows.length - 1 ? room : step * (place + 0.5));
  return html`<figure class="plotted" id=${id} ref=${box}>
    <svg class="plot" width=${width} height=${HEIGHT} aria-hidden="true">
      ${[top, top / 2].map((value) => html`<line class="grid" x1=${left} x2=${width} y1=${y(value)} y2=${y(value)} /><text x=${left - 8} y=${y(value) + 4} text-anchor="end">${show(value)}</text>`)}
      ${rows.map(([name, value], place) => html`<g><rect class="column" x=${left + step * place + Math.min(step * 0.12, 3)} width=${Math.max(step - Math.min(step * 0.24, 6), 1)} y=${y(value)} height=${Math.max(y(0) - y(value), 0)} rx="1.5" />
        <rect class="feel" x=${left + step * place} width=${step} y=${HEAD} height=${high}><title>${name}: ${show(value)}</title></rect></g>`)}
      <line class="axis" x1=${left} x2=${width} y1=${y(0)} y2=${y(0)} />
      ${named.map((place) => html`<text x=${at(place)} y=${HEIGHT - 6} text-anchor=${anchor(place)}>${rows[place][0]}</text>`)}</svg>
    <${AsTable} rows=${rows} label=${label} head=${head} show=${show} /></figure>`;
}

/** The numbers of a plot, for a screen reader and for whoever opens it. */
function AsTable({ rows, label, head, show }) {
  return html`<details class="small"><summary class="quiet">${t('as-numbers')}</summary><div class="scroll-x"><table class="table"><caption class="visually-hidden">${label}</caption>
    <thead><tr><th>${head[0]}</th><th class="right">${head[1]}</th></tr></thead>
    <tbody>${rows.map(([name, value]) => html`<tr key=${name}><td>${name}</td><td class="right num">${show(value)}</td></tr>`)}</tbody></table></div></details>`;
}
