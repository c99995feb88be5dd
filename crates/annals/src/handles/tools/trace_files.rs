//! Traces in files: the steps of agents' work, and the conversations that mirrors wrote.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use annals_types::profile::MirrorFormat;
use serde_json::Value;

use crate::Error;
use crate::handles::tools::Invocation;
use crate::handles::tools::traces::{ToolStep, Trace, Wanted};
use annals_files::disk;
use annals_files::owners::Sessions;

/// The most files that are looked at, the last ones by name.
const MAX_FILES: usize = 10_000;
/// The most bytes of files that are read for one call; what lies behind them is not looked at.
const MAX_BYTES: u64 = 256 << 20;
/// How deep folders are looked into.
const DEPTH: usize = 3;
/// How deep a record may lie within a JSON file.
const NESTED: usize = 6;

impl Invocation<'_> {
    /// Records of the folders that the profile names.
    pub(super) fn react_traces(&self, wanted: &Wanted<'_>) -> Result<(Vec<Trace>, usize), Error> {
        let Some(home) = self.space.files().home()? else {
            return Ok((Vec::new(), 0));
        };
        let mut files = Vec::new();
        for folder in &self.profile.settings.recall.trace_folders {
            collect(
                &home.join(annals_files::fill(folder, &self.space.name)),
                DEPTH,
                &mut files,
            );
        }
        Ok(search(files, wanted))
    }

    /// Lines of the files that conversations are mirrored in, of those that the memory does not
    /// know: what it knows it has answered, and what is gone from there is not to be found here.
    /// What another program had written there, and was set aside, is looked through, too. What is,
    /// or could be, a file of another namespace is let alone.
    pub(super) fn session_files(&self, wanted: &Wanted<'_>) -> Result<(Vec<Trace>, usize), Error> {
        let (Some(home), Some(namespace)) = (self.space.files().home()?, self.space.id()?) else {
            return Ok((Vec::new(), 0));
        };
        let engine = &self.space.engine;
        let snapshot = engine.snapshot()?;
        let mut all = Vec::new();
        let mirrors = &self.profile.settings.mirrors.files;
        for file in mirrors
            .iter()
            .filter(|file| file.format == MirrorFormat::Turns)
        {
            let pattern = annals_files::place(&home, file, &self.space.name);
            let mut files = Vec::new();
            match wanted.session {
                Some(session) => {
                    let file = annals_files::session_file(&pattern, session);
                    files.extend(annals_files::whole_files_beside(&file));
                    files.push(file);
                }
                None => collect(pattern.parent().unwrap_or(&home), 1, &mut files),
            }
            let known = engine.mirrors().mirrored_sessions(namespace, &file.path)?;
            let known: BTreeSet<PathBuf> = known
                .iter()
                .map(|session| annals_files::session_file(&pattern, session))
                .collect();
            let Ok(real) = disk::real(&pattern) else {
                continue;
            };
            let open = Sessions::of(&snapshot, namespace, &real)?;
            let is_open =
                |path: &PathBuf| disk::real(&original(path)).is_ok_and(|real| open.has(&real));
            all.extend(
                files
                    .into_iter()
                    .filter(|path| !known.contains(path) && is_open(path)),
            );
        }
        Ok(search(all, wanted))
    }
}

/// Where a file stood before it was set aside, if it was.
fn original(path: &Path) -> PathBuf {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy())
        .unwrap_or_default();
    let numbered = name
        .rsplit_once('.')
        .filter(|(_, end)| end.bytes().all(|byte| byte.is_ascii_digit()));
    let plain = numbered.map_or(&*name, |(plain, _)| plain);
    plain
        .strip_suffix(annals_files::LEGACY)
        .map_or_else(|| path.to_owned(), |plain| path.with_file_name(plain))
}

/// JSON files of a folder and of those in it. One that is not there, or cannot be read, has none.
fn collect(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() && depth > 1 {
            collect(&path, depth - 1, files);
        } else if kind.is_file()
            && original(&path)
                .extension()
                .is_some_and(|end| end == "json" || end == "jsonl")
        {
            files.push(path);
        }
    }
}

/// What is wanted out of some files, the last ones by name first, within a file the last records
/// first; and how many files were not looked into, being too large or not to be read.
fn search(mut files: Vec<PathBuf>, wanted: &Wanted<'_>) -> (Vec<Trace>, usize) {
    files.sort();
    let mut found = Vec::new();
    let mut left = MAX_BYTES;
    let mut left_out = files.len().saturating_sub(MAX_FILES);
    for path in files.iter().rev().take(MAX_FILES) {
        let bytes = std::fs::metadata(path).map_or(0, |data| data.len());
        let rest = left.checked_sub(bytes);
        let text = match rest.map(|_| disk::read(path)) {
            Some(Ok(text)) => text.unwrap_or_default(),
            Some(Err(_)) | None => {
                tracing::debug!(path = %path.display(), bytes, "a file of traces is left out");
                left_out += 1;
                continue;
            }
        };
        left = rest.unwrap_or_default();
        if !wanted.may_be_in(&text) {
            continue;
        }
        let name = original(path)
            .file_stem()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let mut records = Vec::new();
        match serde_json::from_str::<Value>(&text) {
            Ok(whole) => read(&whole, &name, NESTED, &mut records),
            // A line that is no JSON is none of ours.
            Err(_) => {
                for line in text
                    .lines()
                    .filter_map(|line| serde_json::from_str::<Value>(line).ok())
                {
                    read(&line, &name, NESTED, &mut records);
                }
            }
        }
        for trace in records.into_iter().rev().filter(|trace| wanted.fits(trace)) {
            found.push(trace);
            if found.len() >= wanted.limit {
                return (found, left_out);
            }
        }
    }
    (found, left_out)
}

const SESSION: [&str; 3] = ["session_id", "conversation_id", "session"];
const STEPS: [&str; 4] = ["iterations", "steps", "messages", "turns"];
const CONTENT: [&str; 4] = ["content", "text", "thought", "thinking"];

/// The records of a value: of each element of a list, of each step of a trace, or the one that it
/// is.
fn read(value: &Value, session: &str, depth: usize, out: &mut Vec<Trace>) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    if let Value::Array(items) = value {
        return items
            .iter()
            .for_each(|item| read(item, session, depth, out));
    }
    let Value::Object(object) = value else { return };
    let named = SESSION
        .iter()
        .find_map(|name| object.get(*name)?.as_str())
        .unwrap_or(session);
    if let Some(steps) = STEPS.iter().find_map(|name| object.get(*name)?.as_array()) {
        return steps.iter().for_each(|step| read(step, named, depth, out));
    }
    let text = |name: &str| object.get(name).filter(|value| !value.is_null()).map(plain);
    let mut calls: Vec<ToolStep> = object
        .get("tool_calls")
        .and_then(Value::as_array)
        .map_or(Vec::new(), |calls| calls.iter().map(step).collect());
    // Where results stand beside the calls, they are in their order.
    if let Some(results) = object.get("tool_results").and_then(Value::as_array) {
        for (call, result) in calls.iter_mut().zip(results) {
            call.result
                .get_or_insert_with(|| result_of(result).unwrap_or_else(|| plain(result)));
        }
    }
    out.push(Trace {
        session: named.to_owned(),
        index: ["turn_index", "iteration", "index"]
            .iter()
            .find_map(|name| object.get(*name)?.as_u64()),
        role: text("role").unwrap_or_default(),
        content: CONTENT
            .iter()
            .find_map(|name| text(name))
            .unwrap_or_default(),
        reply: text("reply"),
        calls,
        time: text("timestamp").and_then(|time| time.parse().ok()),
    });
}

fn step(call: &Value) -> ToolStep {
    let inner = call.get("function").unwrap_or(call);
    let of = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| inner.get(*name))
            .filter(|value| !value.is_null())
    };
    ToolStep {
        name: of(&["name", "tool"]).map(plain).unwrap_or_default(),
        arguments: of(&["arguments", "input", "params"])
            .map(plain)
            .unwrap_or_default(),
        result: result_of(call),
    }
}

fn result_of(value: &Value) -> Option<String> {
    let named = ["result", "output", "content", "result_content"]
        .iter()
        .find_map(|name| value.get(*name));
    named.filter(|value| !value.is_null()).map(plain)
}

/// A text as it is, anything else as JSON.
fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
