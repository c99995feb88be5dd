//! The page `MyActivity.html` of Google Takeout: a card for each prompt, with its words, its time
//! and its answer. A card is read as the text that it is; all of the page is never held.

use std::io::BufRead;

use annals_engine::Error;
use memchr::memmem;

use super::dates::OrderVotes;
use super::gemini_takeout::{PROMPTED, Round, is_name_of_gemini};
use super::html;
use super::items::unreadable;
use super::reading::{PROGRAM, Reading};
use super::spoken_date::SpokenTime;
use crate::json::JsonFault;

/// The beginning of a card.
pub(super) const CARD: &str = "<div class=\"outer-cell";
/// The longest card.
const CARD_BYTES: usize = 64 << 20;

/// A card, as far as it was understood.
struct Card {
    line: u64,
    text: String,
    said: Option<Said>,
}

/// What a card of Gemini tells.
struct Said {
    asked: String,
    is_prompt: bool,
    sent: Vec<String>,
    time: SpokenTime,
    answered: String,
    chat: Option<String>,
}

/// Whether a page is that of Gemini, by its first card.
pub(super) fn tells(start: &str) -> bool {
    start.starts_with(CARD) && product(start).is_some_and(|name| is_name_of_gemini(&name))
}

/// The prompts and answers of the page.
pub(super) fn rounds(reading: &mut Reading<'_>) -> Result<Vec<Round>, Error> {
    let mut votes = OrderVotes::default();
    let mut cards = Vec::new();
    for card in Cards::new(&mut *reading.file.open()?) {
        let card = card?;
        match card.said {
            // Such as "Created Gemini Canvas titled ...".
            Some(said) if said.answered.is_empty() && !said.is_prompt => reading.leave(PROGRAM),
            Some(said) => {
                cards.push((card.line, said));
            }
            None if product(&card.text).is_some_and(|name| is_name_of_gemini(&name)) => {
                let reason = "its time is in no form that is known; export it as JSON".to_owned();
                let fault = JsonFault::Other {
                    field: "time".to_owned(),
                    reason,
                };
                reading.refuse(card.line, &fault, card.text.into_bytes())?;
            }
            None => reading.leave(PROGRAM),
        }
    }
    // The newest stands first, and votes count what goes on in time.
    for (_, said) in cards.iter().rev() {
        said.time
            .numbers()
            .into_iter()
            .for_each(|numbers| votes.count(numbers));
    }
    let order = votes.order(reading.options.date_order)?;
    let mut rounds = Vec::with_capacity(cards.len());
    for (
        line,
        Said {
            asked,
            sent,
            time,
            answered,
            chat,
            ..
        },
    ) in cards
    {
        let Some(at) = time.moment(order, &reading.zone) else {
            let fault = JsonFault::Other {
                field: "time".to_owned(),
                reason: "there is no such time".to_owned(),
            };
            reading.refuse(line, &fault, asked.into_bytes())?;
            continue;
        };
        rounds.push(Round {
            at,
            asked,
            answered,
            sent,
            chat,
        });
    }
    Ok(rounds)
}

/// The words of a prompt behind the note that they are one, in any language; whether they are.
fn behind_note(line: &str) -> (&str, bool) {
    /// The longest such note.
    const NOTE_CHARS: usize = 40;
    const BLANKS: [&str; 4] = [" ", "&nbsp;", "&#160;", "\u{a0}"];
    let english = line.strip_prefix(PROMPTED.trim_end());
    if let Some(words) =
        english.and_then(|rest| BLANKS.iter().find_map(|blank| rest.strip_prefix(blank)))
    {
        return (words, true);
    }
    // In other languages no plain blank parts the note from the words.
    let parted = BLANKS
        .iter()
        .skip(1)
        .filter_map(|blank| line.split_once(blank));
    let parted = parted.min_by_key(|(note, _)| note.len());
    match parted.filter(|(note, _)| html::words(note).chars().count() <= NOTE_CHARS) {
        Some((_, words)) => (words, false),
        None => (line, false),
    }
}

/// The product of a card.
fn product(card: &str) -> Option<String> {
    let (_, behind) = card.split_once("mdl-typography--title")?;
    let (_, inner) = behind.split_once('>')?;
    let (name, _) = inner.split_once("</p")?;
    Some(html::words(name))
}

impl Said {
    /// What a card tells; nothing where it has no time.
    fn of_card(card: &str) -> Option<Self> {
        let product = product(card)?;
        if !is_name_of_gemini(&product) {
            return None;
        }
        let (_, behind) = card.split_once("mdl-typography--body-1")?;
        let (_, body) = behind.split_once('>')?;
        let (body, details) = body
            .split_once("<div class=\"content-cell")
            .unwrap_or((body, ""));
        let (mut asked, mut rest) = (Vec::new(), body);
        loop {
            let (line, behind) = split_at_break(rest);
            let (plain, marked) = line.split_at(line.find('<').unwrap_or(line.len()));
            if let Some(time) = SpokenTime::parse(&html::plain(plain)) {
                let from = line.len() - marked.len();
                let answer = rest.get(from..).unwrap_or_default();
                let (words, sent) = without_files(&asked);
                let (first, is_prompt) =
                    words.first().map_or(("", false), |line| behind_note(line));
                let words = std::iter::once(first)
                    .chain(words.iter().skip(1).copied())
                    .map(html::words);
                let asked = words.collect::<Vec<_>>().join("\n").trim().to_owned();
                let answered = html::words(answer);
                return Some(Self {
                    asked,
                    is_prompt,
                    sent,
                    time,
                    answered,
                    chat: chat(details),
                });
            }
            asked.push(line);
            rest = behind?;
        }
    }
}

/// A line of HTML up to its break, and what stands behind that.
fn split_at_break(html: &str) -> (&str, Option<&str>) {
    let at = memmem::find(html.as_bytes(), b"<br");
    match at.and_then(|at| Some((at, html.get(at..)?.find('>')?))) {
        Some((at, length)) => (
            html.get(..at).unwrap_or_default(),
            html.get(at + length + 1..),
        ),
        None => (html, None),
    }
}

/// The lines of a prompt, and the files behind them: `Attached 1 file.`, `- <a href="x">x</a>`.
fn without_files<'l, 'h>(lines: &'l [&'h str]) -> (&'l [&'h str], Vec<String>) {
    let is_file = |line: &&&str| {
        let plain = html::plain(line);
        plain
            .trim_start()
            .strip_prefix('-')
            .is_some_and(|link| link.trim_start().starts_with("<a "))
    };
    let count = lines.iter().rev().take_while(is_file).count();
    let (words, files) = lines.split_at(lines.len() - count);
    let sent = files
        .iter()
        .map(|line| html::words(line).trim_start_matches('-').trim().to_owned())
        .collect();
    // The line before them says how many they are.
    let words = match words {
        [before @ .., _] if count > 0 && !before.is_empty() => before,
        _ => words,
    };
    (words, sent)
}

/// The conversation of a card, by its address.
fn chat(details: &str) -> Option<String> {
    let (_, behind) = details.split_once("gemini.google.com/app/")?;
    let end = behind
        .find(|c: char| !c.is_ascii_alphanumeric())
        .unwrap_or(behind.len());
    behind
        .get(..end)
        .filter(|id| !id.is_empty())
        .map(str::to_owned)
}

/// The cards of a page.
struct Cards<'a> {
    input: &'a mut dyn BufRead,
    read: Vec<u8>,
    /// The line of what was read first.
    line: u64,
    ended: bool,
}

impl<'a> Cards<'a> {
    fn new(input: &'a mut dyn BufRead) -> Self {
        Self {
            input,
            read: Vec::new(),
            line: 1,
            ended: false,
        }
    }

    /// Takes so many bytes of what was read.
    fn take(&mut self, count: usize) -> Vec<u8> {
        let rest = self.read.split_off(count.min(self.read.len()));
        let taken = std::mem::replace(&mut self.read, rest);
        self.line += u64::try_from(memchr::memchr_iter(b'\n', &taken).count()).unwrap_or(0);
        taken
    }

    fn next_card(&mut self) -> Result<Option<Card>, Error> {
        let mut searched = 0;
        loop {
            // A card begins what was read, but for the head of the page.
            let behind = self.read.get(searched..).unwrap_or_default();
            if let Some(at) = memmem::find(behind, CARD.as_bytes()).map(|at| at + searched) {
                let begins = self.read.starts_with(CARD.as_bytes());
                if at > 0 {
                    let line = self.line;
                    let taken = self.take(at);
                    if begins {
                        return Ok(Some(Card::new(line, &taken)));
                    }
                }
                searched = CARD.len();
                continue;
            }
            if self.ended {
                let (line, begins) = (self.line, self.read.starts_with(CARD.as_bytes()));
                let rest = std::mem::take(&mut self.read);
                return Ok(begins.then(|| Card::new(line, &rest)));
            }
            if self.read.len() > CARD_BYTES {
                let reason = format!("a card of the page has more than {} MiB", CARD_BYTES >> 20);
                return Err(Error::bad_line(self.line, reason));
            }
            // The mark of a card may lie over two chunks.
            searched = self.read.len().saturating_sub(CARD.len()).max(searched);
            let part = self.input.fill_buf().map_err(unreadable)?;
            let length = part.len();
            self.ended = length == 0;
            self.read.extend_from_slice(part);
            self.input.consume(length);
        }
    }
}

impl Card {
    fn new(line: u64, bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let said = Said::of_card(&text);
        Self { line, text, said }
    }
}

impl Iterator for Cards<'_> {
    type Item = Result<Card, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_card().transpose()
    }
}
