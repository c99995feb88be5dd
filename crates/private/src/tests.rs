use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::path::{Path, PathBuf};

use crate::{
    OpenOwn, Refusal, make_folder, make_own_folder, open_named, open_regular, own_user, read,
};

/// A user that is neither this one nor the administrator.
const NOBODY: u32 = 65_534;

/// A folder of this user in which others could have put something.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// Gives a file or a link to another user; false where only the administrator may.
fn give_away(path: &Path) -> bool {
    if own_user() != 0 {
        eprintln!("skipped: only the administrator can give files to another user");
        return false;
    }
    std::os::unix::fs::lchown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    true
}

fn pipe(path: &Path) {
    nix::unistd::mkfifo(path, nix::sys::stat::Mode::S_IRWXU).unwrap();
}

fn refusal(opening: OpenOwn, path: &Path) -> Refusal {
    let error = opening.open(path).unwrap_err();
    Refusal::of(&error)
        .unwrap_or_else(|| panic!("{error}"))
        .clone()
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// Every way in which a file is opened.
fn every_way() -> [OpenOwn; 4] {
    [
        OpenOwn::new(),
        OpenOwn::new().write(),
        OpenOwn::new().append(),
        OpenOwn::new().write().in_place(),
    ]
}

#[test]
fn what_is_made_is_for_its_user_alone() {
    let folder = folder();
    make_folder(&folder.path().join("a/b")).unwrap();
    assert_eq!(
        (
            mode(&folder.path().join("a")),
            mode(&folder.path().join("a/b"))
        ),
        (0o700, 0o700)
    );
    let log = folder.path().join("log");
    OpenOwn::new().append().open(&log).unwrap();
    assert_eq!(mode(&log), 0o600);
    std::fs::set_permissions(&log, std::fs::Permissions::from_mode(0o644)).unwrap();
    OpenOwn::new()
        .append()
        .open(&log)
        .unwrap()
        .write_all(b"x")
        .unwrap();
    assert_eq!((mode(&log), read(&log).unwrap()), (0o600, b"x".to_vec()));
}

#[test]
fn a_pipe_is_refused_and_not_waited_for() {
    let folder = folder();
    let path = folder.path().join("pipe");
    pipe(&path);
    for way in every_way() {
        assert_eq!(
            refusal(way, &path),
            Refusal::NotAFile {
                path: path.clone(),
                kind: "a pipe"
            }
        );
    }
    assert!(matches!(
        refusal(OpenOwn::new(), Path::new("/dev/null")),
        Refusal::NotAFile {
            kind: "a device",
            ..
        }
    ));
}

#[test]
fn a_file_of_another_user_is_used_only_where_that_was_said() {
    let folder = folder();
    let path = folder.path().join("theirs");
    std::fs::write(&path, b"x").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666)).unwrap();
    if !give_away(&path) {
        return;
    }
    for way in every_way() {
        let Refusal::Foreign { path: named, owner } = refusal(way, &path) else {
            panic!("another reason")
        };
        assert_eq!(named, path);
        assert!(owner.contains("65534"), "{owner}");
        way.foreign(true).open(&path).unwrap();
    }
}

#[test]
fn links_of_ones_own_are_followed_and_those_of_others_are_not() {
    let folder = folder();
    let (file, link) = (folder.path().join("file"), folder.path().join("link"));
    std::fs::write(&file, b"x").unwrap();
    symlink("file", &link).unwrap();
    assert_eq!(read(&link).unwrap(), b"x");
    assert!(matches!(
        refusal(OpenOwn::new().in_place(), &link),
        Refusal::NotAFile { kind: "a link", .. }
    ));
    let unfollowed = OpenOwn::new().no_links();
    assert!(matches!(
        refusal(unfollowed, &link),
        Refusal::NotAFile { kind: "a link", .. }
    ));
    std::fs::hard_link(&file, folder.path().join("name")).unwrap();
    unfollowed.open(&file).unwrap();
    if give_away(&link) {
        for way in every_way().into_iter().take(3) {
            assert!(matches!(refusal(way, &link), Refusal::Foreign { path, .. } if path == link));
        }
    }
}

#[test]
fn a_file_with_two_names_is_not_written_as_a_log() {
    let folder = folder();
    let names: [PathBuf; 2] = ["a", "b"].map(|name| folder.path().join(name));
    std::fs::write(&names[0], b"x").unwrap();
    std::fs::hard_link(&names[0], &names[1]).unwrap();
    OpenOwn::new().write().open(&names[1]).unwrap();
    let refused = refusal(OpenOwn::new().append(), &names[1]);
    assert_eq!(
        refused,
        Refusal::OtherNames {
            path: names[1].clone()
        }
    );
}

#[test]
fn a_link_to_what_is_no_file_is_refused_and_a_pipe_by_its_name_is_not() {
    let folder = folder();
    let [file, pipe_at, link] = ["file", "pipe", "link"].map(|name| folder.path().join(name));
    std::fs::write(&file, b"x").unwrap();
    pipe(&pipe_at);
    for target in [pipe_at.as_path(), Path::new("/dev/zero")] {
        symlink(target, &link).unwrap();
        for error in [open_named(&link), open_regular(&link)].map(Result::unwrap_err) {
            assert!(
                matches!(Refusal::of(&error), Some(Refusal::NotAFile { .. })),
                "{error}"
            );
        }
        std::fs::remove_file(&link).unwrap();
    }
    assert!(open_regular(&pipe_at).is_err() && open_regular(Path::new("/dev/null")).is_err());
    open_named(Path::new("/dev/null")).unwrap();
    symlink(&file, &link).unwrap();
    open_named(&link).unwrap();
    open_regular(&link).unwrap();
    let both = std::thread::scope(|scope| {
        let writer = scope.spawn(|| std::fs::write(&pipe_at, b"through"));
        let mut text = String::new();
        let mut read = open_named(&pipe_at).unwrap();
        std::io::Read::read_to_string(&mut read, &mut text).unwrap();
        writer.join().unwrap().map(|()| text)
    });
    assert_eq!(both.unwrap(), "through");
}

#[test]
fn links_in_a_circle_end() {
    let folder = folder();
    symlink("b", folder.path().join("a")).unwrap();
    symlink("a", folder.path().join("b")).unwrap();
    assert!(OpenOwn::new().open(&folder.path().join("a")).is_err());
}

#[test]
fn a_folder_that_others_could_fill_is_refused() {
    let folder = folder();
    let path = folder.path().join("hooks");
    make_own_folder(&path).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o777)).unwrap();
    let error = make_own_folder(&path).unwrap_err();
    assert!(
        matches!(Refusal::of(&error), Some(Refusal::OthersWrite { .. })),
        "{error}"
    );
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
    if own_user() == 0 {
        chown(&path, Some(NOBODY), None).unwrap();
        let error = make_own_folder(&path).unwrap_err();
        assert!(error.to_string().contains("hooks belongs to"), "{error}");
    }
}
