/// The five words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Add,
    Update,
    Boost,
    Delete,
    Skip,
}

/// The command in brackets at the beginning of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Command {
    /// `None` for a word that is none of the five.
    pub(super) verb: Option<Verb>,
    /// The text behind the colon.
    pub(super) argument: String,
    /// The brackets as they were written.
    pub(super) written: String,
}

/// A line without list marks, emphasis and fences around it.
pub(super) fn bare(line: &str) -> String {
    let mut text = line.trim();
    if text.starts_with("```") {
        return String::new();
    }
    loop {
        let before = text;
        text = text
            .trim_start_matches(['-', '*', '•', '·', '+', '`'])
            .trim_start();
        text = after_number(text);
        if text == before {
            break;
        }
    }
    // The closing marks of those that were opened: `[SKIP]` in back-quotes or bold.
    let quoted = line
        .trim_start()
        .trim_start_matches(['-', '+', '•', '·', ' '])
        .starts_with(['`', '*']);
    if quoted {
        text.trim_end_matches(['`', '*']).trim_end().to_owned()
    } else {
        text.to_owned()
    }
}

/// The text after a number with a dot or bracket, as lists have it.
fn after_number(text: &str) -> &str {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == text.len() {
        return text;
    }
    match rest.strip_prefix(['.', ')', '、', '）', '．']) {
        Some(rest) => rest.trim_start(),
        None => text,
    }
}

/// The command at the beginning of a text, and what follows it.
pub(super) fn command(text: &str) -> Option<(Command, &str)> {
    let inner = text.strip_prefix(['[', '【', '［'])?;
    let end = inner.find([']', '】', '］'])?;
    let (inside, after) = inner.split_at_checked(end)?;
    let mut chars = after.chars();
    chars.next();
    let after = chars.as_str();
    let written = text
        .get(..text.len() - after.len())
        .unwrap_or(text)
        .to_owned();
    let (word, argument) = inside.split_once([':', '：']).unwrap_or((inside, ""));
    let argument = argument.trim().to_owned();
    // A command with an id that needs none, or without one that it needs, names nothing and is
    // refused by the code that carries it out.
    let verb = match word.trim().to_ascii_uppercase().as_str() {
        "ADD" => Some(Verb::Add),
        "UPDATE" => Some(Verb::Update),
        "BOOST" => Some(Verb::Boost),
        "DELETE" => Some(Verb::Delete),
        "SKIP" if argument.is_empty() => Some(Verb::Skip),
        _ => None,
    };
    let after = if matches!(verb, Some(Verb::Add | Verb::Update)) {
        after
            .trim_start()
            .strip_prefix([':', '：'])
            .unwrap_or(after)
    } else {
        after
    };
    Some((
        Command {
            verb,
            argument,
            written,
        },
        after,
    ))
}
