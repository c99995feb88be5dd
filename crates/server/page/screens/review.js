// What waits for a person: proposals, reviews, doubts, and what was decided, which can be taken back. By keyboard alone.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { get, memory, post, within } from '../api.js';
import { changed, edit } from '../deeds.js';
import { ago, decimal, moment, number, t, word } from '../language.js';
import { useLoad, usePages } from '../load.js';
import { Act, Empty, Failure, Head, More, NotOffered, Tabs, missing, tell } from '../pieces.js';
import { turn } from '../route.js';
import { Short, overHere } from '../memory.js';
import { kindLabel, useSpace } from '../space.js';

const PAGE = 20;
/** Decisions come without pages: the latest so many. */
const WHOLE = 200;

/** Each queue: where it is read, what an entry says, and what can be done with it; the first two deeds have the keys a and r. */
const QUEUES = {
  proposals: {
    read: '/proposals', list: (page) => page.proposals, id: (one) => one.id,
    show: (one) => ({ text: one.text, kind: one.kind, label: word('action', one.action), at: one.found_at, about: one.about }),
    deeds: () => [['accept', (ns, one) => post(within(ns, `/proposals/${one.id}/accept`))], ['reject', (ns, one) => post(within(ns, `/proposals/${one.id}/reject`))]],
  },
  reviews: {
    read: '/reviews/pending', list: (page) => page.reviews, id: (one) => `${one.memory.id} ${one.kind}`,
    show: (one) => ({ text: one.memory.text, kind: one.memory.kind, note: one.reason ?? one.error, label: `${t(`review-${one.kind}`)} · ${t('score-of', { score: decimal(one.score) })}`, at: one.memory.event_time ?? one.memory.stored_at, memory: one.memory.id }),
    deeds: (one) => (one?.kind === 'promote' ? ['promote', 'keep'] : ['keep', 'delete']).map((verdict) => [verdict, (ns, chosen) => post(within(ns, `/reviews/${chosen.memory.id}`), { kind: chosen.kind, verdict })]),
  },
  suspicions: { read: '/suspicions', list: (page) => page.suspicions, id: (one) => `${one.newer} ${one.older}`, pair: true,
    deeds: () => [['contradicts', (ns, one) => settle(ns, one, true)], ['agree', (ns, one) => settle(ns, one, false)]] },
  doubtful: {
    read: '/doubtful', list: (page) => page.memories, id: (one) => one.id,
    show: (one) => ({ text: one.text, kind: one.kind, memory: one.id, at: one.stored_at, label: t('doubt-figures', { importance: decimal(one.importance), confidence: Math.round(one.confidence * 100) }) }),
    deeds: () => [['confirm', (ns, one) => edit(ns, one.id, { verified: true, confidence: 1 })], ['forget', (ns, one) => post(memory(ns, one.id, '/forget'))]],
  },
  fading: {
    read: '/fading', list: (page) => page.fading, id: (one) => one.memory.id,
    show: (one) => ({ text: one.memory.text, kind: one.memory.kind, label: t('score-of', { score: decimal(one.score) }), at: one.due_at, memory: one.memory.id }),
    stays: true,
    deeds: () => [['used', (ns, one) => post(within(ns, '/memories/used'), { ids: [one.memory.id] })]],
  },
  decisions: { read: '/decisions', list: (page) => page.decisions, id: (one) => one.number,
    show: (one) => ({ about: one.memories, label: `${word('question', one.question)} ${one.answer}`, note: [one.reason, one.by].filter(Boolean).join(' – '), at: one.at, state: one.undone_at ? t('taken-back') : '' }),
    fixed: (one) => !one.can_be_undone, stays: true, whole: true,
    deeds: () => [['take-back', (ns, one) => post(within(ns, `/decisions/${one.number}/undo`))]] },
};

const settle = (ns, one, contradicts) => post(within(ns, '/suspicions/settle'), { newer: one.newer, older: one.older, contradicts });

/** How much waits in each queue. */
async function waiting(ns, signal) {
  const names = Object.keys(QUEUES).filter((name) => !['decisions', 'fading'].includes(name));
  const totals = await Promise.all(names.map((name) => get(within(ns, QUEUES[name].read), { limit: 1 }, signal)));
  return Object.fromEntries(names.map((name, place) => [name, totals[place].total]));
}

export function Review({ ns, params, round }) {
  const counts = useLoad((signal) => waiting(ns, signal), [ns, round]).data ?? {};
  const first = Object.keys(QUEUES).find((name) => counts[name] > 0) ?? 'proposals';
  const tab = params.tab ?? first;
  return html`<${Head} title=${t('nav-review')} lead=${t('review-lead')} />
    <${Tabs} tabs=${Object.keys(QUEUES).map((name) => [name, counts[name] > 0 ? `${t(`queue-${name}`)} (${number(counts[name])})` : t(`queue-${name}`)])} now=${tab} label=${t('nav-review')} choose=${(name) => turn({ tab: name })} />
    <${Queue} key=${tab} ns=${ns} name=${tab} queue=${QUEUES[tab] ?? QUEUES.proposals} round=${round} />`;
}

function Queue({ ns, name, queue, round }) {
  const pages = usePages(async (after, signal) => {
    const found = await get(within(ns, queue.read), queue.whole ? { limit: WHOLE } : { limit: PAGE, after }, signal);
    return { items: queue.list(found) ?? [], next: found.next, total: found.total };
  }, [ns, name, round]);
  const [here, setHere] = useState(0);
  const list = useRef(null);
  const { items } = pages;
  const act = async (one, [deed, run]) => {
    await run(ns, one);
    tell({ text: t(`decided-${deed}`) });
    if (queue.stays) pages.again();
    else pages.change((old) => ({ items: old.items.filter((other) => queue.id(other) !== queue.id(one)), total: old.total === undefined ? undefined : old.total - 1 }));
    changed();
  };
  useEffect(() => {
    const key = (event) => {
      if (event.target.closest('input, textarea, select, [role=dialog], dialog') || event.ctrlKey || event.metaKey || event.altKey) return;
      const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
      if (step) { event.preventDefault(); setHere((at) => Math.max(0, Math.min(items.length - 1, at + step))); return; }
      const one = items[Math.min(here, items.length - 1)];
      const deed = queue.deeds(one)[{ a: 0, r: 1 }[event.key]];
      if (deed && one && !queue.fixed?.(one)) act(one, deed).catch((error) => tell({ error }));
    };
    document.addEventListener('keydown', key);
    return () => document.removeEventListener('keydown', key);
  });
  useEffect(() => { list.current?.children[here]?.scrollIntoView({ block: 'nearest' }); }, [here]);
  if (pages.error && items.length === 0) return missing(pages.error) ? html`<${NotOffered} />` : html`<${Failure} error=${pages.error} again=${pages.again} />`;
  if (items.length === 0) return pages.loading ? html`<p class="loading" role="status">${t('loading')}</p>` : html`<${Empty} title=${t(`empty-${name}`)}>${t(`empty-${name}-more`)}</${Empty}>`;
  const keys = queue.deeds(items[Math.min(here, items.length - 1)]);
  return html`<p class="quiet small">${t('review-keys', { first: t(`deed-${keys[0][0]}`), second: keys[1] ? t(`deed-${keys[1][0]}`) : '–' })}</p>
    <ul class="panel flush" ref=${list} id="queue">${items.map((one, place) => html`<li class=${`item ${place === here ? 'here' : ''}`} key=${queue.id(one)} data-place=${place}>
      ${queue.pair ? html`<${Pair} one=${one} />` : html`<${Entry} entry=${queue.show(one)} />`}
      <div class="actions">${queue.deeds(one).map((deed, number) => html`<${Act} class=${`tiny ${number === 0 ? 'main-action' : ''}`} data-deed=${deed[0]} disabled=${queue.fixed?.(one)} run=${() => act(one, deed)}>${t(`deed-${deed[0]}`)}</${Act}>`)}</div></li>`)}</ul>
    <${More} pages=${pages} />`;
}

function Entry({ entry }) {
  const space = useSpace();
  return html`<div class="meta">${entry.kind && html`<span class="kind">${kindLabel(space, entry.kind)}</span>`}${entry.label && html`<span class="badge accent">${entry.label}</span>`}${entry.at && html`<span title=${moment(entry.at)}>${ago(entry.at)}</span>`}${entry.state && html`<span class="badge">${entry.state}</span>`}</div>
    ${entry.text && html`<p>${entry.memory ? html`<a class="card-text" href=${overHere(entry.memory)}>${entry.text}</a>` : entry.text}</p>`}
    ${[entry.about ?? []].flat().map((id) => html`<p key=${id}><${Short} ns=${space.ns} id=${id} /></p>`)}
    ${entry.note && html`<p class="reply">${entry.note}</p>`}`;
}

function Pair({ one }) {
  const half = (name, id, text) => html`<div><h3>${t(name)}</h3><p><a class="card-text" href=${overHere(id)}>${text}</a></p></div>`;
  return html`<div class="pair">${half('older-one', one.older, one.older_text)}${half('newer-one', one.newer, one.newer_text)}</div><p class="quiet small">${t('likeness', { value: decimal(one.similarity) })}</p>`;
}
