// Counts of a namespace as bars, and its memories as a file.
import { html } from '../vendor/preact-htm.js';
import { save, within } from '../api.js';
import { bytes, number, t, word } from '../language.js';
import { Act, Bar, Head } from '../pieces.js';
import { link } from '../route.js';
import { kindLabel, statusLabel, useSpace } from '../space.js';

function Bars({ title, rows, hrefs }) {
  const most = Math.max(...rows.map(([, , count]) => count), 1);
  return html`<section class="panel"><h2>${title}</h2><ul class="bars">${rows.map(([id, label, count]) => html`<li key=${id} data-count=${id}>
    ${hrefs ? html`<a href=${hrefs(id)}>${label}</a>` : html`<span>${label}</span>`}<${Bar} part=${count / most} label=${`${label}: ${count}`} /><span class="num right">${number(count)}</span></li>`)}</ul></section>`;
}

export function Statistics({ ns, inside }) {
  const space = useSpace();
  const { info } = space;
  const open = info.open ?? {};
  const kinds = space.kinds.map((kind) => [kind.id, kindLabel(space, kind.id), kind.count]);
  const layers = Object.entries(open.by_layer ?? {}).filter(([, count]) => count > 0).map(([id, count]) => [id, word('layer', id), count]);
  const classes = Object.entries(open.by_class ?? {}).filter(([id]) => !(id in (open.by_kind ?? {}))).map(([id, count]) => [id, id, count]);
  const statuses = Object.entries(info.by_status).map(([id, count]) => [id, statusLabel(id), count]);
  const figures = [[number(info.memories), t('memories')], [number(open.sessions ?? 0), t('nav-conversations')], [number(info.replaced), t('earlier-texts')],
    [bytes(info.text_bytes), t('text-size')], [number(open.vectors ?? 0), t('vectors')], [bytes(open.memory_bytes ?? 0), t('ram')]];
  const actions = html`<${Act} id="export-txt" run=${() => save(within(ns, '/export/text'), `${ns}.txt`)}>${t('export-txt')}</${Act}>
    <${Act} id="export-json" run=${() => save(within(ns, '/export'), `${ns}.jsonl`)}>${t('export-json')}</${Act}>`;
  return html`${inside ? html`<div class="actions">${actions}</div>` : html`<${Head} title=${t('nav-statistics')} lead=${t('statistics-lead', { name: ns })}>${actions}</${Head}>`}
    <div class="figures">${figures.map(([value, name]) => html`<div class="figure"><b>${value}</b><span>${name}</span></div>`)}</div>
    <div class="grid2"><${Bars} title=${t('by-kind')} rows=${kinds} hrefs=${(kind) => link('memories', { ns, kind })} />
      <${Bars} title=${t('by-status')} rows=${statuses} hrefs=${(status) => link('memories', { ns, status })} />
      ${layers.length > 0 && html`<${Bars} title=${t('by-layer')} rows=${layers} />`}${classes.length > 0 && html`<${Bars} title=${t('by-class')} rows=${classes} />`}</div>`;
}
