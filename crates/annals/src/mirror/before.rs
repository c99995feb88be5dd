//! What databases of before noted of files. Their lines were not noted: those that are told from a person's count as written by annals.

use std::path::{Path, PathBuf};

use annals_storage::Reads;
use annals_types::profile::{MirrorDirection, MirrorFile, MirrorFormat};
use annals_types::{NamespaceId, NamespaceName};

use super::ledger::{self, Line, Written};
use super::noted::Noted;
use super::{backup_of, disk, noted, place, session_file};
use crate::Error;
use crate::engine::rulebooks::Rulebook;

/// Files that are noted with their memories, sessions or days, and not yet with their lines; and the notes that say nothing more.
pub(super) struct Before {
    pub(super) files: Vec<(PathBuf, Written)>,
    pub(super) notes: Vec<PathBuf>,
    /// Backups of such files, with what they can have been written with.
    pub(super) backups: Vec<(PathBuf, Vec<Noted>)>,
}

/// What was noted of a namespace's files before their lines were.
pub(super) fn notes(
    reads: &dyn Reads,
    (name, ns): (&NamespaceName, NamespaceId),
    rulebook: &Rulebook,
) -> Result<Before, Error> {
    let mut found = Before { files: Vec::new(), notes: Vec::new(), backups: Vec::new() };
    for (path, noted) in noted::all(reads, ns)? {
        let files = &rulebook.profile.mirrors.files;
        let Some(file) = files.iter().find(|file| path.ends_with(place(Path::new(""), file, name))) else { continue };
        let mut add = |path: PathBuf, part: &str, deleted: u64| -> Result<(), Error> {
            // What cannot be read now is nothing that annals could know.
            let Ok(path) = disk::real(&path) else { return Ok(()) };
            if ledger::get(reads, ns, &path)?.is_none()
                && let Ok(Some(text)) = disk::read(&path)
            {
                let backup = backup_of(&path);
                if file.backup && part.is_empty() && backup.exists() {
                    found.backups.push((backup, noted.clone()));
                }
                let lines = of_annals(file, part, &noted, &text);
                let (made_by, part) = (file.path.clone(), part.to_owned());
                let both = file.direction == MirrorDirection::Both;
                let written =
                    Written { made_by, format: file.format, part, deleted, lines, both, ..Written::default() };
                found.files.push((path, written));
            }
            Ok(())
        };
        match file.format {
            MirrorFormat::Turns => {
                noted.iter().try_for_each(|it| add(session_file(&path, &it.short), &it.short, 0))?;
                found.notes.push(path);
            }
            MirrorFormat::Daily => {
                let of_day = |date: &str| PathBuf::from(path.to_string_lossy().replace("{date}", date));
                noted.iter().try_for_each(|it| add(of_day(&it.short), &it.short, it.hash))?;
                found.notes.push(path);
            }
            MirrorFormat::Entries | MirrorFormat::Lines => add(path, "", 0)?,
        }
    }
    Ok(found)
}

/// The lines of a text that annals wrote, as far as they can be told.
fn of_annals(file: &MirrorFile, part: &str, noted: &[Noted], text: &str) -> Vec<Line> {
    let mut section = "";
    let mut lines = String::new();
    for line in text.strip_prefix('\u{FEFF}').unwrap_or(text).lines().map(str::trim) {
        section = line.strip_prefix("## ").unwrap_or(section);
        let own = match file.format {
            MirrorFormat::Entries => of_entries(noted, line),
            MirrorFormat::Lines => of_lines(file, noted, line),
            MirrorFormat::Turns => of_session(part, line),
            MirrorFormat::Daily => of_day(part, section, line),
        };
        if own {
            lines.extend([line, "\n"]);
        }
    }
    ledger::lines(&lines)
}

/// Whether a memory that is noted says this.
fn says(noted: &[Noted], content: &str) -> bool {
    let plain = content.strip_prefix('\\').unwrap_or(content);
    [content, plain].map(noted::hash).iter().any(|hash| noted.iter().any(|noted| noted.hash == *hash))
}

fn of_entries(noted: &[Noted], line: &str) -> bool {
    const FRAME: [&str; 3] = ["# Agent Memory", "## Active Memories", "## Archived Memories"];
    const TOLD: [&str; 8] =
        ["Last updated", "Total entries", "created", "session", "group", "activated", "score", "expires"];
    if let Some(name) = line.strip_prefix("### [").and_then(|rest| Some(rest.split_once(']')?.0)) {
        return noted.iter().any(|noted| noted.short == name);
    }
    let told = line.strip_prefix("<!-- ").and_then(|rest| Some(rest.split_once(':')?.0));
    FRAME.contains(&line) || told.is_some_and(|told| TOLD.contains(&told)) || says(noted, line)
}

fn of_lines(file: &MirrorFile, noted: &[Noted], line: &str) -> bool {
    let heading = line.starts_with('#').then(|| line.trim_start_matches('#').trim());
    let known = |heading: &str| heading == file.title || file.sections.iter().any(|it| it.heading == heading);
    heading.is_some_and(known) || line.strip_prefix("- ").is_some_and(|content| says(noted, content))
}

/// A turn of the session, as annals writes them: what was deleted since is not noted anywhere.
fn of_session(session: &str, line: &str) -> bool {
    let turn = serde_json::from_str::<serde_json::Value>(line).ok();
    turn.is_some_and(|turn| turn.get("session_id").is_some_and(|id| id == session) && turn.get("turn_index").is_some())
}

/// A line of the first section of a day may be that of an episode that was deleted since.
fn of_day(date: &str, section: &str, line: &str) -> bool {
    let counted = |word| line.strip_prefix("- ").is_some_and(|rest| rest.starts_with(&format!("{word}: ")));
    match section {
        "" => line.strip_prefix("# ") == Some(date) || ["会话", "对话", "新记忆"].into_iter().any(counted),
        "摘要" => line == "## 摘要" || line.starts_with("- "),
        "新记忆" => line == "## 新记忆" || line.starts_with("- ["),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use annals_types::{MemoryId, Timestamp};

    use super::*;
    use crate::{Mode, NewMemory, NewTurn};

    fn noted(short: &str) -> Noted {
        let (id, at) = (MemoryId::from_bytes([0; 16]), Timestamp::default());
        let (short, kind) = (short.to_owned(), String::new());
        Noted { short, id, hash: 0, kind, score: 0.0, hits: 0, activated: at, expires: None }
    }

    #[test]
    fn files_of_an_earlier_version_are_annals_own() {
        let folder = tempfile::tempdir().unwrap();
        let memory = crate::blocking::Memory::options().in_memory().unwrap();
        let space = memory.create_namespace("u", "agent").unwrap();
        let secret = NewMemory::builder("the secret").kind("FACT").build().unwrap();
        let secret = space.remember::<NewMemory>(secret).unwrap();
        space.append_turns(vec![NewTurn::builder("s1", "hello").build().unwrap()]).unwrap();
        let [turns, days] = ["conversation_history/{session}.jsonl", "daily_summaries/{date}.md"]
            .map(|path| folder.path().join("data/memory").join(path));
        let write = |path: &Path, text: &str| disk::replace(path, text).unwrap();
        let day = PathBuf::from(days.to_string_lossy().replace("{date}", "2020-01-01"));
        write(&day, "# 2020-01-01\n\n## 新记忆\n\n- [FACT] the secret\n\nmine\n");
        let deleted = r#"{"content":"what was deleted","session_id":"s1","turn_index":0}"#;
        write(&session_file(&turns, "s1"), &format!("{deleted}\n"));
        let ns = space.id().unwrap().unwrap();
        let put = |txn: &mut annals_storage::Transaction<'_>| -> Result<(), Error> {
            noted::put(txn, ns, &turns, &[noted("s1")])?;
            noted::put(txn, ns, &days, &[noted("2020-01-01")])
        };
        space.engine().store.write(put).unwrap();
        let sync = || assert_eq!(space.sync(folder.path()).unwrap().failed().count(), 0);
        sync();
        let read = |path: &Path| std::fs::read_to_string(path).unwrap();
        assert!(read(&session_file(&turns, "s1")).contains("hello"));
        assert_eq!(std::fs::read_dir(turns.parent().unwrap()).unwrap().count(), 1, "nothing of it is set aside");
        space.delete(secret, Mode::Commit).unwrap();
        sync();
        assert_eq!(read(&day), "# 2020-01-01\n\n## 新记忆\n\n\nmine\n");
        memory.delete_namespace("u", Mode::Commit).unwrap();
        assert!(!day.exists());
        assert!(read(&disk::beside(&day, ".rejected")).contains("mine"));
    }

    #[test]
    fn what_a_person_added_is_told_from_what_an_earlier_version_wrote() {
        let told = |short: &str, text: &str| Noted { short: short.to_owned(), hash: noted::hash(text), ..noted("") };
        let noted = [told("a1", "likes tea"), told("a2", "# one")];
        let file = |profile: &str, format: MirrorFormat| {
            let profile = crate::profiles::parse(crate::profiles::builtin(profile).unwrap()).unwrap();
            profile.mirrors.files.into_iter().find(|file| file.format == format).unwrap()
        };
        let mine = |file: &MirrorFile, part: &str, text: &str| -> Vec<String> {
            let known = Written { lines: of_annals(file, part, &noted, text), ..Written::default() };
            known.foreign(text).into_iter().map(|block| block.text).collect()
        };
        let entries = file("markdown", MirrorFormat::Entries);
        let text = "# Agent Memory\n\n<!-- Total entries: 2 -->\n\n## Active Memories\n\n### [a1] fact | 0.90 | 2026-01-01 | 0\nlikes tea\n<!-- score: 0.9 -->\n### [a2] fact | 0.90 | 2026-01-01 | 0\n\\# one\n\n### [x] fact\nmine\n";
        assert_eq!(mine(&entries, "", text), ["### [x] fact\nmine"]);
        let lines = file("agent", MirrorFormat::Lines);
        assert_eq!(mine(&lines, "", "# 核心记忆\n\n## 重要事实\n- likes tea\n- mine\n"), ["- mine"]);
        let turns = file("agent", MirrorFormat::Turns);
        let text = "{\"session_id\":\"s1\",\"turn_index\":0}\n{\"session_id\":\"s2\",\"turn_index\":0}\nmine\n";
        assert_eq!(mine(&turns, "s1", text), ["{\"session_id\":\"s2\",\"turn_index\":0}\nmine"]);
        let days = file("agent", MirrorFormat::Daily);
        let text = "# 2020-01-01\n\n- 会话: 1\n- mine\n\n## 摘要\n\n- told\n\n## 新记忆\n\n- [FACT] x\n- also mine\n";
        assert_eq!(mine(&days, "2020-01-01", text), ["- mine", "- also mine"]);
    }
}
