//! Entities: what triples speak of.

use std::collections::{BTreeMap, BTreeSet};

use annals_language::names;
use annals_storage::{Reads, Transaction};
use annals_types::profile::{GraphSettings, Unify};
use annals_types::{Metadata, NamespaceId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::label::{self, LabelClass, Labels};
use crate::ledger::{Ledger, Slot};
use crate::number::entity_records;
use crate::record::EntityRecord;
use crate::tables::{ENTITIES, NAMES, VECTORS};
use crate::{Embedding, EntityId, GraphError, LabelId, metadata, name};

/// Where and when a write happens, and by which rules.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// The namespace.
    pub ns: NamespaceId,
    /// The moment.
    pub now: Timestamp,
    /// The rules.
    pub settings: &'a GraphSettings,
}

/// The most aliases that an entity may have.
pub const MAX_ALIASES: usize = 64;

/// An entity to be found or made.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[must_use]
pub struct NewEntity {
    pub(crate) name: String,
    pub(crate) kind: Option<String>,
    pub(crate) aliases: Vec<String>,
    embedding: Option<Embedding>,
    pub(crate) metadata: Metadata,
}

impl NewEntity {
    /// An entity of a name, without a kind.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// Sets what it is.
    pub fn kind(mut self, kind: impl Into<String>) -> Self {
        self.kind = Some(kind.into());
        self
    }

    /// Adds another name; one that it has already, in whatever spelling, is not stored again.
    pub fn alias(mut self, alias: impl Into<String>) -> Self {
        self.aliases.push(alias.into());
        self
    }

    /// Sets its embedding.
    pub fn embedding(mut self, embedding: Embedding) -> Self {
        self.embedding = Some(embedding);
        self
    }

    /// Sets a free field.
    pub fn field(mut self, name: impl Into<String>, value: impl Into<annals_types::Value>) -> Self {
        self.metadata.insert(name.into(), value.into());
        self
    }

    pub(crate) fn kind_text(&self) -> Option<&str> {
        self.kind.as_deref()
    }

    pub(crate) fn check(&self) -> Result<(), GraphError> {
        name::check(&self.name)?;
        if self.aliases.len() > MAX_ALIASES {
            let (count, limit) = (self.aliases.len(), MAX_ALIASES);
            return Err(annals_types::InvalidValue::TooMany {
                field: "aliases",
                count,
                limit,
            }
            .into());
        }
        self.aliases
            .iter()
            .try_for_each(|alias| name::check(alias))?;
        if let Some(kind) = &self.kind {
            LabelClass::Kind.check(kind)?;
        }
        if let Some(embedding) = &self.embedding {
            embedding.check()?;
        }
        metadata::to_json(&self.metadata).map(drop)
    }

    /// Whether a mention with this name becomes the entity that has it already.
    fn unified(&self, settings: &GraphSettings) -> bool {
        let kind = self.kind.as_deref();
        settings.unify == Unify::Insert
            || kind.is_some_and(|kind| {
                settings
                    .unify_on_insert_kinds
                    .iter()
                    .any(|unified| unified == kind)
            })
    }
}

/// One end of a triple to be stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Term {
    /// An entity by its number.
    Entity(EntityId),
    /// An entity by its name, made where there is none. Within one write the same name and kind is
    /// the same entity.
    Named(NewEntity),
}

impl From<EntityId> for Term {
    fn from(id: EntityId) -> Self {
        Self::Entity(id)
    }
}

impl From<&str> for Term {
    fn from(name: &str) -> Self {
        Self::Named(NewEntity::new(name))
    }
}

impl From<String> for Term {
    fn from(name: String) -> Self {
        Self::Named(NewEntity::new(name))
    }
}

impl From<NewEntity> for Term {
    fn from(entity: NewEntity) -> Self {
        Self::Named(entity)
    }
}

/// An entity as it is now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Entity {
    /// Its number.
    pub id: EntityId,
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: Option<String>,
    /// Its other names, without those of what was merged into it.
    pub aliases: Vec<String>,
    /// Free fields.
    pub metadata: Metadata,
    /// When it was first spoken of.
    pub born: Timestamp,
    /// The entity that it was merged into directly.
    pub merged_into: Option<EntityId>,
    /// Edges that meet here, those that sleep included. A triple from an entity to itself counts
    /// twice.
    pub degree: u32,
    /// Edges that are visible.
    pub visible_degree: u32,
    /// Whether it stays without any triple.
    pub kept: bool,
}

impl Entity {
    /// Whether some visible triple speaks of it, or it was made by itself.
    #[must_use]
    pub fn visible(&self) -> bool {
        self.visible_degree > 0 || self.kept
    }
}

/// Some entities, in the order asked; `None` for numbers that are not (any more) in use. Two rounds
/// of reads.
///
/// # Errors
/// When they cannot be read.
pub fn entities(
    reads: &dyn Reads,
    ns: NamespaceId,
    ids: &[EntityId],
) -> Result<Vec<Option<Entity>>, GraphError> {
    let records = ENTITIES.get_many(reads, ids.iter().map(|id| (ns, *id)))?;
    let kinds = records
        .iter()
        .flatten()
        .filter(|r| r.kind > 0)
        .map(|r| (LabelClass::Kind, LabelId(r.kind)));
    let kinds = label::texts(reads, ns, kinds)?;
    let entity = |(id, record): (&EntityId, Option<EntityRecord>)| {
        let Some(record) = record else {
            return Ok(None);
        };
        let metadata = metadata::from_json(record.metadata.as_deref());
        Ok(Some(Entity {
            id: *id,
            name: record.name,
            kind: kinds
                .get(&(LabelClass::Kind, LabelId(record.kind)))
                .cloned(),
            aliases: record.aliases,
            metadata: metadata.map_err(|reason| ENTITIES.damaged((ns, *id), reason))?,
            born: record.born,
            merged_into: record.redirect.map(|redirect| redirect.into),
            degree: record.edges,
            visible_degree: record.visible,
            kept: record.kept,
        }))
    };
    ids.iter().zip(records).map(entity).collect()
}

/// The survivors of merges for some entities: themselves, or the entity that they are one with.
/// `None` for those not in use.
///
/// # Errors
/// When they cannot be read.
pub fn survivors(
    reads: &dyn Reads,
    ns: NamespaceId,
    ids: &[EntityId],
) -> Result<Vec<Option<EntityId>>, GraphError> {
    let mut ledger = Ledger::reader(reads, ns);
    ledger.load_entities(ids.iter().copied())?;
    let there = |id: &EntityId| {
        ledger
            .entities
            .get(id)
            .is_some_and(|slot| slot.after.is_some())
    };
    ids.iter()
        .map(|id| {
            if there(id) {
                ledger.root(*id, true).map(Some)
            } else {
                Ok(None)
            }
        })
        .collect()
}

/// The entities of a name or alias, compared as [`normalise`](names::normalise) says, the oldest
/// first; those that were merged are found as what they became.
///
/// # Errors
/// When they cannot be read.
pub fn find_entities(
    reads: &dyn Reads,
    ns: NamespaceId,
    name: &str,
) -> Result<Vec<Entity>, GraphError> {
    let found = name::holders(reads, ns, &[names::normalise(name)])?
        .pop()
        .unwrap_or_default();
    let roots: BTreeSet<EntityId> = survivors(reads, ns, &found)?
        .into_iter()
        .flatten()
        .collect();
    let roots: Vec<EntityId> = roots.into_iter().collect();
    Ok(entities(reads, ns, &roots)?.into_iter().flatten().collect())
}

/// At most `limit` entities with numbers above `after`, in the order of their numbers, merged ones
/// included.
///
/// # Errors
/// When they cannot be read.
pub fn list_entities(
    reads: &dyn Reads,
    ns: NamespaceId,
    after: Option<EntityId>,
    limit: usize,
) -> Result<Vec<Entity>, GraphError> {
    let ids: Vec<EntityId> = entity_records(reads, ns, after, limit)?
        .into_iter()
        .map(|(id, _)| id)
        .collect();
    Ok(entities(reads, ns, &ids)?.into_iter().flatten().collect())
}

/// Makes an entity that stays without any triple, or keeps the one that has its name and kind where
/// the settings unify.
///
/// # Errors
/// [`GraphError::Invalid`] for a name, kind, embedding or field that is not allowed;
/// [`GraphError::Full`].
pub fn add_entity(
    txn: &mut Transaction<'_>,
    scope: Scope<'_>,
    new: &NewEntity,
) -> Result<EntityId, GraphError> {
    new.check()?;
    let mut ledger = Ledger::open(txn, scope.ns)?;
    let labels = Labels::resolve(
        &mut ledger,
        new.kind_text()
            .map(|kind| (LabelClass::Kind, kind))
            .into_iter(),
    )?;
    let terms = [Term::Named(new.clone())];
    let mut resolved = resolve(&mut ledger, scope, &labels, terms.iter())?;
    let id = resolved.pop().unwrap_or(EntityId(0));
    ledger.entity(id)?.kept = true;
    ledger.revive(id)?;
    ledger.finish()?.write(txn)?;
    Ok(id)
}

/// The entities that some terms mean, what they became by merges; made where there is none. Three
/// rounds of reads at most, and one more for each step of merges.
pub(crate) fn resolve<'t>(
    ledger: &mut Ledger<'_>,
    scope: Scope<'_>,
    labels: &Labels,
    terms: impl Iterator<Item = &'t Term>,
) -> Result<Vec<EntityId>, GraphError> {
    let terms: Vec<&Term> = terms.collect();
    let mut wanted: BTreeMap<(String, u32), &NewEntity> = BTreeMap::new();
    let mut given = BTreeSet::new();
    let place = |new: &NewEntity| {
        let kind = new
            .kind_text()
            .map_or(0, |kind| labels.number(LabelClass::Kind, kind).0);
        (names::normalise(&new.name), kind)
    };
    for term in &terms {
        match term {
            Term::Entity(id) => {
                given.insert(*id);
            }
            Term::Named(new) => {
                wanted.entry(place(new)).or_insert(new);
            }
        }
    }
    let known = known(ledger, scope, &wanted, &given)?;
    let mut chosen: BTreeMap<(String, u32), EntityId> = BTreeMap::new();
    for (place, new) in wanted {
        let id = match known.get(&place) {
            Some(id) => *id,
            None => ledger.new_entity(scope.now, place.1, new)?,
        };
        chosen.insert(place, id);
    }
    terms
        .into_iter()
        .map(|term| match term {
            Term::Entity(id) => ledger.root(*id, true),
            Term::Named(new) => chosen
                .get(&place(new))
                .copied()
                .ok_or(GraphError::NoEntity {
                    entity: EntityId(0),
                }),
        })
        .collect()
}

/// The entities that have the names and kinds wanted, the oldest where there are several; also
/// loads those given by number.
fn known(
    ledger: &mut Ledger<'_>,
    scope: Scope<'_>,
    wanted: &BTreeMap<(String, u32), &NewEntity>,
    given: &BTreeSet<EntityId>,
) -> Result<BTreeMap<(String, u32), EntityId>, GraphError> {
    let asked = wanted
        .iter()
        .filter(|(_, new)| new.unified(scope.settings))
        .map(|(place, _)| place);
    let asked: Vec<&(String, u32)> = asked.collect();
    let names: Vec<String> = asked.iter().map(|(name, _)| name.clone()).collect();
    let holders = name::holders(ledger.reads, ledger.ns, &names)?;
    ledger.load_entities(holders.iter().flatten().chain(given).copied())?;
    for id in given {
        ledger
            .entity(*id)
            .map_err(|_| GraphError::NoEntity { entity: *id })?;
    }
    let mut known = BTreeMap::new();
    for (place, holders) in asked.into_iter().zip(holders) {
        let mut best: Option<EntityId> = None;
        for holder in holders {
            let root = ledger.root(holder, true)?;
            if ledger.entity(root)?.kind == place.1 {
                best = Some(best.map_or(root, |best| best.min(root)));
            }
        }
        if let Some(id) = best {
            known.insert(place.clone(), id);
        }
    }
    Ok(known)
}

impl Ledger<'_> {
    fn new_entity(
        &mut self,
        now: Timestamp,
        kind: u32,
        new: &NewEntity,
    ) -> Result<EntityId, GraphError> {
        let id = self.give_entity()?;
        self.head.entities += 1;
        let record = EntityRecord {
            name: new.name.clone(),
            kind,
            aliases: name::others(&new.name, &new.aliases),
            metadata: metadata::to_json(&new.metadata)?,
            born: now,
            kept: false,
            hollow: false,
            redirect: None,
            own: 0,
            edges: 0,
            visible: 0,
            absorbed: 0,
        };
        for name in record.normal_names() {
            self.put(&NAMES, (self.ns, &name, id), &())?;
        }
        if let Some(embedding) = &new.embedding {
            self.put(&VECTORS, (self.ns, id), embedding)?;
        }
        self.entities.insert(
            id,
            Slot {
                before: None,
                after: Some(record),
            },
        );
        Ok(id)
    }
}
