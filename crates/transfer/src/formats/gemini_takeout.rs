//! The activity of Gemini in Google Takeout: prompts and answers without conversations, newest
//! first. What was asked within half an hour of each other is a conversation.

use annals_engine::Error;
use annals_types::{Role, Timestamp};
use serde_json::Value;

use super::html;
use super::outline::Outline;
use super::reading::{PROGRAM, Reading, Said, attachment, list, text, time};
use super::record;

/// A pause that ends a conversation, in milliseconds.
const PAUSE: i64 = 30 * 60_000;
/// What stands before the words of a prompt.
const PROMPTED: &str = "Prompted ";

pub(super) fn tells(outline: &Outline) -> bool {
    record(outline, &[]).is_some_and(|first| is_of_gemini(first) && text(first, "time").is_some())
}

fn is_of_gemini(entry: &Value) -> bool {
    let named = |name: &str| name.contains("Gemini") || name.contains("Bard");
    let products = list(entry, "products").iter().filter_map(Value::as_str);
    text(entry, "title").is_some() && text(entry, "header").into_iter().chain(products).any(named)
}

struct Round {
    at: Timestamp,
    asked: String,
    answered: String,
    sent: Vec<String>,
}

pub(super) fn read(reading: &mut Reading<'_>) -> Result<(), Error> {
    let mut rounds: Vec<Round> = Vec::new();
    reading.each(&["[]"], &mut |reading, _, value, _| {
        let Some(at) = time(&value, &["time"]).filter(|_| is_of_gemini(&value)) else {
            reading.leave(PROGRAM);
            return Ok(());
        };
        let title = text(&value, "title").unwrap_or_default();
        let answers = list(&value, "safeHtmlItem").iter().filter_map(|item| text(item, "html"));
        let answered = answers.map(html::words).collect::<Vec<_>>().join("\n\n");
        // Such as "Used an assistant feature".
        if answered.trim().is_empty() && !title.starts_with(PROMPTED) {
            reading.leave(PROGRAM);
            return Ok(());
        }
        let asked = title.strip_prefix(PROMPTED).unwrap_or(title).to_owned();
        let sent = list(&value, "attachedFiles").iter().filter_map(|file| file.as_str().map(str::to_owned)).collect();
        rounds.push(Round { at, asked, answered, sent });
        Ok(())
    })?;
    rounds.sort_by_key(|round| round.at);
    let (mut session, mut last) = (String::new(), None);
    for round in rounds {
        if last.is_none_or(|last: Timestamp| round.at.millis_since(last) > PAUSE) {
            session = format!("Gemini {}", round.at);
            reading.end_session()?;
        }
        last = Some(round.at);
        for (role, words) in [(Role::User, round.asked), (Role::Assistant, round.answered)] {
            let mut said = Said::by(&session, role, words);
            said.time = Some(round.at);
            if role == Role::User {
                said.attachments = round.sent.iter().map(|name| attachment(name, None)).collect();
            }
            reading.turn(said);
        }
    }
    Ok(())
}
