//! Notes: Markdown with front matter, observations and links, as basic-memory and Obsidian write
//! it; and plain text, of which each paragraph becomes a memory.

use std::collections::HashMap;

use annals_engine::Error;
use annals_types::{Metadata, Timestamp};

use super::front_matter::{self, FrontMatter};
use super::outline::{Outline, is_meant_as_json};
use super::reading::{Fact, Reading, label, statement};
use super::text::TextLines;

/// A section is a memory by itself up to so many bytes; longer ones become their paragraphs.
const SECTION_BYTES: usize = 1500;
/// No such section has more lines.
const SECTION_LINES: usize = 1500;

pub(super) fn tells(outline: &Outline) -> bool {
    matches!(outline, Outline::Text(text) if !is_meant_as_json(text))
}

pub(super) fn read(reading: &mut Reading<'_>) -> Result<(), Error> {
    let mut input = reading.file.open()?;
    let mut lines = TextLines::new(&mut *input);
    let mut first = Vec::new();
    let mut next = lines.next()?;
    if let Some(line) = &mut next {
        *line = line.trim_start_matches('\u{feff}').to_owned();
    }
    // What is meant to be front matter and has no end is text.
    if next.as_deref().map(str::trim_end) == Some("---") {
        while first.len() < front_matter::MOST_LINES {
            match lines.next()? {
                Some(line) if line.trim_end() == "---" => {
                    let matter = FrontMatter::parse(&first);
                    return note(reading, &matter, &mut lines, Vec::new());
                }
                Some(line) => first.push(line),
                None => break,
            }
        }
    }
    let begun = next.into_iter().chain(first).collect();
    note(reading, &FrontMatter::default(), &mut lines, begun)
}

/// What is known of a note before its words are read.
struct Note {
    /// Its title, where it has one: what its parts speak of.
    title: Option<String>,
    /// By what its sections are known again.
    place: String,
    time: Option<Timestamp>,
    tags: Vec<String>,
    metadata: Metadata,
}

impl Note {
    fn fact(&self, words: &str) -> Fact {
        let mut fact = Fact::new(words);
        fact.time = self.time;
        fact.tags.clone_from(&self.tags);
        fact.metadata = self.metadata.clone();
        fact
    }

    /// Words of a part, which name what they speak of.
    fn about(&self, words: &str) -> String {
        match &self.title {
            Some(title) if !words.to_lowercase().contains(&title.to_lowercase()) => {
                format!("{title}: {words}")
            }
            _ => words.to_owned(),
        }
    }
}

fn note(
    reading: &mut Reading<'_>,
    matter: &FrontMatter,
    lines: &mut TextLines<'_>,
    begun: Vec<String>,
) -> Result<(), Error> {
    if matter.is_export() {
        return super::markdown_export::read(reading, matter, lines);
    }
    let stem = reading.file.stem();
    let dates = ["created", "date", "created_at", "updated", "modified"];
    let told = dates
        .iter()
        .find_map(|name| reading.zone.read(matter.text(name)?));
    let daily = || stem.get(..10).and_then(|date| reading.zone.read(date));
    let mut note = Note {
        title: matter
            .text("title")
            .map(label)
            .filter(|title| !title.is_empty()),
        place: matter
            .text("permalink")
            .map_or_else(|| relative(reading), str::to_owned),
        time: told.or_else(daily).or_else(|| reading.file.written_at()),
        tags: ["tags", "tag"]
            .iter()
            .flat_map(|name| matter.list(name))
            .collect(),
        metadata: Metadata::new(),
    };
    note.metadata
        .insert("note".to_owned(), label(&stem).as_str().into());
    for name in ["type", "permalink", "status", "source", "url"] {
        if let Some(value) = matter.text(name) {
            note.metadata.insert(name.to_owned(), value.into());
        }
    }
    let mut body = Body {
        reading,
        note,
        section: Vec::new(),
        heading: String::new(),
        headings: HashMap::new(),
        in_code: false,
        is_markdown: !matter.is_empty(),
    };
    for line in begun {
        body.line(line)?;
    }
    while let Some(line) = lines.next()? {
        body.line(line)?;
    }
    body.end_section()
}

/// The path of a file from the folder that was named.
fn relative(reading: &Reading<'_>) -> String {
    let path = reading.file.path();
    let path = reading
        .file
        .root()
        .and_then(|root| path.strip_prefix(root).ok())
        .unwrap_or(path);
    path.to_string_lossy().replace('\\', "/")
}

/// The words of a note, as they are read.
struct Body<'r, 'a> {
    reading: &'r mut Reading<'a>,
    note: Note,
    /// The lines below the last heading.
    section: Vec<String>,
    heading: String,
    /// How often each heading came: sections are known by theirs.
    headings: HashMap<String, usize>,
    in_code: bool,
    is_markdown: bool,
}

impl Body<'_, '_> {
    fn line(&mut self, line: String) -> Result<(), Error> {
        let plain = line.trim();
        if plain.starts_with("```") || plain.starts_with("~~~") {
            self.in_code = !self.in_code;
        }
        if self.in_code {
            self.section.push(line);
            return Ok(());
        }
        if let Some((level, heading)) = heading(plain) {
            self.end_section()?;
            self.is_markdown = true;
            // The first heading of a note without a title is its title.
            if level == 1 && self.note.title.is_none() {
                self.note.title = Some(label(heading));
                self.heading = String::new();
            } else {
                self.heading = label(heading);
            }
            return Ok(());
        }
        if let Some(item) = plain
            .strip_prefix("- ")
            .or_else(|| plain.strip_prefix("* "))
        {
            if let Some(observed) = Observation::parse(item) {
                return self.observation(&observed);
            }
            if let Some((relation, target)) =
                relation(item).filter(|_| self.note.title.is_some() || self.is_markdown)
            {
                return self.relation(&relation, &target);
            }
        }
        // A text without headings is no section that would have to be known whole.
        let ends = plain.is_empty() && (!self.is_markdown || self.section.len() > SECTION_LINES);
        self.section.push(line);
        if ends { self.end_section() } else { Ok(()) }
    }

    fn title(&self) -> String {
        self.note
            .title
            .clone()
            .unwrap_or_else(|| label(&self.reading.file.stem()))
    }

    fn observation(&mut self, observed: &Observation) -> Result<(), Error> {
        let mut fact = self
            .note
            .fact(&format!("{}: {}", self.title(), observed.words));
        fact.tags.extend(observed.tags.iter().cloned());
        fact.field("category", Some(&observed.category));
        fact.field("context", observed.context.as_deref());
        self.reading.memory(fact)
    }

    fn relation(&mut self, relation: &str, target: &str) -> Result<(), Error> {
        let title = self.title();
        let mut fact = self
            .note
            .fact(&format!("{title} {} {target}", relation.replace('_', " ")));
        fact.said.extend(statement(&title, relation, target));
        self.reading.memory(fact)
    }

    fn end_section(&mut self) -> Result<(), Error> {
        let lines = std::mem::take(&mut self.section);
        let whole = lines.join("\n");
        let whole = without_comments(&whole);
        if whole.trim().is_empty() {
            return Ok(());
        }
        if whole.trim().len() <= SECTION_BYTES && self.is_markdown {
            let id = self.section_id();
            return self.part(whole.trim(), id);
        }
        for paragraph in paragraphs(&whole) {
            self.part(paragraph, None)?;
        }
        Ok(())
    }

    /// By what the section is known when it comes again; the words themselves where it has no
    /// heading.
    fn section_id(&mut self) -> Option<String> {
        if self.heading.is_empty() {
            return None;
        }
        let times = self.headings.entry(self.heading.clone()).or_default();
        *times += 1;
        let number = if *times == 1 {
            String::new()
        } else {
            format!("#{times}")
        };
        Some(format!("{}#{}{number}", self.note.place, self.heading))
    }

    fn part(&mut self, words: &str, id: Option<String>) -> Result<(), Error> {
        let Shown { text, links, tags } = shown(words);
        if text.trim().is_empty() {
            return Ok(());
        }
        let text = if self.heading.is_empty() || text.contains(&self.heading) {
            text
        } else {
            format!("{}: {text}", self.heading)
        };
        let text = if self.is_markdown {
            self.note.about(&text)
        } else {
            text
        };
        let title = self.title();
        let mut fact = self.note.fact(&text);
        fact.id = id;
        fact.kind = Some("note".to_owned());
        fact.tags.extend(tags);
        fact.said.extend(
            links
                .iter()
                .filter_map(|link| statement(&title, "links_to", link)),
        );
        self.reading.memory(fact)
    }
}

/// The level and the words of a heading.
fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.chars().take_while(|c| *c == '#').count();
    let words = line
        .get(level..)?
        .strip_prefix(' ')?
        .trim()
        .trim_end_matches('#')
        .trim();
    ((1..=6).contains(&level) && !words.is_empty()).then_some((level, words))
}

/// `[category] text #tag (context)`.
struct Observation {
    category: String,
    words: String,
    tags: Vec<String>,
    context: Option<String>,
}

impl Observation {
    fn parse(item: &str) -> Option<Self> {
        let (category, rest) = item.strip_prefix('[')?.split_once(']')?;
        // A task is none, and neither are links and footnotes.
        let is_task = category.trim().chars().count() <= 1;
        if is_task || category.contains('[') || category.starts_with('^') || !rest.starts_with(' ')
        {
            return None;
        }
        let rest = rest.trim();
        let (rest, context) = match rest
            .strip_suffix(')')
            .and_then(|inner| inner.rsplit_once(" ("))
        {
            Some((words, context)) => (words, Some(context.to_owned())),
            None => (rest, None),
        };
        let Shown { text, tags, .. } = shown(rest);
        let words = tags
            .iter()
            .fold(text, |words, tag| words.replace(&format!(" #{tag}"), ""));
        Some(Self {
            category: category.trim().to_owned(),
            words: words.trim().to_owned(),
            tags,
            context,
        })
    }
}

/// `relation [[Target]]`, `"a relation" [[Target]] (context)`, `[[Target]]`.
fn relation(item: &str) -> Option<(String, String)> {
    let (before, rest) = item.split_once("[[")?;
    let (target, behind) = rest.split_once("]]")?;
    let behind = behind.trim();
    let is_over = behind.is_empty() || behind.starts_with('(') && behind.ends_with(')');
    let name = before.trim().trim_matches('"').trim();
    // A sentence with a link is no relation.
    if !is_over
        || name.split_whitespace().count() > 4
        || name.ends_with([':', '.', ','])
        || name.ends_with('!')
    {
        return None;
    }
    let name = if name.is_empty() { "links_to" } else { name };
    Some((name.to_owned(), target_of(target)))
}

/// The note that a link leads to: `Note|shown`, `Note#Heading`.
fn target_of(link: &str) -> String {
    let link = link.split_once('|').map_or(link, |(target, _)| target);
    label(link.split_once('#').map_or(link, |(target, _)| target))
}

/// A text as it is shown, and what it links to.
struct Shown {
    text: String,
    links: Vec<String>,
    tags: Vec<String>,
}

fn shown(words: &str) -> Shown {
    let (mut text, mut links) = (String::with_capacity(words.len()), Vec::new());
    let mut rest = words;
    while let Some((before, link)) = rest.split_once("[[") {
        let Some((target, behind)) = link
            .split_once("]]")
            .filter(|(target, _)| !target.contains('\n'))
        else {
            break;
        };
        let is_embedded = before.ends_with('!');
        text.push_str(
            before
                .strip_suffix('!')
                .filter(|_| is_embedded)
                .unwrap_or(before),
        );
        let name = target_of(target);
        if !is_embedded {
            text.push_str(target.split_once('|').map_or(target, |(_, shown)| shown));
        }
        if !name.is_empty() {
            links.push(name);
        }
        rest = behind;
    }
    text.push_str(rest);
    links.sort();
    links.dedup();
    let lines: Vec<&str> = text.lines().map(without_block_id).collect();
    let text = lines.join("\n").replace("==", "");
    let tags = text.split_whitespace().filter_map(tag).collect();
    Shown { text, links, tags }
}

/// A word as a tag: `#energy`, `#house/roof`; none for `#1` and `##`.
fn tag(word: &str) -> Option<String> {
    let name = word
        .strip_prefix('#')?
        .trim_end_matches([',', '.', ';', ':', ')', '!', '?']);
    let allowed = name
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '/' | '-' | '_'));
    (allowed && name.chars().any(char::is_alphabetic)).then(|| name.to_owned())
}

/// A line without the mark `^id` at its end, by which others link to it.
fn without_block_id(line: &str) -> &str {
    let is_id =
        |id: &str| !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    line.rsplit_once(" ^")
        .filter(|(_, id)| is_id(id))
        .map_or(line, |(words, _)| words)
}

/// A text without `%% what is not shown %%`.
fn without_comments(text: &str) -> String {
    let parts: Vec<&str> = text.split("%%").collect();
    // The last mark has no other one.
    if parts.len().is_multiple_of(2) {
        return text.to_owned();
    }
    parts.into_iter().step_by(2).collect()
}

/// The paragraphs of a text; blank lines within code part nothing.
fn paragraphs(text: &str) -> Vec<&str> {
    let (mut found, mut begin, mut end, mut in_code) = (Vec::new(), None, 0, false);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let plain = line.trim();
        in_code ^= plain.starts_with("```") || plain.starts_with("~~~");
        if plain.is_empty() && !in_code {
            found.extend(begin.take().and_then(|begin: usize| text.get(begin..end)));
        } else {
            begin.get_or_insert(at);
            end = at + line.len();
        }
        at += line.len();
    }
    found.extend(begin.and_then(|begin| text.get(begin..end)));
    found
        .into_iter()
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect()
}
