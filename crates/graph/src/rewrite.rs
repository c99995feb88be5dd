//! Other words for what is about to be stored.

use annals_types::{Rewrite, rewrite_fields, rewrite_text};

use crate::{Assertion, Claim, ClaimEdit, DumpLine, EntityEdit, NewEntity, Term};

impl Claim {
    fn rewrite(&mut self, rewrite: Rewrite<'_>) {
        self.degree
            .iter_mut()
            .for_each(|degree| rewrite_text(degree, rewrite));
        rewrite_fields(&mut self.metadata, rewrite);
    }
}

impl ClaimEdit {
    fn rewrite(&mut self, rewrite: Rewrite<'_>) {
        self.degree
            .iter_mut()
            .for_each(|degree| rewrite_text(degree, rewrite));
        rewrite_fields(&mut self.metadata, rewrite);
    }
}

impl Assertion {
    /// Gives it other words: `rewrite` is given each name, the predicate, condition, degree and
    /// texts of free fields, and answers what takes its place, or `None` where it stays.
    pub fn rewrite(&mut self, rewrite: Rewrite<'_>) {
        for term in [&mut self.subject, &mut self.object] {
            if let Term::Named(new) = term {
                new.rewrite(rewrite);
            }
        }
        rewrite_text(&mut self.predicate, rewrite);
        self.condition
            .iter_mut()
            .for_each(|condition| rewrite_text(condition, rewrite));
        self.claim
            .iter_mut()
            .for_each(|claim| claim.rewrite(rewrite));
        self.edit.rewrite(rewrite);
    }

    /// The parts of what it says, in the order in which they are told: names, the predicate and the
    /// condition.
    pub fn parts(&mut self) -> Vec<&mut String> {
        let mut parts = Vec::new();
        if let Term::Named(new) = &mut self.subject {
            parts.push(&mut new.name);
        }
        parts.push(&mut self.predicate);
        if let Term::Named(new) = &mut self.object {
            parts.push(&mut new.name);
        }
        parts.extend(&mut self.condition);
        parts
    }
}

impl NewEntity {
    /// Gives it other words, as [`Assertion::rewrite`] does.
    pub fn rewrite(&mut self, rewrite: Rewrite<'_>) {
        rewrite_text(&mut self.name, rewrite);
        self.kind
            .iter_mut()
            .chain(&mut self.aliases)
            .for_each(|one| rewrite_text(one, rewrite));
        rewrite_fields(&mut self.metadata, rewrite);
    }
}

impl EntityEdit {
    /// Gives it other words, as [`Assertion::rewrite`] does.
    pub fn rewrite(&mut self, rewrite: Rewrite<'_>) {
        let texts = self
            .name
            .iter_mut()
            .chain(self.kind.iter_mut().flatten())
            .chain(self.aliases.iter_mut().flatten());
        texts.for_each(|one| rewrite_text(one, rewrite));
        self.metadata
            .iter_mut()
            .for_each(|metadata| rewrite_fields(metadata, rewrite));
    }
}

impl DumpLine {
    /// Gives it other words, as [`Assertion::rewrite`] does.
    pub fn rewrite(&mut self, rewrite: Rewrite<'_>) {
        match self {
            Self::Entity {
                name,
                kind,
                aliases,
                metadata,
                ..
            } => {
                rewrite_text(name, rewrite);
                kind.iter_mut()
                    .chain(aliases)
                    .for_each(|one| rewrite_text(one, rewrite));
                rewrite_fields(metadata, rewrite);
            }
            Self::Merge { merge, .. } => rewrite_text(&mut merge.reason, rewrite),
            Self::Memory { said, .. } => {
                for triple in said {
                    rewrite_text(&mut triple.predicate, rewrite);
                    triple
                        .condition
                        .iter_mut()
                        .for_each(|condition| rewrite_text(condition, rewrite));
                    triple.claim.rewrite(rewrite);
                }
            }
            Self::Link {
                relation, metadata, ..
            } => {
                rewrite_text(relation, rewrite);
                rewrite_fields(metadata, rewrite);
            }
            Self::Derivation { .. } => {}
        }
    }
}
