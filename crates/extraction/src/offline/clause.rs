use crate::time::{Said, phrases};

/// A piece of a text that may say one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clause {
    /// Its words, without the fillers before them.
    pub(super) text: String,
    /// Whether it puts right what was said before.
    pub(super) correction: bool,
    /// Whether a greeting stands before it in the text.
    pub(super) greeted: bool,
    /// Whether it goes on with the sentence of the clause before it.
    pub(super) goes_on: bool,
}

/// No fact that somebody says plainly is longer; characters.
const MAX_CHARS: usize = 160;

/// Words before a clause that say nothing, in lower case.
const FILLERS: [&str; 24] = [
    "and", "so", "well", "oh", "yeah", "yes", "hey", "hi", "hello", "by the way", "btw", "also", "but", "because",
    "anyway", "haha", "wow", "thanks", "honestly", "嗯", "对了", "哈哈", "那个", "因为",
];
const GREETINGS: [&str; 8] = ["hi", "hello", "hey", "good morning", "good evening", "nice to meet you", "你好", "您好"];
const CORRECTIONS: [&str; 11] =
    ["actually", "no", "sorry", "correction", "i mean", "不对", "不是", "其实", "我说错了", "说错了", "更正"];

/// The clauses that state something: no questions, conditions and quotations.
pub(super) fn clauses(text: &str, said: &Said) -> Vec<Clause> {
    let mut found = Vec::new();
    let opening = text.trim_start().to_lowercase();
    let greeted = GREETINGS.iter().any(|greeting| opening.starts_with(greeting));
    for sentence in sentences(text) {
        let asks = sentence.trim_end().ends_with(['?', '？']);
        if asks || is_unreal(sentence) {
            continue;
        }
        // A word of correction may stand in a clause of its own: 不对，我住上海.
        let (mut correction, mut goes_on) = (false, false);
        for part in parts(sentence, said) {
            let (rest, corrects) = without_fillers(part);
            let rest = rest.trim_end_matches(['.', '!', ',', '。', '！', '~', '～', ')', '）']).trim();
            correction |= corrects;
            if !rest.is_empty() && rest.chars().count() <= MAX_CHARS {
                found.push(Clause { text: rest.to_owned(), correction, greeted, goes_on });
                goes_on = true;
            }
        }
    }
    found
}

/// Sentences with their ends, quotations left out.
fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut depth) = (0, 0_i32);
    for (at, c) in text.char_indices() {
        match c {
            '“' | '「' | '『' => depth += 1,
            '”' | '」' | '』' => depth = (depth - 1).max(0),
            '.' | '!' | '?' | '\n' | '。' | '！' | '？' | '；' | ';' | '…' => {
                let end = at + c.len_utf8();
                // 3.5 and a.m. go on.
                let goes_on =
                    c == '.' && text.get(end..).is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric()));
                if !goes_on && depth == 0 {
                    found.extend(text.get(start..end));
                    start = end;
                }
            }
            _ => {}
        }
    }
    found.extend(text.get(start..));
    found.retain(|sentence| !sentence.contains(['"', '“', '「', '『']));
    found
}

/// Conditions, wishes, hearsay and what was.
fn is_unreal(sentence: &str) -> bool {
    const WORDS: [&str; 11] =
        ["if", "imagine", "suppose", "pretend", "unless", "whether", "said", "says", "told", "would", "could"];
    const CHINESE: [&str; 15] = [
        "如果", "要是", "假如", "假设", "吗", "什么", "怎么", "为什么", "谁", "哪", "是不是", "会不会", "希望", "听说",
        "梦见",
    ];
    let lower = sentence.to_lowercase();
    // Not "wish me luck".
    if ["i wish", "we wish", "wish i", "wish we"].iter().any(|wish| lower.contains(wish)) {
        return true;
    }
    let words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'');
    words.into_iter().any(|word| WORDS.contains(&word)) || CHINESE.iter().any(|word| sentence.contains(word))
}

/// A sentence in the parts in which somebody speaks of himself.
fn parts<'a>(sentence: &'a str, said: &Said) -> Vec<&'a str> {
    if sentence.contains('，') { chinese_parts(sentence) } else { english_parts(sentence, said) }
}

/// Cut at every comma, but before what only makes sense with the clause before it: 养了一只猫，叫团子.
fn chinese_parts(sentence: &str) -> Vec<&str> {
    const GOES_ON: [&str; 3] = ["叫", "名叫", "结果"];
    let (mut parts, mut start) = (Vec::new(), 0);
    for (at, c) in sentence.char_indices().filter(|(_, c)| matches!(c, '，' | ',' | '：')) {
        let behind = at + c.len_utf8();
        let rest = sentence.get(behind..).unwrap_or_default().trim_start();
        if !GOES_ON.iter().any(|word| rest.starts_with(word)) {
            parts.extend(sentence.get(start..at));
            start = behind;
        }
    }
    parts.extend(sentence.get(start..));
    parts
}

/// In English a comma goes on with the same thing more often than not: cut is only where "I", "we" or "my" begins anew, and not behind a time.
fn english_parts<'a>(sentence: &'a str, said: &Said) -> Vec<&'a str> {
    const JOINTS: [&str; 8] = [", and", ", but", ", so", ",", " and", " but", " -", " –"];
    let (mut parts, mut start) = (Vec::new(), 0);
    for (at, _) in sentence.match_indices(' ') {
        let Some((before, rest)) = sentence.get(start..at).zip(sentence.get(at + 1..)) else { continue };
        let me = rest.strip_prefix('I').is_some_and(|tail| tail.starts_with([' ', '\'', '’']));
        let we = rest.starts_with("we ") || rest.starts_with("my ");
        let joint =
            JOINTS.iter().find(|joint| before.ends_with(*joint)).filter(|joint| me || (we && joint.starts_with(',')));
        let part = joint.and_then(|joint| before.strip_suffix(joint));
        if let Some(part) = part.filter(|part| !timed(part, said).is_some_and(|(_, rest)| rest.is_empty())) {
            parts.push(part);
            start = at + 1;
        }
    }
    parts.extend(sentence.get(start..));
    parts
}

/// What begins with a time: that, and the rest of it.
pub(super) fn timed<'a>(text: &'a str, said: &Said) -> Option<(&'a str, &'a str)> {
    const LEADS: [&str; 10] = ["in", "on", "at", "since", "during", "the", "by", "around", "about", "back"];
    let text = text.trim_start();
    let first = phrases(text, said).into_iter().next()?;
    let lead = text.get(..first.range.start)?.to_lowercase();
    let light = lead.split_whitespace().all(|word| LEADS.contains(&word));
    let (time, rest) = text.split_at_checked(first.range.end).filter(|_| light)?;
    Some((time, rest.trim_start_matches([',', ' '])))
}

/// The rest behind fillers, and whether one of them corrects something.
fn without_fillers(part: &str) -> (&str, bool) {
    let mut rest = part.trim();
    let mut corrects = false;
    loop {
        let lower = rest.to_lowercase();
        let skip = |word: &&&str| {
            lower
                .strip_prefix(**word)
                .is_some_and(|tail| !word.is_ascii() || !tail.starts_with(|c: char| c.is_alphanumeric() || c == '\''))
        };
        let correction = CORRECTIONS.iter().find(skip);
        let filler = correction.or_else(|| FILLERS.iter().find(skip));
        let Some(word) = filler else { return (rest, corrects) };
        corrects |= correction.is_some();
        // Lower case of these words has as many bytes as the words themselves.
        let Some(tail) = rest.get(word.len()..) else { return (rest, corrects) };
        rest = tail.trim_start_matches([',', '，', '!', '！', ' ', '.', '~', ':', '：']);
        if rest.is_empty() {
            return (rest, corrects);
        }
    }
}
