use std::path::PathBuf;

use crate::world::World;

/// Where the platform keeps settings of programs: `XDG_CONFIG_HOME` or `~/.config`,
/// `~/Library/Application Support` on macOS, `%APPDATA%` on Windows; each with `annals` appended.
pub(crate) fn config(world: &World<'_>) -> Option<PathBuf> {
    folder(world, "XDG_CONFIG_HOME", ".config", "APPDATA")
}

/// Where the platform keeps data of programs: `XDG_DATA_HOME` or `~/.local/share`,
/// `~/Library/Application Support` on macOS, `%LOCALAPPDATA%` on Windows; each with `annals`
/// appended.
pub(crate) fn data(world: &World<'_>) -> Option<PathBuf> {
    folder(world, "XDG_DATA_HOME", ".local/share", "LOCALAPPDATA")
}

fn folder(world: &World<'_>, xdg: &str, under_home: &str, windows: &str) -> Option<PathBuf> {
    // A relative one would mean another folder in each working directory, such as one in a
    // repository that somebody else wrote.
    let absolute = |name: &str| {
        world
            .var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let home = || absolute("HOME");
    let base = if let Some(given) = absolute(xdg) {
        Some(given)
    } else if cfg!(windows) {
        absolute(windows)
    } else if cfg!(target_os = "macos") {
        home().map(|home| home.join("Library/Application Support"))
    } else {
        home().map(|home| home.join(under_home))
    };
    base.map(|base| base.join("annals"))
}
