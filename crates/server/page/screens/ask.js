// A question: what is recalled and why, why something is not, and what a prompt gets.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { get, memory, post, within } from '../api.js';
import { Card, Reasons, Strip } from '../card.js';
import { start } from '../deeds.js';
import { decimal, moment, t } from '../language.js';
import { useLoad } from '../load.js';
import { Copy, Empty, Failure, Head, Loaded, Search, Tabs } from '../pieces.js';
import { link, turn } from '../route.js';
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
    const [answer, plain] = await Promise.all([ask({ weights, why_not: params.why || undefined }, signal), weights && ask({}, signal)]);
    return { ...answer, before: plain && new Map(plain.hits.map((hit, place) => [hit.memory.id, place + 1])) };
  }, [ns, params.q, params.as_of, params.why, params.w, round]);
  return html`<${Loaded} state=${state}>${(answer) => html`
    <${Verdict} answer=${answer} day=${params.as_of} />
    ${answer.why_not && html`<${WhyNot} ns=${ns} id=${params.why} why=${answer.why_not} />`}
    ${answer.hits.length === 0 ? html`<${Empty} title=${t('no-hits')}>${t('no-hits-more')}</${Empty}>` : html`
      <ul class="cards" id="hits">${answer.hits.map((hit, place) => html`<${Card} key=${hit.memory.id} ns=${ns} found=${hit.memory}
        below=${hit.memory.turn?.reply && html`<p class="reply small">${start(hit.memory.turn.reply, 220)}</p>`}
        reasons=${html`<details open=${place === 0}><summary class="small quiet">${answer.before && html`<${Moved} from=${answer.before.get(hit.memory.id)} to=${place + 1} />`}<span class="score">${t('score-why', { score: decimal(hit.score) })}</span> <${Strip} hit=${hit} />${hit.newer ? html` · <a href=${overHere(hit.newer)}>${t('newer-known')}</a>` : ''}</summary>
          <${Reasons} reasons=${hit.reasons} /></details>`} />`)}</ul>`}
    <${Missing} ns=${ns} params=${params} />`}</${Loaded}>`;
}

/** Where a hit stood with the profile's own weights. */
function Moved({ from, to }) {
  if (from === to) return null;
  const better = from === undefined || to < from;
  return html`<span class=${`badge ${better ? 'good' : 'warn'}`}>${from === undefined ? t('moved-in') : t('moved-from', { place: from })}</span> `;
}

function Verdict({ answer, day }) {
  const { likely, probability, least } = answer.answered;
  const verdict = !likely ? 'nothing-known' : probability < 0.5 ? 'answered-perhaps' : 'answered-likely';
  return html`<div class=${`note ${verdict === 'answered-likely' ? 'accent' : 'warn'}`} id="verdict"><p><strong>${t(verdict)}</strong>
      ${' '}${t('answered-figures', { percent: Math.round(probability * 100), least: Math.round(least * 100) })}${day ? ` ${t('as-of-note', { day })}` : ''}</p>
    <span class="small num">${t('looked-at', { n: answer.candidates })}</span>
    ${answer.without_vectors && html`<p>${t('without-vectors', { why: answer.without_vectors })}</p>`}</div>`;
}

/** Looks for the memory that one misses among the hits. */
function Missing({ ns, params }) {
  const [text, setText] = useState('');
  const [found, setFound] = useState(null);
  const [error, setError] = useState(null);
  const look = async (event) => {
    event?.preventDefault();
    setError(null);
    try {
      const id = text.trim();
      if (/^[0-9a-f-]{36}$/.test(id)) { turn({ why: id }); return; }
      setFound((await post(within(ns, '/memories/search'), { query: id, top_k: 8 })).hits.map((hit) => hit.memory));
    } catch (failed) { setError(failed); }
  };
  return html`<section class="panel"><h2>${t('why-not')}</h2><p class="quiet">${t('why-not-lead')}</p>
    <form class="filterline" onSubmit=${look}><${Search} value=${text} change=${setText} label=${t('why-not-search')} /><button class="button">${t('look')}</button></form>
    ${error && html`<${Failure} error=${error} />`}
    ${found && html`<ul class="listing">${found.map((one) => html`<li key=${one.id}><a href=${link('ask', { ...params, ns, why: one.id })}>${start(one.text, 150)}</a></li>`)}</ul>`}</section>`;
}

function WhyNot({ ns, id, why }) {
  const state = useLoad((signal) => get(memory(ns, id), {}, signal), [ns, id]);
  const values = { rank: why.rank, least: decimal(why.min_score ?? 0), last: decimal(why.last_hit ?? 0), score: decimal(why.reasons?.score ?? 0), condition: why.condition ? t(`condition-${why.condition}`) : '' };
  return html`<section class="panel" id="why-not"><div class="panel-head"><h2>${t('why-not-this')}</h2><button class="button tiny" onClick=${() => turn({ why: '' })}>${t('close')}</button></div>
    ${state.data && html`<p><a href=${overHere(id)}>${start(state.data.text, 200)}</a></p>`}
    <p><strong>${t(`why-${why.reason}`, values)}</strong></p>${why.reasons && html`<${Reasons} reasons=${why.reasons} />`}</section>`;
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
