//! How a triple is said: one way for reports, prompts and exports.

/// What a triple says between its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wording<'a> {
    /// Its predicate.
    pub predicate: &'a str,
    /// Whether it says that it is not so.
    pub negated: bool,
    /// The condition under which it holds.
    pub condition: Option<&'a str>,
}

impl Wording<'_> {
    /// The predicate, with a word before it when it is not so: `likes`, `not likes`, `不喜欢`.
    #[must_use]
    pub fn predicate(self) -> String {
        let not = match (self.negated, self.predicate.is_ascii()) {
            (false, _) => "",
            (true, true) => "not ",
            (true, false) => "不",
        };
        format!("{not}{}", self.predicate)
    }

    /// The predicate with its condition: `not likes (when: it rains)`.
    #[must_use]
    pub fn label(self) -> String {
        self.predicate() + &self.when()
    }

    /// The whole: `Ada not likes coffee (when: it rains)`.
    #[must_use]
    pub fn sentence(self, subject: &str, object: &str) -> String {
        format!("{subject} {} {object}{}", self.predicate(), self.when())
    }

    /// Whether it says more than that it is so.
    pub(crate) const fn is_qualified(self) -> bool {
        self.negated || self.condition.is_some()
    }

    pub(crate) fn when(self) -> String {
        self.condition.map(|condition| format!(" (when: {condition})")).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_no_and_a_condition_are_said() {
        let plain = Wording { predicate: "likes", negated: false, condition: None };
        assert_eq!((plain.label(), plain.sentence("Ada", "tea")), ("likes".to_owned(), "Ada likes tea".to_owned()));
        let said = Wording { predicate: "喜欢", negated: true, condition: Some("下雨") };
        assert_eq!(said.label(), "不喜欢 (when: 下雨)");
        assert_eq!(said.sentence("我", "咖啡"), "我 不喜欢 咖啡 (when: 下雨)");
        assert_eq!(Wording { predicate: "likes", ..said }.predicate(), "not likes");
    }
}
