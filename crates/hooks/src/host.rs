//! The hosts, how they call their events, and what their answers look like.

use annals::TranscriptFormat;

/// A program that leads conversations and starts hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Host {
    /// Claude Code.
    ClaudeCode,
    /// Codex.
    Codex,
    /// Cursor.
    Cursor,
    /// Gemini CLI.
    GeminiCli,
    /// Copilot CLI.
    CopilotCli,
}

/// An event of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Event {
    /// The session begins, goes on, or goes on behind a compaction.
    Start,
    /// The user sent a prompt.
    Prompt,
    /// The assistant has answered.
    TurnEnd,
    /// The conversation is about to be shortened.
    Compact,
    /// The session ends.
    End,
    /// Anything else, such as the end of a subagent.
    Other,
}

/// The facts about a host.
struct Row {
    host: Host,
    name: &'static str,
    /// The form of its transcripts.
    format: TranscriptFormat,
    /// Its events, by the names that it gives them.
    events: &'static [(&'static str, Event)],
    /// Whether it puts the answer to a prompt before the model.
    prompts: bool,
}

const HOSTS: [Row; 5] = [
    Row {
        host: Host::ClaudeCode,
        name: "claude-code",
        format: TranscriptFormat::ClaudeCode,
        events: &[
            ("SessionStart", Event::Start),
            ("UserPromptSubmit", Event::Prompt),
            ("Stop", Event::TurnEnd),
            ("PreCompact", Event::Compact),
            ("SessionEnd", Event::End),
            ("SubagentStop", Event::Other),
        ],
        prompts: true,
    },
    Row {
        host: Host::Codex,
        name: "codex",
        format: TranscriptFormat::Codex,
        events: &[
            ("SessionStart", Event::Start),
            ("UserPromptSubmit", Event::Prompt),
            ("Stop", Event::TurnEnd),
            ("PreCompact", Event::Compact),
            ("PostCompact", Event::Compact),
            ("SessionEnd", Event::End),
            ("SubagentStart", Event::Other),
            ("SubagentStop", Event::Other),
        ],
        prompts: true,
    },
    Row {
        host: Host::Cursor,
        name: "cursor",
        format: TranscriptFormat::Cursor,
        events: &[
            ("sessionStart", Event::Start),
            ("beforeSubmitPrompt", Event::Prompt),
            ("stop", Event::TurnEnd),
            ("preCompact", Event::Compact),
            ("sessionEnd", Event::End),
            ("subagentStop", Event::Other),
        ],
        prompts: false,
    },
    Row {
        host: Host::GeminiCli,
        name: "gemini-cli",
        format: TranscriptFormat::Gemini,
        events: &[
            ("SessionStart", Event::Start),
            ("BeforeAgent", Event::Prompt),
            ("AfterAgent", Event::TurnEnd),
            ("PreCompress", Event::Compact),
            ("SessionEnd", Event::End),
        ],
        prompts: true,
    },
    Row {
        host: Host::CopilotCli,
        name: "copilot-cli",
        format: TranscriptFormat::CopilotCli,
        events: &[
            ("sessionStart", Event::Start),
            ("userPromptSubmitted", Event::Prompt),
            ("agentStop", Event::TurnEnd),
            ("Stop", Event::TurnEnd),
            ("preCompact", Event::Compact),
            ("sessionEnd", Event::End),
            ("subagentStop", Event::Other),
        ],
        prompts: false,
    },
];

impl Host {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::Cursor,
        Self::GeminiCli,
        Self::CopilotCli,
    ];

    /// Its name on the command line, such as `claude-code`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().map_or("", |row| row.name)
    }

    /// The host of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        HOSTS
            .iter()
            .find(|row| row.name == name)
            .map(|row| row.host)
    }

    /// The form of its transcripts.
    #[must_use]
    pub fn transcripts(self) -> TranscriptFormat {
        self.row()
            .map_or(TranscriptFormat::ClaudeCode, |row| row.format)
    }

    /// Its events: the names that it gives them, and what they are.
    pub fn events(self) -> impl Iterator<Item = (&'static str, Event)> {
        self.row().map_or(&[][..], |row| row.events).iter().copied()
    }

    /// An event by a name: as the host writes it, in any case, with or without hyphens.
    #[must_use]
    pub fn event(self, name: &str) -> Option<(&'static str, Event)> {
        let letters = |name: &str| name.replace(['-', '_'], "").to_ascii_lowercase();
        self.events()
            .find(|(known, _)| letters(known) == letters(name))
    }

    /// Whether it puts the answer to an event before the model.
    #[must_use]
    pub fn shows(self, event: Event) -> bool {
        match event {
            Event::Start => true,
            Event::Prompt => self.row().is_some_and(|row| row.prompts),
            _ => false,
        }
    }

    fn row(self) -> Option<&'static Row> {
        HOSTS.iter().find(|row| row.host == self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_has_a_row_and_its_events_are_found_in_any_spelling() {
        for host in Host::ALL {
            assert_eq!(Host::named(host.name()), Some(host));
            for event in [
                Event::Start,
                Event::Prompt,
                Event::TurnEnd,
                Event::Compact,
                Event::End,
            ] {
                assert!(
                    host.events().any(|(_, known)| known == event),
                    "{host:?} {event:?}"
                );
            }
        }
        assert_eq!(
            Host::ClaudeCode.event("session-start"),
            Some(("SessionStart", Event::Start))
        );
        assert_eq!(
            Host::Cursor.event("BeforeSubmitPrompt"),
            Some(("beforeSubmitPrompt", Event::Prompt))
        );
        assert_eq!(Host::Codex.event("PreToolUse"), None);
        assert_eq!(Host::named("emacs"), None);
    }
}
