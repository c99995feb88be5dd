// Deleting many at once: by a list of ids, or all.
import { html, useState } from '../vendor/preact-htm.js';
import { post, within } from '../api.js';
import { changed } from '../deeds.js';
import { t } from '../language.js';
import { Act, Dialog, tell } from '../pieces.js';
import { useSpace } from '../space.js';

/** Deletes a list of ids; the server says what was kept. */
async function deleteListed(ns, list, dryRun) {
  return post(within(ns, '/bulk/delete-listed'), { list, dry_run: dryRun });
}

export function BatchDelete({ ns }) {
  const [list, setList] = useState('');
  const [found, setFound] = useState(null);
  const look = async () => setFound(await deleteListed(ns, list, true));
  const act = async () => {
    const receipt = await deleteListed(ns, list, false);
    setFound({ ...receipt, done: true });
    changed();
  };
  const part = (name, ids) => ids?.length > 0 && html`<li>${t(`batch-${name}`, { n: ids.length })} <span class="mono">${ids.join(', ')}</span></li>`;
  const count = (receipt) => receipt.receipt.memories.length;
  return html`<div class="panel"><label class="field"><span>${t('batch-label')}</span>
      <textarea name="ids" rows="5" class="mono" value=${list} onInput=${(event) => { setList(event.target.value); setFound(null); }}></textarea></label>
    <p class="quiet small">${t('batch-hint')}</p>
    <div class="actions"><${Act} disabled=${!list.trim()} run=${look}>${t('batch-look')}</${Act}>
      ${found && !found.done && count(found) > 0 && html`<${Act} class="danger main-action" run=${act}>${t('batch-delete', { n: count(found) })}</${Act}>`}</div>
    ${found && html`<div class="note" role="status" id="batch-report"><ul><li><strong>${t(found.done ? 'batch-deleted' : 'batch-would', { n: count(found) })}</strong></li>
      ${part('skipped', found.skipped)}${part('unknown', found.unknown)}</ul></div>`}</div>`;
}

/** The button that clears everything, after it was asked twice. */
export function Clear({ ns }) {
  const space = useSpace();
  const [asked, setAsked] = useState(false);
  const [receipt, setReceipt] = useState(null);
  const filter = { statuses: ['active', 'forgotten', 'archived', 'staged'] };
  const ask = async () => {
    setReceipt(await post(within(ns, '/bulk'), { action: 'delete', filter, dry_run: true }));
    setAsked(true);
  };
  const clear = async () => {
    await post(within(ns, '/bulk'), { action: 'delete', filter, dry_run: false });
    changed();
    setAsked(false);
    tell({ text: t('cleared') });
  };
  return html`<${Act} class="danger" id="clear-all" disabled=${space.info.memories === 0} run=${ask}>${t('clear-all')}</${Act}>
    ${asked && html`<${Dialog} title=${t('clear-title')} close=${() => setAsked(false)}><p>${t('clear-lead', { n: receipt.receipt.memories.length, name: ns })}</p>
      <div class="actions"><button class="button" onClick=${() => setAsked(false)}>${t('cancel')}</button>
        <${Act} class="danger main-action" data-confirm="clear" run=${clear}>${t('clear-all')}</${Act}></div></${Dialog}>`}`;
}
