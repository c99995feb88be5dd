//! Notes beside the answers of several commands.

use std::collections::BTreeSet;

use annals::Timestamp;

use crate::app::App;
use crate::failure::Failure;
use crate::texts::{term, text};
use crate::visible;

impl App<'_, '_> {
    /// Says why recall searched by words only, when it did.
    pub(crate) fn note_by_words(&mut self, reason: Option<&str>) -> Result<(), Failure> {
        let note = reason.map(|reason| text!("common-by-words", reason = visible::line(reason)));
        note.map_or(Ok(()), |note| self.note(&note))
    }

    /// Says which kinds of secrets were masked in what was stored.
    pub(crate) fn note_masked(&mut self, kinds: &BTreeSet<String>) -> Result<(), Failure> {
        if kinds.is_empty() {
            return Ok(());
        }
        let key = kinds
            .first()
            .map_or_else(String::new, |kind| kind.replace([' ', '-'], "_"));
        let kinds: Vec<String> = kinds.iter().map(|kind| term("secret", kind)).collect();
        self.note(&text!(
            "common-masked",
            kinds = kinds.join(&text!("common-comma")),
            key
        ))
    }

    /// Says that the times of an answer are those of UTC, where the clocks show others.
    pub(crate) fn note_utc(&mut self) -> Result<(), Failure> {
        let zone = visible::line(&self.settings.zone).into_owned();
        match zone.as_str() {
            "UTC" | "Etc/UTC" | "Etc/UCT" | "Z" | "GMT" | "Etc/GMT" => Ok(()),
            _ => self.note(&text!("common-times-utc", zone)),
        }
    }

    /// Says so where something is asked as of a time that is yet to come.
    pub(crate) fn note_as_of(&mut self, as_of: Option<Timestamp>) -> Result<(), Failure> {
        let now = self.world.clock.now();
        match as_of.filter(|at| *at > now) {
            Some(at) => self.note(&text!("common-as-of-future", at)),
            None => Ok(()),
        }
    }
}
