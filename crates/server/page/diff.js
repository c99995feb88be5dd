// The words that changed between two texts, by the longest common subsequence.

function words(text, locale) {
  if (!Intl.Segmenter) return text.split(/(\s+)/);
  return [...new Intl.Segmenter(locale, { granularity: 'word' }).segment(text)].map((piece) => piece.segment);
}

/** The words of a text that another one has not, without those that say little by themselves. */
export function removed(before, after, locale) {
  const cut = diff(before, after, locale).filter(([sign]) => sign === -1);
  const all = cut.flatMap(([, text]) => words(text, locale).map((word) => word.trim()));
  return [...new Set(all.filter(tells).map((word) => word.toLowerCase()))];
}

/** Names, numbers and words that are long enough; two signs of Chinese are. */
const tells = (word) => /^\p{Script=Han}{2,}/u.test(word) || /\d/.test(word)
  || /^\p{Lu}/u.test(word) || word.length > 3;

/** Pieces of both texts in order: `[-1, gone]`, `[0, same]`, `[1, new]`. */
export function diff(before, after, locale) {
  const [a, b] = [words(before, locale), words(after, locale)];
  // Beyond this the table costs more than it shows.
  if (a.length * b.length > 4e6) return [[-1, before], [1, after]];
  const longest = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1) longest[i][j] = a[i] === b[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
  const pieces = [];
  const push = (sign, text) => {
    const last = pieces.at(-1);
    if (last?.[0] === sign) last[1] += text;
    else pieces.push([sign, text]);
  };
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) { push(0, a[i]); i += 1; j += 1; }
    else if (i < a.length && (j === b.length || longest[i + 1][j] >= longest[i][j + 1])) { push(-1, a[i]); i += 1; }
    else { push(1, b[j]); j += 1; }
  }
  return pieces;
}
