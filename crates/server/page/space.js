// The namespace that the page is about: its counts, its profile, and the words of its kinds.
import { createContext, useContext } from './vendor/preact-htm.js';
import { get, within } from './api.js';
import { collection } from './collection.js';
import { has, t, word } from './language.js';

export const SpaceContext = createContext(null);
export const useSpace = () => useContext(SpaceContext);

/** Everything about a namespace that several screens need. */
export async function loadSpace(ns, signal) {
  if (!ns) return null;
  const [info, profile] = await Promise.all([collection(ns).stats(signal), get(within(ns, '/kinds'), {}, signal)]);
  return { ns, info, profile, kinds: kindsOf(info, profile) };
}

function kindsOf(info, profile) {
  const told = profile?.kinds ?? [];
  const byId = new Map(told.map((kind) => [kind.id, kind]));
  for (const id of Object.keys(info.byType)) if (!byId.has(id)) byId.set(id, { id });
  return [...byId.values()].map((kind, place) => ({ ...kind, colour: `var(--k${place % 8})`, count: info.byType[kind.id] ?? 0 }));
}

/** The label of a kind: that of the profile, or the page's own word, or the kind itself. */
export function kindLabel(space, id) {
  const kind = space?.kinds.find((kind) => kind.id === id);
  const own = has(`kind-${id}`) ? t(`kind-${id}`) : id;
  const label = kind?.label ?? own;
  return kind?.icon ? `${kind.icon} ${label}` : label;
}

/** The kinds that the filter line offers. Under the studio design those of situations are among "all" only. */
export function offeredKinds(space) {
  const shown = space.kinds.filter((kind) => !(space.info.profile === 'studio' && kind.id === 'context'));
  return shown.map((kind) => [kind.id, bare(space, kind.id)]);
}

const bare = (space, id) => {
  const kind = space.kinds.find((kind) => kind.id === id);
  return kindLabel({ ...space, kinds: [{ ...kind, icon: undefined }] }, id);
};

export const statusLabel = (status) => word('status', status);
