//! A search engine of one's own in place of a built-in index.

use std::path::Path;
use std::sync::{Arc, Mutex};

use annals::blocking::{Memory, Namespace};
use annals::{
    BackendError, Channel, Feature, Filter, Hit, Kind, ManualClock, MemoryId, NewMemory, Options,
    Query, SearchBackend, SearchHit, SearchPart, SearchQuestion, Timestamp, UnitScore,
};

/// Finds what it is told to, and keeps what it was asked.
struct Double {
    part: SearchPart,
    hits: Mutex<Vec<SearchHit>>,
    asked: Mutex<Vec<(String, String, bool, usize)>>,
    broken: Mutex<bool>,
}

impl Double {
    fn new(part: SearchPart) -> Arc<Self> {
        Arc::new(Self {
            part,
            hits: Mutex::default(),
            asked: Mutex::default(),
            broken: Mutex::default(),
        })
    }

    fn finds(&self, hits: &[(MemoryId, f32)]) {
        let hit = |(id, score): &(MemoryId, f32)| SearchHit {
            id: *id,
            score: UnitScore::new("score", *score).unwrap(),
        };
        *self.hits.lock().unwrap() = hits.iter().map(hit).collect();
    }
}

impl SearchBackend for Double {
    fn part(&self) -> SearchPart {
        self.part
    }

    fn search(&self, question: &SearchQuestion<'_>) -> Result<Vec<SearchHit>, BackendError> {
        let SearchQuestion {
            namespace,
            text,
            vector,
            limit,
            ..
        } = *question;
        self.asked.lock().unwrap().push((
            namespace.to_owned(),
            text.to_owned(),
            vector.is_some(),
            limit,
        ));
        if *self.broken.lock().unwrap() {
            return Err(BackendError {
                what: "of the test".to_owned(),
                source: "it is away".into(),
            });
        }
        Ok(self.hits.lock().unwrap().clone())
    }
}

/// The agent profile with a backend, and the ids of three memories.
fn world(double: &Arc<Double>) -> (Memory, Namespace, [MemoryId; 3]) {
    let clock = ManualClock::new("2026-01-01T00:00:00Z".parse::<Timestamp>().unwrap());
    let options = Options::new()
        .clock(Arc::new(clock))
        .id_seed(1)
        .search_backend(Arc::clone(double) as _);
    let memory = options.in_memory().unwrap();
    let space = memory.create_namespace("u", "agent").unwrap();
    let ids = ["the cat sleeps", "the harbour is closed", "a rule of thumb"].map(|text| {
        let kind = if text.starts_with("a rule") {
            "RULE"
        } else {
            "FACT"
        };
        space
            .remember(NewMemory::builder(text).kind(kind).build().unwrap())
            .unwrap()
    });
    (memory, space, ids)
}

fn value(hit: &Hit, feature: Feature) -> f32 {
    hit.explanation
        .parts
        .iter()
        .find(|part| part.feature == feature)
        .unwrap()
        .value
        .unwrap()
}

#[test]
fn a_double_answers_in_place_of_an_index() {
    // spec: A-93
    for (part, channel, feature) in [
        (SearchPart::Words, Channel::Text, Feature::Text),
        (SearchPart::Meaning, Channel::Vector, Feature::Dense),
    ] {
        let double = Double::new(part);
        let (memory, space, [cat, harbour, rule]) = world(&double);
        let elsewhere = memory.namespace("v").unwrap().remember("the ship").unwrap();
        double.finds(&[
            (harbour, 0.25),
            (rule, 0.75),
            (harbour, 0.5),
            (elsewhere, 1.0),
        ]);
        let answer = space.answer("qzxv").unwrap();
        let of = |id: MemoryId| answer.hits.iter().find(|hit| hit.id == id);
        for (id, score) in [(harbour, 0.5), (rule, 0.75)] {
            let hit = of(id).unwrap();
            assert!(hit.explanation.found_by.contains(&channel), "{part:?}");
            assert!(
                (value(hit, feature) - score).abs() < 1e-6,
                "{part:?}: {:?}",
                hit.explanation
            );
        }
        assert_eq!(answer.without_backend, None);
        assert!(of(elsewhere).is_none(), "nothing crosses a namespace");
        assert!(
            of(cat).is_none_or(|hit| value(hit, feature) == 0.0),
            "it did not find the cat"
        );
        let (namespace, text, vector, limit) = double.asked.lock().unwrap()[0].clone();
        assert_eq!(
            (namespace.as_str(), text.as_str(), vector),
            ("u", "qzxv", true)
        );
        assert!(limit > 0);
        // Filters stay with the engine.
        let rules = Filter {
            kinds: vec![Kind::new("RULE").unwrap()],
            ..Filter::default()
        };
        let hits = space.recall(Query::new("qzxv").filter(rules)).unwrap();
        assert_eq!(hits.iter().map(|hit| hit.id).collect::<Vec<_>>(), [rule]);
        // It fails: the built-in index answers, and says so.
        *double.broken.lock().unwrap() = true;
        let answer = space.answer("the cat").unwrap();
        assert_eq!(answer.hits[0].id, cat);
        assert!(answer.without_backend.unwrap().contains("it is away"));
    }
}

#[test]
fn every_component_has_tests_of_its_own() {
    // spec: A-92
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let components = [
        ("manager", "annals"),
        ("storage", "storage"),
        ("unified store", "records"),
        ("search: text", "text"),
        ("search: vectors", "vector"),
        ("extractor", "extraction"),
        ("retrieval engine", "recall"),
        ("lifecycle manager", "lifecycle"),
        ("types", "types"),
    ];
    for (component, name) in components {
        assert!(
            tested(&crates.join(name).join("src")),
            "{component}: {name} has no unit tests"
        );
    }
    // The search of the retrieval engine is replaced through the trait.
    let double = Double::new(SearchPart::Words);
    let (_memory, space, [cat, harbour, _]) = world(&double);
    double.finds(&[(harbour, 1.0)]);
    let hits = space.recall("the cat").unwrap();
    let words: Vec<f32> = [harbour, cat]
        .map(|id| {
            hits.iter()
                .find(|hit| hit.id == id)
                .map_or(0.0, |hit| value(hit, Feature::Text))
        })
        .to_vec();
    assert_eq!(words, [1.0, 0.0]);
}

/// Whether a file below a folder holds a module of tests.
fn tested(folder: &Path) -> bool {
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return tested(&path);
        }
        let text = std::fs::read_to_string(&path).unwrap();
        text.contains("#[cfg(test)]\nmod ")
            && (text.contains("#[test]") || text.contains("mod tests;"))
    })
}
