//! Where each client keeps its files, and in which form. The sources are in the README.

use std::path::{Path, PathBuf};

use crate::hook::{self, Hooks};
use crate::target::{Format, Servers, Target};
use crate::{Client, Error, Folders, System};

const COMMON: Servers = Servers {
    key: "mcpServers",
    kind: None,
    tools: false,
};
const STDIO: Servers = Servers {
    key: "mcpServers",
    kind: Some("stdio"),
    tools: false,
};
const VS_CODE: Servers = Servers {
    key: "servers",
    kind: Some("stdio"),
    tools: false,
};
const ZED: Servers = Servers {
    key: "context_servers",
    kind: None,
    tools: false,
};
const CODEX: Servers = Servers {
    key: "mcp_servers",
    kind: None,
    tools: false,
};
const COPILOT: Servers = Servers {
    key: "mcpServers",
    kind: Some("local"),
    tools: true,
};

/// The files of a user.
pub(crate) fn user(client: Client, folders: &Folders) -> Result<Vec<Target>, Error> {
    let home = |parts: &str| folders.in_home(client, parts);
    let root = home("")?;
    let target = |path, servers, hooks| Target {
        path,
        format: Format::Json,
        servers,
        hooks,
        root: root.clone(),
    };
    Ok(match client {
        Client::ClaudeCode => {
            let servers = match &folders.claude_config {
                Some(folder) => folders.system.below(folder, ".claude.json"),
                None => home(".claude.json")?,
            };
            let own = folders.claude_config.as_ref();
            let settings = folders.in_own(own, client, (".claude", "settings.json"))?;
            vec![
                target(servers, Some(STDIO), None),
                target(settings, None, Some(&hook::CLAUDE_CODE)),
            ]
        }
        Client::ClaudeDesktop => vec![target(claude_desktop(folders)?, Some(COMMON), None)],
        Client::Cursor => vec![
            target(home(".cursor/mcp.json")?, Some(COMMON), None),
            target(home(".cursor/hooks.json")?, None, Some(&hook::CURSOR)),
        ],
        Client::VsCode => vec![target(
            folders.in_settings(client, "Code/User/mcp.json")?,
            Some(VS_CODE),
            None,
        )],
        Client::Codex => {
            let own = |name| folders.in_own(folders.codex_home.as_ref(), client, (".codex", name));
            let servers = Target {
                format: Format::Toml,
                ..target(own("config.toml")?, Some(CODEX), None)
            };
            vec![
                servers,
                target(own("hooks.json")?, None, Some(&hook::CODEX)),
            ]
        }
        Client::GeminiCli => vec![target(
            home(".gemini/settings.json")?,
            Some(COMMON),
            Some(&hook::GEMINI_CLI),
        )],
        Client::Antigravity => vec![target(
            home(".gemini/config/mcp_config.json")?,
            Some(COMMON),
            None,
        )],
        Client::Zed => vec![target(zed(folders)?, Some(ZED), None)],
        Client::CopilotCli => {
            let own =
                |name| folders.in_own(folders.copilot_home.as_ref(), client, (".copilot", name));
            vec![
                target(own("mcp-config.json")?, Some(COPILOT), None),
                target(own("hooks/annals.json")?, None, Some(&hook::COPILOT_CLI)),
            ]
        }
    })
}

/// The files of a project. Where a client has a file that is not shared with others, it is that
/// one: the entries name a program on this machine.
pub(crate) fn project(
    client: Client,
    folders: &Folders,
    project: &Path,
) -> Result<Vec<Target>, Error> {
    let target = |parts: &str, servers, hooks: Option<&'static Hooks>| {
        let path = folders.system.below(project, parts);
        Target {
            path,
            format: Format::Json,
            servers,
            hooks,
            root: project.to_owned(),
        }
    };
    Ok(match client {
        Client::ClaudeDesktop => {
            return Err(Error::NoProject {
                client: client.title(),
            });
        }
        Client::ClaudeCode => vec![
            target(".mcp.json", Some(STDIO), None),
            target(
                ".claude/settings.local.json",
                None,
                Some(&hook::CLAUDE_CODE),
            ),
        ],
        Client::Cursor => vec![
            target(".cursor/mcp.json", Some(COMMON), None),
            target(".cursor/hooks.json", None, Some(&hook::CURSOR)),
        ],
        Client::VsCode => vec![target(".vscode/mcp.json", Some(VS_CODE), None)],
        Client::Codex => vec![
            Target {
                format: Format::Toml,
                ..target(".codex/config.toml", Some(CODEX), None)
            },
            target(".codex/hooks.json", None, Some(&hook::CODEX)),
        ],
        Client::GeminiCli => vec![target(
            ".gemini/settings.json",
            Some(COMMON),
            Some(&hook::GEMINI_CLI),
        )],
        Client::Antigravity => vec![target(".agents/mcp_config.json", Some(COMMON), None)],
        Client::Zed => vec![target(".zed/settings.json", Some(ZED), None)],
        // The file that Claude Code reads, so the entry is the same.
        Client::CopilotCli => vec![
            target(".mcp.json", Some(STDIO), None),
            target(
                ".github/copilot/settings.local.json",
                None,
                Some(&hook::COPILOT_CLI_SETTINGS),
            ),
        ],
    })
}

/// Files and folders that a client makes itself.
pub(crate) fn traces(client: Client, folders: &Folders) -> Vec<PathBuf> {
    let home = |parts: &str| folders.in_home(client, parts);
    let own = |own: Option<&PathBuf>, name: &str| own.cloned().map_or_else(|| home(name), Ok);
    let traces = match client {
        Client::ClaudeCode => vec![
            own(folders.claude_config.as_ref(), ".claude"),
            home(".claude.json"),
        ],
        Client::ClaudeDesktop => vec![claude_desktop(folders).map(parent)],
        Client::Cursor => vec![home(".cursor")],
        Client::VsCode => vec![folders.in_settings(client, "Code/User")],
        Client::Codex => vec![own(folders.codex_home.as_ref(), ".codex")],
        Client::GeminiCli => vec![home(".gemini/settings.json")],
        Client::Antigravity => {
            vec![
                home(".gemini/config"),
                home(".gemini/antigravity"),
                home(".gemini/antigravity-cli"),
            ]
        }
        Client::Zed => vec![zed(folders).map(parent)],
        Client::CopilotCli => vec![own(folders.copilot_home.as_ref(), ".copilot")],
    };
    traces.into_iter().flatten().collect()
}

fn zed(folders: &Folders) -> Result<PathBuf, Error> {
    match folders.system {
        System::Windows => folders.in_settings(Client::Zed, "Zed/settings.json"),
        System::MacOs => folders.in_home(Client::Zed, ".config/zed/settings.json"),
        System::Linux => folders.in_config(Client::Zed, "zed/settings.json"),
    }
}

/// On Windows a packaged Claude Desktop sees a copy of the usual folder, inside its package.
fn claude_desktop(folders: &Folders) -> Result<PathBuf, Error> {
    const FILE: &str = "claude_desktop_config.json";
    let packaged = folders
        .local_app_data
        .as_ref()
        .filter(|_| folders.system == System::Windows)
        .and_then(|local| {
            let entries = std::fs::read_dir(folders.system.below(local, "Packages")).ok()?;
            let named = |path: &PathBuf| {
                path.file_name()
                    .and_then(|name| name.to_str())
                    .is_some_and(|name| name.starts_with("Claude_"))
            };
            let mut packages: Vec<PathBuf> = entries
                .flatten()
                .map(|entry| entry.path())
                .filter(named)
                .collect();
            packages.sort();
            packages.into_iter().next()
        });
    match packaged {
        Some(package) => Ok(folders
            .system
            .below(&package, &format!("LocalCache/Roaming/Claude/{FILE}"))),
        None => folders.in_settings(Client::ClaudeDesktop, &format!("Claude/{FILE}")),
    }
}

fn parent(mut path: PathBuf) -> PathBuf {
    // A path of Windows that is looked at on another system has no parent there.
    if path.pop() { path } else { PathBuf::new() }
}
