//! The transcripts of the coding agents of a machine, and the projects that they are about.

use std::path::{Path, PathBuf};

use annals_engine::Error;
use serde_json::Value;

use super::file::ImportFile;
use super::outline::Outline;
use super::{FileFormat, FileKind, ReadOptions, own};

/// A transcript of a coding agent.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AgentTranscript {
    /// Its file.
    pub file: ImportFile,
    /// The format of its agent.
    pub format: FileFormat,
    /// The folder in which the agent worked, where that is told.
    pub folder: Option<PathBuf>,
}

/// Where agents keep their transcripts: a variable that names their folder, that folder below the
/// home of the user, and the folder of the transcripts in it.
const PLACES: [(&str, &str, &str); 6] = [
    ("CLAUDE_CONFIG_DIR", ".claude", "projects"),
    ("CODEX_HOME", ".codex", "sessions"),
    ("CODEX_HOME", ".codex", "archived_sessions"),
    ("", ".gemini", "tmp"),
    ("", ".cursor", "projects"),
    ("", ".copilot", "session-state"),
];

/// Folders that are looked at to find a project by its name.
const LOOKED_AT: usize = 2000;

impl AgentTranscript {
    /// Those of a user, by the home of that user and the variables of the environment. What is no
    /// transcript is passed over.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn all(home: &Path, variable: &dyn Fn(&str) -> Option<String>) -> Result<Vec<Self>, Error> {
        let mut found = Vec::new();
        for (name, folder, below) in PLACES {
            let named = Some(name)
                .filter(|name| !name.is_empty())
                .and_then(variable)
                .filter(|path| !path.is_empty());
            let place = named
                .map_or_else(|| home.join(folder), PathBuf::from)
                .join(below);
            if !place.is_dir() {
                continue;
            }
            for file in ImportFile::all_of(&place)? {
                let Ok(format) = FileFormat::of(&file, &ReadOptions::default()) else {
                    continue;
                };
                if matches!(format.kind(), FileKind::Transcript(_)) {
                    let folder = folder_of(&file, &place);
                    found.push(Self {
                        file,
                        format,
                        folder,
                    });
                }
            }
        }
        Ok(found)
    }
}

/// The folder that a transcript is about: as it says itself, or a file beside it, or by the name of
/// its own folder.
fn folder_of(file: &ImportFile, place: &Path) -> Option<PathBuf> {
    let outline = Outline::of_file(file).ok()?;
    let told = own::values(&outline).iter().find_map(cwd);
    let beside = || {
        let mut text = String::new();
        let input = file.beside("workspace.yaml")?.open().ok()?;
        std::io::Read::read_to_string(&mut std::io::Read::take(input, 1 << 16), &mut text).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("cwd:"))?;
        Some(line.trim().trim_matches(['"', '\'']).to_owned())
    };
    if let Some(folder) = told.map(str::to_owned).or_else(beside) {
        return Some(PathBuf::from(folder));
    }
    let slug = file
        .path()
        .strip_prefix(place)
        .ok()?
        .iter()
        .next()?
        .to_string_lossy()
        .into_owned();
    let mut left = LOOKED_AT;
    named(Path::new("/"), slug.trim_start_matches('-'), &mut left)
}

fn cwd(entry: &Value) -> Option<&str> {
    let payload = entry.get("payload");
    let data = entry.get("data");
    let context = data.and_then(|data| data.get("context"));
    let found = [Some(entry), payload, data, context]
        .into_iter()
        .flatten()
        .find_map(|part| part.get("cwd")?.as_str());
    let first = || entry.get("directories")?.as_array()?.first()?.as_str();
    found.or_else(first).filter(|path| !path.is_empty())
}

/// The folder whose path is written with a dash for each mark in it, if there is one.
fn named(above: &Path, slug: &str, left: &mut usize) -> Option<PathBuf> {
    for entry in std::fs::read_dir(above).ok()?.flatten() {
        *left = left.checked_sub(1)?;
        let plain: String = entry
            .file_name()
            .to_string_lossy()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect();
        let plain = plain.trim_start_matches('-');
        let rest = slug.strip_prefix(plain).filter(|_| !plain.is_empty());
        match rest {
            Some("") if entry.path().is_dir() => return Some(entry.path()),
            Some(rest) if rest.starts_with('-') && entry.path().is_dir() => {
                if let Some(found) = named(&entry.path(), rest.trim_start_matches('-'), left) {
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transcripts_are_found_with_their_projects() {
        let home = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = home.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write(
            ".claude/projects/-srv-shop/s1.jsonl",
            "{\"type\":\"queue-operation\",\"operation\":\"enqueue\",\"sessionId\":\"s1\"}\n{\"type\":\"user\",\
                \"uuid\":\"u\",\"sessionId\":\"s1\",\"cwd\":\"/srv/shop\",\"message\":{\"role\":\"user\",\
                \"content\":\"Hi.\"}}\n",
        );
        write(".claude/projects/-srv-shop/notes.md", "No transcript.\n");
        write(
            "codex/sessions/2026/01/01/rollout-x.jsonl",
            "{\"timestamp\":\"2026-01-01T00:00:00Z\",\"type\":\"session_meta\",\"payload\":{\"id\":\"c\",\
                \"cwd\":\"/srv/mill\"}}\n",
        );
        write(
            ".copilot/session-state/p/events.jsonl",
            "{\"type\":\"user.message\",\"id\":\"e\",\"timestamp\":\"2026-01-01T00:00:00Z\",\
                \"data\":{\"content\":\"x\"}}\n",
        );
        write(
            ".copilot/session-state/p/workspace.yaml",
            "id: p\ncwd: /srv/barn\n",
        );
        let codex = home.path().join("codex").to_string_lossy().into_owned();
        let variable = |name: &str| (name == "CODEX_HOME").then(|| codex.clone());
        let found = AgentTranscript::all(home.path(), &variable).unwrap();
        let told: Vec<_> = found
            .iter()
            .map(|one| (one.format.name(), one.folder.clone().unwrap()))
            .collect();
        assert_eq!(
            told,
            [
                ("claude-code", PathBuf::from("/srv/shop")),
                ("codex", PathBuf::from("/srv/mill")),
                ("copilot-cli", PathBuf::from("/srv/barn")),
            ]
        );
        std::fs::create_dir_all(home.path().join("a/my.app")).unwrap();
        let mut left = LOOKED_AT;
        assert_eq!(
            named(home.path(), "a-my-app", &mut left),
            Some(home.path().join("a/my.app"))
        );
        assert_eq!(named(home.path(), "a-no-app", &mut left), None);
    }
}
