//! Turns of a file that comes more than once: which of them their sessions have had.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use annals_storage::Reads;
use annals_types::{Body, Label, MemoryId, NamespaceId};

use crate::alignment::align;
use crate::import_log::{ASIDE, ImportLog, KnownTurn, Note};
use crate::print::Print;
use annals_engine::Error;

/// The turns of a file, in order: those that were read, and how far they were compared.
#[derive(Default)]
pub(super) struct Repeats {
    heard: VecDeque<Option<ReadTurn>>,
    sessions: HashMap<Label, Session>,
}

/// A turn that was read.
struct ReadTurn {
    session: Label,
    print: Print,
    /// It is not to be stored, whatever comes of it.
    passed: bool,
}

/// Whether a turn is known, and how it is known later where it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fate {
    pub(super) kind: Kind,
    pub(super) note: Option<Note>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It is there.
    There,
    /// It was there, and was deleted.
    Gone,
    /// It never came.
    New,
    /// It never came, and the session has something else of its id or in its place.
    Differs,
    /// Nothing: it is refused.
    Refused,
}

/// A session as the file has it.
struct Session {
    log: ImportLog,
    /// So many places it had when it was compared, and when the file began.
    places: u32,
    first: Option<u32>,
    /// The words of its turns without names that were read and not compared.
    ahead: VecDeque<u64>,
    /// The turns of the line that the first of them are.
    fits: VecDeque<(Kind, Option<(u32, KnownTurn)>)>,
    /// The words of the last one that was compared; its place, if it is known; whether it is to be
    /// stored.
    before: u64,
    at: Option<u32>,
    open: bool,
    /// Places of turns that the file has brought.
    taken: HashSet<u32>,
    /// Turns by their names, as far as they were asked for.
    names: HashMap<u64, NamedTurns>,
}

/// The turns of a name.
#[derive(Default)]
struct NamedTurns {
    /// By what they say: place, mark, whether they live; those that do first.
    said: HashMap<u64, VecDeque<(u32, u64, bool)>>,
    /// Whether there were some before the file, and whether one of them lives.
    before: Option<bool>,
}

impl Fate {
    pub(super) fn is_to_store(&self, bring_back: bool) -> bool {
        match self.kind {
            Kind::There => false,
            Kind::Gone => bring_back,
            Kind::New | Kind::Differs | Kind::Refused => true,
        }
    }
}

impl Repeats {
    /// Reads a turn; `None` for one that is refused. `passed` says that it is not to be stored in
    /// any case. Answers its session, when the file had no turn of it before.
    pub(super) fn hear(
        &mut self,
        body: Option<&Body>,
        ns: NamespaceId,
        passed: bool,
    ) -> Option<(Label, ImportLog)> {
        let Some((label, print)) =
            body.and_then(|body| Some((&body.turn.as_ref()?.session, Print::of(body))))
        else {
            self.heard.extend((!passed).then_some(None));
            return None;
        };
        let fresh = !self.sessions.contains_key(label);
        let session = self
            .sessions
            .entry(label.clone())
            .or_insert_with(|| Session::new(ImportLog::of(ns, label)));
        if !print.is_named() {
            session.ahead.push_back(print.words);
        }
        self.heard.push_back(Some(ReadTurn {
            session: label.clone(),
            print,
            passed,
        }));
        fresh.then_some((label.clone(), session.log))
    }

    /// The sessions of the turns that are compared next.
    pub(super) fn next(&self, count: usize) -> BTreeMap<Label, ImportLog> {
        let to_store = |heard: &Option<ReadTurn>| {
            usize::from(heard.as_ref().is_none_or(|heard| !heard.passed))
        };
        let mut before = 0;
        let next = self.heard.iter().take_while(|heard| {
            before += to_store(heard);
            before <= count
        });
        let labels = next.flatten().map(|heard| &heard.session);
        labels
            .filter_map(|label| Some((label.clone(), self.sessions.get(label)?.log)))
            .collect()
    }

    /// Compares the next turns that are to be stored.
    pub(super) fn known(
        &mut self,
        reads: &dyn Reads,
        ns: NamespaceId,
        count: usize,
    ) -> Result<Vec<Fate>, Error> {
        for label in self.next(count).keys() {
            self.sessions
                .get_mut(label)
                .map_or(Ok(()), |session| session.renew(reads))?;
        }
        let mut fates = Vec::with_capacity(count);
        while fates.len() < count {
            let Some(heard) = self.heard.pop_front() else {
                break;
            };
            let Some(ReadTurn {
                session,
                print,
                passed,
            }) = heard
            else {
                fates.push(Fate {
                    kind: Kind::Refused,
                    note: None,
                });
                continue;
            };
            let Some(session) = self.sessions.get_mut(&session) else {
                continue;
            };
            let fate = if print.is_named() {
                session.by_name(reads, ns, print)?
            } else {
                session.by_words(reads, ns, print)?
            };
            fates.extend((!passed).then_some(fate));
        }
        Ok(fates)
    }

    /// Turns of a session were stored behind so many places.
    pub(super) fn stored(&mut self, session: &Label, places: u32, notes: &[(Note, MemoryId)]) {
        self.sessions
            .get_mut(session)
            .into_iter()
            .for_each(|session| session.stored(places, notes));
    }
}

impl Session {
    fn new(log: ImportLog) -> Self {
        Self {
            log,
            places: 0,
            first: None,
            ahead: VecDeque::new(),
            fits: VecDeque::new(),
            before: 0,
            at: None,
            open: false,
            taken: HashSet::new(),
            names: HashMap::new(),
        }
    }

    /// Rows read of the session before may be gone, and another import may have brought turns.
    fn renew(&mut self, reads: &dyn Reads) -> Result<(), Error> {
        self.names.clear();
        let places = self.log.places(reads)?.unwrap_or_default();
        self.first = self.first.or(Some(places));
        if std::mem::replace(&mut self.places, places) != places {
            self.fits.clear();
        }
        Ok(())
    }

    fn stored(&mut self, places: u32, notes: &[(Note, MemoryId)]) {
        for (note, place) in notes.iter().map(|(note, _)| note).zip(places..) {
            self.taken.insert(note.again_at.unwrap_or(place));
            if self.open && !note.print.is_named() {
                self.at = Some(place);
            }
            self.places = place.saturating_add(1);
        }
    }

    /// As many turns of a name that say the same are known as there were.
    fn by_name(&mut self, reads: &dyn Reads, ns: NamespaceId, print: Print) -> Result<Fate, Error> {
        let note = |again_at| {
            Some(Note {
                print,
                before: 0,
                again_at,
            })
        };
        let (mut gone, mut changed) = (None, None);
        for name in print.names() {
            if let std::collections::hash_map::Entry::Vacant(vacant) = self.names.entry(name) {
                vacant.insert(NamedTurns::read(
                    reads,
                    ns,
                    self.log,
                    (name, self.first.unwrap_or_default()),
                )?);
            }
            let Some(named) = self.names.get_mut(&name) else {
                continue;
            };
            match named.find(&print, &self.taken) {
                Some((place, true)) => {
                    self.taken.insert(place);
                    return Ok(Fate {
                        kind: Kind::There,
                        note: None,
                    });
                }
                Some((place, false)) => gone = gone.or(Some(place)),
                None if print.id == Some(name) => changed = named.before,
                None => {}
            }
        }
        self.taken.extend(gone);
        let kind = match (gone, changed) {
            (Some(_), _) | (None, Some(false)) => Kind::Gone,
            (None, Some(true)) => Kind::Differs,
            (None, None) => Kind::New,
        };
        Ok(Fate {
            kind,
            note: note(gone),
        })
    }

    /// A turn without a name is known by what stands around it.
    fn by_words(
        &mut self,
        reads: &dyn Reads,
        ns: NamespaceId,
        print: Print,
    ) -> Result<Fate, Error> {
        if self.fits.is_empty() {
            self.align(reads)?;
        }
        self.ahead.pop_front();
        let (kind, found) = self.fits.pop_front().unwrap_or((Kind::New, None));
        let before = std::mem::replace(&mut self.before, print.words);
        let note = |again_at| {
            Some(Note {
                print,
                before,
                again_at,
            })
        };
        self.open = found.is_none();
        let Some((place, turn)) = found else {
            return Ok(Fate {
                kind,
                note: note(None),
            });
        };
        self.at = Some(place);
        self.taken.insert(place);
        Ok(match turn.id {
            Some(id) if lives(reads, ns, &[id])? == [true] => Fate {
                kind: Kind::There,
                note: None,
            },
            _ => Fate {
                kind: Kind::Gone,
                note: note(Some(place)),
            },
        })
    }

    /// Looks for all turns that were read in what the session has had behind the last one.
    fn align(&mut self, reads: &dyn Reads) -> Result<(), Error> {
        let from = self.at.map_or(0, |at| at.saturating_add(1));
        let mut line = self.log.line(reads, from, self.ahead.len())?;
        line.retain(|(place, _)| !self.taken.contains(place));
        let (places, turns): (Vec<u32>, Vec<KnownTurn>) = line.into_iter().unzip();
        let end = places.partition_point(|place| *place < ASIDE);
        let found = align(self.before, self.ahead.make_contiguous(), (&turns, end));
        let last = found.iter().rposition(Option::is_some).unwrap_or_default();
        let fits = (0..).zip(found).map(|(at, found)| match found {
            None if at < last => (Kind::Differs, None),
            None => (Kind::New, None),
            Some(found) => (
                Kind::There,
                places.get(found).copied().zip(turns.get(found).cloned()),
            ),
        });
        self.fits = fits.collect();
        Ok(())
    }
}

impl NamedTurns {
    /// The turns of a name; `first` is the first place of those that the file has brought.
    fn read(
        reads: &dyn Reads,
        ns: NamespaceId,
        log: ImportLog,
        (name, first): (u64, u32),
    ) -> Result<Self, Error> {
        let found = log.named(reads, name)?;
        let ids: Vec<MemoryId> = found.iter().filter_map(|(_, turn)| turn.id).collect();
        let mut turns: Vec<(bool, (u32, KnownTurn))> =
            lives(reads, ns, &ids)?.into_iter().zip(found).collect();
        turns.sort_by_key(|(lives, _)| !lives);
        let mut named = Self::default();
        for (lives, (place, turn)) in turns {
            if place < first || place >= ASIDE {
                named.before = Some(lives || named.before.unwrap_or_default());
            }
            for words in turn.words {
                named
                    .said
                    .entry(words)
                    .or_default()
                    .push_back((place, turn.mark, lives));
            }
        }
        Ok(named)
    }

    /// The next turn that says the same, and is no other by its id; whether it lives.
    fn find(&mut self, print: &Print, taken: &HashSet<u32>) -> Option<(u32, bool)> {
        let said = self.said.get_mut(&print.words)?;
        while said
            .front()
            .is_some_and(|(place, ..)| taken.contains(place))
        {
            said.pop_front();
        }
        let same = |mark: u64| mark == 0 || print.id.is_none_or(|id| id == mark);
        let found = said
            .iter()
            .find(|(place, mark, _)| same(*mark) && !taken.contains(place));
        found.map(|(place, _, lives)| (*place, *lives))
    }
}

/// Which memories are there.
fn lives(reads: &dyn Reads, ns: NamespaceId, ids: &[MemoryId]) -> Result<Vec<bool>, Error> {
    Ok(annals_records::find_rows(reads, ns, ids)?
        .iter()
        .map(Option::is_some)
        .collect())
}
