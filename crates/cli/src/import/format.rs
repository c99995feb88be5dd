//! The format of a file that is imported.

use annals::TranscriptFormat;
use clap::builder::PossibleValue;

/// The formats that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Export,
    Turns,
    Conversation,
    Messages,
    LastChat,
    Transcript(TranscriptFormat),
}

impl Format {
    /// The name of the format on the command line, and what it is.
    fn row(self) -> (&'static str, &'static str) {
        match self {
            Self::Export => ("export", "JSON lines as `annals export` writes them"),
            Self::Turns => (
                "turns",
                "JSON lines with a turn each: session, text, and speaker, role, time, reply, tool_calls, tags, \
                 metadata where known",
            ),
            Self::Conversation => ("conversation", "Conversations with their turns, one JSON document"),
            Self::Messages => (
                "messages",
                "Messages as chat services exchange them, {\"role\", \"content\"}: a list, {\"messages\": [...]}, \
                 or lines of either; each list becomes a session",
            ),
            Self::LastChat => (
                "last-chat",
                "One summary of the last talk, as `last_chat.json` holds it: becomes an episode of the time of the file",
            ),
            Self::Transcript(format) => (format.name(), format.about()),
        }
    }
}

impl clap::ValueEnum for Format {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: std::sync::LazyLock<Vec<Format>> = std::sync::LazyLock::new(|| {
            let own = [Format::Export, Format::Turns, Format::Conversation, Format::Messages, Format::LastChat];
            own.into_iter().chain(TranscriptFormat::ALL.map(Format::Transcript)).collect()
        });
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = self.row();
        Some(PossibleValue::new(name).help(help))
    }
}

/// A document of conversations names them near its beginning; everything else is taken for lines,
/// and the first bad one is reported as such.
pub(super) fn detect(head: &[u8]) -> Format {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    if let Some(format) = TranscriptFormat::detect(head) {
        return Format::Transcript(format);
    }
    let first = telling(head);
    let holds = |key: &str| head.windows(key.len()).any(|window| window == key.as_bytes());
    let complete = serde_json::from_slice::<serde_json::Value>(first);
    match complete {
        Ok(line)
            if line.is_array()
                || line.get("messages").is_some()
                || line.get("role").is_some() && line.get("content").is_some() =>
        {
            Format::Messages
        }
        Ok(line) if line.get("conversations").is_some() || line.get("turns").is_some() => Format::Conversation,
        Ok(line) if line.get("session").is_some() => Format::Turns,
        Ok(_) => Format::Export,
        // A long line, of which this is the beginning: the text of a turn may say anything.
        Err(_) if first.len() == head.len() && begins(first, &["session", "text", "speaker"]) => Format::Turns,
        Err(_) if holds("\"conversations\"") || holds("\"turns\"") => Format::Conversation,
        Err(_) if holds("\"role\"") && holds("\"content\"") => Format::Messages,
        Err(_) if first.len() == head.len() && holds("\"session\"") && holds("\"text\"") && !holds("\"revisions\"") => {
            Format::Turns
        }
        Err(_) => Format::Export,
    }
}

/// The line that tells what a file holds: the first that is whole JSON, or else the first that
/// begins as JSON. Blank and damaged lines before it are refused by their own.
fn telling(head: &[u8]) -> &[u8] {
    let opens = |line: &&[u8]| line.trim_ascii_start().first().is_some_and(|byte| b"{[".contains(byte));
    let closes = |line: &&[u8]| line.trim_ascii_end().last().is_some_and(|byte| b"}]".contains(byte));
    let lines = || head.split(|byte| *byte == b'\n').filter(opens);
    let whole = |line: &&[u8]| closes(line) && serde_json::from_slice::<serde_json::Value>(line).is_ok();
    // The lines of a document that is set over several say nothing alone.
    let spread = lines().next().is_some_and(|line| line.trim_ascii().len() == 1);
    let found = if spread { None } else { lines().find(whole) };
    found.or_else(|| lines().next()).unwrap_or_default()
}

/// Whether the first field of an object is one of these.
fn begins(object: &[u8], fields: &[&str]) -> bool {
    let mut quoted = object.trim_ascii_start().split(|byte| *byte == b'"');
    let opened = quoted.next().is_some_and(|before| before.trim_ascii_end() == b"{");
    let field = quoted.next().unwrap_or_default();
    opened && fields.iter().any(|name| name.as_bytes() == field)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_documents_from_lines() {
        for (head, format) in [
            ("{\"name\": \"x\", \"conversations\": [\n", Format::Conversation),
            ("{\n  \"conversations\": [", Format::Conversation),
            ("{\"conversations\": []}", Format::Conversation),
            ("{\"id\": \"c\", \"turns\": []}", Format::Conversation),
            ("{\"session\": \"s\", \"text\": \"x\"}\n{", Format::Turns),
            ("{\"memory\": {\"text\": \"the \\\"turns\\\" of it\"}}\n", Format::Export),
            ("[{\"role\": \"user\", \"content\": \"x\"}]", Format::Messages),
            ("[\n  {\n    \"role\": \"user\",\n    \"content\": \"x\"", Format::Messages),
            ("{\"messages\": [{\"role\": \"user\", \"content\": \"", Format::Messages),
            ("{\"messages\": []}\n{\"messages\": []}", Format::Messages),
            ("{\"role\": \"user\", \"content\": \"x\"}\n", Format::Messages),
            ("{\"session\": \"s\", \"role\": \"user\", \"text\": \"x\"}\n", Format::Turns),
            ("\u{feff}{\"session\": \"s\", \"text\": \"x\"}\n{", Format::Turns),
            ("{\"session\": \"s\", \"text\": \"the \\\"turns\\\" of a long one", Format::Turns),
            ("{\"id\": 1, \"session\": \"s\", \"text\": \"a long one", Format::Turns),
            ("\n\r\n{\"session\": \"s\", \"text\": \"x\"}\n", Format::Turns),
            ("{\"session\": \"s\", \"text\": \"\\ud800\"}\n{\"session\": \"s\", \"text\": \"x\"}\n", Format::Turns),
            ("{\n  \"a\": [\n{},\n{}\n], \"conversations\": []", Format::Conversation),
            (
                "{\"type\":\"user\",\"uuid\":\"u\",\"sessionId\":\"s\",\"message\":{}}\n",
                Format::Transcript(TranscriptFormat::ClaudeCode),
            ),
            (
                "{\n \"sessionId\": \"s\", \"projectHash\": \"h\",\n \"messages\": [",
                Format::Transcript(TranscriptFormat::Gemini),
            ),
            ("garbage", Format::Export),
            ("", Format::Export),
        ] {
            assert_eq!(detect(head.as_bytes()), format, "{head}");
        }
    }
}
