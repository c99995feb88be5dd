// One memory, over any screen: what it says, where from, since when, what became of it; edited and confirmed here.
import { html, useEffect, useRef, useState } from './vendor/preact-htm.js';
import { get, memory, request } from './api.js';
import { DeleteButton, archive, edit, forget, restore, start } from './deeds.js';
import { diff } from './diff.js';
import { ago, decimal, locale, moment, t, word } from './language.js';
import { useLoad } from './load.js';
import { Act, Copy, Icon, Loaded, missing } from './pieces.js';
import { link, place, turn } from './route.js';
import { kindLabel, statusLabel, useSpace } from './space.js';
import { Life } from './life.js';

/** The address of a memory over the present screen. */
export const overHere = (id) => { const { screen, params } = place(); return link(screen, { ...params, m: id }); };

const close = () => turn({ m: '' });

/** A route that an older server may lack: nothing instead of an error. */
const perhaps = (work) => work.catch((error) => { if (missing(error)) return null; throw error; });

async function load(ns, id, signal) {
  const response = await request('GET', memory(ns, id), { signal });
  const found = await response.json();
  const [history, links, derived] = await Promise.all([
    get(memory(ns, id, '/history'), {}, signal),
    perhaps(get(memory(ns, id, '/links'), {}, signal)),
    perhaps(get(memory(ns, id, '/derivations'), {}, signal)),
  ]);
  return { found, tag: response.headers.get('ETag'), revisions: history.revisions, links, derived };
}

export function Drawer({ ns, id }) {
  const box = useRef(null);
  const [round, setRound] = useState(0);
  const state = useLoad((signal) => load(ns, id, signal), [ns, id, round]);
  useEffect(() => {
    const before = document.activeElement;
    box.current.focus();
    const key = (event) => { if (event.key === 'Escape' && !document.querySelector('dialog[open]')) close(); };
    const again = () => setRound((number) => number + 1);
    document.addEventListener('keydown', key);
    window.addEventListener('annals-changed', again);
    return () => { document.removeEventListener('keydown', key); window.removeEventListener('annals-changed', again); before?.focus?.(); };
  }, []);
  return html`<div class="drawer-veil" onClick=${close}></div>
    <aside class="drawer" ref=${box} tabindex="-1" role="dialog" aria-modal="true" aria-labelledby="drawer-title">
      <div class="drawer-head"><h2 id="drawer-title">${t('one-memory')}</h2>
        <button class="button bare icon" aria-label=${t('close')} onClick=${close}><${Icon} name="close" /></button></div>
      <${Loaded} state=${state}>${(data) => html`<${Whole} key=${data.tag} ns=${ns} ...${data} />`}</${Loaded}>
    </aside>`;
}

function Whole({ ns, found, tag, revisions, links, derived }) {
  const space = useSpace();
  const [editing, setEditing] = useState(false);
  const away = found.status === 'forgotten' || found.status === 'archived';
  return html`
    ${found.superseded_by && html`<div class="note warn"><p>${t('replaced-note')}</p><a class="button tiny" href=${overHere(found.superseded_by)}>${t('show-newer')}</a></div>`}
    ${editing ? html`<${Edit} ns=${ns} found=${found} tag=${tag} close=${() => setEditing(false)} />` : html`
      <div class=${`panel ${found.status === 'forgotten' ? 'forgotten' : ''}`}>
        <div class="meta"><span class="kind">${kindLabel(space, found.kind)}</span><span title=${moment(found.stored_at)}>${ago(found.event_time ?? found.stored_at)}</span>
          ${found.status !== 'active' && html`<span class="badge warn">${statusLabel(found.status)}</span>`}
          ${found.verified && html`<span class="badge good">${t('confirmed')}</span>`}</div>
        <p class="big-text" id="memory-text">${found.text}</p>
        ${found.turn?.reply && html`<p class="reply">${found.turn.reply}</p>`}
        <div class="actions">
          <button class="button" onClick=${() => setEditing(true)}>${t('edit')}</button>
          ${!found.verified && html`<${Act} run=${() => edit(ns, found.id, { verified: true }, tag)}>${t('confirm')}</${Act}>`}
          ${away ? html`<${Act} run=${() => restore(ns, [found.id])}>${t('restore')}</${Act}>` : html`
            <${Act} run=${() => forget(ns, [found.id])}>${t('forget')}</${Act}><${Act} run=${() => archive(ns, [found.id])}>${t('archive')}</${Act}>`}
          <${DeleteButton} class="danger" ns=${ns} ids=${[found.id]} done=${close} />
          <${Copy} text=${found.text} /></div>
      </div>`}
    <${Details} ns=${ns} found=${found} />
    <${Life} ns=${ns} id=${found.id} />
    <p><a class="button tiny" href=${link('injected', { ns, memory: found.id })}>${t('prompts-with-it')}</a></p>
    <${Relations} found=${found} links=${links} derived=${derived} ns=${ns} />
    <${History} revisions=${revisions} />`;
}

/** A moment as the field of a form has it. */
const field = (text) => (text ? new Date(new Date(text).getTime() - new Date(text).getTimezoneOffset() * 60e3).toISOString().slice(0, 16) : '');

function Edit({ ns, found, tag, close: done }) {
  const space = useSpace();
  const [form, setForm] = useState({ text: found.text, kind: found.kind, importance: found.importance, valid_from: field(found.valid_from), valid_until: field(found.valid_until), tags: found.tags.join(', ') });
  const put = (name) => (event) => setForm({ ...form, [name]: event.target.value });
  const save = async () => {
    const changes = {};
    if (form.text !== found.text) changes.text = form.text;
    if (form.kind !== found.kind) changes.kind = form.kind;
    if (Number(form.importance) !== found.importance) changes.importance = Number(form.importance);
    for (const name of ['valid_from', 'valid_until']) if (form[name] !== field(found[name])) changes[name] = form[name] ? new Date(form[name]).toISOString() : null;
    const tags = form.tags.split(/[,，]/).map((tag) => tag.trim()).filter(Boolean);
    if (tags.join() !== found.tags.join()) changes.tags = tags;
    if (Object.keys(changes).length > 0) await edit(ns, found.id, changes, tag);
    done();
  };
  const kinds = space.kinds.some((kind) => kind.id === found.kind) ? space.kinds : [...space.kinds, { id: found.kind }];
  return html`<form class="panel" onSubmit=${(event) => event.preventDefault()}>
    <label class="field"><span>${t('text')}</span><textarea name="text" rows="5" value=${form.text} onInput=${put('text')}></textarea></label>
    <div class="fields">
      <label class="field"><span>${t('kind')}</span><select value=${form.kind} onChange=${put('kind')}>${kinds.map((kind) => html`<option value=${kind.id}>${kindLabel(space, kind.id)}</option>`)}</select></label>
      <label class="field"><span>${t('importance')}</span><input type="number" step="any" min="0" value=${form.importance} onInput=${put('importance')} /></label>
      <label class="field"><span>${t('true-from')}</span><input type="datetime-local" value=${form.valid_from} onInput=${put('valid_from')} /></label>
      <label class="field"><span>${t('true-until')}</span><input type="datetime-local" value=${form.valid_until} onInput=${put('valid_until')} /></label>
      <label class="field"><span>${t('tags')}</span><input type="text" value=${form.tags} onInput=${put('tags')} /></label></div>
    <p class="quiet small">${t('edit-hint')}</p>
    <div class="actions"><${Act} class="main-action" run=${save}>${t('save')}</${Act}><button type="button" class="button" onClick=${done}>${t('cancel')}</button>
      <${DeleteButton} class="danger" ns=${ns} ids=${[found.id]} done=${close} /></div></form>`;
}

/** The turn that a memory was said in: its own, or that of what it was derived from. */
export function sourceLink(ns, found) {
  const meta = found.metadata ?? {};
  const session = found.turn?.session ?? meta.source_conversation ?? meta.sourceConversationId;
  const at = found.turn?.position ?? meta.source_message ?? meta.sourceMessageId;
  return session ? link('conversations', { ns, session, at }) : null;
}

function Details({ ns, found }) {
  const from = sourceLink(ns, found);
  const turnOf = found.turn;
  const rows = [
    from && [t('said-in'), html`<a data-source href=${from}>${turnOf ? t('conversation-turn', { session: turnOf.session, n: turnOf.position + 1 }) : t('conversation')}</a>${turnOf?.speaker ? ` · ${turnOf.speaker}` : ''}`],
    found.source && [t('source'), word('source', found.source)],
    found.event_time && [t('happened'), moment(found.event_time)],
    (found.valid_from || found.valid_until) && [t('valid'), t('span', { from: moment(found.valid_from) || '…', until: moment(found.valid_until) || '…' })],
    [t('stored'), moment(found.stored_at)],
    found.expires_at && [t('expires'), moment(found.expires_at)],
    [t('importance'), decimal(found.importance)],
    [t('confidence'), `${Math.round(found.confidence * 100)} %`],
    [t('layer'), word('layer', found.layer)],
    found.tags.length > 0 && [t('tags'), html`<span class="chips">${found.tags.map((tag) => html`<span class="badge">${tag}</span>`)}</span>`],
    (found.named_times?.length ?? 0) > 0 && [t('names-time'), found.named_times.map((span) => t('span', { from: moment(span.start), until: moment(span.end) })).join('; ')],
    ...Object.entries(found.metadata ?? {}).map(([key, value]) => [key, html`<span class="mono">${typeof value === 'string' ? value : JSON.stringify(value)}</span>`]),
    ['id', html`<span class="mono">${found.id}</span>`],
  ].filter(Boolean);
  return html`<section class="panel" aria-label=${t('details')}><h2>${t('details')}</h2><dl class="facts">${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></section>`;
}

/** The beginning of a memory, as a link to it. */
export function Short({ ns, id }) {
  const state = useLoad((signal) => get(memory(ns, id), {}, signal), [ns, id]);
  const text = state.data ? start(state.data.text, 140) : state.error ? t('gone') : '…';
  return html`<a href=${overHere(id)}>${text}</a>`;
}

function Relations({ ns, found, links, derived }) {
  const from = derived?.from ?? found.provenance ?? [];
  const groups = [
    [t('derived-from'), from.map((id) => ({ id }))],
    [t('derived-into'), (derived?.into ?? []).map((id) => ({ id }))],
    [t('took-place-of'), found.supersedes ? [{ id: found.supersedes }] : []],
    [t('links'), (links?.links ?? []).map((one) => ({ id: one.to === found.id ? one.from : one.to, relation: one.relation }))],
  ].filter(([, all]) => all.length > 0);
  if (groups.length === 0) return null;
  return html`<section class="panel"><h2>${t('relations')}</h2>${groups.map(([name, all]) => html`<div><h3>${name}</h3><ul class="listing">
    ${all.slice(0, 20).map(({ id, relation }) => html`<li key=${id}>${relation && html`<span class="badge">${word('relation', relation)}</span> `}<${Short} ns=${ns} id=${id} /></li>`)}</ul>
    ${all.length > 20 && html`<p class="quiet small">${t('and-more', { n: all.length - 20 })}</p>`}</div>`)}
    <a class="button" href=${link('graph', { ns, memory: found.id })}>${t('show-in-graph')}</a></section>`;
}

function History({ revisions }) {
  if (revisions.length < 2) return null;
  const newest = [...revisions].reverse();
  return html`<section class="panel"><h2>${t('history')}</h2><ol class="timeline" id="history">${newest.map((revision, place) => {
    const before = newest[place + 1]?.memory.text;
    return html`<li key=${revision.memory.revision}><span class="quiet small">${moment(revision.memory.stored_at)} · ${t(place === 0 ? 'text-now' : 'text-earlier')}</span>
      <p>${before === undefined ? revision.memory.text : diff(before, revision.memory.text, locale()).map(([sign, words]) =>
        sign === 1 ? html`<ins>${words}</ins>` : sign === -1 ? html`<del>${words}</del>` : words)}</p></li>`;
  })}</ol></section>`;
}
