use crate::checksum::crc32c;
use crate::{DIMS, PIECES, Symbol};

/// The version of the file's layout and content; vectors of different versions are not comparable.
pub const VERSION: u32 = 2;

const MAGIC: [u8; 8] = *b"annalstb";
const HEADER: usize = 64;
const ROWS: usize = PIECES as usize;
const PAGE: usize = 256;
/// Pages of 256 code points in all of Unicode.
const PAGE_NUMBERS: usize = 0x11_0000 / PAGE;
/// The bit of a unit's base that marks a piece which no split into smaller ones beats.
const WHOLE: u32 = 1 << 31;

/// The table file, split into its sections without copying. All numbers in it are little-endian.
///
/// | bytes | what |
/// |---|---|
/// | 64 | header: magic; u32 version, dimensions, pieces, units, pages, length of the sequences, CRC-32C of the rest; zeros |
/// | pieces x 256 | rows: two's complement bytes |
/// | pieces x 4 | scales of the rows, f32 |
/// | pieces x 8 | scores of the pieces, natural logarithms of probabilities, f64 |
/// | units x 8 | the pieces as a double array (Aoe 1989): u32 base, its highest bit for a whole word; u16 symbol; u16 piece, 0 for none |
/// | 4,352 x 2 | which page holds the code points from 256 x its place |
/// | pages x 512 | what a character becomes: a symbol, or a place in the sequences with the highest bit set |
/// | rest | sequences of u16: a length, and so many symbols |
#[derive(Debug)]
pub struct Table {
    body: &'static [u8],
    checksum: u32,
    rows: &'static [[u8; DIMS]],
    scales: &'static [[u8; 4]],
    scores: &'static [[u8; 8]],
    units: &'static [[u8; 8]],
    page_numbers: &'static [[u8; 2]],
    pages: &'static [[u8; PAGE * 2]],
    sequences: &'static [[u8; 2]],
}

/// A place in the trie of pieces: a beginning of at least one piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    base: u32,
    piece: u16,
}

impl Node {
    /// The node before the first symbol of a piece.
    pub const ROOT: Self = Self { base: 0, piece: 0 };

    /// The piece that ends here.
    #[inline]
    #[must_use]
    pub const fn piece(self) -> Option<u16> {
        if self.piece == 0 {
            None
        } else {
            Some(self.piece)
        }
    }

    /// Whether the piece that ends here begins a word and no split into smaller pieces beats it.
    #[inline]
    #[must_use]
    pub const fn is_whole(self) -> bool {
        self.base & WHOLE != 0
    }
}

impl Table {
    /// Splits the file, when the program is compiled: a file of another form is a compile error.
    pub(crate) const fn parse(file: &'static [u8]) -> Self {
        let (header, body) = file.split_at(HEADER);
        assert!(
            u64::from_le_bytes(*field(header, 0)) == u64::from_le_bytes(MAGIC),
            "the file is no table"
        );
        assert!(
            number(header, 8) == VERSION,
            "the table has another version"
        );
        assert!(
            number(header, 12) as usize == DIMS,
            "the table has other dimensions"
        );
        assert!(
            number(header, 16) as usize == ROWS,
            "the table has another vocabulary"
        );
        let (rows, rest) = body.split_at(ROWS * DIMS);
        let (scales, rest) = rest.split_at(ROWS * 4);
        let (scores, rest) = rest.split_at(ROWS * 8);
        let (units, rest) = rest.split_at(number(header, 20) as usize * 8);
        let (page_numbers, rest) = rest.split_at(PAGE_NUMBERS * 2);
        let (pages, sequences) = rest.split_at(number(header, 24) as usize * PAGE * 2);
        assert!(
            number(header, 28) as usize * 2 == sequences.len(),
            "the table is cut off"
        );
        Self {
            body,
            checksum: number(header, 32),
            rows: rows.as_chunks().0,
            scales: scales.as_chunks().0,
            scores: scores.as_chunks().0,
            units: units.as_chunks().0,
            page_numbers: page_numbers.as_chunks().0,
            pages: pages.as_chunks().0,
            sequences: sequences.as_chunks().0,
        }
    }

    /// The row of a piece: 256 numbers as two's complement bytes (`u8::cast_signed`), weight
    /// included, and what a code of 1 stands for. `None` beyond the vocabulary.
    #[inline]
    #[must_use]
    pub fn row(&self, piece: u16) -> Option<(&'static [u8; DIMS], f32)> {
        let at = usize::from(piece);
        self.rows
            .get(at)
            .zip(self.scales.get(at))
            .map(|(row, scale)| (row, f32::from_le_bytes(*scale)))
    }

    /// The natural logarithm of the probability of a piece, that of the unknown one for each
    /// character. `None` beyond the vocabulary.
    #[inline]
    #[must_use]
    pub fn score(&self, piece: u16) -> Option<f64> {
        self.scores
            .get(usize::from(piece))
            .map(|score| f64::from_le_bytes(*score))
    }

    /// The node behind another one by a symbol, where a piece goes on like that.
    #[inline]
    #[must_use]
    pub fn child(&self, node: Node, symbol: Symbol) -> Option<Node> {
        let at = usize::try_from(node.base & !WHOLE)
            .ok()?
            .checked_add(usize::from(symbol.0))?;
        let [a, b, c, d, e, f, g, h] = *self.units.get(at)?;
        if u16::from_le_bytes([e, f]) != symbol.0 {
            return None;
        }
        Some(Node {
            base: u32::from_le_bytes([a, b, c, d]),
            piece: u16::from_le_bytes([g, h]),
        })
    }

    /// The one symbol that most characters become; `None` for one that becomes several.
    #[inline]
    #[must_use]
    pub fn symbol(&self, character: char) -> Option<Symbol> {
        let entry = self.entry(character);
        if entry & SEQUENCE == 0 {
            Some(Symbol(entry))
        } else {
            None
        }
    }

    /// What a character becomes in the normal form of the vocabulary, one symbol after the other.
    #[inline]
    pub fn symbols(&self, character: char) -> impl Iterator<Item = Symbol> + use<> {
        let entry = self.entry(character);
        let more = if entry & SEQUENCE == 0 {
            &[][..]
        } else {
            self.sequence(entry & !SEQUENCE)
        };
        let one = (entry & SEQUENCE == 0).then_some(Symbol(entry));
        one.into_iter().chain(
            more.iter()
                .map(|symbol| Symbol(u16::from_le_bytes(*symbol))),
        )
    }

    #[inline]
    fn entry(&self, character: char) -> u16 {
        let [low, middle, high, _] = u32::from(character).to_le_bytes();
        let number = self
            .page_numbers
            .get(usize::from(u16::from_le_bytes([middle, high])));
        let page =
            number.and_then(|number| self.pages.get(usize::from(u16::from_le_bytes(*number))));
        let entry = page.and_then(|page| page.as_chunks::<2>().0.get(usize::from(low)));
        entry.map_or(Symbol::UNKNOWN.0, |entry| u16::from_le_bytes(*entry))
    }

    fn sequence(&self, at: u16) -> &'static [[u8; 2]] {
        let start = usize::from(at) + 1;
        let length = self
            .sequences
            .get(usize::from(at))
            .map_or(0, |length| u16::from_le_bytes(*length));
        self.sequences
            .get(start..start + usize::from(length))
            .unwrap_or_default()
    }

    /// The CRC-32C of everything behind the header, as the file says; it names the table's exact
    /// content.
    #[must_use]
    pub fn checksum(&self) -> u32 {
        self.checksum
    }

    /// Whether the content has the checksum that the file says. Reads all nine megabytes.
    #[must_use]
    pub fn verify(&self) -> bool {
        crc32c(self.body) == self.checksum
    }
}

/// The bit of an entry that leads to a sequence.
const SEQUENCE: u16 = 1 << 15;

const fn number(header: &'static [u8], at: usize) -> u32 {
    u32::from_le_bytes(*field(header, at))
}

const fn field<const N: usize>(header: &'static [u8], at: usize) -> &'static [u8; N] {
    match header.split_at(at).1.first_chunk() {
        Some(field) => field,
        None => unreachable!(),
    }
}
