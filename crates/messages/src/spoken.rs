//! The language of texts.

use std::collections::BTreeMap;

use whatlang::{Detector, Lang};

/// How much of the texts is looked at, in characters.
const MOST: usize = 4000;

/// A character that is a word of its own, or nearly: those of Chinese and Japanese.
const fn is_ideographic(c: char) -> bool {
    matches!(
        c,
        '\u{3040}'..='\u{30FF}'
            | '\u{3400}'..='\u{4DBF}'
            | '\u{4E00}'..='\u{9FFF}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{20000}'..='\u{2FA1F}'
    )
}

/// The language of texts, out of those with a code. Chinese that names a product or two in Latin
/// letters is Chinese: characters are weighed against words, then the writing that weighs less is
/// left out.
pub(crate) fn of<'a, 'c>(
    texts: impl Iterator<Item = &'a str>,
    codes: &'c BTreeMap<String, Lang>,
) -> Option<&'c str> {
    let mut text = String::new();
    for part in texts {
        text.extend(part.chars().take(MOST.saturating_sub(text.chars().count())));
        text.push('\n');
    }
    let characters = text.chars().filter(|c| is_ideographic(*c)).count();
    let words = text
        .split(|c: char| !c.is_alphabetic() || is_ideographic(c))
        .filter(|word| word.chars().nth(1).is_some())
        .count();
    if characters == 0 && words == 0 {
        return None;
    }
    let ideographic = characters >= words;
    let kept: String = text
        .chars()
        .map(|c| {
            if c.is_alphabetic() && is_ideographic(c) != ideographic {
                ' '
            } else {
                c
            }
        })
        .collect();
    let lang = Detector::with_allowlist(codes.values().copied().collect()).detect_lang(&kept)?;
    codes
        .iter()
        .find(|(_, code)| **code == lang)
        .map(|(tag, _)| tag.as_str())
}
