//! Words that many things share, as numbers.

use std::borrow::Cow;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use annals_language::names::normalise;
use annals_storage::Reads;
use annals_storage::table::Value;
use annals_storage::wire::{Broken, Put};
use annals_types::{Label, NamespaceId};

use crate::ledger::Ledger;
use crate::tables::{LABEL_TEXTS, LABELS};
use crate::{GraphError, LabelId};

/// The class of a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LabelClass {
    /// The predicate of a triple.
    Predicate,
    /// When a triple holds.
    Condition,
    /// The kind of an entity.
    Kind,
    /// The relation of a link.
    Relation,
}

impl LabelClass {
    /// Every class, in the order of their bytes.
    pub const ALL: &'static [Self] =
        &[Self::Predicate, Self::Condition, Self::Kind, Self::Relation];

    pub(crate) const fn index(self) -> usize {
        match self {
            Self::Predicate => 0,
            Self::Condition => 1,
            Self::Kind => 2,
            Self::Relation => 3,
        }
    }

    pub(crate) const fn to_byte(self) -> u8 {
        match self {
            Self::Predicate => 0,
            Self::Condition => 1,
            Self::Kind => 2,
            Self::Relation => 3,
        }
    }

    pub(crate) fn from_byte(byte: u8) -> Option<Self> {
        Self::ALL.get(usize::from(byte)).copied()
    }

    const fn what(self) -> &'static str {
        match self {
            Self::Predicate => "predicate",
            Self::Condition => "condition",
            Self::Kind => "kind",
            Self::Relation => "relation",
        }
    }

    /// Checks a text as a label of this class.
    pub(crate) fn check(self, text: &str) -> Result<(), GraphError> {
        Label::new(self.what(), text)?;
        Ok(())
    }
}

/// The form in which the labels of a class are compared: predicates as names of entities are, so
/// that "Lives in" says the same as "lives in". The text that was first said is kept.
pub(crate) fn folded(class: LabelClass, text: &str) -> Cow<'_, str> {
    match class {
        LabelClass::Predicate => Cow::Owned(normalise(text)),
        _ => Cow::Borrowed(text),
    }
}

/// As four bytes, little-endian.
impl Value for LabelId {
    type View<'a> = Self;

    fn encode(view: &Self, put: &mut Put) {
        put.raw(&view.0.to_le_bytes());
    }

    fn decode(_version: u8, body: &[u8]) -> Result<Self, Broken> {
        let bytes = body
            .try_into()
            .map_err(|_| Broken("a number has not 4 bytes"))?;
        Ok(Self(u32::from_le_bytes(bytes)))
    }
}

/// The numbers of some labels; `None` for those that the namespace does not use. One round of
/// reads.
///
/// # Errors
/// When they cannot be read.
pub fn label_numbers(
    reads: &dyn Reads,
    ns: NamespaceId,
    class: LabelClass,
    texts: &[&str],
) -> Result<Vec<Option<LabelId>>, GraphError> {
    numbers(reads, ns, texts.iter().map(|text| (class, *text)))
}

/// The numbers of some labels of some classes. One round of reads.
fn numbers<'a>(
    reads: &dyn Reads,
    ns: NamespaceId,
    asked: impl Iterator<Item = (LabelClass, &'a str)>,
) -> Result<Vec<Option<LabelId>>, GraphError> {
    // Predicates of earlier versions are kept as they were said.
    let spelt = asked.flat_map(|(class, text)| {
        [Cow::Borrowed(text), folded(class, text)].map(|text| (class, text))
    });
    let spelt: Vec<(LabelClass, Cow<'_, str>)> = spelt.collect();
    let found = LABELS.get_many(
        reads,
        spelt.iter().map(|(class, text)| (ns, *class, &**text)),
    )?;
    let (pairs, _) = found.as_chunks::<2>();
    Ok(pairs
        .iter()
        .map(|[said, compared]| said.or(*compared))
        .collect())
}

/// The texts of some labels, in the order asked; `None` for numbers not in use. One round of reads.
///
/// # Errors
/// When they cannot be read.
pub fn label_texts(
    reads: &dyn Reads,
    ns: NamespaceId,
    class: LabelClass,
    numbers: &[LabelId],
) -> Result<Vec<Option<String>>, GraphError> {
    Ok(LABEL_TEXTS.get_many(reads, numbers.iter().map(|number| (ns, class, *number)))?)
}

/// The texts of some labels of some classes. One round of reads.
pub(crate) fn texts(
    reads: &dyn Reads,
    ns: NamespaceId,
    wanted: impl Iterator<Item = (LabelClass, LabelId)>,
) -> Result<BTreeMap<(LabelClass, LabelId), String>, GraphError> {
    let wanted: BTreeSet<(LabelClass, LabelId)> = wanted.collect();
    let found = LABEL_TEXTS.get_many(
        reads,
        wanted.iter().map(|(class, number)| (ns, *class, *number)),
    )?;
    let mut texts = BTreeMap::new();
    for (label, text) in wanted.into_iter().zip(found) {
        let text =
            text.ok_or_else(|| LABEL_TEXTS.damaged((ns, label.0, label.1), "a label is missing"))?;
        texts.insert(label, text);
    }
    Ok(texts)
}

/// Labels asked for by a write, with numbers for those that had none.
#[derive(Debug, Default)]
pub(crate) struct Labels(BTreeMap<(LabelClass, String), LabelId>);

impl Labels {
    /// One round of reads; new labels are given numbers in `ledger`.
    pub(crate) fn resolve<'a>(
        ledger: &mut Ledger<'_>,
        asked: impl Iterator<Item = (LabelClass, &'a str)>,
    ) -> Result<Self, GraphError> {
        let asked: BTreeSet<(LabelClass, &str)> = asked.collect();
        let found = numbers(ledger.reads, ledger.ns, asked.iter().copied())?;
        let mut labels = Self::default();
        let mut new: BTreeMap<(LabelClass, Cow<'_, str>), LabelId> = BTreeMap::new();
        for ((class, text), found) in asked.into_iter().zip(found) {
            let number = match (found, new.entry((class, folded(class, text)))) {
                (Some(number), _) => number,
                (None, Entry::Occupied(known)) => *known.get(),
                (None, Entry::Vacant(place)) => *place.insert(ledger.new_label(class, text)?),
            };
            labels.0.insert((class, text.to_owned()), number);
        }
        Ok(labels)
    }

    /// The number of a label that was asked for.
    pub(crate) fn number(&self, class: LabelClass, text: &str) -> LabelId {
        self.0
            .get(&(class, text.to_owned()))
            .copied()
            .unwrap_or(LabelId(0))
    }
}

impl Ledger<'_> {
    fn new_label(&mut self, class: LabelClass, text: &str) -> Result<LabelId, GraphError> {
        let compared = folded(class, text);
        class.check(text)?;
        class.check(&compared)?;
        let full = self.full("labels");
        let last = self.head.labels.get_mut(class.index()).ok_or(full)?;
        // Half of the numbers: a condition shares its 32 bits with the negation.
        let next = last.checked_add(1).filter(|next| *next < 1 << 31);
        let Some(next) = next else {
            return Err(self.full("labels"));
        };
        *last = next;
        let number = LabelId(next);
        self.put(&LABELS, (self.ns, class, &compared), &number)?;
        self.put(&LABEL_TEXTS, (self.ns, class, number), &text.to_owned())?;
        Ok(number)
    }
}
