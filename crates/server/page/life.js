// What a memory is worth now, how often it was of use, and when something happens to it.
import { html } from './vendor/preact-htm.js';
import { get, within } from './api.js';
import { ago, decimal, moment, t } from './language.js';
import { useLoad } from './load.js';
import { Bar, Failure } from './pieces.js';
import { useSpace } from './space.js';

export function Life({ ns, id }) {
  const space = useSpace();
  const state = useLoad((signal) => get(within(ns, '/standings'), { id }, signal), [ns, id]);
  if (state.error) return html`<${Failure} error=${state.error} again=${state.again} />`;
  const standing = state.data?.standings[0];
  if (!standing) return null;
  const most = space.profile?.max_score > 10 ? Math.max(1, standing.importance) : space.profile?.max_score ?? 1;
  const rows = [
    [t('score-now'), html`<span class="worth"><span class="num">${decimal(standing.score)}</span> <${Bar} part=${standing.score / most} label=${`${t('score-now')} ${decimal(standing.score)}`} /></span>`],
    standing.class && [t('class'), standing.class],
    [t('accesses'), t('times', { n: standing.used })],
    [t('last-access'), html`<span title=${moment(standing.last_access)}>${ago(standing.last_access)}</span>`],
    standing.due_at && [t('due-at'), html`<span title=${moment(standing.due_at)}>${ago(standing.due_at)}</span>`],
    standing.expires_at && [t('expires'), moment(standing.expires_at)],
  ].filter(Boolean);
  return html`<section class="panel"><h2>${t('life')}</h2><dl class="facts">${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></section>`;
}
