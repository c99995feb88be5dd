//! Contradictions between memories are settled in the transaction.

use std::collections::BTreeMap;

use annals_graph::NewLink;
use annals_language::{contrast, same_words};
use annals_lifecycle::conflict::{Claim, Rival, Settlement};
use annals_storage::Reads;
use annals_types::profile::RelationClass;
use annals_types::{Body, Label, Memory, NamespaceId, Row, Timestamp};

use crate::Error;
use crate::compiled::CompiledProfile;
use crate::effect::{Effect, Worth};
use crate::graph::known_rows;
use crate::{Engine, WriteCx, claims};

/// From when on what a memory says is true: what it says itself, or when it happened, or when it
/// was stored.
pub fn since(body: &Body, stored_at: Timestamp) -> Timestamp {
    body.valid_from.or(body.event_time).unwrap_or(stored_at)
}

/// Whether a memory had ended when another one begins. One with the same end tells of that end,
/// and does not begin anew.
pub fn is_over(known: &Body, other: &Body, stored_at: Timestamp) -> bool {
    let ended = known
        .valid_until
        .is_some_and(|until| until <= since(other, stored_at));
    ended && other.valid_until != known.valid_until
}

/// Whether two memories have the same words, of one time.
pub fn says_the_same(known: &Body, new: &Body) -> bool {
    same_words(&known.text, &new.text) && !of_other_times(known, new)
}

/// Whether two memories say different things, however alike their texts are.
pub fn says_another(known: &Body, new: &Body) -> bool {
    contrast(&known.text, &new.text) || of_other_times(known, new)
}

/// Whether two memories were given different times of the event. Memories from conversations have
/// the times of their turns, which say when it was told.
fn of_other_times(known: &Body, new: &Body) -> bool {
    let given = |body: &Body| body.event_time.filter(|_| body.provenance.is_empty());
    given(known)
        .zip(given(new))
        .is_some_and(|(known, new)| known != new)
}

/// When a memory was first told in the words that it has now: jobs revise its traits, not its
/// text.
pub fn told_at(reads: &dyn Reads, ns: NamespaceId, memory: &Memory) -> Result<Timestamp, Error> {
    if memory.revision == 1 {
        return Ok(memory.stored_at);
    }
    let history = annals_records::history(reads, ns, memory.id)?;
    let same = history
        .iter()
        .rev()
        .take_while(|old| old.memory.id == memory.id && old.memory.body.text == memory.body.text);
    Ok(same
        .last()
        .map_or(memory.stored_at, |first| first.memory.stored_at))
}

/// A memory as far as contradictions go.
pub fn claim(
    reads: &dyn Reads,
    ns: NamespaceId,
    row: Row,
    memory: &Memory,
) -> Result<Claim, Error> {
    let told = told_at(reads, ns, memory)?;
    Ok(Claim {
        row,
        valid_from: since(&memory.body, told),
        valid_until: memory.body.valid_until,
    })
}

/// The memories in use that speak of the same subject and relation and say something else.
pub fn rivals(
    reads: &dyn Reads,
    ns: NamespaceId,
    own: Option<Row>,
    body: &Body,
) -> Result<Vec<Rival>, Error> {
    let Some(key) = claims::key_of(body) else {
        return Ok(Vec::new());
    };
    let rows: Vec<Row> = claims::rows(reads, ns, &key)?
        .into_iter()
        .filter(|row| Some(*row) != own)
        .collect();
    let memories = annals_records::memories(reads, ns, &rows, None)?;
    let others = rows
        .iter()
        .zip(memories)
        .filter_map(|(row, memory)| Some((row, memory?)));
    let others =
        others.filter(|(_, memory)| in_use(memory) && !same_words(&memory.body.text, &body.text));
    let rival = |(row, memory): (&Row, Memory)| {
        Ok(Rival {
            claim: claim(reads, ns, *row, &memory)?,
            same_kind: memory.body.kind == body.kind,
            same_triple_key: true,
            similarity: 0.0,
            judged: None,
        })
    };
    others.map(rival).collect()
}

/// Whether a memory takes part in answers at all.
pub fn in_use(memory: &Memory) -> bool {
    use annals_types::Status::{Active, Staged};
    matches!(memory.status, Active | Staged) && memory.superseded_by.is_none()
}

/// Whether a memory keeps its text, whatever a new one says in its place: a person confirmed it and
/// not the new one, or told it, where the new one was found in a conversation.
pub fn stays(
    reads: &dyn Reads,
    ns: NamespaceId,
    known: &Memory,
    new: &Body,
) -> Result<bool, Error> {
    if new.verified || known.body.verified {
        return Ok(!new.verified);
    }
    let history = if new.provenance.is_empty() {
        Vec::new()
    } else {
        annals_records::history(reads, ns, known.id)?
    };
    Ok(history
        .first()
        .is_some_and(|first| first.memory.body.provenance.is_empty()))
}

/// Settlements being carried out in one transaction: rows that were revised have become others.
#[derive(Default)]
pub struct Settling {
    became: BTreeMap<Row, Row>,
    /// Memories that stopped being true.
    pub closed: u64,
    /// Links that were made, or memories whose score fell.
    pub marked: u64,
    /// The changes, each by the row that a settlement named.
    pub effects: Vec<(Row, Effect)>,
}

impl Settling {
    /// The current row of a row.
    pub fn now(&self, row: Row) -> Row {
        let mut row = row;
        while let Some(next) = self.became.get(&row) {
            row = *next;
        }
        row
    }
}

impl Settling {
    /// Takes note of a link between the newer and the older of two memories; either may be the one
    /// that was looked at.
    fn tied(&mut self, (newer, older): (Row, Row), made: Option<Effect>) {
        let Some(effect) = made else { return };
        self.marked += 1;
        // Rivals are stored before what is looked at, whatever time says of them.
        self.effects.push((newer.min(older), effect));
    }
}

/// A link that was made, to be taken back if need be.
pub fn linked(reads: &dyn Reads, ns: NamespaceId, link: &NewLink) -> Result<Option<Effect>, Error> {
    let ids = annals_records::ids_of(reads, ns, &[link.from, link.to])?;
    let [Some(from), Some(to)] = ids.as_slice() else {
        return Ok(None);
    };
    let relation = Label::new("relation", link.relation.as_str())?;
    Ok(Some(Effect::Linked {
        from: *from,
        relation,
        to: *to,
    }))
}

impl Engine {
    /// Carries out one settlement between memories that are there. Replacing one by another is the
    /// caller's.
    pub fn settle(
        &self,
        cx: &mut WriteCx<'_, '_>,
        settling: &mut Settling,
        settlement: &Settlement,
    ) -> Result<(), Error> {
        match *settlement {
            Settlement::Close { row: named, until } => {
                let row = settling.now(named);
                let mut was = None;
                let alter = |body: &mut Body| {
                    // A memory that was never true is true for no time at all.
                    let end = body.valid_from.map_or(until, |from| from.max(until));
                    was = Some((body.valid_until.replace(end), end));
                };
                let updated = self.revise_in(cx, row, alter, |_| {})?;
                let effect = was.map(|(from, to)| {
                    (
                        named,
                        Effect::Until {
                            id: updated.id,
                            from,
                            to,
                        },
                    )
                });
                settling.effects.extend(effect);
                settling.became.insert(row, updated.row);
                settling.closed += 1;
            }
            Settlement::Supersede { newer, older } => {
                let name = relation_of(cx.profile, RelationClass::Succession);
                let made = self.tie(cx, (settling.now(newer), settling.now(older)), name, None)?;
                settling.tied((newer, older), made);
            }
            Settlement::Link { newer, older } => {
                let name = Some(cx.profile.settings.graph.discovery.conflict.as_str());
                let ends = (settling.now(newer), settling.now(older));
                let made = self.tie(cx, ends, name, Some("conflict"))?;
                settling.tied((newer, older), made);
            }
            Settlement::Penalize { row: named, factor } => {
                let row = settling.now(named);
                let terms = cx.terms()?;
                let (regime, now) = (terms.regime(), cx.now);
                let before = Worth::now(&*cx.txn, cx.ns, row)?;
                if before.is_some() {
                    let lower = |_: usize, state: &mut annals_lifecycle::State| {
                        regime.policy.penalize(state, regime.passes, factor, now);
                    };
                    let done =
                        annals_lifecycle::change(cx.txn, cx.ns, &regime, cx.now, &[row], lower)?;
                    cx.add_life([done.delta]);
                    settling.marked += 1;
                    if let Some(id) = annals_records::ids_of(&*cx.txn, cx.ns, &[row])?
                        .pop()
                        .flatten()
                    {
                        let effect = Worth::changed(&*cx.txn, cx.ns, (id, row), before)?;
                        settling
                            .effects
                            .extend(effect.map(|effect| (named, effect)));
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Links two rows, unless they are; answers the link that this made.
    fn tie(
        &self,
        cx: &mut WriteCx<'_, '_>,
        (from, to): (Row, Row),
        relation: Option<&str>,
        flag: Option<&str>,
    ) -> Result<Option<Effect>, Error> {
        let Some(relation) = relation else {
            return Ok(None);
        };
        known_rows(cx.txn, cx.ns, cx.now, &[from, to])?;
        let link = NewLink::new(from, relation, to);
        let link = flag.map_or(link.clone(), |flag| link.field(flag, true));
        let existed = annals_graph::link(cx.txn, cx.scope(), &link)?.existed;
        if existed {
            Ok(None)
        } else {
            linked(&*cx.txn, cx.ns, &link)
        }
    }
}

/// The first name of a class of links that stands for itself.
pub fn relation_of(profile: &CompiledProfile, class: RelationClass) -> Option<&str> {
    let own = |rule: &&annals_types::profile::RelationRule| {
        rule.class == class && rule.alias_of.is_none() && rule.inverse_of.is_none()
    };
    profile
        .settings
        .graph
        .relations
        .iter()
        .find(own)
        .map(|rule| rule.name.as_str())
}
