// The frame: who is here, which namespace, which screen.
import { html, render, useEffect, useMemo, useState } from './vendor/preact-htm.js';
import { get } from './api.js';
import { language, setClock, speak, t } from './language.js';
import { follow } from './events.js';
import { useLoad } from './load.js';
import { Failure, Icon, Notices } from './pieces.js';
import { link, turn, usePlace } from './route.js';
import { SpaceContext, loadSpace } from './space.js';
import { isDark, setTheme } from './theme.js';
import { Drawer } from './memory.js';
import { Entry, forgetReason } from './screens/entry.js';
import { Overview } from './screens/overview.js';
import { Memories } from './screens/memories.js';
import { Ask } from './screens/ask.js';
import { Facts } from './screens/facts.js';
import { Conversations } from './screens/conversations.js';
import { Review } from './screens/review.js';
import { Graph } from './screens/graph.js';
import { Import } from './screens/import.js';
import { Injected } from './screens/injected.js';
import { Work } from './screens/work.js';
import { Statistics } from './screens/statistics.js';
import { Settings } from './screens/settings.js';

const SCREENS = {
  overview: Overview, memories: Memories, ask: Ask, facts: Facts, conversations: Conversations, review: Review, graph: Graph, injected: Injected,
  import: Import, work: Work, statistics: Statistics, settings: Settings,
};
const GROUPS = [['overview'], ['memories', 'ask', 'facts', 'conversations', 'review', 'graph', 'injected'], ['import', 'work', 'statistics', 'settings']];

const kept = (key) => { try { return localStorage.getItem(key); } catch { return null; } };
const keep = (key, value) => { try { localStorage.setItem(key, value); } catch { /* it lasts until a reload */ } };

function Nav({ screen, ns, close }) {
  return GROUPS.map((group, place) => html`<nav class="nav" key=${place} aria-label=${t(`nav-group-${place}`)}>${group.map((name) => html`
    <a href=${link(name, { ns })} aria-current=${name === screen ? 'page' : undefined} onClick=${close}><${Icon} name=${name} />${t(`nav-${name}`)}</a>`)}</nav>`);
}

function Side({ screen, ns, spaces, open, close }) {
  const flip = () => setTheme(isDark() ? 'light' : 'dark');
  const darkNow = isDark();
  return html`<aside class=${`side ${open ? 'open' : ''}`}>
    <a class="brand wide-only" href=${link('overview', { ns })}><img src="/page/icon.svg" alt="" />annals</a>
    <div class="space"><label for="space">${t('namespace')}</label>
      <select id="space" value=${ns ?? ''} onChange=${(event) => { turn({ ns: event.target.value, m: '', kind: '', session: '', after: '', agent: '', memory: '', of: '' }); close(); }}>
        ${spaces.map((space) => html`<option value=${space.name}>${space.name}</option>`)}
        ${spaces.length === 0 && html`<option value="">${t('none-yet')}</option>`}
      </select></div>
    <${Nav} screen=${screen} ns=${ns} close=${close} />
    <div class="side-end">
      <button class="button bare tiny" lang=${language() === 'zh' ? 'en' : 'zh'} onClick=${() => speak(language() === 'zh' ? 'en' : 'zh')}>${language() === 'zh' ? 'English' : '中文'}</button>
      <button class="button bare tiny icon" aria-label=${t(darkNow ? 'to-light' : 'to-dark')} onClick=${flip}><${Icon} name=${darkNow ? 'sun' : 'moon'} size=${16} /></button>
    </div></aside>`;
}

function Frame() {
  const { screen, params } = usePlace();
  const [open, setOpen] = useState(false);
  const [round, setRound] = useState(0);
  const spaces = useLoad((signal) => get('/v1/namespaces', {}, signal), [round]);
  const names = spaces.data?.namespaces ?? [];
  const ns = params.ns ?? [kept('annals-namespace'), names[0]?.name].find((name) => names.some((space) => space.name === name));
  const space = useLoad((signal) => loadSpace(ns, signal), [ns, round, language()]);
  useEffect(() => {
    const again = () => setRound((number) => number + 1);
    window.addEventListener('annals-changed', again);
    return () => window.removeEventListener('annals-changed', again);
  }, []);
  const there = Boolean(space.data);
  useEffect(() => {
    if (!ns || !there) return undefined;
    keep('annals-namespace', ns);
    const ending = new AbortController();
    follow(ns, ending.signal);
    return () => ending.abort();
  }, [ns, there]);
  useEffect(() => {
    document.title = `${t(`nav-${screen}`)} · annals`;
    window.scrollTo(0, 0);
  }, [screen, language()]);
  const Screen = SCREENS[screen] ?? Overview;
  const stale = space.data && space.data.ns !== ns;
  const known = useMemo(() => space.data && { ...space.data, spaces: names }, [space.data, spaces.data]);
  const needsSpace = screen !== 'overview' && screen !== 'settings' && screen !== 'work' && screen !== 'import';
  return html`<a class="skip" href="#title" onClick=${(event) => { event.preventDefault(); document.getElementById('title')?.focus(); }}>${t('skip')}</a>
    <div class="frame">
      <div class="topbar"><a class="brand" href=${link('overview', { ns })}><img src="/page/icon.svg" alt="" /><span>${t(`nav-${screen}`)}</span></a>
        <button class="button bare icon" aria-expanded=${open} aria-label=${t('menu')} onClick=${() => setOpen(!open)}><${Icon} name=${open ? 'close' : 'menu'} /></button></div>
      <${Side} screen=${screen} ns=${ns} spaces=${names} open=${open} close=${() => setOpen(false)} />
      <main class="main"><div class="screen">
        ${spaces.error ? html`<${Failure} error=${spaces.error} again=${spaces.again} />`
          : space.error ? html`<${Failure} error=${space.error} again=${space.again} />`
          : spaces.data === undefined || (ns && !space.data) || stale ? html`<p class="loading" role="status">${t('loading')}</p>`
          : html`<${SpaceContext.Provider} value=${known}>
              <${needsSpace && !ns ? Overview : Screen} key=${`${screen} ${ns}`} ns=${ns} params=${params} spaces=${names} round=${round} />
              ${params.m && ns && html`<${Drawer} key=${params.m} ns=${ns} id=${params.m} />`}
            </${SpaceContext.Provider}>`}
      </div></main>
    </div><${Notices} />`;
}

function App() {
  const [, draw] = useState(0);
  const [entered, setEntered] = useState(undefined);
  const enter = () => get('/v1/whoami').then(async () => {
    try { setClock((await get('/v1/stats')).now); } catch { /* a token of few rights sees no file */ }
    // Whoever is in already need not know that a link was used.
    forgetReason();
    setEntered(true);
  }, (error) => setEntered(error.status === 401 ? false : error));
  useEffect(() => {
    const out = () => setEntered(false);
    const again = () => draw((number) => number + 1);
    window.addEventListener('annals-signed-out', out);
    window.addEventListener('annals-language', again);
    window.addEventListener('annals-theme', again);
    enter();
    return () => { window.removeEventListener('annals-signed-out', out); window.removeEventListener('annals-language', again); window.removeEventListener('annals-theme', again); };
  }, []);
  if (entered === undefined) return html`<p class="loading entry" role="status">${t('loading')}</p>`;
  if (entered instanceof Error) return html`<main class="entry"><${Failure} error=${entered} again=${enter} /></main>`;
  return entered ? html`<${Frame} />` : html`<${Entry} enter=${enter} />`;
}

render(html`<${App} />`, document.getElementById('app'));
