// The calls of the server: one way out, one kind of error.
import { language } from './language.js';

const KEY = 'annals-token';
let token = read(sessionStorage, KEY) ?? '';

function read(storage, key) {
  try { return storage.getItem(key); } catch { return null; }
}

/** Sends this token from now on, until the tab is closed. */
export function useToken(text) {
  token = text;
  try { text ? sessionStorage.setItem(KEY, text) : sessionStorage.removeItem(KEY); } catch { /* it lasts until a reload */ }
}

/** What went wrong, in the words of the server (RFC 9457). */
export class Problem extends Error {
  constructor(body, status) {
    super(body.detail || body.title);
    Object.assign(this, { title: body.title, detail: body.detail ?? '', action: body.action ?? '', code: body.code, status });
    this.errors = body.errors ?? [];
  }
}

function address(path, query) {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined || value === null || value === '') continue;
    for (const one of Array.isArray(value) ? value : [value]) params.append(name, one);
  }
  const text = params.toString();
  return text ? `${path}?${text}` : path;
}

/** Sends a request and gives back the response, or throws a {@link Problem}. */
export async function request(method, path, { query, body, headers, signal, raw } = {}) {
  const all = { 'Accept-Language': language(), ...headers };
  if (token) all.Authorization = `Bearer ${token}`;
  if (body !== undefined && !raw) all['Content-Type'] = 'application/json';
  if (method !== 'GET' && !all['Idempotency-Key']) all['Idempotency-Key'] = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
  let response;
  try {
    const sent = body === undefined || raw ? body : JSON.stringify(body);
    response = await fetch(address(path, query), { method, headers: all, body: sent, signal, credentials: 'same-origin' });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Problem({ title: '', code: 'unreachable' }, 0);
  }
  if (response.ok) return response;
  const text = await response.text();
  let problem;
  try { problem = JSON.parse(text); } catch { problem = { title: `HTTP ${response.status}`, detail: text.slice(0, 300), code: 'http' }; }
  if (response.status === 401) window.dispatchEvent(new Event('annals-signed-out'));
  throw new Problem(problem, response.status);
}

/** Sends a request and gives back its JSON. */
export async function call(method, path, options) {
  const response = await request(method, path, options);
  const text = response.status === 204 ? '' : await response.text();
  return text ? JSON.parse(text) : null;
}

export const get = (path, query, signal) => call('GET', path, { query, signal });
export const post = (path, body, options) => call('POST', path, { body, ...options });
export const put = (path, body) => call('PUT', path, { body });
export const remove = (path, query) => call('DELETE', path, { query });

/** The path of a namespace, or of something in it. */
export const within = (ns, rest = '') => `/v1/namespaces/${encodeURIComponent(ns)}${rest}`;
export const memory = (ns, id, rest = '') => within(ns, `/memories/${encodeURIComponent(id)}${rest}`);

/** Saves what a path answers as a file of this name. */
export async function save(path, name, query) {
  const blob = await (await request('GET', path, { query })).blob();
  const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** Ends the session of this browser. */
export async function leave() {
  try { await post('/v1/logout'); } finally { useToken(''); window.dispatchEvent(new Event('annals-signed-out')); }
}
