// How much a memory will be worth as time passes, and what happens to it when.
import { html } from './vendor/preact-htm.js';
import { get, memory } from './api.js';
import { decimal, moment, t, word } from './language.js';
import { useLoad } from './load.js';
import { missing } from './pieces.js';

const W = 520, H = 130, LEFT = 34, BOTTOM = 20;

export function Fading({ ns, id }) {
  const state = useLoad((signal) => get(memory(ns, id, '/fading'), {}, signal), [ns, id]);
  if (!state.data || state.error) return missing(state.error) ? null : null;
  const points = state.data.points ?? [];
  if (points.length < 2) return null;
  const times = points.map((point) => new Date(point.at).getTime());
  const top = Math.max(...points.map((point) => point.score), 0.01);
  const x = (time) => LEFT + ((time - times[0]) / (times.at(-1) - times[0])) * (W - LEFT - 6);
  const y = (score) => 6 + (1 - score / top) * (H - BOTTOM - 6);
  const path = points.map((point, place) => `${place ? 'L' : 'M'}${x(times[place]).toFixed(1)} ${y(point.score).toFixed(1)}`).join('');
  const events = state.data.events ?? [];
  return html`<section class="panel"><h2>${t('fading')}</h2>
    <svg class="plot" viewBox=${`0 0 ${W} ${H}`} role="img" aria-label=${t('fading-of', { from: decimal(points[0].score), to: decimal(points.at(-1).score), at: moment(points.at(-1).at) })}>
      <line class="axis" x1=${LEFT} x2=${W} y1=${H - BOTTOM} y2=${H - BOTTOM} /><text x="0" y="12">${decimal(top)}</text><text x="0" y=${H - BOTTOM}>0</text>
      <path d=${path} fill="none" stroke="var(--accent)" stroke-width="2" />
      ${events.map((event) => html`<line x1=${x(new Date(event.at).getTime())} x2=${x(new Date(event.at).getTime())} y1="6" y2=${H - BOTTOM} stroke="var(--warn)" stroke-dasharray="3 3" />`)}
      <text x=${LEFT} y=${H - 4}>${moment(points[0].at)}</text><text x=${W} y=${H - 4} text-anchor="end">${moment(points.at(-1).at)}</text></svg>
    ${events.length > 0 && html`<ul class="small">${events.map((event) => html`<li>${moment(event.at)}: ${word('fate', event.action)}${event.rule ? html` <span class="quiet">(${event.rule})</span>` : ''}</li>`)}</ul>`}</section>`;
}
