use std::path::Path;

use crate::failure::Failure;
use crate::texts::text;

/// The bytes as text, or where they stop being UTF-8. A byte order mark at the start is taken off.
pub(crate) fn text(bytes: Vec<u8>, what: &str, file: Option<&Path>) -> Result<String, Failure> {
    let error = match String::from_utf8(bytes) {
        Ok(text) => {
            return Ok(text
                .strip_prefix('\u{feff}')
                .map(str::to_owned)
                .unwrap_or(text));
        }
        Err(error) => error,
    };
    let at = error.utf8_error().valid_up_to();
    let before = error.as_bytes().get(..at).unwrap_or_default();
    let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
    let bad = error.as_bytes().get(at).copied().unwrap_or_default();
    let place = file
        .map(|file| format!(" ({})", file.display()))
        .unwrap_or_default();
    let failure = Failure::invalid(text!(
        "common-not-utf8",
        what,
        place,
        at,
        line,
        bad = format!("{bad:02x}")
    ))
    .advice(text!("common-convert"));
    Err(match file {
        Some(file) => failure.at(file, u64::try_from(line).ok()),
        None => failure,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_where_the_text_breaks() {
        assert_eq!(text(b"\xef\xbb\xbfok".to_vec(), "x", None).unwrap(), "ok");
        let failure = text(
            b"one\ntwo \xff".to_vec(),
            "the text",
            Some(Path::new("f.txt")),
        )
        .unwrap_err();
        assert_eq!(
            failure.message,
            "the text (f.txt) is not UTF-8: byte 8, on line 2, is 0xff"
        );
        assert_eq!(failure.line, Some(2));
    }
}
