//! Forget, restore and archive: nothing is lost, only what is brought forward changes.

use annals::blocking::Bulk;
use annals::profile::ReinforceSettings;
use annals::{Counted, MemoryId, Mode, Status};
use serde_json::json;

use crate::app::App;
use crate::failure::Failure;
use crate::receipt;
use crate::selection::Selection;
use crate::texts::{term, text};

/// Arguments of `annals forget`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals forget 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
  annals forget --tag draft --until 2026-01-01
  annals forget --tag draft --until 2026-01-01 --yes

A selection without --status means memories of any status.")]
pub(crate) struct ForgetArgs {
    /// The memories
    #[arg(conflicts_with = "Selection")]
    id: Vec<MemoryId>,
    /// With a selection: do it, instead of showing what would be forgotten
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    selection: Selection,
}

/// Arguments of `annals restore` and `annals archive`.
#[derive(Debug, clap::Args)]
pub(crate) struct IdArgs {
    /// The memories
    #[arg(required = true)]
    id: Vec<MemoryId>,
}

/// Reports that memories were of use.
pub(crate) fn used(args: &IdArgs, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = app.plain_namespace_of(&args.id)?;
    let limits = namespace.admin().settings()?.reinforce;
    let done = namespace.touch(&args.id)?;
    if app.json {
        let uses = args.id.iter().zip(&done).map(|(id, done)| {
            json!({
                "id": id, "counted": done.counted == Counted::Yes,
                "why": why(done.counted, &limits), "before": done.before, "after": done.after,
            })
        });
        return app.answer_json(
            &json!({ "done": "used", "ids": args.id, "uses": uses.collect::<Vec<_>>() }),
        );
    }
    for (id, done) in args.id.iter().zip(&done) {
        app.say(&match why(done.counted, &limits) {
            Some(why) => text!("memory-used-nothing", id, why),
            None if (done.after - done.before).abs() < 5e-4 => text!("memory-used-same", id),
            None => text!(
                "memory-used-score",
                id,
                before = format!("{:.3}", done.before),
                after = format!("{:.3}", done.after)
            ),
        })?;
    }
    Ok(())
}

/// Why a use did not strengthen a memory; nothing when it counted.
fn why(counted: Counted, limits: &ReinforceSettings) -> Option<String> {
    match counted {
        Counted::Yes => None,
        Counted::Cooldown => Some(text!(
            "memory-why-cooldown",
            cooldown_seconds = limits.cooldown_seconds
        )),
        Counted::DailyCap => Some(text!(
            "memory-why-day",
            cap_per_day = limits.cap_per_day.unwrap_or_default()
        )),
        Counted::SessionCap => Some(text!("memory-why-session")),
        Counted::OtherSignal => Some(text!("memory-why-signal")),
    }
}

/// Hides memories, by id at once or by selection after a dry run.
pub(crate) fn forget(args: &ForgetArgs, app: &mut App<'_, '_>) -> Result<(), Failure> {
    if !args.id.is_empty() {
        return change(
            &args.id,
            ("forgotten", Status::Forgotten),
            Bulk::forget,
            app,
        );
    }
    let filter = args.selection.filter()?;
    if filter.is_empty() {
        return Err(Failure::usage(text!("memory-nothing-selected")));
    }
    let namespace = app.plain_namespace()?;
    let receipt = namespace
        .bulk()
        .forget_where(&filter, if args.yes { Mode::Commit } else { Mode::DryRun })?;
    if app.json {
        return app.answer_json(&receipt);
    }
    let text = receipt::text(&receipt, &text!("memory-word-forgotten"), &namespace, app)?;
    app.print(&text)
}

/// Brings memories back.
pub(crate) fn restore(args: &IdArgs, app: &mut App<'_, '_>) -> Result<(), Failure> {
    change(&args.id, ("restored", Status::Active), Bulk::restore, app)
}

/// Puts memories aside.
pub(crate) fn archive(args: &IdArgs, app: &mut App<'_, '_>) -> Result<(), Failure> {
    change(&args.id, ("archived", Status::Archived), Bulk::archive, app)
}

type Change = fn(&Bulk, &[MemoryId]) -> Result<(), annals::Error>;

/// One transaction over all ids: a wrong one changes nothing.
fn change(
    ids: &[MemoryId],
    (done, status): (&str, Status),
    change: Change,
    app: &mut App<'_, '_>,
) -> Result<(), Failure> {
    let namespace = app.plain_namespace_of(ids)?;
    let mut already = Vec::new();
    for id in ids {
        if namespace
            .get(*id)?
            .is_some_and(|memory| memory.status == status)
        {
            already.push(id);
        }
    }
    change(&namespace.bulk(), ids)?;
    if app.json {
        return app.answer_json(&json!({ "done": done, "ids": ids, "already": already }));
    }
    for id in ids {
        app.say(&match already.contains(&id) {
            true => text!(
                "memory-was-already",
                id,
                status = term("status", status.as_str())
            ),
            false => match status {
                Status::Forgotten => text!("memory-forgotten", id),
                Status::Archived => text!("memory-archived", id),
                _ => text!("memory-restored", id),
            },
        })?;
    }
    Ok(())
}
