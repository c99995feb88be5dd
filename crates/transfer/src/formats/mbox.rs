//! Mailboxes: letters one behind the other, each begun by a line `From `. A thread is a session.

use std::io::BufRead;

use annals_engine::Error;
use annals_types::{Role, Timestamp};
use mail_parser::{Address, HeaderValue, Message, MessageParser, MimeHeaders};

use super::items::unreadable;
use super::outline::Outline;
use super::reading::{Reading, Said, attachment};
use crate::json::JsonFault;

/// The longest letter; longer ones hold files.
const MAX_LETTER_BYTES: usize = 32 << 20;

pub(super) fn tells(outline: &Outline) -> bool {
    let Outline::Text(text) = outline else {
        return false;
    };
    let mut lines = text.trim_start_matches('\u{feff}').trim_start().lines();
    let begins = lines.next().is_some_and(is_begin);
    begins
        && lines.take(50).any(|line| {
            line.split_once(':')
                .is_some_and(|(name, _)| !name.is_empty() && !name.contains(' '))
        })
}

/// `From ada@example.org Thu Jan  1 10:00:00 2026`
fn is_begin(line: &str) -> bool {
    line.strip_prefix("From ")
        .is_some_and(|rest| rest.split_whitespace().count() >= 5 && rest.contains(':'))
}

pub(super) fn read(reading: &mut Reading<'_>) -> Result<(), Error> {
    let mut input = reading.file.open()?;
    let (mut letter, mut line, mut number, mut begun) = (Vec::new(), Vec::new(), 0_u64, 0_u64);
    let (mut blank, mut too_long) = (true, false);
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line).map_err(unreadable)? == 0 {
            break;
        }
        number += 1;
        let begins =
            blank && line.starts_with(b"From ") && is_begin(&String::from_utf8_lossy(&line));
        blank = line.trim_ascii().is_empty();
        if begins {
            end(reading, &letter, (begun, too_long))?;
            (begun, too_long) = (number, false);
            letter.clear();
            continue;
        }
        // A line of a letter that begins so is written behind a mark.
        let marks = line.iter().take_while(|byte| **byte == b'>').count();
        if marks > 0
            && line
                .get(marks..)
                .is_some_and(|rest| rest.starts_with(b"From "))
        {
            line.remove(0);
        }
        if letter.len() + line.len() <= MAX_LETTER_BYTES {
            letter.extend_from_slice(&line);
        } else {
            too_long = true;
        }
    }
    end(reading, &letter, (begun, too_long))
}

/// Takes a letter that is there whole.
fn end(
    reading: &mut Reading<'_>,
    bytes: &[u8],
    (line, too_long): (u64, bool),
) -> Result<(), Error> {
    if bytes.trim_ascii().is_empty() {
        return Ok(());
    }
    if too_long {
        reading.leave("files in letters that are too long");
    }
    let Some(letter) = MessageParser::default().parse(bytes) else {
        let fault = JsonFault::Other {
            field: String::new(),
            reason: "it is no letter".to_owned(),
        };
        return reading.refuse(line, &fault, bytes.to_vec());
    };
    let subject = letter
        .subject()
        .map(plain_subject)
        .unwrap_or_default()
        .to_owned();
    let mut said = Said::by(&session(&letter, &subject), Role::User, "");
    said.speaker = letter.from().and_then(speaker);
    said.id = letter.message_id().map(str::to_owned);
    said.time = letter
        .date()
        .map(|date| Timestamp::from_millis(date.to_timestamp().saturating_mul(1000)));
    said.field("title", Some(&subject));
    // Such as `Inbox,Spam`: by them what nobody wants can be deleted.
    let labels = header(&letter, "X-Gmail-Labels").unwrap_or_default();
    said.tags = labels
        .split(',')
        .map(|label| label.trim().trim_matches('"').to_owned())
        .collect();
    for part in letter.attachments() {
        let kind = part
            .content_type()
            .map(|kind| format!("{}/{}", kind.ctype(), kind.subtype().unwrap_or("*")));
        said.attachments.push(attachment(
            part.attachment_name().unwrap_or("file"),
            kind.as_deref(),
        ));
    }
    let words = letter
        .body_text(0)
        .map(|body| own_words(&body))
        .unwrap_or_default();
    // A letter whose subject says all of it.
    said.text = if words.is_empty() { subject } else { words };
    reading.turn(said);
    reading.pause()
}

/// The first value of a header.
fn header(letter: &Message<'_>, name: &str) -> Option<String> {
    match letter.header(name) {
        Some(HeaderValue::Text(text)) => Some(text.to_string()),
        Some(HeaderValue::TextList(texts)) => texts.first().map(ToString::to_string),
        _ => None,
    }
}

/// The thread of a letter: as the mail program numbers it, or by the first letter of it.
fn session(letter: &Message<'_>, subject: &str) -> String {
    let header = |name: &str| header(letter, name);
    let root = header("X-GM-THRID")
        .or_else(|| header("References"))
        .or_else(|| header("In-Reply-To"));
    let root = root.or_else(|| letter.message_id().map(str::to_owned));
    root.unwrap_or_else(|| {
        if subject.is_empty() {
            "mail".to_owned()
        } else {
            subject.to_owned()
        }
    })
}

fn speaker(from: &Address<'_>) -> Option<String> {
    let first = from.first()?;
    first.name().or_else(|| first.address()).map(str::to_owned)
}

/// A subject without the marks of answers.
fn plain_subject(subject: &str) -> &str {
    let mut rest = subject.trim();
    while let Some((mark, behind)) = rest.split_once([':', '：']) {
        let mark = mark.trim().to_lowercase();
        if ![
            "re", "aw", "wg", "fw", "fwd", "sv", "vs", "antw", "回复", "转发", "答复",
        ]
        .contains(&mark.as_str())
        {
            break;
        }
        rest = behind.trim_start();
    }
    rest
}

/// What the writer of a letter says: without what he quotes, who said it, and his signature.
fn own_words(body: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut quoting = false;
    for line in body.lines() {
        if line == "-- " || line == "--" {
            break;
        }
        let quoted = line.trim_start().starts_with('>');
        if quoted && !quoting {
            // "On Thursday Ada wrote:"
            while kept.last().is_some_and(|line| line.trim().is_empty()) {
                kept.pop();
            }
            if kept
                .last()
                .is_some_and(|line| line.trim_end().ends_with([':', '：']))
            {
                kept.pop();
                // The same over two lines.
                if kept
                    .last()
                    .is_some_and(|line| line.starts_with("On ") || line.starts_with("Am "))
                {
                    kept.pop();
                }
            }
        }
        quoting = quoted;
        let again = line.trim().is_empty() && kept.last().is_none_or(|line| line.is_empty());
        if !quoted && !again {
            kept.push(line.trim_end());
        }
    }
    kept.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_and_signatures_are_not_the_writers_words() {
        let body = "Under the pot.\n\nOn Thu, Ada wrote:\n> Where is\n> the key?\n\nYours\n-- \nBo, Yard 4";
        assert_eq!(own_words(body), "Under the pot.\n\nYours");
        assert_eq!(plain_subject("Re: AW: The key: where"), "The key: where");
    }
}
