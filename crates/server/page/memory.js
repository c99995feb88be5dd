// One memory, over any screen: what it says, where from, since when, what became of it; edited and confirmed here.
import { html, useEffect, useRef, useState } from './vendor/preact-htm.js';
import { get, memory, remove, request, within } from './api.js';
import { DeleteButton, archive, edit, forget, restore, start } from './deeds.js';
import { diff, removed } from './diff.js';
import { ago, clock, day, decimal, has, locale, moment, t, word } from './language.js';
import { useLoad } from './load.js';
import { Act, Copy, Icon, Loaded, missing } from './pieces.js';
import { link, place, turn } from './route.js';
import { kindLabel, statusLabel, useSpace } from './space.js';
import { Life } from './life.js';
import { FactDeeds, says } from './screens/facts.js';

/** The address of a memory over the present screen. */
export const overHere = (id) => { const { screen, params } = place(); return link(screen, { ...params, m: id }); };

const close = () => turn({ m: '' });

/** A route that an older server may lack: nothing instead of an error. */
const perhaps = (work) => work.catch((error) => { if (missing(error)) return null; throw error; });

/** A memory, and the tag by which it is changed. */
async function read(ns, id, signal) {
  const response = await request('GET', memory(ns, id), { signal });
  return { found: await response.json(), tag: response.headers.get('ETag') };
}

/** The memories of these ids that are there. */
async function readAll(ns, ids, signal) {
  const gone = (error) => { if (error.status === 404) return null; throw error; };
  const all = await Promise.all(ids.map((id) => read(ns, id, signal).catch(gone)));
  return all.filter(Boolean);
}

async function load(ns, id, signal) {
  const { found, tag } = await read(ns, id, signal);
  const [history, links, derived] = await Promise.all([
    get(memory(ns, id, '/history'), {}, signal),
    perhaps(get(memory(ns, id, '/links'), {}, signal)),
    perhaps(get(memory(ns, id, '/derivations'), {}, signal)),
  ]);
  const from = [...new Set([...(derived?.from ?? []), ...found.provenance])];
  const into = derived?.into ?? [];
  // The server may know the derivations of a memory by its first text alone.
  const edited = found.revision > 1 && into.length === 0;
  const all = edited ? await derivedFrom(ns, id, signal) : into;
  return { found, tag, revisions: history.revisions, links, from, into: all };
}

/** So many memories are looked at beside one. */
const BESIDE = 30;

/** What was derived from a memory, by what would go with it. */
async function derivedFrom(ns, id, signal) {
  try {
    const receipt = await remove(memory(ns, id), { dry_run: true });
    const near = [...receipt.memories.map((entry) => entry.id), ...receipt.stale];
    const others = [...new Set(near)].filter((other) => other !== id).slice(0, BESIDE);
    const read = await readAll(ns, others, signal);
    return read.filter((one) => one.found.provenance.includes(id)).map((one) => one.found.id);
  } catch {
    // One without the right to delete sees what the server tells it.
    return [];
  }
}

/** What memories said before they were corrected here, until one is done with that. */
const corrections = new Map();
const correctionOf = (ns, found) => {
  const known = corrections.get(`${ns} ${found.id}`);
  return known?.after === found.text ? known : null;
};

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
      <${Loaded} state=${state}>${(data) => html`<${Whole} key=${data.tag} ns=${ns} ...${data}
        round=${round} draw=${() => setRound((number) => number + 1)} />`}</${Loaded}>
    </aside>`;
}

/** Whether a memory held until a moment that is past. */
export const isOver = (found) => Boolean(found.valid_until)
  && new Date(found.valid_until) < clock();

/** What became of a memory: replaced, or no longer true. */
export function Over({ found, newer }) {
  if (found.superseded_by || newer) return html`<span class="badge warn">${t('replaced')}</span>`;
  if (!isOver(found)) return null;
  return html`<span class="badge warn" title=${moment(found.valid_until)}>
    ${t('over-since', { day: day(found.valid_until) })}</span>`;
}

function Whole({ ns, found, tag, revisions, links, from, into, round, draw }) {
  const space = useSpace();
  const [editing, setEditing] = useState(() => place().params.edit === 'yes');
  const done = () => { setEditing(false); if (place().params.edit) turn({ edit: '' }, true); };
  const correction = correctionOf(ns, found);
  const away = found.status === 'forgotten' || found.status === 'archived';
  return html`
    ${found.superseded_by && html`<div class="note warn"><p>${t('replaced-note')}</p><a class="button tiny" href=${overHere(found.superseded_by)}>${t('show-newer')}</a></div>`}
    ${editing ? html`<${Edit} ns=${ns} found=${found} tag=${tag} close=${done} />` : html`
      <div class=${`panel ${found.status === 'forgotten' ? 'forgotten' : ''}`}>
        <div class="meta"><span class="kind">${kindLabel(space, found.kind)}</span><span title=${moment(found.stored_at)}>${ago(found.event_time ?? found.stored_at)}</span>
          ${found.status !== 'active' && html`<span class="badge warn">${statusLabel(found.status)}</span>`}
          ${found.verified && html`<span class="badge good">${t('confirmed')}</span>`}
          <${Over} found=${found} /></div>
        <p class="big-text" id="memory-text">${found.text}</p>
        ${found.turn?.reply && html`<p class="reply">${found.turn.reply}</p>`}
        <div class="actions">
          <button class="button" onClick=${() => setEditing(true)}>${t('edit')}</button>
          <${Act} disabled=${found.verified}
            run=${() => edit(ns, found.id, { verified: true }, tag)}>
            ${t(found.verified ? 'confirmed-done' : 'confirm')}</${Act}>
          ${away ? html`<${Act} run=${() => restore(ns, [found.id])}>${t('restore')}</${Act}>` : html`
            <${Act} run=${() => forget(ns, [found.id])}>${t('forget')}</${Act}><${Act} run=${() => archive(ns, [found.id])}>${t('archive')}</${Act}>`}
          <${DeleteButton} class="danger" ns=${ns} ids=${[found.id]} done=${close} />
          <${Copy} text=${found.text} /></div>
      </div>`}
    ${correction && html`<${Still} ns=${ns} found=${found} from=${from} into=${into}
      correction=${correction} round=${round}
      close=${() => { corrections.delete(`${ns} ${found.id}`); draw(); }} />`}
    <${Details} ns=${ns} found=${found} />
    <${Life} ns=${ns} id=${found.id} />
    <p><a class="button tiny" href=${link('injected', { ns, memory: found.id })}>${t('prompts-with-it')}</a></p>
    <${Relations} found=${found} links=${links} from=${from} into=${into} ns=${ns} />
    <${History} revisions=${revisions} />`;
}

/** The memories and facts around a corrected one, and whether they say its old words. */
async function around(ns, found, from, into, correction, signal) {
  const cut = removed(correction.before, correction.after, locale());
  const says = (text) => cut.length === 0 || cut.some((word) => text.toLowerCase().includes(word));
  const beside = await Promise.all(from.slice(0, BESIDE).map(async (source) => {
    const told = await perhaps(get(memory(ns, source, '/derivations'), {}, signal));
    return told?.into ?? [];
  }).map((work) => work.catch(() => [])));
  const groups = [['source', from], ['derived', into], ['sibling', beside.flat()]];
  const ways = new Map();
  for (const [way, ids] of groups) {
    for (const id of ids) if (id !== found.id && !ways.has(id)) ways.set(id, way);
  }
  const read = await readAll(ns, [...ways.keys()].slice(0, BESIDE), signal);
  const near = read.map((one) => ({ ...one, way: ways.get(one.found.id) }))
    .filter((one) => one.found.status === 'active' && !isOver(one.found));
  const old = near.filter((one) => says(one.found.text));
  const others = near.filter((one) => !old.includes(one) && one.way !== 'sibling');
  const family = new Set([found.id, ...ways.keys()]);
  return { cut, old, others, facts: await factsOf(ns, says, family, signal) };
}

/** So many facts are looked through. */
const FACTS = 2000;
const FACTS_A_PAGE = 500;

/** The facts that say the old words, and that a memory of the family says. */
async function factsOf(ns, says, family, signal) {
  let [all, after] = [[], undefined];
  do {
    const page = await perhaps(get(within(ns, '/triples'), { limit: FACTS_A_PAGE, after }, signal));
    all = [...all, ...(page?.triples ?? [])];
    after = page?.next;
  } while (after !== undefined && after !== null && all.length < FACTS);
  const wordsOf = (fact) => [fact.subject, fact.predicate, fact.object].join(' ');
  const near = all.filter((fact) => says(wordsOf(fact))).slice(0, BESIDE);
  const path = (fact) => within(ns, `/triples/${encodeURIComponent(fact.id)}`);
  const told = await Promise.all(near.map((fact) => get(path(fact), {}, signal)));
  return told.filter((one) => one.evidence.some((words) => family.has(words.memory)));
}

/** What still says the old words after a correction, to be corrected in the same place. */
function Still({ ns, found, from, into, correction, round, close }) {
  // What was derived stays in sight when it is edited, or this memory is stored anew.
  const below = [...new Set([...into, ...(correction.into ?? [])])];
  correction.into = below;
  const state = useLoad((signal) => around(ns, found, from, below, correction, signal),
    [ns, found.id, correction.after, round]);
  const renewed = (stored) => {
    corrections.set(`${ns} ${stored.id}`, { ...correction });
    turn({ m: stored.id });
  };
  const box = useRef(null);
  useEffect(() => { if (state.data) box.current?.scrollIntoView({ block: 'nearest' }); },
    [Boolean(state.data)]);
  const none = ({ old, facts }) => old.length + facts.length === 0;
  const had = useRef(false);
  if (state.data && !(none(state.data) && state.data.others.length === 0)) had.current = true;
  if (!had.current && !state.error) return null;
  const item = (cut) => (one) => html`<${StillSays} key=${`${one.found.id} ${one.found.revision}`}
    ns=${ns} one=${one} cut=${cut} />`;
  return html`<section class="panel still" id="still" ref=${box} aria-labelledby="still-title">
    <div class="panel-head"><h2 id="still-title">${t('still')}</h2>
      <button class="button tiny" onClick=${close}>${t('done')}</button></div>
    <p class="quiet small">${t('still-lead', { before: start(correction.before, 90) })}</p>
    <${Loaded} state=${state}>${(all) => html`
      ${none(all) && html`<p role="status" id="still-none">${t('still-none')}</p>`}
      <ul class="rows tall">${all.old.map(item(all.cut))}
        ${all.facts.map((one) => html`<li key=${one.triple.id} data-fact=${one.triple.id}>
          <p><span class="badge">${t('fact')}</span> ${mark(says(one.triple), all.cut)}</p>
          <${FactDeeds} ns=${ns} triple=${one.triple} corrected=${found.id}
            renewed=${renewed} /></li>`)}</ul>
      ${all.others.length > 0 && html`<details><summary class="small">
        ${t('still-others', { n: all.others.length })}</summary>
        <ul class="rows tall">${all.others.map(item([]))}</ul></details>`}`}</${Loaded}></section>`;
}

/** A text with some words marked. */
function mark(text, cut) {
  if (cut.length === 0) return text;
  const plain = cut.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return text.split(new RegExp(`(${plain.join('|')})`, 'gi'))
    .map((piece, place) => (place % 2 === 1 ? html`<mark>${piece}</mark>` : piece));
}

/** A memory beside a corrected one: opened, corrected or forgotten where it stands. */
function StillSays({ ns, one, cut }) {
  const { found, tag, way } = one;
  const [text, setText] = useState(null);
  const save = async () => {
    if (text.trim() !== found.text) await edit(ns, found.id, { text: text.trim() }, tag);
    setText(null);
  };
  const type = (event) => setText(event.target.value);
  return html`<li data-still=${found.id}>
    <p><span class="badge">${t(`still-${way}`)}</span> ${text === null && mark(found.text, cut)}</p>
    ${text !== null && html`<textarea rows="3" aria-label=${t('text')} value=${text}
      onInput=${type}></textarea>`}
    <div class="actions">${text === null ? html`
      <button class="button tiny" onClick=${() => setText(found.text)}>${t('edit')}</button>
      <${Act} class="tiny" run=${() => forget(ns, [found.id])}>${t('forget')}</${Act}>
      <a class="button tiny bare" href=${overHere(found.id)}>${t('open')}</a>` : html`
      <${Act} class="tiny main-action" disabled=${!text.trim()} run=${save}>${t('save')}</${Act}>
      <button class="button tiny" onClick=${() => setText(null)}>${t('cancel')}</button>`}
    </div></li>`;
}

/** A moment as the field of a form has it. */
const field = (text) => (text ? new Date(new Date(text).getTime() - new Date(text).getTimezoneOffset() * 60e3).toISOString().slice(0, 16) : '');

/** The moments of a memory that are edited. */
const MOMENTS = ['valid_from', 'valid_until', 'expires_at'];

function Edit({ ns, found, tag, close: done }) {
  const space = useSpace();
  const [form, setForm] = useState({
    text: found.text, kind: found.kind, importance: found.importance, tags: found.tags.join(', '),
    ...Object.fromEntries(MOMENTS.map((name) => [name, field(found[name])])),
  });
  const put = (name) => (event) => setForm({ ...form, [name]: event.target.value });
  const save = async () => {
    const changes = {};
    if (form.text !== found.text) changes.text = form.text;
    if (form.kind !== found.kind) changes.kind = form.kind;
    if (Number(form.importance) !== found.importance) changes.importance = Number(form.importance);
    for (const name of MOMENTS) {
      if (form[name] === field(found[name])) continue;
      changes[name] = form[name] ? new Date(form[name]).toISOString() : null;
    }
    const tags = form.tags.split(/[,，]/).map((tag) => tag.trim()).filter(Boolean);
    if (tags.join() !== found.tags.join()) changes.tags = tags;
    if (changes.text !== undefined) {
      // Of several corrections in a row the first says what it was.
      const before = correctionOf(ns, found)?.before ?? found.text;
      corrections.set(`${ns} ${found.id}`, { before, after: changes.text });
    }
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
      <label class="field"><span>${t('expires')}</span><input type="datetime-local" name="expires"
        value=${form.expires_at} onInput=${put('expires_at')} /></label>
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

/** What a link says, seen from this memory: one that comes in is told the other way round. */
function relationFrom(found, { to, relation }) {
  if (to !== found.id) return word('relation', relation);
  return has(`relation-in-${relation}`) ? t(`relation-in-${relation}`)
    : `← ${word('relation', relation)}`;
}

function Relations({ ns, found, links, from, into }) {
  const groups = [
    [t('derived-from'), from.map((id) => ({ id }))],
    [t('derived-into'), into.map((id) => ({ id }))],
    [t('took-place-of'), found.supersedes ? [{ id: found.supersedes }] : []],
    [t('links'), (links?.links ?? []).map((one) => ({
      id: one.to === found.id ? one.from : one.to, relation: relationFrom(found, one),
    }))],
  ].filter(([, all]) => all.length > 0);
  if (groups.length === 0) return null;
  const one = ({ id, relation }) => html`<li key=${id}>
    ${relation && html`<span class="badge">${relation}</span> `}
    <${Short} ns=${ns} id=${id} /></li>`;
  return html`<section class="panel" id="relations"><h2>${t('relations')}</h2>
    ${groups.map(([name, all]) => html`<div><h3>${name}</h3>
    <ul class="listing">${all.slice(0, 20).map(one)}</ul>
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
