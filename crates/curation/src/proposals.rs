//! Findings of conversations that wait for a person before they are carried out.

use std::collections::HashSet;
use std::ops::ControlFlow;

use annals_storage::table::scan_rows;
use annals_storage::{Reads, Table, Transaction};
use annals_types::{
    Body, Extracted, InvalidValue, MemoryId, NamespaceId, NewMemory, Rewrite, Said, Statement,
    Timestamp, UnitScore,
};
use serde::{Deserialize, Serialize};

use crate::ProposalAction;
use crate::conversations::NAME;
use annals_engine::WriteCx;
use annals_engine::decisions::{self, Decided};
use annals_engine::effect::Effect;
use annals_engine::json::Json;
use annals_engine::{DecisionQuestion, Error, Refusal};

/// The proposals that wait for a person.
pub(crate) const PROPOSALS: Table<(NamespaceId, MemoryId), Json<Proposed>> =
    Table::new("annals.proposals");

/// A proposal as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proposed {
    pub action: ProposalAction,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<MemoryId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Body>,
    /// Whether kind and importance were found, or are to be the profile's.
    #[serde(default)]
    said_kind: bool,
    #[serde(default)]
    said_importance: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    triples: Vec<Statement>,
    pub found_at: Timestamp,
}

impl Proposed {
    /// The proposal of a finding; `None` for one that needs no consent.
    pub(crate) fn of(found: Extracted, found_at: Timestamp) -> Option<Self> {
        let with = |action, about, memory: Option<NewMemory>, triples| Self {
            action,
            about,
            said_kind: memory.as_ref().is_some_and(|memory| memory.said().kind),
            said_importance: memory
                .as_ref()
                .is_some_and(|memory| memory.said().importance),
            body: memory.map(NewMemory::into_body),
            triples,
            found_at,
        };
        Some(match found {
            Extracted::Add(memory) => with(ProposalAction::Add, None, Some(memory), Vec::new()),
            Extracted::AddSaying(memory, triples) => {
                with(ProposalAction::Add, None, Some(memory), triples)
            }
            Extracted::Update(id, memory) => {
                with(ProposalAction::Update, Some(id), Some(memory), Vec::new())
            }
            Extracted::UpdateSaying(id, memory, triples) => {
                with(ProposalAction::Update, Some(id), Some(memory), triples)
            }
            Extracted::Delete(id) => with(ProposalAction::Delete, Some(id), None, Vec::new()),
            Extracted::Contradicted { id, .. } => {
                with(ProposalAction::Contradict, Some(id), None, Vec::new())
            }
            _ => return None,
        })
    }

    /// The finding to carry out once a person has agreed: its memory is then confirmed, and as
    /// sure as can be.
    pub(crate) fn agreed(self) -> Result<Option<Extracted>, InvalidValue> {
        let said = Said {
            kind: self.said_kind,
            importance: self.said_importance,
            confidence: true,
            verified: true,
        };
        let memory = self.body.map(|mut body| {
            (body.verified, body.confidence) = (true, UnitScore::ONE);
            Ok::<_, InvalidValue>(NewMemory::from_body(body)?.saying(said))
        });
        Ok(match (self.action, self.about, memory.transpose()?) {
            (ProposalAction::Add, _, Some(memory)) if self.triples.is_empty() => {
                Some(Extracted::Add(memory))
            }
            (ProposalAction::Add, _, Some(memory)) => {
                Some(Extracted::AddSaying(memory, self.triples))
            }
            (ProposalAction::Update, Some(id), Some(memory)) if self.triples.is_empty() => {
                Some(Extracted::Update(id, memory))
            }
            (ProposalAction::Update, Some(id), Some(memory)) => {
                Some(Extracted::UpdateSaying(id, memory, self.triples))
            }
            (ProposalAction::Delete, Some(id), _) => Some(Extracted::Delete(id)),
            (ProposalAction::Contradict, Some(id), _) => {
                Some(Extracted::Contradicted { id, by: None })
            }
            _ => None,
        })
    }

    /// The turns in which it was found.
    pub(crate) fn sources(&self) -> &[MemoryId] {
        self.body.as_ref().map_or(&[], |body| &body.provenance)
    }

    /// Goes through all texts that it holds.
    fn rewrite(&mut self, rewrite: Rewrite<'_>) {
        if let Some(body) = &mut self.body {
            body.rewrite(rewrite);
        }
        for said in &mut self.triples {
            let rest = [&mut said.condition, &mut said.degree]
                .into_iter()
                .flatten();
            for word in [&mut said.subject, &mut said.predicate, &mut said.object]
                .into_iter()
                .chain(rest)
            {
                annals_types::rewrite_text(word, rewrite);
            }
        }
    }

    /// Its kind, where one was found.
    pub fn kind(&self) -> Option<String> {
        let kind = self.body.as_ref().map(|body| body.kind.as_str().to_owned());
        kind.filter(|_| self.said_kind)
    }

    /// The change that it would make: two proposals of the same change are one.
    fn effect(&self) -> (ProposalAction, Option<MemoryId>, Option<&str>) {
        (
            self.action,
            self.about,
            self.body.as_ref().map(|body| body.text.as_str()),
        )
    }
}

/// At most so many of a namespace, the oldest first.
pub fn list(
    reads: &dyn Reads,
    ns: NamespaceId,
    limit: usize,
) -> Result<Vec<(MemoryId, Proposed)>, Error> {
    let found = PROPOSALS.rows(reads, PROPOSALS.within(ns), limit)?;
    Ok(found
        .into_iter()
        .map(|((_, id), proposed)| (id, proposed))
        .collect())
}

/// How many wait in a namespace.
pub fn count(reads: &dyn Reads, ns: NamespaceId) -> Result<u64, Error> {
    let mut count = 0;
    scan_rows(reads, &[PROPOSALS.within(ns).into()], |_, _| {
        count += 1;
        Ok::<_, Error>(ControlFlow::Continue(()))
    })?;
    Ok(count)
}

/// One of them.
pub(crate) fn get(
    reads: &dyn Reads,
    ns: NamespaceId,
    id: MemoryId,
) -> Result<Option<Proposed>, Error> {
    Ok(PROPOSALS.get(reads, (ns, id))?)
}

/// Lets proposals wait; those that wait already are not taken twice.
pub(crate) fn add(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    proposals: &[(MemoryId, Proposed)],
) -> Result<(), Error> {
    if proposals.is_empty() {
        return Ok(());
    }
    let waiting = list(&*txn, ns, usize::MAX)?;
    let mut known: HashSet<_> = waiting.iter().map(|(_, waits)| waits.effect()).collect();
    for (id, proposed) in proposals
        .iter()
        .filter(|(_, proposed)| known.insert(proposed.effect()))
    {
        PROPOSALS.put(txn, (ns, *id), proposed)?;
    }
    Ok(())
}

/// Takes one away; it must be there.
pub(crate) fn take(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    id: MemoryId,
) -> Result<Proposed, Error> {
    let proposed = get(&*txn, ns, id)?.ok_or(Refusal::NoProposal { id })?;
    PROPOSALS.delete(txn, (ns, id))?;
    Ok(proposed)
}

/// Takes away what waits to be deleted of a memory that says something else by now.
pub(crate) fn settle(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    about: MemoryId,
) -> Result<(), Error> {
    for (id, waits) in list(&*txn, ns, usize::MAX)? {
        if waits.action == ProposalAction::Delete && waits.about == Some(about) {
            PROPOSALS.delete(txn, (ns, id))?;
        }
    }
    Ok(())
}

/// Drops one at a person's word, and keeps that as a decision.
pub fn reject(cx: &mut WriteCx<'_, '_>, id: MemoryId) -> Result<(), Error> {
    let proposed = take(cx.txn, cx.ns, id)?;
    let named = proposed.about.iter().chain(proposed.sources()).copied();
    let json =
        |error: serde_json::Error| Error::internal(format!("a proposal cannot be kept: {error}"));
    let effect = Effect::Extension {
        name: NAME.to_owned(),
        words: format!(
            "proposal {id} to {} waits no more",
            proposed.action.as_str()
        ),
        payload: serde_json::to_value((id, &proposed)).map_err(json)?,
        about: proposed.about,
        sources: proposed.sources().to_vec(),
    };
    let decided = Decided {
        at: cx.now,
        question: DecisionQuestion::Worthwhile,
        memories: named.collect(),
        answer: decisions::NO.to_owned(),
        reason: String::new(),
        by: decisions::PERSON.to_owned(),
        effects: vec![effect],
        undone_at: None,
        before: 0,
    };
    decisions::note(cx, decided)
}

/// Gives the texts of a rejected proposal other words.
pub(crate) fn rewrite(payload: &mut serde_json::Value, rewrite: Rewrite<'_>) {
    let Ok((id, mut proposed)) = serde_json::from_value::<(MemoryId, Proposed)>(payload.clone())
    else {
        return annals_engine::json::rewrite_json(payload, rewrite);
    };
    proposed.rewrite(rewrite);
    if let Ok(rewritten) = serde_json::to_value((id, proposed)) {
        *payload = rewritten;
    }
}

/// Lets a proposal wait again that a person had rejected.
pub(crate) fn restore(cx: &mut WriteCx<'_, '_>, payload: &serde_json::Value) -> Result<(), Error> {
    let (id, proposed): (MemoryId, Proposed) =
        serde_json::from_value(payload.clone()).map_err(|error| {
            Error::bad_input(format!("the rejected proposal cannot be read: {error}"))
        })?;
    add(cx.txn, cx.ns, &[(id, proposed)])
}

/// Memories are about to go: what was found in them alone, or is about one of them, goes too.
pub(crate) fn forget_sources(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    gone: &[MemoryId],
) -> Result<(), Error> {
    let mut waiting = Vec::new();
    scan_rows(txn, &[PROPOSALS.within(ns).into()], |_, row| {
        // A proposal that cannot be read must not keep memories from being deleted; `validate` and
        // `list` report it.
        match PROPOSALS.read(&row) {
            Ok(found) => waiting.extend(found),
            Err(error) => tracing::warn!(%error, "a proposal that cannot be read is left as it is"),
        }
        Ok::<_, Error>(ControlFlow::Continue(()))
    })?;
    for ((_, id), mut proposed) in waiting {
        let sources = proposed.body.as_mut().map(|body| &mut body.provenance);
        let touched = sources
            .as_ref()
            .is_some_and(|sources| sources.iter().any(|source| gone.contains(source)));
        let left = sources.map(|sources| {
            sources.retain(|source| !gone.contains(source));
            sources.len()
        });
        if touched && left == Some(0) || proposed.about.is_some_and(|about| gone.contains(&about)) {
            PROPOSALS.delete(txn, (ns, id))?;
        } else if touched {
            PROPOSALS.put(txn, (ns, id), &proposed)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use annals_storage::table::Value;

    use super::*;

    #[test]
    fn the_stored_form_is_frozen() {
        let memory = NewMemory::builder("likes tea")
            .kind("fact")
            .derived_from(MemoryId::from_bytes([7; 16]));
        let said = Statement {
            subject: "she".into(),
            predicate: "likes".into(),
            object: "tea".into(),
            ..Statement::default()
        };
        let found = Extracted::AddSaying(memory.build().unwrap(), vec![said]);
        let proposed = Proposed::of(found, Timestamp::from_millis(1_000)).unwrap();
        let bytes = serde_json::to_string(&proposed).unwrap();
        assert_eq!(
            bytes,
            concat!(
                r#"{"action":"add","body":{"layer":"semantic","kind":"fact","text":"likes tea","importance":0.5,"#,
                r#""confidence":1.0,"verified":false,"provenance":["07070707-0707-0707-0707-070707070707"]},"#,
                r#""said_kind":true,"said_importance":false,"#,
                r#""triples":[{"subject":"she","predicate":"likes","object":"tea"}],"#,
                r#""found_at":"1970-01-01T00:00:01Z"}"#
            )
        );
        assert_eq!(
            Json::<Proposed>::decode(1, bytes.as_bytes()).unwrap(),
            proposed
        );
        assert!(Json::<Proposed>::decode(1, b"{}").is_err());
    }
}
