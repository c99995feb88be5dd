use annals_types::Role;
use proptest::prelude::*;

use super::*;

/// Invented talks, a file for each format: what a reader must take, and what it must leave. The
/// last line of that of Claude Code is cut off.
const CLAUDE: &str = include_str!("fixtures/claude_code.jsonl");

const CODEX: &str = include_str!("fixtures/codex.jsonl");

const GEMINI: &str = include_str!("fixtures/gemini.json");

const GEMINI_LINES: &str = include_str!("fixtures/gemini.jsonl");

const CURSOR: &str = include_str!("fixtures/cursor.jsonl");

const COPILOT: &str = include_str!("fixtures/copilot.jsonl");

const ALL: [(TranscriptFormat, &str); 6] = [
    (TranscriptFormat::ClaudeCode, CLAUDE),
    (TranscriptFormat::Codex, CODEX),
    (TranscriptFormat::Gemini, GEMINI),
    (TranscriptFormat::Gemini, GEMINI_LINES),
    (TranscriptFormat::Cursor, CURSOR),
    (TranscriptFormat::CopilotCli, COPILOT),
];

fn read(format: TranscriptFormat, text: &str) -> Transcript {
    Transcript::read(
        format,
        text.as_bytes(),
        TranscriptPosition::default(),
        "file",
    )
    .unwrap()
}

/// The speaker, text and id of each turn.
fn told(transcript: &Transcript) -> Vec<(Role, &str, &str)> {
    let told = |turn: &'_ ConversationTurn| turn.role.unwrap();
    transcript
        .turns
        .iter()
        .map(|turn| (told(turn), turn.id.as_deref().unwrap(), turn.text.as_str()))
        .collect()
}

#[test]
fn user_and_assistant_become_turns_and_nothing_else_does() {
    let (user, assistant) = (Role::User, Role::Assistant);
    for ((format, text), (session, expected)) in ALL.iter().zip([
        (
            "s-1",
            vec![
                (user, "u2", "Which port does the relay use?"),
                (assistant, "a3", "It listens on the configured port."),
                (user, "u9", "Thanks."),
            ],
        ),
        (
            "c-1",
            vec![
                (user, "line-5", "Rename the relay."),
                (assistant, "line-10", "Done."),
            ],
        ),
        (
            "g-1",
            vec![
                (user, "1", "Where is the relay?"),
                (assistant, "3", "In the cellar."),
            ],
        ),
        (
            "g-2",
            vec![
                (user, "1", "First wish"),
                (assistant, "2", "The whole answer"),
            ],
        ),
        (
            "file",
            vec![
                (user, "line-1", "Fix the relay."),
                (assistant, "line-3", "Fixed."),
            ],
        ),
        (
            "p-1",
            vec![
                (user, "e2", "Explain the relay."),
                (assistant, "e6", "It relays."),
            ],
        ),
    ]) {
        let transcript = read(*format, text);
        assert_eq!(transcript.session, session);
        assert_eq!(told(&transcript), expected, "{format:?}");
        for turn in &transcript.turns {
            assert_eq!(turn.session, session);
            assert!(
                turn.tool_calls.is_empty() && !turn.text.contains("4711"),
                "{turn:?}"
            );
            assert_eq!(turn.metadata["origin"], format.name().into());
            let trust = if turn.role == Some(user) {
                "user"
            } else {
                "assistant"
            };
            assert_eq!(turn.metadata["trust"], trust.into());
            assert_eq!(turn.time.is_some(), *format != TranscriptFormat::Cursor);
        }
    }
}

#[test]
fn what_becomes_no_turn_is_counted_by_its_sort() {
    let transcript = read(TranscriptFormat::ClaudeCode, CLAUDE);
    let left_out: Vec<_> = transcript.left_out().collect();
    assert_eq!(
        left_out,
        [
            ("calls of tools and their results", 2),
            ("entries of subagents", 1),
            ("entries of the program", 2),
            ("entries of unknown types", 1),
            ("last lines that are cut off", 1),
            ("lines that are no JSON objects", 1),
            ("messages without a text of their own", 1),
            ("parts that are no text", 1),
            ("summaries of what was said before", 2),
            ("thoughts", 1),
        ]
    );
}

#[test]
fn formats_are_told_by_the_beginning_of_a_file() {
    for (format, text) in ALL {
        assert_eq!(
            TranscriptFormat::detect(text.as_bytes()),
            Some(format),
            "{format:?}"
        );
        assert_eq!(TranscriptFormat::named(format.name()), Some(format));
        assert!(format.about().contains("~/."));
    }
    for other in [
        "",
        "garbage",
        r#"{"role":"user","content":"x"}"#,
        r#"[{"role":"user","content":"x"}]"#,
        r#"{"session":"s","text":"x"}"#,
        r#"{"messages":[]}"#,
    ] {
        assert_eq!(TranscriptFormat::detect(other.as_bytes()), None, "{other}");
    }
}

#[test]
fn a_transcript_read_in_pieces_says_what_it_says_as_a_whole() {
    for (format, text) in ALL.into_iter().filter(|(_, text)| *text != GEMINI) {
        let whole = read(format, text);
        for cut in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            let Ok(first) = Transcript::read(
                format,
                &text.as_bytes()[..cut],
                TranscriptPosition::default(),
                "file",
            ) else {
                continue;
            };
            let at = usize::try_from(first.position.bytes).unwrap();
            let rest = Transcript::read(
                format,
                &text.as_bytes()[at..],
                first.position,
                &first.session,
            )
            .unwrap();
            assert_eq!(rest.position, whole.position, "{format:?} at {cut}");
            let mut ids: Vec<_> = first
                .turns
                .iter()
                .chain(&rest.turns)
                .map(|turn| turn.id.clone())
                .collect();
            ids.dedup();
            for turn in &whole.turns {
                assert!(ids.contains(&turn.id), "{format:?} at {cut}: {turn:?}");
            }
        }
    }
}

#[test]
fn the_transcript_of_a_subagent_says_nothing() {
    let codex = CODEX.replace(r#""source":"cli""#, r#""source":{"subagent":"review"}"#);
    assert!(read(TranscriptFormat::Codex, &codex).turns.is_empty());
    let gemini = GEMINI_LINES.replace(r#""kind":"main""#, r#""kind":"subagent""#);
    assert!(read(TranscriptFormat::Gemini, &gemini).turns.is_empty());
}

#[test]
fn a_file_of_another_format_is_refused() {
    let error = Transcript::read(
        TranscriptFormat::Codex,
        CLAUDE.as_bytes(),
        TranscriptPosition::default(),
        "s",
    );
    let error = error.unwrap_err();
    assert!(
        error.is_invalid() && error.to_string().contains("codex"),
        "{error}"
    );
}

#[test]
fn a_text_that_no_memory_holds_is_kept_in_parts() {
    let long = "é".repeat(annals_types::MAX_TEXT_BYTES);
    let line =
        format!(r#"{{"type":"user","uuid":"u","sessionId":"s","message":{{"content":"{long}"}}}}"#);
    let transcript = read(TranscriptFormat::ClaudeCode, &line);
    assert_eq!(transcript.left_out().next(), None);
    let parts = transcript.into_conversation().memories().unwrap();
    assert_eq!(
        parts
            .iter()
            .map(|part| part.body().text.as_str())
            .collect::<String>(),
        long
    );
}

/// Pieces of lines, whole and broken.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        proptest::sample::select(
            [CLAUDE, CODEX, GEMINI, GEMINI_LINES, CURSOR, COPILOT]
                .iter()
                .flat_map(|text| text.lines())
                .map(str::to_owned)
                .collect::<Vec<_>>()
        ),
        r#"\{"(type|role|id|payload|message|data|\$set|\$rewindTo)":("[a-z._]{0,12}"|\[\]|null|1|\{"content":\[[0-9]?\]\})\}"#,
        ".{0,20}",
    ]
}

proptest! {
    #[test]
    fn fuzz_any_file_is_read_or_refused(pieces in prop::collection::vec(piece(), 0..8), cut in 0_usize..400) {
        let mut text = pieces.join("\n");
        text.truncate(text.floor_char_boundary(text.len().saturating_sub(cut)));
        let _told = TranscriptFormat::detect(text.as_bytes());
        for format in TranscriptFormat::ALL {
            let Ok(read) = Transcript::read(format, text.as_bytes(), TranscriptPosition::default(), "s") else {
                continue;
            };
            prop_assert!(read.position.bytes <= text.len() as u64);
            for turn in &read.turns {
                prop_assert!(!turn.text.trim().is_empty() && turn.id.is_some());
            }
        }
    }
}

#[test]
fn words_typed_while_claude_works_are_said_once() {
    let line = |fields: &str| {
        format!("{{\"sessionId\":\"s\",\"timestamp\":\"2026-05-04T08:00:00Z\",{fields}}}\n")
    };
    let queue = |operation: &str, words: &str| {
        line(&format!(
            "\"type\":\"queue-operation\",{operation},\"content\":\"{words}\""
        ))
    };
    let attached = |id: &str, prompt: &str, more: &str| {
        let attachment = format!("{{\"type\":\"queued_command\",\"prompt\":{prompt}{more}}}");
        line(&format!(
            "\"type\":\"attachment\",\"uuid\":\"{id}\",\"attachment\":{attachment}"
        ))
    };
    let text = [
        queue("\"operation\":\"enqueue\"", "Four times at most."),
        queue("\"operation\":\"popAll\"", "Never mind."),
        queue(
            "\"operation\":\"remove\",\"reason\":\"absorbed_mid_turn\"",
            "Four times at most.",
        ),
        attached(
            "t1",
            "\"Four times at most.\"",
            ",\"origin\":{\"kind\":\"human\"}",
        ),
        attached("t2", "[{\"type\":\"text\",\"text\":\"And log it.\"}]", ""),
        attached(
            "t3",
            "\"a task has ended\"",
            ",\"commandMode\":\"task-notification\"",
        ),
        queue(
            "\"operation\":\"remove\",\"reason\":\"absorbed_mid_turn\"",
            "In an older version.",
        ),
    ];
    let transcript = read(TranscriptFormat::ClaudeCode, &text.concat());
    let user = Role::User;
    let expected = [
        (user, "t1", "Four times at most."),
        (user, "t2", "And log it."),
        (user, "line-7", "In an older version."),
    ];
    assert_eq!(told(&transcript), expected);
}

#[test]
fn codex_tells_the_words_as_they_were_typed_and_takes_rounds_back() {
    let line =
        |kind: &str, payload: &str| format!("{{\"type\":\"{kind}\",\"payload\":{payload}}}\n");
    let typed = |words: &str| {
        let item = format!(
            "{{\"type\":\"UserMessage\",\"content\":[{{\"type\":\"text\",\"text\":\"{words}\"}}]}}"
        );
        line(
            "event_msg",
            &format!("{{\"type\":\"item_completed\",\"item\":{item}}}"),
        )
    };
    let message = |role: &str, words: &str| {
        let content = format!("[{{\"type\":\"input_text\",\"text\":\"{words}\"}}]");
        line(
            "response_item",
            &format!("{{\"type\":\"message\",\"role\":\"{role}\",\"content\":{content}}}"),
        )
    };
    let setup =
        "# Context from my IDE setup:\\n\\n## Open tabs:\\n- a.rs\\n\\n## My request for Codex:\\n";
    let second_hand = [
        message("user", &format!("{setup}Number them.")),
        message("assistant", "Done."),
    ]
    .concat();
    let told_of = |text: &str| -> Vec<String> {
        read(TranscriptFormat::Codex, text)
            .turns
            .into_iter()
            .map(|turn| turn.text)
            .collect()
    };
    assert_eq!(told_of(&second_hand), ["Number them.", "Done."]);
    let first = [typed("Number them."), second_hand].concat();
    assert_eq!(told_of(&first), ["Number them.", "Done."]);
    let more = [
        typed("Drop the table."),
        message("user", "Drop the table."),
        message("assistant", "Dropped."),
    ]
    .concat();
    let back = line(
        "event_msg",
        "{\"type\":\"thread_rolled_back\",\"num_turns\":1}",
    );
    let last = [typed("Keep the table."), message("assistant", "Kept.")].concat();
    assert_eq!(
        told_of(&[first, more, back, last].concat()),
        ["Number them.", "Done.", "Keep the table.", "Kept."]
    );
}

#[test]
fn half_a_character_does_not_refuse_a_line() {
    let line = concat!(
        r#"{"type":"user","uuid":"u","sessionId":"s","#,
        r#""message":{"role":"user","content":"a \ud83d b"}}"#,
        "\n"
    );
    assert_eq!(
        TranscriptFormat::detect(line.as_bytes()),
        Some(TranscriptFormat::ClaudeCode)
    );
    assert_eq!(
        read(TranscriptFormat::ClaudeCode, line).turns[0].text,
        "a \u{fffd} b"
    );
}
