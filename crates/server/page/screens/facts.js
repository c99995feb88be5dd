// What is held true of somebody: now, at a chosen day, since when, by which words; and what changed lately.
import { html, useState } from '../vendor/preact-htm.js';
import { get, memory, within } from '../api.js';
import { DeleteButton, anew, end, forget } from '../deeds.js';
import { ago, clock, day, moment, t } from '../language.js';
import { useLoad, usePages, useSettled } from '../load.js';
import {
  Act, Chips, Dialog, Empty, Head, Listed, Loaded, More, Search, Tabs,
} from '../pieces.js';
import { link, turn } from '../route.js';
import { overHere } from '../memory.js';

const PAGE = 50;
const DAY = 864e5;

export function Facts({ ns, params, round }) {
  const tab = params.tab ?? 'true';
  return html`<${Head} title=${t('nav-facts')} lead=${t('facts-lead')} />
    <${Tabs} tabs=${[['true', t('facts-true')], ['changes', t('facts-changes')]]} now=${tab} label=${t('nav-facts')} choose=${(name) => turn({ tab: name === 'true' ? '' : name })} />
    ${tab === 'changes' ? html`<${Changes} ns=${ns} params=${params} round=${round} />` : html`<${Held} ns=${ns} params=${params} round=${round} />`}`;
}

function Held({ ns, params, round }) {
  const [typed, setTyped] = useState(params.subject ?? '');
  const subject = useSettled(typed.trim());
  const at = params.at ? new Date(`${params.at}T23:59:59`).toISOString() : undefined;
  const pages = usePages(async (after, signal) => {
    const found = await get(within(ns, '/triples'), { subject, valid_at: at, limit: PAGE, after }, signal);
    return { items: found.triples, next: found.next, total: found.total };
  }, [ns, subject, params.at, round]);
  const filtered = params.at || subject;
  return html`<div class="filterline"><${Search} value=${typed} change=${(text) => { setTyped(text); turn({ subject: text.trim() }, true); }} label=${t('of-whom')} />
      <label class="check"><span class="label">${t('true-at')}</span><input type="date" value=${params.at ?? ''} onInput=${(event) => turn({ at: event.target.value })} /></label>
      ${filtered && html`<button class="button tiny bare" onClick=${() => { setTyped(''); turn({ at: '', subject: '' }); }}>${t('reset-filters')}</button>`}</div>
    ${params.at && html`<p class="note accent" role="status">${t('facts-of-day', { day: day(at) })}</p>`}
    <${Listed} pages=${pages} empty=${filtered ? html`<${Empty} title=${t('none-found')}>${t('none-found-more')}</${Empty}>`
      : html`<${Empty} title=${t('no-facts')} action=${html`<a class="button" href=${link('memories', { ns })}>${t('nav-memories')}</a>`}>${t('no-facts-more')}</${Empty}>`}>
      ${[...bySubject(pages.items)].map(([who, triples]) => html`<section class="panel" key=${who}><div class="panel-head"><h2>${who}</h2><a class="small" href=${link('graph', { ns, of: who })}>${t('show-in-graph')}</a></div>
        <table class="table even"><thead><tr><th>${t('fact')}</th><th>${t('since')}</th><th class="right">${t('evidence')}</th></tr></thead><tbody>
        ${triples.map((triple) => html`<${Fact} key=${triple.id} ns=${ns} triple=${triple} at=${at} />`)}</tbody></table></section>`)}
      <${More} pages=${pages} /></${Listed}>`;
}

function bySubject(triples) {
  const all = new Map();
  for (const triple of triples) all.set(triple.subject, [...(all.get(triple.subject) ?? []), triple]);
  return all;
}

/** What a triple says, as one text. */
export const says = ({ subject, predicate, object, negated, condition }) => [
  subject, negated && t('not'), predicate, object, condition && `(${condition})`,
].filter(Boolean).join(' ');

/** What a triple says of its subject. */
const Says = ({ triple }) => html`<span class="quiet">${triple.negated ? `${t('not')} ` : ''}${triple.predicate}</span> <strong>${triple.object}</strong>${triple.condition ? html` <span class="quiet">(${triple.condition})</span>` : ''}`;

function Fact({ ns, triple, at }) {
  const [open, setOpen] = useState(false);
  const since = triple.valid_from ? day(triple.valid_from)
    : t('said-on', { day: day(triple.since) });
  const until = triple.valid_until;
  // From when on it held nobody said: it may have on that day.
  const later = at && !triple.valid_from && new Date(triple.since) > new Date(at);
  const over = until && new Date(until) < clock();
  return html`<tr class=${over ? 'forgotten' : ''}><td><${Says} triple=${triple} /></td>
      <td class="quiet" title=${moment(triple.valid_from ?? triple.since)}>
        ${since}${until ? ` – ${day(until)}` : ''}
        ${later && html` <span class="badge">${t('said-later')}</span>`}</td>
      <td class="right"><div class="actions end">
        <button class="button tiny" aria-expanded=${open} onClick=${() => setOpen(!open)}>
          ${t('words-n', { n: triple.evidence })}</button>
        <${FactDeeds} ns=${ns} triple=${triple} /></div></td></tr>
    ${open && html`<tr><td colspan="3"><${Words} ns=${ns} id=${triple.id} /></td></tr>`}`;
}

/** So many memories that say a fact are looked at. */
const TOLD = 30;

/** A fact with the memories that say it; one of the graph is found by its names first. */
async function told(ns, triple, signal) {
  let { id } = triple;
  if (id === undefined) {
    const { subject, predicate, object } = triple;
    const found = await get(within(ns, '/triples'), { subject, predicate, object }, signal);
    id = found.triples[0]?.id;
    if (id === undefined) return [];
  }
  const { evidence } = await get(within(ns, `/triples/${encodeURIComponent(id)}`), {}, signal);
  const words = evidence.some((one) => one.supports) ? evidence.filter((one) => one.supports)
    : evidence;
  const ids = [...new Set(words.map((one) => one.memory))].slice(0, TOLD);
  const gone = (error) => { if (error.status === 404) return null; throw error; };
  const all = await Promise.all(ids.map((one) => get(memory(ns, one), {}, signal).catch(gone)));
  return all.filter((one) => one && one.status === 'active');
}

/**
 * A button to correct a fact; `corrected` is a memory whose text is right already, `renewed` is
 * called with the one that takes its place.
 */
export function FactDeeds({ ns, triple, corrected, renewed }) {
  const [open, setOpen] = useState(false);
  return html`<button class="button tiny" data-correct onClick=${() => setOpen(true)}>
      ${t('fact-correct')}</button>
    ${open && html`<${FactDialog} ns=${ns} triple=${triple} corrected=${corrected}
      renewed=${renewed} close=${() => setOpen(false)} />`}`;
}

/** A fact is what memories say: it ends, or goes, with the words that say it. */
function FactDialog({ ns, triple, corrected, renewed, close }) {
  const state = useLoad((signal) => told(ns, triple, signal), [ns, triple.id]);
  return html`<${Dialog} title=${says(triple)} close=${close}>
    <${Loaded} state=${state}>${(words) => (words.length === 0
      ? html`<p class="quiet">${t('fact-no-words')}</p>
        <div class="actions"><button class="button" onClick=${close}>${t('close')}</button></div>`
      : html`<p>${t('fact-correct-lead')}</p>
        <ul class="goes told" tabindex="0">${words.map((found) => html`<${Told} key=${found.id}
          ns=${ns} found=${found} renewed=${found.id === corrected && renewed}
          close=${close} />`)}</ul>
        <${Ending} ns=${ns} words=${words.filter((found) => found.id !== corrected)}
          close=${close} />`)}</${Loaded}></${Dialog}>`;
}

/** One of the memories that say it. An edited one may say it by its earlier text alone. */
function Told({ ns, found, renewed, close }) {
  const renew = async () => {
    const stored = await anew(ns, found);
    close();
    if (renewed) renewed(stored);
  };
  const goTo = () => { close(); turn({ m: found.id, edit: 'yes' }); };
  return html`<li><p>${found.text}</p><div class="actions">
    <button class="button tiny" onClick=${goTo}>${t('edit')}</button>
    ${found.revision > 1 && html`<${Act} class="tiny" data-anew run=${renew}
      title=${t('anew-more')}>${t('anew')}</${Act}>`}</div>
    ${found.revision > 1 && html`<p class="small quiet">${t('anew-more')}</p>`}</li>`;
}

/** The day of a moment here, as a field has it. */
const dayField = (moment) => new Date(moment - new Date(moment).getTimezoneOffset() * 60e3)
  .toISOString().slice(0, 10);

function Ending({ ns, words, close }) {
  const [until, setUntil] = useState(dayField(clock()));
  const ids = words.map((found) => found.id);
  if (ids.length === 0) {
    return html`<div class="actions"><button class="button" onClick=${close}>
      ${t('cancel')}</button></div>`;
  }
  const stop = async () => {
    const at = until === dayField(clock()) ? new Date(clock()) : new Date(`${until}T23:59:59`);
    await end(ns, ids, at.toISOString());
    close();
  };
  const hide = async () => { await forget(ns, ids); close(); };
  return html`<label class="field"><span>${t('fact-until')}</span>
      <input type="date" value=${until}
        onInput=${(event) => setUntil(event.target.value)} /></label>
    <p class="quiet small">${t('fact-end-more', { n: ids.length })}</p>
    <div class="actions"><button class="button" onClick=${close}>${t('cancel')}</button>
      <${DeleteButton} class="danger" ns=${ns} ids=${ids} done=${close}>${t('fact-delete')}<//>
      <${Act} run=${hide}>${t('fact-forget')}</${Act}>
      <${Act} class="main-action" data-end disabled=${!until} run=${stop}>
        ${t('fact-end')}</${Act}></div>`;
}

/** The memories whose words say it. */
function Words({ ns, id }) {
  const state = useLoad((signal) => get(within(ns, `/triples/${encodeURIComponent(id)}`), {}, signal), [ns, id]);
  return html`<${Loaded} state=${state}>${(found) => html`<ul class="listing">${found.evidence.map((one) => html`<li key=${one.memory}>
    <a href=${overHere(one.memory)}>${one.text || t('gone')}<span class="quiet small">${moment(one.at)}</span></a></li>`)}</ul>`}</${Loaded}>`;
}

const SPANS = [['1', 'span-day'], ['7', 'span-week'], ['30', 'span-month'], ['365', 'span-year']];

function Changes({ ns, params, round }) {
  const days = params.days ?? '7';
  const pages = usePages(async (after, signal) => {
    const since = new Date(clock() - Number(days) * DAY).toISOString();
    const found = await get(within(ns, '/triples/changes'), { since, limit: PAGE, after }, signal);
    return { ...found, items: found.changes };
  }, [ns, days, round]);
  return html`<div class="filterline"><${Chips} label=${t('changed-within')} now=${days} chips=${SPANS.map(([name, text]) => [name, t(text)])} choose=${(name) => turn({ days: name === '7' ? '' : name })} /></div>
    <${Listed} pages=${pages} empty=${html`<${Empty} title=${t('no-changes')}>${t('no-changes-more')}</${Empty}>`}>
      <div class="panel flush"><table class="table" id="changes"><thead><tr><th>${t('change')}</th><th>${t('fact')}</th><th>${t('when')}</th></tr></thead><tbody>
        ${pages.items.map(({ change, at, fact }) => html`<tr key=${`${change} ${fact.id}`}><td><span class=${`badge ${change === 'new' ? 'good' : 'warn'}`}>${t(`fact-${change}`)}</span></td>
          <td><a href=${link('facts', { ns, subject: fact.subject })}>${fact.subject}</a> <${Says} triple=${fact} /></td><td class="quiet" title=${moment(at)}>${at ? ago(at) : '–'}</td></tr>`)}</tbody></table></div>
      ${pages.page && !pages.page.all && html`<p class="quiet small">${t('changes-cut')}</p>`}
      <${More} pages=${pages} /></${Listed}>`;
}
