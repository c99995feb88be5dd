//! By what a turn is known when it comes again.

use annals_types::{Body, Value};

use crate::TURN_ID;

/// A turn as numbers, of which nobody can read what it said. They are stored: how they are made
/// must not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Print {
    /// Its id where it came from.
    pub(super) id: Option<u64>,
    /// When it was said, and what.
    moment: Option<u64>,
    /// The hash of its text, its role and its reply.
    pub(super) words: u64,
}

impl Print {
    pub(super) fn of(body: &Body) -> Self {
        let id = match body.metadata.get(TURN_ID) {
            Some(Value::Text(id)) => Some(hash(&[b"id", id.as_bytes()])),
            _ => None,
        };
        let words = words(body);
        let at = |millis: i64| hash(&[b"time", &millis.to_be_bytes(), &words.to_be_bytes()]);
        Self {
            id,
            moment: body.event_time.map(|time| at(time.as_millis())),
            words,
        }
    }

    /// The hashes that find it again wherever it stands, the surest first; none for a turn that
    /// only its neighbours tell apart.
    pub(super) fn names(&self) -> impl Iterator<Item = u64> + use<> {
        self.id.into_iter().chain(self.moment)
    }

    pub(super) fn is_named(&self) -> bool {
        self.names().next().is_some()
    }
}

/// The hash of a turn's text, role and reply.
pub(super) fn words(body: &Body) -> u64 {
    let turn = body.turn.as_ref();
    let role = turn.map(|turn| turn.role.to_byte());
    let reply = turn.and_then(|turn| turn.reply.as_deref());
    let mark = [
        u8::from(role.is_some()),
        role.unwrap_or_default(),
        u8::from(reply.is_some()),
    ];
    hash(&[
        b"words",
        &mark,
        body.text.as_bytes(),
        reply.unwrap_or_default().as_bytes(),
    ])
}

/// FNV-1a of some parts, each behind its length: to know texts again, not to withstand anyone.
pub(super) fn hash(parts: &[&[u8]]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    parts.iter().fold(0xcbf2_9ce4_8422_2325, |hash, part| {
        let length = u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes();
        part.iter().fold(length.iter().fold(hash, step), step)
    })
}

#[cfg(test)]
mod tests {
    use annals_types::{NewMemory, NewTurn, Role, Timestamp};

    use super::*;

    #[test]
    fn the_stored_numbers_are_frozen() {
        let bare: NewMemory = NewTurn::builder("s", "hello").build().unwrap().into();
        let turn = NewTurn::builder("s", "hello")
            .role(Role::Assistant)
            .time(Timestamp::from_millis(1_000))
            .reply("ok");
        let timed: NewMemory = turn.build().unwrap().into();
        let (bare, timed) = (Print::of(bare.body()), Print::of(timed.body()));
        assert_eq!((bare.is_named(), bare.words), (false, WORDS));
        assert_eq!(
            (timed.names().collect::<Vec<_>>(), timed.words),
            (vec![TIMED], ANSWERED)
        );
        assert_ne!(hash(&[b"a", b"bc"]), hash(&[b"ab", b"c"]));
    }

    const WORDS: u64 = 0xe291_88f6_050f_cf6e;
    const TIMED: u64 = 0x78bd_3160_3517_9147;
    const ANSWERED: u64 = 0x36c4_210c_813f_3f80;
}
