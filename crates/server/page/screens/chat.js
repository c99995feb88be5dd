// A conversation with the model that the server has: what it used of the memory, and what it keeps; or nothing of both.
import { html, useEffect, useRef, useState } from '../vendor/preact-htm.js';
import { post, within } from '../api.js';
import { remembered, start } from '../deeds.js';
import { t } from '../language.js';
import { Act, Empty, Failure, tell } from '../pieces.js';
import { overHere } from '../memory.js';
import { useSpace } from '../space.js';

const KEY = 'annals-temporary-key';
export const temporaryKey = () => { try { return localStorage.getItem(KEY) ?? 'Ctrl+Shift+T'; } catch { return 'Ctrl+Shift+T'; } };
export const setTemporaryKey = (key) => { try { localStorage.setItem(KEY, key); } catch { /* it lasts until a reload */ } };
export const showReferences = () => { try { return localStorage.getItem('annals-references') !== 'no'; } catch { return true; } };
export const setShowReferences = (on) => { try { localStorage.setItem('annals-references', on ? 'yes' : 'no'); } catch { /* as above */ } };

/** A key with its modifiers, such as `Ctrl+Shift+T`. */
export function keyOf(event) {
  const parts = [event.ctrlKey && 'Ctrl', event.altKey && 'Alt', event.shiftKey && 'Shift', event.metaKey && 'Meta', event.key.length === 1 ? event.key.toUpperCase() : event.key];
  return parts.filter(Boolean).join('+');
}

let temporary = false;
const listeners = new Set();
export const isTemporary = () => temporary;
export function setTemporary(on) {
  temporary = on;
  listeners.forEach((listen) => listen(on));
  tell({ text: t(on ? 'temporary-on' : 'temporary-off') });
}
document.addEventListener('keydown', (event) => {
  if (keyOf(event) !== temporaryKey()) return;
  event.preventDefault();
  setTemporary(!temporary);
});

export function useTemporary() {
  const [on, setOn] = useState(temporary);
  useEffect(() => { listeners.add(setOn); return () => listeners.delete(setOn); }, []);
  return on;
}

/** The messages that the model is told again. */
const RECENT = 20;

export function Chat({ ns }) {
  const [session] = useState(() => `page-${new Date().toISOString().slice(0, 19)}`);
  const [said, setSaid] = useState([]);
  const [text, setText] = useState('');
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const space = useSpace();
  const end = useRef(null);
  const hidden = useTemporary();
  const send = async () => {
    const message = text.trim();
    if (!message || busy) return;
    setError(null);
    setBusy(true);
    setSaid((all) => [...all, { role: 'user', text: message }]);
    setText('');
    try {
      const earlier = said.slice(-RECENT).map((one) => ({ by: one.role, text: one.text }));
      const answer = await post(within(ns, '/chat'), { session, message, earlier, temporary: hidden });
      setSaid((all) => [...all, { role: 'assistant', text: answer.reply, used: answer.used }]);
      for (const stored of answer.remembered) remembered(ns, stored);
    } catch (failed) {
      // What was said is not lost: it stands in the field again.
      setSaid((all) => all.slice(0, -1));
      setText(message);
      setError(failed);
    } finally {
      setBusy(false);
    }
  };
  const key = (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  };
  useEffect(() => { if (said.length > 0) end.current?.scrollIntoView({ block: 'nearest' }); }, [said.length, busy]);
  if (space.profile?.has_model === false) return html`<${NoModel} />`;
  if (error?.code === 'no-model') return html`<${NoModel} />`;
  return html`<div class="panel turns" id="chat">${said.length === 0 && html`<${Empty} title=${t('chat-empty')}>${t('chat-empty-more')}</${Empty}>`}
      ${said.map((one) => html`<div class="turn"><p class=${`say ${one.role === 'user' ? '' : 'answer'}`}>${one.text}</p>
        ${one.used?.length > 0 && showReferences() && html`<details class="small quiet"><summary>${t('used-memories')} ${one.used.map((used, place) => html`<a href=${overHere(used.id)} title=${used.text}>[${place + 1}]</a> `)}</summary>
          <ol class="used">${one.used.map((used) => html`<li>${start(used.text, 160)}</li>`)}</ol></details>`}</div>`)}
      ${busy && html`<p class="loading" role="status">${t('answering')}</p>`}<span ref=${end}></span>
      ${error && html`<${Failure} error=${error} />`}
      <label class="field"><span>${t('message')}</span><textarea rows="2" value=${text} aria-describedby="chat-keys" onKeyDown=${key} onInput=${(event) => setText(event.target.value)}></textarea></label>
      <div class="actions"><${Act} class="main-action" disabled=${!text.trim() || busy} run=${send}>${t('send')}</${Act}>
        <label class="check"><input type="checkbox" id="temporary" checked=${hidden} onChange=${(event) => setTemporary(event.target.checked)} />${t('temporary-mode')} <kbd class="badge">${temporaryKey()}</kbd></label></div>
      <p class="small quiet" id="chat-keys">${t('chat-keys')}</p>
      ${hidden && html`<p class="note accent">${t('temporary-note')}</p>`}</div>`;
}

const NoModel = () => html`<${Empty} title=${t('no-model')}>${t('no-model-more')}</${Empty}>`;
