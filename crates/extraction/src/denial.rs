//! What says no, in one place for all readers of answers.

/// What says no as a part of a Chinese clause.
const LETTERS: [char; 7] = ['不', '没', '无', '未', '勿', '非', '否'];
const WORDS: [&str; 11] =
    ["no", "not", "nope", "never", "without", "neither", "nor", "none", "cannot", "false", "hardly"];

/// The ASCII words of a text.
pub(crate) fn english(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '\'').filter(|word| !word.is_empty())
}

/// Whether a text in lower case holds one of a list of words with `|` between them: English ones as whole words.
pub(crate) fn names(text: &str, list: &str) -> bool {
    let spaced = format!(" {} ", english(&text.replace('-', " ")).collect::<Vec<_>>().join(" "));
    list.split('|').any(|word| match word.is_ascii() {
        true => spaced.contains(&format!(" {} ", word.replace('-', " "))),
        false => text.contains(word),
    })
}

/// Whether an English word in lower case says no.
pub(crate) fn is_no(word: &str) -> bool {
    WORDS.contains(&word) || word.ends_with("n't")
}

/// Whether a clause in lower case says no.
pub(crate) fn denies(clause: &str) -> bool {
    // 非常 says no no.
    let clause = clause.replace("非常", "");
    clause.contains(LETTERS) || english(&clause).any(is_no)
}

/// Whether a frequency says that something is never so.
pub(crate) fn is_never(degree: &str) -> bool {
    ["从不", "从来不", "从未", "从来没有", "永不", "绝不", "不", "never", "not"]
        .contains(&degree.to_lowercase().as_str())
}

/// A denied predicate without the no in it, and whether what is left is denied; `None` where it is not clear what is left. One that holds no no stays
/// as it is.
pub(crate) fn affirmed(predicate: &str) -> Option<(String, bool)> {
    match in_chinese(predicate) {
        Chinese::NoNo => in_english(predicate).map(|rest| (rest, true)),
        Chinese::Rest(rest) => Some((rest, true)),
        Chinese::Stays => Some((predicate.to_owned(), false)),
        Chinese::Unclear => None,
    }
}

/// What is left of a Chinese predicate without its no.
enum Chinese {
    Rest(String),
    /// The no is a part of what it says.
    Stays,
    Unclear,
    NoNo,
}

fn in_chinese(predicate: &str) -> Chinese {
    const UNABLE: [&str; 5] = ["没有办法", "没办法", "没法", "没能", "无法"];
    /// What says more than no: 不必加班 is not the contrary of 必加班.
    const STAYS: [&str; 8] = ["不必", "不用", "不许", "不准", "不得", "不由", "不妨", "不至于"];
    const NOES: [&str; 19] = [
        "从来没有", "从来不", "从来没", "并不", "并没有", "从没有", "从不", "从未", "从没", "没有", "不曾", "未曾",
        "不怎么", "没怎么", "不太", "不大", "不再", "不", "没",
    ];
    /// What goes on behind 不 or 没 as one word.
    const GOES_ON: [&str; 15] =
        ["同于", "仅", "少于", "断", "管", "只", "得不", "如", "止", "时", "久", "便", "但", "论", "愧"];
    const ENDS: [&str; 7] = ["同", "少", "过", "足", "满", "收", "落"];
    if let Some(rest) = UNABLE.iter().find_map(|no| predicate.strip_prefix(no)) {
        return Chinese::Rest(format!("能{rest}"));
    }
    if STAYS.iter().any(|word| predicate.starts_with(word)) && !predicate.starts_with("不得不") {
        return Chinese::Stays;
    }
    let Some(rest) = NOES.iter().find_map(|no| predicate.strip_prefix(no)) else { return Chinese::NoNo };
    match rest {
        "" if predicate.ends_with(['有', '没']) => Chinese::Rest("有".to_owned()),
        "" => Chinese::Unclear,
        rest if ENDS.contains(&rest) || GOES_ON.iter().any(|word| rest.starts_with(word)) => Chinese::Unclear,
        rest => Chinese::Rest(rest.to_owned()),
    }
}

/// "Works at" of "no longer works at"; "like" of "does not like".
fn in_english(predicate: &str) -> Option<String> {
    /// What makes something else of a no before it: "not only", "no one".
    const JOINED: [&str; 11] =
        ["only", "just", "merely", "until", "one", "less", "fewer", "later", "sooner", "doubt", "matter"];
    let straight = predicate.replace('’', "'");
    let mut left: Vec<&str> = Vec::new();
    let mut words = straight.split(' ').peekable();
    while let Some(word) = words.next() {
        let lower = word.to_lowercase();
        let no = matches!(lower.as_str(), "no" | "not" | "never" | "don't" | "doesn't" | "didn't");
        let next = words.peek().map(|next| next.to_lowercase());
        if no && next.as_deref().is_some_and(|next| JOINED.contains(&next)) {
            return None;
        }
        if lower == "no" {
            words.next_if(|next| ["longer", "more"].contains(&next.to_lowercase().as_str()));
        }
        match lower.as_str() {
            // "Does not like" denies "like", and "did not do" denies "do".
            _ if no => drop(left.pop_if(|last| next.is_some() && ["do", "does", "did"].contains(last))),
            "cannot" | "can't" => left.push("can"),
            "won't" => left.push("will"),
            "ain't" => left.push("is"),
            // "Isn't" denies "is", as long in lower case as it was.
            lower => left.push(lower.strip_suffix("n't").and_then(|rest| word.get(..rest.len())).unwrap_or(word)),
        }
    }
    Some(left.join(" ")).filter(|rest| !rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_no_is_taken_out_whole_or_not_at_all() {
        for (predicate, wanted) in [
            ("is longer than", Some(("is longer than", true))),
            ("takes longer than", Some(("takes longer than", true))),
            ("does the dishes", Some(("does the dishes", true))),
            ("does no longer work at", Some(("work at", true))),
            ("is no longer at", Some(("is at", true))),
            ("has no more", Some(("has", true))),
            ("did not do", Some(("do", true))),
            ("didn't do", Some(("do", true))),
            ("does not do", Some(("do", true))),
            ("do not", Some(("do", true))),
            ("has not seen", Some(("has seen", true))),
            ("won’t visit", Some(("will visit", true))),
            ("Hasn't met", Some(("Has met", true))),
            ("cannot eat", Some(("can eat", true))),
            ("owns no", Some(("owns", true))),
            ("is not only", None),
            ("no one likes", None),
            ("no later than", None),
            ("没法参加", Some(("能参加", true))),
            ("没办法吃", Some(("能吃", true))),
            ("没能赶上", Some(("能赶上", true))),
            ("无法接受", Some(("能接受", true))),
            ("不必加班", Some(("不必加班", false))),
            ("不用上班", Some(("不用上班", false))),
            ("不许带", Some(("不许带", false))),
            ("不太喜欢", Some(("喜欢", true))),
            ("不再住在", Some(("住在", true))),
            ("不怎么吃", Some(("吃", true))),
            ("不但喜欢", None),
            ("不得不去", None),
            ("非常喜欢", Some(("非常喜欢", true))),
        ] {
            let found = affirmed(predicate);
            let found = found.as_ref().map(|(rest, denied)| (rest.as_str(), *denied));
            assert_eq!(found, wanted, "{predicate}");
        }
    }

    #[test]
    fn a_no_is_found_as_a_word() {
        for (clause, wanted) in [
            ("它没有用", true),
            ("it isn't so", true),
            ("nothing of it", false),
            ("a note", false),
            ("非常重要", false),
            ("neither of them", true),
        ] {
            assert_eq!(denies(clause), wanted, "{clause}");
        }
    }
}
