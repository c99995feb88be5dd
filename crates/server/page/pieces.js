// The pieces that screens are made of.
import { Component, html, useEffect, useRef, useState } from './vendor/preact-htm.js';
import { language, t } from './language.js';

const PATHS = {
  overview: 'M3 4h7v7H3zM14 4h7v4h-7zM14 12h7v8h-7zM3 15h7v5H3z',
  memories: 'M4 5h16M4 10h16M4 15h10M4 20h7',
  ask: 'M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM16 16l5 5',
  facts: 'M5 4h14v16H5zM9 9h6M9 13h6M9 17h3',
  conversations: 'M4 5h16v11H9l-5 4z',
  review: 'M4 12l5 5L20 6',
  graph: 'M6 6a2 2 0 1 0 .01 0M18 8a2 2 0 1 0 .01 0M11 18a2 2 0 1 0 .01 0M7.5 8.5l3 8M16.5 11l-4 7M8 8l8 2',
  import: 'M12 3v12M7 10l5 5 5-5M4 20h16',
  work: 'M12 7v5l3 2M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18z',
  statistics: 'M4 20V10M10 20V4M16 20v-7M21 20H3',
  settings: 'M4 7h10M18 7h2M16 5v4M4 17h4M12 17h8M10 15v4',
  injected: 'M4 6h16M4 12h10M4 18h6M17 12l4 4-4 4',
  search: 'M11 5a6 6 0 1 1 0 12 6 6 0 0 1 0-12zM15.5 15.5L20 20',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6L6 18',
  sun: 'M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5L19 19M5 19l1.5-1.5M17.5 6.5L19 5',
  moon: 'M20 14A8 8 0 1 1 10 4a6.5 6.5 0 0 0 10 10z',
  chat: 'M4 5h16v11H9l-5 4zM8 9h8M8 12h5',
};

export function Icon({ name, size = 18 }) {
  return html`<svg width=${size} height=${size} viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8"
    stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d=${PATHS[name]} /></svg>`;
}

/** A component that is drawn anew only when one of these properties changes, or the language. */
export function steady(Inner, names) {
  return class extends Component {
    constructor(props) {
      super(props);
      this.language = language();
    }

    shouldComponentUpdate(next) {
      const before = this.language;
      this.language = language();
      return before !== this.language || names.some((name) => this.props[name] !== next[name]);
    }

    render() { return html`<${Inner} ...${this.props} />`; }
  };
}

export function Head({ title, lead, children }) {
  return html`<header class="head"><div><h1 tabindex="-1" id="title">${title}</h1>${lead && html`<p>${lead}</p>`}</div>
    ${children && html`<div class="actions">${children}</div>`}</header>`;
}

/** What went wrong; never to be taken for "nothing is there". */
export function Failure({ error, again }) {
  const title = error.code === 'unreachable' ? t('unreachable') : error.title || t('failed');
  const action = error.code === 'unreachable' ? t('unreachable-action') : error.action;
  return html`<div class="failure" role="alert"><h2>${title}</h2>
    ${error.detail && html`<p>${error.detail}</p>`}${action && html`<p>${action}</p>`}
    ${!error.title && error.code !== 'unreachable' && html`<p class="mono">${String(error.message ?? error)}</p>`}
    ${again && html`<div class="actions"><button class="button" onClick=${again}>${t('try-again')}</button></div>`}</div>`;
}

export function Empty({ title, children, action }) {
  return html`<div class="empty"><h2>${title}</h2>${children && html`<p>${children}</p>`}
    ${action && html`<div class="actions">${action}</div>`}</div>`;
}

/** A loaded value: the failure, the wait, or what is made of it. */
export function Loaded({ state, children }) {
  if (state.error && !missing(state.error)) return html`<${Failure} error=${state.error} again=${state.again} />`;
  if (state.error) return html`<${NotOffered} />`;
  if (state.data === undefined) return html`<p class="loading" role="status">${t('loading')}</p>`;
  return children(state.data);
}

/** A list by pages: the failure, the wait, what stands for none, or the list. */
export function Listed({ pages, empty, children }) {
  if (pages.error && pages.items.length === 0) return missing(pages.error) ? html`<${NotOffered} />` : html`<${Failure} error=${pages.error} again=${pages.again} />`;
  if (pages.items.length === 0) return pages.loading ? html`<p class="loading" role="status">${t('loading')}</p>` : empty;
  // One element, so that what stands beside the list keeps its place when it comes.
  return html`<div class="listed">${children}</div>`;
}

/** Whether the server does not have this route. */
export const missing = (error) => error?.status === 404 && error.code === 'no-route';

export const NotOffered = () => html`<${Empty} title=${t('not-offered')}>${t('not-offered-more')}</${Empty}>`;

export function Bar({ part, minus, label }) {
  const width = `${Math.max(0, Math.min(1, part)) * 100}%`;
  return html`<div class="bar" role="img" aria-label=${label ?? `${Math.round(part * 100)} %`}><i class=${minus ? 'minus' : ''} style=${{ width }}></i></div>`;
}

/** A list that goes on: "load more", how many are shown, and of how many. */
export function More({ pages }) {
  const { items, total, next, loading, more, error, again } = pages;
  if (error && items.length > 0) return html`<${Failure} error=${error} again=${more ?? again} />`;
  if (items.length === 0) return null;
  return html`<div class="actions"><span class="quiet small num" role="status">${total === undefined ? '' : t('shown-of', { shown: items.length, total })}</span>
    ${next && html`<button class="button" disabled=${loading} onClick=${more}>${t('load-more')}</button>`}</div>`;
}

/** A dialog over the page; Escape closes it. */
export function Dialog({ title, close, children }) {
  const box = useRef(null);
  useEffect(() => {
    const before = document.activeElement;
    box.current.showModal();
    return () => before?.focus?.();
  }, []);
  return html`<dialog ref=${box} aria-labelledby="dialog-title" onClose=${close} onClick=${(event) => event.target === box.current && close()}>
    <div class="dialog"><h2 id="dialog-title">${title}</h2>${children}</div></dialog>`;
}

/** A button that waits for what it does, and says so when it fails. */
export function Act({ run, children, ...rest }) {
  const [busy, setBusy] = useState(false);
  const press = async (event) => {
    event.stopPropagation();
    setBusy(true);
    try { await run(); } catch (error) { tell({ error }); } finally { setBusy(false); }
  };
  return html`<button type="button" ...${rest} class=${`button ${rest.class ?? ''}`} disabled=${busy || rest.disabled} onClick=${press}>${children}</button>`;
}

const listeners = new Set();
let notices = [];
let count = 0;
/** At most so many notices stand at once. */
const NOTICES = 2;
/** How long a notice stays, in milliseconds; one that takes something back stays longer. */
const STAYS = 8000;
const STAYS_WITH_ACTIONS = 30_000;
/** While one points at it or is in it, it waits. */
const STAYS_ON = 4000;

/** Shows a notice: a text with buttons, or an error. */
export function tell({ text, actions = [], error }) {
  const notice = { number: count += 1, text, actions, error };
  // One that only says something goes before one that can be pressed.
  const spare = notices.length < NOTICES ? null
    : notices.find((other) => !other.error && other.actions.length === 0) ?? notices[0];
  show([...notices.filter((other) => other !== spare), notice]);
  if (!error) setTimeout(() => fade(notice), actions.length > 0 ? STAYS_WITH_ACTIONS : STAYS);
}

function fade(notice) {
  const busy = document.querySelector('.notices:is(:hover, :focus-within)');
  if (busy) setTimeout(() => fade(notice), STAYS_ON);
  else drop(notice);
}

function show(all) {
  notices = all;
  listeners.forEach((listen) => listen(notices));
}

const drop = (notice) => show(notices.filter((other) => other !== notice));

/** Notices stand at the foot of the window; what else is there ends above them. */
export function Notices() {
  const [shown, setShown] = useState(notices);
  const box = useRef(null);
  useEffect(() => {
    listeners.add(setShown);
    const room = new ResizeObserver(() => {
      const height = `${box.current.offsetHeight}px`;
      document.documentElement.style.setProperty('--notices', height);
    });
    room.observe(box.current);
    return () => { listeners.delete(setShown); room.disconnect(); };
  }, []);
  const failed = (error) => [error.title || t(error.code === 'unreachable' ? 'unreachable' : 'failed'), error.detail || (error.title ? '' : error.message)];
  return html`<div class="notices" ref=${box} role="status" aria-live="polite">
    ${shown.map((notice) => html`
    <div class=${`notice ${notice.error ? 'bad' : ''}`} key=${notice.number}>
      <p>${notice.error ? failed(notice.error).filter(Boolean).join(': ') : notice.text}</p>
      ${notice.actions.map(([label, run]) => html`<${Act} class="tiny" run=${async () => { drop(notice); await run(); }}>${label}</${Act}>`)}
      <button class="button tiny bare icon" aria-label=${t('close')} onClick=${() => drop(notice)}><${Icon} name="close" size=${16} /></button>
    </div>`)}</div>`;
}

/** Tabs by the keyboard's arrows. */
export function Tabs({ tabs, now, choose, label }) {
  const move = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = tabs.findIndex(([name]) => name === now);
    const [next] = tabs[(at + step + tabs.length) % tabs.length];
    choose(next);
    event.currentTarget.querySelector(`[data-tab="${next}"]`)?.focus();
  };
  return html`<div class="tabs" role="tablist" aria-label=${label} onKeyDown=${move}>${tabs.map(([name, text]) => html`
    <button role="tab" data-tab=${name} aria-selected=${name === now} tabindex=${name === now ? 0 : -1} onClick=${() => choose(name)}>${text}</button>`)}</div>`;
}

export function Chips({ chips, now, choose, label }) {
  return html`<div class="chips" role="group" aria-label=${label}>${chips.map(([name, text]) => html`
    <button class="chip" data-chip=${name} aria-pressed=${name === now} onClick=${() => choose(name)}>${text}</button>`)}</div>`;
}

export function Search({ value, change, label, hint }) {
  return html`<div class="searchbox"><${Icon} name="search" /><input type="search" aria-label=${label} placeholder=${hint ?? label} value=${value}
    onInput=${(event) => change(event.target.value)} /></div>`;
}

export function Copy({ text }) {
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    tell({ text: t('copied') });
  };
  return html`<${Act} class="tiny bare" run=${copy}>${t('copy')}</${Act}>`;
}
