// What waits for a person: proposals, reviews, doubts, and what was decided, which can be taken back. By keyboard alone.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { get, memory, post, within } from '../api.js';
import { changed, edit } from '../deeds.js';
import { ago, clock, day, decimal, moment, number, t, word } from '../language.js';
import { useLoad, usePages } from '../load.js';
import { Act, Empty, Failure, Head, More, NotOffered, Tabs, missing, tell } from '../pieces.js';
import { link, turn } from '../route.js';
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
    read: '/fading', id: (one) => one.memory.id, load: loadFading,
    show: (one) => ({
      text: one.memory.text, kind: one.memory.kind, at: one.due_at, memory: one.memory.id,
      label: expiresThen(one) ? t('expires-on', { day: moment(one.memory.expires_at) })
        : t('score-of', { score: decimal(one.score) }),
      state: one.standing?.used > 0 && t('used-n', {
        n: one.standing.used, ago: ago(one.standing.last_access),
      }),
    }),
    stays: true,
    deeds: () => [['used', (ns, one) => post(within(ns, '/memories/used'), { ids: [one.memory.id] })]],
    told: toldUse,
    date: (one) => one.memory.expires_at && one.memory.id,
  },
  decisions: { read: '/decisions', list: (page) => page.decisions, id: (one) => one.number,
    show: (one) => ({ about: one.memories, label: `${word('question', one.question)} ${one.answer}`, note: [one.reason, one.by].filter(Boolean).join(' – '), at: one.at, state: one.undone_at ? t('taken-back') : '' }),
    fixed: (one) => !one.can_be_undone, stays: true, whole: true,
    deeds: () => [['take-back', (ns, one) => post(within(ns, `/decisions/${one.number}/undo`))]] },
};

/** Whether what is due is the date that somebody gave, and no rule of the profile. */
const expiresThen = (one) => Boolean(one.memory.expires_at)
  && Math.abs(new Date(one.due_at) - new Date(one.memory.expires_at)) < 1000;

/** The memories of one page of a namespace: so many are looked through for a date. */
const DATED = 500;

/** What fades, with how it was used. A profile without rules leaves those that expire. */
async function loadFading(ns, after, signal) {
  let found = await get(within(ns, '/fading'), { limit: PAGE, after }, signal);
  if (found.total === 0) {
    const { memories } = await get(within(ns, '/memories'), { limit: DATED }, signal);
    const dated = memories.filter((one) => one.status === 'active' && one.expires_at
      && new Date(one.expires_at) > clock());
    const due = (one) => ({ memory: one, score: one.importance, due_at: one.expires_at });
    const fading = dated.map(due)
      .sort((a, b) => new Date(a.due_at) - new Date(b.due_at));
    found = { fading, total: fading.length };
  }
  const ids = found.fading.map((one) => one.memory.id);
  const { standings } = ids.length === 0 ? { standings: [] }
    : await get(within(ns, '/standings'), { id: ids }, signal);
  const known = new Map(standings.map((one) => [one.id, one]));
  const items = found.fading.map((one) => ({ ...one, standing: known.get(one.memory.id) }));
  return { items, next: found.next, total: found.total };
}

/** What became of a memory that was said to be of use. */
async function toldUse(ns, one, { used: [use] }) {
  const { standings: [now] } = await get(within(ns, '/standings'), { id: one.memory.id });
  const figures = {
    n: now?.used ?? 1, ago: now ? ago(now.last_access) : t('just-now'),
    before: decimal(use.before), after: decimal(use.after),
  };
  const text = t(`used-${use.counted === 'Yes' ? 'counted' : 'noted'}`, figures);
  const { expires_at: until } = one.memory;
  return {
    text: until ? `${text} ${t('used-expires', { day: day(until) })}` : text,
    actions: until ? [[t('change-date'), () => turn({ m: one.memory.id, edit: 'yes' })]] : [],
  };
}

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
    if (queue.load) return queue.load(ns, after, signal);
    const found = await get(within(ns, queue.read), queue.whole ? { limit: WHOLE } : { limit: PAGE, after }, signal);
    return { items: queue.list(found) ?? [], next: found.next, total: found.total };
  }, [ns, name, round]);
  const [here, setHere] = useState(0);
  const list = useRef(null);
  const { items } = pages;
  const act = async (one, [deed, run]) => {
    const made = await run(ns, one);
    tell(queue.told ? await queue.told(ns, one, made) : { text: t(`decided-${deed}`) });
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
  if (items.length === 0) {
    return pages.loading ? html`<p class="loading" role="status">${t('loading')}</p>`
      : html`<${Nothing} ns=${ns} name=${name} />`;
  }
  const keys = queue.deeds(items[Math.min(here, items.length - 1)]);
  const [first, second] = keys.map(([deed]) => t(`deed-${deed}`));
  return html`<p class="quiet small">
      ${second ? t('review-keys', { first, second }) : t('review-keys-one', { first })}</p>
    <ul class="panel flush" ref=${list} id="queue">${items.map((one, place) => html`<li class=${`item ${place === here ? 'here' : ''}`} key=${queue.id(one)} data-place=${place}>
      ${queue.pair ? html`<${Pair} one=${one} />` : html`<${Entry} entry=${queue.show(one)} />`}
      <div class="actions">${queue.deeds(one).map((deed, number) => html`<${Act}
          class=${`tiny ${number === 0 ? 'main-action' : ''}`} data-deed=${deed[0]}
          disabled=${queue.fixed?.(one)} run=${() => act(one, deed)}>
          ${t(`deed-${deed[0]}`)}</${Act}>`)}
        ${queue.date?.(one) && html`<button class="button tiny" data-date
          onClick=${() => turn({ m: queue.date(one), edit: 'yes' })}>${t('change-date')}</button>`}
        ${queue.pair && html`<${Ends} ns=${ns} one=${one} />`}</div></li>`)}</ul>
    <${More} pages=${pages} />`;
}

function Entry({ entry }) {
  const space = useSpace();
  return html`<div class="meta">${entry.kind && html`<span class="kind">${kindLabel(space, entry.kind)}</span>`}${entry.label && html`<span class="badge accent">${entry.label}</span>`}${entry.at && html`<span title=${moment(entry.at)}>${ago(entry.at)}</span>`}${entry.state && html`<span class="badge">${entry.state}</span>`}</div>
    ${entry.text && html`<p>${entry.memory ? html`<a class="card-text" href=${overHere(entry.memory)}>${entry.text}</a>` : entry.text}</p>`}
    ${[entry.about ?? []].flat().map((id) => html`<p key=${id}><${Short} ns=${space.ns} id=${id} /></p>`)}
    ${entry.note && html`<p class="reply">${entry.note}</p>`}`;
}

/** Which of two ends when they contradict each other, and when. */
function Ends({ ns, one }) {
  const state = useLoad((signal) => get(memory(ns, one.newer), {}, signal), [ns, one.newer]);
  if (!state.data) return null;
  const at = state.data.event_time ?? state.data.stored_at;
  return html`<span class="small quiet" data-ends>
    ${t('contradicts-ends', { when: moment(at) })}</span>`;
}

/** The step of a job that fills a queue. */
const FILLED_BY = { reviews: 'rules', suspicions: 'conflicts', fading: 'rules' };

/** Why a queue is empty: nothing waits, or nobody looks; and what to do. */
function Nothing({ ns, name }) {
  const space = useSpace();
  const step = FILLED_BY[name];
  const state = useLoad((signal) => (step ? get('/v1/jobs', {}, signal) : null), [step]);
  const { profile } = space.info;
  const jobs = (state.data?.jobs ?? []).filter((job) => job.profile === profile);
  const ran = jobs.filter((job) => job.last_run && job.steps.some((one) => one.step === step));
  const last = ran.map((job) => job.last_run).sort().at(-1);
  const waits = jobs.find((job) => !job.last_run);
  let [why, action] = ['', null];
  if (name === 'proposals' && space.profile?.has_model === false) why = t('why-no-model');
  else if (step && state.data && last) why = t('why-looked', { ago: ago(last) });
  else if (step && state.data && waits) why = t('why-not-yet');
  else if (step && state.data) why = t(`why-nobody-${name}`, { profile });
  if (step && state.data && !last) {
    action = html`${waits && html`<a class="button" href=${link('work', { ns, tab: 'jobs' })}>
        ${t('work-jobs')}</a>`}
      <a class="button" href=${link('settings', { ns })}>${t('profile')}</a>`;
  }
  return html`<${Empty} title=${t(`empty-${name}`)} action=${action}>
    ${t(`empty-${name}-more`)} ${why}</${Empty}>`;
}

function Pair({ one }) {
  const half = (name, id, text) => html`<div><h3>${t(name)}</h3><p><a class="card-text" href=${overHere(id)}>${text}</a></p></div>`;
  return html`<div class="pair">${half('older-one', one.older, one.older_text)}${half('newer-one', one.newer, one.newer_text)}</div><p class="quiet small">${t('likeness', { value: decimal(one.similarity) })}</p>`;
}
