use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use annals_types::{EmbedError, Embedder, Fingerprint, Purpose, Script};

use super::{MeasuredEmbedder, Measurement, probes};
use crate::embed::BuiltinEmbedder;

/// Knows the probes: those of a number have a direction of their own, beside one for each script
/// that all texts of it share.
#[derive(Default)]
struct Knowing {
    shared: f32,
    embedded: AtomicUsize,
}

const NUMBERS: usize = 28;

impl Embedder for Knowing {
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint("knowing".to_owned())
    }

    fn dims(&self) -> usize {
        NUMBERS + 4
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.embedded.fetch_add(texts.len(), Ordering::Relaxed);
        let vector = |text: &&str| {
            let probe = probes().find(|probe| match purpose {
                Purpose::Query => probe.question == *text,
                Purpose::Passage => probe.answer == *text,
            });
            let mut vector = vec![0.0; self.dims()];
            vector[usize::from(Script::of_text(text).to_byte())] = self.shared;
            let own = probe.map_or(NUMBERS + 3, |probe| probe.number as usize + 2);
            vector[own] = (1.0 - self.shared * self.shared).sqrt();
            vector
        };
        Ok(texts.iter().map(vector).collect())
    }
}

#[test]
fn probes_are_whole() {
    let all: Vec<_> = probes().collect();
    assert_eq!(all.len(), include_str!("pairs.tsv").lines().count());
    for script in Script::ALL {
        assert!(
            all.iter().filter(|probe| probe.script == script).count() >= 16,
            "{script:?}"
        );
    }
    assert!(
        all.iter()
            .all(|probe| (1..=NUMBERS).contains(&(probe.number as usize)))
    );
}

#[test]
fn a_range_lies_between_other_texts_and_answers() {
    let measured = Measurement::take(&Knowing {
        shared: 0.5,
        ..Knowing::default()
    })
    .unwrap();
    assert!(measured.separates && measured.centres.is_none());
    for script in Script::ALL {
        let range = measured.calibration.range(script, script);
        assert!(
            (range.low - 0.25).abs() < 1e-3 && (range.high - 1.0).abs() < 1e-3,
            "{script:?} {range:?}"
        );
    }
    let across = measured.calibration.across;
    assert!(
        across.low.abs() < 1e-3 && (across.high - 0.75).abs() < 1e-3,
        "{across:?}"
    );
}

#[test]
fn what_all_texts_share_is_taken_away() {
    let embedder = Knowing {
        shared: 0.9,
        ..Knowing::default()
    };
    let measured = Measurement::take(&embedder).unwrap();
    let latin = measured.calibration.range(Script::Latin, Script::Latin);
    assert!(
        measured.centres.is_some() && latin.low < 0.2 && latin.high > 0.8,
        "{latin:?}"
    );
    let text = probes().next().unwrap().answer;
    let mut vector = embedder.embed(&[text], Purpose::Passage).unwrap().remove(0);
    measured.centre(text, Purpose::Passage, &mut vector);
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    assert!(
        (length - 1.0).abs() < 1e-5 && vector[0].abs() < 0.01,
        "{vector:?}"
    );
}

#[test]
fn an_embedder_that_sees_no_difference_is_said_to_be_one() {
    let measured = Measurement::take(&Knowing {
        shared: 1.0,
        ..Knowing::default()
    })
    .unwrap();
    assert!(!measured.separates);
}

#[test]
fn an_embedder_is_measured_once_when_it_is_first_used() {
    let inner = Arc::new(Knowing {
        shared: 0.9,
        ..Knowing::default()
    });
    let (embedder, measured) = MeasuredEmbedder::wrap(Arc::clone(&inner) as Arc<dyn Embedder>);
    assert!(embedder.calibration().is_none() && inner.embedded.load(Ordering::Relaxed) == 0);
    assert_eq!(embedder.fingerprint().0, "knowing/measured 1");
    embedder.embed(&["one"], Purpose::Query).unwrap();
    embedder.embed(&["two"], Purpose::Query).unwrap();
    let probes = 2 * probes().count();
    assert_eq!(inner.embedded.load(Ordering::Relaxed), probes + 2);
    let known = measured.unwrap().measurement().unwrap();
    assert_eq!(embedder.calibration(), Some(known.calibration));

    let (again, measured) = MeasuredEmbedder::wrap(Arc::clone(&inner) as Arc<dyn Embedder>);
    measured.unwrap().set_measurement((*known).clone());
    again.embed(&["three"], Purpose::Query).unwrap();
    assert_eq!(inner.embedded.load(Ordering::Relaxed), probes + 3);
}

#[test]
fn an_embedder_with_a_calibration_is_not_measured() {
    let builtin: Arc<dyn Embedder> = Arc::new(BuiltinEmbedder::new());
    let (embedder, measured) = MeasuredEmbedder::wrap(Arc::clone(&builtin));
    assert!(measured.is_none() && embedder.fingerprint() == builtin.fingerprint());
}

/// The ranges that come with an embedder are those that the probes give.
pub(crate) fn assert_measured(embedder: &dyn Embedder) {
    let measured = Measurement::take(embedder).unwrap();
    let own = embedder.calibration().unwrap();
    assert!(measured.separates && measured.centres.is_none());
    for (a, b) in [
        (Script::Latin, Script::Latin),
        (Script::Han, Script::Han),
        (Script::Latin, Script::Han),
    ] {
        let (own, measured) = (own.range(a, b), measured.calibration.range(a, b));
        let near = (own.low - measured.low).abs() < 0.01 && (own.high - measured.high).abs() < 0.01;
        assert!(near, "{a:?} {b:?}: {measured:?}");
    }
}

#[test]
fn the_ranges_of_the_table_are_those_of_the_probes() {
    assert_measured(&BuiltinEmbedder::new());
}
