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

impl Section {
    pub(super) const fn heading(self) -> &'static str {
        match self {
            Self::Active => "## Active Memories",
            Self::Archived => "## Archived Memories",
        }
    }

    /// The section of a heading, whatever its case.
    pub(super) fn of_heading(line: &str) -> Option<Self> {
        let words = line.trim_start_matches('#').trim();
        [Self::Active, Self::Archived].into_iter().find(|section| {
            let full = section.heading().trim_start_matches('#').trim();
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
}

impl Default for Format {
    /// The markdown profile in universal time: seven categories, 0.6 for what is written by hand, archived below 0.2.
    fn default() -> Self {
        let categories = ["preference", "fact", "experience", "workflow", "decision", "skill_usage", "todo"];
        Self {
            zone: Zone::utc(),
            categories: categories.map(str::to_owned).to_vec(),
            default_category: "fact".to_owned(),
            default_score: 0.6,
            archive_below: 0.2,
        }
    }
}

impl Format {
    /// Scores closer to a threshold than this count as equal to it.
    const EPSILON: f64 = 1e-9;

    /// The section in which an entry of this score belongs.
    #[must_use]
    pub fn section(&self, score: f64) -> Section {
        if score < self.archive_below - Self::EPSILON { Section::Archived } else { Section::Active }
    }
}
