use crate::checksum::crc32c;
use crate::hash::PieceHash;
use crate::ranges::Ranges;
use crate::{DIMS, PIECES};

/// The version of the file's layout and content; vectors of different versions are not comparable.
pub const VERSION: u32 = 1;

const MAGIC: [u8; 8] = *b"annalstb";
const HEADER: usize = 64;
const SLOTS: usize = 1 << 16;
/// The first ideograph with a weight, and how many there are.
const FIRST_IDEOGRAPH: u32 = 0x4e00;
const IDEOGRAPHS: usize = 0xa000 - 0x4e00;
const ROWS: usize = PIECES as usize;
/// In a slot: no piece.
const EMPTY: u16 = u16::MAX;

/// The table file, split into its sections without copying. All numbers in it are little-endian.
///
/// | bytes | what |
/// |---|---|
/// | 64 | header: magic; u32 version, dimensions, pieces, slots, dropped ranges, punctuation ranges, length of the text; f32 low, high, unit; u32 CRC-32C of the rest; zeros |
/// | pieces x 256 | rows: two's complement bytes |
/// | slots x 4 | hash slots: piece id and tag, each u16; id 65535 = empty |
/// | (pieces + 1) x 4 | where the text of each piece starts, and where the last ends |
/// | 20,992 | weights of the ideographs U+4E00 to U+9FFF |
/// | ranges x 8 | first and last code point: dropped characters, then punctuation |
/// | rest | the text of the pieces, UTF-8, without `##` |
#[derive(Debug)]
pub struct Table {
    body: &'static [u8],
    checksum: u32,
    rows: &'static [[u8; DIMS]],
    slots: &'static [[u8; 4]],
    starts: &'static [[u8; 4]],
    text: &'static [u8],
    ideographs: &'static [u8],
    dropped: Ranges,
    punctuation: Ranges,
    low: f32,
    high: f32,
    unit: f32,
}

impl Table {
    /// Splits the file, when the program is compiled: a file of another form is a compile error.
    pub(crate) const fn parse(file: &'static [u8]) -> Self {
        let (header, body) = file.split_at(HEADER);
        assert!(u64::from_le_bytes(*field(header, 0)) == u64::from_le_bytes(MAGIC), "the file is no table");
        assert!(number(header, 8) == VERSION, "the table has another version");
        assert!(number(header, 12) as usize == DIMS, "the table has other dimensions");
        assert!(number(header, 16) as usize == ROWS, "the table has another vocabulary");
        assert!(number(header, 20) as usize == SLOTS, "the table has another hash");
        let (rows, rest) = body.split_at(ROWS * DIMS);
        let (slots, rest) = rest.split_at(SLOTS * 4);
        let (starts, rest) = rest.split_at((ROWS + 1) * 4);
        let (ideographs, rest) = rest.split_at(IDEOGRAPHS);
        let (dropped, rest) = rest.split_at(number(header, 24) as usize * 8);
        let (punctuation, text) = rest.split_at(number(header, 28) as usize * 8);
        assert!(number(header, 32) as usize == text.len(), "the table is cut off");
        Self {
            body,
            checksum: number(header, 48),
            rows: rows.as_chunks().0,
            slots: slots.as_chunks().0,
            starts: starts.as_chunks().0,
            text,
            ideographs,
            dropped: Ranges::new(dropped.as_chunks().0),
            punctuation: Ranges::new(punctuation.as_chunks().0),
            low: f32::from_bits(number(header, 36)),
            high: f32::from_bits(number(header, 40)),
            unit: f32::from_bits(number(header, 44)),
        }
    }

    /// The row of a piece: 256 numbers as two's complement bytes (`u8::cast_signed`), weight included, in units of
    /// [`unit`](Self::unit). `None` beyond the vocabulary.
    #[inline]
    #[must_use]
    pub fn row(&self, piece: u16) -> Option<&'static [u8; DIMS]> {
        self.rows.get(usize::from(piece))
    }

    /// The piece with this text; `hash` is that of the text, from [`PieceHash::WORD`] or [`PieceHash::INSIDE`].
    #[inline]
    #[must_use]
    pub fn find(&self, hash: PieceHash, text: &[u8]) -> Option<u16> {
        let [_, _, tag_low, tag_high] = hash.mixed().to_be_bytes();
        let tag = u16::from_be_bytes([tag_low, tag_high]);
        let mut slot = usize::try_from(hash.mixed() >> 16).unwrap_or_default();
        loop {
            let [id_low, id_high, tag_low, tag_high] = *self.slots.get(slot)?;
            let id = u16::from_le_bytes([id_low, id_high]);
            if id == EMPTY {
                return None;
            }
            if u16::from_le_bytes([tag_low, tag_high]) == tag && self.text(id)? == text {
                return Some(id);
            }
            slot = (slot + 1) % SLOTS;
        }
    }

    /// The text of a piece, UTF-8, without the `##` of one inside a word.
    #[inline]
    #[must_use]
    pub fn text(&self, piece: u16) -> Option<&'static [u8]> {
        let at = usize::from(piece);
        let start = u32::from_le_bytes(*self.starts.get(at)?);
        let end = u32::from_le_bytes(*self.starts.get(at + 1)?);
        self.text.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
    }

    /// What an ideograph weighs, from 64 for the most frequent one of written Chinese to 255 for all that are not frequent.
    #[inline]
    #[must_use]
    pub fn ideograph_weight(&self, character: char) -> u8 {
        let at = u32::from(character).checked_sub(FIRST_IDEOGRAPH).and_then(|at| usize::try_from(at).ok());
        at.and_then(|at| self.ideographs.get(at)).copied().unwrap_or(u8::MAX)
    }

    /// Characters that the model's tokenizer removes: controls, formats, private use, non-spacing marks.
    #[must_use]
    pub fn dropped(&self) -> &Ranges {
        &self.dropped
    }

    /// Characters outside ASCII that are a word of their own as punctuation.
    #[must_use]
    pub fn punctuation(&self) -> &Ranges {
        &self.punctuation
    }

    /// The cosines of unrelated and of equivalent texts, as measured when the table was made.
    #[must_use]
    pub fn calibration(&self) -> (f32, f32) {
        (self.low, self.high)
    }

    /// What a code of 1 stands for: the length of the row of an ordinary rare word is about 1.
    #[must_use]
    pub fn unit(&self) -> f32 {
        self.unit
    }

    /// The CRC-32C of everything behind the header, as the file says; it names the table's exact content.
    #[must_use]
    pub fn checksum(&self) -> u32 {
        self.checksum
    }

    /// Whether the content has the checksum that the file says. Reads all eight megabytes.
    #[must_use]
    pub fn verify(&self) -> bool {
        crc32c(self.body) == self.checksum
    }
}

const fn number(header: &'static [u8], at: usize) -> u32 {
    u32::from_le_bytes(*field(header, at))
}

const fn field<const N: usize>(header: &'static [u8], at: usize) -> &'static [u8; N] {
    match header.split_at(at).1.first_chunk() {
        Some(field) => field,
        None => unreachable!(),
    }
}
