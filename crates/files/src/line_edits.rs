//! A file of lines beside what it said when it was written.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::markdown::{CoreRead, CoreSide, edited_lines};
use annals_types::MemoryId;

use crate::held::FileMemory;
use crate::lines::{line_note, text_of};
use crate::noted::{self, NotedMemory};
use crate::record::Record;

/// The changes of a person to the lines of a file.
#[derive(Default)]
pub(super) struct LineEdits<'a> {
    /// The memories that stand in it as they are.
    pub(super) stand: Vec<NotedMemory>,
    /// Lines that are new.
    pub(super) new: Vec<&'a CoreRead>,
    /// Lines whose text changed, with the text before.
    pub(super) edited: Vec<(OldLine, &'a CoreRead)>,
    /// Lines that were taken out.
    pub(super) gone: Vec<OldLine>,
}

/// A line as it was written.
pub(super) struct OldLine {
    pub(super) noted: NotedMemory,
    /// The text that the memory has now.
    pub(super) text: String,
    stays: bool,
}

impl OldLine {
    /// Whether the memory's text is another by now than the one that stood in the file.
    pub(super) fn says_other(&self) -> bool {
        noted::hash(&self.text) != self.noted.hash
    }
}

/// The kind and the hash of a line: lines with the same key are the same.
type Key<'a> = (&'a str, u64);

fn key(noted: &NotedMemory) -> Key<'_> {
    (&noted.kind, noted.hash)
}

fn key_of(line: &CoreRead) -> Key<'_> {
    (&line.kind, noted::hash(&line.content))
}

impl<'a> LineEdits<'a> {
    /// Compares the lines of a file with what is known of it. `shows` tells whether it would show a
    /// memory.
    pub(super) fn new(
        lines: &'a [CoreRead],
        record: Record,
        held: &[FileMemory],
        shows: impl Fn(&FileMemory) -> bool,
    ) -> Self {
        let there: BTreeMap<Key<'_>, &CoreRead> =
            lines.iter().map(|line| (key_of(line), line)).collect();
        let before = record.baseline(|noted| there.contains_key(&key(noted)).then_some(true));
        let known: BTreeSet<Key<'_>> = before.iter().map(key).collect();
        // A memory that the file does not show is not what the person wrote: it may be about to
        // end.
        let mut shown: HashMap<(&str, String), &FileMemory> = HashMap::new();
        for held in held.iter().filter(|held| shows(held)) {
            shown
                .entry((held.memory.body.kind.as_str(), text_of(held)))
                .or_insert(held);
        }
        let (mut stand, mut after, mut seen) =
            (Vec::<NotedMemory>::new(), Vec::new(), BTreeSet::new());
        // The same line twice says it once.
        for line in lines.iter().filter(|line| seen.insert(key_of(line))) {
            let stays = known.contains(&key_of(line));
            let same = || shown.get(&(line.kind.as_str(), line.content.clone()));
            match if stays { None } else { same() } {
                Some(held) => stand.push(line_note(&line.kind, &line.content, held.memory.id)),
                None => after.push((line, stays)),
            }
        }
        let named: BTreeSet<MemoryId> = stand.iter().map(|noted| noted.id).collect();
        let by_id: BTreeMap<MemoryId, &FileMemory> =
            held.iter().map(|held| (held.memory.id, held)).collect();
        let old = |noted: &NotedMemory| {
            let line = there.get(&key(noted)).map(|line| line.content.clone());
            // A memory that was deleted meanwhile was not taken out by a person.
            let memory = || {
                by_id
                    .get(&noted.id)
                    .filter(|held| !named.contains(&held.memory.id))
                    .map(|held| text_of(held))
            };
            Some(OldLine {
                noted: noted.clone(),
                stays: line.is_some(),
                text: line.or_else(memory)?,
            })
        };
        let mut found = Self::paired(before.iter().filter_map(old).collect(), &after);
        found.stand.append(&mut stand);
        found
    }

    /// Parts what was edited from what is gone and what is new.
    fn paired(old: Vec<OldLine>, after: &[(&'a CoreRead, bool)]) -> Self {
        let before: Vec<CoreSide<'_>> = old
            .iter()
            .map(|it| CoreSide {
                kind: &it.noted.kind,
                content: &it.text,
                stays: it.stays,
            })
            .collect();
        let now: Vec<CoreSide<'_>> = after
            .iter()
            .map(|(line, stays)| CoreSide {
                kind: &line.kind,
                content: &line.content,
                stays: *stays,
            })
            .collect();
        let became: BTreeMap<usize, usize> = edited_lines(&before, &now).into_iter().collect();
        let edited: BTreeSet<usize> = became.values().copied().collect();
        let is_new =
            |(at, (_, stays)): &(usize, &(&CoreRead, bool))| !stays && !edited.contains(at);
        let new = after
            .iter()
            .enumerate()
            .filter(is_new)
            .map(|(_, (line, _))| *line)
            .collect();
        let mut found = Self {
            new,
            ..Self::default()
        };
        for (at, old) in old.into_iter().enumerate() {
            match became.get(&at).and_then(|at| after.get(*at)) {
                _ if old.stays => found.stand.push(old.noted),
                Some((line, _)) => found.edited.push((old, line)),
                None => found.gone.push(old),
            }
        }
        found
    }
}
