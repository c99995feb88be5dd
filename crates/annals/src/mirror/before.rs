//! What databases of before noted of files: what stood in a file then counts as written by annals.

use std::path::{Path, PathBuf};

use annals_storage::Reads;
use annals_types::profile::MirrorFormat;
use annals_types::{NamespaceId, NamespaceName};

use super::ledger::{self, Written};
use super::{disk, noted, place, session_file};
use crate::Error;
use crate::engine::rulebooks::Rulebook;

/// Files that are noted with their memories, sessions or days, and not yet with their lines; and the notes that say nothing more.
pub(super) struct Before {
    pub(super) files: Vec<(PathBuf, Written)>,
    pub(super) notes: Vec<PathBuf>,
}

/// What was noted of a namespace's files before their lines were.
pub(super) fn notes(
    reads: &dyn Reads,
    (name, ns): (&NamespaceName, NamespaceId),
    rulebook: &Rulebook,
) -> Result<Before, Error> {
    let mut found = Before { files: Vec::new(), notes: Vec::new() };
    for (path, noted) in noted::all(reads, ns)? {
        let files = &rulebook.profile.mirrors.files;
        let Some(file) = files.iter().find(|file| path.ends_with(place(Path::new(""), file, name))) else { continue };
        let mut add = |path: PathBuf, part: &str, deleted: u64| -> Result<(), Error> {
            // What cannot be read now is nothing that annals could know.
            let Ok(path) = disk::real(&path) else { return Ok(()) };
            if ledger::get(reads, ns, &path)?.is_none()
                && let Ok(Some(text)) = disk::read(&path)
            {
                let (made_by, part) = (file.path.clone(), part.to_owned());
                let lines = ledger::lines(&text);
                found
                    .files
                    .push((path, Written { made_by, format: file.format, name: String::new(), part, deleted, lines }));
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

#[cfg(test)]
mod tests {
    use annals_types::{MemoryId, Timestamp};

    use super::*;
    use crate::mirror::noted::Noted;
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
        write(&day, "# 2020-01-01\n\n## 新记忆\n\n- [FACT] the secret\n");
        write(&session_file(&turns, "s1"), "{\"content\":\"what was deleted\"}\n");
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
        assert_eq!(read(&day), "# 2020-01-01\n\n## 新记忆\n\n");
        memory.delete_namespace("u", Mode::Commit).unwrap();
        assert!(!day.exists());
    }
}
