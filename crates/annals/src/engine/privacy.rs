//! What must not be stored as it is: looked for before anything is embedded or written.

use std::borrow::Cow;
use std::sync::Arc;

use annals_extraction::privacy::{Filter, Redacted};
use annals_graph::{Assertion, DumpLine};
use annals_types::{Body, Finding, Label, NamespaceId, NamespaceName, NewMemory, Rewrite, Sensitive, Statement};

use super::Engine;
use super::compiled::CompiledProfile;
use super::counts::Masked;
use super::names::Entry;
use crate::Error;

/// What a profile keeps back, for one namespace.
pub(crate) struct Screen {
    filter: Filter,
    profile: Label,
    /// Where it notes what it masks in what comes to be stored, and of which namespace that is.
    told: Option<(Masked, NamespaceName)>,
}

impl Engine {
    /// The profile of a namespace; the default for one that does not exist yet.
    pub(crate) fn profile_of(&self, ns: impl Into<Option<NamespaceId>>) -> Result<Arc<CompiledProfile>, Error> {
        let Some(id) = ns.into() else { return Ok(Arc::clone(self.profiles.default())) };
        match self.profiles.cached(id) {
            Some(known) => Ok(known),
            None => self.profiles.of(&self.snapshot()?, id),
        }
    }

    /// What the profile of a namespace keeps back of what comes to be stored; `None` when nothing. What it masks is noted, so that it can be told.
    pub(crate) fn screen(&self, entry: Entry<'_>) -> Result<Option<Screen>, Error> {
        Ok(self.profile_of(entry.id)?.screen().map(|screen| screen.telling(self, entry.name)))
    }

    /// The same by a profile of a namespace that is there.
    pub(crate) fn screen_in(&self, profile: &CompiledProfile, ns: NamespaceId) -> Result<Option<Screen>, Error> {
        let Some(screen) = profile.screen() else { return Ok(None) };
        let found = annals_records::namespace::there(&self.snapshot()?, ns)?;
        Ok(Some(screen.telling(self, &found.name)))
    }

    /// Something with texts in it as the profile of a namespace lets it be stored. `texts` goes through all of them.
    pub(crate) fn passed_by<T>(
        &self,
        entry: Entry<'_>,
        mut it: T,
        texts: impl FnOnce(&mut T, Rewrite<'_>),
    ) -> Result<T, Error> {
        if let Some(screen) = self.screen(entry)? {
            screen.through(|rewrite| texts(&mut it, rewrite))?;
        }
        Ok(it)
    }

    /// The memories as the profile of their namespace lets them be stored.
    pub(crate) fn screened(&self, entry: Entry<'_>, memories: Vec<NewMemory>) -> Result<Vec<NewMemory>, Error> {
        let screen = self.screen(entry)?;
        screened(screen.as_ref(), memories)
    }

    /// What memories say, as the profile of their namespace lets it be stored.
    pub(crate) fn screened_saying(&self, entry: Entry<'_>, said: &[Assertion]) -> Result<Vec<Assertion>, Error> {
        let mut said = said.to_vec();
        if let Some(screen) = self.screen(entry)? {
            screen.assertions(&mut said)?;
        }
        Ok(said)
    }
}

/// Memories as a filter lets them be stored.
pub(crate) fn screened(screen: Option<&Screen>, memories: Vec<NewMemory>) -> Result<Vec<NewMemory>, Error> {
    match screen {
        Some(screen) => memories.into_iter().map(|memory| screen.memory(memory)).collect(),
        None => Ok(memories),
    }
}

impl CompiledProfile {
    /// What it keeps back; `None` when nothing.
    pub(crate) fn screen(&self) -> Option<Screen> {
        let settings = &self.settings.privacy;
        let screen = || Screen { filter: self.filter.clone(), profile: self.name.clone(), told: None };
        (!settings.allows_all()).then(screen)
    }

    /// A text that goes where not everybody may read what the profile keeps back: into a log, or the note of an error.
    pub(crate) fn redacted(&self, text: String) -> String {
        self.screen().and_then(|screen| screen.instead(&text)).unwrap_or(text)
    }
}

impl Screen {
    /// The same, which notes what it masks in what comes to be stored in a namespace.
    pub(crate) fn telling(self, engine: &Engine, name: &NamespaceName) -> Self {
        Self { told: Some((engine.counts.masked().clone(), name.clone())), ..self }
    }

    /// Masks what is to be masked in whatever `rewrite` goes through; refuses all of it when something in it is refused.
    pub(crate) fn through<T>(&self, rewrite: impl FnOnce(Rewrite<'_>) -> T) -> Result<T, Error> {
        let mut refused: Option<Sensitive> = None;
        let done = rewrite(&mut |text| match self.filter.redact(text) {
            Redacted::Masked { text, findings } => {
                self.note(&findings);
                Some(text)
            }
            Redacted::Rejected { kind } => {
                refused.get_or_insert(kind);
                None
            }
            Redacted::Clean => None,
        });
        match refused {
            Some(kind) => Err(self.refusal(&kind)),
            None => Ok(done),
        }
    }

    fn note(&self, found: &[Finding]) {
        if let Some((masked, name)) = &self.told {
            masked.note(name, found);
        }
    }

    /// The error must not repeat what must not be kept.
    fn refusal(&self, kind: &Sensitive) -> Error {
        Error::bad_input(format!(
            "the text holds something of the kind {:?}, which profile {:?} refuses; leave it out, or let [privacy] of the profile mask that kind",
            kind.as_str(),
            self.profile.as_str(),
        ))
    }

    fn memory(&self, memory: NewMemory) -> Result<NewMemory, Error> {
        Ok(self.through(|rewrite| memory.rewritten(rewrite))??)
    }

    /// What a stored memory said or says.
    pub(crate) fn body(&self, body: &mut Body) -> Result<(), Error> {
        self.through(|rewrite| body.rewrite(rewrite))
    }

    /// What memories say.
    pub(crate) fn assertions(&self, said: &mut [Assertion]) -> Result<(), Error> {
        self.through(|rewrite| said.iter_mut().for_each(|one| one.rewrite(rewrite)))?;
        said.iter_mut().try_for_each(|one| self.together(one.parts().into_iter().map(|part| (" ", part)).collect()))
    }

    /// Masks in the parts of a text, each with what stands before it, what is only known for what it is beside the others: "password is" and
    /// "abc12345".
    pub(crate) fn together(&self, parts: Vec<(&str, &mut String)>) -> Result<(), Error> {
        let mut words = String::new();
        let mut places = Vec::with_capacity(parts.len());
        for (before, part) in &parts {
            words.push_str(before);
            places.push(words.len());
            words.push_str(part);
        }
        let findings = match self.filter.redact(&words) {
            Redacted::Clean => return Ok(()),
            Redacted::Rejected { kind } => return Err(self.refusal(&kind)),
            Redacted::Masked { findings, .. } => findings,
        };
        self.note(&findings);
        for ((_, part), place) in parts.into_iter().zip(places) {
            let within = |at: usize| at.saturating_sub(place).min(part.len());
            let (mut masked, mut end) = (String::new(), 0);
            for finding in &findings {
                let (start, stop) = (within(finding.range.start), within(finding.range.end));
                if start < stop {
                    masked.push_str(part.get(end..start).unwrap_or_default());
                    masked.push_str(&finding.mark());
                    end = stop;
                }
            }
            if end > 0 {
                masked.push_str(part.get(end..).unwrap_or_default());
                *part = masked;
            }
        }
        Ok(())
    }

    /// A part of a graph that comes from elsewhere.
    pub(crate) fn line(&self, line: &mut DumpLine) -> Result<(), Error> {
        self.through(|rewrite| line.rewrite(rewrite))
    }

    /// What a model says that a memory says; nothing when that is refused.
    pub(crate) fn statement(&self, mut said: Statement) -> Option<Statement> {
        let rewritten = self.through(|rewrite| {
            let parts = [&mut said.subject, &mut said.predicate, &mut said.object];
            for part in parts.into_iter().chain(&mut said.condition).chain(&mut said.degree) {
                if let Some(other) = rewrite(part) {
                    *part = other;
                }
            }
        });
        let parts = vec![(" ", &mut said.subject), (" ", &mut said.predicate), (" ", &mut said.object)];
        (rewritten.is_ok() && self.together(parts).is_ok()).then_some(said)
    }

    /// What takes the place of a text in which something is to be masked. A text that is refused stays: whoever stores it is told.
    pub(crate) fn masked(&self, text: &str) -> Option<String> {
        match self.filter.redact(text) {
            Redacted::Masked { text, findings } => {
                self.note(&findings);
                Some(text)
            }
            _ => None,
        }
    }

    /// A text as a model may see it: what is refused is masked as well.
    pub(crate) fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.filter.redact_all(text)
    }

    /// A memory as a model may see it, or as it may be stored where refusing it would lose the rest of it.
    pub(crate) fn redact_body(&self, body: &mut Body) {
        body.rewrite(&mut |text| self.instead(text));
    }

    /// What takes the place of a text that not everybody may see.
    pub(crate) fn instead(&self, text: &str) -> Option<String> {
        match self.redact(text) {
            Cow::Owned(text) => Some(text),
            Cow::Borrowed(_) => None,
        }
    }
}
