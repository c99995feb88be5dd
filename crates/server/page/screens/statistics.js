// A namespace in numbers: kinds, growth, what decays next, how fast it answers; and its memories as a file.
import { html } from '../vendor/preact-htm.js';
import { get, request, save, within } from '../api.js';
import { bytes, clock, day, decimal, number, shortDay, t, word } from '../language.js';
import { useLoad } from '../load.js';
import { Act, Head, Loaded } from '../pieces.js';
import { Bars, Columns } from '../plots.js';
import { link } from '../route.js';
import { kindLabel, statusLabel, useSpace } from '../space.js';

const STEPS = 36;
const DAY = 864e5;

const Counted = ({ title, rows, hrefs }) => html`<section class="panel"><h2>${title}</h2><${Bars} label=${title} rows=${rows} hrefs=${hrefs} /></section>`;

export function Statistics({ ns, inside, round }) {
  const space = useSpace();
  const { info } = space;
  const open = info.open ?? {};
  const kinds = space.kinds.map((kind) => [kind.id, kindLabel(space, kind.id), kind.count]).sort((a, b) => b[2] - a[2]);
  const layers = Object.entries(open.by_layer ?? {}).filter(([, count]) => count > 0).map(([id, count]) => [id, word('layer', id), count]);
  const classes = Object.entries(open.by_class ?? {}).filter(([id]) => !(id in (open.by_kind ?? {}))).map(([id, count]) => [id, id, count]);
  const statuses = Object.entries(info.by_status).map(([id, count]) => [id, statusLabel(id), count]);
  const figures = [[number(info.memories), t('memories')], [number(open.sessions ?? 0), t('nav-conversations')], [number(info.replaced), t('earlier-texts')],
    [bytes(info.text_bytes), t('text-size')], [number(open.vectors ?? 0), t('vectors')], [bytes(open.memory_bytes ?? 0), t('ram')]];
  const actions = html`<${Act} id="export-txt" run=${() => save(within(ns, '/export/text'), `${ns}.txt`)}>${t('export-txt')}</${Act}>
    <${Act} id="export-json" run=${() => save(within(ns, '/export'), `${ns}.jsonl`)}>${t('export-json')}</${Act}>`;
  return html`${inside ? html`<div class="actions">${actions}</div>` : html`<${Head} title=${t('nav-statistics')} lead=${t('statistics-lead', { name: ns })}>${actions}</${Head}>`}
    <div class="figures">${figures.map(([value, name]) => html`<div class="figure"><b>${value}</b><span>${name}</span></div>`)}</div>
    <${Growth} ns=${ns} round=${round} />
    <div class="flow"><${Counted} title=${t('by-kind')} rows=${kinds} hrefs=${(kind) => link('memories', { ns, kind })} />
      <${Counted} title=${t('by-status')} rows=${statuses} hrefs=${(status) => link('memories', { ns, status })} />
      ${layers.length > 1 && html`<${Counted} title=${t('by-layer')} rows=${layers} />`}${classes.length > 0 && html`<${Counted} title=${t('by-class')} rows=${classes} />`}
      <${Decay} ns=${ns} round=${round} /><${Latency} /></div>`;
}

function Growth({ ns, round }) {
  const state = useLoad((signal) => get(within(ns, '/growth'), { steps: STEPS }, signal), [ns, round]);
  return html`<section class="panel"><h2>${t('growth')}</h2><${Loaded} state=${state}>${({ steps }) => {
    if (steps.length === 0) return html`<p class="quiet">${t('no-memories')}</p>`;
    const long = new Date(steps[0].to) - new Date(steps[0].from) > DAY;
    const rows = steps.map((step) => [long ? `${shortDay(step.from)} – ${shortDay(new Date(new Date(step.to) - DAY))}` : shortDay(step.from), step.memories]);
    return html`<p class="quiet small">${t('growth-more', { from: day(steps[0].from), to: day(new Date(new Date(steps.at(-1).to) - DAY)) })}</p>
      <${Columns} id="growth" label=${t('growth')} head=${[t('time'), t('memories')]} rows=${rows} />`;
  }}</${Loaded}></section>`;
}

/** The spans of time in which rules may act, the nearest first: name and days. */
const SOON = [['day', 1], ['week', 7], ['month', 30], ['quarter', 91], ['later', Infinity]];

function Decay({ ns, round }) {
  const state = useLoad((signal) => get(within(ns, '/fading'), { limit: 500 }, signal), [ns, round]);
  return html`<section class="panel"><h2>${t('decays-next')}</h2><${Loaded} state=${state}>${(found) => {
    if (found.total === 0) return html`<p class="quiet">${t('empty-fading-more')}</p>`;
    const now = clock();
    const rows = SOON.map(([name, days], place) => {
      const from = place === 0 ? -Infinity : SOON[place - 1][1];
      const inside = ({ due_at: at }) => { const ahead = (new Date(at) - now) / DAY; return ahead > from && ahead <= days; };
      return [name, t(`soon-${name}`), found.fading.filter(inside).length];
    });
    return html`<${Bars} label=${t('decays-next')} rows=${rows} />
      ${found.total > found.fading.length && html`<p class="quiet small">${t('nearest-of', { shown: found.fading.length, total: found.total })}</p>`}
      <a class="button tiny" href=${link('review', { ns, tab: 'fading' })}>${t('show-which')}</a>`;
  }}</${Loaded}></section>`;
}

/** The routes that a person waits for, and the words for them. */
const WAITED = [['/v1/namespaces/{ns}/memories/search', 'latency-search'], ['/v1/namespaces/{ns}/context', 'latency-context'], ['/v1/namespaces/{ns}/memories', 'latency-list'], ['/v1/namespaces/{ns}/memories/{id}', 'latency-one']];

/** Milliseconds a call since the server began, by route; of calls that were answered. */
function latencies(text) {
  const sums = new Map();
  for (const [, what, route, status, value] of text.matchAll(/^annals_http_request(s_total|_seconds_total)\{.*?route="([^"]*)",status="(\d+)"\} (\S+)$/gm)) {
    if (!status.startsWith('2')) continue;
    const sum = sums.get(route) ?? { calls: 0, seconds: 0 };
    sum[what === 's_total' ? 'calls' : 'seconds'] += Number(value);
    sums.set(route, sum);
  }
  return WAITED.filter(([route]) => sums.get(route)?.calls > 0).map(([route, name]) => [name, t(name, { n: sums.get(route).calls }), (sums.get(route).seconds / sums.get(route).calls) * 1000]);
}

function Latency() {
  const state = useLoad(async (signal) => latencies(await (await request('GET', '/metrics', { signal })).text()), []);
  if (state.error?.status === 403) return null;
  return html`<section class="panel" id="latency"><h2>${t('latency')}</h2><${Loaded} state=${state}>${(rows) => (rows.length === 0 ? html`<p class="quiet">${t('latency-none')}</p>`
    : html`<p class="quiet small">${t('latency-more')}</p><${Bars} label=${t('latency')} rows=${rows} show=${(value) => `${decimal(value, value < 10 ? 1 : 0)} ms`} />`)}</${Loaded}></section>`;
}
