//! Words that say no by themselves.

/// Whether a frequency means that something never happens.
#[must_use]
pub fn says_never(frequency: &str) -> bool {
    ["从不", "从来不", "从未", "绝不", "never"].contains(&frequency.to_lowercase().as_str())
}

/// Whether a predicate says no itself: `does not like`, `can't stand`, 不喜欢.
#[must_use]
pub fn says_no(predicate: &str) -> bool {
    let lower = predicate.to_lowercase().replace('’', "'");
    let no = |word: &str| ["no", "not", "never", "cannot"].contains(&word) || word.ends_with("n't");
    lower.starts_with(['不', '没', '无', '未'])
        || lower.starts_with("从不")
        || lower.split(' ').any(no)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_no_is_heard_at_its_place() {
        for predicate in [
            "不喜欢",
            "从不喝",
            "does NOT like",
            "can’t stand",
            "never drinks",
        ] {
            assert!(says_no(predicate), "{predicate}");
        }
        for predicate in ["喜欢", "notices", "knows", "likes"] {
            assert!(!says_no(predicate), "{predicate}");
        }
        assert!(says_never("Never") && says_never("从不") && !says_never("often"));
    }
}
