/// Hexadecimal digits of a new id when nothing has it yet.
const SHORTEST: usize = 6;

/// A short id out of random bits: their first 6 hexadecimal digits, more where that is taken.
#[must_use]
pub fn short_id(random: u128, mut taken: impl FnMut(&str) -> bool) -> String {
    let digits = format!("{random:032x}");
    let free = (SHORTEST..=digits.len())
        .filter_map(|len| digits.get(..len))
        .find(|id| !taken(id));
    match free {
        Some(id) => id.to_owned(),
        // All 26 lengths are taken: only with bits that are not random.
        None => (1_u32..)
            .map(|n| format!("{digits}-{n:x}"))
            .find(|id| !taken(id))
            .unwrap_or(digits),
    }
}

/// Whether a text may be an id: 1 to 36 letters, digits, `-` and `_`.
pub(super) fn is_id(text: &str) -> bool {
    (1..=36).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_grow_where_short_ones_are_taken() {
        // part: M-09
        let random = 0xa1b2_c3d4_e5f6_0718_293a_4b5c_6d7e_8f90_u128;
        assert_eq!(short_id(random, |_| false), "a1b2c3");
        assert_eq!(short_id(random, |id| id.len() < 8), "a1b2c3d4");
        assert_eq!(
            short_id(random, |id| id.len() <= 32),
            "a1b2c3d4e5f60718293a4b5c6d7e8f90-1"
        );
        let mut seen = std::collections::HashSet::new();
        let mut state = 1_u128;
        for _ in 0..100_000 {
            state = state
                .wrapping_mul(0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645)
                .wrapping_add(0x5851_F42D_4C95_7F2D);
            let id = short_id(state, |id| seen.contains(id));
            assert!(is_id(&id));
            assert!(seen.insert(id));
        }
        assert_eq!(seen.len(), 100_000);
    }

    #[test]
    fn what_may_be_an_id() {
        for good in [
            "g7h8i9",
            "x1y2z3",
            "a",
            "0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e",
        ] {
            assert!(is_id(good));
        }
        for bad in [
            "",
            "a b",
            "é",
            "a|b",
            "0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e7",
        ] {
            assert!(!is_id(bad));
        }
    }
}
