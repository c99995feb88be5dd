use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::Duration;

use annals::blocking::Memory;
use annals_hooks::{Access, Call, HookError, Hooks, Host, Reply, SWITCH};

use crate::app::{self, App};
use crate::failure::Failure;
use crate::folders;
use crate::project::Project;
use crate::shared::Shared;
use crate::visible;
use crate::world::World;

/// The most bytes of JSON that are read: far above the longest prompt.
const MOST_BYTES: u64 = 16 << 20;
/// How long an event that a person waits for waits for a database that is in use.
const SHOW_WAIT: Duration = Duration::from_millis(30);
/// How long one waits that runs behind the answer.
const KEEP_WAIT: Duration = Duration::from_secs(2);

/// Serves an event. A failure of any kind is noted beside the database, and the host reads the
/// answer that changes nothing.
pub(super) fn serve(host: Host, event: &str, shared: &Shared, world: &mut World<'_>) {
    if world
        .var(SWITCH)
        .is_some_and(|switch| switch.eq_ignore_ascii_case("off"))
    {
        return;
    }
    let mut json = Vec::new();
    let read = world
        .input
        .take(MOST_BYTES)
        .read_to_end(&mut json)
        .map_err(|error| error.to_string());
    let call =
        read.and_then(|_| Call::read(host.name(), event, &json).map_err(|error| error.to_string()));
    let served = match &call {
        Ok(call) => catch_unwind(AssertUnwindSafe(|| answer(call, shared, world)))
            .unwrap_or_else(|_| Err("a panic: this is a mistake in annals".to_owned())),
        Err(reason) => Err(reason.clone()),
    };
    let reply = match (served, &call) {
        (Ok(reply), _) => reply,
        (Err(reason), call) => {
            note(host, event, &reason, shared, world);
            call.as_ref().map(Reply::empty).unwrap_or_default()
        }
    };
    // A failed write means that nobody reads, so nobody can be told.
    let _written = write!(world.output, "{}", reply.text()).and_then(|()| world.output.flush());
}

fn answer(call: &Call, shared: &Shared, world: &mut World<'_>) -> Result<Reply, String> {
    let told = |error: HookError| error.to_string();
    let cwd = call
        .cwd
        .clone()
        .or_else(|| std::env::current_dir().ok())
        .unwrap_or_default();
    // A folder that is gone belongs to no project.
    let Ok(project) = Project::of(&cwd) else {
        return Ok(Reply::empty(call));
    };
    let mut app = App::new(shared, world).map_err(|failure| failure.message)?;
    let hooks = Hooks::beside(&app.settings.db);
    let Some(enabled) = hooks
        .project(&project.folder, project.root.as_deref())
        .map_err(told)?
    else {
        return Ok(Reply::empty(call));
    };
    hooks
        .run(call, &enabled, &mut |access| open(&mut app, access))
        .map_err(told)
}

fn open(app: &mut App<'_, '_>, access: Access) -> Result<Option<Memory>, HookError> {
    let failed = |failure: Failure| HookError::Open(failure.message.into());
    let (wait, access) = match access {
        Access::Show if !app.has_database().map_err(failed)? => return Ok(None),
        Access::Show => {
            app.reads_only = true;
            (SHOW_WAIT, app::Access::Existing)
        }
        Access::Keep => (KEEP_WAIT, app::Access::Create),
    };
    app.wait_at_most(wait);
    app.open_without_model(access).map(Some).map_err(failed)
}

/// Notes a failure, where hooks are used at all.
fn note(host: Host, event: &str, reason: &str, shared: &Shared, world: &World<'_>) {
    let hooks = Hooks::beside(&database(shared, world));
    if hooks.exist() {
        let reason = visible::line(reason);
        let _noted = hooks.note_failure(world.clock.now(), host.name(), event, &reason);
    }
}

/// The database, also where the settings cannot be read.
fn database(shared: &Shared, world: &World<'_>) -> PathBuf {
    if let Ok(settings) = crate::settings::Settings::resolve(shared, world) {
        return settings.db;
    }
    let named = shared
        .db
        .clone()
        .or_else(|| world.var_os("ANNALS_DB").map(PathBuf::from));
    let own = || {
        folders::data(world)
            .unwrap_or_default()
            .join("agent.annals")
    };
    named.unwrap_or_else(own)
}
