//! Descriptions of a task that name none: the one before goes on.

/// Words that say that something goes on.
const VERBS: [&str; 10] = [
    "continue",
    "proceed",
    "resume",
    "go on",
    "go ahead",
    "carry on",
    "keep going",
    "继续",
    "接着",
    "往下",
];

/// Words that may stand beside them and name nothing.
const BESIDE: [&str; 33] = [
    "please", "ok", "okay", "yes", "and", "then", "now", "just", "with", "it", "this", "that",
    "the", "task", "work", "请", "你", "我们", "好的", "好", "嗯", "行", "可以", "就", "做", "干",
    "吧", "下去", "这个", "任务", "工作", "的", "了",
];

/// Whether a description of a task only says that the one before goes on: "continue", 请继续吧.
#[must_use]
pub fn goes_on(task: &str) -> bool {
    let task = task.to_lowercase();
    let mut rest = task.as_str();
    let mut says = false;
    loop {
        rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        if rest.is_empty() {
            return says;
        }
        let behind = |words: &[&str]| {
            words
                .iter()
                .filter_map(|word| behind(rest, word))
                .min_by_key(|rest| rest.len())
        };
        match (behind(&VERBS), behind(&BESIDE)) {
            (Some(after), _) => (rest, says) = (after, true),
            (None, Some(after)) => rest = after,
            (None, None) => return false,
        }
    }
}

/// The text behind a word that it begins with; English words end where they were found.
fn behind<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(word)?;
    (!word.is_ascii() || !rest.starts_with(|c: char| c.is_ascii_alphanumeric())).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::goes_on;

    #[test]
    fn a_task_that_is_named_is_another_matter() {
        for task in [
            "继续",
            "请继续吧。",
            "好的，接着做",
            "继续做这个任务",
            "Continue",
            "ok, go on with it!",
            "keep going",
        ] {
            assert!(goes_on(task), "{task}");
        }
        for task in [
            "继续修复登录 bug",
            "写周报",
            "接着写周报",
            "continue with the report",
            "go online",
            "好的",
            "",
            "!",
        ] {
            assert!(!goes_on(task), "{task}");
        }
    }
}
