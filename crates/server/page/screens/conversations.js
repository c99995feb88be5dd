// Conversations as they were said, with what became of each turn; and, where a model is at hand, one with it.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { get, memory, put, within } from '../api.js';
import { day, moment, t, word } from '../language.js';
import { useLoad, usePages } from '../load.js';
import { Empty, Failure, Head, Listed, More, Tabs, missing } from '../pieces.js';
import { link, turn } from '../route.js';
import { Short, overHere } from '../memory.js';
import { Chat } from './chat.js';

const PAGE = 50;

export function Conversations({ ns, params, round }) {
  const tab = params.tab ?? 'said';
  return html`<${Head} title=${t('nav-conversations')} lead=${t('conversations-lead')} />
    <${Tabs} tabs=${[['said', t('tab-said')], ['chat', t('tab-chat')]]} now=${tab} label=${t('nav-conversations')} choose=${(name) => turn({ tab: name === 'said' ? '' : name })} />
    ${tab === 'chat' ? html`<${Chat} ns=${ns} params=${params} />` : html`<div class=${`split ${params.session ? 'chosen' : ''}`}>
      <div class="listing-pane"><${Sessions} ns=${ns} chosen=${params.session} round=${round} /></div>
      <div>${params.session ? html`<${Turns} key=${params.session} ns=${ns} session=${params.session} at=${params.at} round=${round} />` : html`<${Empty} title=${t('choose-conversation')} />`}</div></div>`}`;
}

function Sessions({ ns, chosen, round }) {
  const pages = usePages(async (after, signal) => {
    const { sessions } = await get(within(ns, '/sessions'), {}, signal);
    const latest = sessions.sort((a, b) => (b.last ?? '').localeCompare(a.last ?? ''));
    const shown = (after ?? 0) + PAGE;
    return { items: latest.slice(after ?? 0, shown), next: shown < latest.length ? shown : undefined, total: latest.length };
  }, [ns, round]);
  return html`<${Listed} pages=${pages} empty=${html`<${Empty} title=${t('no-conversations')}>${t('no-conversations-more')}</${Empty}>`}><ul class="listing" aria-label=${t('nav-conversations')}>${pages.items.map((session) => html`<li key=${session.name}>
      <a href=${link('conversations', { ns, session: session.name })} aria-current=${(session.name) === chosen ? 'true' : undefined}>
        <span>${session.name}</span>
        <span class="quiet small num">${t('turns-n', { n: session.turns })}${session.last ? ` · ${day(session.last)}` : ''}</span></a></li>`)}</ul>
    <${More} pages=${pages} /></${Listed}>`;
}

function Turns({ ns, session, at, round }) {
  const pages = usePages(async (after, signal) => {
    const found = await get(within(ns, '/memories'), { session, layer: 'turn', status: ['active', 'forgotten', 'archived'], order: 'oldest', limit: 100, after }, signal);
    return { items: found.memories, next: found.next, total: found.total };
  }, [ns, session, round]);
  const aim = useRef(null);
  const turns = [...pages.items].sort((a, b) => (a.turn?.position ?? 0) - (b.turn?.position ?? 0));
  const there = at !== undefined && turns.some((one) => isAt(one, at));
  useEffect(() => { aim.current?.scrollIntoView({ block: 'center' }); }, [there]);
  return html`<section class="turns" aria-label=${session}><div class="panel-head"><div><h2>${session}</h2><p class="quiet small">${turns.length > 0 && moment(turns[0].event_time)}</p></div>
      <a class="button tiny" href=${link('conversations', { ns })}>${t('all-conversations')}</a></div>
    ${pages.error && turns.length === 0 && html`<${Failure} error=${pages.error} again=${pages.again} />`}
    ${!pages.error && turns.length === 0 && (pages.loading ? html`<p class="loading" role="status">${t('loading')}</p>` : html`<${Empty} title=${t('no-turns')} />`)}
    ${turns.map((one) => html`<div class=${`turn ${isAt(one, at) ? 'aim' : ''} ${one.status}`} id=${`turn-${one.turn.position}`} key=${one.id} ref=${isAt(one, at) ? aim : null}>
      <div class="meta"><strong>${one.turn.speaker ?? word('role', one.turn.role)}</strong><span title=${moment(one.event_time)}>${new Date(one.event_time ?? one.stored_at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}</span>
        ${one.status !== 'active' && html`<span class="badge warn">${t(`status-${one.status}`)}</span>`}<a href=${overHere(one.id)}>${t('as-memory')}</a></div>
      <p class="say">${one.text}</p>${one.turn.reply && html`<p class="say answer">${one.turn.reply}</p>`}
      <${Became} ns=${ns} id=${one.id} /></div>`)}
    <${More} pages=${pages} /></section>`;
}

/** A place is a position, or the id that the conversation's own program gave to the message. */
const isAt = (one, at) => at !== undefined && (String(one.turn.position) === at || one.metadata?.turn_id === at || one.id === at);

/** What was made of a turn, once it comes into sight: most turns leave nothing, and say nothing. */
function Became({ ns, id }) {
  const box = useRef(null);
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    const watch = new IntersectionObserver(([entry]) => entry.isIntersecting && setSeen(true));
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  const state = useLoad((signal) => (seen ? get(memory(ns, id, '/derivations'), {}, signal).catch((error) => { if (missing(error)) return null; throw error; }) : null), [seen, id]);
  const into = state.data?.into ?? [];
  return html`<div class="became" ref=${box}>${state.error ? html`<p class="small quiet">${state.error.title}</p>`
    : into.length > 0 && html`<p class="small quiet">${t('what-became')}: ${into.map((one) => html`<${Short} ns=${ns} id=${one} /> `)}</p>`}</div>`;
}
