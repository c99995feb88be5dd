//! How a triple is said: one way for reports, prompts and exports.

/// The words of a triple between its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wording<'a> {
    /// Its predicate.
    pub predicate: &'a str,
    /// Whether it says that it is not so.
    pub negated: bool,
    /// How much, or how often.
    pub degree: Option<&'a str>,
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

    /// The predicate with its degree and condition: `not likes (much) (when: it rains)`.
    #[must_use]
    pub fn label(self) -> String {
        self.predicate() + &self.limits()
    }

    /// The whole: `Ada not likes coffee (much) (when: it rains)`.
    #[must_use]
    pub fn sentence(self, subject: &str, object: &str) -> String {
        format!("{subject} {} {object}{}", self.predicate(), self.limits())
    }

    /// The way to an object in a drawing: `--not likes (much) (when: it rains)--[coffee]`.
    #[must_use]
    pub fn arrow(self, object: &str) -> String {
        format!("--{}--[{object}]", self.label())
    }

    /// Whether it does not simply say that it is so.
    pub(crate) const fn is_qualified(self) -> bool {
        self.negated || self.condition.is_some()
    }

    /// How far it holds: its degree and its condition, each with a space before it.
    pub(crate) fn limits(self) -> String {
        let degree = self.degree.map(|degree| format!(" ({degree})"));
        let condition = self
            .condition
            .map(|condition| format!(" (when: {condition})"));
        degree.into_iter().chain(condition).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_no_a_degree_and_a_condition_are_said() {
        let plain = Wording {
            predicate: "likes",
            negated: false,
            degree: None,
            condition: None,
        };
        assert_eq!(
            (plain.label(), plain.sentence("Ada", "tea")),
            ("likes".to_owned(), "Ada likes tea".to_owned())
        );
        let said = Wording {
            predicate: "喜欢",
            negated: true,
            degree: Some("很"),
            condition: Some("下雨"),
        };
        assert_eq!(said.label(), "不喜欢 (很) (when: 下雨)");
        assert_eq!(
            said.sentence("我", "咖啡"),
            "我 不喜欢 咖啡 (很) (when: 下雨)"
        );
        assert_eq!(said.arrow("咖啡"), "--不喜欢 (很) (when: 下雨)--[咖啡]");
        assert_eq!(
            Wording {
                predicate: "likes",
                ..said
            }
            .predicate(),
            "not likes"
        );
    }
}
