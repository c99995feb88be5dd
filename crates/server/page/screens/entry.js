// Without a session: the link that the server printed, or a token.
import { html, useEffect, useState } from '../vendor/preact-htm.js';
import { get, useToken } from '../api.js';
import { has, language, speak, t } from '../language.js';

/** Why the server sent somebody here, as the address says. */
const reason = () => new URLSearchParams(location.search).get('reason')
  ?? new URLSearchParams(location.hash.split('?')[1] ?? '').get('reason');

/** Takes the reason out of the address: it is told once. */
export function forgetReason() {
  if (!reason()) return;
  const url = new URL(location.href);
  url.searchParams.delete('reason');
  history.replaceState(null, '', url.pathname + url.search + url.hash);
}

export function Entry({ enter }) {
  const [why] = useState(reason);
  useEffect(forgetReason, []);
  const [text, setText] = useState('');
  const [wrong, setWrong] = useState('');
  const send = async (event) => {
    event.preventDefault();
    const given = text.trim();
    const code = given.match(/\/login\?code=([0-9a-z]+)/i);
    if (code) {
      location.assign(`/login?code=${code[1]}`);
      return;
    }
    useToken(given);
    try { await get('/v1/whoami'); enter(); } catch (error) { useToken(''); setWrong(error.title || t('unreachable')); }
  };
  return html`<main class="entry"><div class="brand"><img src="/page/icon.svg" alt="" />annals</div>
    <h1 id="title">${t('entry-title')}</h1><p>${t('entry-lead')}</p>
    ${why && has(`entry-${why}`) && html`<p class="note warn" id="entry-reason" role="alert">
      ${t(`entry-${why}`)}</p>`}
    <form class="panel" onSubmit=${send}>
      <label class="field"><span>${t('entry-field')}</span><input type="password" autocomplete="off" value=${text} required
        aria-invalid=${wrong ? 'true' : undefined} aria-describedby="entry-wrong" onInput=${(event) => setText(event.target.value)} /></label>
      <p id="entry-wrong" role="alert" style=${{ color: 'var(--bad)' }} hidden=${!wrong}>${wrong}</p>
      <div class="actions"><button class="button main-action">${t('entry-enter')}</button>
        <button type="button" class="button bare" onClick=${() => speak(language() === 'zh' ? 'en' : 'zh')}>${language() === 'zh' ? 'English' : '中文'}</button></div>
    </form><p class="quiet small">${t('entry-hint')}</p></main>`;
}
