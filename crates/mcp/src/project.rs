//! Which namespace holds the memories of a project.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

/// The namespace of what is true of the user in every project.
pub const USER_NAMESPACE: &str = "user";

/// How the namespaces of projects begin.
pub const PROJECT_PREFIX: &str = "project:";

/// The longest part of a folder's name that a namespace takes over, in characters.
const LONGEST_NAME: usize = 60;

/// The bytes of a hash that a namespace takes over.
const HASH_BYTES: usize = 12;

/// The namespace of the project that a folder belongs to: `project:NAME-HASH`.
///
/// The project is the [git root](git_root) above the folder, or the folder itself where there is
/// none. NAME is the last part of the address of its remote `origin`, or the name of its folder;
/// HASH tells projects of the same name apart: 24 digits of the SHA-256 of that address, or of the
/// path where there is no such remote, so that nobody can make an address with the hash of another.
/// Clones of one repository and worktrees of one clone are therefore one project, on every machine.
///
/// ```
/// let name = annals_mcp::project_namespace(std::path::Path::new("/home/ada/engine"));
/// assert!(name.starts_with("project:engine-"));
/// ```
#[must_use]
pub fn project_namespace(cwd: &Path) -> String {
    let names = ProjectNames::of(cwd);
    names.by_address.unwrap_or(names.by_folder)
}

/// What a project can be called. The address stands in a file of the repository, which an archive
/// brings along: a program that knows earlier clones holds the folder against them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProjectNames {
    /// The folder of the project, without links; of worktrees that of the main one.
    pub folder: PathBuf,
    /// The namespace by the address of `origin`; `None` where there is no such address.
    pub by_address: Option<String>,
    /// The namespace by the folder alone.
    pub by_folder: String,
}

impl ProjectNames {
    /// The names of the project that a folder belongs to.
    #[must_use]
    pub fn of(cwd: &Path) -> Self {
        let root = git_root(cwd).unwrap_or_else(|| real(cwd));
        let folder = main_folder(&root);
        let git = folder.join(".git");
        // A link would be another repository, which whoever packed this folder has chosen.
        let config = itself(&git)
            .filter(fs::Metadata::is_dir)
            .and_then(|_| read_config(&git.join("config")));
        let origin = config.and_then(|text| origin_of(&text));
        // The same folder is the same project through whatever link it is reached.
        let path = folder.as_os_str().as_encoded_bytes();
        let by_folder = named(&folder_name(&folder), path);
        Self {
            folder,
            by_address: origin.map(|address| named(last_part(&address), address.as_bytes())),
            by_folder,
        }
    }
}

/// The folder at or above `cwd` that holds `.git`; `None` outside of repositories. A `.git` of
/// another user than this one and root counts for none, and so does a link of another user: in a
/// folder that others may write it could be anyone's. A link is never followed: its folder is a
/// project of its own.
#[must_use]
pub fn git_root(cwd: &Path) -> Option<PathBuf> {
    let cwd = real(cwd);
    cwd.ancestors()
        .find(|folder| is_trusted(&folder.join(".git")))
        .map(Path::to_owned)
}

/// Whether something is there and belongs itself to this user or to root.
#[cfg(unix)]
fn is_trusted(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let own = rustix::process::geteuid().as_raw();
    itself(path).is_some_and(|found| [own, 0].contains(&found.uid()))
}

#[cfg(not(unix))]
fn is_trusted(path: &Path) -> bool {
    itself(path).is_some()
}

/// What is at a path, and not what a link there leads to.
fn itself(path: &Path) -> Option<fs::Metadata> {
    fs::symlink_metadata(path).ok()
}

/// The text of a regular file of at most 16 MiB.
pub(crate) fn read_regular(path: &Path) -> Option<String> {
    const MOST: usize = 16 << 20;
    let bytes = beginning(path, MOST + 1)?;
    (bytes.len() <= MOST).then(|| String::from_utf8(bytes).ok())?
}

/// The text of a configuration of git, of one that is longer its first lines: every hook reads it.
fn read_config(path: &Path) -> Option<String> {
    const MOST: usize = 1 << 20;
    let mut bytes = beginning(path, MOST)?;
    if bytes.len() == MOST {
        // A line that was cut would be another address.
        let whole = bytes.iter().rposition(|byte| *byte == b'\n')?;
        bytes.truncate(whole);
    }
    String::from_utf8(bytes).ok()
}

/// The first bytes of a regular file. Files of a project are somebody else's: a pipe would be
/// waited for, and a device read without end.
fn beginning(path: &Path, most: usize) -> Option<Vec<u8>> {
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let file = fs::File::open(path).ok()?;
    let mut bytes = Vec::new();
    file.take(u64::try_from(most).ok()?)
        .read_to_end(&mut bytes)
        .ok()?;
    Some(bytes)
}

fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn named(name: &str, identity: &[u8]) -> String {
    let fits = |c: char| {
        if c.is_alphanumeric() || matches!(c, '.' | '_' | '-') {
            c
        } else {
            '-'
        }
    };
    let name: String = name.chars().map(fits).take(LONGEST_NAME).collect();
    let name = if name.trim_matches('-').is_empty() {
        "root"
    } else {
        name.as_str()
    };
    let hash: String = Sha256::digest(identity)
        .iter()
        .take(HASH_BYTES)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("{PROJECT_PREFIX}{name}-{hash}")
}

fn folder_name(folder: &Path) -> String {
    folder
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// The main working tree of a linked one: `.git` is a file there that leads into the `.git` folder
/// of the main one, and what it leads to names that file. A submodule is a project of its own, and
/// so is a folder whose `.git` is a link: it could be one to the `.git` of any worktree.
fn main_folder(root: &Path) -> PathBuf {
    let linked = || {
        itself(&root.join(".git")).filter(fs::Metadata::is_file)?;
        let text = read_regular(&root.join(".git"))?;
        let git = root.join(text.strip_prefix("gitdir:")?.trim());
        let back = read_regular(&git.join("gitdir"))?;
        if real(&git.join(back.trim())) != real(&root.join(".git")) {
            return None;
        }
        let common = read_regular(&git.join("commondir"))?;
        let common = real(&git.join(common.trim()));
        // Nobody else writes there: what lies elsewhere could name any repository of this user.
        if !real(&git).starts_with(common.join("worktrees")) {
            return None;
        }
        let main = common.parent().filter(|_| common.ends_with(".git"))?;
        Some(main.to_owned())
    };
    linked().unwrap_or_else(|| root.to_owned())
}

/// The address of `origin` in a configuration of git, in one form for all protocols:
/// `host/path`, without user, port and `.git`.
fn origin_of(config: &str) -> Option<String> {
    let mut inside = false;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            inside = line.replace(' ', "") == r#"[remote"origin"]"#;
        } else if inside
            && let Some((key, value)) = line.split_once('=')
            && key.trim().eq_ignore_ascii_case("url")
        {
            return normal(value.trim().trim_matches('"'));
        }
    }
    None
}

fn normal(address: &str) -> Option<String> {
    let (scheme, authority, path) = match address.split_once("://") {
        Some((scheme, rest)) => {
            // As a browser does it: the host ends at the path, the query or the fragment.
            let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
            let (authority, path) = rest.split_at(end);
            (scheme.to_ascii_lowercase(), authority, path)
        }
        // `git@host:path`; a path of Windows has one letter before its colon.
        None => match address.split_once(':') {
            Some((host, path)) if host.len() > 1 && !host.contains('/') => {
                ("ssh".to_owned(), host, path)
            }
            _ => ("file".to_owned(), "", address),
        },
    };
    let shortened = path
        .trim_end_matches('/')
        .trim_end_matches(".git")
        .trim_end_matches('/');
    if shortened.trim_matches('/').is_empty() {
        return None;
    }
    if scheme == "file" {
        // What lies on this machine is no host, and a relative path says nothing by itself.
        return shortened
            .starts_with('/')
            .then(|| format!("file://{shortened}"));
    }
    let (user, host) = authority
        .rsplit_once('@')
        .map_or((None, authority), |(user, host)| (Some(user), host));
    let default_port = match scheme.as_str() {
        "https" => ":443",
        "http" => ":80",
        "git" => ":9418",
        _ => ":22",
    };
    let host = host
        .strip_suffix(default_port)
        .unwrap_or(host)
        .to_ascii_lowercase();
    // Whoever logs in is another matter over HTTP; over SSH paths may begin at the home of the
    // user.
    let user = user.filter(|user| !scheme.starts_with("http") && *user != "git");
    let user = user.map(|user| format!("{user}@")).unwrap_or_default();
    (!host.is_empty()).then(|| format!("{user}{host}/{}", shortened.trim_start_matches('/')))
}

fn last_part(address: &str) -> &str {
    address.rsplit(['/', '\\']).next().unwrap_or(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository(folder: &Path, origin: Option<&str>) {
        fs::create_dir_all(folder.join(".git")).unwrap();
        let remote = origin
            .map(|url| format!("[remote \"origin\"]\n\turl = {url}\n"))
            .unwrap_or_default();
        fs::write(
            folder.join(".git/config"),
            format!("[core]\n\tbare = false\n{remote}"),
        )
        .unwrap();
    }

    #[test]
    fn folders_of_one_project_share_a_namespace() {
        let place = tempfile::tempdir().unwrap();
        let (first, second) = (place.path().join("a/engine"), place.path().join("b/other"));
        repository(&first, Some("https://Ada@GitHub.com/ada/engine.git"));
        repository(&second, Some("git@github.com:ada/engine"));
        fs::create_dir_all(first.join("src/deep")).unwrap();
        let name = project_namespace(&first);
        assert!(name.starts_with("project:engine-"), "{name}");
        assert_eq!(name, project_namespace(&first.join("src/deep")));
        assert_eq!(name, project_namespace(&second), "another clone");
    }

    #[test]
    fn a_worktree_that_somebody_else_has_written_is_none() {
        let place = tempfile::tempdir().unwrap();
        let (mine, theirs) = (
            place.path().join("engine"),
            place.path().join("download/wt"),
        );
        repository(&mine, None);
        let git = place.path().join("download/git/worktrees/x");
        fs::create_dir_all(&git).unwrap();
        fs::create_dir_all(&theirs).unwrap();
        fs::write(
            git.join("commondir"),
            mine.join(".git").display().to_string(),
        )
        .unwrap();
        fs::write(
            git.join("gitdir"),
            theirs.join(".git").display().to_string(),
        )
        .unwrap();
        fs::write(theirs.join(".git"), format!("gitdir: {}\n", git.display())).unwrap();
        assert_ne!(project_namespace(&mine), project_namespace(&theirs));
    }

    #[test]
    fn a_linked_worktree_belongs_to_its_repository() {
        let place = tempfile::tempdir().unwrap();
        let (main, linked) = (place.path().join("engine"), place.path().join("wt"));
        repository(&main, None);
        let git = main.join(".git/worktrees/wt");
        fs::create_dir_all(&git).unwrap();
        fs::create_dir_all(&linked).unwrap();
        fs::write(git.join("commondir"), "../..\n").unwrap();
        fs::write(linked.join(".git"), format!("gitdir: {}\n", git.display())).unwrap();
        assert_ne!(
            project_namespace(&main),
            project_namespace(&linked),
            "the repository knows of no such worktree"
        );
        fs::write(
            git.join("gitdir"),
            format!("{}\n", linked.join(".git").display()),
        )
        .unwrap();
        assert_eq!(project_namespace(&main), project_namespace(&linked));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_of_git_makes_no_folder_another_project() {
        use std::os::unix::fs::symlink;
        let place = tempfile::tempdir().unwrap();
        let (mine, worktree) = (place.path().join("engine"), place.path().join("wt"));
        repository(&mine, Some("https://host/ada/engine.git"));
        let git = mine.join(".git/worktrees/wt");
        fs::create_dir_all(&git).unwrap();
        fs::create_dir_all(&worktree).unwrap();
        let file = worktree.join(".git");
        fs::write(git.join("commondir"), "../..\n").unwrap();
        fs::write(git.join("gitdir"), file.display().to_string()).unwrap();
        fs::write(&file, format!("gitdir: {}\n", git.display())).unwrap();
        assert_eq!(project_namespace(&mine), project_namespace(&worktree));

        for (name, target) in [("file", file), ("folder", mine.join(".git"))] {
            let download = place.path().join(name);
            fs::create_dir(&download).unwrap();
            symlink(target, download.join(".git")).unwrap();
            let names = ProjectNames::of(&download);
            assert_eq!(
                (names.folder, names.by_address),
                (real(&download), None),
                "{name}"
            );
            assert_eq!(git_root(&download), Some(real(&download)), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_of_another_user_is_no_repository() {
        let place = tempfile::tempdir().unwrap();
        let (mine, folder) = (place.path().join("engine"), place.path().join("work"));
        repository(&mine, None);
        fs::create_dir(&folder).unwrap();
        let link = place.path().join(".git");
        std::os::unix::fs::symlink(mine.join(".git"), &link).unwrap();
        if std::os::unix::fs::lchown(&link, Some(65_534), None).is_ok() {
            assert_eq!(git_root(&folder), None);
        }
    }

    #[test]
    fn of_a_long_configuration_the_beginning_is_read() {
        let place = tempfile::tempdir().unwrap();
        let origin = "[remote \"origin\"]\n\turl = https://host/ada/engine\n";
        let filled = |text: &str, length: usize| format!("{text}{}", "#".repeat(length));
        let config = |text: String| {
            let path = place.path().join("config");
            fs::write(&path, text).unwrap();
            read_config(&path).and_then(|text| origin_of(&text))
        };
        assert_eq!(
            config(filled(origin, 2 << 20)).as_deref(),
            Some("host/ada/engine")
        );
        let behind = filled("#", 2 << 20);
        assert_eq!(config(format!("{behind}\n{origin}")), None);
        let cut = format!("{}\n{origin}", "#".repeat((1 << 20) - origin.len() + 4));
        assert_eq!(config(cut), None, "the address is cut there");
    }

    #[cfg(unix)]
    #[test]
    fn a_repository_of_another_user_is_none() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("work");
        fs::create_dir_all(&folder).unwrap();
        let git = place.path().join(".git");
        fs::create_dir(&git).unwrap();
        let nobody = std::os::unix::fs::chown(&git, Some(65_534), None);
        let expected = if nobody.is_ok() {
            None
        } else {
            Some(real(place.path()))
        };
        assert_eq!(
            git_root(&folder),
            expected,
            "only root can give a folder away"
        );
    }

    #[test]
    fn projects_of_the_same_folder_name_are_told_apart() {
        let place = tempfile::tempdir().unwrap();
        let (first, second) = (place.path().join("a/app"), place.path().join("b/app"));
        repository(&first, None);
        repository(&second, None);
        assert_ne!(project_namespace(&first), project_namespace(&second));
        repository(&second, Some("ssh://git@example.org:2222/team/app.git"));
        repository(&first, Some("ssh://git@example.org:2222/others/app.git"));
        assert_ne!(project_namespace(&first), project_namespace(&second));
    }

    #[test]
    fn names_are_always_allowed() {
        let place = tempfile::tempdir().unwrap();
        for name in ["  odd  ", "项目", "a\u{202e}b", "-"] {
            let folder = place.path().join(name);
            fs::create_dir_all(&folder).unwrap();
            let name = project_namespace(&folder);
            annals::NamespaceName::new(name.as_str()).unwrap();
        }
        annals::NamespaceName::new(project_namespace(&place.path().join("长".repeat(80)))).unwrap();
        annals::NamespaceName::new(project_namespace(Path::new("/"))).unwrap();
    }

    #[test]
    fn addresses_have_one_form() {
        for (address, form) in [
            (
                "https://github.com/ada/engine.git",
                Some("github.com/ada/engine"),
            ),
            (
                "ssh://git@github.com:22/ada/engine",
                Some("github.com/ada/engine"),
            ),
            (
                "git@github.com:ada/engine.git/",
                Some("github.com/ada/engine"),
            ),
            (
                "https://token@github.com/ada/engine.git",
                Some("github.com/ada/engine"),
            ),
            ("/srv/git/engine.git", Some("file:///srv/git/engine")),
            ("file:///srv/git/engine.git", Some("file:///srv/git/engine")),
            ("../engine", None),
            ("https://srv/git/engine", Some("srv/git/engine")),
            (
                "https://evil.example?x=@github.com/ada/engine",
                Some("evil.example/?x=@github.com/ada/engine"),
            ),
            (
                "https://evil.example#@github.com/ada/engine",
                Some("evil.example/#@github.com/ada/engine"),
            ),
            ("alice@h.example:engine", Some("alice@h.example/engine")),
            (
                "ssh://mallory@h.example/engine",
                Some("mallory@h.example/engine"),
            ),
            (
                "https://h.example:8443/engine",
                Some("h.example:8443/engine"),
            ),
            ("https://[2001:db8::1]/engine", Some("[2001:db8::1]/engine")),
            ("https://github.com/", None),
            ("", None),
        ] {
            assert_eq!(normal(address).as_deref(), form, "{address}");
        }
    }
}
