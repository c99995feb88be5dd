// What happens in a namespace while one looks at it: lists follow, and what somebody else stored is told.
import { request, within } from './api.js';
import { changed, isOwn, remembered } from './deeds.js';

const PATIENCE = 5000;
/** Lists are read again at most this often, however much happens. */
const PAUSE = 600;
/** More than these at once is an import, of which single memories are not told. */
const FEW = 3;

/** Follows the events of a namespace until the signal ends it. */
export async function follow(ns, signal) {
  let last = null;
  while (!signal.aborted) {
    try {
      const headers = last === null ? {} : { 'Last-Event-ID': last };
      const response = await request('GET', within(ns, '/events'), { headers, signal });
      for await (const event of parse(response.body)) {
        last = event.id ?? last;
        seen(ns, event);
      }
    } catch (error) {
      // One without the right, or a server without events: the page works without.
      if (error.name === 'AbortError' || (error.status >= 400 && error.status < 500)) return;
    }
    await new Promise((done) => setTimeout(done, PATIENCE));
  }
}

/** The events of a stream, as the format of server-sent events has them. */
async function* parse(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const fields = Object.fromEntries(text.slice(0, end).split('\n').filter((line) => !line.startsWith(':')).map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
      }));
      text = text.slice(end + 2);
      if (fields.data) yield fields;
    }
  }
}

let waiting = null;
let stored = [];

function seen(ns, event) {
  const data = JSON.parse(event.data);
  if (isOwn(data.id)) return;
  if (event.event === 'memory.created' && data.memory && data.memory.layer !== 'turn') stored.push(data.memory);
  waiting ??= setTimeout(() => {
    waiting = null;
    changed(false);
    if (stored.length <= FEW) stored.forEach((memory) => remembered(ns, memory));
    stored = [];
  }, PAUSE);
}
