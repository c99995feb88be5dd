//! A file of entries, `MEMORY.md` of the markdown profile: both ways.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::markdown::{self, Change, Entry, File, Format, Headings, Read, Rejected, WarningKind};
use annals_language::Zone;
use annals_messages::Messages;
use annals_types::profile::{MirrorDirection, RuleAction};
use annals_types::{MemoryId, Timestamp, Value};

use crate::aside::not_of_entries;
use crate::claims::{Claims, Twin};
use crate::edits::Edit;
use crate::held::FileMemory;
use crate::noted::{self, NotedMemory, shown};
use crate::record::{self, Record};
use crate::report::SyncedFile;
use crate::{Target, backup_of, disk, section};
use annals_engine::Error;

/// The comment of a file that was written without an entry.
const EMPTY: &str = "<!-- Total entries: 0 -->";

impl Target<'_> {
    /// Brings the file and the memories into step.
    pub(super) fn entries(&self) -> Result<SyncedFile, Error> {
        let mut report = SyncedFile::at(self.shown.clone());
        let format = self.format();
        let mut render = |report: &mut SyncedFile| self.render_entries(&format, report);
        let theirs = self.read_format()?;
        let mut bring = |text: Option<&str>, report: &mut SyncedFile| match self.file.direction {
            MirrorDirection::Out => self.refuse_entries(text, &theirs, report),
            MirrorDirection::Both => self.bring_entries(text, &theirs, report),
        };
        self.in_step(&mut report, &mut bring, &mut render)
            .or_else(|error| report.fails(error))?;
        Ok(report)
    }

    /// Sets aside what a person wrote into a file that is written only.
    fn refuse_entries(
        &self,
        text: Option<&str>,
        format: &Format,
        report: &mut SyncedFile,
    ) -> Result<bool, Error> {
        let Some(text) = text else { return Ok(false) };
        let mut random = || spread(self.engine.ids.next(self.now));
        let file = markdown::read(text, self.now, format, &mut random);
        if file.legacy {
            let (path, _) = self.aside().keep_text(&self.path, text)?;
            report.warnings = vec![not_of_entries(&path)];
            return Ok(false);
        }
        report.warnings = file.warnings.iter().map(ToString::to_string).collect();
        let record = self.record()?;
        let mut rejected = file.rejected;
        let known = record.texts();
        for read in file
            .entries
            .iter()
            .filter(|read| !known.has(&read.entry.content))
        {
            rejected.push(report.refuse(
                read.line,
                &read.entry.content,
                "this file is written only",
            ));
        }
        rejected.sort_by_key(|block| block.line);
        self.keep_lines(&rejected, report)?;
        Ok(true)
    }

    pub(super) fn format(&self) -> Format {
        let profile = &self.profile.settings;
        let archive = profile
            .rules
            .iter()
            .find(|rule| rule.action == RuleAction::Archive);
        let localizer = &self.profile.localizer;
        // A namespace that follows what is said has the headings of its design, whatever is said.
        let headings = if localizer.is_auto() {
            Headings::default()
        } else {
            headings_in(&localizer.of([]))
        };
        Format {
            zone: self.zone.clone(),
            categories: profile
                .taxonomy
                .kinds
                .iter()
                .map(|kind| kind.id.clone())
                .collect(),
            default_category: profile
                .taxonomy
                .default_kind
                .clone()
                .unwrap_or_else(|| "fact".to_owned()),
            default_score: profile.score.fallback,
            archive_below: archive.map_or(0.0, |rule| rule.value),
            headings,
            other_headings: localizer
                .all()
                .iter()
                .map(|messages| headings_in(messages))
                .collect(),
        }
    }

    /// The format in which the file was written: its dates are those of whoever wrote it, wherever
    /// it is read.
    pub(super) fn read_format(&self) -> Result<Format, Error> {
        let zone = self
            .record()?
            .written
            .filter(|it| !it.zone.is_empty())
            .and_then(|it| Zone::named(&it.zone).ok());
        Ok(Format {
            zone: zone.unwrap_or_else(|| self.zone.clone()),
            ..self.format()
        })
    }

    /// The backup of a file that has no record here: another memory wrote it. A file with a record
    /// is as the memories are; its backup is older, and has entries that were taken out since.
    fn backup_of_another(
        &self,
        text: Option<&str>,
        record: &Record,
    ) -> Result<Option<String>, Error> {
        // A file that was written whole without an entry is no accident: the entries of its backup
        // are gone.
        let emptied =
            text.is_some_and(|text| text.contains(EMPTY) && self.format().has_last_heading(text));
        if emptied || record.written.is_some() {
            return Ok(None);
        }
        let Some(bytes) = disk::bytes(&backup_of(&self.path))? else {
            return Ok(None);
        };
        let (inside, section) = section::kept(&bytes, false);
        let inside = String::from_utf8_lossy(inside).into_owned();
        // A text that a person had before is no memory.
        Ok(
            Some(inside)
                .filter(|text| section.is_some() || markdown::is_file(text, &self.format())),
        )
    }

    /// Takes over the edits of a person since the file was written.
    pub(super) fn bring_entries(
        &self,
        text: Option<&str>,
        format: &Format,
        report: &mut SyncedFile,
    ) -> Result<bool, Error> {
        self.follow(text.unwrap_or_default())?;
        let record = self.record()?;
        let backup = self.backup_of_another(text, &record)?;
        let mut random = || spread(self.engine.ids.next(self.now));
        let mut file =
            markdown::read_with_backup(text, backup.as_deref(), self.now, format, &mut random);
        report.warnings = file.warnings.iter().map(ToString::to_string).collect();
        if let Some(text) = text.filter(|_| file.legacy) {
            report.warnings.clear();
            self.set_legacy_aside(text, report)?;
            return Ok(false);
        }
        let shortened = text.filter(|text| record.written.is_some() && is_shortened(text, format));
        if let Some(text) = shortened {
            set_last_aside(&mut file, text);
        }
        self.keep_lines(&file.rejected, report)?;
        // A file that is gone, or cut off to nothing, takes nothing back: it is written anew.
        if file.entries.is_empty() && text.is_none_or(|text| text.trim().is_empty()) {
            return Ok(false);
        }
        if shortened.is_some() {
            report
                .warnings
                .push("it was cut off: nothing is taken out, it is written anew".to_owned());
        }
        if shortened.is_some() && file.entries.is_empty() {
            return Ok(false);
        }
        let from_backup = file
            .warnings
            .iter()
            .any(|warning| warning.kind == WarningKind::FromBackup);
        let cut_off = shortened.is_some() || from_backup;
        // As it will be stored, so that what is noted of the file is what it says then.
        let known = record.texts();
        // Few categories and groups stand in many entries.
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        for Entry {
            content,
            category,
            group,
            ..
        } in file.entries.iter_mut().map(|read| &mut read.entry)
        {
            if !known.has_in(content, &noted::kind(category, group)) {
                self.mask(content);
                for name in [category, group] {
                    let masked = names.entry(name.clone()).or_insert_with(|| {
                        let mut masked = name.clone();
                        self.mask(&mut masked);
                        masked
                    });
                    name.clone_from(masked);
                }
            }
        }
        record.recognise(&mut file);
        let read: BTreeMap<&str, _> = file
            .entries
            .iter()
            .map(|read| (read.entry.id.as_str(), read))
            .collect();
        let before = record.baseline(|noted| {
            let entry = &read.get(noted.short.as_str())?.entry;
            Some(shown_as(&note(entry, noted.id)) == shown_as(noted))
        });
        let held = self.held()?;
        let by_id: BTreeMap<MemoryId, &FileMemory> =
            held.iter().map(|held| (held.memory.id, held)).collect();
        let old = last_written(&before, &by_id, &file);
        let ids: BTreeMap<&str, MemoryId> = before
            .iter()
            .map(|noted| (noted.short.as_str(), noted.id))
            .collect();
        // A backup is older than the record, and half a file proves nothing about the entries that
        // it lacks: both can only add entries.
        let wanted = |change: &Change| !cut_off || matches!(change, Change::Added(_));
        let changes = markdown::changes(&old, &file).into_iter().filter(wanted);
        let written: BTreeMap<&str, &Entry> =
            old.iter().map(|old| (old.id.as_str(), old)).collect();
        let edits: Vec<Edit> = changes
            .filter_map(|change| edit(change, &by_id, (&ids, &written)))
            .collect();
        let stand = file
            .entries
            .iter()
            .filter(|read| !read.fresh)
            .filter_map(|read| ids.get(read.entry.id.as_str()));
        let mut claims = Claims::new(&held, &edits, &stand.copied().collect());
        let mut settle = |edit| {
            let Edit::Add(entry) = edit else {
                return Some(edit);
            };
            let stood = read.get(entry.id.as_str()).copied();
            match claims.meet(&entry, stood.is_none_or(|read| read.categorised)) {
                None => Some(Edit::Add(entry)),
                // It may be there without a name: the file is from another machine, or an earlier
                // run was cut off.
                Some(Twin::Memory(id)) => Some(Edit::Name { id, entry }),
                Some(Twin::Entry) => {
                    if !cut_off {
                        report.fold(stood.map_or(1, |read| read.line));
                    }
                    None
                }
            }
        };
        let mut edits: Vec<Edit> = edits.into_iter().filter_map(&mut settle).collect();
        // Entries that stand in the file under another name now were not taken out of it.
        let named: BTreeSet<MemoryId> = edits.iter().filter_map(Edit::named).collect();
        edits.retain(|edit| match edit {
            Edit::Retract(id) | Edit::Keep { id, .. } => !named.contains(id),
            Edit::Add(_) | Edit::Name { .. } | Edit::Change { .. } => true,
        });
        self.carry_out(edits, before, &file, report)?;
        Ok(!cut_off)
    }

    /// Takes over the record of a file that was moved here: this path has no record, and the file
    /// whose record names exactly these entries is gone from its own path. A file that lacks an
    /// entry may be an older copy, which does not tell that entries were taken out.
    fn follow(&self, text: &str) -> Result<(), Error> {
        let snapshot = self.snapshot()?;
        if text.is_empty() || record::get(&snapshot, self.ns, &self.path)?.is_some() {
            return Ok(());
        }
        let named = entry_names(text);
        let moved = record::all(&snapshot, self.ns)?
            .into_iter()
            .find(|(path, record)| {
                let mut names = record.noted.iter().map(|noted| noted.short.as_str());
                let whole = !record.noted.is_empty() && names.all(|name| named.contains(name));
                path.file_name() == self.path.file_name()
                    && whole
                    && record.pending.is_none()
                    && !path.exists()
            });
        let Some((from, record)) = moved else {
            return Ok(());
        };
        self.write(|cx| {
            record::put(cx.txn, self.ns, &self.path, &record)?;
            record::forget(cx.txn, self.ns, &from)?;
            Ok(())
        })
    }

    fn render_entries(
        &self,
        format: &Format,
        report: &mut SyncedFile,
    ) -> Result<(String, Vec<NotedMemory>), Error> {
        let before = self.record()?;
        let names: BTreeMap<MemoryId, &str> = before
            .all()
            .map(|noted| (noted.id, noted.short.as_str()))
            .collect();
        let mut taken: BTreeSet<String> = names.values().map(|short| (*short).to_owned()).collect();
        let mut entries = Vec::new();
        let mut all = Vec::new();
        for held in self.held()? {
            let id = held.memory.id;
            let short = names
                .get(&id)
                .map(|short| (*short).to_owned())
                .unwrap_or_else(|| id.short_name(|short| taken.contains(short)));
            taken.insert(short.clone());
            let entry = entry(&held, short);
            all.push(note(&entry, id));
            entries.push(entry);
        }
        report.entries = entries.len();
        Ok((markdown::render(&entries, self.now, format), all))
    }
}

/// The names of the entries in a text, which stand in brackets where an entry begins. In brackets
/// within a text stands what somebody wrote.
fn entry_names(text: &str) -> HashSet<&str> {
    let lines = text
        .lines()
        .map(|line| line.trim_start_matches(['#', '-', '*', ' ']));
    lines
        .filter_map(|line| Some(line.strip_prefix('[')?.split_once(']')?.0))
        .collect()
}

/// The title and the headings of a file in the words of a language.
fn headings_in(messages: &Messages) -> Headings {
    let text = |id| messages.text(id, &[]);
    Headings {
        title: text("heading-entries"),
        active: text("heading-active-entries"),
        archived: text("heading-archived-entries"),
    }
}

/// Whether a file that annals wrote lacks its end: the last heading, or the end of a comment.
fn is_shortened(text: &str, format: &Format) -> bool {
    let opened = text
        .rfind("<!--")
        .is_some_and(|at| !text.get(at..).unwrap_or_default().contains("-->"));
    opened || !format.has_last_heading(text)
}

/// Takes a new entry at the end of a shortened file for a part of one, which is no entry, and sets
/// it aside.
fn set_last_aside(file: &mut File, text: &str) {
    if let Some(Read { line, .. }) = file.entries.pop_if(|last| last.fresh) {
        let rest: Vec<&str> = text.lines().skip(line.saturating_sub(1)).collect();
        file.rejected.push(Rejected {
            line,
            text: rest.join("\n"),
        });
    }
}

/// The edit that a change of the file means for the memories; none where the memory is gone.
fn edit(
    change: Change,
    by_id: &BTreeMap<MemoryId, &FileMemory>,
    (ids, old): (&BTreeMap<&str, MemoryId>, &BTreeMap<&str, &Entry>),
) -> Option<Edit> {
    let known = |entry: &Entry| ids.get(entry.id.as_str()).and_then(|id| by_id.get(id));
    let confirmed = matches!(change, Change::Confirmed(_));
    match change {
        // The text that was taken out is known where the memory still has it.
        Change::Retracted(entry) if entry.content.is_empty() => {
            let memory = &known(&entry)?.memory;
            Some(Edit::Keep {
                id: memory.id,
                text: annals_language::one_line(&memory.body.text),
            })
        }
        Change::Retracted(entry) => Some(Edit::Retract(known(&entry)?.memory.id)),
        Change::Updated(entry) | Change::Confirmed(entry) if known(&entry).is_some() => {
            let held = known(&entry)?;
            // The person's change counts, compared with the entry as it was written: the memory
            // itself may have another text by now.
            let before = old.get(entry.id.as_str());
            let text = before
                .is_none_or(|old| old.content != entry.content)
                .then(|| entry.content.clone());
            let filed = before.is_none_or(|old| {
                (&old.category, &old.group, old.expires_at)
                    != (&entry.category, &entry.group, entry.expires_at)
            });
            let rescored = before.is_none_or(|old| shown(old.score) != shown(entry.score));
            // The text as it was last written is known where one side still has it: otherwise both
            // have changed it.
            let conflict = text.is_some() && before.is_some_and(|old| old.content.is_empty());
            Some(Edit::Change {
                id: held.memory.id,
                entry,
                text,
                filed,
                rescored,
                confirmed,
                conflict,
            })
        }
        Change::Added(entry) | Change::Updated(entry) | Change::Confirmed(entry) => {
            Some(Edit::Add(entry))
        }
    }
}

/// The entries as they were last written. Of a text only the hash is known: it is the text of the
/// file or of the engine, if one of them still has it; otherwise it was one that neither has any
/// more.
fn last_written(
    before: &[NotedMemory],
    by_id: &BTreeMap<MemoryId, &FileMemory>,
    file: &File,
) -> Vec<Entry> {
    let in_file: BTreeMap<&str, &Entry> = file
        .entries
        .iter()
        .map(|read| (read.entry.id.as_str(), &read.entry))
        .collect();
    let old = |noted: &NotedMemory| {
        let theirs = in_file
            .get(noted.short.as_str())
            .map(|entry| entry.content.clone());
        let ours = by_id
            .get(&noted.id)
            .map(|held| annals_language::one_line(&held.memory.body.text));
        let content = theirs
            .into_iter()
            .chain(ours)
            .find(|text| noted::hash(text) == noted.hash);
        Entry {
            id: noted.short.clone(),
            content: content.unwrap_or_default(),
            category: noted.category().0.to_owned(),
            score: noted.score,
            created_at: noted.activated,
            last_activated: noted.activated,
            activation_count: noted.hits,
            source_session: String::new(),
            group: noted.category().1.to_owned(),
            expires_at: noted.expires,
        }
    };
    before.iter().map(old).collect()
}

/// The bits of an id, mixed: those of one millisecond begin alike, and a name that was taken out
/// must not come again at once.
fn spread(id: MemoryId) -> u128 {
    u128::from(noted::hash(&id.to_string())) << 64
}

/// The fields that are equal if an entry is as it was noted.
fn shown_as(noted: &NotedMemory) -> (u64, &str, String, u32, Timestamp, Option<Timestamp>) {
    (
        noted.hash,
        &noted.kind,
        shown(noted.score),
        noted.hits,
        noted.activated,
        noted.expires,
    )
}

/// The category under which a memory stands in the file: one that the profile does not list is
/// kept beside its kind.
pub(super) fn category(held: &FileMemory) -> &str {
    match held.memory.body.metadata.get("category") {
        Some(Value::Text(category)) => category,
        _ => held.memory.body.kind.as_str(),
    }
}

fn entry(held: &FileMemory, short: String) -> Entry {
    let session = match held.memory.body.metadata.get("session") {
        Some(Value::Text(session)) => session.clone(),
        _ => String::new(),
    };
    Entry {
        id: short,
        content: annals_language::one_line(&held.memory.body.text),
        category: category(held).to_owned(),
        score: held.score.clamp(0.0, 1.0),
        created_at: held.created,
        last_activated: held.activated,
        activation_count: held.hits,
        source_session: session,
        group: held.memory.body.group().unwrap_or_default().to_owned(),
        expires_at: held.expires,
    }
}

pub(super) fn note(entry: &Entry, id: MemoryId) -> NotedMemory {
    NotedMemory {
        short: entry.id.clone(),
        id,
        hash: noted::hash(&entry.content),
        kind: noted::kind(&entry.category, &entry.group),
        score: entry.score,
        hits: entry.activation_count,
        activated: entry.last_activated,
        expires: entry.expires_at,
    }
}
