//! How the turns of a file that have no names go along with those that their session has had.

use std::collections::BTreeMap;

use annals_storage::Reads;

use super::brought::{Brought, Entry};
use crate::Error;

/// Turns of a line that are read at once.
const PAGE: u32 = 256;
/// So far ahead both are searched for where they meet again.
const REACH: usize = 32;
/// So many turns tell whether a file is the whole talk.
const SAMPLE: usize = 256;
/// So many turns in a row are no chance in the middle of a line, where the file goes on.
const SURE: usize = 64;

/// The turns that a session has had, as far as they were read.
pub(super) struct Line {
    brought: Brought,
    len: u32,
    pages: BTreeMap<u32, Vec<Entry>>,
}

/// Whether a turn of the line says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fit {
    No,
    /// It was deleted before anything was kept of it.
    Maybe,
    Yes,
}

impl Line {
    pub(super) fn new(brought: Brought) -> Self {
        Self { brought, len: 0, pages: BTreeMap::new() }
    }

    /// The line is so long now, and what stood in it may have come back.
    pub(super) fn renew(&mut self, len: u32) {
        self.len = len;
        self.pages.clear();
    }

    pub(super) fn len(&self) -> u32 {
        self.len
    }

    pub(super) fn at(&mut self, reads: &dyn Reads, place: u32) -> Result<Option<&Entry>, Error> {
        let page = place / PAGE;
        if let std::collections::btree_map::Entry::Vacant(vacant) = self.pages.entry(page) {
            let first = page * PAGE;
            vacant.insert(self.brought.line(reads, first..first.saturating_add(PAGE).min(self.len))?);
        }
        let within = usize::try_from(place % PAGE).unwrap_or(usize::MAX);
        Ok(self.pages.get(&page).and_then(|page| page.get(within)))
    }

    fn fit(&mut self, reads: &dyn Reads, place: u32, words: u64) -> Result<Fit, Error> {
        Ok(match self.at(reads, place)? {
            None => Fit::No,
            Some(entry) if entry.id.is_none() => Fit::Maybe,
            Some(entry) if entry.words.contains(&words) => Fit::Yes,
            Some(_) => Fit::No,
        })
    }

    /// How many turns from a place on say what a file says, up to `most` of it; `None` where one says something else.
    fn run(&mut self, reads: &dyn Reads, place: u32, (file, most): (&[u64], usize)) -> Result<Option<usize>, Error> {
        let mut said = 0;
        for (place, words) in (place..self.len).zip(file.iter().take(most)) {
            match self.fit(reads, place, *words)? {
                Fit::No => return Ok(None),
                Fit::Maybe => {}
                Fit::Yes => said += 1,
            }
        }
        Ok(Some(said))
    }

    /// How many turns there are from a place on.
    fn left(&self, place: u32) -> usize {
        to_usize(self.len.saturating_sub(place))
    }
}

/// Where in the line the next turn of a file is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Course {
    pub(super) place: u32,
    /// Turns of the file that come before it and stand nowhere in the line.
    apart: usize,
}

/// Where a turn of the file stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// At this place of the line.
    At(u32),
    /// Nowhere: the line has something else here.
    Beside,
    /// Behind the line.
    Behind,
}

impl Course {
    /// Goes along from a place of the line on.
    pub(super) fn from(place: u32) -> Self {
        Self { place, apart: 0 }
    }

    /// Where the file meets the line; `None` where it brings nothing that is known. That is, the file is the talk from its beginning, of which
    /// most still is as it was; or a later part of it that reaches to what came last. A single turn is known only by being all that there is: the
    /// same words may be said again. `ended` says that the file brings no more than this.
    pub(super) fn begin(reads: &dyn Reads, line: &mut Line, file: &[u64], ended: bool) -> Result<Option<Self>, Error> {
        let most = u32::try_from(file.len()).unwrap_or(u32::MAX);
        let on = !ended && file.len() >= SURE;
        let first = if on { 0 } else { line.len.saturating_sub(most) };
        for place in std::iter::once(0).chain(first..line.len.saturating_sub(1)) {
            let over = line.left(place).min(file.len());
            // A deleted turn may have said anything.
            if line.run(reads, place, (file, over))?.is_some_and(|said| said > 1 && 2 * said > over) {
                return Ok(Some(Self::from(place)));
            }
        }
        Ok(is_same_talk(reads, line, file)?.then(|| Self::from(0)))
    }

    /// Goes on by a turn, the first of what is left of the file.
    pub(super) fn step(&mut self, reads: &dyn Reads, line: &mut Line, file: &[u64]) -> Result<Step, Error> {
        let Some(words) = file.first() else { return Ok(Step::Behind) };
        if self.apart > 0 {
            self.apart -= 1;
            return Ok(Step::Beside);
        }
        if self.place >= line.len {
            return Ok(Step::Behind);
        }
        if line.fit(reads, self.place, *words)? == Fit::No {
            // What is left of a line that ends soon is looked for in all of the file.
            let short = line.left(self.place) <= REACH;
            match self.meeting(reads, line, (file, if short { file.len() } else { REACH }))? {
                Some(met) => *self = met,
                None if short => {
                    self.place = line.len;
                    return Ok(Step::Behind);
                }
                None => return Ok(Step::Beside),
            }
            if self.apart > 0 {
                self.apart -= 1;
                return Ok(Step::Beside);
            }
        }
        self.place += 1;
        Ok(Step::At(self.place - 1))
    }

    /// Where line and file meet again, the nearest such place: the further it is, the more turns must fit.
    fn meeting(
        self,
        reads: &dyn Reads,
        line: &mut Line,
        (file, reach): (&[u64], usize),
    ) -> Result<Option<Self>, Error> {
        let over = line.left(self.place).min(REACH);
        for both in 1..=over + reach {
            for apart in both.saturating_sub(over)..=both.min(reach) {
                let left = both - apart;
                let Some(rest) = file.get(apart..).filter(|rest| !rest.is_empty()) else { continue };
                let place = self.place.saturating_add(u32::try_from(left).unwrap_or(u32::MAX));
                let wanted = 1 + apart.max(left).min(3);
                let Some(said) = line.run(reads, place, (rest, wanted))? else { continue };
                // Where one of both ends: as many follow as were changed, or all that is left of the line stands in the file.
                let (more, tail) = (rest.len(), line.left(place));
                let ends = more.min(tail) < wanted && said > 0;
                let alike = (apart == left && said >= apart) || more == tail || (apart == 0 && said == tail);
                if said >= wanted || (ends && alike) {
                    return Ok(Some(Self { place, apart }));
                }
            }
        }
        Ok(None)
    }
}

/// Whether a file is the talk from its beginning.
fn is_same_talk(reads: &dyn Reads, line: &mut Line, file: &[u64]) -> Result<bool, Error> {
    let sample = file.get(..SAMPLE).unwrap_or(file);
    let over = sample.len().min(line.left(0));
    if over == 0 || (file.len() == 1 && line.len > 1) {
        return Ok(false);
    }
    let mut course = Course::from(0);
    let (mut same, mut first) = (0, None);
    for at in 0..sample.len() {
        let Step::At(place) = course.step(reads, line, sample.get(at..).unwrap_or_default())? else { continue };
        let said = line.at(reads, place)?.is_some_and(|entry| entry.id.is_some());
        same += usize::from(said);
        if said && place == u32::try_from(at).unwrap_or(u32::MAX) {
            first = first.or(Some(at));
        }
    }
    Ok(match first {
        Some(0) => 2 * same > over,
        // Its first turn was changed.
        Some(1) => same >= 4 && 4 * same >= 3 * over,
        _ => false,
    })
}

fn to_usize(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
