// The neighbours of one thing, as many as one asks for: drawn, and the same as a table.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { get, within } from '../api.js';
import { t, word } from '../language.js';
import { usePages, useSettled } from '../load.js';
import { Empty, Failure, Head, Listed, More, NotOffered, Search, Tabs, missing } from '../pieces.js';
import { link, turn } from '../route.js';
import { overHere } from '../memory.js';
import { FactDeeds, says } from './facts.js';
import { Net } from '../net.js';

const LIMIT = 60;

export function Graph({ ns, params, round }) {
  const start = params.of ?? params.memory;
  return html`<${Head} title=${t('nav-graph')} lead=${t('graph-lead')}>${start && html`<a class="button" href=${link('graph', { ns })}>${t('another-thing')}</a>`}</${Head}>
    ${start ? html`<${Around} key=${start} ns=${ns} params=${params} round=${round} />`
      : html`<${Things} ns=${ns} params=${params} round=${round} />`}`;
}

function Things({ ns, params, round }) {
  const [typed, setTyped] = useState(params.name ?? '');
  const name = useSettled(typed.trim());
  const pages = usePages(async (after, signal) => {
    const found = await get(within(ns, '/things'), { name, limit: 50, after }, signal);
    return { items: found.entities, next: found.next, total: found.total };
  }, [ns, name, round]);
  return html`<div class="filterline"><${Search} value=${typed} change=${setTyped} label=${t('which-thing')} /></div>
    <${Listed} pages=${pages} empty=${html`<${Empty} title=${t(name ? 'none-found' : 'no-things')}>${t(name ? 'none-found-more' : 'no-things-more')}</${Empty}>`}><div class="panel flush scroll-x"><table class="table" id="things"><thead><tr><th>${t('thing')}</th><th>${t('kind')}</th><th class="right">${t('mentions')}</th></tr></thead><tbody>
      ${pages.items.map((one) => html`<tr key=${one.id}><td><a href=${link('graph', { ns, of: one.name })}><strong>${one.name}</strong></a></td><td class="quiet">${one.kind ?? ''}</td><td class="right num">${one.degree}</td></tr>`)}</tbody></table></div>
    <${More} pages=${pages} /></${Listed}>`;
}

/** One more thing's neighbours, laid over what is known. */
function joined(known, page) {
  const nodes = new Map(known.nodes.map((node) => [node.id, node]));
  for (const node of page.nodes) nodes.set(node.id, { ...nodes.get(node.id), ...node });
  const edges = new Map(known.edges.map((edge) => [key(edge), edge]));
  for (const edge of page.edges) edges.set(key(edge), edge);
  return { nodes: [...nodes.values()], edges: [...edges.values()] };
}
const key = (edge) => `${edge.from} ${edge.predicate} ${edge.to}`;

const NOTHING = { nodes: [], edges: [] };

function Around({ ns, params, round }) {
  const [known, setKnown] = useState(NOTHING);
  const asked = useRef([]);
  const [error, setError] = useState(null);
  const [open, setOpen] = useState(null);
  const look = (query) => get(within(ns, '/neighbours'), { ...query, limit: LIMIT });
  const expand = async (query) => {
    asked.current = [...asked.current, query];
    try {
      const page = await look(query);
      setKnown((before) => joined(before, page));
      setError(null);
    } catch (failed) { setError(failed); }
  };
  // Where memories have changed, what is shown is asked for again as a whole.
  useEffect(() => {
    if (asked.current.length === 0) {
      expand(params.memory ? { memory: params.memory } : { of: params.of });
      return;
    }
    Promise.all(asked.current.map(look)).then(
      (pages) => setKnown(pages.reduce(joined, NOTHING)), setError);
  }, [round]);
  const pick = (node) => { setOpen(node); expand(node.memory ? { memory: node.id } : { of: node.name }); };
  const tab = params.tab ?? 'net';
  if (error && known.nodes.length === 0) return missing(error) ? html`<${NotOffered} />` : html`<${Failure} error=${error} />`;
  if (known.nodes.length === 0) return html`<p class="loading" role="status">${t('loading')}</p>`;
  const name = (id) => { const node = known.nodes.find((node) => node.id === id); return node?.name ?? id; };
  const isFact = (edge) => [edge.from, edge.to]
    .every((id) => !known.nodes.find((node) => node.id === id)?.memory);
  const factOf = (edge) => ({
    subject: name(edge.from), predicate: edge.predicate, object: name(edge.to),
  });
  const end = (id) => html`<button class="button tiny bare"
    onClick=${() => pick(known.nodes.find((node) => node.id === id))}>${name(id)}</button>`;
  const factsBeside = open ? known.edges.filter((edge) => isFact(edge)
    && [edge.from, edge.to].includes(open.id)) : [];
  const kinds = [...new Set(known.nodes.map((node) => node.kind ?? ''))];
  const label = (kind) => kind || t('thing');
  return html`<${Tabs} tabs=${[['net', t('drawn')], ['table', t('as-table')]]} now=${tab} label=${t('nav-graph')} choose=${(one) => turn({ tab: one === 'net' ? '' : one })} />
    ${error && html`<${Failure} error=${error} />`}
    ${tab === 'net' ? html`<${Net} nodes=${known.nodes} edges=${known.edges} kinds=${kinds} pick=${pick} centre=${open?.id ?? known.nodes.find((node) => node.name === params.of || node.id === params.memory)?.id} />
      ${kinds.length > 1 && html`<p class="legend">${kinds.map((kind, place) => html`<span><i style=${{ background: `var(--k${place % 8})` }}></i>${label(kind)}</span>`)}</p>`}
      <p class="quiet small">${t('graph-hint')}</p>` : html`<div class="panel flush scroll-x">
        <table class="table" id="edges"><thead><tr><th>${t('from')}</th>
        <th>${t('relation')}</th><th>${t('to')}</th>
        <th><span class="visually-hidden">${t('fact-correct')}</span></th></tr></thead><tbody>
      ${known.edges.map((edge) => html`<tr key=${key(edge)}><td>${end(edge.from)}</td>
        <td class="quiet">${word('relation', edge.predicate)}</td><td>${end(edge.to)}</td>
        <td class="right">${isFact(edge)
          && html`<${FactDeeds} ns=${ns} triple=${factOf(edge)} />`}</td></tr>`)}
      </tbody></table></div>`}
    ${open && html`<div class="note" role="status"><p><strong>${open.name}</strong></p>
        ${open.memory ? html`<a class="button tiny" href=${overHere(open.id)}>${t('open')}</a>`
          : html`<a class="button tiny" href=${link('facts', { ns, subject: open.name })}>
            ${t('nav-facts')}</a>`}</div>
      ${factsBeside.length > 0 && html`<section class="panel" id="facts-beside"><ul class="rows">
        ${factsBeside.map((edge) => html`<li key=${key(edge)}><span>${says(factOf(edge))}</span>
          <${FactDeeds} ns=${ns} triple=${factOf(edge)} /></li>`)}</ul></section>`}`}`;
}
