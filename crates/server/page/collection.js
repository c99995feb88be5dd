// The memories of a namespace: listed, searched, hidden, brought back and counted.
import { get, memory, post, within } from './api.js';

const PAGE = 20;
const HITS = 50;

/** Those that were forgotten stay visible until one asks for others. */
const statuses = (text) => (text ? [text] : ['active', 'forgotten']);

/** The client of a namespace; `memories` are those that were listed or found last. */
export function collection(ns) {
  let memories = [];
  const shown = async (found, signal) => (memories = await withLife(ns, found, signal));
  return {
    get memories() { return memories; },

    /** A page of those that pass `filters` (`kind status tag order past`); `page` is `next` of the one before. */
    async list(filters = {}, page, signal) {
      const { kind, tag, order, past } = filters;
      const query = { kind, tag, order, past: past ? 'true' : '', status: statuses(filters.status), limit: PAGE, after: page };
      const found = await get(within(ns, '/memories'), query, signal);
      return { items: await shown(found.memories, signal), next: found.next, total: found.total };
    },

    /** Those that answer a question, the best first, each with its reasons as `hit`. */
    async search(query, filters = {}, signal) {
      const filter = { kinds: [filters.kind].filter(Boolean), statuses: statuses(filters.status), tags: [filters.tag].filter(Boolean) };
      const answer = await post(within(ns, '/memories/search'), { query, top_k: HITS, filter }, { signal });
      const items = await shown(answer.hits.map((hit) => ({ ...hit.memory, hit })), signal);
      return { items, total: items.length, answer };
    },

    /** Hides a memory. */
    remove: (id) => post(memory(ns, id, '/forget')),

    /** Brings it back. */
    restore: (id) => post(memory(ns, id, '/restore')),

    /** How many there are (`total`), by kind (`byType`), and what else is told of the namespace. */
    async stats(signal) {
      const info = await get(within(ns), {}, signal);
      return { ...info, total: info.memories, byType: info.open?.by_kind ?? {} };
    },
  };
}

/** Memories with how often they were of use, where they have a life of their own. */
async function withLife(ns, memories, signal) {
  if (memories.length === 0) return memories;
  const { standings } = await get(within(ns, '/standings'), { id: memories.map((found) => found.id) }, signal);
  const known = new Map(standings.map((standing) => [standing.id, standing]));
  return memories.map((found) => {
    const standing = known.get(found.id);
    return standing ? { ...found, accesses: standing.used, importance: standing.importance, score: standing.score } : found;
  });
}
