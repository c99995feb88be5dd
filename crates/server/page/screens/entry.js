// Without a session: the link that the server printed, or a token.
import { html, useState } from '../vendor/preact-htm.js';
import { get, useToken } from '../api.js';
import { language, speak, t } from '../language.js';

export function Entry({ enter }) {
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
    <form class="panel" onSubmit=${send}>
      <label class="field"><span>${t('entry-field')}</span><input type="password" autocomplete="off" value=${text} required
        aria-invalid=${wrong ? 'true' : undefined} aria-describedby="entry-wrong" onInput=${(event) => setText(event.target.value)} /></label>
      <p id="entry-wrong" role="alert" style=${{ color: 'var(--bad)' }} hidden=${!wrong}>${wrong}</p>
      <div class="actions"><button class="button main-action">${t('entry-enter')}</button>
        <button type="button" class="button bare" onClick=${() => speak(language() === 'zh' ? 'en' : 'zh')}>${language() === 'zh' ? 'English' : '中文'}</button></div>
    </form><p class="quiet small">${t('entry-hint')}</p></main>`;
}
