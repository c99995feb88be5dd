//! Chats of WhatsApp as text: `13.01.26, 18:05 - Ines: Hello`, `[1/13/26, 6:05:09 PM] Ines: Hello`.
//! Lines without a date belong to the message before.

use annals_engine::Error;
use annals_types::{Attachment, Role};
use jiff::civil::Time;

use super::dates::{Numbers, OrderVotes, is_space, time_of_day};
use super::outline::Outline;
use super::reading::{DELETED, PROGRAM, Reading, Said, attachment, label};
use super::text::TextLines;

/// The beginning of a message.
struct Head<'l> {
    date: Numbers,
    time: Time,
    rest: &'l str,
}

/// The longest message.
const MESSAGE_BYTES: usize = 1 << 20;
/// A mark that the program writes before what is not the user's words.
const BY_PROGRAM: char = '\u{200e}';

impl<'l> Head<'l> {
    fn parse(line: &'l str) -> Option<Self> {
        let line = line.trim_start_matches(['\u{200e}', '\u{200f}', '\u{feff}']);
        let inner = line.strip_prefix('[');
        let (date, rest) = Numbers::parse(inner.unwrap_or(line))?;
        let rest = rest
            .trim_start_matches([',', '،'])
            .trim_start_matches(is_space);
        let (time, rest) = time_of_day(rest)?;
        let rest = match inner {
            Some(_) => rest.strip_prefix(']')?.trim_start_matches(is_space),
            None => rest
                .trim_start_matches(is_space)
                .strip_prefix(['-', '–'])?
                .trim_start_matches(is_space),
        };
        Some(Self { date, time, rest })
    }

    /// The speaker and his words; none for a note of the program.
    fn said(&self) -> Option<(&'l str, &'l str)> {
        let (name, words) = self.rest.split_once(':')?;
        let words = words.strip_prefix(' ').unwrap_or(words);
        // A note may quote the new name of a group, in which a colon stands.
        let is_name = !name.is_empty()
            && name.chars().count() <= 80
            && !name.contains(['“', '”', '„', '«', '"']);
        is_name.then_some((name, words))
    }
}

pub(super) fn tells(outline: &Outline) -> bool {
    let Outline::Text(text) = outline else {
        return false;
    };
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.next().is_some_and(|line| Head::parse(line).is_some())
}

pub(super) fn read(reading: &mut Reading<'_>) -> Result<(), Error> {
    let mut votes = OrderVotes::default();
    let mut input = reading.file.open()?;
    let mut lines = TextLines::new(&mut *input);
    while let Some(line) = lines.next()? {
        if let Some(head) = Head::parse(&line) {
            votes.count(head.date);
        }
    }
    let order = votes.order(reading.options.date_order)?;
    let session = session(reading);
    let mut input = reading.file.open()?;
    let mut lines = TextLines::new(&mut *input);
    let mut open: Option<Said> = None;
    while let Some(line) = lines.next()? {
        let Some(head) = Head::parse(&line) else {
            // What goes on for so long is no message.
            if let Some(long) = open.take_if(|said| said.text.len() > MESSAGE_BYTES) {
                let more = Said {
                    text: String::new(),
                    ..long.clone()
                };
                end(reading, long);
                reading.pause()?;
                open = Some(more);
            }
            match &mut open {
                Some(said) => {
                    said.text.push('\n');
                    said.text.push_str(&line);
                }
                None if line.trim().is_empty() => {}
                None => reading.leave(PROGRAM),
            }
            continue;
        };
        let time = head
            .date
            .date(order)
            .and_then(|date| reading.zone.moment(date.to_datetime(head.time)));
        if let Some(said) = open.take() {
            let goes_on = said.time == time;
            end(reading, said);
            if !goes_on {
                reading.pause()?;
            }
        }
        match head.said() {
            Some((name, words)) => {
                let mut said = Said::by(&session, Role::User, words);
                said.speaker = Some(label(label(name).trim_start_matches('~')));
                said.time = time;
                open = Some(said);
            }
            None => reading.leave(PROGRAM),
        }
    }
    open.into_iter().for_each(|said| end(reading, said));
    Ok(())
}

/// A chat is called as its file is, or as its archive where the file has the name of all chats.
fn session(reading: &Reading<'_>) -> String {
    let own = reading.session_name();
    if reading.options.session.is_some() || own.trim_start_matches('_') != "chat" {
        return own;
    }
    let archive = reading.file.root().and_then(|root| root.file_stem());
    let folder = reading.file.folder();
    let name = archive
        .map(|stem| stem.to_string_lossy().into_owned())
        .or(folder)
        .unwrap_or(own);
    label(&name)
}

/// Takes a message whose lines are all there.
fn end(reading: &mut Reading<'_>, mut said: Said) {
    let text = without_mark_of_edit(said.text.trim_end()).to_owned();
    let (first, more) = text.split_once('\n').unwrap_or((&text, ""));
    let by_program = first.starts_with(BY_PROGRAM);
    let plain = first.trim_start_matches(BY_PROGRAM).trim();
    if let Some(sent) = sent(plain) {
        said.attachments.push(sent);
        said.text = more.trim().to_owned();
        return reading.turn(said);
    }
    if let Some((words, sent)) = sent_behind(plain) {
        said.attachments.push(sent);
        said.text = format!("{words}\n{more}").trim().to_owned();
        return reading.turn(said);
    }
    if plain.starts_with('<') && plain.ends_with('>') && more.is_empty() {
        return reading.leave("pictures and files that were not exported");
    }
    if is_deleted(plain) {
        return reading.leave(DELETED);
    }
    if by_program {
        return reading.leave(PROGRAM);
    }
    said.text = text;
    reading.turn(said);
}

/// What stands where a message was deleted, where no mark of the program says so.
fn is_deleted(words: &str) -> bool {
    let words = words.trim_end_matches('.');
    [
        "This message was deleted",
        "You deleted this message",
        "此消息已删除",
        "您删除了此消息",
    ]
    .contains(&words)
}

/// A text without the mark that it was edited.
fn without_mark_of_edit(text: &str) -> &str {
    let Some(at) = text.rfind('<').filter(|_| text.ends_with('>')) else {
        return text;
    };
    let (words, mark) = text.split_at(at);
    let marked = words.ends_with(BY_PROGRAM) || mark == "<This message was edited>";
    if marked {
        words.trim_end_matches([BY_PROGRAM, ' '])
    } else {
        text
    }
}

/// `<attached: 0001-PHOTO.jpg>` in any language, or `IMG-1.jpg (file attached)`.
fn sent(words: &str) -> Option<Attachment> {
    let inner = words
        .strip_prefix('<')
        .and_then(|inner| inner.strip_suffix('>'));
    if let Some((_, name)) = inner.and_then(|inner| inner.split_once(':')) {
        return is_file(name.trim()).then(|| attachment(name.trim(), None));
    }
    let (name, note) = words.split_once(" (")?;
    (note.ends_with(')') && is_file(name)).then(|| attachment(name, None))
}

/// The same behind words.
fn sent_behind(words: &str) -> Option<(&str, Attachment)> {
    let (before, mark) = words.rsplit_once(BY_PROGRAM)?;
    Some((before.trim_end(), sent(mark.trim())?))
}

fn is_file(name: &str) -> bool {
    let is_ending = |ending: &str| {
        (2..=5).contains(&ending.len()) && ending.chars().all(|c| c.is_ascii_alphanumeric())
    };
    name.rsplit_once('.')
        .is_some_and(|(stem, ending)| !stem.is_empty() && is_ending(ending))
}
