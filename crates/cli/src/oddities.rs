//! What passes and is probably a slip: a time zone that nobody knows, a kind that no memory has.

use std::collections::BTreeSet;

use annals::Kind;
use annals::blocking::Namespace;

use crate::app::App;
use crate::failure::Failure;
use crate::suggestion::is_near;
use crate::texts::text;
use crate::visible;

impl App<'_, '_> {
    /// The value of TZ, if it names no zone of the time zone database: times are taken as UTC then.
    pub(crate) fn unknown_zone(&self) -> Option<&str> {
        if self.settings.names_zone || self.world.zone.is_some() {
            None
        } else {
            self.world.var("TZ")
        }
    }

    /// Says that the value of TZ is none.
    pub(crate) fn note_zone(&mut self) -> Result<(), Failure> {
        match self.unknown_zone().map(unknown_zone) {
            Some(note) => self.note(&note),
            None => Ok(()),
        }
    }

    /// Says that the working directory does not have the memory of the project that it says it is.
    pub(crate) fn note_apart(&mut self) -> Result<(), Failure> {
        let Some((name, folder)) = &self.settings.apart else {
            return Ok(());
        };
        let folder = folder.to_string_lossy();
        let [name, folder] = [name, &*folder].map(|text| visible::line(text).into_owned());
        self.note(&text!("namespace-apart", name, folder))
    }

    /// Says that the list of the folders of projects was passed over, and why.
    pub(crate) fn note_place_failure(&mut self) -> Result<(), Failure> {
        let Some(failure) = &self.settings.place_failure else {
            return Ok(());
        };
        let failed = visible::line(&failure.message).into_owned();
        let advice = failure.advice.clone();
        self.note_with_json(&text!("namespace-projects-passed-over", failed))?;
        match advice {
            Some(advice) => self.note_with_json(&advice),
            None => Ok(()),
        }
    }

    /// Names the kinds that are there where one was asked for that no memory of these namespaces
    /// has.
    pub(crate) fn note_missing_kinds(
        &mut self,
        asked: &[String],
        namespaces: &[Namespace],
    ) -> Result<(), Failure> {
        if asked.is_empty() || !self.notes() {
            return Ok(());
        }
        let mut there: BTreeSet<String> = BTreeSet::new();
        for namespace in namespaces {
            let admin = namespace.admin();
            if admin.exists()? {
                there.extend(
                    admin
                        .stats()?
                        .open
                        .into_iter()
                        .flat_map(|open| open.by_kind.into_keys()),
                );
            }
        }
        let missing = asked.iter().find(|kind| !there.contains(*kind));
        let (Some(kind), false) = (missing, there.is_empty()) else {
            return Ok(());
        };
        let kind = format!("{:?}", visible::line(kind));
        let there = there.into_iter().collect::<Vec<_>>().join(", ");
        self.note(&text!("memory-kind-missing", kind, there))
    }

    /// Names the known kinds where a memory is stored under another one that looks like a slip for
    /// it, or that the profile does not have.
    pub(crate) fn note_new_kind(
        &mut self,
        kind: &str,
        namespace: &Namespace,
    ) -> Result<(), Failure> {
        if !self.notes() {
            return Ok(());
        }
        let settings = namespace.admin().settings()?;
        let (profile, taxonomy) = (namespace.admin().profile()?, settings.taxonomy);
        let of_profile: Vec<String> = taxonomy.kinds.into_iter().map(|kind| kind.id).collect();
        if of_profile.iter().any(|known| is_same_kind(known, kind))
            || taxonomy.default_kind.as_deref() == Some(kind)
        {
            return Ok(());
        }
        let kind_shown = format!("{:?}", visible::line(kind));
        if !of_profile.is_empty() {
            let known = of_profile.join(", ");
            return self.note(&text!(
                "memory-kind-not-of-profile",
                kind = kind_shown,
                profile,
                known
            ));
        }
        let stats = namespace.admin().stats()?;
        let there = stats.open.into_iter().flat_map(|open| open.by_kind);
        // What is stored by now is there as well: a kind of one memory is a new one.
        let counts: Vec<(String, u64)> = there.collect();
        let is_new = counts
            .iter()
            .all(|(known, count)| known != kind || *count <= 1);
        let others = counts
            .iter()
            .map(|(known, _)| known.as_str())
            .chain(std::iter::once(USUAL_KIND));
        let near = others
            .filter(|known| *known != kind)
            .find(|known| is_near(kind, known));
        match near {
            Some(near) if is_new => self.note(&text!("memory-kind-new", kind = kind_shown, near)),
            _ => Ok(()),
        }
    }
}

/// Whether two words are the same kind to a person, who pays no heed to capitals.
fn is_same_kind(one: &str, other: &str) -> bool {
    one == other || one.to_lowercase() == other.to_lowercase()
}

/// A kind as the profile of the namespace writes it, where that has it in other letters.
pub(crate) fn kind_of_profile(kind: &str, namespace: &Namespace) -> Result<Kind, Failure> {
    let kinds = namespace.admin().settings()?.taxonomy.kinds;
    let known = kinds
        .iter()
        .find(|known| known.id == kind)
        .or_else(|| kinds.iter().find(|known| is_same_kind(&known.id, kind)));
    Ok(Kind::new(known.map_or(kind, |known| known.id.as_str()))?)
}

/// The kind of what is stored without one, where the profile names none.
const USUAL_KIND: &str = "fact";

/// The words for a time zone that is unknown.
pub(crate) fn unknown_zone(zone: &str) -> String {
    text!(
        "common-zone-unknown",
        zone = format!("{:?}", visible::line(zone))
    )
}
