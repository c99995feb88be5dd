use annals_language::Zone;
use annals_types::Timestamp;

/// One memory of a `MEMORY.md`.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// A short id: 1 to 36 letters, digits, `-` and `_`.
    pub id: String,
    /// Its text, one line.
    pub content: String,
    /// Its category, such as `preference`.
    pub category: String,
    /// Its score, 0 to 1.
    pub score: f64,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last of use.
    pub last_activated: Timestamp,
    /// How often it was of use.
    pub activation_count: u32,
    /// The session that it came from; empty when unknown.
    pub source_session: String,
    /// The group that it belongs to, such as `work`; empty for none.
    pub group: String,
    /// When it stops being shown, if ever.
    pub expires_at: Option<Timestamp>,
}

/// One of the two parts of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// Memories worth showing.
    Active,
    /// Memories that are kept for recall on demand.
    Archived,
}

/// The title of a file of entries and the headings of its two sections, in one language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Headings {
    /// The title.
    pub title: String,
    /// The heading of memories worth showing.
    pub active: String,
    /// The heading of archived memories.
    pub archived: String,
}

impl Default for Headings {
    fn default() -> Self {
        let [title, active, archived] =
            ["Agent Memory", "Active Memories", "Archived Memories"].map(str::to_owned);
        Self {
            title,
            active,
            archived,
        }
    }
}

impl Headings {
    /// The heading of a section.
    pub(super) fn of(&self, section: Section) -> &str {
        match section {
            Section::Active => &self.active,
            Section::Archived => &self.archived,
        }
    }

    /// The section of a heading, whatever its case, by all its words or the first.
    fn section(&self, words: &str) -> Option<Section> {
        [Section::Active, Section::Archived]
            .into_iter()
            .find(|section| {
                let full = self.of(*section);
                let first = full.split(' ').next().unwrap_or_default();
                words.eq_ignore_ascii_case(full) || words.eq_ignore_ascii_case(first)
            })
    }
}

/// The settings of reading and writing.
#[derive(Debug, Clone, PartialEq)]
pub struct Format {
    /// The zone of the dates.
    pub zone: Zone,
    /// The categories there are. Others are kept, with a warning.
    pub categories: Vec<String>,
    /// The category of an entry that a person wrote without one.
    pub default_category: String,
    /// The score of an entry that a person wrote without one.
    pub default_score: f64,
    /// Entries below this score are in the section of archived ones.
    pub archive_below: f64,
    /// The title and the headings that are written.
    pub headings: Headings,
    /// Those by which a file is known as well: of other languages.
    pub other_headings: Vec<Headings>,
}

impl Default for Format {
    /// The markdown profile in universal time: seven categories, 0.6 for what is written by hand,
    /// archived below 0.2.
    fn default() -> Self {
        let categories = [
            "preference",
            "fact",
            "experience",
            "workflow",
            "decision",
            "skill_usage",
            "todo",
        ];
        Self {
            zone: Zone::utc(),
            categories: categories.map(str::to_owned).to_vec(),
            default_category: "fact".to_owned(),
            default_score: 0.6,
            archive_below: 0.2,
            headings: Headings::default(),
            other_headings: Vec::new(),
        }
    }
}

impl Format {
    /// Scores closer to a threshold than this count as equal to it.
    const EPSILON: f64 = 1e-9;

    fn all_headings(&self) -> impl Iterator<Item = &Headings> {
        std::iter::once(&self.headings).chain(&self.other_headings)
    }

    /// The section of a line that is a heading, in any language.
    pub(super) fn section_of_heading(&self, line: &str) -> Option<Section> {
        let words = line.trim_start_matches('#').trim();
        self.all_headings()
            .find_map(|headings| headings.section(words))
    }

    /// Whether some words are the title of a file, in any language.
    pub(super) fn is_title(&self, words: &str) -> bool {
        self.all_headings()
            .any(|headings| words.eq_ignore_ascii_case(&headings.title))
    }

    /// Whether a text has the heading of archived entries, which is the last of a file.
    #[must_use]
    pub fn has_last_heading(&self, text: &str) -> bool {
        self.all_headings()
            .any(|headings| text.contains(&format!("## {}", headings.archived)))
    }

    /// The section in which an entry of this score belongs.
    #[must_use]
    pub fn section(&self, score: f64) -> Section {
        if score < self.archive_below - Self::EPSILON {
            Section::Archived
        } else {
            Section::Active
        }
    }
}
