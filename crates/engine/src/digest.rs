//! What somebody should know who begins a conversation.

use std::cmp::Reverse;

use annals_recall::{is_standing_instruction, standing_direction};
use annals_records::{Moment, RecordError, memories};
use annals_types::{Filter, Layer, Memory, NamespaceId, Role, Row, Timestamp};
use serde::{Deserialize, Serialize};

use crate::prototypes::is_builtin;
use crate::recall::calibration;
use crate::timed::holds_at;
use crate::{Engine, Error, View};

/// What of a memory should be known at the beginning of a conversation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Digest {
    /// What a person told to hold from now on, the latest first; what was told several times
    /// stands once, and what was told for a time ("no pushes today") ends with it.
    pub instructions: Vec<Memory>,
    /// What was said in the last other conversation, in its order: no questions, and nothing that
    /// says little by itself.
    pub last_session: Vec<Memory>,
}

/// The most instructions of a digest.
const INSTRUCTIONS: usize = 12;
/// The memories in the direction of instructions that are looked at; with another embedder than the
/// built-in one so many for each script.
const NEAREST: usize = 256;
/// The memories that are read in one round.
const READ_AT_ONCE: usize = 32;
/// The most that is shown of the last conversation.
const LAST_SESSION: usize = 6;
/// The latest turns among which those of the last conversation are looked for.
const LATEST: usize = 200;

impl Engine {
    /// The digest of a namespace for a session that begins; `session` itself is passed over.
    pub fn digest(&self, namespace: NamespaceId, session: &str) -> Result<Digest, Error> {
        let view = self.view(namespace)?;
        let snapshot = self.snapshot()?;
        let filter = Filter::default();
        let matcher = view.columns.matcher(
            &filter,
            Moment {
                now: self.now(),
                as_of: None,
            },
        );
        let own = view
            .columns
            .label_id(annals_records::LabelClass::Session, session);
        let by_a_person = |row: Row| {
            let facts = view.columns.get(row);
            matcher.matches(row)
                && facts.is_some_and(|facts| facts.role != Some(Role::Assistant) && !facts.question)
        };
        let read = |rows: &[Row]| memories(&snapshot, namespace, rows, Some(&view.columns));
        let holds = holds_at(&view.profile.settings, self.now())?;
        let (instructions, passed) = self.instructions(&view, read, &by_a_person, holds)?;
        let last = self.last_session(&view, &|row| {
            let facts = view.columns.get(row);
            let other = facts.is_some_and(|facts| {
                facts.layer == Layer::Turn && (own.is_none() || facts.session != own)
            });
            other && by_a_person(row) && !passed.contains(&row)
        });
        Ok(Digest {
            instructions,
            last_session: read(&last)?.into_iter().flatten().collect(),
        })
    }

    /// The memories that tell what holds from now on, the latest first, each thing once; and the rows
    /// of those that were met, which are told with them or hold no more.
    fn instructions(
        &self,
        view: &View,
        read: impl Fn(&[Row]) -> Result<Vec<Option<Memory>>, RecordError>,
        keep: &impl Fn(Row) -> bool,
        holds: impl Fn(&Memory) -> bool,
    ) -> Result<(Vec<Memory>, Vec<Row>), Error> {
        let mut near = self.near_instructions(view, keep)?;
        near.sort_by_key(|row| Reverse((view.columns.get(*row).map(|facts| facts.time()), *row)));
        let (mut told, mut passed): (Vec<(Row, Memory)>, Vec<Row>) = (Vec::new(), Vec::new());
        for rows in near.chunks(READ_AT_ONCE) {
            for (row, memory) in rows.iter().zip(read(rows)?) {
                let Some(memory) = memory else { continue };
                if told.len() == INSTRUCTIONS || !is_standing_instruction(&memory.body.text)? {
                    continue;
                }
                passed.push(*row);
                let is_told = |(known, _): &(Row, Memory)| says_the_same(view, *known, *row);
                if holds(&memory) && !told.iter().any(is_told) {
                    told.push((*row, memory));
                }
            }
            if told.len() == INSTRUCTIONS {
                break;
            }
        }
        Ok((told.into_iter().map(|(_, memory)| memory).collect(), passed))
    }

    /// The memories among which instructions are looked for.
    fn near_instructions(
        &self,
        view: &View,
        keep: &impl Fn(Row) -> bool,
    ) -> Result<Vec<Row>, Error> {
        let vectors = &view.vectors;
        if view.foreign.is_some() {
            return Ok(Vec::new());
        }
        if is_builtin(&view.embedder.fingerprint()) {
            let direction = vectors.shape().query(standing_direction())?;
            let hits = vectors.search(&direction, NEAREST, None, keep);
            return Ok(hits.into_iter().map(|hit| hit.row).collect());
        }
        let near = self.prototypes(&*view.embedder);
        let mut rows = near.map_or_else(Vec::new, |near| {
            near.near_instructions(vectors, NEAREST, keep)
        });
        rows.sort_unstable();
        rows.dedup();
        Ok(rows)
    }

    /// The rows of the last session that say something, in its order.
    fn last_session(&self, view: &View, keep: &impl Fn(Row) -> bool) -> Vec<Row> {
        let (first, end) = (
            Timestamp::from_millis(i64::MIN),
            Timestamp::from_millis(i64::MAX),
        );
        let mut latest = view.columns.latest_within(first, end, LATEST, keep);
        latest.sort_by_key(|row| {
            view.columns
                .get(*row)
                .map(|facts| (facts.time(), facts.row))
        });
        let session = latest
            .last()
            .and_then(|row| view.columns.get(*row))
            .and_then(|facts| facts.session);
        let prototypes = self
            .prototypes(&*view.embedder)
            .filter(|_| view.foreign.is_none());
        let says_something = |row: &Row| {
            view.columns.get(*row).is_some_and(|facts| {
                let little = prototypes
                    .as_ref()
                    .is_some_and(|p| p.says_little(&view.vectors, *row, facts.script));
                facts.session == session && !little
            })
        };
        let mut said: Vec<Row> = Vec::new();
        for row in latest.into_iter().filter(says_something) {
            if !said.iter().any(|known| says_the_same(view, *known, row)) {
                said.push(row);
            }
        }
        said.split_off(said.len().saturating_sub(LAST_SESSION))
    }
}

/// How alike two memories are that say the same, as a share of the way from unrelated to equal.
const SAME: f32 = 0.8;

fn says_the_same(view: &View, a: Row, b: Row) -> bool {
    let script = |row| view.columns.get(row).map(|facts| facts.script);
    let (Some(of_a), Some(of_b), Some(cosine)) = (script(a), script(b), view.vectors.between(a, b))
    else {
        return false;
    };
    calibration(&*view.embedder)
        .range(of_a, of_b)
        .sameness(cosine)
        >= SAME
}
