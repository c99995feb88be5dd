//! Files: read as a whole, replaced as a whole.

use std::ffi::OsString;
use std::fs::{Metadata, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::noted;
use crate::Error;

/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// The text of a file; `None` when there is none. What is no UTF-8 becomes the replacement character.
pub(crate) fn read(path: &Path) -> Result<Option<String>, Error> {
    let text =
        |bytes| String::from_utf8(bytes).unwrap_or_else(|bad| String::from_utf8_lossy(bad.as_bytes()).into_owned());
    Ok(bytes(path)?.map(text))
}

/// What a file holds as it is; `None` when there is none.
pub(super) fn bytes(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    let failed = |error| Error::io(format!("reading {}", path.display()), error);
    match std::fs::metadata(path) {
        Ok(found) if found.len() > MAX_BYTES => {
            return Err(Error::bad_input(format!("{} has more than {} MiB", path.display(), MAX_BYTES >> 20)));
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
        Ok(_) => {}
    }
    std::fs::read(path).map(Some).map_err(failed)
}

/// The text of a file, unless it is in another encoding: what nobody can read is taken for no edit. UTF-16 of Latin letters is good UTF-8, with
/// zero bytes that no text has.
pub(super) fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

/// What is seen of a file without reading it; `None` when it is not there.
pub(super) type Seen = Option<(SystemTime, u64)>;

/// Looks at a file without reading it.
pub(super) fn look(path: &Path) -> Seen {
    seen(&std::fs::metadata(path).ok()?)
}

fn seen(found: &Metadata) -> Seen {
    Some((found.modified().ok()?, found.len()))
}

/// Replaces a file: whoever reads it, or whatever fails, sees the old text or the new one. Answers how the new one looks, whatever somebody else
/// does to it right afterwards.
pub(super) fn replace(path: &Path, text: impl AsRef<[u8]>) -> Result<Seen, Error> {
    let failed = |error| Error::io(format!("writing {}", path.display()), error);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    // A link stays one: the file that it leads to is replaced.
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let draft = draft_of(&target);
    let written = write_draft(&draft, &target, text.as_ref());
    let moved = written.and_then(|data| std::fs::rename(&draft, &target).map(|()| seen(&data)));
    if moved.is_err() {
        // What is left of the draft is of no use; the file itself is as it was.
        let _ = std::fs::remove_file(&draft);
    }
    let seen = moved.map_err(failed)?;
    if let Some(folder) = target.parent().filter(|_| cfg!(unix)) {
        // The new name is on the disk before anybody notes that it is, where the file system can see to that.
        let _ = std::fs::File::open(folder).and_then(|folder| folder.sync_all());
    }
    Ok(seen)
}

/// Where the text of a file is before it is in its place: under a name that nobody else gives a file.
fn draft_of(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".annals");
    path.with_file_name(name)
}

/// Writes a draft that who could read the file can read: memories are for nobody else's eyes.
fn write_draft(draft: &Path, path: &Path, text: &[u8]) -> std::io::Result<Metadata> {
    // One that a run left behind that was cut off.
    let _ = std::fs::remove_file(draft);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(draft)?;
    if let Ok(old) = std::fs::metadata(path) {
        file.set_permissions(old.permissions())?;
    }
    file.write_all(text)?;
    file.sync_all()?;
    file.metadata()
}

/// Removes a file, with what it leads to where it is a link; answers whether there was one.
pub(super) fn remove(path: &Path) -> Result<bool, Error> {
    if std::fs::symlink_metadata(path).is_ok_and(|data| data.is_symlink())
        && let Ok(target) = std::fs::canonicalize(path)
    {
        remove(&target)?;
    }
    match std::fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::io(format!("removing {}", path.display()), error)),
    }
}

/// Where something can be kept beside a file without replacing what is kept there: with the suffix alone, or with a number behind it.
/// Answers the first such path, and whether this very thing is kept there already.
pub(super) fn free(path: &Path, suffix: &str, bytes: &[u8]) -> Result<(PathBuf, bool), Error> {
    let mut number = 1_u32;
    loop {
        let to = if number == 1 { beside(path, suffix) } else { beside(path, &format!("{suffix}.{number}")) };
        match std::fs::read(&to) {
            Ok(found) if found == bytes => return Ok((to, true)),
            Ok(_) => number = number.saturating_add(1),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok((to, false)),
            Err(error) => return Err(Error::io(format!("reading {}", to.display()), error)),
        }
    }
}

/// The path with something added to its last part.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().map_or_else(OsString::new, std::ffi::OsStr::to_owned);
    name.push(suffix);
    path.with_file_name(name)
}

/// The most bytes of a name in a path: two of them, and what stands around them, fit into the 255 bytes that file systems give to a part.
const MAX_PART: usize = 112;

/// A name as one part of a path: whatever could mean something else becomes `%` and its number. A long one is cut, and told from others by
/// the hash of the whole.
pub(crate) fn part(name: &str) -> String {
    let plain =
        |(at, c): (usize, char)| c.is_alphanumeric() || matches!(c, '-' | '_' | '@' | '+') || (c == '.' && at > 0);
    let mut out = String::with_capacity(name.len());
    for (at, c) in name.chars().enumerate() {
        if plain((at, c)) {
            out.push(c);
        } else {
            out.push_str(&format!("%{:02x}", u32::from(c)));
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
    let Some(rest) = filled.strip_prefix("~/") else { return Ok(PathBuf::from(filled)) };
    let home = std::env::home_dir().ok_or_else(|| {
        Error::bad_input(format!("the home folder of {template:?} is not known; name the folder outright"))
    })?;
    Ok(home.join(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_within_their_part() {
        for (name, wanted) in
            [("s1", "s1"), ("../x", "%2e.%2fx"), ("user:42", "user%3a42"), ("会话 1", "会话%201"), (".", "%2e")]
        {
            assert_eq!(part(name), wanted);
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
        let path = folder.path().join("a/b.md");
        assert_eq!(read(&path).unwrap(), None);
        replace(&path, "one").unwrap();
        replace(&path, "two").unwrap();
        assert_eq!(read(&path).unwrap().unwrap(), "two");
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_stays_as_private_as_it_was_and_a_link_stays_a_link() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("notes/a.md"), folder.path().join("a.md"));
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        replace(&path, "one").unwrap();
        assert_eq!(mode(&path), 0o600, "a new one is for its owner");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
        symlink(&path, &link).unwrap();
        std::fs::write(folder.path().join("notes/a.md.new"), "mine").unwrap();
        assert_eq!(replace(&link, "two").unwrap(), look(&path));
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!((std::fs::read_to_string(&path).unwrap().as_str(), mode(&path)), ("two", 0o640));
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 2);
    }

    #[test]
    fn what_is_kept_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b.md");
        for (text, name, known) in [
            ("one", "b.md.old", false),
            ("one", "b.md.old", true),
            ("two", "b.md.old.2", false),
            ("one", "b.md.old", true),
        ] {
            let found = free(&path, ".old", text.as_bytes()).unwrap();
            assert_eq!(found, (folder.path().join(name), known));
            replace(&found.0, text).unwrap();
        }
        assert_eq!((remove(&folder.path().join("b.md.old")).unwrap(), remove(&path).unwrap()), (true, false));
    }
}
