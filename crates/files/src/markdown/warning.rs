use std::fmt;

/// Something in a file that is not as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The number of the line, from 1 on.
    pub line: usize,
    /// The kind of the deviation.
    pub kind: WarningKind,
}

/// The deviations that a file can have from the written form.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WarningKind {
    /// No entry can be read here; the text is set aside. With the reason.
    Broken(&'static str),
    /// Text that belongs to no entry; it is set aside.
    Stray,
    /// A heading that says something else than Active or Archived; what is below it is read all the
    /// same.
    UnknownSection,
    /// A heading that is none of the file's; what is below it is read all the same, as of the kind
    /// named.
    NoSection(String),
    /// An entry without a text.
    NoContent,
    /// A category that is not in the list; it is kept.
    UnknownCategory(String),
    /// A score outside 0 to 1; the nearest end was taken.
    ScoreOutOfRange,
    /// An entry that a person wrote: what was missing got defaults.
    Incomplete,
    /// An id that stands further up already: the second entry got a new one.
    DuplicateId(String),
    /// The same entry twice: the second was left out.
    Repeated(String),
    /// An entry in a section that its score does not belong to. The score decides.
    WrongSection(String),
    /// The comment below an entry holds something that cannot be read.
    BadComment,
    /// More fields in a heading than there are.
    ExtraFields,
    /// The file holds no entry, and its backup was read instead.
    FromBackup,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match &self.kind {
            WarningKind::Broken(reason) => write!(
                f,
                "no entry can be read here ({reason}); the text is set aside"
            ),
            WarningKind::Stray => f.write_str("this text belongs to no entry; it is set aside"),
            WarningKind::UnknownSection => {
                f.write_str("this heading is neither Active nor Archived Memories")
            }
            WarningKind::NoSection(kind) => {
                write!(
                    f,
                    "this is no heading of the file; what is below it is of the kind {kind}"
                )
            }
            WarningKind::NoContent => f.write_str("the entry has no text; it is set aside"),
            WarningKind::UnknownCategory(name) => {
                write!(f, "the category {name:?} is not in the list; it is kept")
            }
            WarningKind::ScoreOutOfRange => {
                f.write_str("the score is not between 0 and 1; the nearest end is taken")
            }
            WarningKind::Incomplete => {
                f.write_str("the heading is not complete; defaults are taken")
            }
            WarningKind::DuplicateId(id) => write!(
                f,
                "the id {id} stands further up already; this one gets a new id"
            ),
            WarningKind::Repeated(id) => write!(
                f,
                "the entry {id} stands further up already; it is read once"
            ),
            WarningKind::WrongSection(id) => {
                write!(
                    f,
                    "the entry {id} is in the other section than its score says; the score decides"
                )
            }
            WarningKind::BadComment => {
                f.write_str("the comment cannot be read in full; what is missing is left open")
            }
            WarningKind::ExtraFields => {
                f.write_str("the heading has more fields than four; the rest is left out")
            }
            WarningKind::FromBackup => f.write_str("the file holds no entry; its backup is read"),
        }
    }
}
