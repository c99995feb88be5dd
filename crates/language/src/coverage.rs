//! How much of a description the words of a text hold.

use std::collections::BTreeSet;

/// The weight of the words of the description. The rest is for the words of the memory: of two
/// memories that hold the whole description the shorter one is meant.
const DESCRIBED: f64 = 0.85;

/// The share of a description that a memory holds, 0 to 1, a little less for a memory that says
/// more. Single characters and pairs of Chinese are compared, words of other scripts.
///
/// ```
/// use annals_language::coverage;
///
/// assert_eq!(coverage("我摔东西", "我 摔东西"), 1.0);
/// assert!(coverage("moved to Berlin", "I moved to Berlin") > coverage("moved to Berlin", "I live in Berlin"));
/// ```
#[must_use]
pub fn coverage(description: &str, memory: &str) -> f64 {
    let wanted = units(description);
    let held = units(memory);
    // Circumstances stand behind the first comma; they need not be named.
    let head = units(memory.split('，').next().unwrap_or(memory));
    if wanted.is_empty() || head.is_empty() {
        return 0.0;
    }
    let common = |one: &BTreeSet<String>, other: &BTreeSet<String>| {
        share(one.intersection(other).count(), one.len())
    };
    DESCRIBED * common(&wanted, &held) + (1.0 - DESCRIBED) * common(&head, &wanted)
}

fn share(part: usize, whole: usize) -> f64 {
    let number = |count: usize| u32::try_from(count).map_or(f64::MAX, f64::from);
    number(part) / number(whole.max(1))
}

/// Chinese characters with the pairs that they form, blanks between them disregarded, and words
/// of other scripts.
fn units(text: &str) -> BTreeSet<String> {
    let mut units = BTreeSet::new();
    let mut before: Option<char> = None;
    let mut word = String::new();
    for c in text.chars().flat_map(char::to_lowercase) {
        let han = matches!(c, '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}');
        if !han && c.is_alphanumeric() {
            word.push(c);
            before = None;
            continue;
        }
        if !word.is_empty() {
            units.insert(std::mem::take(&mut word));
        }
        if han {
            units.insert(c.to_string());
            units.extend(before.map(|before| [before, c].iter().collect()));
            before = Some(c);
        } else if !c.is_whitespace() {
            before = None;
        }
    }
    if !word.is_empty() {
        units.insert(word);
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_most_like_the_memory_that_it_tells() {
        for (description, meant, other) in [
            ("我不开心", "我 情绪 不开心，时间 2025-11-05", "我 摔东西"),
            ("我摔东西", "我 摔东西", "我 情绪 不开心"),
            (
                "我很困",
                "我 身体状态 很困，时间 2025-11-05",
                "我 失眠，时间 2025-11-04 夜间",
            ),
            (
                "我没心情工作",
                "我 工作状态 没心情，时间 2025-11-05",
                "我 身体状态 很困",
            ),
            ("下雨天影响心情", "下雨天 影响 我的心情", "我 讨厌 下雨天"),
            ("moved to Berlin", "I moved to Berlin", "I live in Paris"),
        ] {
            let (meant, other) = (coverage(description, meant), coverage(description, other));
            assert!(
                meant >= 0.6 && meant > other + 0.1,
                "{description}: {meant} {other}"
            );
        }
        assert_eq!(coverage("量子纠缠", "我 摔东西"), 0.0);
        assert_eq!((coverage("", "我"), coverage("我", "，")), (0.0, 0.0));
        assert_eq!(coverage("我摔东西", "我 摔东西"), 1.0);
    }
}
