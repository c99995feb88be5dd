use annals_types::MemoryId;
use serde::Serialize;

/// What came of a message in which somebody may have said outright what is to be remembered or forgotten.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "what", rename_all = "snake_case")]
#[non_exhaustive]
pub enum HandledCommand {
    /// The message says nothing of the kind.
    Nothing,
    /// This is remembered now.
    Remembered {
        /// The memory.
        id: MemoryId,
        /// What it says.
        text: String,
    },
    /// This is what seems to be meant; it is forgotten when somebody confirms it.
    ToForget {
        /// The memory.
        id: MemoryId,
        /// What it says.
        text: String,
    },
    /// This is forgotten now. It can be restored.
    Forgotten {
        /// The memory.
        id: MemoryId,
        /// What it said.
        text: String,
    },
    /// No memory is about what was to be forgotten.
    NotFound {
        /// What was asked for.
        asked: String,
    },
    /// Everything is to be forgotten, which nobody does at a word.
    Everything {
        /// The message.
        message: String,
    },
    /// "This" or "that", and nothing was said before that it could mean.
    Unclear {
        /// The message.
        message: String,
    },
}

impl HandledCommand {
    /// What can be answered to the person, in Chinese for Chinese texts, else in English; nothing when nothing was asked for.
    #[must_use]
    pub fn reply(&self) -> Option<String> {
        let chinese = |text: &str| text.chars().any(|c| matches!(c, '\u{4E00}'..='\u{9FFF}'));
        let say = |text: &str, zh: &str, en: &str| {
            if chinese(text) { zh.replace("{}", text) } else { en.replace("{}", text) }
        };
        match self {
            Self::Nothing => None,
            Self::Remembered { text, .. } => Some(say(text, "已记住：{}", "Remembered: {}")),
            Self::ToForget { text, .. } => Some(say(text, "要忘掉这一条吗？{}", "Forget this? {}")),
            Self::Forgotten { text, .. } => Some(say(text, "已忘掉：{}", "Forgotten: {}")),
            Self::NotFound { asked } => Some(say(asked, "没有找到相关的记忆：{}", "There is no memory of that: {}")),
            Self::Everything { message } => Some(say(
                message,
                "我不会凭一句话就忘掉一切：请说出要忘掉哪一条，或者删除整个记忆。",
                "Not everything is forgotten at a word: say what, or have the whole memory deleted.",
            )),
            Self::Unclear { message } => Some(say(
                message,
                "前面还没有说过可以这样做的内容，请直接说出来。",
                "Nothing was said before that this could mean; say what you mean.",
            )),
        }
    }
}
