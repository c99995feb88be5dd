//! Which turns of a file, of those without names, are which of the session that it belongs to.

use std::collections::HashMap;

use crate::import_log::KnownTurn;

/// The turns of a file and those that their session has had.
struct Alignment<'a> {
    file: &'a [u64],
    line: &'a [KnownTurn],
    /// So many of these stand in order.
    end: usize,
    /// Where the turns of the file stand in the line.
    fits: Vec<Option<usize>>,
    taken: Vec<bool>,
}

/// Finds turns of a file, the first of which stands behind `before`, among the turns that their
/// session has had.
///
/// The file follows the session from its beginning, or begins with its last turns. Elsewhere a
/// turn is known together with the one before it, as often as both stand so, and where it stands
/// beside a known one as it did, whether or not a changed one stands between them. A match counts
/// only where more turns fit than places where file and session part: a few equal words may have
/// been said again.
///
/// The first `end` turns of the session stand in order; the places of the others are unknown.
pub(super) fn align(
    before: u64,
    file: &[u64],
    (line, end): (&[KnownTurn], usize),
) -> Vec<Option<usize>> {
    let end = if end == 0 { line.len() } else { end };
    let (fits, taken) = (vec![None; file.len()], vec![false; line.len()]);
    let mut alignment = Alignment {
        file,
        line,
        end,
        fits,
        taken,
    };
    let first = (0..file.len().min(end))
        .take_while(|at| alignment.fit(*at, *at))
        .count();
    let last = overlap(file, line.get(..end).unwrap_or(line));
    let (first, last) = ((0, first), (end.saturating_sub(last), last));
    let score = |run| alignment.score(&run_of(run));
    let (place, count) = if score(first) > score(last) {
        first
    } else {
        last
    };
    let (place, count) = if score((place, count)) > 0 {
        (place, count)
    } else {
        (0, 0)
    };
    for (at, place) in run_of((place, count)) {
        alignment.take(at, place);
    }
    alignment.pairs(before, (count, place + count));
    let told: Vec<(usize, usize)> = alignment.told().collect();
    if alignment.score(&told) > 0 {
        alignment.fits
    } else {
        vec![None; file.len()]
    }
}

fn run_of((place, count): (usize, usize)) -> Vec<(usize, usize)> {
    (0..count).map(|at| (at, place + at)).collect()
}

impl Alignment<'_> {
    fn told(&self) -> impl Iterator<Item = (usize, usize)> {
        self.fits
            .iter()
            .enumerate()
            .filter_map(|(at, place)| Some((at, (*place)?)))
    }

    fn take(&mut self, at: usize, place: usize) {
        if let (Some(fit), Some(taken)) = (self.fits.get_mut(at), self.taken.get_mut(place))
            && fit.is_none()
            && !*taken
        {
            (*fit, *taken) = (Some(place), true);
        }
    }

    /// Whether a turn of the file may be one of the line: a turn that was deleted before its words
    /// were kept may have said anything.
    fn fit(&self, at: usize, place: usize) -> bool {
        self.says(at, place)
            || (at < self.file.len() && self.line.get(place).is_some_and(|turn| turn.id.is_none()))
    }

    fn says(&self, at: usize, place: usize) -> bool {
        self.file
            .get(at)
            .zip(self.line.get(place))
            .is_some_and(|(words, turn)| turn.words.contains(words))
    }

    /// By how many the turns that fit outnumber the places where both part: one for turns that
    /// only the session has there, and one for turns that only the file has. Before the first
    /// match and behind the last one only those of the session count.
    fn score(&self, told: &[(usize, usize)]) -> isize {
        let said = told
            .iter()
            .filter(|(at, place)| self.says(*at, *place))
            .count();
        let (mut next, mut parts) = ((0, 0), 0);
        for (number, (at, place)) in told.iter().enumerate() {
            let (file, line) = (*at != next.0, *place != next.1);
            parts += usize::from(line) + usize::from(file && (line || number > 0));
            next = (at + 1, place + 1);
        }
        let (file, line) = (next.0 < self.file.len(), next.1 < self.end);
        parts += usize::from(line) + usize::from(line && file);
        said.cast_signed() - parts.cast_signed()
    }

    /// Takes turns that are known together with those before them, from a place in both on: first
    /// those that stand so once, and the turns around them; then the others, as often as they
    /// stand so.
    fn pairs(&mut self, before: u64, (first, place): (usize, usize)) {
        let mut stand = HashMap::<(u64, u64), Vec<usize>>::new();
        for (place, turn) in self.line.iter().enumerate().skip(place) {
            for words in &turn.words {
                stand.entry((turn.mark, *words)).or_default().push(place);
            }
        }
        let behind = std::iter::once(&before).chain(self.file).copied();
        let pairs: Vec<(usize, (u64, u64))> = behind
            .zip(self.file.iter().copied())
            .enumerate()
            .skip(first)
            .collect();
        let mut said = HashMap::<(u64, u64), usize>::new();
        pairs
            .iter()
            .for_each(|(_, pair)| *said.entry(*pair).or_default() += 1);
        for (at, pair) in pairs.iter().filter(|(_, pair)| said.get(pair) == Some(&1)) {
            if let Some([place]) = stand.get(pair).map(Vec::as_slice) {
                self.take(*at, *place);
            }
        }
        self.fill();
        for (at, pair) in &pairs {
            while self.fits.get(*at) == Some(&None)
                && let Some(place) = stand.get_mut(pair).and_then(Vec::pop)
            {
                self.take(*at, place);
            }
        }
    }

    /// Goes on from what is known, in both directions, up to where two turns in a row are others.
    fn fill(&mut self) {
        let told: Vec<(usize, usize)> = self.told().collect();
        for (at, place) in &told {
            self.go(*at, *place, |number, by| number.checked_add(by));
        }
        for (at, place) in told.iter().rev() {
            self.go(*at, *place, |number, by| number.checked_sub(by));
        }
    }

    fn go(&mut self, at: usize, place: usize, next: impl Fn(usize, usize) -> Option<usize>) {
        let mut changed = false;
        for by in 1.. {
            let Some((at, place)) = next(at, by).zip(next(place, by)) else {
                return;
            };
            let (fit, free) = (self.fits.get(at), self.taken.get(place) == Some(&false));
            if fit == Some(&Some(place)) {
                return;
            }
            if fit == Some(&None)
                && free
                && if changed {
                    self.says(at, place)
                } else {
                    self.fit(at, place)
                }
            {
                self.take(at, place);
                changed = false;
            } else if std::mem::replace(&mut changed, true) {
                return;
            }
        }
    }
}

/// How many of the first turns of a file are the last ones of the line: its longest beginning that
/// is an end of the line (Knuth, Morris and Pratt).
fn overlap(file: &[u64], line: &[KnownTurn]) -> usize {
    let mut borders: Vec<usize> = Vec::with_capacity(file.len());
    let extend = |borders: &[usize], mut count: usize, words: Option<&u64>| {
        while count > 0 && (words.is_none() || file.get(count) != words) {
            count = borders.get(count - 1).copied().unwrap_or_default();
        }
        count + usize::from(words.is_some() && file.get(count) == words)
    };
    for at in 0..file.len() {
        let count = borders.last().copied().unwrap_or_default();
        let border = if at == 0 {
            0
        } else {
            extend(&borders, count, file.get(at))
        };
        borders.push(border);
    }
    let last = line
        .get(line.len().saturating_sub(file.len())..)
        .unwrap_or_default();
    last.iter()
        .fold(0, |count, turn| extend(&borders, count, turn.words.first()))
}
