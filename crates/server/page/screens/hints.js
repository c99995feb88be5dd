// What a first visitor is told, once.
import { html, useState } from '../vendor/preact-htm.js';
import { t } from '../language.js';

const KEY = 'annals-hints-seen';

function seen() {
  try { return localStorage.getItem(KEY) === 'yes'; } catch { return false; }
}

// A second visit does not show it, whether it was put away or not.
const first = !seen();
try { localStorage.setItem(KEY, 'yes'); } catch { /* it is shown again */ }
let away = false;

export function FirstHints() {
  const [shown, setShown] = useState(first && !away);
  if (!shown) return null;
  const close = () => { away = true; setShown(false); };
  return html`<section class="panel" aria-labelledby="hints"><div class="panel-head"><h2 id="hints">${t('hints-title')}</h2>
    <button class="button tiny" onClick=${close}>${t('hints-close')}</button></div>
    <ol class="grid2">${[1, 2, 3, 4].map((place) => html`<li><strong>${t(`hint-${place}`)}</strong><p class="quiet">${t(`hint-${place}-more`)}</p></li>`)}</ol></section>`;
}
