//! Measuring of embedders: how their cosines become scores, found out with probes.
//!
//! Probes are questions with a text that answers each, about everyday life, in several languages
//! and lengths. An answer to a question is also one to the question of the same number in another
//! language, so that ranges across scripts are measured as well.

use std::sync::Arc;

use annals_types::{Calibration, CosineRange, EmbedError, Embedder, Fingerprint, Purpose, Script};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

/// The version of probes and rules; vectors that were centred by other ones are not comparable.
const VERSION: u32 = 1;

/// Where unrelated texts of one script have a mean cosine above this, they share more than they
/// differ in, and what they share is taken away.
const SHARED: f32 = 0.3;

/// Deviations above the mean cosine of unrelated texts, beyond which one in ten of them lies; the
/// mean of answers has to lie there, too.
const APART: f32 = 1.28;

/// A question and a text that answers it.
struct Probe {
    /// Probes of one number ask the same in different languages.
    number: u32,
    script: Script,
    question: &'static str,
    answer: &'static str,
}

fn probes() -> impl Iterator<Item = Probe> {
    include_str!("calibrate/pairs.tsv")
        .lines()
        .filter_map(|line| {
            let mut cells = line.split('\t');
            let number = cells.next()?.parse().ok()?;
            let _language = cells.next()?;
            let (question, answer) = (cells.next()?, cells.next()?);
            Some(Probe {
                number,
                script: Script::of_text(answer),
                question,
                answer,
            })
        })
}

/// Ranges of the cosines of an embedder, and the vectors that its texts share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// The ranges of the cosines of vectors from which the centres were taken.
    pub calibration: Calibration,
    /// Whether answers were told from other texts in any script; if not, the ranges say little.
    pub separates: bool,
    /// The mean vectors of questions and of passages in each script, in the order of
    /// [`Script::ALL`]; none where texts share little.
    centres: Option<[Vec<Vec<f32>>; 2]>,
}

impl Measurement {
    /// Measures an embedder with the probes: some hundred short texts, embedded once.
    ///
    /// The low end of a range is the mean cosine of a question and the answer to another one, the
    /// high end that of a question and its own answer.
    ///
    /// # Errors
    /// [`EmbedError`] when the embedder fails or answers with vectors of another length.
    pub fn take(embedder: &dyn Embedder) -> Result<Self, EmbedError> {
        let probes: Vec<Probe> = probes().collect();
        let questions: Vec<&str> = probes.iter().map(|probe| probe.question).collect();
        let answers: Vec<&str> = probes.iter().map(|probe| probe.answer).collect();
        let mut vectors = [
            embedder.embed(&questions, Purpose::Query)?,
            embedder.embed(&answers, Purpose::Passage)?,
        ];
        let dims = embedder.dims();
        if let Some(bad) = vectors.iter().flatten().find(|vector| vector.len() != dims) {
            return Err(EmbedError::BadAnswer {
                what: "the embedder".to_owned(),
                expected: format!("vectors of {dims} numbers"),
                got: format!("one of {}", bad.len()),
            });
        }
        let mut cosines = Cosines::between(&probes, &vectors);
        let mut centres = None;
        if cosines.shared() > SHARED {
            let means = [0, 1].map(|purpose| {
                means(
                    &probes,
                    vectors.get(purpose).map_or(&[][..], Vec::as_slice),
                    dims,
                )
            });
            for (vectors, means) in vectors.iter_mut().zip(&means) {
                for (vector, probe) in vectors.iter_mut().zip(&probes) {
                    take_away(vector, means.get(usize::from(probe.script.to_byte())));
                }
            }
            cosines = Cosines::between(&probes, &vectors);
            centres = Some(means);
        }
        let (calibration, separates) = cosines.calibration();
        Ok(Self {
            calibration,
            separates,
            centres,
        })
    }

    /// A measurement of an embedder whose texts share little.
    #[must_use]
    pub const fn uncentred(calibration: Calibration) -> Self {
        Self {
            calibration,
            separates: true,
            centres: None,
        }
    }

    /// Takes what the texts of a script share from the vector of one of them, and brings it to
    /// length 1.
    pub fn centre(&self, text: &str, purpose: Purpose, vector: &mut [f32]) {
        let Some([queries, passages]) = &self.centres else {
            return;
        };
        let means = if purpose == Purpose::Query {
            queries
        } else {
            passages
        };
        take_away(
            vector,
            means.get(usize::from(Script::of_text(text).to_byte())),
        );
    }
}

/// Subtracts a mean and brings the rest to length 1; a vector that is the mean itself stays as it
/// is.
fn take_away(vector: &mut [f32], mean: Option<&Vec<f32>>) {
    let Some(mean) = mean else { return };
    let rest: Vec<f32> = vector.iter().zip(mean).map(|(x, m)| x - m).collect();
    let length = rest.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 1e-6 && rest.len() == vector.len() {
        vector
            .iter_mut()
            .zip(rest)
            .for_each(|(x, rest)| *x = rest / length);
    }
}

/// The mean vector of the texts of each script.
fn means(probes: &[Probe], vectors: &[Vec<f32>], dims: usize) -> Vec<Vec<f32>> {
    let mean = |script: Script| {
        let mut sum = vec![0.0_f32; dims];
        let mut count = 0.0_f32;
        for (probe, vector) in probes.iter().zip(vectors) {
            if probe.script == script {
                sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x);
                count += 1.0;
            }
        }
        sum.iter_mut().for_each(|sum| *sum /= count.max(1.0));
        sum
    };
    Script::ALL.map(mean).to_vec()
}

/// Mean and deviation of some cosines.
#[derive(Debug, Clone, Copy, Default)]
struct Moments {
    count: f32,
    sum: f32,
    squares: f32,
}

impl Moments {
    fn add(&mut self, cosine: f32) {
        self.count += 1.0;
        self.sum += cosine;
        self.squares += cosine * cosine;
    }

    fn with(self, more: Self) -> Self {
        Self {
            count: self.count + more.count,
            sum: self.sum + more.sum,
            squares: self.squares + more.squares,
        }
    }

    fn mean(self) -> f32 {
        self.sum / self.count.max(1.0)
    }

    fn deviation(self) -> f32 {
        let mean = self.mean();
        (self.squares / self.count.max(1.0) - mean * mean)
            .max(0.0)
            .sqrt()
    }
}

/// The cosines of questions with answers of their own and with others, by the scripts of both.
#[derive(Debug, Default)]
struct Cosines {
    own: [[Moments; 3]; 3],
    others: [[Moments; 3]; 3],
}

impl Cosines {
    fn between(probes: &[Probe], [questions, answers]: &[Vec<Vec<f32>>; 2]) -> Self {
        let mut cosines = Self::default();
        for (asked, question) in probes.iter().zip(questions) {
            for (told, answer) in probes.iter().zip(answers) {
                let cosine = question.iter().zip(answer).map(|(a, b)| a * b).sum::<f32>();
                let side = if asked.number == told.number {
                    &mut cosines.own
                } else {
                    &mut cosines.others
                };
                let [a, b] =
                    [asked.script, told.script].map(|script| usize::from(script.to_byte()));
                if let Some(moments) = side.get_mut(a).and_then(|side| side.get_mut(b)) {
                    moments.add(cosine);
                }
            }
        }
        cosines
    }

    /// The mean cosine of unrelated texts of one script.
    fn shared(&self) -> f32 {
        let within = self
            .others
            .iter()
            .enumerate()
            .filter_map(|(script, row)| row.get(script));
        within.map(|moments| moments.mean()).sum::<f32>() / 3.0
    }

    /// All ranges, and whether answers are told from other texts in any script. A script in which
    /// they are not has the widest range of the others, and counts nothing across.
    fn calibration(&self) -> (Calibration, bool) {
        let cell = |side: &[[Moments; 3]; 3], a: usize, b: usize| {
            side.get(a)
                .and_then(|row| row.get(b))
                .copied()
                .unwrap_or_default()
        };
        let within = [0, 1, 2].map(|script| {
            range(
                cell(&self.own, script, script),
                cell(&self.others, script, script),
            )
        });
        let (mut own, mut others) = (Moments::default(), Moments::default());
        for (a, _) in within
            .iter()
            .enumerate()
            .filter(|(_, range)| range.is_some())
        {
            for (b, _) in within
                .iter()
                .enumerate()
                .filter(|(b, range)| *b != a && range.is_some())
            {
                own = own.with(cell(&self.own, a, b));
                others = others.with(cell(&self.others, a, b));
            }
        }
        let width = |range: &CosineRange| range.high - range.low;
        let widest = within
            .iter()
            .flatten()
            .max_by(|a, b| width(a).total_cmp(&width(b)))
            .copied();
        let fallback = widest.unwrap_or(CosineRange {
            low: self.shared(),
            high: 1.0,
        });
        let calibration = Calibration {
            within: within.map(|range| range.unwrap_or(fallback)),
            across: range(own, others).unwrap_or(fallback),
        };
        (calibration, widest.is_some())
    }
}

/// The range between some cosines; `None` where half of the answers lie among other texts.
fn range(own: Moments, others: Moments) -> Option<CosineRange> {
    let (low, high) = (others.mean(), own.mean());
    (high > low + APART * others.deviation()).then_some(CosineRange { low, high })
}

/// An embedder that brings no calibration of its own: it is measured when it is first used.
pub struct MeasuredEmbedder {
    inner: Arc<dyn Embedder>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    measurement: Option<Arc<Measurement>>,
    /// Whether it stands elsewhere as well.
    kept: bool,
}

impl MeasuredEmbedder {
    /// The fingerprint of an embedder once it is wrapped.
    pub fn fingerprint_of(embedder: &dyn Embedder) -> Fingerprint {
        let own = embedder.fingerprint();
        match embedder.calibration() {
            Some(_) => own,
            // Vectors of one that was not measured may lie elsewhere.
            None => Fingerprint(format!("{own}/measured {VERSION}")),
        }
    }

    /// The embedder as it is if it brings a calibration, else behind a measurement.
    pub fn wrap(embedder: Arc<dyn Embedder>) -> (Arc<dyn Embedder>, Option<Arc<Self>>) {
        if embedder.calibration().is_some() {
            return (embedder, None);
        }
        let measured = Arc::new(Self {
            inner: embedder,
            state: Mutex::default(),
        });
        (Arc::clone(&measured) as Arc<dyn Embedder>, Some(measured))
    }

    /// The measurement; `None` before the embedder was used.
    pub fn measurement(&self) -> Option<Arc<Measurement>> {
        self.state.lock().measurement.clone()
    }

    /// The measurement, where it is not kept anywhere.
    pub fn unkept(&self) -> Option<Arc<Measurement>> {
        let state = self.state.lock();
        if state.kept {
            None
        } else {
            state.measurement.clone()
        }
    }

    /// Goes by what was measured before and is kept.
    pub fn set_measurement(&self, measurement: Measurement) {
        *self.state.lock() = State {
            measurement: Some(Arc::new(measurement)),
            kept: true,
        };
    }

    /// Measures the embedder unless that was done. Others that use it meanwhile wait.
    fn measured(&self) -> Result<Arc<Measurement>, EmbedError> {
        let mut state = self.state.lock();
        if let Some(known) = &state.measurement {
            return Ok(Arc::clone(known));
        }
        let taken = Arc::new(Measurement::take(&*self.inner)?);
        state.measurement = Some(Arc::clone(&taken));
        Ok(taken)
    }
}

impl Embedder for MeasuredEmbedder {
    fn fingerprint(&self) -> Fingerprint {
        Self::fingerprint_of(&*self.inner)
    }

    fn dims(&self) -> usize {
        self.inner.dims()
    }

    fn calibration(&self) -> Option<Calibration> {
        self.measurement()
            .map(|measurement| measurement.calibration)
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        let measurement = self.measured()?;
        let mut vectors = self.inner.embed(texts, purpose)?;
        for (vector, text) in vectors.iter_mut().zip(texts) {
            measurement.centre(text, purpose, vector);
        }
        Ok(vectors)
    }
}

#[cfg(test)]
pub(crate) mod tests;
