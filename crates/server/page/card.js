// A memory in a list, as a card or as a row.
import { html } from './vendor/preact-htm.js';
import { DeleteButton, forget, restore } from './deeds.js';
import { ago, decimal, moment, t } from './language.js';
import { Act, Bar, steady } from './pieces.js';
import { Over, overHere, sourceLink } from './memory.js';
import { kindLabel, statusLabel, useSpace } from './space.js';

/** How much it matters, of the most that its profile gives. */
export function weight(space, found) {
  const most = space.profile?.max_score ?? 1;
  // A scale without an end has no whole to be a part of.
  if (most > 10) return decimal(found.importance);
  return `${Math.round((found.importance / most) * 100)}%`;
}

/** With hundreds of cards a key that is pressed must not draw all of them. */
export const Card = steady(PlainCard, ['ns', 'found', 'selected']);

/** Whether a memory was stored at another time than it happened: lists go by the storing. */
const storedLater = (found) => Boolean(found.event_time)
  && Math.abs(new Date(found.stored_at) - new Date(found.event_time)) > 36e5;

function PlainCard({ ns, found, selected, select, reasons, below, newer }) {
  const space = useSpace();
  const forgotten = found.status === 'forgotten';
  const from = sourceLink(ns, found);
  return html`<li class=${`card ${forgotten ? 'forgotten' : ''} ${selected ? 'selected' : ''}`} data-id=${found.id}>
    ${select ? html`<input type="checkbox" aria-label=${t('select')} checked=${selected} onChange=${(event) => select(found.id, event.target.checked)} />` : html`<span></span>`}
    <div class="card-body">
      <div class="meta"><span class="kind">${kindLabel(space, found.kind)}</span><span title=${moment(found.event_time ?? found.stored_at)}>${ago(found.event_time ?? found.stored_at)}</span>
        ${storedLater(found) && html`<span title=${moment(found.stored_at)}>
          ${t('stored-ago', { ago: ago(found.stored_at) })}</span>`}
        ${found.turn?.speaker && html`<span>${found.turn.speaker}</span>`}
        ${found.status !== 'active' && html`<span class="badge warn">${statusLabel(found.status)}</span>`}
        ${found.verified && html`<span class="badge good">${t('confirmed')}</span>`}
        <${Over} found=${found} newer=${newer} /></div>
      <a class="card-text" href=${overHere(found.id)}>${found.text}</a>
      ${below}
      <div class="card-foot">
        ${found.accesses !== undefined && html`<span>${t('access-count', { n: found.accesses })}</span>`}
        <span>${t('importance-of', { percent: weight(space, found) })}</span>
        ${from && html`<a data-source href=${from}>${t('to-conversation')}</a>`}
        <span class="actions">${forgotten || found.status === 'archived'
          ? html`<${Act} class="tiny" data-act="restore" run=${() => restore(ns, [found.id])}>${t('restore')}</${Act}>`
          : html`<${Act} class="tiny bare" data-act="forget" run=${() => forget(ns, [found.id])}>${t('forget')}</${Act}>`}
          <${DeleteButton} class="tiny bare danger" data-act="delete" ns=${ns} ids=${[found.id]} /></span>
      </div>
      ${reasons}
    </div></li>`;
}

const SHOWN = 0.005;

/** A score as one bar, in the colours of its strongest reasons. */
export function Strip({ hit }) {
  const parts = hit.reasons.parts.filter((part) => part.contribution > SHOWN).sort((a, b) => b.contribution - a.contribution);
  const sum = parts.reduce((total, part) => total + part.contribution, 0) || 1;
  return html`<span class="strip" role="img" aria-label=${parts.slice(0, 3).map((part) => t(`feature-${part.feature}`)).join(', ')}>
    <span style=${{ width: `${Math.min(1, hit.score) * 100}%` }}>${parts.map((part) => html`<i style=${{ flexGrow: part.contribution / sum, background: `var(--k${COLOURS[part.feature] ?? 7})` }} title=${`${t(`feature-${part.feature}`)} +${part.contribution.toFixed(2)}`}></i>`)}</span></span>`;
}

const COLOURS = { own: 0, text: 0, dense: 2, window: 1, context: 1, time: 3, asks_time: 3, graph: 4, importance: 5, recency: 6, usage: 6, speaker: 5, answers: 4 };

/** Where a score comes from, the strongest first. */
/** The strongest part of all hits: the bars of one list share a scale. */
export const strongest = (hits) => Math.max(0.01, ...hits.flatMap((hit) =>
  (hit.reasons.parts ?? hit.reasons).map((part) => Math.abs(part.contribution))));

/** Where a score comes from; `most` is the whole of a bar, without it the strongest part is. */
export function Reasons({ reasons, most: whole }) {
  const parts = reasons.parts.filter((part) => Math.abs(part.contribution) > SHOWN).sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution));
  const most = whole ?? strongest([{ reasons }]);
  return html`<div class="reasons">${parts.map((part) => html`<div class="reason" key=${part.feature}><span class="quiet">${t(`feature-${part.feature}`)}</span>
      <${Bar} part=${Math.abs(part.contribution) / most} minus=${part.contribution < 0} label=${`${t(`feature-${part.feature}`)} ${part.contribution.toFixed(3)}`} />
      <span class="num quiet right">${part.contribution > 0 ? '+' : ''}${part.contribution.toFixed(2)}</span></div>`)}
    <p class="quiet">${[reasons.matched.length > 0 && t('matched-words', { words: reasons.matched.join(', ') }),
      reasons.found_by.length > 0 && t('found-by', { ways: reasons.found_by.map((way) => t(`channel-${way}`)).join(', ') })].filter(Boolean).join(' · ')}</p></div>`;
}
