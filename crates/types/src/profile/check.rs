//! Checks that several groups share.

use std::borrow::Cow;
use std::fmt::{Display, LowerExp};

use crate::Wording;

/// A profile that contradicts itself: the key, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("profile key {key}: {reason}")]
pub struct BadProfile {
    /// The key, with dots.
    pub key: Cow<'static, str>,
    /// The fault, and the allowed values.
    pub reason: String,
    /// The fault apart from its words, where it is one of those that many keys can have.
    fault: Option<Wording>,
}

impl BadProfile {
    /// A remark about a key.
    pub fn new(key: impl Into<Cow<'static, str>>, reason: String) -> Self {
        Self {
            key: key.into(),
            reason,
            fault: None,
        }
    }

    /// A fault that is said in the language of a program.
    #[must_use]
    pub fn worded(self, fault: Wording) -> Self {
        Self {
            fault: Some(fault),
            ..self
        }
    }

    /// What it says, apart from its words.
    #[must_use]
    pub fn wording(&self) -> Wording {
        let mut wording = self
            .fault
            .clone()
            .unwrap_or_else(|| Wording::new("key-other", &[("reason", &self.reason)]));
        wording
            .places
            .insert("key".to_owned(), self.key.to_string());
        wording
    }
}

fn fail(key: &str, reason: String, fault: Wording) -> Result<(), BadProfile> {
    Err(BadProfile::new(key.to_owned(), reason).worded(fault))
}

/// A number as it is told: by its power of ten where it has too many digits to be read.
pub(super) fn told(value: impl Display + LowerExp) -> String {
    let digits = value.to_string();
    if digits.len() <= 20 {
        digits
    } else {
        format!("{value:e}")
    }
}

/// A number from 0 to 1, shown as it was written.
pub(super) fn share(
    key: &str,
    value: impl Into<f64> + Display + LowerExp + Copy,
) -> Result<(), BadProfile> {
    if (0.0..=1.0).contains(&value.into()) {
        Ok(())
    } else {
        let value = told(value);
        fail(
            key,
            format!("{value} is not between 0 and 1"),
            Wording::new("key-share", &[("value", &value)]),
        )
    }
}

/// A number from 0 on.
pub(super) fn finite_from(key: &str, value: f64) -> Result<(), BadProfile> {
    if value.is_finite() && value >= 0.0 {
        Ok(())
    } else {
        let value = told(value);
        fail(
            key,
            format!("{value} is not a number from 0 on"),
            Wording::new("key-from-0", &[("value", &value)]),
        )
    }
}

/// A number above 0.
pub(super) fn finite_above(
    key: &str,
    value: impl Into<f64> + Display + LowerExp + Copy,
) -> Result<(), BadProfile> {
    let number: f64 = value.into();
    if number.is_finite() && number > 0.0 {
        Ok(())
    } else {
        let value = told(value);
        fail(
            key,
            format!("{value} is not a number above 0"),
            Wording::new("key-above-0", &[("value", &value)]),
        )
    }
}

/// A word out of a list.
pub(super) fn known(key: &str, word: &str, words: &[&str]) -> Result<(), BadProfile> {
    if words.contains(&word) {
        return Ok(());
    }
    let allowed = words.join(", ");
    let fault = Wording::new("key-not-one-of", &[("value", &word), ("allowed", &allowed)]);
    fail(key, format!("{word:?} is not one of {allowed}"), fault)
}

/// Names of the members of a list, none of which is empty or given twice. The key ends in the
/// number of the member, from 0, and the key of its name.
pub(super) fn unique<'a>(
    key: &str,
    name_key: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> Result<(), BadProfile> {
    let mut seen = std::collections::BTreeSet::new();
    for (at, name) in names.into_iter().enumerate() {
        if name.is_empty() || !seen.insert(name) {
            let fault = Wording::new("key-name-twice", &[("value", &name)]);
            let key = format!("{key}.{at}.{name_key}");
            return fail(
                &key,
                format!("the name {name:?} is empty or given twice"),
                fault,
            );
        }
    }
    Ok(())
}

/// A path that stays below its folder, wherever the program runs: with `/` between its parts, none
/// of which is empty, `.` or `..`.
pub(super) fn below(key: &str, path: &str) -> Result<(), BadProfile> {
    let leaves = |part: &str| part.trim().is_empty() || matches!(part, "." | "..");
    // A colon begins another drive, or names another stream of a file; a backslash is a separator
    // elsewhere.
    if path.contains(['\\', ':', '\0']) || path.split('/').any(leaves) {
        let fault = Wording::new("key-path", &[("value", &path)]);
        return fail(
            key,
            format!("{path:?} must be a path below the folder, with / between its parts"),
            fault,
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_many_digits_is_told_by_its_power_of_ten() {
        assert_eq!(
            [1e40, 0.25, 1000.0, 0.1 + 0.2].map(told),
            ["1e40", "0.25", "1000", "0.30000000000000004"]
        );
        assert_eq!(
            share("dedup.sure_above", 1e40).unwrap_err().reason,
            "1e40 is not between 0 and 1"
        );
    }

    #[test]
    fn a_path_stays_below_its_folder() {
        for path in [
            "MEMORY.md",
            "data/react_traces",
            "a/{session}.jsonl",
            "记忆/今天.md",
            "..a/b..",
        ] {
            assert_eq!(below("key", path), Ok(()), "{path}");
        }
        for path in [
            "",
            " ",
            ".",
            "..",
            "/etc/passwd",
            "../x",
            "a/../../x",
            "a//b",
            "a/",
            "a\\b",
            "C:\\x",
            "C:/x",
            "a:b",
            "a\0",
        ] {
            assert_eq!(
                below("key", path).map_err(|bad| bad.key),
                Err("key".into()),
                "{path}"
            );
        }
    }
}
