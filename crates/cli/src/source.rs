//! Where a text comes from: an argument, a file, or standard input.

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use annals::MAX_TEXT_BYTES;

use crate::failure::Failure;
use crate::texts::text;
use crate::utf8;
use crate::world::World;

/// Reads a text given as `TEXT`, as `-` or by `--file`; standard input is used when it is not a
/// terminal and nothing else is given.
pub(crate) fn text(
    argument: Option<&OsString>,
    file: Option<&PathBuf>,
    world: &mut World<'_>,
) -> Result<String, Failure> {
    match (argument, file) {
        (Some(argument), None) if argument != "-" => utf8::text(
            argument.clone().into_encoded_bytes(),
            &text!("common-the-text"),
            None,
        ),
        (None, Some(path)) => {
            let mut file = open(path)?;
            let bytes = limited(
                &mut file,
                &text!("common-the-file-path", path = path.display()),
                Some(path),
            )?;
            Ok(trim_end(utf8::text(
                bytes,
                &text!("common-the-file"),
                Some(path),
            )?))
        }
        (None, None) if world.terminal.input => Err(Failure::usage(text!("common-no-text"))),
        (_, None) => {
            let bytes = limited(world.input, &text!("common-standard-input"), None)?;
            Ok(trim_end(utf8::text(
                bytes,
                &text!("common-standard-input"),
                None,
            )?))
        }
        (Some(_), Some(_)) => Err(Failure::usage(text!("common-text-or-file"))),
    }
}

/// Files and pipes end with a line break that is not part of what is said.
fn trim_end(mut text: String) -> String {
    text.truncate(text.trim_end_matches(['\n', '\r']).len());
    text
}

/// Reads no more than a text may have, so that a wrong file does not fill the memory.
fn limited(input: &mut dyn Read, what: &str, path: Option<&Path>) -> Result<Vec<u8>, Failure> {
    let limit = MAX_TEXT_BYTES as u64;
    let mut bytes = Vec::new();
    let read = input.take(limit + 3).read_to_end(&mut bytes);
    let standard = text!("common-standard-input");
    let at = path.unwrap_or(Path::new(&standard));
    read.map_err(|cause| Failure::file(&text!("common-read"), at, &cause))?;
    if bytes.len() as u64 > limit + 2 {
        return Err(Failure::invalid(text!("common-too-long", what, limit))
            .advice(text!("common-split-it")));
    }
    Ok(bytes)
}

/// Whether there is something to open, without opening it: a pipe can be opened once only.
pub(crate) fn check(path: &Path) -> Result<(), Failure> {
    let data = std::fs::metadata(path)
        .map_err(|cause| Failure::file(&text!("common-read"), path, &cause))?;
    if data.is_file() {
        open(path).map(drop)
    } else {
        of_folder(path, &data)
    }
}

fn of_folder(path: &Path, data: &Metadata) -> Result<(), Failure> {
    match data.is_dir() {
        true => Err(
            Failure::invalid(text!("common-is-folder", path = path.display()))
                .advice(text!("common-name-file"))
                .at(path, None),
        ),
        false => Ok(()),
    }
}

pub(crate) fn open(path: &Path) -> Result<File, Failure> {
    let file = annals_private::open_named(path)
        .map_err(|cause| Failure::file(&text!("common-read"), path, &cause))?;
    file.metadata()
        .map_or(Ok(()), |data| of_folder(path, &data))?;
    Ok(file)
}

/// A file, or standard input for `-`, for reading line by line.
pub(crate) fn lines<'i>(
    path: &Path,
    world: &'i mut World<'_>,
) -> Result<Box<dyn BufRead + 'i>, Failure> {
    if path == Path::new("-") {
        return Ok(Box::new(BufReader::new(&mut *world.input)));
    }
    Ok(Box::new(BufReader::with_capacity(1 << 16, open(path)?)))
}

/// The whole of a file or of standard input.
pub(crate) fn all(path: &Path, world: &mut World<'_>) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    lines(path, world)?
        .read_to_end(&mut bytes)
        .map_err(|cause| Failure::file(&text!("common-read"), path, &cause))?;
    Ok(bytes)
}
