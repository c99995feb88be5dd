//! Memories as files said them when they were last written.

use annals_storage::wire::{Broken, Put, Take};
use annals_types::{MemoryId, Timestamp};

/// A memory of a file, as it was last written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NotedMemory {
    /// Its name in the file.
    pub(super) short: String,
    pub(super) id: MemoryId,
    pub(super) hash: u64,
    /// As [`kind`] makes it.
    pub(super) kind: String,
    pub(super) score: f64,
    pub(super) hits: u32,
    pub(super) activated: Timestamp,
    pub(super) expires: Option<Timestamp>,
}

/// The separator of a category and a group: neither contains it.
const BETWEEN: char = '\u{1f}';

/// A category as it is noted, with the group behind it where there is one.
pub(super) fn kind(category: &str, group: &str) -> String {
    if group.is_empty() {
        category.to_owned()
    } else {
        format!("{category}{BETWEEN}{group}")
    }
}

/// A score as files show it: what fades between two looks changes no file.
pub(super) fn shown(score: f64) -> String {
    format!("{score:.2}")
}

pub(super) fn sorted(all: &[NotedMemory]) -> Vec<ShownFields<'_>> {
    let mut all: Vec<_> = all.iter().map(NotedMemory::compared).collect();
    all.sort_unstable();
    all
}

/// The fields of a memory that a file can show: name, id, text, kind, score, hits, last use and
/// expiry.
type ShownFields<'a> = (
    &'a str,
    MemoryId,
    u64,
    &'a str,
    String,
    u32,
    Timestamp,
    Option<Timestamp>,
);

impl NotedMemory {
    fn compared(&self) -> ShownFields<'_> {
        let Self {
            short,
            id,
            hash,
            kind,
            score,
            hits,
            activated,
            expires,
        } = self;
        (
            short,
            *id,
            *hash,
            kind,
            shown(*score),
            *hits,
            *activated,
            *expires,
        )
    }

    /// The category and the group.
    pub(super) fn category(&self) -> (&str, &str) {
        self.kind.split_once(BETWEEN).unwrap_or((&self.kind, ""))
    }
}

/// FNV-1a of a text: to notice edits, not to withstand anyone.
pub(super) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// A byte that says yes or no.
pub(super) fn flag(take: &mut Take<'_>) -> Result<bool, Broken> {
    match take.byte()? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Broken("a yes or no of a mirrored file has an unknown form")),
    }
}

pub(super) fn encode(put: &mut Put, all: &[NotedMemory]) {
    put.length(all.len());
    for noted in all {
        put.text(&noted.short);
        put.raw(noted.id.as_bytes());
        put.raw(&noted.hash.to_le_bytes());
        put.text(&noted.kind);
        put.raw(&noted.score.to_le_bytes());
        put.varint(u64::from(noted.hits));
        put.zigzag(noted.activated.as_millis());
        put.byte(u8::from(noted.expires.is_some()));
        if let Some(expires) = noted.expires {
            put.zigzag(expires.as_millis());
        }
    }
}

pub(super) fn decode(take: &mut Take<'_>) -> Result<Vec<NotedMemory>, Broken> {
    let count = take.count(36)?;
    let mut all = Vec::with_capacity(count);
    for _ in 0..count {
        all.push(NotedMemory {
            short: take.text()?.to_owned(),
            id: MemoryId::from_bytes(take.array()?),
            hash: u64::from_le_bytes(take.array()?),
            kind: take.text()?.to_owned(),
            score: f64::from_le_bytes(take.array()?),
            hits: take.varint32()?,
            activated: Timestamp::from_millis(take.zigzag()?),
            expires: flag(take)?
                .then(|| take.zigzag().map(Timestamp::from_millis))
                .transpose()?,
        });
    }
    Ok(all)
}
