// What is held true of somebody: now, at a chosen day, since when, and by which words.
import { html, useState } from '../vendor/preact-htm.js';
import { get, within } from '../api.js';
import { day, decimal, moment, t, word } from '../language.js';
import { useLoad, usePages, useSettled } from '../load.js';
import { Empty, Failure, Head, Loaded, More, NotOffered, Search, missing } from '../pieces.js';
import { link, turn } from '../route.js';
import { overHere } from '../memory.js';

const PAGE = 50;

export function Facts({ ns, params, round }) {
  const [typed, setTyped] = useState(params.subject ?? '');
  const subject = useSettled(typed.trim());
  const at = params.at ? new Date(`${params.at}T23:59:59`).toISOString() : undefined;
  const pages = usePages(async (after, signal) => {
    const found = await get(within(ns, '/triples'), { subject, valid_at: at, limit: PAGE, after }, signal);
    return { items: found.triples, next: found.next, total: found.total };
  }, [ns, subject, params.at, round]);
  const groups = Map.groupBy ? Map.groupBy(pages.items, (triple) => name(triple.subject)) : group(pages.items);
  return html`<${Head} title=${t('nav-facts')} lead=${t('facts-lead')} />
    <div class="filterline"><${Search} value=${typed} change=${(text) => { setTyped(text); turn({ subject: text.trim() }, true); }} label=${t('of-whom')} />
      <label class="check"><span class="label">${t('true-at')}</span><input type="date" value=${params.at ?? ''} onInput=${(event) => turn({ at: event.target.value })} /></label>
      ${(params.at || subject) && html`<button class="button tiny bare" onClick=${() => { setTyped(''); turn({ at: '', subject: '' }); }}>${t('reset-filters')}</button>`}</div>
    ${pages.error && pages.items.length === 0 && (missing(pages.error) ? html`<${NotOffered} />` : html`<${Failure} error=${pages.error} again=${pages.again} />`)}
    ${!pages.error && pages.items.length === 0 && (pages.loading ? html`<p class="loading" role="status">${t('loading')}</p>`
      : subject || params.at ? html`<${Empty} title=${t('none-found')}>${t('none-found-more')}</${Empty}>`
      : html`<${Empty} title=${t('no-facts')} action=${html`<a class="button" href=${link('memories', { ns })}>${t('nav-memories')}</a>`}>${t('no-facts-more')}</${Empty}>`)}
    ${[...groups].map(([who, triples]) => html`<section class="panel" key=${who}><div class="panel-head"><h2>${who}</h2><a class="small" href=${link('graph', { ns, of: who })}>${t('show-in-graph')}</a></div>
      <div class="scroll-x"><table class="table even"><thead><tr><th>${t('fact')}</th><th><span class="visually-hidden">${t('to')}</span></th><th>${t('since')}</th><th class="right">${t('evidence')}</th></tr></thead><tbody>
      ${triples.map((triple) => html`<${Fact} key=${triple.id} ns=${ns} triple=${triple} />`)}</tbody></table></div></section>`)}
    <${More} pages=${pages} />`;
}

const name = (entity) => (typeof entity === 'string' ? entity : entity?.name ?? '');

function group(triples) {
  const all = new Map();
  for (const triple of triples) all.set(name(triple.subject), [...(all.get(name(triple.subject)) ?? []), triple]);
  return all;
}

function Fact({ ns, triple }) {
  const [open, setOpen] = useState(false);
  const from = triple.valid_from ?? triple.since;
  const until = triple.valid_until;
  return html`<tr class=${until && new Date(until) < Date.now() ? 'forgotten' : ''}><td class="quiet">${triple.negated ? `${t('not')} ` : ''}${triple.predicate}</td><td><strong>${name(triple.object)}</strong></td>
      <td class="quiet">${from ? day(from) : '–'}${until ? ` – ${day(until)}` : ''}</td>
      <td class="right"><button class="button tiny" aria-expanded=${open} onClick=${() => setOpen(!open)}>${t('words-n', { n: triple.evidence })}</button></td></tr>
    ${open && html`<tr><td colspan="4"><${Words} ns=${ns} id=${triple.id} /></td></tr>`}`;
}

/** The memories whose words say it. */
function Words({ ns, id }) {
  const state = useLoad((signal) => get(within(ns, `/triples/${encodeURIComponent(id)}`), {}, signal), [ns, id]);
  return html`<${Loaded} state=${state}>${(found) => html`<ul class="listing">${found.evidence.map((one) => html`<li key=${one.memory}>
    <a href=${overHere(one.memory)}>${one.text || t('gone')}<span class="quiet small">${moment(one.at)}</span></a></li>`)}</ul>`}</${Loaded}>`;
}
