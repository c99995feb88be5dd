//! Two tellings of one thing.

use super::Body;
use super::new::{MAX_PROVENANCE, MAX_TAGS};
use crate::metadata::MAX_KEYS;
use crate::{MemoryId, Timestamp};

impl Body {
    /// Takes over what another telling of the same has and this one has not: tags, free fields,
    /// sources and an end of validity, where that is not before `since`, from when on this one is
    /// true; of what both have, the surer, the weightier and the longer-lived. Words, kind and
    /// time stay, and so does a group that it has. `id` is its own, which is no source of it.
    pub fn join(&mut self, id: MemoryId, since: Timestamp, other: &Self) {
        if other.confidence.get() > self.confidence.get() {
            self.confidence = other.confidence;
        }
        if other.importance.get() > self.importance.get() {
            self.importance = other.importance;
        }
        self.verified |= other.verified;
        self.expires_at = self
            .expires_at
            .zip(other.expires_at)
            .map(|(one, other)| one.max(other));
        // An end of validity before the beginning cannot be of the same telling.
        self.valid_until = self
            .valid_until
            .or(other.valid_until.filter(|until| *until > since));
        let room = MAX_PROVENANCE.saturating_sub(self.provenance.len());
        let is_new = |source: &&MemoryId| **source != id && !self.provenance.contains(source);
        let sources: Vec<MemoryId> = other
            .provenance
            .iter()
            .filter(is_new)
            .copied()
            .take(room)
            .collect();
        self.provenance.extend(sources);
        let grouped = self.group().is_some();
        let room = MAX_TAGS.saturating_sub(self.tags.len());
        let is_new =
            |tag: &&crate::Label| !(self.tags.contains(tag) || grouped && super::is_group(tag));
        let tags: Vec<_> = other
            .tags
            .iter()
            .filter(is_new)
            .take(room)
            .cloned()
            .collect();
        self.tags.extend(tags);
        self.tags.sort();
        for (key, value) in &other.metadata {
            if self.metadata.len() < MAX_KEYS && !self.metadata.contains_key(key) {
                self.metadata.insert(key.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NewMemory, NewMemoryBuilder};

    const OWN: MemoryId = MemoryId::from_bytes([1; 16]);

    fn body(of: NewMemoryBuilder) -> Body {
        of.build().unwrap().into_body()
    }

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn what_only_the_other_has_is_taken_over() {
        let known = || {
            NewMemory::builder("I have a dog")
                .tag("pets")
                .metadata("name", "Rex")
                .importance(0.5)
                .confidence(0.6)
        };
        let source = MemoryId::from_bytes([7; 16]);
        let more = body(
            NewMemory::builder("I have a dog.")
                .tag("home")
                .tag("pets")
                .metadata("name", "Max")
                .metadata("age", 3_i64)
                .importance(0.9)
                .confidence(0.5)
                .valid_until(at(9))
                .derived_from(source)
                .derived_from(OWN),
        );
        let mut joined = body(known());
        joined.join(OWN, at(0), &more);
        let expected = known()
            .tag("home")
            .metadata("age", 3_i64)
            .importance(0.9)
            .valid_until(at(9))
            .derived_from(source);
        assert_eq!(joined, body(expected));
        // Joining the same once more changes nothing.
        let again = joined.clone();
        joined.join(OWN, at(0), &more);
        assert_eq!(joined, again);
    }

    #[test]
    fn what_does_not_fit_stays_away() {
        let mut known = body(NewMemory::builder("x").valid_from(at(50)).group("home"));
        let other = NewMemory::builder("x")
            .valid_from(at(3))
            .valid_until(at(9))
            .group("work")
            .tag("a");
        known.join(OWN, at(50), &body(other));
        assert_eq!(
            (known.valid_from, known.valid_until, known.group()),
            (Some(at(50)), None, Some("home"))
        );
        assert_eq!(
            known.tags,
            body(NewMemory::builder("x").group("home").tag("a")).tags
        );
        for number in 0..100_i64 {
            let more = NewMemory::builder("x").tag(format!("t{number}"));
            known.join(
                OWN,
                at(50),
                &body((0..9_i64).fold(more, |more, n| more.metadata(format!("k{number}.{n}"), n))),
            );
        }
        assert_eq!(
            (known.tags.len(), known.metadata.len()),
            (MAX_TAGS, MAX_KEYS)
        );
        assert!(NewMemory::from_body(known).is_ok());
    }
}
