//! The changes that decisions make, with all that is needed to change them back.

use annals_graph::TripleId;
use annals_lifecycle::State;
use annals_storage::Reads;
use annals_types::profile::ReviewKind;
use annals_types::{Body, Label, MemoryId, NamespaceId, Row, Status, Timestamp};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::suspicions::Suspected;

/// Something that a decision changed, with what is needed to change it back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Effect {
    /// A review came to its end.
    Review {
        id: MemoryId,
        kind: ReviewKind,
        score: f64,
    },
    /// The worth of a memory, or its class.
    Life {
        id: MemoryId,
        from: Worth,
        to: Worth,
    },
    /// The status of a memory.
    Status {
        id: MemoryId,
        from: Status,
        to: Status,
    },
    /// Until when a memory is true.
    Until {
        id: MemoryId,
        from: Option<Timestamp>,
        to: Timestamp,
    },
    /// A memory got another text or other traits: its revisions before and after.
    Revised { id: MemoryId, from: u32, to: u32 },
    /// A caller gave a memory another text or other traits: revision `from` of `id` became
    /// revision `to` of `by`, which is the same id or the one that took its place. `said` means
    /// that the edit came with triples of its own.
    Edited {
        id: MemoryId,
        from: u32,
        by: MemoryId,
        to: u32,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        said: bool,
    },
    /// Two memories were linked.
    Linked {
        from: MemoryId,
        relation: Label,
        to: MemoryId,
    },
    /// The memory that arrived under this id was not stored as one of its own.
    Absorbed {
        id: MemoryId,
        body: Box<Body>,
        into: MemoryId,
        status: Status,
    },
    /// A memory took over triples of another one: those that it did not have before, and those
    /// that it had.
    Said {
        id: MemoryId,
        of: MemoryId,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        brought: Vec<TripleId>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        shared: Vec<TripleId>,
    },
    /// A memory that arrived took the place of another one, under its own id.
    Replaced { id: MemoryId, by: MemoryId },
    /// A memory was deleted.
    Deleted { id: MemoryId },
    /// Two memories that may contradict each other wait no more.
    Suspected {
        newer: MemoryId,
        older: MemoryId,
        suspected: Suspected,
    },
    /// An extension of this name changed something, and takes it back by the payload. `about`
    /// exists after the change, `words` describe it.
    Extension {
        name: String,
        words: String,
        payload: serde_json::Value,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        about: Option<MemoryId>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        sources: Vec<MemoryId>,
    },
}

/// The part of a memory's life that a rule or a verdict can change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Worth {
    pub value: f64,
    pub at: Timestamp,
    pub class: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// What rules have left of the score, from 0 to 1.
    #[serde(default = "whole", skip_serializing_if = "is_whole")]
    pub lowered: f32,
}

const fn whole() -> f32 {
    1.0
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_whole(share: &f32) -> bool {
    *share >= whole()
}

impl Worth {
    pub(crate) fn of(state: &State) -> Self {
        let State {
            value,
            at,
            expires_at,
            lowered,
            ..
        } = *state;
        Self {
            value,
            at,
            class: state.class.clone(),
            expires_at,
            lowered,
        }
    }

    /// That of a row now; `None` for one without a life of its own.
    pub fn now(reads: &dyn Reads, ns: NamespaceId, row: Row) -> Result<Option<Self>, Error> {
        Ok(annals_lifecycle::states(reads, ns, &[row])?
            .into_iter()
            .flatten()
            .next()
            .as_ref()
            .map(Self::of))
    }

    /// The change of a memory from what it was to what it is now, if there was one.
    pub fn changed(
        reads: &dyn Reads,
        ns: NamespaceId,
        (id, row): (MemoryId, Row),
        from: Option<Self>,
    ) -> Result<Option<Effect>, Error> {
        let to = Self::now(reads, ns, row)?;
        let both = from.zip(to).filter(|(from, to)| from != to);
        Ok(both.map(|(from, to)| Effect::Life { id, from, to }))
    }
}

impl Effect {
    /// The memories that it is about and that are there after it.
    pub(crate) fn memories(&self) -> Vec<MemoryId> {
        match self {
            Self::Review { id, .. }
            | Self::Life { id, .. }
            | Self::Status { id, .. }
            | Self::Until { id, .. }
            | Self::Revised { id, .. }
            | Self::Said { id, .. } => vec![*id],
            Self::Linked { from, to, .. } => vec![*from, *to],
            Self::Edited { id, by, .. } => vec![*id, *by],
            Self::Absorbed { into, .. } => vec![*into],
            Self::Replaced { by, .. } => vec![*by],
            Self::Deleted { .. } => Vec::new(),
            Self::Extension { about, .. } => about.iter().copied().collect(),
            Self::Suspected { newer, older, .. } => vec![*newer, *older],
        }
    }

    /// The sources of the text that it holds.
    pub(crate) fn sources(&self) -> &[MemoryId] {
        match self {
            Self::Absorbed { body, .. } => &body.provenance,
            Self::Extension { sources, .. } => sources,
            _ => &[],
        }
    }

    /// A memory that is not there because of it.
    pub(crate) fn absent(&self) -> Option<MemoryId> {
        match self {
            Self::Absorbed { id, .. } | Self::Deleted { id } => Some(*id),
            _ => None,
        }
    }

    /// The score at which a memory was reviewed.
    pub(crate) fn worth(&self) -> Option<f64> {
        match self {
            Self::Review { score, .. } => Some(*score),
            _ => None,
        }
    }

    /// In words; `worth` is the score of a memory that was reviewed.
    pub(crate) fn words(&self, worth: Option<f64>) -> Option<String> {
        let moment = |until: &Option<Timestamp>| {
            until.map_or_else(|| "now on".to_owned(), |until| until.to_string())
        };
        Some(match self {
            // The answer tells of the end of a wait.
            Self::Review { .. } | Self::Suspected { .. } => return None,
            Self::Life { from, to, .. } if from.class != to.class => {
                format!("class {} to {}", from.class, to.class)
            }
            Self::Life { from, to, .. } => format!(
                "score {:.3} to {:.3}",
                worth.unwrap_or(from.value),
                to.value
            ),
            Self::Status { id, from, to } => format!("{id}: {} to {}", from.as_str(), to.as_str()),
            Self::Until { id, from: None, to } => format!("{id}: true until {to}"),
            Self::Until { id, from, to } => format!("{id}: true until {to}, not {}", moment(from)),
            Self::Said { brought, .. } if brought.is_empty() => return None,
            Self::Said {
                id, of, brought, ..
            } => format!("{id} says {} triples of {of}", brought.len()),
            Self::Revised { id, from, to } => format!("{id}: revision {from} to {to}"),
            Self::Edited {
                id, from, by, to, ..
            } if id == by => format!("{id}: revision {from} to {to}"),
            Self::Edited { id, by, .. } => format!("{id} was replaced by {by}"),
            Self::Linked { from, relation, to } => format!("link {from} {relation} {to}"),
            Self::Absorbed { id, into, .. } => format!("{id} was not stored beside {into}"),
            Self::Replaced { id, by } => format!("{id} was replaced by {by}"),
            Self::Deleted { id } => format!("{id}: deleted"),
            Self::Extension { words, .. } => words.clone(),
        })
    }

    /// Whether it is about the status of a memory.
    pub(crate) const fn is_status(&self) -> bool {
        matches!(self, Self::Status { .. })
    }

    /// Whether taking it back lets a memory say something.
    pub(crate) fn gives_back(&self, to: MemoryId) -> bool {
        match self {
            Self::Said {
                of,
                brought,
                shared,
                ..
            } => *of == to && !(brought.is_empty() && shared.is_empty()),
            _ => false,
        }
    }

    /// Whether there is anything left to change back.
    pub(crate) const fn can_be_undone(&self) -> bool {
        !matches!(self, Self::Deleted { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(byte: u8) -> MemoryId {
        MemoryId::from_bytes([byte; 16])
    }

    #[test]
    fn effects_have_a_frozen_form() {
        let at = Timestamp::from_millis(1_000);
        let body = annals_types::NewMemory::builder("likes tea")
            .build()
            .unwrap()
            .into_body();
        let effects = [
            Effect::Status {
                id: id(1),
                from: Status::Active,
                to: Status::Forgotten,
            },
            Effect::Until {
                id: id(1),
                from: None,
                to: at,
            },
            Effect::Revised {
                id: id(1),
                from: 1,
                to: 2,
            },
            Effect::Edited {
                id: id(1),
                from: 2,
                by: id(1),
                to: 3,
                said: false,
            },
            Effect::Edited {
                id: id(1),
                from: 2,
                by: id(2),
                to: 1,
                said: true,
            },
            Effect::Linked {
                from: id(1),
                relation: Label::new("relation", "causes").unwrap(),
                to: id(2),
            },
            Effect::Absorbed {
                id: id(1),
                body: Box::new(body.clone()),
                into: id(2),
                status: Status::Active,
            },
            Effect::Absorbed {
                id: id(1),
                body: Box::new(body),
                into: id(2),
                status: Status::Staged,
            },
            Effect::Said {
                id: id(2),
                of: id(1),
                brought: vec![TripleId(3)],
                shared: vec![TripleId(4)],
            },
            Effect::Said {
                id: id(2),
                of: id(1),
                brought: Vec::new(),
                shared: Vec::new(),
            },
            Effect::Suspected {
                newer: id(1),
                older: id(2),
                suspected: Suspected {
                    similarity: 0.75,
                    at,
                    unclear: false,
                },
            },
            Effect::Replaced {
                id: id(1),
                by: id(2),
            },
            Effect::Deleted { id: id(1) },
            Effect::Extension {
                name: "own".to_owned(),
                words: "a mark went".to_owned(),
                payload: serde_json::json!({"mark": 7}),
                about: Some(id(2)),
                sources: vec![id(1)],
            },
        ];
        let one = "01010101-0101-0101-0101-010101010101";
        let two = "02020202-0202-0202-0202-020202020202";
        let wanted = [
            format!(r#"{{"status":{{"id":"{one}","from":"active","to":"forgotten"}}}}"#),
            format!(r#"{{"until":{{"id":"{one}","from":null,"to":"1970-01-01T00:00:01Z"}}}}"#),
            format!(r#"{{"revised":{{"id":"{one}","from":1,"to":2}}}}"#),
            format!(r#"{{"edited":{{"id":"{one}","from":2,"by":"{one}","to":3}}}}"#),
            format!(r#"{{"edited":{{"id":"{one}","from":2,"by":"{two}","to":1,"said":true}}}}"#),
            format!(r#"{{"linked":{{"from":"{one}","relation":"causes","to":"{two}"}}}}"#),
            format!(
                concat!(
                    r#"{{"absorbed":{{"id":"{one}","body":{{"layer":"semantic","kind":"fact","text":"likes tea","#,
                    r#""importance":0.5,"confidence":1.0,"verified":false}},"into":"{two}","status":"active"}}}}"#
                ),
                one = one,
                two = two
            ),
            format!(
                concat!(
                    r#"{{"absorbed":{{"id":"{one}","body":{{"layer":"semantic","kind":"fact","text":"likes tea","#,
                    r#""importance":0.5,"confidence":1.0,"verified":false}},"into":"{two}","status":"staged"}}}}"#
                ),
                one = one,
                two = two
            ),
            format!(r#"{{"said":{{"id":"{two}","of":"{one}","brought":[3],"shared":[4]}}}}"#),
            format!(r#"{{"said":{{"id":"{two}","of":"{one}"}}}}"#),
            format!(
                concat!(
                    r#"{{"suspected":{{"newer":"{one}","older":"{two}","#,
                    r#""suspected":{{"similarity":0.75,"at":"1970-01-01T00:00:01Z"}}}}}}"#
                ),
                one = one,
                two = two
            ),
            format!(r#"{{"replaced":{{"id":"{one}","by":"{two}"}}}}"#),
            format!(r#"{{"deleted":{{"id":"{one}"}}}}"#),
            format!(
                concat!(
                    r#"{{"extension":{{"name":"own","words":"a mark went","payload":{{"mark":7}},"#,
                    r#""about":"{two}","sources":["{one}"]}}}}"#
                ),
                one = one,
                two = two
            ),
        ];
        for (effect, wanted) in effects.iter().zip(wanted) {
            assert_eq!(serde_json::to_string(effect).unwrap(), wanted);
            assert_eq!(serde_json::from_str::<Effect>(&wanted).unwrap(), *effect);
        }
    }
}
