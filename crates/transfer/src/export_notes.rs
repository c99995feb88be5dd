//! An export as a folder of notes: a file for each memory, and one for each session with its turns.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use annals_engine::Error;
use annals_types::Timestamp;

use crate::export::failed;
use crate::export_forms::Shown;
use crate::formats::markdown_export::{MEMORY, SESSION, TURN, TurnLine};
use crate::print::hash;
use crate::{ExportReport, Transfers};

/// The folders of memories and of sessions.
const FOLDERS: [&str; 2] = ["memories", "sessions"];

impl Transfers<'_> {
    /// Writes what is in use as notes below a folder, which is made where it is missing: a memory
    /// each in `memories`, and the turns of a session each in `sessions`, oldest first. Files of
    /// the same names are replaced. What is made is for its user alone.
    ///
    /// # Errors
    /// When the file cannot be read or the notes not be written.
    pub fn export_notes(&self, folder: &Path) -> Result<ExportReport, Error> {
        for below in FOLDERS {
            let below = folder.join(below);
            annals_private::make_folder(&below).map_err(failed)?;
            // Whoever made the folder could have files of this user replaced elsewhere.
            if below.symlink_metadata().map_err(failed)?.is_symlink() {
                return Err(Error::bad_input(format!(
                    "{} is a link; name another folder",
                    below.display()
                )));
            }
        }
        let mut report = ExportReport::default();
        self.each_shown(false, &mut |shown| {
            let text = memory_note(shown);
            let path = folder.join("memories").join(file_name(&shown.id, ""));
            anew(&path)
                .and_then(|mut file| file.write_all(text.as_bytes()))
                .map_err(failed)?;
            report.memories += 1;
            report.bytes += u64::try_from(text.len()).unwrap_or(u64::MAX);
            Ok(())
        })?;
        let mut begun: BTreeMap<String, std::path::PathBuf> = BTreeMap::new();
        self.each_shown(true, &mut |shown| {
            let mut text = String::new();
            let path = begun.entry(shown.session().to_owned()).or_insert_with(|| {
                text = session_head(shown.session());
                folder
                    .join("sessions")
                    .join(file_name(shown.session(), shown.session()))
            });
            let is_new = !text.is_empty();
            text.push_str(&turn_note(shown)?);
            let file = if is_new {
                anew(path)
            } else {
                std::fs::OpenOptions::new().append(true).open(path)
            };
            file.and_then(|mut file| file.write_all(text.as_bytes()))
                .map_err(failed)?;
            report.memories += 1;
            report.bytes += u64::try_from(text.len()).unwrap_or(u64::MAX);
            Ok(())
        })?;
        Ok(report)
    }
}

/// A new file in the place of the one that may stand there: what a link leads to stays as it is.
fn anew(path: &Path) -> std::io::Result<std::fs::File> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// A name of a file that every system allows; `whole` tells apart those that become alike.
fn file_name(name: &str, whole: &str) -> String {
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ');
    let plain: String = name
        .chars()
        .map(|c| if allowed(c) { c } else { '-' })
        .take(60)
        .collect();
    let plain = plain.trim();
    if whole.is_empty() && plain == name {
        return format!("{plain}.md");
    }
    format!("{plain}-{:08x}.md", hash(&[name.as_bytes()]) >> 32)
}

/// A text as a value of YAML and JSON alike.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn memory_note(shown: &Shown<'_>) -> String {
    let body = &shown.memory.body;
    let mut head = vec![
        ("annals", MEMORY.to_owned()),
        ("id", quoted(&shown.id)),
        ("kind", quoted(body.kind.as_str())),
    ];
    if body.layer == annals_types::Layer::Core {
        head.push(("layer", "core".to_owned()));
    }
    let times = [
        ("time", body.event_time),
        ("valid_from", body.valid_from),
        ("valid_until", body.valid_until),
        ("expires_at", body.expires_at),
    ];
    let time = |(name, time): (&'static str, Option<Timestamp>)| Some((name, time?.to_string()));
    head.extend(times.into_iter().filter_map(time));
    if !shown.tags.is_empty() {
        let tags: Vec<String> = shown.tags.iter().map(|tag| quoted(tag)).collect();
        head.push(("tags", format!("[{}]", tags.join(", "))));
    }
    if !shown.metadata.is_empty() {
        let fields = serde_json::to_string(&shown.metadata).unwrap_or_default();
        head.push(("metadata", quoted(&fields)));
    }
    let head: String = head
        .into_iter()
        .map(|(name, value)| format!("{name}: {value}\n"))
        .collect();
    format!("---\n{head}---\n\n{}\n", shown.text())
}

fn session_head(session: &str) -> String {
    format!(
        "---\nannals: {SESSION}\nsession: {}\n---\n\n",
        quoted(session)
    )
}

fn turn_note(shown: &Shown<'_>) -> Result<String, Error> {
    let line = TurnLine {
        role: shown.role(),
        speaker: shown.speaker().map(str::to_owned),
        time: shown.memory.body.event_time,
        id: Some(shown.id.clone()),
        tags: shown.tags.iter().map(|tag| (*tag).to_owned()).collect(),
    };
    let head = serde_json::to_string(&line).map_err(|error| failed(error.into()))?;
    // What looks like the head of a turn is no one.
    let words = shown.text().split('\n').map(|line| {
        let is_head = line.trim_start_matches('\\').starts_with(TURN.0);
        if is_head {
            format!("\\{line}")
        } else {
            line.to_owned()
        }
    });
    let words = words.collect::<Vec<_>>().join("\n");
    Ok(format!("{}{head}{}\n\n{words}\n\n", TURN.0, TURN.1))
}
