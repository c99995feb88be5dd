use std::fmt::Write as _;

/// Bytes of a key that an error message shows.
const SHOWN: usize = 32;

/// Bytes in lower-case hexadecimal.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _infallible = write!(text, "{byte:02x}");
    }
    text
}

/// A key for an error message: at most 32 bytes of it.
pub(crate) fn shown_key(key: &[u8]) -> String {
    match key.get(..SHOWN) {
        Some(head) if key.len() > SHOWN => hex(head) + "…",
        _ => hex(key),
    }
}
