// Bringing memories in: files are tried first, then imported; what is left out says why.
import { html, useRef, useState } from '../vendor/preact-htm.js';
import { call, within } from '../api.js';
import { changed } from '../deeds.js';
import { bytes, number, t, word } from '../language.js';
import { Act, Failure, Head, NotOffered, missing } from '../pieces.js';
import { link } from '../route.js';

export function Import({ ns }) {
  const [files, setFiles] = useState([]);
  const [report, setReport] = useState(null);
  const [error, setError] = useState(null);
  const [over, setOver] = useState(false);
  const pick = useRef(null);
  const send = async (chosen, dryRun) => {
    setError(null);
    try {
      const form = new FormData();
      for (const file of chosen) form.append('file', file, file.name);
      const found = await call('POST', within(ns, '/import/file'), { query: { dry_run: dryRun ? 'true' : '' }, body: form, raw: true });
      setReport({ ...found, dryRun });
      if (!dryRun) changed();
    } catch (failed) { setError(failed); }
  };
  const take = (list) => {
    const chosen = [...list];
    if (chosen.length === 0) return;
    setFiles(chosen);
    setReport(null);
    send(chosen, true);
  };
  const drop = (event) => { event.preventDefault(); setOver(false); take(event.dataTransfer.files); };
  return html`<${Head} title=${t('nav-import')} lead=${t('import-lead')} />
    <div class=${`drop ${over ? 'over' : ''}`} onDragOver=${(event) => { event.preventDefault(); setOver(true); }} onDragLeave=${() => setOver(false)} onDrop=${drop}>
      <h2>${t('drop-here')}</h2><p class="quiet">${t('formats')}</p>
      <input type="file" id="file" multiple class="visually-hidden" ref=${pick} aria-label=${t('choose-file')} onChange=${(event) => take(event.target.files)} tabindex="-1" />
      <button class="button" onClick=${() => pick.current.click()}>${t('choose-file')}</button>
      ${files.map((file) => html`<p><strong>${file.name}</strong> · ${bytes(file.size)}</p>`)}</div>
    ${error && (missing(error) ? html`<${NotOffered} />` : html`<${Failure} error=${error} again=${() => send(files, true)} />`)}
    ${files.length > 0 && !report && !error && html`<p class="loading" role="status">${t('trying-file')}</p>`}
    ${report && html`<${Report} report=${report} />
      ${report.dryRun ? html`<div class="actions"><${Act} class="main-action" id="import-now" run=${() => send(files, false)}>${t('import-into', { name: ns })}</${Act}><span class="quiet small">${t('dry-note')}</span></div>`
        : html`<div class="actions"><a class="button main-action" href=${link('memories', { ns })}>${t('nav-memories')}</a></div>`}`}`;
}

function Report({ report }) {
  const figures = ['stored', 'already_there', 'deleted', 'skipped'];
  const left = report.left_out;
  return html`<section class="panel" id="import-report" role="status"><div class="panel-head"><h2>${t(report.dryRun ? 'would-import' : 'imported')}</h2>${report.formats.map((name) => html`<span class="badge">${name}</span>`)}</div>
    <div class="figures">${figures.map((name) => html`<div class="figure"><b>${number(report[name])}</b><span>${t(`import-${name}`)}</span></div>`)}</div>
    ${left.length > 0 && html`<h3>${t('left-out')}</h3><ul class="goes" tabindex="0">${left.slice(0, 200).map((one) => html`<li><span class="quiet num">${t('line-n', { n: one.line })}</span> ${one.reason}</li>`)}</ul>`}</section>`;
}
