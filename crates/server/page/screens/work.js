// What waits, runs or failed behind the writes, the jobs, and what the model was asked.
import { html, useState } from '../vendor/preact-htm.js';
import { get, post, remove, within } from '../api.js';
import { ago, decimal, moment, number, t, word } from '../language.js';
import { useLoad, usePages } from '../load.js';
import { Act, Empty, Head, Listed, Loaded, More, Tabs, tell } from '../pieces.js';
import { turn } from '../route.js';

export function Work({ ns, params, round }) {
  const tab = params.tab ?? 'queue';
  return html`<${Head} title=${t('nav-work')} lead=${t('work-lead')} />
    <${Tabs} tabs=${['queue', 'jobs', 'model'].map((name) => [name, t(`work-${name}`)])} now=${tab} label=${t('nav-work')} choose=${(name) => turn({ tab: name === 'queue' ? '' : name })} />
    ${tab === 'jobs' ? html`<${Jobs} round=${round} />` : tab === 'model' ? html`<${Model} />` : html`<${Queue} ns=${ns} round=${round} />`}`;
}

const PAGE = 50;

function Queue({ ns, round }) {
  const pages = usePages(async (after, signal) => {
    const { tasks } = await get(within(ns, '/queue'), {}, signal);
    const shown = (after ?? 0) + PAGE;
    return { items: tasks.slice(after ?? 0, shown), next: shown < tasks.length ? shown : undefined, total: tasks.length };
  }, [ns, round]);
  const act = (deed, text) => async () => { await deed(); tell({ text: t(text) }); pages.again(); };
  const failed = pages.items.filter((task) => task.state === 'dead' || task.last_error);
  return html`<${Listed} pages=${pages} empty=${html`<${Empty} title=${t('nothing-waits')}>${t('nothing-waits-more')}</${Empty}>`}>${failed.length > 0 && html`<div class="note warn"><p>${t('failed-n', { n: failed.length })}</p><${Act} run=${act(() => post(within(ns, '/queue/retry')), 'retried')}>${t('retry-all')}</${Act}></div>`}
    <div class="panel flush scroll-x"><table class="table" id="tasks"><thead><tr><th>${t('task')}</th><th>${t('state')}</th><th class="right">${t('attempts')}</th><th>${t('since')}</th><th></th></tr></thead><tbody>
    ${pages.items.map((task) => html`<tr key=${task.number}><td>${word('task', task.kind)}${task.last_error && html`<p class="small" style=${{ color: 'var(--bad)' }}>${task.last_error}</p>`}</td>
      <td><span class=${`badge ${failed.includes(task) ? 'bad' : ''}`}>${word('task-state', task.state)}</span></td><td class="right num">${task.attempts ?? 0}</td><td class="quiet">${ago(task.queued_at)}</td>
      <td class="right"><${Act} class="tiny" run=${act(() => post(within(ns, `/queue/${task.number}/retry`)), 'retried')}>${t('retry')}</${Act}> <${Act} class="tiny danger" run=${act(() => remove(within(ns, `/queue/${task.number}`)), 'dropped')}>${t('drop')}</${Act}></td></tr>`)}</tbody></table></div>
    <${More} pages=${pages} /></${Listed}>`;
}

function Jobs({ round }) {
  const state = useLoad((signal) => get('/v1/jobs', {}, signal), [round]);
  const [done, setDone] = useState(null);
  const run = (dryRun) => async () => {
    const { jobs } = await post('/v1/maintain', { force: true, dry_run: dryRun });
    const text = t(dryRun ? 'jobs-would' : 'jobs-ran', { n: jobs.length });
    const now = dryRun ? [] : (await get('/v1/jobs')).jobs;
    const did = (job) => (dryRun ? t('job-planned', { n: job.planned })
      : stepsText(now.find((other) => isJob(other, job))));
    setDone({ text, lines: jobs.map((job) => [job, did(job)]) });
    tell({ text });
    state.again();
  };
  return html`<${Loaded} state=${state}>${(found) => (found.jobs.length === 0 ? html`<${Empty} title=${t('no-jobs')}>${t('no-jobs-more')}</${Empty}>` : html`
    <div class="actions"><${Act} run=${run(true)}>${t('jobs-try')}</${Act}><${Act} run=${run(false)}>${t('jobs-run')}</${Act}></div>
    ${done && html`<section class="panel" id="jobs-done"><h2>${done.text}</h2><ul class="rows">
      ${done.lines.map(([job, text]) => html`<li key=${`${job.profile} ${job.name}`}>
        <strong>${word('job', job.name)}</strong> <span class="badge">${job.profile}</span>
        <span class="quiet">${text}</span></li>`)}</ul></section>`}
    <div class="panel flush scroll-x"><table class="table"><thead><tr><th>${t('job')}</th><th>${t('profile')}</th><th>${t('last-run')}</th><th>${t('next-run')}</th><th></th></tr></thead><tbody>
    ${found.jobs.map((job) => html`<tr><td>${word('job', job.job)}</td>
      <td><span class="badge">${job.profile}</span></td>
      <td class="quiet">${job.last_run ? ago(job.last_run) : '–'}
        ${job.last_run && html`<p class="small">${stepsText(job)}</p>`}
        ${job.steps.filter((step) => step.error).map((step) => html`<p
          style=${{ color: 'var(--bad)' }}>${word('step', step.step)}: ${step.error}</p>`)}</td>
      <td class="quiet" title=${moment(job.next)}>${job.due ? t('due-now') : job.next ? ago(job.next) : '–'}</td><td>${job.stopped && html`<span class="badge warn">${t('stopped')}</span>`}</td></tr>`)}</tbody></table></div>`)}</${Loaded}>`;
}

const isJob = (one, { profile, name }) => one.profile === profile && one.job === name;

/** What a step counted; a report counts by kind and by namespace, too. */
function countWord(name) {
  const [, kind, space] = name.match(/^(?:of kind (.+)|in (.+))$/) ?? [];
  return kind ? word('kind', kind) : space ?? word('count', name);
}

/** What the steps of a job did when it ran last: what they counted, where that is not nothing. */
function stepsText(job) {
  const counts = (step) => Object.entries(step.counts).filter(([, n]) => n > 0)
    .map(([name, n]) => `${countWord(name)} ${number(n)}`).join(', ');
  const done = (job?.steps ?? []).map((step) => {
    // What failed is told by itself.
    const told = step.error ? '' : counts(step);
    return told && `${word('step', step.step)}: ${told}`;
  }).filter(Boolean);
  return done.length > 0 ? done.join(' · ') : t('job-nothing');
}

/** Calls of all days and purposes, summed for each model. */
function byModel(spent) {
  const sums = new Map();
  for (const one of spent) {
    const sum = sums.get(one.model) ?? { model: one.model, calls: 0, failed: 0, input_tokens: 0, output_tokens: 0, cost: 0 };
    for (const key of ['calls', 'failed', 'input_tokens', 'output_tokens', 'cost']) sum[key] += one[key];
    sums.set(one.model, sum);
  }
  return [...sums.values()];
}

function Model() {
  const state = useLoad((signal) => get('/v1/costs', {}, signal), []);
  return html`<${Loaded} state=${state}>${(usage) => {
    const models = byModel(usage.costs);
    return models.length === 0 ? html`<${Empty} title=${t('no-model-calls')}>${t('no-model-calls-more')}</${Empty}>` : html`<div class="panel flush scroll-x"><table class="table"><thead><tr><th>${t('model')}</th><th class="right">${t('calls')}</th><th class="right">${t('tokens-in')}</th><th class="right">${t('tokens-out')}</th><th class="right">${t('failures')}</th><th class="right">${t('cost')}</th></tr></thead><tbody>
      ${models.map((one) => html`<tr><td>${one.model}</td><td class="right num">${number(one.calls)}</td><td class="right num">${number(one.input_tokens)}</td><td class="right num">${number(one.output_tokens)}</td><td class="right num">${number(one.failed)}</td><td class="right num">${one.cost > 0 ? decimal(one.cost, 4) : '–'}</td></tr>`)}</tbody></table></div>`;
  }}</${Loaded}>`;
}
