// Bringing memories in: files are tried first, then imported; what is left out says why; an import is taken back.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { call, get, remove, within } from '../api.js';
import { changed } from '../deeds.js';
import { ago, bytes, clock, moment, number, t } from '../language.js';
import { useLoad } from '../load.js';
import { Act, Bar, Dialog, Failure, Head, Loaded, NotOffered, missing, tell } from '../pieces.js';
import { link } from '../route.js';

/** How often one looks how far an import is, in milliseconds. */
const LOOK = 400;

export function Import({ ns }) {
  const [files, setFiles] = useState([]);
  const [report, setReport] = useState(null);
  const [error, setError] = useState(null);
  const [over, setOver] = useState(false);
  const [running, setRunning] = useState(null);
  const [round, setRound] = useState(0);
  const pick = useRef(null);
  const send = async (chosen, dryRun) => {
    setError(null);
    if (!dryRun) setRunning({ since: clock(), whole: report?.stored ?? 0 });
    try {
      const form = new FormData();
      for (const file of chosen) form.append('file', file, file.name);
      const found = await call('POST', within(ns, '/import/file'), { query: { dry_run: dryRun ? 'true' : '' }, body: form, raw: true });
      setReport({ ...found, dryRun });
      if (!dryRun) changed();
    } catch (failed) { setError(failed); } finally {
      if (!dryRun) { setRunning(null); setRound((count) => count + 1); }
    }
  };
  const take = (list) => {
    const chosen = [...list];
    if (chosen.length === 0 || running) return;
    setFiles(chosen);
    setReport(null);
    send(chosen, true);
  };
  const again = () => send(files, report?.dryRun !== true);
  const drop = (event) => { event.preventDefault(); setOver(false); take(event.dataTransfer.files); };
  return html`<${Head} title=${t('nav-import')} lead=${t('import-lead')} />
    <div class=${`drop ${over ? 'over' : ''}`} onDragOver=${(event) => { event.preventDefault(); setOver(true); }} onDragLeave=${() => setOver(false)} onDrop=${drop}>
      <h2>${t('drop-here')}</h2><p class="quiet">${t('formats')}</p>
      <input type="file" id="file" multiple class="visually-hidden" ref=${pick} aria-label=${t('choose-file')} onChange=${(event) => { take(event.target.files); event.target.value = ''; }} tabindex="-1" />
      <button class="button" onClick=${() => pick.current.click()}>${t('choose-file')}</button>
      ${files.map((file) => html`<p><strong>${file.name}</strong> · ${bytes(file.size)}</p>`)}</div>
    ${error && (missing(error) ? html`<${NotOffered} />` : html`<${Failure} error=${error} again=${again} />`)}
    ${files.length > 0 && !report && !error && html`<p class="loading" role="status">${t('trying-file')}</p>`}
    ${running ? html`<${Progress} ns=${ns} running=${running} />` : report && html`<${Report} report=${report} />
      ${report.dryRun ? html`<div class="actions"><${Act} class="main-action" id="import-now" disabled=${!brings(report)} run=${() => send(files, false)}>${t('import-into', { name: ns })}</${Act}><span class="quiet small">${t(brings(report) ? 'dry-note' : 'nothing-new')}</span></div>`
        : html`<div class="actions"><a class="button main-action" href=${link('memories', { ns })}>${t('nav-memories')}</a></div>`}`}
    <${Earlier} ns=${ns} round=${round} />`;
}

/** Whether an import would change anything. */
const brings = (report) => report.stored + report.changed + report.graph > 0;

/** How far an import is: by what it has brought until now. */
function Progress({ ns, running }) {
  const [stored, setStored] = useState(0);
  useEffect(() => {
    const look = async () => {
      try {
        const { imports } = await get(within(ns, '/imports'));
        const mine = imports.find((run) => new Date(run.began).getTime() >= running.since - 60e3);
        if (mine) setStored(mine.memories);
      } catch { /* the import itself says what went wrong */ }
    };
    const timer = setInterval(look, LOOK);
    return () => clearInterval(timer);
  }, []);
  const part = running.whole > 0 ? Math.min(1, stored / running.whole) : 0;
  return html`<section class="panel" id="import-progress" role="status"><h2>${t('importing')}</h2>
    <${Bar} part=${part} label=${t('import-progress', { stored, total: running.whole })} /><p class="quiet small num">${t('import-progress', { stored, total: running.whole })}</p>
    <p class="quiet small">${t('import-resume')}</p></section>`;
}

/** Lines that are left out for the same reason, together. */
function byReason(left) {
  const all = new Map();
  for (const { line, reason } of left) all.set(reason, [...(all.get(reason) ?? []), line]);
  return [...all].sort(([, a], [, b]) => b.length - a.length);
}

const NAMED = 6;

function Report({ report }) {
  const figures = ['stored', 'already_there', ...['changed', 'graph'].filter((name) => report[name] > 0), 'deleted', 'skipped'];
  const left = byReason(report.left_out);
  const lines = (all) => `${all.slice(0, NAMED).map((line) => number(line)).join(', ')}${all.length > NAMED ? ' …' : ''}`;
  return html`<section class="panel" id="import-report" role="status"><div class="panel-head"><h2>${t(report.dryRun ? 'would-import' : 'imported')}</h2>${report.formats.map((name) => html`<span class="badge">${name}</span>`)}</div>
    <div class="figures">${figures.map((name) => html`<div class="figure"><b>${number(report[name])}</b><span>${t(`import-${name}`)}</span></div>`)}</div>
    ${report.passed_over > 0 && html`<p class="quiet small">${t('passed-over', { n: report.passed_over })}</p>`}
    ${left.length > 0 && html`<h3>${t('left-out')}</h3><ul class="goes" tabindex="0">${left.map(([reason, all]) => html`<li><span class="quiet num">${all.length === 1 ? t('line-n', { n: all[0] }) : t('lines-n', { n: all.length, lines: lines(all) })}</span> ${reason}</li>`)}</ul>
      ${report.skipped > report.left_out.length && html`<p class="quiet small">${t('shown-of', { shown: report.left_out.length, total: report.skipped })}</p>`}`}</section>`;
}

/** The imports before, each of which can be taken back. */
function Earlier({ ns, round }) {
  const [asked, setAsked] = useState(null);
  const state = useLoad((signal) => get(within(ns, '/imports'), {}, signal), [ns, round]);
  const undo = async () => {
    const { deleted } = await remove(within(ns, `/imports/${encodeURIComponent(asked.began)}`));
    setAsked(null);
    changed();
    state.again();
    tell({ text: t('import-undone', { n: deleted }) });
  };
  return html`<${Loaded} state=${state}>${({ imports }) => imports.length > 0 && html`<section class="panel" id="imports"><h2>${t('imports')}</h2>
      <ul class="rows">${imports.map((run) => html`<li key=${run.began}><span title=${moment(run.began)}>${ago(run.began)}</span><span class="quiet num">${t('memories-n', { n: run.memories })}</span>
        <button class="button tiny danger" onClick=${() => setAsked(run)}>${t('take-back')}</button></li>`)}</ul></section>`}</${Loaded}>
    ${asked && html`<${Dialog} title=${t('import-undo-title')} close=${() => setAsked(null)}><p>${t('import-undo-lead', { n: asked.memories, when: moment(asked.began) })}</p>
      <div class="actions"><button class="button" onClick=${() => setAsked(null)}>${t('cancel')}</button><${Act} class="danger main-action" data-confirm="import" run=${undo}>${t('take-back')}</${Act}></div></${Dialog}>`}`;
}
