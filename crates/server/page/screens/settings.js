// Settings: of this page, of the namespace, and who may call the server.
import { html, useState } from '../vendor/preact-htm.js';
import { get, leave, post, put, remove, within } from '../api.js';
import { changed } from '../deeds.js';
import { ago, language, moment, speak, t } from '../language.js';
import { useLoad } from '../load.js';
import { Act, Copy, Dialog, Empty, Head, Loaded, missing, tell } from '../pieces.js';
import { setTheme, theme } from '../theme.js';
import { useSpace } from '../space.js';
import { keyOf, setShowReferences, setTemporaryKey, showReferences, temporaryKey } from './chat.js';

export function Settings({ ns, round }) {
  return html`<${Head} title=${t('nav-settings')} lead=${t('settings-lead')}><${Act} run=${leave}>${t('leave')}</${Act}></${Head}>
    <div class="flow"><${Page} />${ns && html`<${Space} ns=${ns} round=${round} />`}<${Server} /></div><${Tokens} />`;
}

function Page() {
  const [, draw] = useState(0);
  const [key, setKey] = useState(temporaryKey());
  const pick = (event) => {
    if (event.key === 'Tab' || ['Control', 'Shift', 'Alt', 'Meta'].includes(event.key)) return;
    event.preventDefault();
    // It is chosen here, not pressed for what it does.
    event.stopPropagation();
    setKey(keyOf(event));
    setTemporaryKey(keyOf(event));
  };
  return html`<section class="panel"><h2>${t('this-page')}</h2>
    <label class="field"><span>${t('language')}</span><select id="page-language" value=${language()} onChange=${(event) => speak(event.target.value)}><option value="en">English</option><option value="zh">中文</option></select></label>
    <label class="field"><span>${t('theme')}</span><select id="page-theme" value=${theme()} onChange=${(event) => { setTheme(event.target.value); draw((number) => number + 1); }}>
      ${['system', 'light', 'dark'].map((name) => html`<option value=${name}>${t(`theme-${name}`)}</option>`)}</select></label>
    <label class="check"><input type="checkbox" checked=${showReferences()} onChange=${(event) => { setShowReferences(event.target.checked); draw((number) => number + 1); }} />${t('show-references')}</label>
    <label class="field"><span>${t('temporary-key')}</span><input type="text" id="temporary-key" value=${key} readonly onKeyDown=${pick} /></label><p class="quiet small">${t('temporary-key-more')}</p></section>`;
}

function Space({ ns, round }) {
  const space = useSpace();
  const state = useLoad((signal) => get(within(ns, '/language'), {}, signal), [ns, round]);
  const profiles = useLoad((signal) => get('/v1/profiles', {}, signal), []);
  if (!space) return null;
  const names = (profiles.data?.profiles ?? []).map((one) => one.name);
  const setProfile = async (name) => { await put(within(ns, '/profile'), { profile: name }); changed(); tell({ text: t('saved') }); };
  const setLanguage = async (name) => { await put(within(ns, '/language'), { language: name }); state.again(); tell({ text: t('saved') }); };
  const vectors = space.info.open?.foreign_vectors;
  return html`<section class="panel"><h2>${t('of-namespace', { name: ns })}</h2>
    <label class="field"><span>${t('profile')}</span><select id="profile" value=${space.info.profile} disabled=${names.length === 0} onChange=${(event) => setProfile(event.target.value).catch((error) => tell({ error }))}>
      ${(names.includes(space.info.profile) ? names : [space.info.profile, ...names]).map((name) => html`<option value=${name}>${name}</option>`)}</select></label>
    ${state.data && html`<label class="field"><span>${t('language-of-messages')}</span><select id="messages" value=${state.data.language} onChange=${(event) => setLanguage(event.target.value).catch((error) => tell({ error }))}>
      ${[...new Set(['en', 'zh', state.data.language])].map((name) => html`<option value=${name}>${name === 'en' ? 'English' : name === 'zh' ? '中文' : name}</option>`)}</select></label>`}
    ${vectors && html`<p class="note warn">${t('foreign-vectors', { name: vectors })}</p>`}
    <dl class="facts"><dt>${t('created')}</dt><dd>${moment(space.info.created_at)}</dd></dl></section>`;
}

function Server() {
  const state = useLoad((signal) => get('/v1/stats', {}, signal), []);
  return html`<section class="panel"><h2>${t('server')}</h2><${Loaded} state=${state}>${(file) => html`<dl class="facts">
    <dt>${t('version')}</dt><dd>${file.version}</dd><dt>${t('embedder')}</dt><dd class="mono">${file.embedder}</dd><dt>${t('dims')}</dt><dd class="num">${file.dims}</dd>
    ${file.model && html`<dt>${t('model')}</dt><dd>${file.model}</dd>`}<dt>OpenAPI</dt><dd><a href="/openapi.json">/openapi.json</a></dd></dl>`}</${Loaded}></section>`;
}

const RIGHTS = ['read', 'write', 'delete', 'admin'];

function Tokens() {
  const [making, setMaking] = useState(false);
  const state = useLoad((signal) => get('/v1/tokens', {}, signal), []);
  const [doomed, setDoomed] = useState(null);
  const revoke = async () => {
    await remove(`/v1/tokens/${doomed.id}`);
    setDoomed(null);
    state.again();
    tell({ text: t('token-revoked') });
  };
  return html`<section class="panel flush"><div class="panel-head" style=${{ padding: '16px 18px' }}><h2>${t('tokens')}</h2><button class="button" onClick=${() => setMaking(true)} disabled=${missing(state.error)}>${t('new-token')}</button></div>
    <${Loaded} state=${state}>${(found) => (found.tokens.length === 0 ? html`<p class="quiet" style=${{ padding: '0 18px 16px' }}>${t('no-tokens')}</p>` : html`<div class="scroll-x"><table class="table" id="tokens"><thead><tr><th>${t('name')}</th><th>${t('namespaces')}</th><th>${t('rights')}</th><th>${t('expires')}</th><th></th></tr></thead><tbody>
      ${found.tokens.map((token) => html`<tr key=${token.id}><td>${token.name}</td><td class="mono">${token.namespaces.join(', ')}</td><td>${token.rights.map((right) => t(`right-${right}`)).join(', ')}</td>
        <td class="quiet">${token.expires_at ? moment(token.expires_at) : t('never')}</td>
        <td class="right"><button class="button tiny danger" onClick=${() => setDoomed(token)}>
          ${t('revoke')}</button></td></tr>`)}</tbody></table></div>`)}</${Loaded}>
    ${doomed && html`<${Dialog} title=${t('revoke-title', { name: doomed.name })}
      close=${() => setDoomed(null)}><p>${t('revoke-lead')}</p>
      <div class="actions"><button class="button" onClick=${() => setDoomed(null)}>
        ${t('cancel')}</button>
        <${Act} class="danger main-action" data-confirm="revoke" run=${revoke}>
          ${t('revoke')}</${Act}></div></${Dialog}>`}
    ${making && html`<${NewToken} close=${() => { setMaking(false); state.again(); }} />`}</section>`;
}

function NewToken({ close }) {
  const space = useSpace();
  const [form, setForm] = useState({ name: '', namespaces: space?.ns ?? '*', rights: ['read'], days: '90' });
  const [secret, setSecret] = useState('');
  const make = async () => {
    const body = { name: form.name.trim(), namespaces: form.namespaces.split(/[\s,]+/).filter(Boolean), rights: form.rights };
    if (form.days) body.expires_at = new Date(Date.now() + Number(form.days) * 864e5).toISOString();
    setSecret((await post('/v1/tokens', body)).secret);
  };
  const flip = (right) => (event) => setForm({ ...form, rights: event.target.checked ? [...form.rights, right] : form.rights.filter((other) => other !== right) });
  return html`<${Dialog} title=${t('new-token')} close=${close}>${secret ? html`<p>${t('token-once')}</p><pre class="panel mono" id="secret">${secret}</pre><div class="actions"><${Copy} text=${secret} /><button class="button main-action" onClick=${close}>${t('done')}</button></div>` : html`
    <label class="field"><span>${t('name')}</span><input type="text" name="token-name" value=${form.name} onInput=${(event) => setForm({ ...form, name: event.target.value })} /></label>
    <label class="field"><span>${t('token-namespaces')}</span><input type="text" value=${form.namespaces} onInput=${(event) => setForm({ ...form, namespaces: event.target.value })} /></label>
    <fieldset class="chips" style=${{ border: 0, padding: 0, margin: 0 }}><legend class="label">${t('rights')}</legend>${RIGHTS.map((right) => html`<label class="check"><input type="checkbox" checked=${form.rights.includes(right)} onChange=${flip(right)} />${t(`right-${right}`)}</label>`)}</fieldset>
    <label class="field"><span>${t('token-days')}</span><input type="number" min="1" value=${form.days} onInput=${(event) => setForm({ ...form, days: event.target.value })} /></label>
    <div class="actions"><button class="button" onClick=${close}>${t('cancel')}</button><${Act} class="main-action" disabled=${!form.name.trim() || form.rights.length === 0} run=${make}>${t('create')}</${Act}></div>`}</${Dialog}>`;
}
