//! Files: read as a whole, replaced as a whole.

use std::ffi::OsString;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufReader, ErrorKind, Read as _, Write as _};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::noted;
use annals_engine::Error;
use annals_storage::beside;

/// The largest file that is read, in bytes.
pub(super) const MAX_BYTES: u64 = 64 << 20;
/// How many links and steps back a path may have one behind the other.
const MAX_LINKS: usize = 40;
/// After how long a draft was left behind: nobody writes one file for so long.
const LEFT_BEHIND: Duration = Duration::from_secs(3600);

/// The text of a file; `None` when there is none. Bytes that are no UTF-8 become the replacement
/// character.
pub fn read(path: &Path) -> Result<Option<String>, Error> {
    let text = |bytes| {
        String::from_utf8(bytes)
            .unwrap_or_else(|bad| String::from_utf8_lossy(bad.as_bytes()).into_owned())
    };
    Ok(regular(path)?
        .map(|file| whole(path, file))
        .transpose()?
        .map(text))
}

/// The bytes of a file at its [real](real) path; `None` when there is none.
pub(super) fn bytes(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    open(path)?
        .map(|file| whole(path, file.into_inner()))
        .transpose()
}

/// Opens a file at its [real](real) path, to be read line by line however long it is; `None` when
/// there is none.
pub(super) fn open(path: &Path) -> Result<Option<BufReader<File>>, Error> {
    if !stands_there(path)? {
        return Ok(None);
    }
    Ok(regular(path)?.map(BufReader::new))
}

/// All bytes of a file, if these are not too many, whatever length it is said to have.
fn whole(path: &Path, file: File) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let failed = |error| Error::io(format!("reading {}", path.display()), error);
    file.take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if u64::try_from(bytes.len()).map_or(true, |length| length > MAX_BYTES) {
        let told = format!(
            "{} has more than {} MiB; part it, or take out what needs not be there",
            path.display(),
            MAX_BYTES >> 20
        );
        return Err(Error::bad_input(told));
    }
    Ok(bytes)
}

/// Opens a regular file; `None` when there is nothing. A pipe would be waited for, a device read
/// without end, and a link may lead anywhere: whoever wants one followed asks for its real path.
fn regular(path: &Path) -> Result<Option<File>, Error> {
    let failed = |error| Error::io(format!("reading {}", path.display()), error);
    let other = || {
        let told =
            "is no regular file (it is a folder, a link, a pipe or a device) and is let alone";
        Error::bad_input(format!("{} {told}", path.display()))
    };
    match std::fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => return Err(other()),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
        Ok(_) => {}
    }
    let mut options = OpenOptions::new();
    options.read(true);
    // It may be another one by now.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        libc::O_NOFOLLOW | libc::O_NONBLOCK,
    );
    match options.open(path) {
        Ok(file) if file.metadata().map_err(failed)?.is_file() => Ok(Some(file)),
        Ok(_) => Err(other()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

/// Whether the folder of a real path is there, and still leads to itself: a link may have taken
/// the place of a part of it since.
///
/// # Errors
/// When it leads elsewhere.
fn stands_there(path: &Path) -> Result<bool, Error> {
    let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    else {
        return Ok(true);
    };
    match folder.canonicalize() {
        Ok(found) if found == folder => Ok(true),
        Ok(found) => Err(Error::bad_input(format!(
            "{} is let alone: its folder is a link to {} by now",
            path.display(),
            found.display()
        ))),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(false)
        }
        Err(error) => Err(Error::io(format!("looking for {}", path.display()), error)),
    }
}

/// Whether there is a file, as far as can be told.
pub(super) fn is_there(path: &Path) -> bool {
    !matches!(path.try_exists(), Ok(false))
}

/// Whether a path leads to a real one.
pub(super) fn is_at(path: &Path, real_one: &Path) -> bool {
    real(path).is_ok_and(|path| path == real_one)
}

/// Whether a file has more than is read at once.
pub(super) fn is_long(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file() && found.len() > MAX_BYTES)
}

/// Whether a file below a folder, which is really at `real_one`, is where its path says, or at
/// least within the folder.
pub(super) fn is_within(folder: &Path, path: &Path, real_one: &Path) -> Result<bool, Error> {
    // A profile that names the place of a file outright means that place.
    let Ok(rest) = path.strip_prefix(folder) else {
        return Ok(true);
    };
    let base = real(folder)?;
    let said: Vec<Component<'_>> = rest.components().collect();
    Ok(real_one.starts_with(&base) || joined(base, &said) == real_one)
}

/// The text of a file, unless it is in another encoding: an unreadable file must not count as an
/// edit. UTF-16 of Latin letters is good UTF-8, with zero bytes that no text has.
pub(super) fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes)
        .ok()
        .filter(|text| !text.contains('\0'))
}

/// The time and length of a file, seen without reading it; `None` when there is none.
pub(super) type FileStamp = Option<(SystemTime, u64)>;

/// Looks at a file without reading it.
pub(super) fn look(path: &Path) -> FileStamp {
    seen(&std::fs::metadata(path).ok()?)
}

fn seen(found: &Metadata) -> FileStamp {
    Some((found.modified().ok()?, found.len()))
}

/// Where a file really is, or would be: without links, `..` and another spelling, so that one file
/// has one such path. For a link to a file that does not exist yet it is the place that the link
/// leads to.
///
/// # Errors
/// When a link leads into a folder that does not exist: it may be on a disk that is not mounted.
pub fn real(path: &Path) -> Result<PathBuf, Error> {
    let failed = |error| Error::io(format!("looking for {}", path.display()), error);
    let mut whole = std::path::absolute(path).map_err(failed)?;
    for _ in 0..MAX_LINKS {
        let Some((base, there)) = whole
            .ancestors()
            .find_map(|part| Some((part.canonicalize().ok()?, part)))
        else {
            return Ok(whole);
        };
        let missing: Vec<Component<'_>> = whole
            .strip_prefix(there)
            .map(|rest| rest.components().collect())
            .unwrap_or_default();
        let Some((first, rest)) = missing.split_first() else {
            return Ok(base);
        };
        let next = match std::fs::read_link(base.join(first)) {
            Ok(to) if base.join(&to).parent().is_some_and(Path::is_dir) => {
                joined(base.join(to), rest)
            }
            Ok(to) => {
                let told = format!(
                    "the folder of {}, where a link leads, is not there",
                    to.display()
                );
                return Err(failed(io::Error::other(told)));
            }
            Err(_) if !missing.contains(&Component::ParentDir) => {
                return Ok(joined(base, &missing));
            }
            Err(_) => joined(base, &missing),
        };
        whole = next;
    }
    Err(failed(io::Error::other(
        "links lead to links without an end",
    )))
}

/// A path with some parts behind it; `..` goes back by one, as none of them is a link.
fn joined(mut path: PathBuf, parts: &[Component<'_>]) -> PathBuf {
    for part in parts {
        match part {
            Component::ParentDir => drop(path.pop()),
            part => path.push(part),
        }
    }
    path
}

/// Replaces a file at its [real](real) path: readers see the old text or the new one, whatever
/// fails. What is no regular file is let alone. Answers the time and length of the new one as it
/// was written, even if another program changes it right afterwards.
pub(super) fn replace(path: &Path, text: impl AsRef<[u8]>) -> Result<FileStamp, Error> {
    let failed = |error| Error::io(format!("writing {}", path.display()), error);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    stands_there(path)?;
    regular(path)?;
    let draft = draft_of(path);
    let written = write_draft(&draft, path, text.as_ref());
    let moved = written.and_then(|data| std::fs::rename(&draft, path).map(|()| seen(&data)));
    if moved.is_err() {
        // The rest of the draft is of no use; the file itself is as it was.
        let _ = std::fs::remove_file(&draft);
    }
    let seen = moved.map_err(failed)?;
    if let Some(folder) = path.parent().filter(|_| cfg!(unix)) {
        // The new name is on the disk before it is noted, where the file system can see to that.
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
    Ok(seen)
}

/// The end of a draft's name, before the number of the process that writes it.
const DRAFT: &str = ".annals-";

/// The path of the text before it is in its place: a name that no other file has, nor a draft of
/// another process.
fn draft_of(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!("{DRAFT}{}", std::process::id()));
    path.with_file_name(name)
}

/// Removes drafts that processes which were cut off left in a folder: those that nobody has written
/// to for an hour.
pub(super) fn sweep(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    let is_draft = |name: &str| {
        let number = name
            .strip_prefix('.')
            .and_then(|name| name.rsplit_once(DRAFT));
        number.is_some_and(|(_, number)| {
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    for entry in entries
        .flatten()
        .filter(|entry| is_draft(&entry.file_name().to_string_lossy()))
    {
        let age = entry
            .metadata()
            .and_then(|data| data.modified())
            .ok()
            .and_then(|at| at.elapsed().ok());
        if age.is_some_and(|age| age > LEFT_BEHIND) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Writes a draft with the rights that this user gave the file. Those that another user gave a file
/// of their own would open this one to them: it is for this user alone then, as a new one.
fn write_draft(draft: &Path, path: &Path, text: &[u8]) -> io::Result<Metadata> {
    // One that a run left behind that was cut off.
    let _ = std::fs::remove_file(draft);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(draft)?;
    if let Ok(old) = std::fs::metadata(path)
        && annals_private::is_own(&old)
    {
        file.set_permissions(old.permissions())?;
    }
    file.write_all(text)?;
    file.sync_all()?;
    file.metadata()
}

/// Removes a file at its [real](real) path; answers whether there was one.
pub(super) fn remove(path: &Path) -> Result<bool, Error> {
    if !stands_there(path)? {
        return Ok(false);
    }
    match std::fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::io(format!("removing {}", path.display()), error)),
    }
}

/// Where bytes can be kept beside a file without replacing others that are kept there: with the
/// suffix alone, or with a number behind it. Answers the first such path, and whether these very
/// bytes are kept there already.
pub(super) fn free(path: &Path, suffix: &str, bytes: &[u8]) -> Result<(PathBuf, bool), Error> {
    let mut number = 1_u32;
    loop {
        let to = if number == 1 {
            beside(path, suffix)
        } else {
            beside(path, &format!("{suffix}.{number}"))
        };
        let length = match std::fs::symlink_metadata(&to) {
            Ok(found) => Some(found.len()).filter(|_| found.is_file()),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok((to, false)),
            Err(error) => return Err(Error::io(format!("reading {}", to.display()), error)),
        };
        // What is no file, or another one, stays.
        let alike = length.is_some() && length == u64::try_from(bytes.len()).ok();
        if alike && self::bytes(&to)?.is_some_and(|found| found == bytes) {
            return Ok((to, true));
        }
        number = number.saturating_add(1);
    }
}

/// The first path beside a file at which nothing is, with the suffix alone or with a number behind
/// it.
pub(super) fn vacant(path: &Path, suffix: &str) -> PathBuf {
    let names = (2_u32..).map(|number| beside(path, &format!("{suffix}.{number}")));
    let mut names = std::iter::once(beside(path, suffix)).chain(names);
    let is_free = |name: &PathBuf| {
        let found = std::fs::symlink_metadata(name);
        found.is_err_and(|error| error.kind() == ErrorKind::NotFound)
    };
    names.find(is_free).unwrap_or_else(|| beside(path, suffix))
}

/// The most bytes of a name in a path: two of them, and the text around them, fit into the 255
/// bytes that file systems give to a part.
const MAX_PART: usize = 112;

/// A name as one part of a path: characters that could mean something else become `%` and the
/// number of each of their bytes. A long name is cut, and told from others by the hash of the
/// whole.
pub(crate) fn part(name: &str) -> String {
    let plain = |(at, c): (usize, char)| {
        c.is_alphanumeric() || matches!(c, '-' | '_' | '@' | '+') || (c == '.' && at > 0)
    };
    let mut out = String::with_capacity(name.len());
    for (at, c) in name.chars().enumerate() {
        if plain((at, c)) {
            out.push(c);
        } else {
            // Numbers of one width: with those of characters, some names would share a part with
            // others.
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                out.push_str(&format!("%{byte:02x}"));
            }
        }
    }
    if out.len() > MAX_PART {
        // No name that is not cut has a `%_`.
        let mark = format!("%_{:016x}", noted::hash(name));
        out.truncate(out.floor_char_boundary(MAX_PART - mark.len()));
        out.push_str(&mark);
    }
    out
}

/// A folder with `~/` as the home folder and `{name}` as a namespace.
pub(crate) fn folder(template: &str, namespace: &str) -> Result<PathBuf, Error> {
    let filled = template.replace("{name}", &part(namespace));
    let Some(rest) = filled.strip_prefix("~/") else {
        return Ok(PathBuf::from(filled));
    };
    let home = std::env::home_dir().ok_or_else(|| {
        Error::bad_input(format!(
            "the home folder of {template:?} is not known; name the folder outright"
        ))
    })?;
    Ok(home.join(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_file_keeps_the_rights_of_its_user_and_none_of_another_ones() {
        use std::os::unix::fs::{PermissionsExt, chown};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("MEMORY.md");
        let mode = || std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        std::fs::write(&path, "a").unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o664)).unwrap();
        replace(&path, "b").unwrap();
        assert_eq!(mode(), 0o664);
        if annals_private::own_user() != 0 {
            eprintln!("skipped: only the administrator can give a file to another user");
            return;
        }
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o666)).unwrap();
        chown(&path, Some(65_534), None).unwrap();
        replace(&path, "c").unwrap();
        assert_eq!(mode(), 0o600);
    }

    #[test]
    fn names_stay_within_their_part() {
        for (name, wanted) in [
            ("s1", "s1"),
            ("../x", "%2e.%2fx"),
            ("user:42", "user%3a42"),
            ("会话 1", "会话%201"),
            (".", "%2e"),
        ] {
            assert_eq!(part(name), wanted);
        }
    }

    #[test]
    fn names_that_differ_have_parts_that_differ() {
        assert_eq!(part("a\u{202e}b"), "a%e2%80%aeb");
        for (one, other) in [
            ("a\u{202e}b", "a 2eb"),
            ("\u{a0}0", "\u{a00}"),
            ("%20", " "),
            ("\u{2028}", "( 28"),
        ] {
            assert_ne!(part(one), part(other), "{one:?} {other:?}");
        }
    }

    #[test]
    fn long_names_are_cut_and_stay_apart() {
        let fits = "a".repeat(MAX_PART);
        assert_eq!(part(&fits), fits);
        for c in ["a", "会", "😀", " "] {
            let (one, other) = (part(&(c.repeat(200) + "1")), part(&(c.repeat(200) + "2")));
            assert_ne!(one, other);
            assert!(one.len() <= MAX_PART && one.len() > MAX_PART - 4, "{one}");
        }
    }

    #[test]
    fn text_in_another_encoding_is_no_text() {
        assert_eq!(text("茶".as_bytes()), Some("茶"));
        for bytes in [&b"caf\xe9"[..], b"\xff\xfea\0", b"a\0b\0"] {
            assert_eq!(text(bytes), None);
        }
    }

    #[test]
    fn a_file_is_replaced_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("a/b.md");
        assert_eq!(read(&path).unwrap(), None);
        replace(&path, "one").unwrap();
        replace(&path, "two").unwrap();
        assert_eq!(read(&path).unwrap().unwrap(), "two");
        assert_eq!(
            std::fs::read_dir(path.parent().unwrap()).unwrap().count(),
            1
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_file_stays_as_private_as_it_was() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("notes/a.md");
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        replace(&path, "one").unwrap();
        assert_eq!(mode(&path), 0o600, "a new one is for its owner");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
        std::fs::write(path.with_file_name("a.md.new"), "mine").unwrap();
        assert_eq!(replace(&path, "two").unwrap(), look(&path));
        assert_eq!(
            (
                std::fs::read_to_string(&path).unwrap().as_str(),
                mode(&path)
            ),
            ("two", 0o640)
        );
        assert_eq!(
            std::fs::read_dir(path.parent().unwrap()).unwrap().count(),
            2
        );
    }

    /// What the author of a folder may put in the place of a file: nothing of it is waited for,
    /// read without end, or followed out of the folder.
    #[cfg(unix)]
    #[test]
    fn only_regular_files_are_read_and_replaced() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("in/sub")).unwrap();
        std::fs::write(root.join("secret"), "mine").unwrap();
        symlink(root.join("secret"), root.join("in/link.md")).unwrap();
        symlink("/dev/zero", root.join("in/zero.md")).unwrap();
        symlink(root.join("nowhere"), root.join("in/dangling.md")).unwrap();
        let pipe = std::process::Command::new("mkfifo")
            .arg(root.join("in/pipe.md"))
            .status()
            .unwrap();
        assert!(pipe.success());
        for name in ["link.md", "zero.md", "dangling.md", "pipe.md", "sub"] {
            let path = root.join("in").join(name);
            for error in [
                bytes(&path).map(drop).unwrap_err(),
                read(&path).map(drop).unwrap_err(),
                open(&path).map(drop).unwrap_err(),
                replace(&path, "text").map(drop).unwrap_err(),
            ] {
                assert!(
                    error.is_invalid() && error.to_string().contains("no regular file"),
                    "{name}: {error}"
                );
            }
            assert_ne!(free(&path, "", b"text").unwrap().0, path);
        }
        assert!(bytes(Path::new("/dev/zero")).is_err());
        assert_eq!(
            std::fs::read_to_string(root.join("secret")).unwrap(),
            "mine"
        );
        assert!(!root.join("nowhere").exists());
        // A folder that became a link to another one is not gone through.
        std::fs::write(root.join("in/sub/a.md"), "text").unwrap();
        let path = root.join("in/sub/a.md");
        assert_eq!(bytes(&path).unwrap().as_deref(), Some(&b"text"[..]));
        std::fs::rename(root.join("in/sub"), root.join("away")).unwrap();
        assert_eq!(
            (bytes(&path).unwrap(), remove(&path).unwrap()),
            (None, false)
        );
        symlink(root.join("away"), root.join("in/sub")).unwrap();
        for error in [
            bytes(&path).map(drop).unwrap_err(),
            remove(&path).map(drop).unwrap_err(),
            replace(&path, "other").map(drop).unwrap_err(),
        ] {
            assert!(error.to_string().contains("is a link to"), "{error}");
        }
        assert_eq!(
            std::fs::read_to_string(root.join("away/a.md")).unwrap(),
            "text"
        );
    }

    #[cfg(unix)]
    #[test]
    fn what_a_link_leads_to_is_within_a_folder_or_not() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("in/sub")).unwrap();
        std::fs::create_dir(root.join("out")).unwrap();
        symlink("in", root.join("n")).unwrap();
        symlink("sub/b.md", root.join("in/b.md")).unwrap();
        symlink("../out/c.md", root.join("in/c.md")).unwrap();
        symlink("../out", root.join("in/dir")).unwrap();
        let within = |folder: &str, path: &str| {
            let path = root.join(folder).join(path);
            is_within(&root.join(folder), &path, &real(&path).unwrap()).unwrap()
        };
        for folder in ["in", "n"] {
            assert!(
                within(folder, "a.md") && within(folder, "b.md") && within(folder, "../out/a.md"),
                "{folder}"
            );
            assert!(
                !within(folder, "c.md") && !within(folder, "dir/a.md"),
                "{folder}"
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn one_file_has_one_path() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("m/sub")).unwrap();
        symlink("m", root.join("n")).unwrap();
        symlink("../m/a.md", root.join("m/link.md")).unwrap();
        symlink("loop.md", root.join("loop.md")).unwrap();
        symlink("away/a.md", root.join("lost.md")).unwrap();
        for spelled in [
            "m/a.md",
            "n/a.md",
            "m/../m/a.md",
            "n/sub/../a.md",
            "n/link.md",
            "./m/./a.md",
            "x/../m/a.md",
            "x/y/../../n/a.md",
        ] {
            assert_eq!(
                real(&root.join(spelled)).unwrap(),
                root.join("m/a.md"),
                "{spelled}"
            );
        }
        assert_eq!(
            real(&root.join("x/y/../a.md")).unwrap(),
            root.join("x/a.md")
        );
        for bad in ["loop.md", "lost.md"] {
            assert!(real(&root.join(bad)).is_err(), "{bad}");
            assert!(replace(&root.join(bad), "text").is_err(), "{bad}");
        }
        assert!(!root.join("away").exists());
    }

    #[test]
    fn drafts_that_were_left_behind_go() {
        let folder = tempfile::tempdir().unwrap();
        let old = SystemTime::now() - 2 * LEFT_BEHIND;
        for (name, left) in [
            (".a.md.annals-7", true),
            (".a.md.annals-", false),
            ("a.md.annals-7", false),
        ] {
            let file = std::fs::File::create(folder.path().join(name)).unwrap();
            file.set_modified(old).unwrap();
            sweep(folder.path());
            assert_eq!(folder.path().join(name).exists(), !left, "{name}");
        }
        std::fs::write(folder.path().join(".a.md.annals-8"), "").unwrap();
        sweep(folder.path());
        assert!(
            folder.path().join(".a.md.annals-8").exists(),
            "somebody may be writing it"
        );
    }

    #[test]
    fn what_is_kept_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let path = root.join("b.md");
        for (text, name, known) in [
            ("one", "b.md.old", false),
            ("one", "b.md.old", true),
            ("two", "b.md.old.2", false),
            ("one", "b.md.old", true),
        ] {
            let found = free(&path, ".old", text.as_bytes()).unwrap();
            assert_eq!(found, (root.join(name), known));
            replace(&found.0, text).unwrap();
        }
        assert_eq!(
            (
                remove(&root.join("b.md.old")).unwrap(),
                remove(&path).unwrap()
            ),
            (true, false)
        );
    }
}
