//! Switches by which a client leaves out all hooks, whatever its files say.

use std::path::{Path, PathBuf};

use crate::target::{Format, Scope};
use crate::value::Value;
use crate::{Client, Folders, System, file, json, toml};

/// A switch that keeps the hooks of a client from running.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HooksOff {
    /// The file that holds it.
    pub path: PathBuf,
    /// Its key, with those above it.
    pub key: &'static str,
}

/// A key of a client, and the value that switches hooks off.
#[derive(Debug, Clone, Copy)]
struct Switch {
    key: &'static str,
    off: bool,
}

const DISABLE_ALL: Switch = Switch {
    key: "disableAllHooks",
    off: true,
};
/// It counts in the settings of an administrator only.
const ONLY_MANAGED: Switch = Switch {
    key: "allowManagedHooksOnly",
    off: true,
};
const FEATURE: Switch = Switch {
    key: "features.hooks",
    off: false,
};
/// The former name of the same feature.
const FORMER_FEATURE: Switch = Switch {
    key: "features.codex_hooks",
    off: false,
};
const HOOKS_CONFIG: Switch = Switch {
    key: "hooksConfig.enabled",
    off: false,
};

/// The first switch that keeps the hooks of a client from running: in the settings of an
/// administrator, of a project or of the user. A file that cannot be read is passed over.
#[must_use]
pub fn hooks_off(client: Client, folders: &Folders, scope: &Scope) -> Option<HooksOff> {
    let found = |(path, format, switches): (PathBuf, Format, &'static [Switch])| {
        let settings = settings(&path, format)?;
        let switch = switches.iter().find(|switch| is_off(&settings, **switch))?;
        Some(HooksOff {
            path,
            key: switch.key,
        })
    };
    places(client, folders, scope).into_iter().find_map(found)
}

fn settings(path: &Path, format: Format) -> Option<Value> {
    let bytes = file::read(path).ok()??;
    let text = file::text(&bytes).ok()?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match format {
        Format::Json => json::value(text).ok()?,
        Format::Toml => toml::value(text).ok(),
    }
}

fn is_off(settings: &Value, switch: Switch) -> bool {
    let value = switch
        .key
        .split('.')
        .try_fold(settings, |value, key| value.get(key));
    value == Some(&Value::Bool(switch.off))
}

/// The files in which a client looks for switches. The README names the sources.
fn places(
    client: Client,
    folders: &Folders,
    scope: &Scope,
) -> Vec<(PathBuf, Format, &'static [Switch])> {
    let system = folders.system;
    let mut places = Vec::new();
    let mut add = |path: Option<PathBuf>, format, switches| {
        if let Some(path) = path {
            places.push((path, format, switches));
        }
    };
    let managed = |linux: &str, mac: &str, windows: &str| {
        Some(PathBuf::from(match system {
            System::Linux => linux,
            System::MacOs => mac,
            System::Windows => windows,
        }))
    };
    let own = |own: &Option<PathBuf>, fallback, name| {
        folders.in_own(own.as_ref(), client, (fallback, name)).ok()
    };
    let project = |name: &str| match scope {
        Scope::Project(folder) => Some(system.below(folder, name)),
        Scope::User => None,
    };
    match client {
        Client::ClaudeCode => {
            let path = managed(
                "/etc/claude-code/managed-settings.json",
                "/Library/Application Support/ClaudeCode/managed-settings.json",
                r"C:\Program Files\ClaudeCode\managed-settings.json",
            );
            add(path, Format::Json, &[DISABLE_ALL, ONLY_MANAGED][..]);
            add(
                project(".claude/settings.local.json"),
                Format::Json,
                &[DISABLE_ALL],
            );
            add(
                project(".claude/settings.json"),
                Format::Json,
                &[DISABLE_ALL],
            );
            add(
                own(&folders.claude_config, ".claude", "settings.json"),
                Format::Json,
                &[DISABLE_ALL],
            );
        }
        Client::Codex => {
            let path = managed(
                "/etc/codex/requirements.toml",
                "/etc/codex/requirements.toml",
                "",
            );
            add(path, Format::Toml, &[FEATURE, FORMER_FEATURE]);
            add(
                project(".codex/config.toml"),
                Format::Toml,
                &[FEATURE, FORMER_FEATURE],
            );
            add(
                own(&folders.codex_home, ".codex", "config.toml"),
                Format::Toml,
                &[FEATURE, FORMER_FEATURE],
            );
        }
        Client::GeminiCli => {
            let path = managed(
                "/etc/gemini-cli/settings.json",
                "/Library/Application Support/GeminiCli/settings.json",
                r"C:\ProgramData\gemini-cli\settings.json",
            );
            add(path, Format::Json, &[HOOKS_CONFIG]);
            add(
                project(".gemini/settings.json"),
                Format::Json,
                &[HOOKS_CONFIG],
            );
            add(
                folders.in_home(client, ".gemini/settings.json").ok(),
                Format::Json,
                &[HOOKS_CONFIG],
            );
        }
        Client::CopilotCli => {
            add(
                project(".github/copilot/settings.local.json"),
                Format::Json,
                &[DISABLE_ALL],
            );
            add(
                project(".github/copilot/settings.json"),
                Format::Json,
                &[DISABLE_ALL],
            );
            add(
                own(&folders.copilot_home, ".copilot", "settings.json"),
                Format::Json,
                &[DISABLE_ALL],
            );
            add(
                own(&folders.copilot_home, ".copilot", "hooks/annals.json"),
                Format::Json,
                &[DISABLE_ALL],
            );
        }
        _ => {}
    }
    places
}
