use annals_types::Judgement;

use super::{reasons, words};

/// The longest search that an answer can ask for, in characters.
const MAX_SEARCH: usize = 200;

/// A decision that an answer names, and what stands around it.
pub(super) struct Mention<'a> {
    pub(super) decided: Judgement,
    /// The words before it on its line, from the last stop or decision on, in lower case.
    lead: String,
    /// The last sentence above its line, and what stands before it on its line, in lower case.
    thoughts: [String; 2],
    /// What stands behind it on its line.
    after: &'a str,
    /// The lines that follow.
    later: &'a str,
    /// Whether it stands in a list of decisions, with no more between it and the next than an "or".
    pub(super) listed: bool,
    pub(super) shape: Shape,
}

/// How a decision is brought in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Nothing else stands on its line.
    Alone,
    /// Words before it say that it is the decision, and nothing else.
    Chosen,
    /// A ground and a colon stand before it.
    Grounded,
    /// It begins a sentence.
    First,
    /// None of these.
    Loose,
}

pub(super) fn mentions(text: &str) -> Vec<Mention<'_>> {
    let mut found = Vec::new();
    let (mut later, mut above) = (text, "");
    while !later.is_empty() {
        let (line, rest) = later.split_once('\n').unwrap_or((later, ""));
        later = rest;
        let first = found.len();
        let mut rest = line;
        while let Some((before, inside, after)) = bracket(rest) {
            rest = after;
            let Some(decided) = decision(inside) else { continue };
            let mut listed = false;
            if let Some(last) = found.get_mut(first..).and_then(<[Mention<'_>]>::last_mut)
                && words::is_joint(before)
            {
                (last.listed, listed) = (true, true);
            }
            let alone = found.len() == first && bracket(after).is_none_or(|(_, inside, _)| decision(inside).is_none());
            // "My decision is:", and the decision on the line below.
            let led = if alone && !words::says_something(before) { above } else { "" };
            let (lead, shape) = brought_in(&decided, (before, after), led, alone);
            let shape = if above.trim_end().ends_with([',', '，', '、']) { Shape::Loose } else { shape };
            let thoughts = [last_sentence(above).to_lowercase(), before.to_lowercase()];
            found.push(Mention { decided, lead, thoughts, after, later, listed, shape });
        }
        if words::says_something(line) {
            above = line;
        }
    }
    found
}

/// The words that bring a decision in, and how they do it. `above` is the last line with words before one that begins with the decision.
fn brought_in(decided: &Judgement, (before, after): (&str, &str), above: &str, alone: bool) -> (String, Shape) {
    let above = above.trim_end_matches(words::is_mark);
    if goes_on_below(&above.to_lowercase()) {
        return (String::new(), Shape::Loose);
    }
    let told = if above.ends_with([':', '：']) { above } else { before };
    let end = told.trim_end_matches(words::is_mark).to_lowercase();
    let (clause, colon) = match end.strip_suffix([':', '：']) {
        Some(clause) => (clause, true),
        None => (end.as_str(), false),
    };
    let sentence = clause.rsplit(words::ENDS).next().unwrap_or(clause);
    let lead = sentence.rsplit(words::STOPS).next().unwrap_or(sentence).to_owned();
    let shape = if words::is_conditional(sentence) {
        Shape::Loose
    } else if words::says_something(&lead) {
        match (words::chooses(&lead, names(decided)), colon && words::is_ground(&lead) && !words::doubts(&lead)) {
            (true, _) => Shape::Chosen,
            (false, true) => Shape::Grounded,
            (false, false) => Shape::Loose,
        }
    } else if words::says_something(sentence) || told.contains('>') {
        Shape::Loose
    } else if alone && !words::says_something(after) {
        Shape::Alone
    } else {
        Shape::First
    };
    (lead, shape)
}

/// Whether a line ties what stands below it to something: "If she agrees,", "I would not choose".
fn goes_on_below(above: &str) -> bool {
    let ended = above.ends_with(words::ENDS) || above.ends_with(['"', '”', '」', ')', '）', ']', ':', '：']);
    let sentence = last_sentence(above);
    !ended
        && (above.ends_with([',', '，', '、', '-', '—']) || words::is_conditional(sentence) || words::refuses(sentence))
}

fn last_sentence(line: &str) -> &str {
    line.split(words::ENDS).rfind(|sentence| words::says_something(sentence)).unwrap_or_default()
}

/// What a decision is called in words.
const fn names(decided: &Judgement) -> &'static [&'static str] {
    match decided {
        Judgement::Delete => &["删除", "delete"],
        Judgement::Promote => &["提升", "晋升", "promote"],
        Judgement::Keep => &["保留", "keep"],
        _ => &[],
    }
}

impl Mention<'_> {
    /// Whether it cannot be judged again.
    pub(super) const fn is_weighty(&self) -> bool {
        matches!(self.decided, Judgement::Delete | Judgement::Promote)
    }

    /// Whether what stands before it says that it is not meant: 不 [DELETE], "not [DELETE]". For what cannot be judged again a no or a doubt
    /// anywhere in its clause is enough.
    pub(super) fn is_denied(&self) -> bool {
        words::denies_at_the_end(&self.lead) || self.is_weighty() && words::doubts(&self.lead)
    }

    /// Whether what was said right before it forbids it, and whether anything stands behind it but a reason.
    pub(super) fn stands(&self) -> bool {
        let forbidden = self.thoughts.iter().flat_map(|thought| thought.split(words::is_stop));
        let after = self.after.trim_start_matches(|c| words::is_mark(c) || "”」』}_".contains(c));
        !forbidden.into_iter().any(|clause| reasons::forbids(clause, &self.decided))
            && reasons::is_reason_or_nothing(&format!("{after}\n{}", self.later), &self.decided)
    }
}

/// What stands before, in and behind the first brackets of a text.
fn bracket(text: &str) -> Option<(&str, &str, &str)> {
    let (before, inner) = text.split_once(['[', '【', '［'])?;
    let (inside, after) = inner.split_once([']', '】', '］'])?;
    Some((before, inside, after))
}

fn decision(inside: &str) -> Option<Judgement> {
    let (word, argument) = inside.split_once([':', '：']).unwrap_or((inside, ""));
    match word.trim().to_ascii_uppercase().as_str() {
        "KEEP" => Some(Judgement::Keep),
        // "[DELETE: if she agrees]" is none.
        "PROMOTE" | "DELETE" if !argument.trim().is_empty() => None,
        "PROMOTE" => Some(Judgement::Promote),
        "DELETE" => Some(Judgement::Delete),
        "SEARCH" => {
            let words: String = argument.trim().chars().take(MAX_SEARCH).collect();
            (!words.is_empty() && words != "关键词").then_some(Judgement::Search(words))
        }
        _ => None,
    }
}
