// The weights of recall, tried for one question without being stored. They stand in the address.
import { html } from '../vendor/preact-htm.js';
import { decimal, t } from '../language.js';
import { turn } from '../route.js';
import { useSpace } from '../space.js';

const RELEVANCE = ['own', 'dense', 'text', 'window', 'context', 'speaker', 'time', 'asks_time', 'answers', 'graph'];
const PRIORS = ['importance', 'recency', 'usage', 'validity', 'confidence', 'role', 'tells'];
const KNOWN = new Set([...RELEVANCE, ...PRIORS]);

/** The weights that differ from the profile's, as the address has them: `text:0.3,own:0`. */
const parse = (text) => Object.fromEntries((text ?? '').split(',').map((pair) => pair.split(':')).filter(([name, value]) => KNOWN.has(name) && Number(value) >= 0 && Number(value) <= 1).map(([name, value]) => [name, Number(value)]));
const write = (changed) => Object.entries(changed).map(([name, value]) => `${name}:${value}`).join(',');

/** The whole set to send, or nothing where the profile's own are meant. */
export function tried(space, text) {
  const changed = parse(text);
  return Object.keys(changed).length > 0 ? { ...space.profile.weights, ...changed } : undefined;
}

export function WeightTrial({ params }) {
  const space = useSpace();
  const own = space.profile?.weights;
  if (!own) return null;
  const changed = parse(params.w);
  const set = (name) => (event) => {
    const value = Number(event.target.value);
    const next = { ...changed, [name]: value };
    if (Math.abs(value - own[name]) < 0.0005) delete next[name];
    turn({ w: write(next) }, true);
  };
  const slider = (name) => html`<label class="slider" key=${name}><span class=${name in changed ? '' : 'quiet'}>${t(`feature-${name}`)}</span>
    <input type="range" min="0" max="1" step="0.01" value=${changed[name] ?? own[name]} data-weight=${name} onChange=${set(name)} /><span class="num right">${decimal(changed[name] ?? own[name])}</span></label>`;
  return html`<details class="panel" id="weights" open=${Object.keys(changed).length > 0}><summary>${t('weights')} <span class="quiet small">${t(Object.keys(changed).length > 0 ? 'weights-tried' : 'weights-of-profile')}</span></summary>
    <p class="quiet small">${t('weights-lead')}</p>
    <div class="grid2"><fieldset><legend>${t('weights-relevance')}</legend>${RELEVANCE.map(slider)}</fieldset><fieldset><legend>${t('weights-priors')}</legend>${PRIORS.map(slider)}</fieldset></div>
    ${Object.keys(changed).length > 0 && html`<div class="actions"><button type="button" class="button tiny" onClick=${() => turn({ w: '' }, true)}>${t('weights-reset')}</button></div>`}</details>`;
}
