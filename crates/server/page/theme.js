// Light or dark: as the system has it, unless somebody chose.
const KEY = 'annals-theme';
const dark = window.matchMedia('(prefers-color-scheme: dark)');

export const theme = () => { try { return localStorage.getItem(KEY) ?? 'system'; } catch { return 'system'; } };
export const isDark = () => document.documentElement.dataset.theme === 'dark';

function apply(name) {
  document.documentElement.dataset.theme = name === 'system' ? (dark.matches ? 'dark' : 'light') : name;
}

export function setTheme(name) {
  try { localStorage.setItem(KEY, name); } catch { /* it lasts until a reload */ }
  apply(name);
  window.dispatchEvent(new Event('annals-theme'));
}

dark.addEventListener('change', () => apply(theme()));
apply(theme());
