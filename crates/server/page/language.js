// The language of the page and its texts. `{name}` is a place; `{n|memory|memories}` is a word by the number n.
import en from './texts/en.js';
import zh from './texts/zh.js';

const TEXTS = { en, zh };
const KEY = 'annals-language';
const wanted = stored() ?? (navigator.languages ?? [navigator.language]).find((tag) => /^(en|zh)/i.test(tag)) ?? 'en';
let now = /^zh/i.test(wanted) ? 'zh' : 'en';

function stored() {
  try { return localStorage.getItem(KEY); } catch { return null; }
}

export const language = () => now;

/** Changes the language of the page. */
export function speak(name) {
  now = name;
  try { localStorage.setItem(KEY, name); } catch { /* it lasts until a reload */ }
  document.documentElement.lang = name === 'zh' ? 'zh-CN' : 'en';
  window.dispatchEvent(new Event('annals-language'));
}

/** The text of a name, with its places filled. */
export function t(name, values = {}) {
  const text = TEXTS[now][name] ?? en[name] ?? name;
  return text.replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (_, key, one, many) => {
    const value = values[key];
    if (one === undefined) return typeof value === 'number' ? number(value) : value ?? '';
    return value === 1 ? one : many;
  });
}

/** Whether there is a text of this name. */
export const has = (name) => name in en;

/** The word of a value that the server names: its text, or the value where there is none. */
export const word = (group, value) => (has(`${group}-${value}`) ? t(`${group}-${value}`) : String(value ?? ''));

export const number = (value) => new Intl.NumberFormat(locale()).format(value);
export const decimal = (value, digits = 2) => new Intl.NumberFormat(locale(), { maximumFractionDigits: digits }).format(value);
export const locale = () => (now === 'zh' ? 'zh-CN' : 'en-GB');

/** Bytes as a person reads them. */
export function bytes(count) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let [value, unit] = [count, 0];
  while (value >= 1000 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${new Intl.NumberFormat(locale(), { maximumSignificantDigits: 3 }).format(value)} ${units[unit]}`;
}

let drift = 0;
/** Sets the clock of the page to that of the server, which in a demonstration stands still. */
export function setClock(moment) {
  drift = moment ? new Date(moment).getTime() - Date.now() : 0;
}
export const clock = () => Date.now() + drift;

const STEPS = [['minute', 60e3], ['hour', 3600e3], ['day', 864e5], ['week', 6048e5], ['month', 2629.8e6], ['year', 31557.6e6]];

/** How long ago a moment is, such as `3天前` or `3 days ago`. */
export function ago(moment) {
  const gone = clock() - new Date(moment).getTime();
  const size = Math.abs(gone);
  if (size < 60e3) return t('just-now');
  const found = STEPS.findLast(([, length]) => size >= length);
  const count = Math.floor(size / found[1]);
  return t(`${gone >= 0 ? 'ago' : 'ahead'}-${found[0]}`, { n: count });
}

/** A day, and the time of it. */
export function moment(text) {
  if (!text) return '';
  return new Date(text).toLocaleString(locale(), { dateStyle: 'medium', timeStyle: 'short' });
}
/** A day as briefly as an axis needs it. */
export const shortDay = (text) => new Date(text).toLocaleDateString(locale(), { day: 'numeric', month: 'short' });
export const day = (text) => (text ? new Date(text).toLocaleDateString(locale(), { dateStyle: 'medium' }) : '');

document.documentElement.lang = now === 'zh' ? 'zh-CN' : 'en';
