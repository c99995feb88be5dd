use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use annals_net::Answer;

use super::client::{Client, Trouble, escape};
use super::listing::Item;
use super::{HubError, Source};

/// The fetching of one file into the folder `part`.
pub(super) struct Download<'a> {
    pub(super) client: &'a Client,
    pub(super) source: &'a Source,
    pub(super) item: &'a Item,
    pub(super) part: &'a Path,
}

impl Download<'_> {
    /// Fetches the file unless it is there already, and gives its size. `tell` learns how many
    /// bytes are there.
    pub(super) fn run(&self, tell: &mut dyn FnMut(u64)) -> Result<u64, HubError> {
        let (done, growing) = (self.part.join(&self.item.path), self.growing());
        if !(done.is_file() && self.verify(&done).is_ok()) {
            if let Some(parent) = done.parent() {
                fs::create_dir_all(parent)
                    .map_err(|error| HubError::io("create", parent, error))?;
            }
            self.client.patiently(|| self.attempt(&growing, tell))?;
            if let Err(error) = self.verify(&growing) {
                // To go on from here would only repeat the error.
                fs::remove_file(&growing)
                    .map_err(|error| HubError::io("remove", &growing, error))?;
                return Err(error);
            }
            fs::rename(&growing, &done).map_err(|error| HubError::io("create", &done, error))?;
        }
        let size = length(&done)?;
        tell(size);
        Ok(size)
    }

    fn growing(&self) -> PathBuf {
        self.part.join(format!("{}.part", self.item.path))
    }

    /// One connection: goes on where the last one broke off.
    fn attempt(&self, growing: &Path, tell: &mut dyn FnMut(u64)) -> Result<(), Trouble> {
        let mut have = length(growing)?;
        if self.item.size.is_some_and(|size| have > size) {
            have = 0;
        }
        if have > 0 && self.item.size == Some(have) {
            return Ok(());
        }
        let Source { repo, commit, .. } = self.source;
        let path = escape(&self.item.path, true);
        let url = self
            .client
            .url(&format!("{repo}/resolve/{}/{path}", escape(commit, false)));
        let response = self.client.get(&url, have)?;
        let status = response.status();
        if status == 416 {
            // The server has less than what is here, which therefore is not the beginning of the
            // file.
            remove(growing)?;
            return Err(Trouble::passing(HubError::Refused { url, status }));
        }
        // A server that knows nothing of ranges sends everything again.
        let goes_on = status == 206 && starts_at(&response) == Some(have);
        if status == 206 && !goes_on {
            remove(growing)?;
            return Err(Trouble::passing(HubError::Refused { url, status }));
        }
        self.append(response, growing, if goes_on { have } else { 0 }, tell)
    }

    fn append(
        &self,
        response: Answer,
        growing: &Path,
        from: u64,
        tell: &mut dyn FnMut(u64),
    ) -> Result<(), Trouble> {
        let failed = |error| HubError::io("write", growing, error);
        let mut file = OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(false)
            .open(growing)
            .map_err(failed)?;
        file.set_len(from).map_err(failed)?;
        std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(from)).map_err(failed)?;
        let mut done = from;
        let copied = self.copy(response, &mut file, &mut done, growing, tell);
        file.sync_all().map_err(failed)?;
        copied?;
        match self.item.size {
            Some(size) if done < size => Err(self.broken_off(done, "fewer bytes than announced")),
            _ => Ok(()),
        }
    }

    fn copy(
        &self,
        response: Answer,
        file: &mut File,
        done: &mut u64,
        growing: &Path,
        tell: &mut dyn FnMut(u64),
    ) -> Result<(), Trouble> {
        let mut body = response.into_reader(u64::MAX);
        let mut buffer = vec![0; 1 << 16];
        loop {
            let got = match body.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(got) => got,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.broken_off(*done, &error.to_string())),
            };
            let bytes = buffer.get(..got).unwrap_or_default();
            file.write_all(bytes)
                .map_err(|error| HubError::io("write", growing, error))?;
            *done += u64::try_from(got).unwrap_or(0);
            if self.item.size.is_some_and(|size| *done > size) {
                // Verification will say so; there is no need to fill the disk first.
                return Ok(());
            }
            tell(*done);
        }
    }

    fn broken_off(&self, done: u64, reason: &str) -> Trouble {
        Trouble::passing(HubError::BrokenOff {
            file: self.item.path.clone(),
            done,
            reason: reason.to_owned(),
        })
    }

    fn verify(&self, path: &Path) -> Result<(), HubError> {
        let corrupt = |expected, got| HubError::Corrupt {
            file: self.item.path.clone(),
            expected,
            got,
        };
        let length = length(path)?;
        if let Some(size) = self.item.size.filter(|&size| size != length) {
            let got = if length > size {
                format!("more than {size} bytes")
            } else {
                format!("{length} bytes")
            };
            return Err(corrupt(format!("{size} bytes"), got));
        }
        let Some(checksum) = &self.item.checksum else {
            return Ok(());
        };
        match checksum
            .differs(path)
            .map_err(|error| HubError::io("read", path, error))?
        {
            Some((expected, got)) => Err(corrupt(expected, got)),
            None => Ok(()),
        }
    }
}

fn length(path: &Path) -> Result<u64, HubError> {
    match path.metadata() {
        Ok(meta) => Ok(meta.len()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(0),
        Err(error) => Err(HubError::io("read", path, error)),
    }
}

fn remove(path: &Path) -> Result<(), HubError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(HubError::io("remove", path, error))
        }
        _ => Ok(()),
    }
}

/// The first byte of a partial answer: `bytes 1000-1999/2000`.
fn starts_at(response: &Answer) -> Option<u64> {
    let text = response.header("content-range")?;
    text.strip_prefix("bytes ")?
        .split('-')
        .next()?
        .trim()
        .parse()
        .ok()
}
