//! Arguments of a call, and the memories that they name.

use annals::blocking::Namespace;
use annals::messages::Messages;
use annals::{MemoryId, StoredMemory};
use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::schema::{self, Fault};
use crate::reply::Refusal;
use crate::store::Store;

/// The most ids of one call.
pub(super) const MAX_IDS: usize = 50;

/// A call on its way.
pub(super) struct Call<'a> {
    pub(super) store: &'a Store,
    pub(super) messages: &'a Messages,
    pub(super) tool: &'a str,
}

/// A memory that a call names, and where it is.
pub(super) struct Found {
    pub(super) space: Namespace,
    pub(super) memory: StoredMemory,
}

/// An argument that is not blank.
pub(super) fn given(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

impl Call<'_> {
    /// Brings the arguments into the form that the schema of the tool gives them.
    pub(super) fn fit(
        &self,
        schema: &JsonObject,
        arguments: &mut JsonObject,
    ) -> Result<(), Refusal> {
        let reason = match schema::fit(schema, arguments) {
            None => return Ok(()),
            Some(Fault::Unknown { field, known }) => {
                let field = crate::shown::line(&field, 60).0;
                self.text(
                    "mcp-unknown-field",
                    &[("field", &field), ("known", &known.join(", "))],
                )
            }
            Some(Fault::Missing { field }) => self.text("mcp-missing-field", &[("field", &field)]),
            Some(Fault::Kind { field, kind }) => {
                let given = arguments
                    .get(&field)
                    .map(Value::to_string)
                    .unwrap_or_default();
                let given = crate::shown::line(&given, 60).0;
                self.text(
                    "mcp-wrong-kind",
                    &[("field", &field), ("kind", &kind), ("given", &given)],
                )
            }
        };
        Err(self.bad(&reason))
    }

    /// Reads the arguments.
    pub(super) fn read<T: DeserializeOwned>(&self, arguments: JsonObject) -> Result<T, Refusal> {
        serde_json::from_value(Value::Object(arguments))
            .map_err(|error| self.bad(&error.to_string()))
    }

    /// The arguments are wrong, for this reason.
    pub(super) fn bad(&self, reason: &str) -> Refusal {
        // The message goes on after the reason with a stop of its own.
        let reason = reason.trim_end_matches(['.', '。']);
        self.refusal(
            "mcp-bad-arguments",
            &[("tool", self.tool), ("reason", reason)],
        )
    }

    pub(super) fn refusal(&self, id: &str, args: &[(&str, &str)]) -> Refusal {
        Refusal::message(self.messages, id, args)
    }

    pub(super) fn text(&self, id: &str, args: &[(&str, &str)]) -> String {
        let args: Vec<_> = args
            .iter()
            .map(|(name, value)| (*name, (*value).into()))
            .collect();
        self.messages.text(id, &args)
    }

    /// A number within its bounds, or the default.
    pub(super) fn within(
        &self,
        field: &str,
        value: Option<i64>,
        bounds: (u32, u32, u32),
    ) -> Result<u32, Refusal> {
        let (min, default, max) = bounds;
        let Some(value) = value else {
            return Ok(default);
        };
        let number = u32::try_from(value)
            .ok()
            .filter(|number| (min..=max).contains(number));
        number.ok_or_else(|| {
            let (min, max) = (min.to_string(), max.to_string());
            self.bad(&self.text(
                "mcp-bad-limit",
                &[("field", field), ("min", &min), ("max", &max)],
            ))
        })
    }

    /// The namespace of a scope.
    pub(super) fn namespace_of(&self, scope: &str) -> Result<&str, Refusal> {
        let reach = &self.store.reach;
        reach.of_scope(scope).ok_or_else(|| {
            let scopes = reach.scopes().join(", ");
            let scopes = if scopes.is_empty() { "-" } else { &scopes };
            self.bad(&self.text("mcp-bad-scope", &[("scopes", scopes)]))
        })
    }

    /// One id.
    pub(super) fn id(&self, text: &str) -> Result<MemoryId, Refusal> {
        let shown = crate::shown::line(text, 60).0;
        text.parse()
            .map_err(|_| self.refusal("mcp-bad-id", &[("id", &shown)]))
    }

    /// Ids, each once, in their order.
    pub(super) fn ids(&self, texts: &[String]) -> Result<Vec<MemoryId>, Refusal> {
        if texts.is_empty() || texts.len() > MAX_IDS {
            return Err(self.refusal("mcp-no-ids", &[("max", &MAX_IDS.to_string())]));
        }
        let mut ids = Vec::with_capacity(texts.len());
        for text in texts {
            let id = self.id(text)?;
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        Ok(ids)
    }

    /// The memories of these ids, and the ids that lead to none.
    pub(super) fn find(&self, ids: &[MemoryId]) -> Result<(Vec<Found>, Vec<MemoryId>), Refusal> {
        let spaces = self.store.spaces()?;
        let (mut found, mut missing) = (Vec::new(), Vec::new());
        for id in ids {
            let mut here = None;
            for space in &spaces {
                if let Some(memory) = space.get(*id)? {
                    here = Some(Found {
                        space: space.clone(),
                        memory,
                    });
                    break;
                }
            }
            match here {
                Some(memory) => found.push(memory),
                None => missing.push(*id),
            }
        }
        Ok((found, missing))
    }

    /// The same where all of them must be there.
    pub(super) fn find_all(&self, ids: &[MemoryId]) -> Result<Vec<Found>, Refusal> {
        let (found, missing) = self.find(ids)?;
        if missing.is_empty() {
            Ok(found)
        } else {
            Err(self.missing(&missing))
        }
    }

    /// The memory of an id.
    pub(super) fn find_one(&self, id: MemoryId) -> Result<Found, Refusal> {
        self.find_all(&[id])?
            .pop()
            .ok_or_else(|| self.missing(&[id]))
    }

    pub(super) fn missing(&self, ids: &[MemoryId]) -> Refusal {
        self.refusal("mcp-missing", &[("ids", &listed(ids))])
    }
}

/// Ids with commas between them.
pub(super) fn listed(ids: &[MemoryId]) -> String {
    ids.iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}
