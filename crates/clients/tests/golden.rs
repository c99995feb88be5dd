//! The whole files of each client on each system.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use annals_clients::{Client, Command, Folders, Planner, Scope, System};

/// The folders of a user, with everything below `base`, which no file name shows.
fn folders(base: &Path, system: System) -> Folders {
    let text = |name: &str| Some(OsString::from(base.join(name)));
    Folders::of_environment(system, |name| match (system, name) {
        (System::Windows, "USERPROFILE") => text("Ada"),
        (System::Windows, "APPDATA") => text("Ada\\AppData\\Roaming"),
        (System::Windows, "LOCALAPPDATA") => text("Ada\\AppData\\Local"),
        (System::Linux | System::MacOs, "HOME") => text("ada"),
        _ => None,
    })
}

fn command(system: System) -> Command {
    let (program, database) = match system {
        System::Windows => (
            r"C:\Program Files\annals\annals.exe",
            r"C:\Users\Ada Lovelace\agent.annals",
        ),
        System::MacOs => (
            "/Applications/Ada's tools/annals",
            "/Users/ada/agent.annals",
        ),
        System::Linux => ("/home/ada/.cargo/bin/annals", "/home/ada/agent.annals"),
    };
    // A program without blanks in its path and without a database of its own is the usual case.
    let database = (system != System::Linux).then(|| Path::new(database));
    Command::new(Path::new(program), database).unwrap()
}

/// The files below a folder with their contents.
fn files(folder: &Path, below: &str, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = format!("{below}{}", entry.file_name().to_str().unwrap());
        if entry.path().is_dir() {
            files(&entry.path(), &format!("{name}/"), found);
        } else {
            // The name of a file of Windows is a path there and one name elsewhere.
            found.insert(
                name.replace('\\', "/"),
                fs::read_to_string(entry.path()).unwrap(),
            );
        }
    }
}

fn installed(client: Client, system: System, project: bool) -> String {
    let base = tempfile::tempdir().unwrap();
    let folders = folders(base.path(), system);
    let scope = if project {
        Scope::Project(base.path().join("project"))
    } else {
        Scope::User
    };
    let mut planner = Planner::new(&folders);
    planner
        .install(client, &scope, &command(system), client.has_hooks())
        .unwrap();
    planner.finish().apply().unwrap();
    let mut found = BTreeMap::new();
    files(base.path(), "", &mut found);
    found
        .into_iter()
        .map(|(name, text)| format!("--- {name}\n{text}"))
        .collect()
}

#[test]
fn every_client_gets_its_files_on_every_system() {
    for client in Client::ALL {
        let mut all = String::new();
        for system in [System::Linux, System::MacOs, System::Windows] {
            all.push_str(&format!(
                "===== {system:?}\n{}",
                installed(client, system, false)
            ));
        }
        if client.has_projects() {
            all.push_str(&format!(
                "===== in a project\n{}",
                installed(client, System::Linux, true)
            ));
        }
        insta::assert_snapshot!(client.name(), all);
    }
}

/// A file as a person wrote it, and what becomes of it.
#[track_caller]
fn becomes(name: &str, client: Client, path: &str, before: &str) {
    let base = tempfile::tempdir().unwrap();
    let folders = folders(base.path(), System::Linux);
    let file = base.path().join("ada").join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, before).unwrap();
    let mut planner = Planner::new(&folders);
    planner
        .install(
            client,
            &Scope::User,
            &command(System::Linux),
            client.has_hooks(),
        )
        .unwrap();
    planner.finish().apply().unwrap();
    let after = fs::read_to_string(&file).unwrap();
    let shown = after
        .replace('\r', "\\r")
        .replace('\u{feff}', "\\u{feff}")
        .replace('\t', "\\t");
    insta::assert_snapshot!(name, shown);
    assert_eq!(
        fs::read_to_string(format!("{}.annals-backup", file.display())).unwrap(),
        before
    );

    let mut planner = Planner::new(&folders);
    planner.uninstall(client, &Scope::User, false).unwrap();
    planner.finish().apply().unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
    let mut left = BTreeMap::new();
    files(base.path(), "", &mut left);
    assert_eq!(
        left.keys()
            .map(|name| format!("ada/{path}") == *name)
            .collect::<Vec<_>>(),
        [true],
        "{left:?}"
    );
}

#[test]
fn files_that_people_wrote_keep_their_form() {
    becomes(
        "zed_with_comments_and_trailing_commas",
        Client::Zed,
        ".config/zed/settings.json",
        r##"// Zed settings
//
// see the documentation
{
    "theme": "One Dark", // dark
    /* servers */
    "context_servers": {
        "docs": {
            "command": "npx",
        },
    },
    "vim_mode": true,
}
"##,
    );
    becomes(
        "vscode_with_tabs_and_inputs",
        Client::VsCode,
        ".config/Code/User/mcp.json",
        "{\n\t\"servers\": {\n\t\t\"docs\": {\"command\": \"npx\"}\n\t},\n\t\"inputs\": []\n}",
    );
    becomes(
        "claude_code_on_one_line",
        Client::ClaudeCode,
        ".claude.json",
        "{\"numStartups\":12,\"mcpServers\":{\"docs\":{\"type\":\"stdio\",\"command\":\"npx\",\"args\":[]}},\"x\":{}}",
    );
    becomes(
        "claude_code_with_hooks_of_others",
        Client::ClaudeCode,
        ".claude/settings.json",
        r##"{
  "model": "opus",
  "hooks": {
    "Stop": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "afplay done.wav"
          }
        ]
      }
    ]
  }
}
"##,
    );
    becomes(
        "claude_desktop_empty",
        Client::ClaudeDesktop,
        ".config/Claude/claude_desktop_config.json",
        "",
    );
    becomes(
        "cursor_with_windows_line_breaks_and_mark",
        Client::Cursor,
        ".cursor/mcp.json",
        "\u{feff}{\r\n   \"mcpServers\": {\r\n   }\r\n}\r\n",
    );
    becomes(
        "cursor_hooks_of_others",
        Client::Cursor,
        ".cursor/hooks.json",
        "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [{ \"command\": \"./done.sh\" }]\n  }\n}\n",
    );
    becomes(
        "codex_with_comments_and_tables",
        Client::Codex,
        ".codex/config.toml",
        r##"model = "gpt-5"  # the best

# servers
[mcp_servers.docs]
command = 'npx'
args = [
    "-y",
    "docs",  # reads
]

[tui]
theme = "dark"
# the end
"##,
    );
    becomes(
        "codex_with_windows_line_breaks",
        Client::Codex,
        ".codex/config.toml",
        "model = \"gpt-5\"\r\n\r\n[projects.'C:\\work']\r\ntrust_level = \"trusted\"\r\n",
    );
    becomes(
        "codex_within_braces",
        Client::Codex,
        ".codex/config.toml",
        "mcp_servers = { docs = { command = \"x\" } }\n",
    );
    becomes(
        "gemini_with_hooks_of_others",
        Client::GeminiCli,
        ".gemini/settings.json",
        r##"{
  "hooks": {
    "BeforeAgent": [
      { "matcher": "*", "hooks": [] }
    ]
  },
  "security": {"auth": {"selectedType": "oauth-personal"}}
}
"##,
    );
    becomes(
        "copilot_with_other_servers",
        Client::CopilotCli,
        ".copilot/mcp-config.json",
        r##"{
  "mcpServers": {
    "docs": {
      "type": "http",
      "url": "https://x.test/mcp",
      "tools": [
        "*"
      ]
    }
  }
}
"##,
    );
}
