//! Names that say the contrary of a name: 讨厌 of 喜欢, 不好喝 of 很好喝, "does not like rain" of "likes
//! rain".

use std::collections::BTreeSet;

use super::normalise;

/// Words before another one that leave its sense as it is.
const DEGREES: [&str; 18] = [
    "", "非常", "特别", "十分", "比较", "超级", "相当", "真的", "很", "最", "太", "真", "超", "挺",
    "更", "蛮", "really ", "very ",
];
/// Words before another one that turn it into its contrary, longer ones before those that they
/// begin with.
const NOES: [&str; 22] = [
    "一点也不",
    "一点都不",
    "不怎么",
    "不太",
    "不是很",
    "并不",
    "从不",
    "不再",
    "没有",
    "不",
    "没",
    "does not ",
    "doesn't ",
    "do not ",
    "don't ",
    "is not ",
    "isn't ",
    "no longer ",
    "not very ",
    "not ",
    "never ",
    "no ",
];

/// The names that contradict one, as names are compared: with and without a no, and with the other
/// word of a pair of opposites.
#[must_use]
pub fn contraries(name: &str, opposites: &[[String; 2]]) -> Vec<String> {
    let name = normalise(name).replace('’', "'");
    let mut found = BTreeSet::new();
    if let Some(denied) = NOES
        .iter()
        .find_map(|no| name.strip_prefix(no))
        .filter(|rest| !rest.is_empty())
    {
        let base = bare(denied);
        for base in [base.to_owned(), third_person(base)] {
            found.extend(strengthened(&base));
        }
    } else {
        let base = bare(&name);
        for base in [base.to_owned(), first_person(base)] {
            found.extend(NOES.iter().map(|no| format!("{no}{base}")));
        }
        for [one, other] in opposites {
            let pair = [normalise(one), normalise(other)];
            let swapped = [
                replaced(base, &pair[0], &pair[1]),
                replaced(base, &pair[1], &pair[0]),
            ];
            found.extend(
                swapped
                    .into_iter()
                    .flatten()
                    .flat_map(|swapped| strengthened(&swapped)),
            );
        }
    }
    found.remove(&name);
    found.into_iter().collect()
}

fn strengthened(base: &str) -> Vec<String> {
    // English words take no Chinese word before them, and the other way round.
    let fits = |degree: &&&str| degree.is_empty() || degree.is_ascii() == base.is_ascii();
    DEGREES
        .iter()
        .filter(fits)
        .map(|degree| format!("{degree}{base}"))
        .collect()
}

/// A name without what only says how much.
fn bare(name: &str) -> &str {
    let mut rest = name;
    while let Some(less) = DEGREES
        .iter()
        .filter(|degree| !degree.is_empty())
        .find_map(|degree| rest.strip_prefix(degree).filter(|less| !less.is_empty()))
    {
        rest = less;
    }
    rest
}

/// "likes rain" as it stands behind "does not".
fn first_person(name: &str) -> String {
    let (verb, rest) = name
        .split_once(' ')
        .map_or((name, None), |(verb, rest)| (verb, Some(rest)));
    match verb
        .strip_suffix('s')
        .filter(|stem| name.is_ascii() && stem.len() > 2 && !stem.ends_with('s'))
    {
        Some(stem) => [Some(stem), rest]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" "),
        None => name.to_owned(),
    }
}

/// "like rain" in the third person.
fn third_person(name: &str) -> String {
    let (verb, rest) = name
        .split_once(' ')
        .map_or((name, None), |(verb, rest)| (verb, Some(rest)));
    if !name.is_ascii() || verb.len() < 3 || verb.ends_with('s') {
        return name.to_owned();
    }
    [Some(format!("{verb}s")), rest.map(str::to_owned)]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ")
}

/// A name with one word in the place of another; whole words only, where words have spaces
/// between them.
fn replaced(name: &str, word: &str, other: &str) -> Option<String> {
    if word.is_empty() {
        return None;
    }
    if !word.is_ascii() {
        return name.contains(word).then(|| name.replacen(word, other, 1));
    }
    let words: Vec<&str> = name.split(' ').collect();
    let swapped = words
        .iter()
        .map(|one| if *one == word { other } else { one })
        .collect::<Vec<_>>()
        .join(" ");
    (swapped != name).then_some(swapped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use annals_types::profile::GraphSettings;

    #[test]
    fn the_contrary_is_found_either_way() {
        let opposites = GraphSettings::default().opposites;
        for (one, other) in [
            ("喜欢", "讨厌"),
            ("很喜欢下雨", "讨厌下雨"),
            ("很好喝", "不好喝"),
            ("喜欢", "不太喜欢"),
            ("likes rain", "hates rain"),
            ("likes rain", "doesn’t like rain"),
            ("Very Good", "not good"),
            ("没睡好", "睡好"),
        ] {
            for (one, other) in [(one, other), (other, one)] {
                let wanted = normalise(other).replace('’', "'");
                assert!(
                    contraries(one, &opposites).contains(&wanted),
                    "{one} | {other}"
                );
            }
        }
        for (one, other) in [
            ("不喜欢", "讨厌"),
            ("喜欢", "喜欢"),
            ("喜欢", "很喜欢"),
            ("unlikes", "hates"),
            ("下雨", "下雪"),
        ] {
            assert!(
                !contraries(one, &opposites).contains(&normalise(other)),
                "{one} | {other}"
            );
        }
        assert!(!contraries("不", &[]).contains(&String::new()));
    }
}
