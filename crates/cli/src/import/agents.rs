//! The transcripts of all coding agents of this machine, each into the namespace of its project.

use std::collections::BTreeMap;
use std::path::PathBuf;

use annals::{AgentTranscript, ImportOptions, ReadSummary};
use serde_json::json;

use super::records::{self, Known};
use super::{Args, Imported};
use crate::app::{Access, App};
use crate::clones::Clones;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::texts::text;

/// Imports them; says only what there is where it is `dry`.
pub(crate) fn of_agents(
    args: &Args,
    dry: bool,
    app: &mut App<'_, '_>,
) -> Result<Imported, Failure> {
    let home = app
        .world
        .var_os(if cfg!(windows) { "USERPROFILE" } else { "HOME" })
        .map(PathBuf::from);
    let home = home.ok_or_else(|| Failure::usage(text!("transfer-agents-no-home")))?;
    let world = &*app.world;
    let mut found = AgentTranscript::all(&home, &|name| world.var(name).map(str::to_owned))?;
    // Of folders that say they are one project the one whose transcript was not changed for longest
    // is believed.
    found.sort_by_cached_key(|transcript| {
        let written = std::fs::metadata(transcript.file.path());
        let written = written.and_then(|data| data.modified()).ok();
        (written.is_none(), written)
    });
    let own = app.namespace_name()?.to_owned();
    let memory = if dry {
        None
    } else {
        Some(app.open(Access::Create)?)
    };
    let clones = Clones::of(&app.settings.db);
    let mut projects: BTreeMap<String, Vec<Known>> = BTreeMap::new();
    for AgentTranscript {
        file,
        format,
        folder,
        ..
    } in found
    {
        let name = match folder {
            Some(folder) if !dry && folder.is_dir() => clones.note(&folder)?.name,
            Some(folder) => clones.place(&folder)?.name,
            None => own.clone(),
        };
        projects.entry(name).or_default().push((file, format));
    }
    let options = args.read_options(&app.settings.zone);
    let progress = Progress::new(app, text!("common-importing"), 0);
    let run = ImportOptions {
        bring_back: args.bring_back,
        run: Some(app.world.clock.now()),
        ..ImportOptions::default()
    };
    let (mut lines, mut each, mut stored) = (Vec::new(), Vec::new(), 0);
    for (name, files) in &projects {
        let namespace = memory
            .as_ref()
            .map(|memory| memory.namespace(name.as_str()))
            .transpose()?;
        let (mut read, mut new, mut already) = (ReadSummary::default(), 0, 0);
        for (file, format) in files {
            let mut database_fails = false;
            let summary = format.read(file, &options, &mut |record| {
                if let Some(namespace) = &namespace {
                    let brought = namespace.transfer().import_record(&record, &run);
                    database_fails = brought.as_ref().is_err_and(|error| !error.is_invalid());
                    let brought = brought?;
                    progress.add(brought.lines_done);
                    (new, already) = (new + brought.stored, already + brought.already_there);
                }
                Ok(())
            });
            // A transcript that is damaged keeps no other one away.
            match summary {
                Ok(summary) => read.add(summary),
                Err(error) if database_fails => return Err(error.into()),
                Err(error) => app.note(&records::failed(args, file, error).message)?,
            }
        }
        let (files, turns) = (
            text!("common-files", count = files.len()),
            text!("common-turns", count = read.turns),
        );
        lines.push(match dry {
            true => text!("transfer-agents-would", name, files, turns),
            false => text!(
                "transfer-agents-stored",
                name,
                files,
                turns = text!("common-turns", count = new),
                already
            ),
        });
        each.push(json!({
            "namespace": name, "sessions": read.sessions(), "turns": read.turns, "stored": new,
        }));
        stored += new;
    }
    drop(progress);
    if lines.is_empty() {
        lines.push(text!("transfer-agents-none", home = home.display()));
    }
    Ok(Imported {
        stored,
        text: lines.join("\n"),
        json: json!({ "projects": each }),
    })
}
