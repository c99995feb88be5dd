use std::collections::HashMap;

use annals_types::Timestamp;

use super::comment::{self, Comment};
use super::escape::unescape;
use super::header::{self, Header, midnight, rounded};
use super::id::short_id;
use super::{Entry, Format, Section, Warning, WarningKind};
use annals_language::one_line;

/// A file as it was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct File {
    /// The entries in the order of the file.
    pub entries: Vec<Read>,
    /// Text that could not be read as an entry, in the order of the file.
    pub rejected: Vec<Rejected>,
    /// Deviations from the written form, in the order of the file.
    pub warnings: Vec<Warning>,
    /// Whether there is a text but not one entry and not the title: raw text from before
    /// `MEMORY.md` had entries.
    pub legacy: bool,
}

/// An entry and where it stood.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// The entry.
    pub entry: Entry,
    /// Whether a person wrote it without an id; the one it has is new.
    pub fresh: bool,
    /// Whether it says of which category it is; otherwise it has the one of the format.
    pub categorised: bool,
    /// The section that it stood in; `None` outside both.
    pub section: Option<Section>,
    /// The number of its first line, from 1 on.
    pub line: usize,
}

/// A text that is no entry, verbatim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    /// The number of its first line, from 1 on.
    pub line: usize,
    /// Its lines.
    pub text: String,
}

impl File {
    /// The entries alone.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        self.entries.iter().map(|read| read.entry.clone()).collect()
    }
}

/// Reads a file. Never fails: an empty text is an empty file, and what cannot be read is set aside.
///
/// `now` dates entries that a person wrote without a date; `random` gives the bits of ids that are
/// missing.
#[must_use]
pub fn read(text: &str, now: Timestamp, format: &Format, random: &mut dyn FnMut() -> u128) -> File {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut reader = Reader {
        now,
        format,
        random,
        file: File::default(),
        ids: HashMap::new(),
        section: None,
    };
    let mut titled = false;
    let mut block: Option<Block<'_>> = None;
    for (at, line) in text.lines().enumerate() {
        let (number, trimmed) = (at + 1, line.trim());
        let starts = starts(trimmed, block.as_ref(), format);
        if starts != Starts::Nothing
            && let Some(done) = block.take()
        {
            reader.finish(&done);
        }
        match starts {
            Starts::Title => titled = true,
            Starts::Section => reader.enter(number, line),
            Starts::Entry | Starts::Bullet | Starts::Stray => {
                block = Some(Block {
                    start: number,
                    kind: starts,
                    lines: vec![line],
                    blank: false,
                });
            }
            Starts::Nothing => {
                if let Some(block) = &mut block {
                    block.blank |= trimmed.is_empty();
                    block.lines.push(line);
                }
            }
        }
    }
    if let Some(done) = block {
        reader.finish(&done);
    }
    let mut file = reader.file;
    file.legacy = !titled && file.entries.is_empty() && !text.trim().is_empty();
    file
}

/// Whether a text is a file of entries: its title comes first, and one of its two sections later.
#[must_use]
pub fn is_file(text: &str, format: &Format) -> bool {
    let mut lines = text
        .strip_prefix('\u{FEFF}')
        .unwrap_or(text)
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty());
    let titled = lines
        .next()
        .is_some_and(|line| starts(line, None, format) == Starts::Title);
    titled
        && lines.any(|line| {
            starts(line, None, format) == Starts::Section
                && format.section_of_heading(line).is_some()
        })
}

/// Reads a file, or its backup when the file is missing or holds no entry while the backup does.
#[must_use]
pub fn read_with_backup(
    text: Option<&str>,
    backup: Option<&str>,
    now: Timestamp,
    format: &Format,
    random: &mut dyn FnMut() -> u128,
) -> File {
    let file = text
        .map(|text| read(text, now, format, random))
        .unwrap_or_default();
    if !file.entries.is_empty() {
        return file;
    }
    let mut from_backup = backup
        .map(|text| read(text, now, format, random))
        .unwrap_or_default();
    if from_backup.entries.is_empty() {
        return file;
    }
    from_backup.warnings.insert(
        0,
        Warning {
            line: 1,
            kind: WarningKind::FromBackup,
        },
    );
    // Text that only the file itself holds is the user's, too.
    from_backup.rejected.extend(file.rejected);
    from_backup
}

/// The part that a line begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Starts {
    Title,
    Section,
    /// `### ...`
    Entry,
    /// `- text` that stands alone.
    Bullet,
    Stray,
    /// It goes on with what is there, or is nothing.
    Nothing,
}

struct Block<'a> {
    start: usize,
    kind: Starts,
    lines: Vec<&'a str>,
    /// Whether an empty line came already.
    blank: bool,
}

impl Block<'_> {
    fn has_content(&self) -> bool {
        let content = |line: &&str| !line.trim().is_empty() && !comment::is_comment(line.trim());
        self.kind != Starts::Entry || self.lines.iter().skip(1).any(content)
    }
}

fn starts(line: &str, block: Option<&Block<'_>>, format: &Format) -> Starts {
    if line.starts_with("###") {
        return Starts::Entry;
    }
    if line.starts_with("##") {
        return Starts::Section;
    }
    if line
        .strip_prefix('#')
        .is_some_and(|title| format.is_title(title.trim()))
    {
        return Starts::Title;
    }
    let bullet = line.starts_with("- ") || line.starts_with("* ");
    match block {
        // Below an entry's text, a list after an empty line is the user's own; right below it, it
        // is the text.
        Some(block)
            if bullet && block.has_content() && (block.blank || block.kind == Starts::Bullet) =>
        {
            Starts::Bullet
        }
        Some(_) => Starts::Nothing,
        None if line.is_empty() || comment::is_comment(line) => Starts::Nothing,
        None if bullet => Starts::Bullet,
        None => Starts::Stray,
    }
}

struct Reader<'a> {
    now: Timestamp,
    format: &'a Format,
    random: &'a mut dyn FnMut() -> u128,
    file: File,
    /// The ids of entries, with their places.
    ids: HashMap<String, usize>,
    section: Option<Section>,
}

impl Reader<'_> {
    fn warn(&mut self, line: usize, kind: WarningKind) {
        self.file.warnings.push(Warning { line, kind });
    }

    fn enter(&mut self, number: usize, line: &str) {
        self.section = self.format.section_of_heading(line.trim());
        // The title of what was set aside earlier is not the user's.
        if self.section.is_none() {
            self.warn(number, WarningKind::UnknownSection);
            self.file.rejected.push(Rejected {
                line: number,
                text: line.to_owned(),
            });
        }
    }

    fn reject(&mut self, block: &Block<'_>, kind: WarningKind) {
        let text = block.lines.join("\n").trim_end().to_owned();
        self.warn(block.start, kind);
        self.file.rejected.push(Rejected {
            line: block.start,
            text,
        });
    }

    fn finish(&mut self, block: &Block<'_>) {
        match block.kind {
            Starts::Entry => self.entry(block),
            Starts::Bullet => self.bullet(block),
            _ => self.reject(block, WarningKind::Stray),
        }
    }

    fn entry(&mut self, block: &Block<'_>) {
        let mut warnings = Vec::new();
        let first = block.lines.first().copied().unwrap_or_default();
        let header = match header::read(first.trim(), self.format, &mut warnings) {
            Ok(header) => header,
            Err(reason) => return self.reject(block, WarningKind::Broken(reason)),
        };
        let mut comment = Comment::default();
        let mut content: Vec<&str> = Vec::new();
        for line in block
            .lines
            .iter()
            .skip(1)
            .map(|line| line.trim())
            .filter(|line| !line.is_empty())
        {
            if comment::is_comment(line) {
                let (read, clean) = comment::read(line);
                comment = read;
                if !clean {
                    warnings.push(WarningKind::BadComment);
                }
            } else {
                content.push(if content.is_empty() {
                    unescape(line)
                } else {
                    line
                });
            }
        }
        let content = one_line(&content.join(" "));
        if content.is_empty() {
            return self.reject(block, WarningKind::NoContent);
        }
        self.add(block.start, &header, comment, content, warnings);
    }

    fn bullet(&mut self, block: &Block<'_>) {
        let lines: Vec<&str> = block.lines.iter().map(|line| line.trim()).collect();
        let text = one_line(&lines.join(" "));
        let content = text.get(1..).unwrap_or_default().trim().to_owned();
        if content.is_empty() {
            return self.reject(block, WarningKind::NoContent);
        }
        self.add(
            block.start,
            &Header::default(),
            Comment::default(),
            content,
            vec![WarningKind::Incomplete],
        );
    }

    fn add(
        &mut self,
        line: usize,
        header: &Header,
        comment: Comment,
        content: String,
        warnings: Vec<WarningKind>,
    ) {
        for kind in warnings {
            self.warn(line, kind);
        }
        let category = header
            .category
            .as_ref()
            .unwrap_or(&self.format.default_category);
        let repeated = |Read { entry, .. }: &Read| {
            (&entry.content, &entry.category) == (&content, category)
                && (&entry.group, entry.expires_at)
                    == (
                        comment.group.as_ref().unwrap_or(&String::new()),
                        comment.expires,
                    )
        };
        let of_id = header
            .id
            .as_ref()
            .and_then(|id| self.file.entries.get(*self.ids.get(id)?));
        if of_id.is_some_and(repeated) {
            return self.warn(
                line,
                WarningKind::Repeated(header.id.clone().unwrap_or_default()),
            );
        }
        let (id, fresh) = match &header.id {
            Some(id) if !self.ids.contains_key(id) => (id.clone(), false),
            Some(id) => {
                self.warn(line, WarningKind::DuplicateId(id.clone()));
                (
                    short_id((self.random)(), |id| self.ids.contains_key(id)),
                    true,
                )
            }
            None => (
                short_id((self.random)(), |id| self.ids.contains_key(id)),
                true,
            ),
        };
        self.ids.insert(id.clone(), self.file.entries.len());
        let entry = self.complete(id, content, header, comment);
        if self
            .section
            .is_some_and(|section| section != self.format.section(entry.score))
        {
            self.warn(line, WarningKind::WrongSection(entry.id.clone()));
        }
        let categorised = header.category.is_some();
        self.file.entries.push(Read {
            entry,
            fresh,
            categorised,
            section: self.section,
            line,
        });
    }

    /// The comment is exact where it says the same as the heading; where a person edited the
    /// heading, the heading counts.
    fn complete(&self, id: String, content: String, header: &Header, comment: Comment) -> Entry {
        let same_score = |exact: &f64| {
            header
                .score
                .is_none_or(|score| rounded(*exact) == rounded(score))
        };
        let score = comment
            .score
            .filter(same_score)
            .or(header.score)
            .unwrap_or(self.format.default_score);
        // The writer of the moment may have been in another zone: the heading has the date of that
        // zone.
        let same_day = |t: &Timestamp| {
            let date = header.date.as_ref();
            date.is_none_or(|date| {
                comment.activated_on.as_ref() == Some(date) || self.format.zone.date(*t) == *date
            })
        };
        let day = header
            .date
            .as_ref()
            .and_then(|date| midnight(date, self.format));
        let last_activated = comment
            .activated
            .filter(same_day)
            .or(day)
            .unwrap_or(self.now);
        Entry {
            id,
            content,
            category: header
                .category
                .clone()
                .unwrap_or_else(|| self.format.default_category.clone()),
            score,
            created_at: comment
                .created
                .unwrap_or_else(|| day.unwrap_or(last_activated)),
            last_activated,
            activation_count: header.hits.unwrap_or(0),
            source_session: comment.session.unwrap_or_default(),
            group: comment.group.unwrap_or_default(),
            expires_at: comment.expires,
        }
    }
}
