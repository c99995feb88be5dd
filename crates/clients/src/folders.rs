use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::{Client, Error};

/// An operating system, as far as places of files and shells depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// Linux, and others that follow its conventions.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl System {
    /// The one that this program runs on.
    #[must_use]
    pub const fn current() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::MacOs
        } else {
            Self::Linux
        }
    }

    /// A path below `base`, written as on that system.
    pub(crate) fn below(self, base: &Path, parts: &str) -> PathBuf {
        if self != Self::Windows {
            return base.join(parts);
        }
        let mut path = OsString::from(base);
        path.push("\\");
        path.push(parts.replace('/', "\\"));
        path.into()
    }
}

/// The folders below which clients keep their configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Folders {
    /// The operating system.
    pub system: System,
    /// The folder of the user: `$HOME`, `%USERPROFILE%`.
    pub home: Option<PathBuf>,
    /// `$XDG_CONFIG_HOME`, where it is set.
    pub xdg_config: Option<PathBuf>,
    /// `%APPDATA%`.
    pub app_data: Option<PathBuf>,
    /// `%LOCALAPPDATA%`.
    pub local_app_data: Option<PathBuf>,
    /// `$CLAUDE_CONFIG_DIR`, where it is set.
    pub claude_config: Option<PathBuf>,
    /// `$CODEX_HOME`, where it is set.
    pub codex_home: Option<PathBuf>,
    /// `$COPILOT_HOME`, where it is set.
    pub copilot_home: Option<PathBuf>,
}

impl Folders {
    /// The folders that environment variables name; `variable` answers their values.
    #[must_use]
    pub fn of_environment(system: System, variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let folder = |name| {
            variable(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        let home = match system {
            System::Windows => folder("USERPROFILE").or_else(|| folder("HOME")),
            System::Linux | System::MacOs => folder("HOME"),
        };
        Self {
            system,
            home,
            xdg_config: folder("XDG_CONFIG_HOME").filter(|_| system != System::Windows),
            app_data: folder("APPDATA"),
            local_app_data: folder("LOCALAPPDATA"),
            claude_config: folder("CLAUDE_CONFIG_DIR"),
            codex_home: folder("CODEX_HOME"),
            copilot_home: folder("COPILOT_HOME"),
        }
    }

    /// A path below the folder of the user.
    pub(crate) fn in_home(&self, client: Client, parts: &str) -> Result<PathBuf, Error> {
        let variable = if self.system == System::Windows {
            "USERPROFILE"
        } else {
            "HOME"
        };
        self.below(self.home.as_ref(), parts, (variable, client))
    }

    /// A path below `~/.config`, or what stands in its place.
    pub(crate) fn in_config(&self, client: Client, parts: &str) -> Result<PathBuf, Error> {
        match &self.xdg_config {
            Some(folder) => Ok(self.system.below(folder, parts)),
            None => self.in_home(client, &format!(".config/{parts}")),
        }
    }

    /// A path below the folder in which the system keeps settings of programs with a window.
    pub(crate) fn in_settings(&self, client: Client, parts: &str) -> Result<PathBuf, Error> {
        match self.system {
            System::Linux => self.in_config(client, parts),
            System::MacOs => self.in_home(client, &format!("Library/Application Support/{parts}")),
            System::Windows => self.below(self.app_data.as_ref(), parts, ("APPDATA", client)),
        }
    }

    /// A path below a folder that a variable names, else below one in that of the user.
    pub(crate) fn in_own(
        &self,
        own: Option<&PathBuf>,
        client: Client,
        (fallback, parts): (&str, &str),
    ) -> Result<PathBuf, Error> {
        match own {
            Some(folder) => Ok(self.system.below(folder, parts)),
            None => self.in_home(client, &format!("{fallback}/{parts}")),
        }
    }

    fn below(
        &self,
        base: Option<&PathBuf>,
        parts: &str,
        (variable, client): (&'static str, Client),
    ) -> Result<PathBuf, Error> {
        let base = base.ok_or_else(|| Error::NoFolder {
            variable,
            client: client.title(),
        })?;
        Ok(self.system.below(base, parts))
    }
}
