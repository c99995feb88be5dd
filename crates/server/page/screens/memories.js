// All memories of a namespace: searched as one types, filtered, selected, added, and deleted with what goes.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { Card, Reasons, Strip, strongest, weight } from '../card.js';
import { collection } from '../collection.js';
import { DeleteButton, add, archive, forget, restore, start } from '../deeds.js';
import { ago, decimal, moment, t } from '../language.js';
import { usePages, useSettled } from '../load.js';
import { Act, Chips, Dialog, Empty, Failure, Head, More, NotOffered, Search, Tabs, missing, tell } from '../pieces.js';
import { link, turn } from '../route.js';
import { kindLabel, offeredKinds, statusLabel, useSpace } from '../space.js';
import { Over, overHere } from '../memory.js';
import { BatchDelete, Clear } from './batch.js';
import { FirstHints } from './hints.js';
import { Statistics } from './statistics.js';

const FILTERS = { kind: '', status: '', order: '', view: '', tag: '', past: '' };

const page = (ns, params, query, after, signal) => {
  const memories = collection(ns);
  return query ? memories.search(query, params, signal) : memories.list(params, after, signal);
};

export function Memories({ ns, params, round }) {
  const space = useSpace();
  const companion = space.info.profile === 'companion';
  const tabs = [['list', t(companion ? 'tab-view-edit' : 'tab-list')], ['add', t('tab-add')], ...(companion ? [['statistics', t('tab-statistics')]] : []), ['batch', t('tab-batch')]];
  const tab = params.tab ?? 'list';
  return html`<${Head} title=${t('nav-memories')} lead=${t('memories-lead')}><${Clear} ns=${ns} /></${Head}>
    <${FirstHints} />
    <${Tabs} tabs=${tabs} now=${tab} label=${t('nav-memories')} choose=${(name) => turn({ tab: name === 'list' ? '' : name })} />
    ${tab === 'add' ? html`<${Add} ns=${ns} />` : tab === 'batch' ? html`<${BatchDelete} ns=${ns} />`
      : tab === 'statistics' ? html`<${Statistics} ns=${ns} inside=${true} round=${round} />` : html`<${List} ns=${ns} params=${params} round=${round} />`}`;
}

function List({ ns, params, round }) {
  const space = useSpace();
  const [typed, setTyped] = useState(params.q ?? '');
  const query = useSettled(typed.trim());
  const [chosen, setChosen] = useState([]);
  const pages = usePages((after, signal) => page(ns, params, query, after, signal), [ns, query, round, ...Object.keys(FILTERS).map((name) => name !== 'view' && params[name])]);
  useEffect(() => { if ((params.q ?? '') !== query) turn({ q: query }, true); }, [query]);
  const { items, error, loading, page: last } = pages;
  const select = (id, on) => setChosen((before) => (on ? [...before, id] : before.filter((other) => other !== id)));
  const most = strongest(items.map((found) => found.hit).filter(Boolean));
  const view = params.view || (space.info.profile === 'companion' ? 'table' : 'cards');
  const filtered = Object.keys(FILTERS).some((name) => name !== 'view' && name !== 'order' && params[name]) || query;
  const reset = () => { setTyped(''); turn({ ...FILTERS, view: params.view, q: '' }); };
  const kinds = [['', t('all')], ...offeredKinds(space)];
  return html`<div class="filterline"><${Search} value=${typed} change=${setTyped} label=${t('search-memories')} />
      <label class="check"><span class="visually-hidden">${t('status')}</span><select value=${params.status ?? ''} onChange=${(event) => turn({ status: event.target.value })}>
        <option value="">${t('status-any')}</option>${['active', 'forgotten', 'archived', 'staged'].map((one) => html`<option value=${one}>${statusLabel(one)}</option>`)}</select></label>
      <label class="check"><span class="visually-hidden">${t('order')}</span><select value=${params.order ?? ''} disabled=${Boolean(query)} onChange=${(event) => turn({ order: event.target.value })}>
        <option value="">${t('newest-first')}</option><option value="oldest">${t('oldest-first')}</option></select></label>
      <label class="check wide-only"><span class="visually-hidden">${t('view-as')}</span><select value=${view} onChange=${(event) => turn({ view: event.target.value })}>
        <option value="cards">${t('cards')}</option><option value="table">${t('table')}</option></select></label></div>
    <div class="filterline"><${Chips} chips=${kinds} now=${params.kind ?? ''} label=${t('kind')} choose=${(kind) => turn({ kind })} />
      ${params.tag && html`<button class="chip" aria-pressed="true" onClick=${() => turn({ tag: '' })}>#${params.tag} ×</button>`}
      ${filtered && html`<button class="button tiny bare" onClick=${reset}>${t('reset-filters')}</button>`}</div>
    ${error && items.length === 0 && html`<${Failure} error=${error} again=${pages.again} />`}
    ${query && last?.answer && !last.answer.answered.likely && items.length > 0 && html`<div class="note warn" id="nothing-known"><p><strong>${t('nothing-known')}</strong> ${t('nothing-known-more')}</p></div>`}
    ${last?.answer?.without_vectors && html`<div class="note warn"><p>${t('without-vectors', { why: last.answer.without_vectors })}</p></div>`}
    ${!error && items.length === 0 && (loading ? html`<p class="loading" role="status">${t('loading')}</p>`
      : filtered ? html`<${Empty} title=${t('none-found')} action=${html`<button class="button" onClick=${reset}>${t('reset-filters')}</button>`}>${t('none-found-more')}</${Empty}>`
      : html`<${Empty} title=${t('no-memories')} action=${html`<a class="button main-action" href=${link('memories', { ns, tab: 'add' })}>${t('tab-add')}</a><a class="button" href=${link('import', { ns })}>${t('nav-import')}</a>`}>${t('no-memories-more')}</${Empty}>`)}
    ${items.length > 0 && html`<p class="quiet small num" role="status" id="total">${query ? t('hits-n', { n: items.length }) : t('memories-n', { n: pages.total })}</p>`}
    ${items.length > 0 && (view === 'table' ? html`<${Rows} ns=${ns} items=${items} chosen=${chosen} select=${select} />` : html`
      <ul class="cards" aria-busy=${loading}>${items.map((found) => html`<${Card} key=${found.id} ns=${ns} found=${found} selected=${chosen.includes(found.id)} select=${select}
        newer=${found.hit?.newer}
        reasons=${found.hit && html`<${Why} hit=${found.hit} most=${most} />`} />`)}</ul>`)}
    <${More} pages=${pages} />
    ${chosen.length > 0 && html`<${Selection} ns=${ns} items=${items} chosen=${chosen} clear=${() => setChosen([])} all=${() => setChosen(items.map((found) => found.id))} />`}`;
}

/** How well a hit answers, with the parts on demand. */
function Why({ hit, most }) {
  return html`<details class="small"><summary class="quiet">
      <span class="score">${t('score-why', { score: decimal(hit.score) })}</span>
      ${' '}<${Strip} hit=${hit} /></summary>
    <${Reasons} reasons=${hit.reasons} most=${most} /></details>`;
}

function Rows({ ns, items, chosen, select }) {
  const space = useSpace();
  const open = (id) => (event) => { if (!event.target.closest('input, a, button')) location.hash = overHere(id); };
  return html`<div class="panel flush scroll-x"><table class="table" id="memory-table"><caption class="visually-hidden">${t('nav-memories')}</caption>
    <thead><tr><th><span class="visually-hidden">${t('select')}</span></th><th>${t('kind')}</th><th>${t('text')}</th><th class="right">${t('importance')}</th><th>${t('stored')}</th></tr></thead>
    <tbody>${items.map((found) => html`<tr class=${`pick ${found.status}`} key=${found.id} data-id=${found.id} onClick=${open(found.id)}>
      <td><input type="checkbox" aria-label=${t('select')} checked=${chosen.includes(found.id)} onChange=${(event) => select(found.id, event.target.checked)} /></td>
      <td>${kindLabel(space, found.kind)}</td>
      <td><a class="card-text" href=${overHere(found.id)}>${found.text}</a>
        ${' '}<${Over} found=${found} newer=${found.hit?.newer} /></td>
      <td class="right num">${weight(space, found)}</td><td class="quiet" title=${moment(found.stored_at)}>${ago(found.stored_at)}</td></tr>`)}</tbody></table></div>`;
}

function Selection({ ns, items, chosen, clear, all }) {
  const away = items.filter((found) => chosen.includes(found.id) && found.status !== 'active');
  const act = (deed) => async () => { await deed(ns, chosen); clear(); };
  return html`<div class="selectbar" role="region" aria-label=${t('selection')}><strong>${t('selected-n', { n: chosen.length })}</strong>
    <button class="button bare" onClick=${all}>${t('select-all-shown')}</button><button class="button bare" onClick=${clear}>${t('clear-selection')}</button>
    ${away.length > 0 && html`<${Act} run=${act(restore)}>${t('restore')}</${Act}>`}
    <${Act} run=${act(forget)}>${t('forget')}</${Act}><${Act} run=${act(archive)}>${t('archive')}</${Act}>
    <${DeleteButton} class="danger" ns=${ns} ids=${chosen} done=${clear} /></div>`;
}

function Add({ ns }) {
  const space = useSpace();
  const first = space.kinds.find((kind) => kind.id !== 'turn' && kind.id !== 'system')?.id ?? '';
  const [form, setForm] = useState({ text: '', kind: space.info.profile === 'companion' ? 'fact' : first, importance: '', tags: '' });
  const put = (name) => (event) => setForm({ ...form, [name]: event.target.value });
  const save = async () => {
    const fields = { text: form.text.trim(), tags: form.tags.split(/[,，]/).map((tag) => tag.trim()).filter(Boolean) };
    if (form.kind) fields.kind = form.kind;
    if (form.importance !== '') fields.importance = Number(form.importance);
    await add(ns, fields);
    setForm({ ...form, text: '' });
  };
  return html`<form class="panel" onSubmit=${(event) => event.preventDefault()}>
    <label class="field"><span>${t('add-text')}</span><textarea name="text" rows="4" value=${form.text} onInput=${put('text')} placeholder=${t('add-hint')}></textarea></label>
    <div class="fields"><label class="field"><span>${t('kind')}</span><select name="kind" value=${form.kind} onChange=${put('kind')}>
        <option value="">${t('kind-by-itself')}</option>${space.kinds.filter((kind) => kind.id !== 'turn').map((kind) => html`<option value=${kind.id}>${kindLabel(space, kind.id)}</option>`)}</select></label>
      <label class="field"><span>${t('importance')}</span><input name="importance" type="number" step="any" min="0" value=${form.importance} placeholder=${t('as-profile')} onInput=${put('importance')} /></label>
      <label class="field"><span>${t('tags')}</span><input type="text" value=${form.tags} onInput=${put('tags')} /></label></div>
    <div class="actions"><${Act} class="main-action" disabled=${!form.text.trim()} run=${save}>${t('remember')}</${Act}></div></form>`;
}
