// All namespaces of the file: what each holds, and several deleted at once.
import { html, useState } from '../vendor/preact-htm.js';
import { get, put, remove, within } from '../api.js';
import { changed } from '../deeds.js';
import { ago, bytes, moment, number, t } from '../language.js';
import { useLoad } from '../load.js';
import { Act, Dialog, Empty, Failure, Head, tell } from '../pieces.js';
import { go, link } from '../route.js';
import { FirstHints } from './hints.js';

const PROFILES = ['default', 'companion', 'studio', 'agent', 'graph', 'markdown'];

function NewSpace({ close }) {
  const [name, setName] = useState('');
  const [profile, setProfile] = useState('default');
  const make = async () => {
    await put(within(name.trim()), { profile });
    changed();
    close();
    go('memories', { ns: name.trim() });
  };
  return html`<${Dialog} title=${t('new-namespace')} close=${close}>
    <label class="field"><span>${t('name')}</span>
      <input type="text" value=${name} placeholder="user:42"
        onInput=${(event) => setName(event.target.value)} /></label>
    <label class="field"><span>${t('profile')}</span>
      <select value=${profile} onChange=${(event) => setProfile(event.target.value)}>
        ${PROFILES.map((one) => html`<option value=${one}>
          ${`${one} – ${t(`profile-${one}`)}`}</option>`)}</select></label>
    <div class="actions"><button class="button" onClick=${close}>${t('cancel')}</button>
      <${Act} class="main-action" disabled=${!name.trim()} run=${make}>${t('create')}</${Act}>
    </div></${Dialog}>`;
}

function DeleteSpaces({ names, receipts, close, done }) {
  const memories = receipts.reduce((sum, receipt) => sum + receipt.memories, 0);
  const [typed, setTyped] = useState('');
  const act = async () => {
    for (const name of names) await remove(within(name));
    close();
    done();
    changed();
    tell({ text: t('namespaces-deleted', { n: names.length }) });
  };
  const goes = (receipt) => [
    t('memories-n', { n: receipt.memories }),
    bytes(receipt.text_bytes),
    receipt.files > 0 && t('files-n', { n: receipt.files }),
  ].filter(Boolean).join(' · ');
  return html`<${Dialog} title=${t('delete-namespaces-title', { n: names.length })} close=${close}>
    <p>${t('delete-namespaces-lead', { n: memories })}</p>
    <ul class="goes">${receipts.map((receipt) =>
      html`<li><strong>${receipt.namespace}</strong> · ${goes(receipt)}</li>`)}</ul>
    <label class="field"><span>${t('type-to-confirm', { word: names[0] })}</span>
      <input type="text" value=${typed}
        onInput=${(event) => setTyped(event.target.value)} /></label>
    <div class="actions"><button class="button" onClick=${close}>${t('cancel')}</button>
      <${Act} class="danger main-action" disabled=${typed !== names[0]}
        run=${act}>${t('delete-for-good')}</${Act}></div></${Dialog}>`;
}

function Figures({ spaces, file }) {
  const sum = (pick) => spaces.reduce((total, space) => total + pick(space), 0);
  const figures = [
    [number(spaces.length), t('namespaces')],
    [number(sum((space) => space.memories)), t('memories')],
    [number(sum((space) => space.by_status.forgotten ?? 0)), t('forgotten-ones')],
    [bytes(sum((space) => space.text_bytes)), t('text-size')],
    file && file.file_bytes > 0 && [bytes(file.file_bytes), t('file-size')],
  ].filter(Boolean);
  return html`<div class="figures">${figures.map(([value, name]) =>
    html`<div class="figure"><b>${value}</b><span>${name}</span></div>`)}</div>`;
}

function Row({ space, chosen, choose }) {
  const at = space.last_write;
  const label = t('select-one', { name: space.name });
  return html`<tr>
    <td><input type="checkbox" aria-label=${label} checked=${chosen}
      onChange=${(event) => choose(space.name, event.target.checked)} /></td>
    <td><a href=${link('memories', { ns: space.name })}><strong>${space.name}</strong></a>
      ${space.queued > 0 && html` <a class="badge warn" href=${link('work', { ns: space.name })}>
        ${t('waiting-n', { n: space.queued })}</a>`}
      <span class="under"><span class="badge">${space.profile}</span></span></td>
    <td class="spare"><span class="badge">${space.profile}</span></td>
    <td class="right num">${number(space.memories)}</td>
    <td class="right num spare">${number(space.by_status.forgotten ?? 0)}</td>
    <td class="right num spare">${bytes(space.text_bytes)}</td>
    <td class="quiet" title=${moment(at)}>${at ? ago(at) : '–'}</td></tr>`;
}

function Table({ spaces, names, choose }) {
  return html`<div class="panel flush scroll-x"><table class="table">
    <caption class="visually-hidden">${t('namespaces')}</caption>
    <thead><tr><th><span class="visually-hidden">${t('select')}</span></th>
      <th>${t('namespace')}</th><th class="spare">${t('profile')}</th>
      <th class="right">${t('memories')}</th><th class="right spare">${t('forgotten-ones')}</th>
      <th class="right spare">${t('text-size')}</th><th>${t('last-write')}</th></tr></thead>
    <tbody>${spaces.map((space) => html`<${Row} key=${space.name} space=${space}
      chosen=${names.includes(space.name)} choose=${choose} />`)}
    </tbody></table></div>`;
}

export function Overview({ spaces, round }) {
  const [chosen, setChosen] = useState([]);
  const [making, setMaking] = useState(false);
  const [doomed, setDoomed] = useState(null);
  const file = useLoad((signal) => get('/v1/stats', {}, signal), [round]);
  const names = chosen.filter((name) => spaces.some((space) => space.name === name));
  const choose = (name, on) => {
    setChosen(on ? [...names, name] : names.filter((other) => other !== name));
  };
  const dryRun = (name) => remove(within(name), { dry_run: true });
  const look = async () => setDoomed(await Promise.all(names.map(dryRun)));
  const make = (style) => html`<button class=${style}
    onClick=${() => setMaking(true)}>${t('new-namespace')}</button>`;
  const fails = file.error && file.error.status !== 403;
  return html`<${Head} title=${t('nav-overview')} lead=${t('overview-lead')}>
      ${make('button main-action')}</${Head}>
    <${FirstHints} />
    ${fails && html`<${Failure} error=${file.error} again=${file.again} />`}
    ${spaces.length > 0 ? html`<${Figures} spaces=${spaces} file=${file.data} />
      <${Table} spaces=${spaces} names=${names} choose=${choose} />`
      : html`<${Empty} title=${t('no-namespaces')} action=${make('button')}>
        ${t('no-namespaces-more')}</${Empty}>`}
    ${names.length > 0 && html`<div class="selectbar">
      <strong>${t('selected-n', { n: names.length })}</strong>
      <button class="button" onClick=${() => setChosen([])}>${t('clear-selection')}</button>
      <${Act} class="danger" run=${look}>${t('delete')}</${Act}></div>`}
    ${making && html`<${NewSpace} close=${() => setMaking(false)} />`}
    ${doomed && html`<${DeleteSpaces} names=${names} receipts=${doomed}
      close=${() => setDoomed(null)} done=${() => setChosen([])} />`}`;
}
