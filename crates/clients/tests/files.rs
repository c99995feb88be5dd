//! The fate of files and folders.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::fs;
use std::path::{Path, PathBuf};

use annals_clients::{
    Action, Client, Command, Error, Folders, HeldFile, Plan, Planner, Problem, Scope, Standing,
    System, status,
};
use tempfile::TempDir;

struct Home {
    folder: TempDir,
    folders: Folders,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().to_owned();
        let folders = Folders::of_environment(System::Linux, |name| {
            (name == "HOME").then(|| home.clone().into())
        });
        Self { folder, folders }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn planned(&self, client: Client) -> Result<Plan, Error> {
        let mut planner = Planner::new(&self.folders);
        planner.install(
            client,
            &Scope::User,
            &command("/opt/annals"),
            client.has_hooks(),
        )?;
        Ok(planner.finish())
    }

    fn install(&self, client: Client) -> Plan {
        let plan = self.planned(client).unwrap();
        plan.apply().unwrap();
        plan
    }

    fn uninstall(&self, client: Client) -> Plan {
        let mut planner = Planner::new(&self.folders);
        planner.uninstall(client, &Scope::User, false).unwrap();
        let plan = planner.finish();
        plan.apply().unwrap();
        plan
    }

    /// The names of all files and folders, sorted.
    fn names(&self) -> Vec<String> {
        fn below(folder: &Path, name: &str, names: &mut Vec<String>) {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let name = format!("{name}/{}", entry.file_name().to_str().unwrap());
                if entry.path().is_dir() {
                    below(&entry.path(), &name, names);
                }
                names.push(name);
            }
        }
        let mut names = Vec::new();
        below(self.folder.path(), "", &mut names);
        names.sort();
        names
    }
}

fn command(program: &str) -> Command {
    Command::new(Path::new(program), None).unwrap()
}

fn actions(plan: &Plan) -> Vec<Action> {
    plan.changes()
        .iter()
        .map(annals_clients::Change::action)
        .collect()
}

const SERVERS: &str = "{\n  // mine\n  \"mcpServers\": {}\n}\n";

#[test]
fn a_client_that_is_not_there_gets_its_files_and_loses_them_again() {
    for client in Client::ALL {
        let home = Home::new();
        let plan = home.install(client);
        assert!(
            actions(&plan)
                .iter()
                .all(|action| *action == Action::Created),
            "{client:?}"
        );
        assert!(!home.names().is_empty());
        assert!(
            actions(&home.install(client))
                .iter()
                .all(|action| *action == Action::Unchanged)
        );
        let plan = home.uninstall(client);
        assert!(
            actions(&plan)
                .iter()
                .all(|action| *action == Action::Deleted),
            "{client:?}"
        );
        assert_eq!(home.names(), Vec::<String>::new(), "{client:?}");
        assert_eq!(actions(&home.uninstall(client)), []);
    }
}

/// A folder that a client or a person made stays, empty as it was, however deep the file stood in
/// it.
#[test]
fn an_empty_folder_of_before_stays() {
    for (client, folder) in [
        (Client::Cursor, ".cursor"),
        (Client::Codex, ".codex"),
        (Client::Antigravity, ".gemini"),
        (Client::CopilotCli, ".copilot"),
        (Client::Zed, ".config"),
    ] {
        let home = Home::new();
        fs::create_dir(home.path(folder)).unwrap();
        for _ in 0..2 {
            home.install(client);
            assert!(home.names().len() > 1);
            home.uninstall(client);
            assert_eq!(home.names(), [format!("/{folder}")], "{client:?}");
        }
    }
}

/// What others get of a project names no program of this machine where the client has a file of its
/// own for that.
#[test]
fn hooks_of_a_project_stand_in_the_file_that_is_not_shared() {
    let home = Home::new();
    let project = home.path("project");
    fs::create_dir(&project).unwrap();
    let scope = Scope::Project(project.clone());
    let mut planner = Planner::new(&home.folders);
    for client in [Client::ClaudeCode, Client::CopilotCli] {
        planner
            .install(client, &scope, &command("/opt/annals"), true)
            .unwrap();
    }
    planner.finish().apply().unwrap();
    let hooks = |name: &str| fs::read_to_string(project.join(name)).unwrap();
    assert!(hooks(".claude/settings.local.json").contains("UserPromptSubmit"));
    let copilot = hooks(".github/copilot/settings.local.json");
    assert!(
        copilot.contains("userPromptSubmitted") && !copilot.contains("version"),
        "{copilot}"
    );
    assert!(
        !project.join(".claude/settings.json").exists() && !project.join(".github/hooks").exists()
    );
}

#[test]
fn a_switch_that_keeps_hooks_from_running_is_found() {
    let project = "project";
    for (client, file, text, key) in [
        (
            Client::ClaudeCode,
            ".claude/settings.json",
            "{ \"disableAllHooks\": true }",
            "disableAllHooks",
        ),
        (
            Client::ClaudeCode,
            "project/.claude/settings.json",
            "{\"disableAllHooks\": true}",
            "disableAllHooks",
        ),
        (
            Client::ClaudeCode,
            "project/.claude/settings.local.json",
            "{\"disableAllHooks\": true}",
            "disableAllHooks",
        ),
        (
            Client::Codex,
            ".codex/config.toml",
            "[features]\nhooks = false\n",
            "features.hooks",
        ),
        (
            Client::Codex,
            ".codex/config.toml",
            "features.codex_hooks = false\n",
            "features.codex_hooks",
        ),
        (
            Client::GeminiCli,
            ".gemini/settings.json",
            "{\"hooksConfig\": {\"enabled\": false}}",
            "hooksConfig.enabled",
        ),
        (
            Client::CopilotCli,
            "project/.github/copilot/settings.json",
            "{\"disableAllHooks\":true}",
            "disableAllHooks",
        ),
    ] {
        let home = Home::new();
        let scope = Scope::Project(home.path(project));
        let path = home.file(file, text);
        let off = annals_clients::hooks_off(client, &home.folders, &scope).unwrap();
        assert_eq!((off.path.as_path(), off.key), (path.as_path(), key));
        let other = if file.starts_with(project) {
            None
        } else {
            Some(path)
        };
        let user =
            annals_clients::hooks_off(client, &home.folders, &Scope::User).map(|off| off.path);
        assert_eq!(user, other, "{client:?}");
        home.file(
            file,
            &text
                .replace("true", "maybe")
                .replace("false", "true")
                .replace("maybe", "false"),
        );
        assert_eq!(
            annals_clients::hooks_off(client, &home.folders, &scope),
            None,
            "{client:?}"
        );
    }
}

#[test]
fn a_plan_writes_nothing_and_shows_the_difference() {
    let home = Home::new();
    let file = home.file(".cursor/mcp.json", SERVERS);
    let plan = home.planned(Client::Cursor).unwrap();
    assert_eq!(actions(&plan), [Action::Changed, Action::Created]);
    assert_eq!(
        plan.changes()[0].backup(),
        Some(home.path(".cursor/mcp.json.annals-backup"))
    );
    let diff = plan.changes()[0].diff();
    for line in [
        "--- ",
        "+++ ",
        "@@ ",
        "-  \"mcpServers\": {}",
        "+    \"annals\": {",
        "   // mine",
    ] {
        assert!(diff.contains(line), "{line:?} in {diff}");
    }
    assert!(
        plan.changes()[1].diff().starts_with("--- /dev/null\n"),
        "{}",
        plan.changes()[1].diff()
    );
    assert_eq!(fs::read_to_string(file).unwrap(), SERVERS);
    assert_eq!(home.names(), ["/.cursor", "/.cursor/mcp.json"]);
}

#[test]
fn what_cannot_be_read_is_left_as_it_is() {
    for (bytes, line) in [
        (&b"{\n  \"a\": [1,\n}\n"[..], Some(3)),
        (b"{}\n\n\"\xff\"", Some(3)),
        (b"[]", None),
    ] {
        let home = Home::new();
        let file = home.file(".cursor/mcp.json", "");
        fs::write(&file, bytes).unwrap();
        let refused = home.planned(Client::Cursor).unwrap_err();
        assert_eq!(
            (refused.path(), refused.line()),
            (Some(file.as_path()), line),
            "{refused}"
        );
        assert!(
            refused.to_string().contains("mcp.json") && refused.advice().contains("left as it is"),
            "{refused}"
        );
        assert_eq!(fs::read(&file).unwrap(), bytes);
        assert_eq!(home.names(), ["/.cursor", "/.cursor/mcp.json"]);
    }
}

#[test]
fn a_file_that_changed_since_the_plan_is_left_alone() {
    let home = Home::new();
    let file = home.file(".cursor/mcp.json", SERVERS);
    let plan = home.planned(Client::Cursor).unwrap();
    fs::write(&file, "{\"other\": 1}").unwrap();
    assert!(matches!(plan.apply(), Err(Error::Changed { path }) if path == file));
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\"other\": 1}");
    assert!(
        home.names().iter().all(|name| !name.contains(".tmp")),
        "{:?}",
        home.names()
    );
}

/// The copy is always of the file without annals.
#[test]
fn the_copy_is_of_the_time_before_annals() {
    let home = Home::new();
    let file = home.file(".cursor/mcp.json", SERVERS);
    let copy = home.path(".cursor/mcp.json.annals-backup");
    home.install(Client::Cursor);
    assert_eq!(fs::read_to_string(&copy).unwrap(), SERVERS);

    let mut planner = Planner::new(&home.folders);
    planner
        .install(
            Client::Cursor,
            &Scope::User,
            &command("/elsewhere/annals"),
            false,
        )
        .unwrap();
    let plan = planner.finish();
    assert_eq!(plan.changes()[0].backup(), None);
    plan.apply().unwrap();
    assert!(
        fs::read_to_string(&file)
            .unwrap()
            .contains("/elsewhere/annals")
    );
    assert_eq!(
        fs::read_to_string(&copy).unwrap(),
        SERVERS,
        "a newer entry does not replace it"
    );

    let more = fs::read_to_string(&file)
        .unwrap()
        .replace("// mine", "// mine and more");
    fs::write(&file, more).unwrap();
    home.uninstall(Client::Cursor);
    let left = fs::read_to_string(&file).unwrap();
    assert_eq!(
        left,
        SERVERS.replace("// mine", "// mine and more"),
        "the container was there before"
    );
    assert_eq!(
        fs::read_to_string(&copy).unwrap(),
        SERVERS,
        "it differs from the file, so it stays"
    );

    home.install(Client::Cursor);
    assert_eq!(
        fs::read_to_string(&copy).unwrap(),
        left,
        "a new installation begins with a new copy"
    );
    home.uninstall(Client::Cursor);
    assert_eq!(
        (fs::read_to_string(&file).unwrap(), copy.exists()),
        (left, false)
    );
}

#[test]
fn hooks_come_and_go_by_themselves() {
    let home = Home::new();
    let mut planner = Planner::new(&home.folders);
    planner
        .install(
            Client::GeminiCli,
            &Scope::User,
            &command("/opt/annals"),
            false,
        )
        .unwrap();
    planner.finish().apply().unwrap();
    let file = home.path(".gemini/settings.json");
    let alone = fs::read_to_string(&file).unwrap();
    assert!(
        alone.contains("mcpServers") && !alone.contains("hooks"),
        "{alone}"
    );
    home.install(Client::GeminiCli);
    assert!(fs::read_to_string(&file).unwrap().contains("AfterAgent"));

    // Hooks that stand there are brought up to date without being asked for.
    let mut planner = Planner::new(&home.folders);
    planner
        .install(
            Client::GeminiCli,
            &Scope::User,
            &command("/new/annals"),
            false,
        )
        .unwrap();
    planner.finish().apply().unwrap();
    assert!(!fs::read_to_string(&file).unwrap().contains("/opt/annals"));

    let mut planner = Planner::new(&home.folders);
    planner
        .uninstall(Client::GeminiCli, &Scope::User, true)
        .unwrap();
    planner.finish().apply().unwrap();
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        alone.replace("/opt/annals", "/new/annals")
    );
}

#[test]
fn clients_that_share_a_file_share_its_entry() {
    let home = Home::new();
    let project = home.path("project");
    fs::create_dir(&project).unwrap();
    let scope = Scope::Project(project);
    let mut planner = Planner::new(&home.folders);
    for client in [Client::ClaudeCode, Client::CopilotCli] {
        planner
            .install(client, &scope, &command("/opt/annals"), false)
            .unwrap();
    }
    let plan = planner.finish();
    assert_eq!(plan.changes().len(), 1);
    assert_eq!(
        plan.changes()[0].clients(),
        [Client::ClaudeCode, Client::CopilotCli]
    );
    plan.apply().unwrap();
    let mut planner = Planner::new(&home.folders);
    for client in [Client::ClaudeCode, Client::CopilotCli] {
        planner.uninstall(client, &scope, false).unwrap();
    }
    planner.finish().apply().unwrap();
    assert_eq!(
        home.names(),
        ["/project"],
        "the folder of the project stays"
    );
}

#[test]
fn a_client_without_hooks_or_projects_says_so() {
    let home = Home::new();
    let mut planner = Planner::new(&home.folders);
    let refused = planner
        .install(Client::Zed, &Scope::User, &command("/opt/annals"), true)
        .unwrap_err();
    assert!(
        matches!(refused, Error::NoHooks { client: "Zed" }),
        "{refused}"
    );
    let project = Scope::Project(home.path("project"));
    let refused = planner
        .install(
            Client::ClaudeDesktop,
            &project,
            &command("/opt/annals"),
            false,
        )
        .unwrap_err();
    assert!(matches!(refused, Error::NoProject { .. }), "{refused}");
    let renamed = Command::new(Path::new("/opt/memory"), None).unwrap_err();
    assert!(matches!(renamed, Error::Name { .. }), "{renamed}");
    let nowhere = Folders::of_environment(System::Windows, |_| None);
    let refused = Planner::new(&nowhere)
        .install(Client::Zed, &Scope::User, &command("annals"), false)
        .unwrap_err();
    assert!(matches!(refused, Error::NoFolder { .. }), "{refused}");
}

#[test]
fn the_status_tells_what_is_missing_and_out_of_date() {
    let home = Home::new();
    let look =
        |client, program: &str| status(client, &home.folders, &Scope::User, &command(program));
    let absent = look(Client::Codex, "/opt/annals");
    assert_eq!(
        (absent.found, absent.server, absent.hooks),
        (false, Standing::Absent, Some(Standing::Absent))
    );
    home.install(Client::Codex);
    let current = look(Client::Codex, "/opt/annals");
    assert_eq!(
        (current.found, current.server, current.hooks),
        (true, Standing::Current, Some(Standing::Current))
    );
    assert_eq!(
        current.files,
        [
            home.path(".codex/config.toml"),
            home.path(".codex/hooks.json")
        ]
    );
    let old = look(Client::Codex, "/new/annals");
    assert_eq!(
        (old.server, old.hooks),
        (Standing::Outdated, Some(Standing::Outdated))
    );
    let text = fs::read_to_string(home.path(".codex/hooks.json"))
        .unwrap()
        .replace("hook codex Stop", "hook codex Halt");
    home.file(".codex/hooks.json", &text);
    assert_eq!(
        look(Client::Codex, "/opt/annals").hooks,
        Some(Standing::Outdated),
        "one event is missing"
    );
    home.file(
        ".config/zed/settings.json",
        "{\"context_servers\": {\"annals\": {\"command\": \"history\"}}}",
    );
    assert_eq!(look(Client::Zed, "/opt/annals").server, Standing::Foreign);
    home.file(".config/zed/settings.json", "{");
    let broken = look(Client::Zed, "/opt/annals").problem.unwrap();
    assert!(
        matches!(
            broken,
            Error::Refused {
                problem: Problem::Syntax { .. },
                ..
            }
        ),
        "{broken}"
    );
}

#[test]
fn variables_of_clients_move_their_files() {
    let folders = Folders::of_environment(System::Linux, |name| match name {
        "HOME" => Some("/home/ada".into()),
        "CLAUDE_CONFIG_DIR" => Some("/c".into()),
        "CODEX_HOME" => Some("/x".into()),
        "COPILOT_HOME" => Some("/p".into()),
        "XDG_CONFIG_HOME" => Some("/conf".into()),
        _ => None,
    });
    let files = |client| annals_clients::files(client, &folders, &Scope::User).unwrap();
    let paths = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
    assert_eq!(
        files(Client::ClaudeCode),
        paths(&["/c/.claude.json", "/c/settings.json"])
    );
    assert_eq!(
        files(Client::Codex),
        paths(&["/x/config.toml", "/x/hooks.json"])
    );
    assert_eq!(
        files(Client::CopilotCli),
        paths(&["/p/mcp-config.json", "/p/hooks/annals.json"])
    );
    assert_eq!(files(Client::Zed), paths(&["/conf/zed/settings.json"]));
    assert_eq!(files(Client::VsCode), paths(&["/conf/Code/User/mcp.json"]));
}

/// On another system a folder of Windows is one name, so only its text can be looked at there.
#[cfg(windows)]
#[test]
fn a_packaged_claude_desktop_has_its_file_in_the_package() {
    let local = tempfile::tempdir().unwrap();
    let package = local.path().join("Packages").join("Claude_pzs8sxrjxfjjc");
    fs::create_dir_all(&package).unwrap();
    let folders = Folders::of_environment(System::Windows, |name| match name {
        "LOCALAPPDATA" => Some(local.path().into()),
        "USERPROFILE" | "APPDATA" => Some("C:\\Users\\Ada".into()),
        _ => None,
    });
    let files = annals_clients::files(Client::ClaudeDesktop, &folders, &Scope::User).unwrap();
    assert_eq!(
        files,
        [package.join("LocalCache\\Roaming\\Claude\\claude_desktop_config.json")]
    );
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn rights_and_links_stay() {
        let home = Home::new();
        let real = home.file("dotfiles/mcp.json", SERVERS);
        fs::set_permissions(&real, PermissionsExt::from_mode(0o640)).unwrap();
        fs::create_dir(home.path(".cursor")).unwrap();
        symlink("../dotfiles/mcp.json", home.path(".cursor/mcp.json")).unwrap();
        home.install(Client::Cursor);
        assert!(
            fs::symlink_metadata(home.path(".cursor/mcp.json"))
                .unwrap()
                .is_symlink()
        );
        assert!(fs::read_to_string(&real).unwrap().contains("annals"));
        for path in [&real, &home.path(".cursor/mcp.json.annals-backup")] {
            assert_eq!(
                fs::metadata(path).unwrap().permissions().mode() & 0o777,
                0o640,
                "{path:?}"
            );
        }
        home.uninstall(Client::Cursor);
        assert_eq!(fs::read_to_string(&real).unwrap(), SERVERS);
        assert!(
            fs::symlink_metadata(home.path(".cursor/mcp.json"))
                .unwrap()
                .is_symlink()
        );
    }

    #[test]
    fn a_link_to_a_file_that_is_not_there_yet_is_followed() {
        let home = Home::new();
        fs::create_dir(home.path(".cursor")).unwrap();
        fs::create_dir(home.path("dotfiles")).unwrap();
        symlink(
            home.path("dotfiles/mcp.json"),
            home.path(".cursor/mcp.json"),
        )
        .unwrap();
        home.install(Client::Cursor);
        assert!(
            fs::read_to_string(home.path("dotfiles/mcp.json"))
                .unwrap()
                .contains("annals")
        );
        home.uninstall(Client::Cursor);
        assert!(
            !home.path("dotfiles/mcp.json").exists() && home.path(".cursor/mcp.json").is_symlink()
        );
        symlink("b", home.path("dotfiles/a")).unwrap();
        symlink("a", home.path("dotfiles/b")).unwrap();
        fs::remove_file(home.path(".cursor/mcp.json")).unwrap();
        symlink(home.path("dotfiles/a"), home.path(".cursor/mcp.json")).unwrap();
        assert!(matches!(
            home.planned(Client::Cursor),
            Err(Error::Read { .. })
        ));
    }
}

/// Several processes may be about the same file at once; each is a whole change.
#[test]
fn changes_at_once_lose_nothing() {
    let home = Home::new();
    let path = home.file("settings.json", "0");
    let count = 64;
    let together = std::sync::Barrier::new(count);
    std::thread::scope(|scope| {
        for _ in 0..count {
            scope.spawn(|| {
                together.wait();
                let mut held = HeldFile::hold(&path).unwrap();
                let number: u64 = std::str::from_utf8(held.bytes().unwrap())
                    .unwrap()
                    .parse()
                    .unwrap();
                held.replace((number + 1).to_string().as_bytes()).unwrap();
            });
        }
    });
    assert_eq!(fs::read_to_string(&path).unwrap(), count.to_string());
    assert_eq!(home.names(), ["/settings.json"]);
}

#[test]
fn plans_at_once_are_each_whole_or_told_to_be_made_anew() {
    let home = Home::new();
    home.file(".claude.json", "{\"theme\": \"dark\"}\n");
    let apply = |program: &str| {
        loop {
            let mut planner = Planner::new(&home.folders);
            planner
                .install(Client::ClaudeCode, &Scope::User, &command(program), true)
                .unwrap();
            match planner.finish().apply() {
                Err(Error::Changed { .. }) => {}
                done => return done.unwrap(),
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| apply("/opt/annals"));
        }
    });
    let text = fs::read_to_string(home.path(".claude.json")).unwrap();
    assert!(
        text.contains("dark") && text.contains("/opt/annals"),
        "{text}"
    );
    home.uninstall(Client::ClaudeCode);
    assert_eq!(
        fs::read_to_string(home.path(".claude.json")).unwrap(),
        "{\"theme\": \"dark\"}\n"
    );
}

/// A project may be a clone of somebody else's repository.
#[cfg(unix)]
#[test]
fn files_of_a_project_stay_within_it() {
    let home = Home::new();
    let outside = home.file("outside/mcp.json", "{}\n");
    let project = home.path("project");
    fs::create_dir_all(&project).unwrap();
    let planned = || {
        let mut planner = Planner::new(&home.folders);
        planner.install(
            Client::Cursor,
            &Scope::Project(project.clone()),
            &command("/opt/annals"),
            false,
        )
    };
    std::os::unix::fs::symlink(home.path("outside"), project.join(".cursor")).unwrap();
    assert!(matches!(planned(), Err(Error::LeadsOut { .. })));
    fs::remove_file(project.join(".cursor")).unwrap();
    fs::create_dir(project.join(".cursor")).unwrap();
    std::os::unix::fs::symlink(&outside, project.join(".cursor/mcp.json")).unwrap();
    assert!(matches!(planned(), Err(Error::LeadsOut { .. })));
    fs::remove_file(project.join(".cursor/mcp.json")).unwrap();
    std::os::unix::fs::symlink("other.json", project.join(".cursor/mcp.json")).unwrap();
    planned().unwrap();
    assert_eq!(fs::read_to_string(&outside).unwrap(), "{}\n");
}
