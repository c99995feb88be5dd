//! Databases that several processes use: whether one is shared, and who owns it.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use annals::Options;
use annals_private::OpenOwn;

use crate::app::App;
use crate::config::Share;
use crate::paths;

/// For how long an owner that a command started stays without a call, in seconds.
const IDLE_SECONDS: u64 = 120;

/// The options with which a database is shared, as the settings say.
pub(crate) fn shared(options: Options, app: &App<'_, '_>) -> Options {
    let share = app.settings.share;
    if !app.world.shares || share == Share::Off {
        return options;
    }
    let options = options.share(true).keep(app.keeps_file);
    // An embedder or a model that was named for this run alone is not that of an owner for others.
    let own_model = ["ANNALS_LLM", "ANNALS_LLM_EXTRACT"]
        .iter()
        .any(|name| app.world.var(name).is_some())
        || app.llm.is_some()
        || app.reader.is_some();
    if share == Share::Join || app.owns || app.own_embedder || own_model || app.reads_only {
        return options;
    }
    let Ok(program) = app
        .world
        .program
        .clone()
        .map_or_else(std::env::current_exe, Ok)
    else {
        return options;
    };
    let log = log_of(&app.settings.db);
    let owner = OwnerCommand {
        program,
        arguments: arguments(app),
        variables: paths::variables(app.world),
        log: log.clone(),
    };
    options.start_owner(move || owner.start()).owner_log(log)
}

/// The command that owns a database for others.
struct OwnerCommand {
    program: PathBuf,
    arguments: Vec<OsString>,
    /// Variables with paths, which count from elsewhere here.
    variables: Vec<(&'static str, OsString)>,
    log: PathBuf,
}

/// A folder to which no other user can write: the root on Unix, the temporary one of the user on
/// Windows.
fn work_folder() -> PathBuf {
    if cfg!(unix) {
        PathBuf::from("/")
    } else {
        std::env::temp_dir()
    }
}

/// From how many bytes on the log of an owner is begun anew.
const LOG_BYTES: u64 = 256 << 10;

/// The file in which owners of a database that commands have started say what goes wrong.
fn log_of(database: &Path) -> PathBuf {
    annals::storage::beside(&paths::absolute(database), ".log")
}

impl OwnerCommand {
    /// Starts it apart from this process: it stays when this one ends, and hears no key of its
    /// terminal.
    fn start(&self) -> io::Result<Child> {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(self.errors());
        command.envs(self.variables.iter().map(|(name, value)| (*name, value)));
        // It holds no folder of the caller, and finds nothing by chance in one that others may
        // fill.
        command.current_dir(work_folder());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        #[cfg(windows)]
        {
            std::os::windows::process::CommandExt::creation_flags(&mut command, windows::APART);
            windows::keep_streams();
        }
        command.spawn()
    }

    /// The log; nothing where it cannot be written, which keeps no owner from serving.
    fn errors(&self) -> Stdio {
        let log = OpenOwn::new()
            .append()
            .in_place()
            .open(&self.log)
            .and_then(|log| {
                if log.metadata()?.len() > LOG_BYTES {
                    log.set_len(0)?;
                }
                Ok(log)
            });
        log.map_or_else(|_| Stdio::null(), Stdio::from)
    }
}

#[cfg(windows)]
mod windows {
    use std::os::windows::io::{AsRawHandle, RawHandle};

    use windows_sys::Win32::Foundation::{HANDLE_FLAG_INHERIT, SetHandleInformation};
    use windows_sys::Win32::System::Threading::{CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW};

    /// A console of its own that is never shown, and no Ctrl-C of another one.
    pub(super) const APART: u32 = CREATE_NO_WINDOW | CREATE_NEW_PROCESS_GROUP;

    /// Keeps the standard streams from processes that are started. They would hold them open, and a
    /// program that reads the answer of this one would wait until they have ended too.
    pub(super) fn keep_streams() {
        let streams: [&dyn AsRawHandle; 3] =
            [&std::io::stdin(), &std::io::stdout(), &std::io::stderr()];
        for stream in streams {
            keep(stream.as_raw_handle());
        }
    }

    #[expect(
        unsafe_code,
        reason = "a call of Windows for which no library has a safe function"
    )]
    fn keep(stream: RawHandle) {
        // SAFETY: the handle is that of a stream of this process, or none, which is an error.
        let _not_there = unsafe { SetHandleInformation(stream, HANDLE_FLAG_INHERIT, 0) };
    }
}

/// `serve` with the settings of this run, on no address: nobody asked for one.
fn arguments(app: &App<'_, '_>) -> Vec<OsString> {
    let absolute = |path: &Path| paths::absolute(path).into_os_string();
    let mut arguments = vec![
        "serve".into(),
        "--no-http".into(),
        "--idle".into(),
        IDLE_SECONDS.to_string().into(),
    ];
    arguments.extend(["--db".into(), absolute(&app.settings.db)]);
    if let Some(config) = &app.settings.config {
        arguments.extend(["--config".into(), absolute(config)]);
    }
    arguments
}
