//! Other words for what is about to be stored.

use annals_types::Metadata;

use crate::{Assertion, DumpLine, EntityEdit, NewEntity, Term};

/// Answers what takes the place of a text, or nothing where it stays.
type Rewrite<'a> = &'a mut dyn FnMut(&str) -> Option<String>;

fn text(text: &mut String, rewrite: Rewrite<'_>) {
    if let Some(other) = rewrite(text) {
        *text = other;
    }
}

fn fields(fields: &mut Metadata, rewrite: Rewrite<'_>) {
    let mut texts = Vec::new();
    fields.values_mut().for_each(|value| value.collect_texts(&mut texts));
    texts.into_iter().for_each(|one| text(one, rewrite));
}

impl Assertion {
    /// Gives it other words: `rewrite` is given each name, the predicate, condition, degree and texts of free fields, and answers what takes
    /// its place, or `None` where it stays.
    pub fn rewrite(&mut self, rewrite: &mut dyn FnMut(&str) -> Option<String>) {
        for term in [&mut self.subject, &mut self.object] {
            if let Term::Named(new) = term {
                new.rewrite(rewrite);
            }
        }
        text(&mut self.predicate, rewrite);
        self.condition.iter_mut().chain(&mut self.claim.degree).for_each(|one| text(one, rewrite));
        fields(&mut self.claim.metadata, rewrite);
    }

    /// What it says as one text, with the parts of which that is made: names, the predicate and the condition.
    pub fn words(&mut self) -> (String, Vec<&mut String>) {
        let mut parts = Vec::new();
        if let Term::Named(new) = &mut self.subject {
            parts.push(&mut new.name);
        }
        parts.push(&mut self.predicate);
        if let Term::Named(new) = &mut self.object {
            parts.push(&mut new.name);
        }
        parts.extend(&mut self.condition);
        (parts.iter().map(|part| part.as_str()).collect::<Vec<_>>().join(" "), parts)
    }
}

impl NewEntity {
    /// Gives it other words, as [`Assertion::rewrite`] does.
    pub fn rewrite(&mut self, rewrite: &mut dyn FnMut(&str) -> Option<String>) {
        text(&mut self.name, rewrite);
        self.aliases.iter_mut().for_each(|one| text(one, rewrite));
        fields(&mut self.metadata, rewrite);
    }
}

impl EntityEdit {
    /// Gives it other words, as [`Assertion::rewrite`] does.
    pub fn rewrite(&mut self, rewrite: &mut dyn FnMut(&str) -> Option<String>) {
        self.name.iter_mut().chain(self.aliases.iter_mut().flatten()).for_each(|one| text(one, rewrite));
        self.metadata.iter_mut().for_each(|metadata| fields(metadata, rewrite));
    }
}

impl DumpLine {
    /// Gives it other words, as [`Assertion::rewrite`] does.
    pub fn rewrite(&mut self, rewrite: &mut dyn FnMut(&str) -> Option<String>) {
        match self {
            Self::Entity { name, aliases, metadata, .. } => {
                text(name, rewrite);
                aliases.iter_mut().for_each(|one| text(one, rewrite));
                fields(metadata, rewrite);
            }
            Self::Memory { said, .. } => {
                for triple in said {
                    text(&mut triple.predicate, rewrite);
                    triple.condition.iter_mut().chain(&mut triple.claim.degree).for_each(|one| text(one, rewrite));
                    fields(&mut triple.claim.metadata, rewrite);
                }
            }
            Self::Link { relation, metadata, .. } => {
                text(relation, rewrite);
                fields(metadata, rewrite);
            }
            _ => {}
        }
    }
}
