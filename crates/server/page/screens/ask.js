// A question: what is recalled and why, why something is not, and what a prompt gets.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { get, memory, post, within } from '../api.js';
import { Card, Reasons, Strip, strongest } from '../card.js';
import { start } from '../deeds.js';
import { day as dayOf, decimal, t } from '../language.js';
import { useLoad } from '../load.js';
import { Copy, Empty, Failure, Head, Loaded, Search, Tabs } from '../pieces.js';
import { turn } from '../route.js';
import { Short, overHere } from '../memory.js';
import { useSpace } from '../space.js';
import { WeightTrial, tried } from './weights.js';

export function Ask({ ns, params, round }) {
  const tab = params.tab ?? 'recall';
  const [text, setText] = useState(params.q ?? '');
  const [day, setDay] = useState(params.as_of ?? '');
  // Another question may come by a link, or by going back.
  useEffect(() => { setText(params.q ?? ''); setDay(params.as_of ?? ''); }, [params.q, params.as_of]);
  const send = (event) => { event.preventDefault(); turn({ q: text.trim(), as_of: day, why: '' }); };
  return html`<${Head} title=${t('nav-ask')} lead=${t('ask-lead')} />
    <form class="panel" onSubmit=${send}><div class="filterline">
        <${Search} value=${text} change=${setText} label=${t('question')} hint=${t('question-hint')} />
        <label class="check" title=${t('as-of-more')}><span class="label">${t('as-of')}</span><input type="date" value=${day} onInput=${(event) => setDay(event.target.value)} /></label>
        <button class="button main-action">${t('ask')}</button></div></form>
    ${!params.q ? html`<${Empty} title=${t('ask-empty')}>${t('ask-empty-more')}</${Empty}>` : html`
      <${Tabs} tabs=${[['recall', t('tab-recall')], ['prompt', t('tab-prompt')]]} now=${tab} label=${t('nav-ask')} choose=${(name) => turn({ tab: name === 'recall' ? '' : name })} />
      ${tab === 'recall' ? html`<${WeightTrial} params=${params} /><${Recall} ns=${ns} params=${params} round=${round} />` : html`<${Prompt} ns=${ns} params=${params} />`}`}`;
}

/** The hits that are asked for. */
const HITS = 20;

/** The end of a day, as the server wants it. */
const end = (day) => (day ? new Date(`${day}T23:59:59`).toISOString() : undefined);

function Recall({ ns, params, round }) {
  const space = useSpace();
  const weights = tried(space, params.w);
  const ask = (body, signal) => post(within(ns, '/memories/search'), { query: params.q, top_k: HITS, as_of: end(params.as_of), ...body }, { signal });
  const state = useLoad(async (signal) => {
    const both = [ask({ weights }, signal), weights && ask({}, signal)];
    const [answer, plain] = await Promise.all(both);
    return { ...answer, before: plain && new Map(plain.hits.map((hit, place) => [hit.memory.id, place + 1])) };
  }, [ns, params.q, params.as_of, params.w, round]);
  return html`<${Loaded} state=${state}>${(answer) => html`
    <${Verdict} answer=${answer} day=${params.as_of} />
    <${Missing} ns=${ns} params=${params}
      ask=${(body, signal) => ask({ weights, ...body }, signal)} />
    ${answer.hits.length === 0 ? html`<${Empty} title=${t('no-hits')}>${t('no-hits-more')}</${Empty}>` : html`
      <ul class="cards" id="hits">${answer.hits.map((hit, place) => html`<${Card}
        key=${hit.memory.id} ns=${ns} found=${hit.memory} newer=${hit.newer}
        below=${hit.memory.turn?.reply && html`<p class="reply small">${start(hit.memory.turn.reply, 220)}</p>`}
        reasons=${html`<details open=${place === 0}><summary class="small quiet">${answer.before && html`<${Moved} from=${answer.before.get(hit.memory.id)} to=${place + 1} />`}<span class="score">${t('score-why', { score: decimal(hit.score) })}</span> <${Strip} hit=${hit} />${hit.newer ? html` · <a href=${overHere(hit.newer)}>${t('newer-known')}</a>` : ''}</summary>
          <${Reasons} reasons=${hit.reasons} most=${most(answer)} /></details>`} />`)}
      </ul>`}`}</${Loaded}>`;
}

const most = (answer) => strongest(answer.hits);

/** Where a hit stood with the profile's own weights. */
function Moved({ from, to }) {
  if (from === to) return null;
  const better = from === undefined || to < from;
  return html`<span class=${`badge ${better ? 'good' : 'warn'}`}>${from === undefined ? t('moved-in') : t('moved-from', { place: from })}</span> `;
}

/** Below this probability nobody would call it known. */
const HARDLY = 0.05;

function Verdict({ answer, day }) {
  const { likely, probability, least } = answer.answered;
  const hardly = !likely || answer.hits.length === 0 || probability < HARDLY;
  const verdict = hardly ? (day ? 'nothing-known-then' : 'nothing-known')
    : probability < 0.5 ? 'answered-perhaps' : 'answered-likely';
  const tone = verdict === 'answered-likely' ? 'accent' : 'warn';
  return html`<div class=${`note ${tone}`} id="verdict">
    <p><strong>${t(verdict, { day: day ? dayOf(day) : '' })}</strong>
      ${' '}${t('answered-figures', { percent: Math.round(probability * 100), least: Math.round(least * 100) })}${day ? ` ${t('as-of-note', { day })}` : ''}</p>
    <span class="small num">${t('looked-at', { n: answer.candidates })}</span>
    ${answer.without_vectors && html`<p>${t('without-vectors', { why: answer.without_vectors })}</p>`}</div>`;
}

/** Looks for the memory that one misses among the hits, and says there why it is not. */
function Missing({ ns, params, ask }) {
  const [text, setText] = useState('');
  const [found, setFound] = useState(null);
  const [error, setError] = useState(null);
  const [open, setOpen] = useState(Boolean(params.why));
  const look = async (event) => {
    event?.preventDefault();
    setError(null);
    try {
      const id = text.trim();
      if (/^[0-9a-f-]{36}$/.test(id)) { turn({ why: id }, true); return; }
      const answer = await post(within(ns, '/memories/search'), { query: id, top_k: 8 });
      setFound(answer.hits.map((hit) => hit.memory));
    } catch (failed) { setError(failed); }
  };
  const choose = (id) => turn({ why: id === params.why ? '' : id }, true);
  const alone = params.why && !found?.some((one) => one.id === params.why);
  const asked = [params.q, params.as_of, params.w].join(' ');
  const why = (id) => html`<${WhyNot} key=${`${id} ${asked}`} ns=${ns} id=${id}
    params=${params} ask=${ask} shown=${!alone} />`;
  return html`<details class="panel" id="missing" open=${open}
    onToggle=${(event) => setOpen(event.target.open)}>
    <summary><strong>${t('why-not')}</strong></summary>
    <p class="quiet">${t('why-not-lead')}</p>
    <form class="filterline" onSubmit=${look}>
      <${Search} value=${text} change=${setText} label=${t('why-not-search')} />
      <button class="button">${t('look')}</button></form>
    ${error && html`<${Failure} error=${error} />`}
    ${alone && why(params.why)}
    ${found && html`<ul class="listing picks">${found.map((one) => html`<li key=${one.id}>
      <button class="pick-one" aria-expanded=${one.id === params.why}
        onClick=${() => choose(one.id)}>${start(one.text, 150)}</button>
      ${one.id === params.why && why(one.id)}</li>`)}</ul>
      ${found.length === 0
        && html`<p class="quiet" role="status">${t('no-hits')}</p>`}`}</details>`;
}

/** Why a memory is not among the hits, or why a prompt does not get one that is. */
async function explain(ns, id, { params, ask }, signal) {
  const { why_not: why } = await ask({ why_not: id }, signal);
  const found = await get(memory(ns, id), {}, signal).catch(() => null);
  if (why.reason !== 'returned' || params.as_of) return { why, found };
  const [context, prompt] = await Promise.all([
    post(within(ns, '/context'), { message: params.q, peek: true }, { signal }),
    ask({ why_not: id, for_prompt: true }, signal),
  ]);
  return { why, found, context, prompt };
}

function WhyNot({ ns, id, params, ask, shown }) {
  const state = useLoad((signal) => explain(ns, id, { params, ask }, signal), []);
  const box = useRef(null);
  const there = Boolean(state.data);
  useEffect(() => { if (there) box.current?.focus(); }, [there]);
  return html`<${Loaded} state=${state}>${({ why, found, context, prompt }) => html`
    <section class="why-not" id="why-not" ref=${box} tabindex="-1" aria-label=${t('why-not-this')}>
      ${!shown && found && html`<p><a href=${overHere(id)}>${start(found.text, 200)}</a></p>`}
      <p><strong>${t(`why-${why.reason}`, values(why))}</strong></p>
      ${context && html`<${InPrompt} id=${id} context=${context} prompt=${prompt} />`}
      ${why.reasons && html`<${Reasons} reasons=${why.reasons} />`}
      <div class="actions">${shown && html`<a class="button tiny" href=${overHere(id)}>
        ${t('open')}</a>`}
        <button class="button tiny" onClick=${() => turn({ why: '' }, true)}>
          ${t('close')}</button></div></section>`}</${Loaded}>`;
}

const values = (why) => ({
  rank: why.rank,
  least: decimal(why.min_score ?? 0),
  last: decimal(why.last_hit ?? 0),
  score: decimal(why.reasons?.score ?? 0),
  condition: why.condition ? t(`condition-${why.condition}`) : '',
});

/** Whether a prompt gets a hit, and why not, as far as the server tells. */
function InPrompt({ id, context, prompt }) {
  if (context.ids.includes(id)) return html`<p>${t('in-prompt')}</p>`;
  const { probability, least, likely } = prompt.answered;
  const reason = prompt.why_not?.reason;
  const told = reason && !['returned', 'missing', 'other'].includes(reason);
  const near = prompt.hits.some((hit) => hit.memory.id === id);
  const figures = { percent: Math.round(probability * 100), least: Math.round(least * 100) };
  const why = !likely || (prompt.hits.length === 0 && probability < least)
    ? t('not-in-prompt-unlikely', figures)
    : told ? t(`why-${reason}`, values(prompt.why_not))
    : !near ? t('not-in-prompt-near', { n: prompt.hits.length })
    : context.left_out > 0 ? t('not-in-prompt-room', { n: context.left_out })
    : t('not-in-prompt-other');
  return html`<p id="not-in-prompt"><strong>${t('not-in-prompt')}</strong> ${why}</p>`;
}

function Prompt({ ns, params }) {
  const space = useSpace();
  const most = /^\d{1,6}$/.test(params.tokens ?? '') ? Number(params.tokens) : undefined;
  const state = useLoad((signal) => post(within(ns, '/context'), { message: params.q, peek: true, max_tokens: most }, { signal }), [ns, params.q, most]);
  const budget = space.profile?.max_tokens;
  return html`<div class="filterline"><label class="check"><span class="label">${t('token-budget')}</span><input type="number" id="budget" min="0" max="100000" step="50" placeholder=${budget > 0 ? budget : t('no-limit')} value=${params.tokens ?? ''}
        onChange=${(event) => turn({ tokens: event.target.value }, true)} /></label>${params.as_of && html`<span class="quiet small">${t('prompt-is-now')}</span>`}</div>
    <${Loaded} state=${state}>${(context) => {
      if (!context.text) return html`<${Empty} title=${t('prompt-empty')}>${t('prompt-empty-more')}</${Empty}>`;
      return html`<div class="panel" id="prompt"><div class="panel-head"><h2>${t('prompt-gets')}</h2><${Copy} text=${context.text} /></div><pre tabindex="0">${context.text}</pre>
          <p class="small quiet num">${t('tokens-n', { n: context.tokens })}${context.left_out > 0 ? ` · ${t('left-out-n', { n: context.left_out })}` : ''}</p></div>
        ${context.ids.length > 0 && html`<section class="panel"><h2>${t('prompt-of')}</h2><ul class="listing">${context.ids.map((id) => html`<li key=${id}><${Short} ns=${ns} id=${id} /></li>`)}</ul></section>`}`;
    }}</${Loaded}>`;
}
