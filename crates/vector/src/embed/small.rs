use annals_small_model::{DIMS, SmallModel, VERSION};
use annals_static_table::{TABLE, UNKNOWN_PIECE};
use annals_types::{Calibration, CosineRange, EmbedError, Embedder, Fingerprint, Purpose};

use super::hashed::Hashed;
use super::unigram::Unigram;
use super::unit::to_unit_length;

/// The rules around the model; vectors of different versions are not comparable.
const RULES: u32 = 1;

/// A small transformer in pure Rust, without a download or a native library.
///
/// It reads the pieces of the built-in table in their order (annals-small-model: four layers, 8
/// MB) and makes 256 numbers of them. It finds more than the table does, above all in talks with
/// an assistant and in short facts, and costs some hundred times as much: about a millisecond for a
/// question, ten for a text of a hundred words.
///
/// Words of scripts that no piece spells count by their hashed features, as with
/// [`BuiltinEmbedder`](super::BuiltinEmbedder). The same text gives the same bits on every
/// platform.
#[derive(Debug, Clone, Copy, Default)]
pub struct SmallEmbedder {
    model: SmallModel,
}

impl SmallEmbedder {
    /// Costs nothing: the model is part of the program and is read in place.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The vector of one text: 256 numbers, Euclidean length 1.
    #[must_use]
    pub fn vector(&self, text: &str) -> Vec<f32> {
        let (mut pieces, mut hashed) = (Vec::new(), Hashed::default());
        Unigram::default().split(
            text,
            |character| hashed.push(character),
            |piece| pieces.push(piece),
        );
        if pieces.is_empty() {
            return self.model.embed(&[]).map(|x| -x).to_vec();
        }
        let mut strange = [0.0; DIMS];
        let words = hashed.add_to(&mut strange);
        let vector = self.model.embed(&pieces);
        if words == 0.0 || !to_unit_length(&mut strange) {
            return vector.to_vec();
        }
        // The model counts by the pieces that it knows.
        let known = pieces
            .iter()
            .filter(|piece| **piece != UNKNOWN_PIECE)
            .map(|_| 1.0_f32)
            .sum::<f32>();
        let mut sum = strange.map(|x| x * words);
        sum.iter_mut()
            .zip(vector)
            .for_each(|(sum, x)| *sum += known * x);
        if to_unit_length(&mut sum) {
            sum.to_vec()
        } else {
            vector.to_vec()
        }
    }
}

impl Embedder for SmallEmbedder {
    fn fingerprint(&self) -> Fingerprint {
        let (model, table) = (self.model.checksum(), TABLE.checksum());
        Fingerprint(format!(
            "small/{DIMS}/model {VERSION} {model:08x}/pieces {table:08x}/rules {RULES}"
        ))
    }

    fn dims(&self) -> usize {
        DIMS
    }

    fn calibration(&self) -> Option<Calibration> {
        Some(CALIBRATION)
    }

    fn embed(&self, texts: &[&str], _purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts.iter().map(|text| self.vector(text)).collect())
    }
}

/// As measured with the probes. Other scripts count as the Latin one.
const CALIBRATION: Calibration = Calibration {
    within: [
        CosineRange {
            low: 0.06,
            high: 0.44,
        },
        CosineRange {
            low: 0.03,
            high: 0.44,
        },
        CosineRange {
            low: 0.06,
            high: 0.44,
        },
    ],
    across: CosineRange {
        low: 0.04,
        high: 0.43,
    },
};

#[cfg(test)]
mod tests {
    use super::SmallEmbedder;

    fn cosine(a: &str, b: &str) -> f32 {
        let model = SmallEmbedder::new();
        model
            .vector(a)
            .iter()
            .zip(model.vector(b))
            .map(|(x, y)| x * y)
            .sum()
    }

    #[test]
    fn meaning_counts_within_and_across_languages() {
        for (question, answer, other) in [
            (
                "What pet do I have?",
                "My cat Miso is afraid of thunderstorms.",
                "The train leaves at noon.",
            ),
            ("我养了什么宠物？", "我家的猫怕打雷。", "火车中午出发。"),
            ("What pet do I have?", "我家的猫怕打雷。", "火车中午出发。"),
            (
                "我养了什么宠物？",
                "My cat Miso is afraid of thunderstorms.",
                "The train leaves at noon.",
            ),
        ] {
            let (near, far) = (cosine(question, answer), cosine(question, other));
            assert!(near > far + 0.15, "{question}: {near} {far}");
        }
    }

    #[test]
    fn words_that_no_piece_spells_are_told_apart() {
        assert!(cosine("У меня аллергия на орехи", "Мой сын учится в школе") < 0.6);
        assert!(cosine("У меня аллергия на орехи", "аллергия на орехи у сына") > 0.5);
        assert!(cosine("", "У меня аллергия") < 0.1 && cosine("", "tea") < 0.2);
    }

    #[test]
    fn its_ranges_are_those_of_the_probes() {
        crate::embed::calibrate::tests::assert_measured(&SmallEmbedder::new());
    }
}
