//! What benches and measurements share: texts whose words are distributed as in language, from a
//! seed.

pub mod figures;
pub mod report;

use annals_static_table::{Node, Symbol, TABLE};

/// A small generator of repeatable numbers: SplitMix64 (Steele, Lea, Flood, 2014).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number from 0 up to, and without, 1.
    pub fn unit(&mut self) -> f64 {
        (self.number() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Words whose frequencies follow Zipf's law with exponent 1.
#[derive(Debug, Clone)]
pub struct Zipf {
    words: Vec<String>,
    cumulative: Vec<f64>,
}

impl Default for Zipf {
    /// 30,000 made-up words: none is a stop word, and no embedder knows them.
    fn default() -> Self {
        Self::of((0..30_000).map(made_up).collect())
    }
}

impl Zipf {
    /// English words of at least two letters in the order of the built-in embedder's vocabulary,
    /// which is about that of their frequency.
    pub fn english() -> Self {
        let mut words: Vec<(u16, String)> = Vec::new();
        let start = TABLE.child(Node::ROOT, Symbol::WORD_START);
        let mut open: Vec<(Node, String)> = start
            .map(|node| (node, String::new()))
            .into_iter()
            .collect();
        while let Some((node, word)) = open.pop() {
            for letter in 'a'..='z' {
                let symbol = TABLE.symbol(letter);
                if let Some(child) = symbol.and_then(|symbol| TABLE.child(node, symbol)) {
                    open.push((child, format!("{word}{letter}")));
                }
            }
            words.extend(
                node.piece()
                    .filter(|_| word.len() > 1)
                    .map(|piece| (piece, word)),
            );
        }
        words.sort();
        Self::of(words.into_iter().map(|(_, word)| word).collect())
    }

    fn of(words: Vec<String>) -> Self {
        let mut sum = 0.0;
        let cumulative = (1..=words.len()).map(|rank| {
            sum += 1.0 / rank as f64;
            sum
        });
        Self {
            cumulative: cumulative.collect(),
            words,
        }
    }

    /// The rank of a random word, from 0.
    pub fn rank(&self, random: &mut Random) -> usize {
        let total = self.cumulative.last().copied().unwrap_or(1.0);
        let at = random.unit() * total;
        self.cumulative
            .partition_point(|sum| *sum < at)
            .min(self.words.len().saturating_sub(1))
    }

    /// A text of so many words.
    pub fn text(&self, words: usize, random: &mut Random) -> String {
        let mut text = String::new();
        for _ in 0..words {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(self.words.get(self.rank(random)).map_or("", String::as_str));
        }
        text
    }
}

/// A pronounceable word for a rank: syllables in base 70, so that frequent words are short.
fn made_up(rank: usize) -> String {
    const HEADS: [&str; 14] = [
        "b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z",
    ];
    const TAILS: [&str; 5] = ["a", "e", "i", "o", "u"];
    let mut rest = rank + 70;
    let mut out = String::new();
    while rest > 0 {
        let syllable = rest % 70;
        out.push_str(HEADS[syllable % 14]);
        out.push_str(TAILS[syllable / 14]);
        rest /= 70;
    }
    out
}

/// A Chinese text of so many characters, out of 2,000 with frequencies after Zipf.
pub fn chinese(zipf: &Zipf, characters: usize, random: &mut Random) -> String {
    let character = |rank: usize| {
        char::from_u32(0x4E00 + u32::try_from(rank % 2000).unwrap_or(0)).unwrap_or('一')
    };
    (0..characters)
        .map(|_| character(zipf.rank(random)))
        .collect()
}

/// The pages that redb keeps inside an annals file, for comparisons with redb alone: everything
/// behind head and log.
#[derive(Debug)]
pub struct Pages(redb::backends::FileBackend);

impl Pages {
    /// Where they begin (docs/format.md).
    const START: u64 = 1 << 20;

    /// The pages of a file that is not open.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn open(path: &std::path::Path) -> Result<Self, redb::DatabaseError> {
        let file = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open(path)?;
        Ok(Self(redb::backends::FileBackend::new(file)?))
    }
}

impl redb::StorageBackend for Pages {
    fn len(&self) -> std::io::Result<u64> {
        Ok(self.0.len()?.saturating_sub(Self::START))
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> std::io::Result<()> {
        self.0.read(offset + Self::START, out)
    }

    fn set_len(&self, len: u64) -> std::io::Result<()> {
        self.0.set_len(len + Self::START)
    }

    fn sync_data(&self) -> std::io::Result<()> {
        self.0.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> std::io::Result<()> {
        self.0.write(offset + Self::START, data)
    }
}

/// A vector whose numbers are spread evenly over -1 to 1.
pub fn vector(dims: usize, random: &mut Random) -> Vec<f32> {
    (0..dims)
        .map(|_| (random.unit() * 2.0 - 1.0) as f32)
        .collect()
}
