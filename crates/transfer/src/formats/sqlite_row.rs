//! Rows of an SQLite database, and the statements that declare their columns.

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    Null,
    Int(i64),
    Float(f64),
    Text(String),
    Blob(Vec<u8>),
}

impl Cell {
    /// A text; so is a blob that is one.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Blob(bytes) => std::str::from_utf8(bytes).ok(),
            _ => None,
        }
    }
}

/// A number of one to nine bytes, and how many these are.
pub(super) fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0_u64;
    for (at, byte) in bytes.iter().take(9).enumerate() {
        if at == 8 {
            return Some((value << 8 | u64::from(*byte), 9));
        }
        value = value << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, at + 1));
        }
    }
    None
}

/// The values of a row.
pub(super) fn cells(payload: &[u8]) -> Option<Vec<Cell>> {
    let (head, mut at) = varint(payload)?;
    let head = usize::try_from(head).ok()?;
    let mut kinds = Vec::new();
    while at < head {
        let (kind, length) = varint(payload.get(at..head)?)?;
        kinds.push(kind);
        at += length;
    }
    let mut body = payload.get(head..)?;
    let mut cells = Vec::with_capacity(kinds.len());
    for kind in kinds {
        let length = match kind {
            0 | 8 | 9 => 0,
            1..=4 => usize::try_from(kind).ok()?,
            5 => 6,
            6 | 7 => 8,
            12.. => usize::try_from((kind - 12) / 2).ok()?,
            _ => return None,
        };
        let (own, rest) = (body.get(..length)?, body.get(length..)?);
        body = rest;
        cells.push(match kind {
            0 => Cell::Null,
            1..=6 => Cell::Int(integer(own)),
            7 => Cell::Float(f64::from_be_bytes(*own.first_chunk()?)),
            8 => Cell::Int(0),
            9 => Cell::Int(1),
            _ if kind % 2 == 0 => Cell::Blob(own.to_vec()),
            _ => Cell::Text(String::from_utf8_lossy(own).into_owned()),
        });
    }
    Some(cells)
}

/// A whole number with its sign.
fn integer(bytes: &[u8]) -> i64 {
    let negative = bytes.first().is_some_and(|byte| byte & 0x80 != 0);
    bytes
        .iter()
        .fold(if negative { -1 } else { 0 }, |value, byte| {
            value << 8 | i64::from(*byte)
        })
}

/// The columns that a statement declares, and which of them is the number of the row.
pub(super) fn columns(sql: &str) -> (Vec<String>, Option<usize>) {
    let inner = sql.split_once('(').map_or("", |(_, inner)| inner);
    let (mut parts, mut part, mut depth, mut quote) = (Vec::new(), String::new(), 0_usize, None);
    for c in inner.chars() {
        match (c, quote) {
            (c, Some(open)) => {
                if c == open {
                    quote = None;
                }
                part.push(c);
            }
            ('"' | '\'' | '`', None) => {
                quote = Some(c);
                part.push(c);
            }
            ('(', None) => {
                depth += 1;
                part.push(c);
            }
            (')', None) if depth == 0 => break,
            (')', None) => {
                depth -= 1;
                part.push(c);
            }
            (',', None) if depth == 0 => parts.push(std::mem::take(&mut part)),
            (c, None) => part.push(c),
        }
    }
    parts.push(part);
    let (mut names, mut numbered) = (Vec::new(), None);
    for part in parts {
        let mut words = part.split_whitespace();
        let Some(first) = words.next() else { continue };
        let is_constraint = ["PRIMARY", "UNIQUE", "CHECK", "FOREIGN", "CONSTRAINT"];
        let bare = first.split('(').next().unwrap_or(first).to_uppercase();
        if is_constraint.contains(&bare.as_str()) {
            continue;
        }
        let rest = words.collect::<Vec<_>>().join(" ").to_uppercase();
        if rest.starts_with("INTEGER PRIMARY KEY") {
            numbered = Some(names.len());
        }
        names.push(first.trim_matches(['"', '`', '[', ']', '\'']).to_owned());
    }
    (names, numbered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_tell_columns() {
        let sql = "CREATE TABLE \"t\" (id INTEGER PRIMARY KEY AUTOINCREMENT, \"a b\" TEXT DEFAULT 'x, y', \
                   n INT CHECK (n IN (1, 2)), \
                   PRIMARY KEY (id), FOREIGN KEY(n) REFERENCES o(n))";
        assert_eq!(
            columns(sql),
            (
                vec!["id".to_owned(), "a".to_owned(), "n".to_owned()],
                Some(0)
            )
        );
    }

    #[test]
    fn numbers_have_a_sign_and_a_length() {
        assert_eq!(
            (
                integer(&[0xff]),
                integer(&[0x01, 0x00]),
                integer(&[0x80, 0, 0])
            ),
            (-1, 256, -8_388_608)
        );
        assert_eq!(varint(&[0x81, 0x00]), Some((128, 2)));
        assert_eq!(varint(&[0xff; 9]), Some((u64::MAX, 9)));
        assert_eq!(varint(&[0x80]), None);
    }
}
