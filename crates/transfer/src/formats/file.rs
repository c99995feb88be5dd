//! Files to import: by themselves, in folders, in archives, compressed or not.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Cursor, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use annals_engine::Error;
use annals_private::{OpenOwn, open_named, open_regular};
use flate2::read::{DeflateDecoder, MultiGzDecoder};

use super::sqlite::{Database, ReadAt};
use super::unpack::{BUFFER, Bounded, Counted, unpacked};

/// The most that is read of a file of names.
const NAMES_BYTES: u64 = 64 << 20;
/// The largest database that is read out of an archive.
const DATABASE_BYTES: u64 = 512 << 20;
/// The longest file that is read at once.
const AT_ONCE: usize = 32 << 20;
/// The most files of a folder or an archive.
const MOST_FILES: usize = 1_000_000;
/// Folders in each other.
const MOST_FOLDERS: usize = 64;

/// A file to import.
#[derive(Debug, Clone)]
pub struct ImportFile {
    /// Its path, behind that of its archive.
    name: PathBuf,
    held: Held,
    /// The folder or archive that was named.
    root: Option<PathBuf>,
    shared: Arc<Shared>,
}

/// What the files of a folder or an archive need together.
#[derive(Debug, Default)]
struct Shared {
    /// Names by their ids, by the file that tells them.
    names: Mutex<HashMap<PathBuf, Arc<NamesById>>>,
}

/// Names of people or channels, by their ids.
pub(super) type NamesById = HashMap<String, String>;

#[derive(Debug, Clone)]
enum Held {
    Path,
    Bytes(Arc<[u8]>),
    Entry { archive: Arc<Archive>, place: usize },
}

/// A zip archive and what stands in it.
#[derive(Debug)]
struct Archive {
    path: PathBuf,
    bytes: Option<Arc<[u8]>>,
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    name: String,
    start: u64,
    compressed: u64,
    is_deflated: bool,
}

/// What is read from; a file can be gone to a place.
trait Place: Read + Seek {}
impl<T: Read + Seek> Place for T {}

impl ImportFile {
    /// The files of a path: itself, those of a folder, or those of an archive, in the order of
    /// their names. Hidden files and folders are passed over.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](annals_engine::ErrorKind::Io) when it cannot be read;
    /// [`ErrorKind::Invalid`](annals_engine::ErrorKind::Invalid) for an archive that is damaged,
    /// or holds more than a million files.
    pub fn all_of(path: &Path) -> Result<Vec<Self>, Error> {
        let data = std::fs::metadata(path).map_err(|error| failed(path, error))?;
        let mut found = Vec::new();
        if data.is_dir() {
            walk((path, &Arc::default()), path, 0, &mut found)?;
            found.sort_by(|one, other| one.name.cmp(&other.name));
            return Ok(found);
        }
        let mut file = Self {
            name: path.to_owned(),
            held: Held::Path,
            root: None,
            shared: Arc::default(),
        };
        // What is no plain file, such as a pipe, is read once.
        if !data.is_file() {
            let mut bytes = Vec::new();
            open_named(path)
                .and_then(|mut input| input.read_to_end(&mut bytes))
                .map_err(|error| failed(path, error))?;
            file.held = Held::Bytes(bytes.into());
        }
        file.unpacked()
    }

    /// The file that some bytes are, such as an upload, or those of an archive.
    ///
    /// # Errors
    /// As [`all_of`](Self::all_of).
    pub fn of_bytes(name: &str, bytes: Vec<u8>) -> Result<Vec<Self>, Error> {
        Self {
            name: PathBuf::from(name),
            held: Held::Bytes(bytes.into()),
            root: None,
            shared: Arc::default(),
        }
        .unpacked()
    }

    /// Its path, behind that of the archive that holds it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.name
    }

    /// The folder or archive by which it was found.
    #[must_use]
    pub fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// Whether it is too long to be read at once: unpacked it has more than 32 MiB.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](annals_engine::ErrorKind::Io) when it cannot be read.
    pub fn is_long(&self) -> Result<bool, Error> {
        let (mut input, mut bytes) = (self.open()?, 0);
        while bytes <= AT_ONCE {
            let length = input
                .fill_buf()
                .map_err(|error| failed(&self.name, error))?
                .len();
            if length == 0 {
                return Ok(false);
            }
            input.consume(length);
            bytes += length;
        }
        Ok(true)
    }

    /// Its name without the endings that tell its form.
    #[must_use]
    pub fn stem(&self) -> String {
        let mut path = self.name.clone();
        for ending in ["gz", "zst", "zstd"] {
            if path
                .extension()
                .is_some_and(|found| found.eq_ignore_ascii_case(ending))
            {
                path.set_extension("");
            }
        }
        path.file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
            .unwrap_or_default()
    }

    /// The name of a session that the file does not name: that of the file without its endings.
    #[must_use]
    pub fn session_name(&self) -> String {
        if self.name == Path::new("-") {
            "messages".to_owned()
        } else {
            self.stem()
        }
    }

    /// The archive in which it stands.
    pub(super) fn archive(&self) -> Option<&Path> {
        match &self.held {
            Held::Entry { archive, .. } => Some(&archive.path),
            Held::Path | Held::Bytes(_) => None,
        }
    }

    /// The name of the folder in which it stands.
    pub(super) fn folder(&self) -> Option<String> {
        let folder = self.name.parent()?.file_name()?;
        Some(folder.to_string_lossy().into_owned())
    }

    /// A file beside it, by a path from its folder.
    pub(super) fn beside(&self, relative: &str) -> Option<Self> {
        let mut path = self.name.parent()?.to_owned();
        for part in relative.split('/') {
            if part == ".." {
                path.pop();
            } else {
                path.push(part);
            }
        }
        let held = match &self.held {
            // A link may lead to whatever this user can read, as in a folder.
            Held::Path if path.is_file() => {
                let within = |root: &PathBuf| is_within(root, &path);
                if path.is_symlink() && !self.root.as_ref().is_some_and(within) {
                    return None;
                }
                Held::Path
            }
            Held::Entry { archive, .. } => {
                let place = archive
                    .entries
                    .iter()
                    .position(|entry| archive.path.join(&entry.name) == path)?;
                Held::Entry {
                    archive: Arc::clone(archive),
                    place,
                }
            }
            Held::Path | Held::Bytes(_) => return None,
        };
        Some(Self {
            name: path,
            held,
            root: self.root.clone(),
            shared: Arc::clone(&self.shared),
        })
    }

    /// The names that a file beside it tells, read once for all files of a folder or an archive.
    pub(super) fn names_beside(
        &self,
        relative: &str,
        read: impl FnOnce(&serde_json::Value) -> NamesById,
    ) -> Arc<NamesById> {
        let Some(file) = self.beside(relative) else {
            return Arc::default();
        };
        let mut known = self
            .shared
            .names
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(names) = known.get(&file.name) {
            return Arc::clone(names);
        }
        // Without the names their ids stand.
        let parsed = file.open().ok().and_then(|input| {
            let mut bytes = Vec::new();
            input.take(NAMES_BYTES).read_to_end(&mut bytes).ok()?;
            super::repair::parse(&bytes).ok()
        });
        let names = Arc::new(parsed.as_ref().map(read).unwrap_or_default());
        known.insert(file.name.clone(), Arc::clone(&names));
        names
    }

    /// When it was last written, where that is known.
    pub(super) fn written_at(&self) -> Option<annals_types::Timestamp> {
        let Held::Path = self.held else { return None };
        let written = std::fs::metadata(&self.name).ok()?.modified().ok()?;
        let since = written.duration_since(std::time::UNIX_EPOCH).ok()?;
        Some(annals_types::Timestamp::from_millis(
            i64::try_from(since.as_millis()).ok()?,
        ))
    }

    /// Opens it, unpacked.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](annals_engine::ErrorKind::Io) when it cannot be read.
    pub fn open(&self) -> Result<Box<dyn BufRead>, Error> {
        let opened = |error| failed(&self.name, error);
        let raw: Box<dyn Read> = match &self.held {
            Held::Path => Box::new(open_regular(&self.name).map_err(opened)?),
            Held::Bytes(bytes) => Box::new(Cursor::new(Arc::clone(bytes))),
            Held::Entry { archive, place } => archive.open(*place)?,
        };
        let mut raw = BufReader::with_capacity(BUFFER, raw);
        let head = raw.fill_buf().map_err(opened)?;
        if head.starts_with(b"\x1f\x8b") {
            let counted = Counted::new(raw);
            let read = Rc::clone(&counted.read);
            return Ok(unpacked(MultiGzDecoder::new(counted), read));
        }
        if head.starts_with(b"\x28\xb5\x2f\xfd") {
            let counted = Counted::new(raw);
            let read = Rc::clone(&counted.read);
            let decoder = ruzstd::decoding::StreamingDecoder::new(counted);
            let decoder = decoder
                .map_err(|error| failed(&self.name, std::io::Error::other(error.to_string())))?;
            return Ok(unpacked(decoder, read));
        }
        Ok(Box::new(raw))
    }

    /// Opens it as an SQLite database, with the log beside it.
    ///
    /// # Errors
    /// Where it is none, or cannot be read.
    pub(super) fn database(&self) -> Result<Database, Error> {
        if let Held::Path = self.held {
            let mut log = self.name.clone().into_os_string();
            log.push("-wal");
            let log = PathBuf::from(log);
            // The folder may be somebody else's: a link would bring in rows from elsewhere.
            let log = match OpenOwn::new().foreign(true).no_links().open(&log) {
                Ok(file) => Some(Box::new(file) as Box<dyn ReadAt>),
                Err(error) if error.kind() == ErrorKind::NotFound => None,
                Err(error) => return Err(failed(&log, error)),
            };
            let file = open_regular(&self.name).map_err(|error| failed(&self.name, error))?;
            return Database::open(Box::new(file), log);
        }
        let mut bytes = Vec::new();
        let read = self.open()?.take(DATABASE_BYTES).read_to_end(&mut bytes);
        read.map_err(|error| failed(&self.name, error))?;
        Database::open(Box::new(Cursor::new(bytes)), None)
    }

    /// The files of the archive that it is; else itself.
    fn unpacked(self) -> Result<Vec<Self>, Error> {
        let mut head = [0; 4];
        let is_zip = {
            let mut place = self.place()?;
            let mut read = 0;
            while let Some(rest) = head.get_mut(read..).filter(|rest| !rest.is_empty()) {
                match place
                    .read(rest)
                    .map_err(|error| failed(&self.name, error))?
                {
                    0 => break,
                    more => read += more,
                }
            }
            head == *b"PK\x03\x04" || head == *b"PK\x05\x06"
        };
        if !is_zip {
            return Ok(vec![self]);
        }
        let bytes = if let Held::Bytes(bytes) = &self.held {
            Some(Arc::clone(bytes))
        } else {
            None
        };
        let archive = Arc::new(Archive::read(&self.name, self.place()?, bytes)?);
        let file = |place: usize, entry: &Entry| Self {
            name: self.name.join(&entry.name),
            held: Held::Entry {
                archive: Arc::clone(&archive),
                place,
            },
            root: Some(self.name.clone()),
            shared: Arc::clone(&self.shared),
        };
        let mut files: Vec<Self> = archive
            .entries
            .iter()
            .enumerate()
            .map(|(place, entry)| file(place, entry))
            .collect();
        files.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(files)
    }

    fn place(&self) -> Result<Box<dyn Place>, Error> {
        Ok(match &self.held {
            Held::Bytes(bytes) => Box::new(Cursor::new(Arc::clone(bytes))),
            _ => Box::new(open_regular(&self.name).map_err(|error| failed(&self.name, error))?),
        })
    }
}

impl Archive {
    fn read(path: &Path, place: Box<dyn Place>, bytes: Option<Arc<[u8]>>) -> Result<Self, Error> {
        let damaged = |error: zip::result::ZipError| {
            Error::bad_input(format!(
                "{} is a damaged zip archive: {error}",
                path.display()
            ))
        };
        let mut zip = zip::ZipArchive::new(place).map_err(damaged)?;
        if zip.len() > MOST_FILES {
            return Err(too_many(path));
        }
        let mut entries = Vec::new();
        for at in 0..zip.len() {
            let entry = zip.by_index_raw(at).map_err(damaged)?;
            let Some(name) = entry.enclosed_name() else {
                continue;
            };
            if entry.is_dir() || is_hidden(&name) {
                continue;
            }
            if entry.encrypted() {
                let reason = format!(
                    "{} is encrypted; unpack it, and import the folder",
                    path.display()
                );
                return Err(Error::bad_input(reason));
            }
            let is_deflated = match entry.compression() {
                zip::CompressionMethod::Stored => false,
                zip::CompressionMethod::Deflated => true,
                other => {
                    let reason = format!(
                        "{} is packed as {other}; unpack it, and import the folder",
                        path.display()
                    );
                    return Err(Error::bad_input(reason));
                }
            };
            let name = name.to_string_lossy().into_owned();
            let Some(start) = entry.data_start() else {
                continue;
            };
            entries.push(Entry {
                name,
                start,
                compressed: entry.compressed_size(),
                is_deflated,
            });
        }
        Ok(Self {
            path: path.to_owned(),
            bytes,
            entries,
        })
    }

    fn open(&self, place: usize) -> Result<Box<dyn Read>, Error> {
        let entry = self
            .entries
            .get(place)
            .ok_or_else(|| Error::internal("an entry that is not there".to_owned()))?;
        let mut raw: Box<dyn Place> = match &self.bytes {
            Some(bytes) => Box::new(Cursor::new(Arc::clone(bytes))),
            None => Box::new(open_regular(&self.path).map_err(|error| failed(&self.path, error))?),
        };
        raw.seek(SeekFrom::Start(entry.start))
            .map_err(|error| failed(&self.path, error))?;
        let packed = raw.take(entry.compressed);
        if !entry.is_deflated {
            return Ok(Box::new(packed));
        }
        let counted = Counted::new(BufReader::with_capacity(BUFFER, packed));
        let read = Rc::clone(&counted.read);
        Ok(Box::new(Bounded::new(DeflateDecoder::new(counted), read)))
    }
}

fn is_hidden(path: &Path) -> bool {
    let hidden =
        |part: &std::ffi::OsStr| part.to_string_lossy().starts_with('.') || part == "__MACOSX";
    path.iter().any(hidden)
}

fn walk(
    (root, shared): (&Path, &Arc<Shared>),
    folder: &Path,
    depth: usize,
    found: &mut Vec<ImportFile>,
) -> Result<(), Error> {
    for entry in std::fs::read_dir(folder).map_err(|error| failed(folder, error))? {
        let entry = entry.map_err(|error| failed(folder, error))?;
        let path = entry.path();
        if is_hidden(Path::new(&entry.file_name())) {
            continue;
        }
        // A link to a folder may lead back to where it stands, and one to a file to whatever this
        // user can read: the folder may be a repository of somebody else.
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        let Ok(data) = std::fs::metadata(&path) else {
            continue;
        };
        if is_link && !is_within(root, &path) {
            continue;
        }
        if data.is_dir() && !is_link && depth < MOST_FOLDERS {
            walk((root, shared), &path, depth + 1, found)?;
        } else if data.is_file() {
            let (root, shared) = (Some(root.to_owned()), Arc::clone(shared));
            let file = ImportFile {
                name: path,
                held: Held::Path,
                root,
                shared,
            };
            // An archive that is damaged is a file like any other.
            found.extend(file.clone().unpacked().unwrap_or_else(|_| vec![file]));
        }
        if found.len() > MOST_FILES {
            return Err(too_many(root));
        }
    }
    Ok(())
}

/// Whether a link leads to something within a folder that would be read there as well: not to what
/// is hidden.
fn is_within(folder: &Path, link: &Path) -> bool {
    match (folder.canonicalize(), link.canonicalize()) {
        (Ok(folder), Ok(target)) => target
            .strip_prefix(folder)
            .is_ok_and(|rest| !is_hidden(rest)),
        _ => false,
    }
}

fn too_many(path: &Path) -> Error {
    Error::bad_input(format!(
        "{} holds more than {MOST_FILES} files",
        path.display()
    ))
}

fn failed(path: &Path, error: std::io::Error) -> Error {
    Error::io(format!("reading {}", path.display()), error)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn pipe(path: &Path) {
        let made = std::process::Command::new("mkfifo").arg(path).status();
        assert!(made.unwrap().success());
    }

    #[test]
    fn the_log_beside_a_database_is_a_file_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let [database, log, other] =
            ["a.db", "a.db-wal", "other"].map(|name| folder.path().join(name));
        std::fs::write(&database, b"no database").unwrap();
        std::fs::write(&other, b"of somebody else").unwrap();
        let refusal = || {
            let file = ImportFile::all_of(&database).unwrap().remove(0);
            file.database().err().unwrap().to_string()
        };
        symlink(&other, &log).unwrap();
        assert!(refusal().contains("a link"), "{}", refusal());
        std::fs::remove_file(&log).unwrap();
        pipe(&log);
        assert!(refusal().contains("a pipe"), "{}", refusal());
        std::fs::remove_file(&log).unwrap();
        assert!(!refusal().contains("a.db-wal"), "{}", refusal());
    }

    #[test]
    fn a_link_to_what_is_no_file_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let [link, pipe_at] = ["notes.md", "pipe"].map(|name| folder.path().join(name));
        pipe(&pipe_at);
        for target in [pipe_at.as_path(), Path::new("/dev/zero")] {
            symlink(target, &link).unwrap();
            let refused = ImportFile::all_of(&link).unwrap_err();
            assert!(refused.to_string().contains("no regular file"), "{refused}");
            assert!(ImportFile::all_of(folder.path()).unwrap().is_empty());
            std::fs::remove_file(&link).unwrap();
        }
    }

    #[test]
    fn a_file_beside_is_no_link_out_of_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let export = folder.path().join("export");
        std::fs::create_dir(&export).unwrap();
        std::fs::write(folder.path().join("secret.json"), b"{}").unwrap();
        std::fs::write(export.join("chat.json"), b"{}").unwrap();
        std::fs::write(export.join("names.json"), b"{}").unwrap();
        symlink("../secret.json", export.join("out.json")).unwrap();
        symlink("names.json", export.join("in.json")).unwrap();
        let files = ImportFile::all_of(&export).unwrap();
        let chat = files.iter().find(|file| file.path().ends_with("chat.json"));
        let is_there = |name: &str| chat.unwrap().beside(name).is_some();
        assert!(is_there("names.json") && is_there("in.json") && !is_there("out.json"));
    }
}
