/// Whether two English words are two spellings of one: colour and color, organise and organize, centre and center, travelled and traveled, grey and
/// gray.
///
/// ```
/// assert!(annals_types::same_spelling("favourite", "favorite"));
/// assert!(!annals_types::same_spelling("employee", "employer"));
/// ```
#[must_use]
pub fn same_spelling(one: &str, other: &str) -> bool {
    let folded = |word: &str| {
        let mut text = word.replace("our", "or").replace("ys", "yz").replace("is", "iz").replace("grey", "gray");
        for (ending, other) in [("tre", "ter"), ("bre", "ber"), ("ogue", "og"), ("ence", "ense"), ("mme", "m")] {
            if let Some(stem) = text.strip_suffix(ending) {
                text = format!("{stem}{other}");
            }
        }
        let mut chars: Vec<char> = text.chars().collect();
        chars.dedup();
        chars
    };
    one.is_ascii() && other.is_ascii() && folded(one) == folded(other)
}
