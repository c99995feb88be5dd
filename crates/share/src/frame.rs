//! The frames on the socket: each has a length, a kind and a body.
//!
//! ```text
//! u32 length of the body, little-endian; u8 kind; the body
//! ```

use std::io::{self, Read, Write};

/// The longest body of a frame, in bytes.
const LONGEST: u32 = 1 << 28;

/// The kinds of frames. The numbers of `Hello`, `Welcome`, `Refused` and `Drain` are the same in
/// every version of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A client says who it is. Body: `Hello`.
    Hello = 1,
    /// A client asks the owner to give the file up. No body.
    Drain = 2,
    /// A client calls. Body: `Call`.
    Call = 3,
    /// The bytes that the owner asked for; none at the end of the input.
    Input = 4,
    /// The owner says who it is. Body: `Welcome`.
    Welcome = 17,
    /// The owner serves this client no further. Body: `Refusal`.
    Refused = 18,
    /// The answer to a call, as JSON.
    Answer = 19,
    /// The error that a call ended with. Body: `ErrorReport`.
    Failed = 20,
    /// The progress of a call, as JSON.
    Progress = 21,
    /// The owner asks for bytes of the input of a call. Body: u32, how many at most.
    Pull = 22,
    /// Bytes of the output of a call.
    Output = 23,
}

pub(crate) const KINDS: [Kind; 11] = [
    Kind::Hello,
    Kind::Drain,
    Kind::Call,
    Kind::Input,
    Kind::Welcome,
    Kind::Refused,
    Kind::Answer,
    Kind::Failed,
    Kind::Progress,
    Kind::Pull,
    Kind::Output,
];

/// Writes a frame in one go.
pub(crate) fn write(to: &mut impl Write, kind: Kind, body: &[u8]) -> io::Result<()> {
    let length = u32::try_from(body.len())
        .ok()
        .filter(|length| *length <= LONGEST);
    let length = length.ok_or_else(|| {
        let reason = format!(
            "{} bytes are too many for one message; ask for less at once",
            body.len()
        );
        io::Error::new(io::ErrorKind::InvalidInput, reason)
    })?;
    let mut frame = Vec::with_capacity(body.len() + 5);
    frame.extend(length.to_le_bytes());
    frame.push(kind as u8);
    frame.extend(body);
    to.write_all(&frame)
}

/// Reads a frame; none where the other side has ended.
pub(crate) fn read(from: &mut impl Read) -> io::Result<Option<(Kind, Vec<u8>)>> {
    let mut head = [0; 5];
    let mut filled = 0;
    while let Some(rest) = head.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match from.read(rest) {
            Ok(0) if filled == 0 => return Ok(None),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if filled == 0 => return Err(error),
            // The rest of a frame that has begun does not arrive.
            Err(_) => return Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
    let [a, b, c, d, kind] = head;
    let length = u32::from_le_bytes([a, b, c, d]);
    let kind = KINDS.into_iter().find(|known| *known as u8 == kind);
    let Some(kind) = kind.filter(|_| length <= LONGEST) else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "the other side does not speak this protocol",
        ));
    };
    let mut body = Vec::new();
    // The body grows as it arrives: a length alone reserves nothing.
    let read = from.take(u64::from(length)).read_to_end(&mut body);
    if read.is_err() || body.len() != length as usize {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some((kind, body)))
}

#[cfg(test)]
mod tests {
    use super::{KINDS, Kind, read, write};

    #[test]
    fn frames_come_back() {
        let mut bytes = Vec::new();
        for kind in KINDS {
            write(&mut bytes, kind, b"body").unwrap();
        }
        let mut from = bytes.as_slice();
        for kind in KINDS {
            assert_eq!(read(&mut from).unwrap(), Some((kind, b"body".to_vec())));
        }
        assert_eq!(read(&mut from).unwrap(), None);
    }

    #[test]
    fn what_is_cut_off_or_foreign_is_an_error() {
        let mut bytes = Vec::new();
        write(&mut bytes, Kind::Call, b"body").unwrap();
        for end in 1..bytes.len() {
            assert!(read(&mut &bytes[..end]).is_err());
        }
        assert!(read(&mut b"GET / HTTP/1.1\r\n".as_slice()).is_err());
        assert!(read(&mut [0xFF_u8; 64].as_slice()).is_err());
    }
}
