// What a person does with memories: each deed says what it did, and how it is taken back.
import { html, useState } from './vendor/preact-htm.js';
import { call, memory, post, remove, within } from './api.js';
import { collection } from './collection.js';
import { t } from './language.js';
import { Act, Dialog, missing, tell } from './pieces.js';
import { turn } from './route.js';

/** Tells all lists that memories have changed, in other tabs, too. */
const channel = 'BroadcastChannel' in window ? new BroadcastChannel('annals') : null;
export function changed(tellOthers = true) {
  if (tellOthers) channel?.postMessage('changed');
  window.dispatchEvent(new Event('annals-changed'));
}
if (channel) channel.onmessage = () => window.dispatchEvent(new Event('annals-changed'));

/** What this page stored itself: its own events tell it nothing. */
const own = new Set();
export const isOwn = (id) => own.has(id);

const DEEDS = {
  forget: (ns, id) => collection(ns).remove(id),
  restore: (ns, id) => collection(ns).restore(id),
  archive: (ns, id) => post(memory(ns, id, '/archive')),
};

/** Does the same to each; stops at the first that fails. */
async function each(ns, ids, deed) {
  const done = await bulk(ns, deed, ids, false);
  if (done) return;
  for (const id of ids) await DEEDS[deed](ns, id);
}

/** One call for many, where the server has it. */
let hasBulk = true;
async function bulk(ns, action, ids, dryRun) {
  if (!hasBulk || ids.length < 2) return null;
  try {
    return await post(within(ns, '/bulk'), { action, ids, dry_run: dryRun });
  } catch (error) {
    if (!missing(error)) throw error;
    hasBulk = false;
    return null;
  }
}

async function set(ns, ids, deed, back) {
  await each(ns, ids, deed);
  changed();
  const undo = async () => {
    await each(ns, ids, back);
    changed();
    tell({ text: t('undone') });
  };
  tell({ text: t(`${deed}-done`, { n: ids.length }), actions: back ? [[t('undo'), undo]] : [] });
}

export const forget = (ns, ids) => set(ns, ids, 'forget', 'restore');
export const archive = (ns, ids) => set(ns, ids, 'archive', 'restore');
export const restore = (ns, ids) => set(ns, ids, 'restore', 'forget');

/** Takes back the last change of a memory. */
export async function undo(ns, id) {
  const undone = await post(memory(ns, id, '/undo'));
  changed();
  tell({ text: t(`undone-${undone.change}`) });
  return undone;
}

/** Stores a memory; the notice says what is remembered, shows it, and takes it back. */
export async function add(ns, fields) {
  const { memory: stored, admission } = await post(within(ns, '/memories'), fields);
  remembered(ns, stored, admission);
  changed();
  return stored;
}

/** The notice of a memory that was stored. */
export function remembered(ns, stored, admission = 'new') {
  own.add(stored.id);
  if (admission === 'known') {
    tell({ text: t('known-already', { text: start(stored.text) }), actions: [[t('view'), () => turn({ m: stored.id })]] });
    return;
  }
  tell({
    text: t('remembered', { text: start(stored.text, 80) }),
    actions: [[t('view'), () => turn({ m: stored.id })], [t('undo'), () => undo(ns, stored.id)]],
  });
}

export const start = (text, length = 60) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

/** What goes with these memories: one receipt of them all. */
export async function preview(ns, ids) {
  const whole = await bulk(ns, 'delete', ids, true);
  if (whole) return whole.receipt ?? whole;
  const seen = new Map();
  const sum = { rows: 0, text_bytes: 0, triples: 0, sleeping_triples: 0, entities: 0, links: 0, stale: [], shortened: [], revived: [], twins: [] };
  for (const id of ids) {
    const one = await remove(memory(ns, id), { dry_run: true });
    one.memories.forEach((entry) => seen.set(entry.id, entry));
    for (const key of Object.keys(sum)) sum[key] = Array.isArray(sum[key]) ? [...new Set([...sum[key], ...one[key]])] : sum[key] + one[key];
  }
  return { ...sum, memories: [...seen.values()], asked: ids.length, dry_run: true };
}

async function destroy(ns, ids) {
  if (await bulk(ns, 'delete', ids, false)) return;
  for (const id of ids) {
    // One that went with another is gone already.
    try { await remove(memory(ns, id)); } catch (error) { if (error.code !== 'no-memory') throw error; }
  }
}

function Consequences({ receipt }) {
  const lines = [
    ['goes-stale', receipt.stale.length], ['goes-shortened', receipt.shortened.length], ['goes-revived', receipt.revived.length],
    ['goes-triples', receipt.triples], ['goes-entities', receipt.entities], ['goes-links', receipt.links], ['goes-twins', receipt.twins.length],
  ].filter(([, n]) => n > 0);
  if (lines.length === 0) return null;
  return html`<ul class="small quiet">${lines.map(([name, n]) => html`<li>${t(name, { n })}</li>`)}</ul>`;
}

/** Asks before memories go for good, and shows what goes with them. */
export function DeleteDialog({ ns, ids, receipt, close, done }) {
  const also = receipt.memories.length - receipt.asked;
  const kept = ids.length - Math.min(ids.length, receipt.asked);
  const act = async () => {
    await destroy(ns, ids);
    changed();
    close();
    tell({ text: t('deleted-done', { n: receipt.memories.length }) });
    done?.();
  };
  // All that is listed, not only what was asked for: what was derived says the same.
  const soft = async () => {
    close();
    await forget(ns, hidden.length > 0 ? hidden : ids);
    done?.();
  };
  const hidden = receipt.memories.filter((entry) => entry.status !== 'forgotten')
    .map((entry) => entry.id);
  return html`<${Dialog} title=${t('delete-title', { n: receipt.memories.length })} close=${close}>
    <p>${t('delete-lead')}${also > 0 ? ` ${t('delete-also', { n: also })}` : ''}${kept > 0 ? ` ${t('delete-kept', { n: kept })}` : ''}</p>
    <ul class="goes" tabindex="0" aria-label=${t('what-goes')}>${receipt.memories.slice(0, 200).map((entry) => html`<li key=${entry.id}>${entry.text_start || entry.id}</li>`)}</ul>
    <${Consequences} receipt=${receipt} />
    <div class="actions"><button class="button" onClick=${close}>${t('cancel')}</button>
      <${Act} run=${soft}>${hidden.length > 1 ? t('forget-all-instead', { n: hidden.length })
        : t('forget-instead')}</${Act}>
      <${Act} class="danger main-action" data-confirm="delete" run=${act}>${t('delete-for-good')}</${Act}></div>
  </${Dialog}>`;
}

/** A button "delete" for these memories, with its dialog. */
export function DeleteButton({ ns, ids, done, children, ...rest }) {
  const [receipt, setReceipt] = useState(null);
  return html`<${Act} ...${rest} run=${async () => setReceipt(await preview(ns, ids))}>${children ?? t('delete')}</${Act}>
    ${receipt && html`<${DeleteDialog} ns=${ns} ids=${ids} receipt=${receipt} done=${done} close=${() => setReceipt(null)} />`}`;
}

/** Ends what memories say at a moment: the facts that they alone say end with them. */
export async function end(ns, ids, at) {
  for (const id of ids) await call('PATCH', memory(ns, id), { body: { valid_until: at } });
  changed();
  const back = async () => {
    for (const id of ids) await post(memory(ns, id, '/undo'));
    changed();
    tell({ text: t('undone') });
  };
  tell({ text: t('end-done', { n: ids.length }), actions: [[t('undo'), back]] });
}

/** What of a memory is given to one that takes its place. */
const KEPT = ['text', 'kind', 'layer', 'importance', 'confidence', 'verified', 'source', 'tags',
  'metadata', 'provenance', 'event_time', 'expires_at', 'valid_from', 'valid_until'];

/** Stores a corrected memory as a new one and forgets the old: the facts of its old words go. */
export async function anew(ns, found) {
  const fields = Object.fromEntries(KEPT.filter((name) => found[name] !== undefined)
    .map((name) => [name, found[name]]));
  await collection(ns).remove(found.id);
  let stored;
  try {
    stored = (await post(within(ns, '/memories'), fields)).memory;
  } catch (error) {
    await collection(ns).restore(found.id);
    throw error;
  }
  own.add(stored.id);
  changed();
  const back = async () => {
    await post(memory(ns, stored.id, '/undo'));
    await collection(ns).restore(found.id);
    changed();
    turn({ m: found.id });
    tell({ text: t('undone') });
  };
  tell({ text: t('anew-done'), actions: [[t('undo'), back]] });
  return stored;
}

/** Changes fields of a memory as it was read. */
export async function edit(ns, id, changes, tag) {
  const headers = tag ? { 'If-Match': tag } : {};
  const after = await call('PATCH', memory(ns, id), { body: changes, headers });
  changed();
  tell({ text: t('saved'), actions: [[t('undo'), () => undo(ns, after.id)]] });
  return after;
}
