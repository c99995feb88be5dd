//! The reading of a file: what its reader is given, and what it gives.

use annals_engine::Error;
use annals_types::Timestamp;
use serde_json::Value;

use super::clock::FileZone;
use super::file::ImportFile;
use super::items::{Item, Items, Part, Place};
use super::outline::Outline;
use super::record::{ImportRecord, ImportedEntity, ImportedMemory, ReadOptions, ReadSummary};
use crate::BadLine;
use crate::json::JsonFault;
use crate::turn::ConversationTurn;

pub(super) use super::drafts::{Fact, Said};
pub(super) use super::values::{
    attachment, call, first_text, flag, free, id, label, list, statement, text, time,
};

/// Turns and memories that are given on at a time.
const BATCH: usize = 500;
/// Bytes of refused records that are kept.
const BAD_BYTES: usize = 32 << 20;
/// The same where a session has turns without ids and times.
const UNNAMED: usize = 50_000;
/// The longest text of a memory that is no turn: longer ones are cut into parts.
const TEXT_BYTES: usize = 8 << 10;

pub(super) const THOUGHTS: &str = "thoughts";
pub(super) const TOOLS: &str = "calls of tools and their results";
pub(super) const SILENT: &str = "messages without a text";
pub(super) const PROGRAM: &str = "entries of the program";
pub(super) const INSTRUCTIONS: &str = "instructions";
pub(super) const BRANCHES: &str = "turns of branches that were not kept";
pub(super) const UNKNOWN: &str = "entries of unknown types";
pub(super) const DELETED_MEMORIES: &str = "memories that were deleted";
pub(super) const DELETED: &str = "messages that were deleted";

/// Takes what is read.
pub(super) type Sink<'a> = dyn FnMut(ImportRecord) -> Result<(), Error> + 'a;

/// Takes a record with its path.
type TakeRecord<'a, 'f> = dyn FnMut(&mut Reading<'a>, &str, Value) -> Result<(), Error> + 'f;

pub(super) struct Reading<'a> {
    pub(super) file: &'a ImportFile,
    pub(super) outline: &'a Outline,
    pub(super) options: &'a ReadOptions,
    pub(super) zone: FileZone,
    pub(super) summary: ReadSummary,
    format: &'static str,
    sink: &'a mut Sink<'a>,
    turns: Vec<ConversationTurn>,
    memories: Vec<ImportedMemory>,
    entities: Vec<ImportedEntity>,
    bad_bytes: usize,
    /// The line of the record that is read, and its bytes.
    line: u64,
    raw: Vec<u8>,
    /// Whether a turn that was not given on has neither an id nor a time.
    has_unnamed: bool,
}

impl<'a> Reading<'a> {
    pub(super) fn new(
        format: &'static str,
        (file, outline): (&'a ImportFile, &'a Outline),
        options: &'a ReadOptions,
        sink: &'a mut Sink<'a>,
    ) -> Result<Self, Error> {
        Ok(Self {
            file,
            outline,
            options,
            zone: FileZone::named(options.zone.as_deref())?,
            summary: ReadSummary::default(),
            format,
            sink,
            turns: Vec::new(),
            memories: Vec::new(),
            entities: Vec::new(),
            bad_bytes: 0,
            line: 0,
            raw: Vec::new(),
            has_unnamed: false,
        })
    }

    /// The name of its format.
    pub(super) const fn format(&self) -> &'static str {
        self.format
    }

    /// The first record that tells the form of the file.
    pub(super) fn first(&self) -> Option<&'a Value> {
        match self.outline {
            Outline::Json(values) => values.first(),
            _ => None,
        }
    }

    /// The first of some fields that is a time; one without a zone is of the clocks of the file.
    pub(super) fn time(&self, value: &Value, fields: &[&str]) -> Option<Timestamp> {
        fields.iter().find_map(|field| match value.get(field)? {
            Value::String(text) => self.zone.read(text),
            other => crate::written::moment(other),
        })
    }

    /// The name of a conversation that has none.
    pub(super) fn session_name(&self) -> String {
        label(
            &self
                .options
                .session
                .clone()
                .unwrap_or_else(|| self.file.session_name()),
        )
    }

    /// Gives each record of a file of JSON to `take`, with its path; records are found below
    /// `entered`. What is no JSON is refused.
    pub(super) fn each(
        &mut self,
        entered: &[&str],
        take: &mut TakeRecord<'a, '_>,
    ) -> Result<(), Error> {
        let mut input = self.file.open()?;
        let mut items = Items::new(&mut *input, entered);
        while let Some(mut item) = items.next()? {
            match item.value() {
                _ if matches!(item.part, Part::Begin | Part::End) => {}
                Ok(value) => {
                    self.line = item.place.line;
                    if let Part::Whole(bytes) = &mut item.part {
                        self.raw = std::mem::take(bytes);
                    }
                    take(self, &item.path, value)?;
                }
                Err((place, fault)) => self.refuse_item(item, place, &fault)?,
            }
        }
        Ok(())
    }

    /// Looks at the values before the file is read: nothing is refused, and a file that ends early
    /// is looked at as far as it goes.
    pub(super) fn look(
        &mut self,
        entered: &[&str],
        take: &mut dyn FnMut(&Value),
    ) -> Result<(), Error> {
        let mut input = self.file.open()?;
        let mut items = Items::new(&mut *input, entered);
        while let Some(item) = items.next()? {
            if let Ok(value) = item.value() {
                take(&value);
            }
        }
        Ok(())
    }

    fn refuse_item(&mut self, item: Item, place: Place, fault: &JsonFault) -> Result<(), Error> {
        let bytes = match item.part {
            Part::Whole(bytes) | Part::Broken { bytes, .. } => bytes,
            Part::Begin | Part::End => Vec::new(),
        };
        let fault = match fault {
            JsonFault::Syntax { .. } => JsonFault::Syntax {
                column: usize::try_from(place.column).unwrap_or(usize::MAX),
            },
            other => other.clone(),
        };
        self.refuse(place.line, &fault, bytes)
    }

    /// The record that is read, which cannot be used.
    ///
    /// # Errors
    /// As [`refuse`](Self::refuse).
    pub(super) fn refuse_record(&mut self, fault: &JsonFault) -> Result<(), Error> {
        let bytes = std::mem::take(&mut self.raw);
        self.refuse(self.line, fault, bytes)
    }

    /// A record that cannot be read.
    ///
    /// # Errors
    /// Its own, where records are not passed over, and where there are too many.
    pub(super) fn refuse(
        &mut self,
        line: u64,
        fault: &JsonFault,
        bytes: Vec<u8>,
    ) -> Result<(), Error> {
        self.bad_bytes = self.bad_bytes.saturating_add(bytes.len());
        if !self.options.skip_bad || self.bad_bytes > BAD_BYTES {
            return Err(Error::bad_line_worded(line, fault, Some(fault.wording())));
        }
        let wording = Some(fault.wording());
        self.summary.bad.push(BadLine {
            line,
            reason: fault.to_string(),
            wording,
            bytes,
        });
        Ok(())
    }

    /// Takes note of what becomes nothing.
    pub(super) fn leave(&mut self, what: &'static str) {
        self.leave_many(what, 1);
    }

    pub(super) fn leave_many(&mut self, what: &'static str, count: usize) {
        if count > 0 {
            *self.summary.left_out.entry(what).or_default() +=
                u64::try_from(count).unwrap_or(u64::MAX);
        }
    }

    /// Takes a turn; one that says nothing is left out.
    pub(super) fn turn(&mut self, said: Said) {
        if said.text.trim().is_empty() {
            return self.leave(SILENT);
        }
        self.push(said.into_turn(self.format));
    }

    /// Between two turns of a session that cannot be taken for each other: here those before may be
    /// given on. A turn that only its neighbours tell apart needs them beside it.
    pub(super) fn pause(&mut self) -> Result<(), Error> {
        let most = if self.has_unnamed { UNNAMED } else { BATCH };
        if self.turns.len() < most {
            Ok(())
        } else {
            self.give_turns()
        }
    }

    /// Behind a session that comes no more.
    pub(super) fn end_session(&mut self) -> Result<(), Error> {
        if self.turns.len() < BATCH {
            Ok(())
        } else {
            self.give_turns()
        }
    }

    fn give_turns(&mut self) -> Result<(), Error> {
        self.has_unnamed = false;
        (self.sink)(ImportRecord::Turns(std::mem::take(&mut self.turns)))
    }

    /// Takes a memory.
    pub(super) fn memory(&mut self, fact: Fact) -> Result<(), Error> {
        if fact.text.trim().is_empty() {
            self.leave(SILENT);
            return Ok(());
        }
        let pieces = crate::parts::cut(&fact.text, TEXT_BYTES);
        let count = pieces.len();
        for (at, piece) in pieces.into_iter().enumerate() {
            let id = match (&fact.id, at) {
                (Some(id), 1..) => Some(format!("{id}#{}", at + 1)),
                (id, _) => id.clone(),
            };
            let memory = match fact.build(self.format, piece.trim()) {
                Ok(memory) => memory,
                Err(error) => {
                    let fault = JsonFault::Other {
                        field: String::new(),
                        reason: error.to_string(),
                    };
                    return self.refuse(self.line, &fault, piece.as_bytes().to_vec());
                }
            };
            self.summary.memories += 1;
            self.summary.count_time(fact.time);
            let said = if at + 1 == count {
                fact.said.clone()
            } else {
                Vec::new()
            };
            self.memories.push(ImportedMemory {
                origin: self.format.to_owned(),
                id,
                memory,
                said,
            });
        }
        if self.memories.len() >= BATCH {
            (self.sink)(ImportRecord::Memories(std::mem::take(&mut self.memories)))?;
        }
        Ok(())
    }

    /// Takes an entity.
    pub(super) fn entity(&mut self, name: &str, kind: Option<&str>) -> Result<(), Error> {
        self.summary.entities += 1;
        let kind = kind.map(label).filter(|kind| !kind.is_empty());
        self.entities.push(ImportedEntity {
            name: label(name),
            kind,
        });
        if self.entities.len() >= BATCH {
            (self.sink)(ImportRecord::Entities(std::mem::take(&mut self.entities)))?;
        }
        Ok(())
    }

    /// Gives on all that was read.
    pub(super) fn flush(&mut self) -> Result<(), Error> {
        if !self.entities.is_empty() {
            (self.sink)(ImportRecord::Entities(std::mem::take(&mut self.entities)))?;
        }
        if !self.turns.is_empty() {
            self.give_turns()?;
        }
        if !self.memories.is_empty() {
            (self.sink)(ImportRecord::Memories(std::mem::take(&mut self.memories)))?;
        }
        Ok(())
    }

    /// Takes turns as another reader made them.
    pub(super) fn turns_of(&mut self, turns: Vec<ConversationTurn>) -> Result<(), Error> {
        for turn in turns {
            if turn.is_silent() {
                self.leave(SILENT);
                continue;
            }
            let is_named = turn.id.is_some();
            self.push(turn);
            // A turn that has an id is not taken for the next one.
            if is_named {
                self.pause()?;
            }
        }
        self.pause()
    }

    fn push(&mut self, turn: ConversationTurn) {
        self.summary.count_turn(&turn);
        self.has_unnamed |= turn.id.is_none() && turn.time.is_none();
        self.turns.push(turn);
    }
}
