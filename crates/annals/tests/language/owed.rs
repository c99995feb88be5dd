//! Vectors that are owed: an embedder that fails is asked again, later and later, and nobody has to
//! call for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use annals::{Calibration, EmbedError, Embedder, Fingerprint, ManualClock, Options, Purpose};

use crate::support::life::day;

/// An embedder that may be away.
#[derive(Default)]
struct Away {
    away: AtomicBool,
    asked: AtomicUsize,
}

impl Embedder for Away {
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint("away".to_owned())
    }

    fn dims(&self) -> usize {
        64
    }

    fn calibration(&self) -> Option<Calibration> {
        Some(Calibration::uniform(0.2, 0.9))
    }

    fn embed(&self, texts: &[&str], _: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        if self.away.load(Ordering::SeqCst) {
            let (what, reason) = ("the embedder".to_owned(), "it is away".to_owned());
            return Err(EmbedError::Unavailable {
                what,
                reason,
                advice: "wait".to_owned(),
            });
        }
        Ok(texts
            .iter()
            .map(|text| {
                (0..64)
                    .map(|n| if n == text.len() % 64 { 1.0 } else { 0.0 })
                    .collect()
            })
            .collect())
    }
}

#[test]
fn an_embedder_that_failed_is_asked_again_later_and_later() {
    let (clock, embedder) = (ManualClock::new(day(0.0)), Arc::new(Away::default()));
    let options = Options::new()
        .clock(Arc::new(clock.clone()))
        .embedder(Arc::<Away>::clone(&embedder));
    let memory = options.in_memory().unwrap();
    let space = memory.create_namespace("u", "graph").unwrap();
    embedder.away.store(true, Ordering::SeqCst);
    let call = r#"{"subject":"我","memory_type":"事件","topic":"吃饭"}"#;
    assert!(
        space
            .tools()
            .call("create_memory", call)
            .unwrap()
            .is_success()
    );
    memory.wait_idle().unwrap();
    let asked = |millis: i64| {
        clock.advance_millis(millis);
        memory.wait_idle().unwrap();
        embedder.asked.load(Ordering::SeqCst)
    };
    assert_eq!(
        [asked(0), asked(999), asked(1)],
        [1, 1, 2],
        "after a second"
    );
    assert_eq!([asked(1999), asked(1)], [2, 3], "and two");
    assert_eq!([asked(3999), asked(1)], [3, 4], "and four");
    for _ in 0..20 {
        asked(600_000);
    }
    assert_eq!(asked(0), 24, "at last every ten minutes");
    embedder.away.store(false, Ordering::SeqCst);
    assert_eq!(space.admin().stats().unwrap().open.unwrap().vectors, 0);
    // What was owed, and the examples of what people say.
    assert_eq!(asked(600_000), 26);
    assert_eq!(space.admin().stats().unwrap().open.unwrap().vectors, 1);
    assert_eq!(asked(10_000_000), 26, "nothing is owed any more");
    assert_eq!(memory.validate().unwrap().problems, [""; 0]);
}
