// What went into which prompt, of which agent, and why each memory was in it.
import { html } from '../vendor/preact-htm.js';
import { get, within } from '../api.js';
import { Bars } from '../plots.js';
import { ago, decimal, has, moment, t, word } from '../language.js';
import { strongest } from '../card.js';
import { usePages } from '../load.js';
import { Chips, Empty, Head, Listed, More } from '../pieces.js';
import { link, turn } from '../route.js';
import { Short, overHere } from '../memory.js';

const PAGE = 20;

export function Injected({ ns, params, round }) {
  const { agent, memory } = params;
  const pages = usePages(async (after, signal) => {
    const found = await get(within(ns, '/injections'), { memory, agent, limit: PAGE, after }, signal);
    return { ...found, items: found.injections };
  }, [ns, memory, agent, round]);
  const agents = pages.page?.agents ?? [];
  const filtered = agent || memory;
  const most = strongest(pages.items.flatMap((one) => one.memories));
  return html`<${Head} title=${t('nav-injected')} lead=${`${t('injected-lead')} ${t('injected-kept')}`} />
    ${(agents.length > 1 || filtered) && html`<div class="filterline">
      <${Chips} label=${t('agent')} now=${agent ?? ''} chips=${[['', t('all')], ...agents.map((name) => [name, name])]} choose=${(name) => turn({ agent: name })} />
      ${memory && html`<span class="badge">${t('with-memory')} <${Short} ns=${ns} id=${memory} /></span>`}
      ${filtered && html`<button class="button tiny bare" onClick=${() => turn({ agent: '', memory: '' })}>${t('reset-filters')}</button>`}</div>`}
    <${Listed} pages=${pages} empty=${filtered ? html`<${Empty} title=${t('none-found')}>${t('none-found-more')}</${Empty}>` : html`<${Empty} title=${t('no-injections')}>${t('no-injections-more')}</${Empty}>`}>
      <ol class="cards" id="injections">${pages.items.map((one, place) => html`
        <li class="panel" key=${`${one.at} ${place}`}>
          <${Prompt} ns=${ns} one=${one} most=${most} /></li>`)}</ol>
      <${More} pages=${pages} /></${Listed}>`;
}

function Prompt({ ns, one, most }) {
  const facts = [one.tokens !== undefined && t('tokens-n', { n: one.tokens }), one.left_out > 0 && t('left-out-n', { n: one.left_out })].filter(Boolean);
  return html`<div class="meta"><strong>${one.agent ?? t('agent-unknown')}</strong><span title=${moment(one.at)}>${ago(one.at)}</span>
      ${one.session && html`<a href=${link('conversations', { ns, session: one.session })}>${one.session}</a>`}
      ${facts.map((fact) => html`<span>${fact}</span>`)}</div>
    <ul class="injected">${one.memories.map((memory) => html`<li key=${memory.id}>
      <a class="card-text" href=${overHere(memory.id)}>${memory.text}</a>
      <${Why} memory=${memory} most=${most} /></li>`)}</ul>`;
}

/** Why a memory was in a prompt: what made it answer, or that it always stands there. */
function Why({ memory, most }) {
  const part = has(`part-${memory.part}`) ? t(`part-${memory.part}`) : t('part-of', { part: memory.part });
  if (memory.reasons.length === 0) return html`<p class="small quiet">${part} · ${t('worth-of', { score: decimal(memory.score) })}</p>`;
  return html`<p class="small quiet">${part} · ${t('score-of', { score: decimal(memory.score) })}</p>
    <${Bars} tight most=${most} label=${t('why-there')} show=${(value) => `+${value.toFixed(2)}`}
      rows=${memory.reasons.map((one) =>
        [one.feature, word('feature', one.feature), one.contribution])} />`;
}
