//! Turns of a file that comes more than once: which of them their sessions have already.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use annals_storage::Reads;
use annals_types::{Body, Label, NamespaceId, Value};

use super::TURN_ID;
use crate::Error;
use crate::engine::histories::said_since;

/// What an import has met so far.
#[derive(Default)]
pub(super) struct Repeats(HashMap<Label, Session>);

/// A session, as it is stored and as the file has it.
#[derive(Default)]
struct Session {
    /// Its places that were read.
    places: u32,
    /// How often turns of an id, or of a time and text, are stored.
    stored: HashMap<u64, u32>,
    /// How often they were met in the file.
    met: HashMap<u64, u32>,
    /// What the turns without id or time say and have said, in order; nothing where one was deleted.
    bare: Vec<Vec<u64>>,
    course: Course,
}

/// How the turns without id or time go on in the file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Course {
    /// None was met yet, or none that is stored.
    #[default]
    Open,
    /// As the stored ones from one place on up to another.
    Along(usize, usize),
    /// With nothing that is stored.
    New,
}

impl Repeats {
    /// Which of the next turns of the file are there already: by their ids; those that have none by time, role and text; those without a time
    /// because they stand there one after the other. `passed` says that the turns are not to be stored, whatever the answer is.
    pub(super) fn known(
        &mut self,
        (reads, ns): (&dyn Reads, NamespaceId),
        turns: &[Option<&Body>],
        passed: bool,
    ) -> Result<Vec<bool>, Error> {
        let mut sessions: HashMap<&Label, Vec<(usize, &Body)>> = HashMap::new();
        for (at, body) in turns.iter().enumerate().filter_map(|(at, body)| Some((at, (*body)?))) {
            if let Some(turn) = &body.turn {
                sessions.entry(&turn.session).or_default().push((at, body));
            }
        }
        let mut known = vec![false; turns.len()];
        for (label, bodies) in sessions {
            let session = self.0.entry(label.clone()).or_default();
            session.read(reads, ns, label)?;
            for at in session.meet(&bodies, passed) {
                known.get_mut(at).into_iter().for_each(|known| *known = true);
            }
        }
        Ok(known)
    }
}

impl Session {
    /// Reads the turns that were stored since the last time.
    fn read(&mut self, reads: &dyn Reads, ns: NamespaceId, label: &Label) -> Result<(), Error> {
        let places = annals_records::session_places(reads, ns, label.as_str())?;
        if places == self.places {
            return Ok(());
        }
        let mut said = said_since(reads, ns, label, self.places)?;
        for place in self.places..places {
            let texts = said.remove(&place).unwrap_or_default();
            let Some(first) = texts.first() else {
                self.bare.push(Vec::new());
                continue;
            };
            let (id, time) = names(first);
            for name in id.into_iter().chain(time) {
                *self.stored.entry(name).or_default() += 1;
            }
            if id.or(time).is_none() {
                self.bare.push(texts.iter().map(print).collect());
            }
        }
        self.places = places;
        Ok(())
    }

    /// Goes on in the file; answers which of its turns are stored.
    fn meet(&mut self, bodies: &[(usize, &Body)], passed: bool) -> Vec<usize> {
        let mut known = Vec::new();
        let mut bare = Vec::new();
        for (at, body) in bodies {
            let (id, time) = names(body);
            let Some(name) = id.or(time) else {
                bare.push((*at, print(body)));
                continue;
            };
            let met = self.met.entry(name).or_default();
            *met += 1;
            known.extend(self.stored.get(&name).is_some_and(|stored| *stored >= *met).then_some(*at));
        }
        if bare.is_empty() {
            return known;
        }
        if self.course == Course::Open {
            self.course = match self.begin(&bare) {
                Some(place) => Course::Along(place, self.bare.len()),
                None if passed => Course::Open,
                None => Course::New,
            };
        }
        for (at, print) in bare {
            let Course::Along(place, end) = self.course else { break };
            let same = place < end && self.bare.get(place).is_some_and(|texts| fits(texts, print));
            self.course = if same { Course::Along(place + 1, end) } else { Course::New };
            known.extend(same.then_some(at));
        }
        known
    }

    /// Where the stored turns begin to be those of the file: all of these, or the first of these up to the end of the session.
    fn begin(&self, bare: &[(usize, u64)]) -> Option<usize> {
        let same = |place: &usize| {
            let stored = self.bare.get(*place..).unwrap_or_default();
            let pairs = || stored.iter().zip(bare);
            let said = pairs().filter(|(texts, _)| !texts.is_empty()).count();
            let fits = pairs().all(|(texts, (_, print))| fits(texts, *print));
            // A deleted turn may have said anything.
            (fits && 2 * said > pairs().count()).then_some(said)
        };
        let places = (0..self.bare.len()).filter_map(|place| Some((same(&place)?, Reverse(place))));
        places.max().map(|(_, Reverse(place))| place)
    }
}

fn fits(texts: &[u64], print: u64) -> bool {
    texts.is_empty() || texts.contains(&print)
}

/// By what a turn is known: its id where it came from, and its time with what it says.
fn names(body: &Body) -> (Option<u64>, Option<u64>) {
    let id = match body.metadata.get(TURN_ID) {
        Some(Value::Text(id)) => Some(number(id)),
        _ => None,
    };
    (id, body.event_time.map(|time| number((time.as_millis(), print(body)))))
}

/// What a turn says, as a number.
fn print(body: &Body) -> u64 {
    let turn = body.turn.as_ref();
    let reply = turn.and_then(|turn| turn.reply.as_deref());
    number((turn.map(|turn| turn.role.to_byte()), reply, body.text.as_str()))
}

fn number(it: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    it.hash(&mut hasher);
    hasher.finish()
}
