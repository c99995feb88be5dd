//! Files of words, whatever they are encoded in.

use std::io::BufRead;

use annals_engine::Error;
use encoding_rs::{Decoder, Encoding, GB18030, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::items::unreadable;
use super::outline::HEAD_BYTES;

/// The beginning of a file as text; `None` where it is none.
pub(super) fn decode_head(head: &[u8]) -> Option<String> {
    let encoding = encoding_of(head)?;
    let (text, ..) = encoding.decode(head);
    Some(text.into_owned())
}

/// The encoding of a text: its mark, or UTF-8, or the one in which most of its bytes make sense.
fn encoding_of(head: &[u8]) -> Option<&'static Encoding> {
    if let Some((marked, _)) = Encoding::for_bom(head) {
        return Some(marked);
    }
    if head.contains(&0) {
        return utf_16_of(head);
    }
    let valid = match std::str::from_utf8(head) {
        Ok(_) => true,
        // The beginning may end within a character.
        Err(error) => error.error_len().is_none() || error.valid_up_to() + 4 > HEAD_BYTES,
    };
    if valid {
        return Some(UTF_8);
    }
    let controls = head
        .iter()
        .filter(|byte| **byte < 0x20 && !byte.is_ascii_whitespace())
        .count();
    if controls * 50 > head.len() {
        return None;
    }
    let is_chinese = GB18030.decode_without_bom_handling_and_without_replacement(head);
    let han = is_chinese.as_ref().map_or(0, |text| {
        text.chars()
            .filter(|c| ('\u{4e00}'..='\u{9fff}').contains(c))
            .count()
    });
    let high = head.iter().filter(|byte| **byte >= 0x80).count();
    Some(if han * 3 > high {
        GB18030
    } else {
        WINDOWS_1252
    })
}

/// UTF-16 without a mark: every other byte of words in Latin letters is zero.
fn utf_16_of(head: &[u8]) -> Option<&'static Encoding> {
    let zeros = |from: usize| {
        head.iter()
            .skip(from)
            .step_by(2)
            .filter(|byte| **byte == 0)
            .count()
    };
    let (even, odd, half) = (zeros(0), zeros(1), head.len() / 2);
    // So few bytes tell nothing.
    if head.len() < 8 {
        return None;
    }
    if odd * 4 > half * 3 && even * 20 < half {
        Some(UTF_16LE)
    } else if even * 4 > half * 3 && odd * 20 < half {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// The lines of a text, without their ends; a line may be as long as a record.
pub(super) struct TextLines<'a> {
    input: &'a mut dyn BufRead,
    decoder: Option<Decoder>,
    decoded: String,
    /// How much of what was decoded was given out, and how much more has no line break.
    given: usize,
    searched: usize,
    ended: bool,
    /// The number of the line that was given last.
    pub(super) line: u64,
}

/// The longest line of a text.
const MAX_LINE_BYTES: usize = 64 << 20;
/// Bytes decoded at a time.
const CHUNK: usize = 32 << 10;

impl<'a> TextLines<'a> {
    pub(super) fn new(input: &'a mut dyn BufRead) -> Self {
        Self {
            input,
            decoder: None,
            decoded: String::new(),
            given: 0,
            searched: 0,
            ended: false,
            line: 0,
        }
    }

    /// The next line.
    ///
    /// # Errors
    /// When the file cannot be read, or a line is longer than any text.
    pub(super) fn next(&mut self) -> Result<Option<String>, Error> {
        loop {
            let rest = self.decoded.get(self.given..).unwrap_or_default();
            let behind = rest.get(self.searched..).unwrap_or_default();
            if let Some(end) = memchr::memchr(b'\n', behind.as_bytes()).map(|at| at + self.searched)
            {
                self.searched = 0;
                let line = rest
                    .get(..end)
                    .unwrap_or_default()
                    .trim_end_matches('\r')
                    .to_owned();
                self.given += end + 1;
                self.line += 1;
                return Ok(Some(line));
            }
            if self.ended {
                if rest.is_empty() {
                    return Ok(None);
                }
                let line = rest.trim_end_matches('\r').to_owned();
                self.given = self.decoded.len();
                self.line += 1;
                return Ok(Some(line));
            }
            if rest.len() > MAX_LINE_BYTES {
                let reason = format!("a line has more than {} MiB", MAX_LINE_BYTES >> 20);
                return Err(Error::bad_line(self.line + 1, reason));
            }
            self.searched = rest.len();
            self.decoded.drain(..self.given);
            self.given = 0;
            self.decode()?;
        }
    }

    fn decode(&mut self) -> Result<(), Error> {
        let mut chunk = Vec::with_capacity(CHUNK);
        // The first chunk tells the encoding.
        let wanted = if self.decoder.is_none() {
            HEAD_BYTES
        } else {
            CHUNK
        };
        while chunk.len() < wanted {
            let part = self.input.fill_buf().map_err(unreadable)?;
            if part.is_empty() {
                self.ended = true;
                break;
            }
            let length = part.len();
            chunk.extend_from_slice(part);
            self.input.consume(length);
        }
        let decoder = self
            .decoder
            .get_or_insert_with(|| encoding_of(&chunk).unwrap_or(UTF_8).new_decoder());
        let most = decoder
            .max_utf8_buffer_length(chunk.len())
            .unwrap_or(chunk.len().saturating_mul(3));
        self.decoded.reserve(most);
        let _told = decoder.decode_to_string(&chunk, &mut self.decoded, self.ended);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<String> {
        let mut input = std::io::BufReader::with_capacity(5, bytes);
        let mut lines = TextLines::new(&mut input);
        std::iter::from_fn(|| lines.next().unwrap()).collect()
    }

    #[test]
    fn texts_are_read_in_the_encodings_that_programs_write() {
        assert_eq!(lines("\u{feff}a\r\nb\n\nc".as_bytes()), ["a", "b", "", "c"]);
        let utf_16: Vec<u8> = "\u{feff}größe;ok\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(lines(&utf_16), ["größe;ok"]);
        assert_eq!(lines(b"caf\xe9, 5 \x80\n"), ["café, 5 €"]);
        let (gbk, ..) = GB18030.encode("我们明天去爬山，带上水。");
        assert_eq!(lines(&gbk), ["我们明天去爬山，带上水。"]);
        assert_eq!(decode_head(b"a\0b"), None);
        assert_eq!(decode_head(b"\x01\x02\xff\xfe\x03\x04\xff"), None);
    }
}
