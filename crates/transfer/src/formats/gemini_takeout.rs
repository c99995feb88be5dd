//! The activity of Gemini in Google Takeout, as JSON or as a page: prompts and answers, newest
//! first. Where no conversation is named, what was asked within half an hour of each other is one.

use annals_engine::Error;
use annals_types::{Role, Timestamp};
use serde_json::Value;

use super::outline::Outline;
use super::reading::{PROGRAM, Reading, Said, attachment, list, text};
use super::{gemini_page, html, record};

/// A pause that ends a conversation, in milliseconds.
const PAUSE: i64 = 30 * 60_000;
/// What stands before the words of a prompt, in English.
pub(super) const PROMPTED: &str = "Prompted ";

pub(super) fn tells(outline: &Outline) -> bool {
    if let Outline::Page(start) = outline {
        return gemini_page::tells(start);
    }
    record(outline, &[]).is_some_and(|first| is_of_gemini(first) && text(first, "time").is_some())
}

fn is_of_gemini(entry: &Value) -> bool {
    let products = list(entry, "products").iter().filter_map(Value::as_str);
    text(entry, "title").is_some()
        && text(entry, "header")
            .into_iter()
            .chain(products)
            .any(is_name_of_gemini)
}

/// Whether a product is Gemini, in any language.
pub(super) fn is_name_of_gemini(name: &str) -> bool {
    name.contains("Gemini") || name.contains("Bard")
}

/// A prompt and its answer.
#[derive(Debug, PartialEq)]
pub(super) struct Round {
    pub(super) at: Timestamp,
    pub(super) asked: String,
    pub(super) answered: String,
    /// The names of files that were sent along.
    pub(super) sent: Vec<String>,
    /// The conversation, where that is named.
    pub(super) chat: Option<String>,
}

pub(super) fn read(reading: &mut Reading<'_>) -> Result<(), Error> {
    let rounds = match reading.outline {
        Outline::Page(_) => gemini_page::rounds(reading)?,
        _ => rounds(reading)?,
    };
    take(reading, rounds)
}

fn rounds(reading: &mut Reading<'_>) -> Result<Vec<Round>, Error> {
    let mut rounds: Vec<Round> = Vec::new();
    reading.each(&["[]"], &mut |reading, _, value| {
        let at = if is_of_gemini(&value) {
            reading.time(&value, &["time"])
        } else {
            None
        };
        let Some(at) = at else {
            reading.leave(PROGRAM);
            return Ok(());
        };
        let title = text(&value, "title").unwrap_or_default();
        let answers = list(&value, "safeHtmlItem")
            .iter()
            .filter_map(|item| text(item, "html"));
        let answered = answers.map(html::words).collect::<Vec<_>>().join("\n\n");
        // Such as "Used an assistant feature".
        if answered.trim().is_empty() && !title.starts_with(PROMPTED) {
            reading.leave(PROGRAM);
            return Ok(());
        }
        let asked = title.strip_prefix(PROMPTED).unwrap_or(title).to_owned();
        let sent = list(&value, "attachedFiles")
            .iter()
            .filter_map(|file| file.as_str().map(str::to_owned))
            .collect();
        rounds.push(Round {
            at,
            asked,
            answered,
            sent,
            chat: None,
        });
        Ok(())
    })?;
    Ok(rounds)
}

/// Makes turns of prompts and answers.
fn take(reading: &mut Reading<'_>, mut rounds: Vec<Round>) -> Result<(), Error> {
    rounds.sort_by(|one, other| (&one.chat, one.at).cmp(&(&other.chat, other.at)));
    let (mut session, mut last) = (String::new(), None);
    for round in rounds {
        let goes_on = |(chat, at): &(Option<String>, Timestamp)| {
            *chat == round.chat && (chat.is_some() || round.at.millis_since(*at) <= PAUSE)
        };
        if !last.as_ref().is_some_and(goes_on) {
            session = match &round.chat {
                Some(chat) => format!("Gemini {chat}"),
                None => format!("Gemini {}", round.at),
            };
            reading.end_session()?;
        }
        last = Some((round.chat, round.at));
        for (role, words) in [(Role::User, round.asked), (Role::Assistant, round.answered)] {
            let mut said = Said::by(&session, role, words);
            said.time = Some(round.at);
            if role == Role::User {
                said.attachments = round
                    .sent
                    .iter()
                    .map(|name| attachment(name, None))
                    .collect();
            }
            reading.turn(said);
        }
    }
    Ok(())
}
