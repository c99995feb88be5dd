//! Files that mirror memories.

use serde::{Deserialize, Serialize};

use super::BadProfile;
use super::check::below;
use super::language::Wording;

/// Files that mirror memories, for people and for programs that read Markdown.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MirrorSettings {
    /// The folder of the files unless the caller names another; `~/` is the home folder, `{name}`
    /// the namespace.
    pub home: Option<String>,
    /// The files.
    pub files: Vec<MirrorFile>,
    /// The path below the folder of a JSON list of memories that an earlier store left: what is in
    /// it is taken over once. It is never written.
    pub earlier: Option<String>,
}

/// A file that mirrors memories, or a folder of them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MirrorFile {
    /// Its path below the folder; `{name}` is the namespace, `{session}` and `{date}` make a file
    /// for each. A file mirrors one namespace: where several share the folder, the path needs a
    /// `{name}`.
    pub path: String,
    /// Its content.
    pub format: MirrorFormat,
    /// Whether edits in it come back.
    pub direction: MirrorDirection,
    /// Whether the file as it was is kept as `.bak` before it is replaced.
    pub backup: bool,
    /// `lines`: the title.
    pub title: Wording,
    /// `lines`: the sections, in the order in which they fill the file.
    pub sections: Vec<MirrorSection>,
    /// `lines`: the most characters of the file.
    pub max_chars: u32,
}

/// A section of a file of lines.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MirrorSection {
    /// The kind of its memories.
    pub kind: String,
    /// Its heading.
    pub heading: Wording,
    /// The classes of its memories; any when empty. Memories that a person wrote into the section
    /// get the first.
    pub classes: Vec<String>,
}

/// The content of a mirror.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MirrorFormat {
    /// Every memory with score, date and hits, in a section of active and one of archived ones.
    #[default]
    Entries,
    /// A title and sections of lines, one section a kind.
    Lines,
    /// The turns of a session, a line of JSON each.
    Turns,
    /// The memories of a day.
    Daily,
}

/// Which way a mirror works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MirrorDirection {
    /// The file is written only.
    #[default]
    Out,
    /// Edits of a person come back.
    Both,
}

impl MirrorSettings {
    pub(super) fn check(&self) -> Result<(), BadProfile> {
        self.earlier
            .iter()
            .try_for_each(|path| below("mirrors.earlier", path))?;
        for (at, file) in self.files.iter().enumerate() {
            let wrong = |key: &str, reason: String| {
                Err(BadProfile::new(format!("mirrors.files.{at}.{key}"), reason))
            };
            below(&format!("mirrors.files.{at}.path"), &file.path)?;
            let needs = match file.format {
                MirrorFormat::Turns => Some("{session}"),
                MirrorFormat::Daily => Some("{date}"),
                MirrorFormat::Entries | MirrorFormat::Lines => None,
            };
            if let Some(part) = needs.filter(|part| !file.path.contains(part)) {
                return wrong("path", format!("{:?} has no place for {part}", file.path));
            }
            if needs.is_some() && file.direction == MirrorDirection::Both {
                return wrong("direction", "this format is written only".to_owned());
            }
            if file.format == MirrorFormat::Lines
                && (file.sections.is_empty() || file.max_chars == 0)
            {
                return wrong("sections", "lines need sections and max_chars".to_owned());
            }
        }
        Ok(())
    }
}
