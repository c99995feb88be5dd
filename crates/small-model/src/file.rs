use crate::checksum::crc32c;
use crate::{DIMS, PIECES};

/// The version of the file's layout and content; vectors of different versions are not comparable.
pub const VERSION: u32 = 1;

/// Layers of the transformer.
pub(crate) const LAYERS: usize = 4;
/// Attention heads of a layer.
pub(crate) const HEADS: usize = 8;
/// Numbers of a token that one attention head sees.
pub(crate) const HEAD_DIMS: usize = DIMS / HEADS;
/// Numbers of a token inside the second half of a layer.
pub(crate) const INNER: usize = 1024;
/// Tokens that are read at once: there are as many learnt positions.
pub(crate) const POSITIONS: usize = 128;
/// Outputs of a matrix whose codes lie beside each other.
pub(crate) const PANEL: usize = 16;

const MAGIC: [u8; 8] = *b"annalssm";
const HEADER: usize = 64;
const ROWS: usize = PIECES as usize;
/// Codes of 4 bits that share a scale.
const GROUP: usize = 32;

/// A little-endian `f32`, read in place.
pub(crate) type Float = [u8; 4];
/// A little-endian number of 16 bits in the format of IEEE 754, read in place.
pub(crate) type Half = [u8; 2];
/// The codes of two inputs for the outputs of a panel: two's complement, those of an output side by
/// side.
pub(crate) type PanelRow = [u8; 2 * PANEL];

/// The model file, split into its sections without copying. All numbers in it are little-endian.
///
/// | bytes | what |
/// |---|---|
/// | 64 | header: magic; u32 version, dimensions, layers, heads, inner numbers, pieces, positions; f32 bias of the gate; u32 CRC-32C of the rest; zeros |
/// | pieces x 128 | words: 256 codes of 4 bits, the low half of a byte first |
/// | pieces x 16 | scales of the words, f16, one for 32 codes: number = (code - 7.5) * scale |
/// | positions x 512 | positions: 256 numbers, f16 |
/// | 2 x 1,024 | normalization of the words |
/// | 4 x layer | the layers, see below |
/// | 1,024 | weights of the gate, f32 |
/// | 256 x 256, 2 x 1,024 | matrix of the output; its biases are zero |
///
/// A layer is: matrix query/key/value (256 to 768), matrix of attention's output (256 to 256),
/// normalization, matrix up (256 to 1,024), matrix down (1,024 to 256), normalization.
///
/// A matrix is its codes, the scales of its outputs, f32, and the biases of its outputs, f32;
/// weight = code * scale. A code is one byte, -127 to 127. Codes lie in panels of 16 outputs; in a
/// panel, a row of 32 bytes for every two inputs: both codes of the first output, both of the
/// second, and so on.
///
/// A normalization is 256 weights and 256 biases, f32. Every section begins at a multiple of 64
/// bytes.
#[derive(Debug)]
pub(crate) struct Weights {
    body: &'static [u8],
    checksum: u32,
    words: &'static [[u8; DIMS / 2]],
    word_scales: &'static [[Half; DIMS / GROUP]],
    positions: &'static [[Half; DIMS]],
    pub(crate) normalization: Normalization,
    pub(crate) layers: [Layer; LAYERS],
    pub(crate) gate: &'static [Float],
    pub(crate) gate_bias: f32,
    pub(crate) out: Matrix,
}

/// One layer of the transformer.
#[derive(Debug)]
pub(crate) struct Layer {
    pub(crate) qkv: Matrix,
    pub(crate) attention_out: Matrix,
    pub(crate) attention_norm: Normalization,
    pub(crate) up: Matrix,
    pub(crate) down: Matrix,
    pub(crate) inner_norm: Normalization,
}

/// A matrix of int8 codes with one scale and one bias for each output.
#[derive(Debug)]
pub(crate) struct Matrix {
    rows: &'static [PanelRow],
    pub(crate) inputs: usize,
    pub(crate) scales: &'static [[Float; PANEL]],
    pub(crate) biases: &'static [[Float; PANEL]],
}

/// What stands behind a layer normalization: a weight and a bias for each number.
#[derive(Debug)]
pub(crate) struct Normalization {
    pub(crate) weights: &'static [Float],
    pub(crate) biases: &'static [Float],
}

impl Weights {
    /// Splits the file, when the program is compiled: a file of another form is a compile error.
    pub(crate) const fn parse(file: &'static [u8]) -> Self {
        let (header, body) = file.split_at(HEADER);
        assert!(
            u64::from_le_bytes(*field(header, 0)) == u64::from_le_bytes(MAGIC),
            "the file is no model"
        );
        assert!(
            number(header, 8) == VERSION,
            "the model has another version"
        );
        assert!(
            number(header, 12) as usize == DIMS,
            "the model has other dimensions"
        );
        assert!(
            number(header, 16) as usize == LAYERS,
            "the model has another number of layers"
        );
        assert!(
            number(header, 20) as usize == HEADS,
            "the model has another number of heads"
        );
        assert!(
            number(header, 24) as usize == INNER,
            "the model is of another width"
        );
        assert!(
            number(header, 28) as usize == ROWS,
            "the model has another vocabulary"
        );
        assert!(
            number(header, 32) as usize == POSITIONS,
            "the model has other positions"
        );
        let mut sections = Sections { rest: body };
        let words = sections.take(ROWS * DIMS / 2).as_chunks().0;
        let word_scales = sections
            .take(ROWS * DIMS / GROUP * 2)
            .as_chunks()
            .0
            .as_chunks()
            .0;
        let positions = sections
            .take(POSITIONS * DIMS * 2)
            .as_chunks()
            .0
            .as_chunks()
            .0;
        let normalization = sections.normalization();
        let layers = [
            sections.layer(),
            sections.layer(),
            sections.layer(),
            sections.layer(),
        ];
        let gate = sections.take(DIMS * 4).as_chunks().0;
        let out = sections.matrix(DIMS, DIMS);
        assert!(sections.rest.is_empty(), "the model is too long");
        Self {
            body,
            checksum: number(header, 40),
            words,
            word_scales,
            positions,
            normalization,
            layers,
            gate,
            gate_bias: f32::from_bits(number(header, 36)),
            out,
        }
    }

    /// The codes and scales of a piece; a piece beyond the vocabulary has those of piece 0.
    pub(crate) fn word(
        &self,
        piece: u16,
    ) -> Option<(&'static [u8; DIMS / 2], &'static [Half; DIMS / GROUP])> {
        let at = if piece < PIECES {
            usize::from(piece)
        } else {
            0
        };
        self.words.get(at).zip(self.word_scales.get(at))
    }

    /// The numbers of all positions.
    pub(crate) fn positions(&self) -> &'static [[Half; DIMS]] {
        self.positions
    }

    /// The CRC-32C that the header says.
    pub(crate) fn checksum(&self) -> u32 {
        self.checksum
    }

    /// Whether the content has the checksum that the header says.
    pub(crate) fn verify(&self) -> bool {
        crc32c(self.body) == self.checksum
    }
}

impl Matrix {
    /// The panels, each a row of codes for every two inputs.
    #[inline]
    pub(crate) fn panels(&self) -> impl Iterator<Item = &'static [PanelRow]> {
        self.rows.chunks_exact(self.inputs / 2)
    }

    /// How many outputs there are.
    #[inline]
    pub(crate) fn outputs(&self) -> usize {
        self.scales.len() * PANEL
    }
}

/// What is left of the file while it is split.
struct Sections {
    rest: &'static [u8],
}

impl Sections {
    const fn take(&mut self, length: usize) -> &'static [u8] {
        let (section, rest) = self.rest.split_at(length);
        self.rest = rest;
        section
    }

    const fn layer(&mut self) -> Layer {
        Layer {
            qkv: self.matrix(DIMS, 3 * DIMS),
            attention_out: self.matrix(DIMS, DIMS),
            attention_norm: self.normalization(),
            up: self.matrix(DIMS, INNER),
            down: self.matrix(INNER, DIMS),
            inner_norm: self.normalization(),
        }
    }

    const fn matrix(&mut self, inputs: usize, outputs: usize) -> Matrix {
        Matrix {
            rows: self.take(inputs * outputs).as_chunks().0,
            inputs,
            scales: self.take(outputs * 4).as_chunks().0.as_chunks().0,
            biases: self.take(outputs * 4).as_chunks().0.as_chunks().0,
        }
    }

    const fn normalization(&mut self) -> Normalization {
        Normalization {
            weights: self.take(DIMS * 4).as_chunks().0,
            biases: self.take(DIMS * 4).as_chunks().0,
        }
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
