//! Texts are redacted before anything is embedded or written.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use annals_graph::{Assertion, DumpLine};
use annals_language::privacy::{Filter, Redacted};
use annals_types::{Body, Finding, Label, NamespaceId, NewMemory, Rewrite, Sensitive, Statement};

use crate::Engine;
use crate::compiled::CompiledProfile;
use crate::names::Entry;
use crate::{Error, Refusal};

/// The filter of a profile, for one namespace.
pub struct Screen {
    filter: Filter,
    profile: Label,
    /// Whether the kinds that it masks are told to the caller ([`masked_during`]).
    told: bool,
}

thread_local! {
    /// What was masked for the callers that wait on this thread, the innermost last.
    static MASKED: RefCell<Vec<BTreeSet<String>>> = const { RefCell::new(Vec::new()) };
}

/// Runs some calls, and answers with their result the kinds of secrets, such as `password`, that
/// profiles masked meanwhile in what this thread came to store. Calls to the owner of a shared file
/// count; of two that are nested the inner one is told.
pub fn masked_during<T>(calls: impl FnOnce() -> T) -> (T, BTreeSet<String>) {
    /// Ends the note also where a call panics.
    struct Noting;

    impl Drop for Noting {
        fn drop(&mut self) {
            MASKED.with_borrow_mut(|noted| drop(noted.pop()));
        }
    }

    MASKED.with_borrow_mut(|noted| noted.push(BTreeSet::new()));
    let noting = Noting;
    let answer = calls();
    let masked = MASKED.with_borrow_mut(|noted| noted.last_mut().map(std::mem::take));
    drop(noting);
    (answer, masked.unwrap_or_default())
}

/// Tells the caller that waits on this thread what was masked for it, here or by the owner of a
/// shared file.
pub fn note_masked(kinds: impl IntoIterator<Item = String>) {
    MASKED.with_borrow_mut(|noted| {
        if let Some(noted) = noted.last_mut() {
            noted.extend(kinds);
        }
    });
}

impl Engine {
    /// The profile of a namespace; the default for one that does not exist yet.
    pub fn profile_of(
        &self,
        ns: impl Into<Option<NamespaceId>>,
    ) -> Result<Arc<CompiledProfile>, Error> {
        let Some(id) = ns.into() else {
            return Ok(Arc::clone(self.profiles.default()));
        };
        match self.profiles.cached(id) {
            Some(known) => Ok(known),
            None => self.profiles.of(&self.snapshot()?, id),
        }
    }

    /// The filter of a namespace's profile for texts to be stored; `None` when it filters nothing.
    /// Masked kinds are told to the caller.
    pub fn screen(&self, entry: Entry<'_>) -> Result<Option<Screen>, Error> {
        Ok(self.profile_of(entry.id)?.screen().map(Screen::telling))
    }

    /// The same by the profile of a namespace that exists.
    pub fn screen_in(
        &self,
        profile: &CompiledProfile,
        ns: NamespaceId,
    ) -> Result<Option<Screen>, Error> {
        let Some(screen) = profile.screen() else {
            return Ok(None);
        };
        annals_records::namespace::there(&self.snapshot()?, ns)?;
        Ok(Some(screen.telling()))
    }

    /// Something with texts in it as the profile of a namespace lets it be stored. `texts` goes
    /// through all of them.
    pub fn passed_by<T>(
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
    pub fn screened(
        &self,
        entry: Entry<'_>,
        memories: Vec<NewMemory>,
    ) -> Result<Vec<NewMemory>, Error> {
        let screen = self.screen(entry)?;
        screened(screen.as_ref(), memories)
    }

    /// The statements of memories, as the profile of their namespace lets them be stored.
    pub fn screened_saying(
        &self,
        entry: Entry<'_>,
        said: &[Assertion],
    ) -> Result<Vec<Assertion>, Error> {
        let mut said = said.to_vec();
        if let Some(screen) = self.screen(entry)? {
            screen.assertions(&mut said)?;
        }
        Ok(said)
    }
}

/// Memories as a filter lets them be stored.
pub fn screened(
    screen: Option<&Screen>,
    memories: Vec<NewMemory>,
) -> Result<Vec<NewMemory>, Error> {
    match screen {
        Some(screen) => memories
            .into_iter()
            .map(|memory| screen.memory(memory))
            .collect(),
        None => Ok(memories),
    }
}

impl CompiledProfile {
    /// Its filter; `None` when it filters nothing.
    pub fn screen(&self) -> Option<Screen> {
        let settings = &self.settings.privacy;
        let screen = || Screen {
            filter: self.filter.clone(),
            profile: self.name.clone(),
            told: false,
        };
        (!settings.allows_all()).then(screen)
    }

    /// A text for places that other people may read, such as a log or the note of an error.
    pub fn redacted(&self, text: String) -> String {
        self.screen()
            .and_then(|screen| screen.instead(&text))
            .unwrap_or(text)
    }
}

impl Screen {
    /// Masks a text that comes to be stored; the kinds of what is masked are told to the caller.
    #[must_use]
    pub fn telling(self) -> Self {
        Self { told: true, ..self }
    }

    /// Masks secrets in all texts that `rewrite` goes through; refuses all of them when one is
    /// refused.
    pub fn through<T>(&self, rewrite: impl FnOnce(Rewrite<'_>) -> T) -> Result<T, Error> {
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
        if self.told {
            note_masked(found.iter().map(|finding| finding.kind.as_str().to_owned()));
        }
    }

    /// The error must not repeat what must not be kept.
    fn refusal(&self, kind: &Sensitive) -> Error {
        let (kind_of_secret, profile) =
            (kind.as_str().to_owned(), self.profile.as_str().to_owned());
        Refusal::Sensitive {
            kind_of_secret,
            profile,
        }
        .into()
    }

    fn memory(&self, memory: NewMemory) -> Result<NewMemory, Error> {
        Ok(self.through(|rewrite| memory.rewritten(rewrite))??)
    }

    /// Filters a current or earlier body of a memory.
    pub fn body(&self, body: &mut Body) -> Result<(), Error> {
        self.through(|rewrite| body.rewrite(rewrite))
    }

    /// Filters the statements of memories.
    pub fn assertions(&self, said: &mut [Assertion]) -> Result<(), Error> {
        self.through(|rewrite| said.iter_mut().for_each(|one| one.rewrite(rewrite)))?;
        said.iter_mut().try_for_each(|one| {
            self.together(one.parts().into_iter().map(|part| (" ", part)).collect())
        })
    }

    /// Masks secrets that only show across the parts of a text, such as "password is" and
    /// "abc12345". Each part comes with the text before it.
    pub fn together(&self, parts: Vec<(&str, &mut String)>) -> Result<(), Error> {
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
    pub fn line(&self, line: &mut DumpLine) -> Result<(), Error> {
        self.through(|rewrite| line.rewrite(rewrite))
    }

    /// A statement that a model found, filtered; nothing when it is refused.
    pub fn statement(&self, mut said: Statement) -> Option<Statement> {
        let rewritten = self.through(|rewrite| {
            let parts = [&mut said.subject, &mut said.predicate, &mut said.object];
            for part in parts
                .into_iter()
                .chain(&mut said.condition)
                .chain(&mut said.degree)
            {
                if let Some(other) = rewrite(part) {
                    *part = other;
                }
            }
        });
        let parts = vec![
            (" ", &mut said.subject),
            (" ", &mut said.predicate),
            (" ", &mut said.object),
        ];
        (rewritten.is_ok() && self.together(parts).is_ok()).then_some(said)
    }

    /// The masked text, where something in it is to be masked. A text that is refused stays:
    /// storing it fails.
    pub fn masked(&self, text: &str) -> Option<String> {
        match self.filter.redact(text) {
            Redacted::Masked { text, findings } => {
                self.note(&findings);
                Some(text)
            }
            _ => None,
        }
    }

    /// A text as a model may see it: what is refused is masked as well.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.filter.redact_all(text)
    }

    /// A memory as a model may see it, or as it may be stored where refusing it would lose the rest
    /// of it.
    pub fn redact_body(&self, body: &mut Body) {
        body.rewrite(&mut |text| self.instead(text));
    }

    /// The redacted text, where something in it is to be redacted.
    pub fn instead(&self, text: &str) -> Option<String> {
        match self.redact(text) {
            Cow::Owned(text) => Some(text),
            Cow::Borrowed(_) => None,
        }
    }
}
