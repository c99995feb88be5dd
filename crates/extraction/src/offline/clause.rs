/// A piece of a text that may say one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clause {
    /// Its words, without the fillers before them.
    pub(super) text: String,
    /// Whether it puts right what was said before.
    pub(super) correction: bool,
}

/// No fact that somebody says plainly is longer; characters.
const MAX_CHARS: usize = 160;

/// Words before a clause that say nothing, in lower case.
const FILLERS: [&str; 24] = [
    "and",
    "so",
    "well",
    "oh",
    "yeah",
    "yes",
    "hey",
    "hi",
    "hello",
    "by the way",
    "btw",
    "also",
    "but",
    "because",
    "anyway",
    "haha",
    "wow",
    "thanks",
    "honestly",
    "嗯",
    "对了",
    "哈哈",
    "那个",
    "因为",
];
const CORRECTIONS: [&str; 11] =
    ["actually", "no", "sorry", "correction", "i mean", "不对", "不是", "其实", "我说错了", "说错了", "更正"];

/// The clauses that state something: no questions, conditions and quotations.
pub(super) fn clauses(text: &str) -> Vec<Clause> {
    let mut found = Vec::new();
    for sentence in sentences(text) {
        let asks = sentence.trim_end().ends_with(['?', '？']);
        if asks || is_unreal(sentence) {
            continue;
        }
        // A word of correction may stand in a clause of its own: 不对，我住上海.
        let mut correction = false;
        for part in parts(sentence) {
            let (rest, corrects) = without_fillers(part);
            let rest = rest.trim_end_matches(['.', '!', '。', '！', '~', '～', ')', '）']).trim();
            correction |= corrects;
            if !rest.is_empty() && rest.chars().count() <= MAX_CHARS {
                found.push(Clause { text: rest.to_owned(), correction });
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
    const WORDS: [&str; 12] =
        ["if", "wish", "imagine", "suppose", "pretend", "unless", "whether", "said", "says", "told", "would", "could"];
    const CHINESE: [&str; 15] = [
        "如果",
        "要是",
        "假如",
        "假设",
        "吗",
        "什么",
        "怎么",
        "为什么",
        "谁",
        "哪",
        "是不是",
        "会不会",
        "希望",
        "听说",
        "梦见",
    ];
    let lower = sentence.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'');
    words.into_iter().any(|word| WORDS.contains(&word)) || CHINESE.iter().any(|word| sentence.contains(word))
}

/// A sentence in the parts in which somebody speaks of himself.
fn parts(sentence: &str) -> Vec<&str> {
    const JOINTS: [&str; 6] = [", and I ", ", but I ", ", so I ", " and I'm ", ", and my ", " - "];
    let mut parts: Vec<&str> = sentence.split(['，', ',', '：']).collect();
    // In English a comma goes on with the same thing more often than not; only Chinese is cut there.
    if !sentence.contains('，') {
        parts = vec![sentence];
    }
    for joint in JOINTS {
        let cut = |part: &'_ str| -> Vec<usize> {
            // The joint's own last words begin the next part.
            part.match_indices(joint).map(|(at, _)| at).collect()
        };
        parts = parts
            .into_iter()
            .flat_map(|part| {
                let mut pieces = Vec::new();
                let mut from = 0;
                for at in cut(part) {
                    pieces.extend(part.get(from..at));
                    from = at + joint.find(['I', 'm']).unwrap_or(joint.len());
                }
                pieces.extend(part.get(from..));
                pieces
            })
            .collect();
    }
    parts
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
