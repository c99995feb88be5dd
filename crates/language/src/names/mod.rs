//! Names of entities and predicates: the form in which they are compared, names written
//! differently, names that say the contrary, names that a text may hold.

mod candidates;
mod contrary;
mod denial;
mod form;

use unicode_normalization::UnicodeNormalization;

pub use candidates::{Candidate, Limits, Span, candidates};
pub use contrary::contraries;
pub use denial::{says_never, says_no};
pub use form::Forms;

/// The form in which names are compared: NFKC, lower case, runs of white space as one space, none
/// at the ends.
#[must_use]
pub fn normalise(name: &str) -> String {
    let folded: String = name.nfkc().flat_map(char::to_lowercase).nfkc().collect();
    folded.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_without_case_width_and_white_space() {
        assert_eq!(normalise("  Ａda  LOVELACE\u{3000}"), "ada lovelace");
        assert_eq!(normalise("主人"), "主人");
    }

    proptest::proptest! {
        #[test]
        fn hostile_names_are_compared_without_panic(text in proptest::arbitrary::any::<String>()) {
            let normal = normalise(&text);
            // Once is enough.
            proptest::prop_assert_eq!(normalise(&normal), normal);
        }
    }
}
