//! Typed links between memories.

use annals_storage::{Reads, Transaction};
use annals_types::profile::{GraphSettings, RelationClass, RelationRule};
use annals_types::{Metadata, NamespaceId, Row, Timestamp, UnitScore};
use serde::{Deserialize, Serialize};

use crate::entity::Scope;
use crate::label::{self, LabelClass, Labels};
use crate::ledger::Ledger;
use crate::record::LinkRecord;
use crate::roster::{self, LinkEnd};
use crate::tables::LINKS;
use crate::{GraphError, LabelId, metadata};

/// A link: what it leads from, what it says, and what it leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Link {
    /// The memory that it leaves.
    pub from: Row,
    /// The number of its relation.
    pub relation: LabelId,
    /// The memory that it reaches.
    pub to: Row,
}

/// A link to be made.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct NewLink {
    /// The memory that it leaves: a cause, a basis.
    pub from: Row,
    /// The memory that it reaches: an effect, what was derived.
    pub to: Row,
    /// Its relation, out of the settings' relations.
    pub relation: String,
    /// How much it matters, 0 to 1.
    pub weight: UnitScore,
    /// Free fields.
    pub metadata: Metadata,
}

impl NewLink {
    /// A link of full weight.
    pub fn new(from: Row, relation: impl Into<String>, to: Row) -> Self {
        Self {
            from,
            to,
            relation: relation.into(),
            weight: UnitScore::ONE,
            metadata: Metadata::new(),
        }
    }

    /// Sets how much it matters.
    ///
    /// # Errors
    /// [`GraphError::Invalid`] outside 0 to 1.
    pub fn weight(mut self, weight: f32) -> Result<Self, GraphError> {
        self.weight = UnitScore::new("weight", weight)?;
        Ok(self)
    }

    /// Sets a free field.
    pub fn field(mut self, name: impl Into<String>, value: impl Into<annals_types::Value>) -> Self {
        self.metadata.insert(name.into(), value.into());
        self
    }
}

/// The meaning of a relation's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    /// The name under which it is stored.
    pub name: String,
    /// Its class.
    pub class: RelationClass,
    /// Whether the ends change places.
    pub swapped: bool,
    /// Whether another name was given.
    pub renamed: bool,
}

/// The meaning of a relation's name by some settings.
///
/// # Errors
/// [`GraphError::NoRelation`], with the names that are known.
pub fn relation(settings: &GraphSettings, name: &str) -> Result<Relation, GraphError> {
    let find = |name: &str| settings.relations.iter().find(|rule| rule.name == name);
    let rule: &RelationRule = find(name).ok_or_else(|| GraphError::NoRelation {
        name: name.chars().take(60).collect(),
        allowed: settings
            .relations
            .iter()
            .map(|rule| rule.name.as_str())
            .collect::<Vec<_>>()
            .join(", "),
    })?;
    let target = rule.alias_of.as_ref().or(rule.inverse_of.as_ref());
    Ok(Relation {
        name: target.unwrap_or(&rule.name).clone(),
        class: rule.class,
        swapped: rule.inverse_of.is_some(),
        renamed: target.is_some(),
    })
}

/// The result of linking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linked {
    /// The link as stored.
    pub link: Link,
    /// The meaning of its name.
    pub relation: Relation,
    /// Whether it was there already.
    pub existed: bool,
}

/// Links two memories. A link that is there keeps the greater weight and gets the new fields.
///
/// # Errors
/// [`GraphError::NoRow`] for a memory that the graph does not know; [`GraphError::SelfTie`];
/// [`GraphError::NoRelation`].
pub fn link(
    txn: &mut Transaction<'_>,
    scope: Scope<'_>,
    new: &NewLink,
) -> Result<Linked, GraphError> {
    let relation = relation(scope.settings, &new.relation)?;
    let fields = metadata::to_json(&new.metadata)?;
    let (from, to) = if relation.swapped {
        (new.to, new.from)
    } else {
        (new.from, new.to)
    };
    let mut ledger = Ledger::open(txn, scope.ns)?;
    known(&ledger, &[from, to])?;
    if from == to {
        return Err(GraphError::SelfTie { row: from });
    }
    let labels = Labels::resolve(
        &mut ledger,
        std::iter::once((LabelClass::Relation, relation.name.as_str())),
    )?;
    let number = labels.number(LabelClass::Relation, &relation.name);
    let end = LinkEnd {
        row: from,
        leaves: true,
        relation: number,
        other: to,
    };
    let fresh = LinkRecord {
        weight: new.weight.get(),
        born: scope.now,
        metadata: fields,
    };
    let existed = ledger.link(end, fresh)?;
    ledger.finish()?.write(txn)?;
    Ok(Linked {
        link: Link::of(end),
        relation,
        existed,
    })
}

/// Refuses rows that the graph does not know.
pub(crate) fn known(ledger: &Ledger<'_>, rows: &[Row]) -> Result<(), GraphError> {
    let records = roster::records(ledger.reads, ledger.ns, rows)?;
    match rows
        .iter()
        .zip(&records)
        .find(|(_, record)| record.is_none())
    {
        Some((row, _)) => Err(GraphError::NoRow { row: *row }),
        None => Ok(()),
    }
}

impl Ledger<'_> {
    /// Stores a link at both ends; answers whether it was there.
    pub(crate) fn link(&mut self, end: LinkEnd, fresh: LinkRecord) -> Result<bool, GraphError> {
        let before = LINKS.get(self.reads, end.key(self.ns))?;
        let existed = before.is_some();
        let record = match before {
            Some(before) => LinkRecord {
                weight: before.weight.max(fresh.weight),
                born: before.born,
                metadata: fresh.metadata.or(before.metadata),
            },
            None => {
                self.head.links += 1;
                fresh
            }
        };
        self.put(&LINKS, end.key(self.ns), &record)?;
        self.put(&LINKS, end.turned().key(self.ns), &record)?;
        Ok(existed)
    }
}

/// Takes a link away; answers whether it was there.
///
/// # Errors
/// When the storage fails.
pub fn unlink(txn: &mut Transaction<'_>, ns: NamespaceId, link: Link) -> Result<bool, GraphError> {
    let end = LinkEnd {
        row: link.from,
        leaves: true,
        relation: link.relation,
        other: link.to,
    };
    let mut ledger = Ledger::open(txn, ns)?;
    if !LINKS.contains(ledger.reads, end.key(ns))? {
        return Ok(false);
    }
    ledger.delete(&LINKS, end.key(ns));
    ledger.delete(&LINKS, end.turned().key(ns));
    ledger.head.links = ledger.head.links.saturating_sub(1);
    ledger.finish()?.write(txn)?;
    Ok(true)
}

/// A link as one of its ends sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkView {
    /// The link.
    pub link: Link,
    /// The name of its relation.
    pub relation: String,
    /// How much it matters, 0 to 1.
    pub weight: f32,
    /// When it was made.
    pub born: Timestamp,
    /// Free fields.
    pub metadata: Metadata,
    /// Whether both ends are awake.
    pub visible: bool,
}

/// The links of a memory: those that leave it, then those that reach it, each in the order of
/// relation and other end.
///
/// # Errors
/// When they cannot be read.
pub fn links(reads: &dyn Reads, ns: NamespaceId, row: Row) -> Result<Vec<LinkView>, GraphError> {
    let member = roster::members(reads, ns, &[row])?
        .pop()
        .unwrap_or_default();
    let others: Vec<Row> = member.links.iter().map(|(end, _)| end.other).collect();
    let states = roster::records(reads, ns, &others)?;
    let names = member
        .links
        .iter()
        .map(|(end, _)| (LabelClass::Relation, end.relation));
    let names = label::texts(reads, ns, names)?;
    let awake = member
        .record
        .as_ref()
        .is_some_and(|record| record.supports());
    let mut views = Vec::with_capacity(member.links.len());
    for ((end, record), other) in member.links.into_iter().zip(states) {
        let wrong = |reason| LINKS.damaged(end.key(ns), reason);
        views.push(LinkView {
            link: Link::of(end),
            relation: names
                .get(&(LabelClass::Relation, end.relation))
                .cloned()
                .unwrap_or_default(),
            weight: record.weight,
            born: record.born,
            metadata: metadata::from_json(record.metadata.as_deref()).map_err(wrong)?,
            visible: awake && other.is_some_and(|other| other.supports()),
        });
    }
    Ok(views)
}
