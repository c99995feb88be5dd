//! Turns of a file that comes more than once: which of them their sessions have had.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use annals_storage::Reads;
use annals_types::{Body, Label, MemoryId, NamespaceId};

use super::brought::{Brought, How, Note};
use super::course::{Course, Line, Step};
use super::print::{Print, beside};
use crate::Error;

/// The turns of a file, in order: those that were read, and how far they were compared.
#[derive(Default)]
pub(super) struct Repeats {
    heard: VecDeque<Option<Heard>>,
    sessions: HashMap<Label, Session>,
}

/// A turn that was read.
struct Heard {
    session: Label,
    print: Print,
    /// It is not to be stored, whatever comes of it.
    passed: bool,
}

/// What is known of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// It is there.
    There,
    /// It was there, and was deleted.
    Gone(Note),
    /// It never came.
    New(Note),
    /// Nothing: it is refused.
    Refused,
}

/// A session as the file has it.
struct Session {
    brought: Brought,
    line: Line,
    /// What its turns without names say that were read.
    file: Vec<u64>,
    /// How many of the first of these were passed over.
    passed: usize,
    /// How many of these were compared.
    done: usize,
    /// The first that is compared; those before it never came.
    first: usize,
    course: Option<Course>,
    /// How often names were met in the file.
    met: HashMap<u64, usize>,
    /// Its line may have grown since it was compared with.
    grown: bool,
}

impl Repeats {
    /// Reads a turn; `None` for one that is refused. `passed` says that it is not to be stored, whatever comes of it. Answers its session, when
    /// the file had no turn of it before.
    pub(super) fn hear(&mut self, body: Option<&Body>, ns: NamespaceId, passed: bool) -> Option<(Label, Brought)> {
        let Some((label, print)) = body.and_then(|body| Some((&body.turn.as_ref()?.session, Print::of(body)))) else {
            self.heard.extend((!passed).then_some(None));
            return None;
        };
        let fresh = !self.sessions.contains_key(label);
        let session = self.sessions.entry(label.clone()).or_insert_with(|| Session::new(Brought::of(ns, label)));
        if print.name().is_none() {
            session.file.push(print.words);
            session.passed += usize::from(passed);
        }
        self.heard.push_back(Some(Heard { session: label.clone(), print, passed }));
        fresh.then_some((label.clone(), session.brought))
    }

    /// The sessions of the turns that are compared next.
    pub(super) fn next(&self, count: usize) -> BTreeMap<Label, Brought> {
        let to_store = |heard: &Option<Heard>| usize::from(heard.as_ref().is_none_or(|heard| !heard.passed));
        let mut before = 0;
        let next = self.heard.iter().take_while(|heard| {
            before += to_store(heard);
            before <= count
        });
        let labels = next.flatten().map(|heard| &heard.session);
        labels.filter_map(|label| Some((label.clone(), self.sessions.get(label)?.brought))).collect()
    }

    /// Compares the next turns that are to be stored; `ended` says that no more come than were read.
    pub(super) fn known(
        &mut self,
        (reads, ns): (&dyn Reads, NamespaceId),
        count: usize,
        ended: bool,
    ) -> Result<Vec<Known>, Error> {
        self.sessions.values_mut().for_each(|session| session.grown = true);
        let mut known = Vec::with_capacity(count);
        while known.len() < count {
            let Some(heard) = self.heard.pop_front() else { break };
            let Some(Heard { session, print, passed }) = heard else {
                known.push(Known::Refused);
                continue;
            };
            let Some(session) = self.sessions.get_mut(&session) else { continue };
            let found = session.compare((reads, ns), print, ended)?;
            known.extend((!passed).then_some(found));
        }
        Ok(known)
    }

    /// The last turns of a session that were stored stand at the end of its line, which is so long now.
    pub(super) fn stored(&mut self, session: &Label, len: u32) {
        if let Some(course) = self.sessions.get_mut(session).and_then(|session| session.course.as_mut()) {
            course.place = len;
        }
    }
}

impl Session {
    fn new(brought: Brought) -> Self {
        let (file, met) = (Vec::new(), HashMap::new());
        Self { brought, line: Line::new(brought), file, passed: 0, done: 0, first: 0, course: None, met, grown: true }
    }

    fn compare(&mut self, reads: (&dyn Reads, NamespaceId), print: Print, ended: bool) -> Result<Known, Error> {
        match print.name() {
            Some(name) => self.by_name(reads, name, (print, How::Named)),
            None => self.by_place(reads, print, ended),
        }
    }

    /// As many turns of a name are known as there were.
    fn by_name(
        &mut self,
        (reads, ns): (&dyn Reads, NamespaceId),
        name: u64,
        (print, how): (Print, How),
    ) -> Result<Known, Error> {
        let stored = self.brought.named(reads, name)?;
        let met = self.met.entry(name).or_default();
        let id = stored.get(*met).copied();
        *met += 1;
        let note = Note { print, how, instead_of: id };
        Ok(match id {
            None => Known::New(note),
            Some(id) if lives((reads, ns), id)? => Known::There,
            Some(_) => Known::Gone(note),
        })
    }

    fn by_place(&mut self, (reads, ns): (&dyn Reads, NamespaceId), print: Print, ended: bool) -> Result<Known, Error> {
        if std::mem::take(&mut self.grown) {
            self.line.renew(self.brought.head(reads)?.unwrap_or_default().len);
        }
        let mut course = match self.course {
            Some(course) => course,
            None => self.begin(reads, ended)?,
        };
        let at = self.done;
        self.done += 1;
        let note = |how| Note { print, how, instead_of: None };
        if at < self.first {
            return Ok(Known::New(note(How::Line(None))));
        }
        let step = course.step(reads, &mut self.line, self.file.get(at..).unwrap_or_default())?;
        self.course = Some(course);
        match step {
            Step::Behind => Ok(Known::New(note(How::Line(None)))),
            Step::Beside => {
                let before = at.checked_sub(1).and_then(|at| self.file.get(at)).copied();
                self.by_name((reads, ns), beside(before, print.words), (print, How::Beside(before)))
            }
            Step::At(place) => match self.line.at(reads, place)?.and_then(|entry| entry.id) {
                Some(id) if lives((reads, ns), id)? => Ok(Known::There),
                _ => Ok(Known::Gone(note(How::Line(Some(place))))),
            },
        }
    }

    /// Where the file and the line meet. Of turns that were passed over, those that never came to the session are left out.
    fn begin(&mut self, reads: &dyn Reads, ended: bool) -> Result<Course, Error> {
        for first in BTreeSet::from([0, self.passed]) {
            let file = self.file.get(first..).unwrap_or_default();
            if let Some(course) = Course::begin(reads, &mut self.line, file, ended)? {
                self.first = first;
                self.course = Some(course);
                return Ok(course);
            }
        }
        let course = Course::from(self.line.len());
        self.first = self.passed;
        self.course = Some(course);
        Ok(course)
    }
}

fn lives((reads, ns): (&dyn Reads, NamespaceId), id: MemoryId) -> Result<bool, Error> {
    Ok(annals_records::find_rows(reads, ns, &[id])?.first().is_some_and(Option::is_some))
}
