//! A conversation of which nothing stays: it has nothing to do with the database.

use annals::language;
use annals::llm::provider::{Message, Provider};
use annals::profile::AUTO;

use super::{asked_line, shown, talk, told_cut, unanswered};
use crate::app::App;
use crate::failure::Failure;
use crate::texts::{speaking, text};
use crate::visible;

/// The messages that are at hand; an even number, so that the oldest is one of the user.
const WINDOW: usize = 40;

/// Talks until the input ends.
pub(super) fn run(model: &dyn Provider, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let mut said: Vec<Message> = Vec::new();
    let (mut answered, mut last) = (false, None);
    while let Some(text) = asked_line(app)? {
        if language::wish(&text).is_some() {
            app.note(&text!("chat-incognito"))?;
        }
        said.push(Message::user(text.as_str()));
        let latest = said
            .iter()
            .skip(said.len().saturating_sub(WINDOW + 1))
            .cloned();
        let language = talk::spoken(AUTO, &text);
        let instruction = speaking(language, || text!("chat-incognito-instruction"));
        let prompt = std::iter::once(Message::system(instruction))
            .chain(latest)
            .collect();
        match talk::ask(model, prompt, &[]) {
            Ok((reply, cut)) => {
                shown(&reply.text, app)?;
                told_cut(cut, app)?;
                said.push(Message::assistant(reply.text, Vec::new()));
                answered = true;
            }
            Err(failure) => {
                said.pop();
                app.note(&text!(
                    "chat-not-answered",
                    message = visible::line(&failure.message)
                ))?;
                last = Some(failure);
            }
        }
    }
    match last {
        Some(failure) if !answered => Err(unanswered(failure, app)),
        _ => Ok(()),
    }
}
