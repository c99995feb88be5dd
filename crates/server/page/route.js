// Where the page is: the screen and its filters stand in the address, so that they stay, can be sent and gone back to.
import { useEffect, useState } from './vendor/preact-htm.js';

/** The screen and its parameters. */
export function place() {
  const text = location.hash.replace(/^#\/?/, '');
  const [screen, query] = text.split('?');
  const fallback = location.pathname === '/settings/memories' ? 'memories' : 'overview';
  return { screen: decodeURIComponent(screen) || fallback, params: Object.fromEntries(new URLSearchParams(query ?? '')) };
}

/** The address of a screen with these parameters; empty ones are left out. */
export function link(screen, params = {}) {
  const filled = Object.entries(params).filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== false);
  const query = new URLSearchParams(filled).toString();
  return `#/${screen}${query ? `?${query}` : ''}`;
}

/** Goes to a screen. */
export const go = (screen, params) => { location.hash = link(screen, params); };

/** Changes parameters of this screen; `quietly` leaves no step to go back to. */
export function turn(changes, quietly = false) {
  const { screen, params } = place();
  const to = link(screen, { ...params, ...changes });
  if (quietly) {
    history.replaceState(null, '', to);
    window.dispatchEvent(new Event('hashchange'));
  } else {
    location.hash = to;
  }
}

export function usePlace() {
  const [here, setHere] = useState(place);
  useEffect(() => {
    const moved = () => setHere(place());
    window.addEventListener('hashchange', moved);
    return () => window.removeEventListener('hashchange', moved);
  }, []);
  return here;
}
