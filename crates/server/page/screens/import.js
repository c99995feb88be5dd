// Bringing memories in: files are tried first, then imported; what is left out says why; an import
// is taken back.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { call, get, remove, within } from '../api.js';
import { changed } from '../deeds.js';
import { ago, bytes, moment, number, t } from '../language.js';
import { useLoad } from '../load.js';
import {
  Act, Bar, Dialog, Failure, Head, Loaded, NotOffered, missing, tell,
} from '../pieces.js';
import { link } from '../route.js';

/** How long one waits before one looks how far an import is, in milliseconds. */
const FIRST_WAIT = 400;
const LONGEST_WAIT = 10_000;
/** Each wait is so much longer: a long import is looked at less often, and each look costs it. */
const GROWTH = 1.5;

const runsOf = async (ns, signal) => (await get(within(ns, '/imports'), {}, signal)).imports;

/** The imports before one that begins, by their beginning: the server names that one at its end. */
async function earlierRuns(ns) {
  try {
    return new Set((await runsOf(ns)).map((run) => run.began));
  } catch {
    // Without them no run can be told from an old one, and none is shown.
    return null;
  }
}

const NAMES = 'annals-imports';
/** So many imports keep their names in this browser. */
const NAMED_RUNS = 60;

/** The files of imports from this browser, by namespace and beginning. */
function namesOfRuns() {
  try { return JSON.parse(localStorage.getItem(NAMES)) ?? {}; } catch { return {}; }
}

function keepName(ns, began, files, formats) {
  if (!began) return;
  const names = files.map((file) => file.name);
  const all = Object.entries({ ...namesOfRuns(), [`${ns} ${began}`]: { names, formats } });
  try {
    localStorage.setItem(NAMES, JSON.stringify(Object.fromEntries(all.slice(-NAMED_RUNS))));
  } catch { /* the import stays without a name */ }
}

/** What went wrong with a file, in words of the page: those of the server name options. */
function told(error) {
  if (!/`?--\w/.test(`${error.detail} ${error.action}`)) return error;
  const detail = error.detail.split(/[.;:]?\s+[^.;:]*`?--\w/)[0];
  return Object.assign(error, { detail: `${detail}.`, action: t('import-form-unknown') });
}

/** Sends files to be imported, or tried. */
async function send(ns, files, dryRun) {
  const form = new FormData();
  for (const file of files) form.append('file', file, file.name);
  const query = { dry_run: dryRun ? 'true' : '' };
  return call('POST', within(ns, '/import/file'), { query, body: form, raw: true });
}

export function Import({ ns }) {
  const [files, setFiles] = useState([]);
  const [report, setReport] = useState(null);
  const [error, setError] = useState(null);
  const [running, setRunning] = useState(null);
  const [round, setRound] = useState(0);
  const attempt = async (chosen, dryRun) => {
    setError(null);
    try {
      if (!dryRun) setRunning({ earlier: await earlierRuns(ns), whole: report?.stored ?? 0 });
      const done = await send(ns, chosen, dryRun);
      setReport({ ...done, dryRun });
      if (!dryRun) {
        keepName(ns, done.began, chosen, done.formats);
        changed();
      }
    } catch (failed) { setError(told(failed)); } finally {
      if (!dryRun) { setRunning(null); setRound((count) => count + 1); }
    }
  };
  const take = (list) => {
    const chosen = [...list];
    if (chosen.length === 0 || running) return;
    setFiles(chosen);
    setReport(null);
    attempt(chosen, true);
  };
  const again = () => attempt(files, report?.dryRun !== true);
  return html`<${Head} title=${t('nav-import')} lead=${t('import-lead')} />
    <${Drop} files=${files} take=${take} />
    ${error && (missing(error) ? html`<${NotOffered} />`
      : html`<${Failure} error=${error} again=${again} />`)}
    ${files.length > 0 && !report && !error
      && html`<p class="loading" role="status">${t('trying-file')}</p>`}
    ${running ? html`<${Progress} ns=${ns} running=${running} />` : report && html`
      <${Report} report=${report} />
      <${Next} ns=${ns} report=${report} run=${() => attempt(files, false)} />`}
    <${Earlier} ns=${ns} round=${round} />`;
}

/** Where files are dropped or chosen. */
function Drop({ files, take }) {
  const [over, setOver] = useState(false);
  const pick = useRef(null);
  const hover = (event) => { event.preventDefault(); setOver(true); };
  const drop = (event) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files);
  };
  const choose = (event) => { take(event.target.files); event.target.value = ''; };
  return html`<div class=${`drop ${over ? 'over' : ''}`} onDragOver=${hover}
      onDragLeave=${() => setOver(false)} onDrop=${drop}>
      <h2>${t('drop-here')}</h2><p class="quiet">${t('formats')}</p>
      <input type="file" id="file" multiple class="visually-hidden" ref=${pick} tabindex="-1"
        aria-label=${t('choose-file')} onChange=${choose} />
      <button class="button" onClick=${() => pick.current.click()}>${t('choose-file')}</button>
      ${files.map((file) => html`<p><strong>${file.name}</strong> · ${bytes(file.size)}</p>`)}
    </div>`;
}

/** What can be done after a trial, or after an import. */
function Next({ ns, report, run }) {
  if (!report.dryRun) {
    return html`<div class="actions"><a class="button main-action"
      href=${link('memories', { ns })}>${t('nav-memories')}</a></div>`;
  }
  const note = t(brings(report) ? 'dry-note' : 'nothing-new');
  return html`<div class="actions">
    <${Act} class="main-action" id="import-now" disabled=${!brings(report)}
      run=${run}>${t('import-into', { name: ns })}</${Act}>
    <span class="quiet small">${note}</span></div>`;
}

/** Whether an import would change anything. */
const brings = (report) => report.stored + report.changed + report.graph > 0;

/** Tells `show` how many memories the run has brought that was not there before. */
async function followRun(ns, earlier, show, signal) {
  for (let wait = FIRST_WAIT; ; wait = Math.min(wait * GROWTH, LONGEST_WAIT)) {
    await new Promise((done) => setTimeout(done, wait));
    if (signal.aborted) return;
    try {
      const mine = (await runsOf(ns, signal)).findLast((run) => !earlier.has(run.began));
      if (mine) show(mine.memories);
    } catch { /* the import itself says what went wrong */ }
  }
}

/** How far an import is: by what it has brought until now. */
function Progress({ ns, running }) {
  const [stored, setStored] = useState(0);
  useEffect(() => {
    if (!running.earlier) return undefined;
    const ending = new AbortController();
    followRun(ns, running.earlier, setStored, ending.signal);
    return () => ending.abort();
  }, []);
  const part = running.whole > 0 ? Math.min(1, stored / running.whole) : 0;
  const label = t('import-progress', { stored, total: running.whole });
  return html`<section class="panel" id="import-progress" role="status"><h2>${t('importing')}</h2>
    <${Bar} part=${part} label=${label} /><p class="quiet small num">${label}</p>
    <p class="quiet small">${t('import-resume')}</p></section>`;
}

/** Lines that are left out for the same reason, together. */
function byReason(left) {
  const all = new Map();
  for (const { line, reason } of left) all.set(reason, [...(all.get(reason) ?? []), line]);
  return [...all].sort(([, a], [, b]) => b.length - a.length);
}

const NAMED = 6;

/** The numbers of lines, of which the first are named. */
function linesText(all) {
  if (all.length === 1) return t('line-n', { n: all[0] });
  const named = all.slice(0, NAMED).map((line) => number(line)).join(', ');
  return t('lines-n', { n: all.length, lines: `${named}${all.length > NAMED ? ' …' : ''}` });
}

function LeftOut({ report }) {
  const shown = report.left_out.length;
  return html`<h3>${t('left-out')}</h3>
    <ul class="goes" tabindex="0">${byReason(report.left_out).map(([reason, all]) => html`<li>
      <span class="quiet num">${linesText(all)}</span> ${reason}</li>`)}</ul>
    ${report.skipped > shown && html`<p class="quiet small">
      ${t('shown-of', { shown, total: report.skipped })}</p>`}`;
}

function Report({ report }) {
  const sometimes = ['changed', 'graph'].filter((name) => report[name] > 0);
  const figures = ['stored', 'already_there', ...sometimes, 'deleted', 'skipped'];
  return html`<section class="panel" id="import-report" role="status"><div class="panel-head">
      <h2>${t(report.dryRun ? 'would-import' : 'imported')}</h2>
      ${report.formats.map((name) => html`<span class="badge">${name}</span>`)}</div>
    <div class="figures">${figures.map((name) => html`<div class="figure">
      <b>${number(report[name])}</b><span>${t(`import-${name}`)}</span></div>`)}</div>
    ${report.passed_over > 0
      && html`<p class="quiet small">${t('passed-over', { n: report.passed_over })}</p>`}
    ${report.left_out.length > 0 && html`<${LeftOut} report=${report} />`}</section>`;
}

/** Asks before an import is taken back. */
function TakeBack({ run, close, undo }) {
  const lead = t('import-undo-lead', { n: run.memories, when: moment(run.began) });
  return html`<${Dialog} title=${t('import-undo-title')} close=${close}><p>${lead}</p>
    <div class="actions"><button class="button" onClick=${close}>${t('cancel')}</button>
      <${Act} class="danger main-action" data-confirm="import"
        run=${undo}>${t('take-back')}</${Act}></div></${Dialog}>`;
}

/** The imports before, each of which can be taken back. */
function Earlier({ ns, round }) {
  const [asked, setAsked] = useState(null);
  const state = useLoad((signal) => runsOf(ns, signal), [ns, round]);
  const undo = async () => {
    const path = within(ns, `/imports/${encodeURIComponent(asked.began)}`);
    const { deleted } = await remove(path);
    setAsked(null);
    changed();
    state.again();
    tell({ text: t('import-undone', { n: deleted }) });
  };
  const known = namesOfRuns();
  const name = (run) => {
    const { names, formats } = known[`${ns} ${run.began}`] ?? {};
    const files = run.names ?? names ?? [];
    return [files.join(', '), (run.formats ?? formats ?? []).join(', ')].filter(Boolean);
  };
  const row = (run) => html`<li key=${run.began}>
    ${name(run).map((text, place) => html`<span class=${place > 0 ? 'badge' : ''}>${text}</span>`)}
    <span title=${moment(run.began)}>${ago(run.began)}</span>
    <span class="quiet num">${t('memories-n', { n: run.memories })}</span>
    <button class="button tiny danger"
      onClick=${() => setAsked(run)}>${t('take-back')}</button></li>`;
  return html`<${Loaded} state=${state}>${(runs) => runs.length > 0 && html`
      <section class="panel" id="imports"><h2>${t('imports')}</h2>
      <ul class="rows">${runs.map(row)}</ul></section>`}</${Loaded}>
    ${asked && html`<${TakeBack} run=${asked} close=${() => setAsked(null)} undo=${undo} />`}`;
}
