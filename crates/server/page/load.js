// Reading from the server: what is loaded, what failed, and pages that go on.
import { useCallback, useEffect, useRef, useState } from './vendor/preact-htm.js';

/** Loads by a function of an abort signal. What was there stays until the next is there. */
export function useLoad(work, deps) {
  const [state, setState] = useState({ loading: true });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const ending = new AbortController();
    setState((before) => ({ ...before, loading: true }));
    Promise.resolve(work(ending.signal)).then(
      (data) => !ending.signal.aborted && setState({ data, loading: false }),
      (error) => !ending.signal.aborted && setState({ error, loading: false }),
    );
    return () => ending.abort();
  }, [...deps, round]);
  const again = useCallback(() => setRound((number) => number + 1), []);
  return { ...state, again };
}

/** Loads pages: `work(after, signal)` gives `{ items, next, total }`. */
export function usePages(work, deps) {
  const [state, setState] = useState({ items: [], loading: true });
  const [round, setRound] = useState(0);
  const ending = useRef(null);
  const load = async (after, before) => {
    ending.current?.abort();
    const mine = ending.current = new AbortController();
    setState((old) => ({ ...old, loading: true, error: undefined }));
    try {
      const page = await work(after, mine.signal);
      if (mine.signal.aborted) return;
      setState({ items: [...before, ...page.items], next: page.next, total: page.total, loading: false, page });
    } catch (error) {
      if (!mine.signal.aborted) setState((old) => ({ ...old, items: before, loading: false, error }));
    }
  };
  useEffect(() => {
    load(undefined, []);
    return () => ending.current?.abort();
  }, [...deps, round]);
  return {
    ...state,
    more: () => load(state.next, state.items),
    again: () => setRound((number) => number + 1),
    change: (edit) => setState((old) => ({ ...old, ...edit(old) })),
  };
}

/** The value, once it has not changed for a while. */
export function useSettled(value, wait = 180) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), wait);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
