//! Words of a list that stand in a text.

/// The ASCII words of a text.
fn english(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '\'').filter(|word| !word.is_empty())
}

/// Whether a text in lower case holds one of a list of words with `|` between them: English ones as
/// whole words.
pub(crate) fn names(text: &str, list: &str) -> bool {
    let spaced = format!(" {} ", english(&text.replace('-', " ")).collect::<Vec<_>>().join(" "));
    list.split('|').any(|word| match word.is_ascii() {
        true => spaced.contains(&format!(" {} ", word.replace('-', " "))),
        false => text.contains(word),
    })
}
