use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use annals_types::{ManualClock, Timestamp};

use super::*;

fn request(purpose: &str, text: &str) -> Request {
    Request::new(purpose, vec![Message::user(text)])
}

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn what_is_recorded_is_played_word_for_word() {
    let out = Shared::default();
    let live = Replay::default()
        .reply("extract", "[]")
        .failure("extract", "down")
        .reply("review", "[KEEP]");
    let recorder = Recorder::new(live, Box::new(out.clone()));
    let ask = |provider: &dyn Provider, purpose: &str, text: &str| {
        provider
            .chat(&request(purpose, text), &Cancel::new())
            .map(|reply| reply.text)
    };
    assert_eq!(ask(&recorder, "extract", "one").unwrap(), "[]");
    assert!(ask(&recorder, "extract", "two").is_err());
    assert_eq!(ask(&recorder, "review", "three").unwrap(), "[KEEP]");
    let lines = String::from_utf8(out.0.lock().unwrap().clone()).unwrap();
    assert_eq!(lines.lines().count(), 3);
    let played = Replay::read(&lines).unwrap().strict();
    assert_eq!(ask(&played, "review", "three").unwrap(), "[KEEP]");
    assert!(matches!(
        ask(&played, "extract", "other"),
        Err(ProviderError::NotRecorded { .. })
    ));
    assert!(matches!(
        ask(&played, "extract", "two"),
        Err(ProviderError::Unavailable { .. })
    ));
    assert_eq!(ask(&played, "extract", "one").unwrap(), "[]");
    assert_eq!(played.left(), 0);
    let bad = Replay::read("# a comment\n\n{\"purpose\":3}").unwrap_err();
    assert!(
        matches!(bad, ProviderError::BadTranscript { line: 3, .. }),
        "{bad}"
    );
}

#[test]
fn what_a_model_thinks_is_no_part_of_its_answer() {
    for (said, answer) in [
        (
            "<think>She lives in Berlin; lie</think>\n\nHello there",
            "Hello there",
        ),
        ("lie\n</think>\n\nHello there", "Hello there"),
        ("<think>that is all", ""),
        ("  let x = 1;", "  let x = 1;"),
    ] {
        let reply = Replay::default()
            .reply("chat", said)
            .chat(&request("chat", "hello"), &Cancel::new())
            .unwrap();
        assert_eq!(reply.text, answer);
    }
}

#[test]
fn calls_are_accounted_for_by_purpose() {
    // part: S-128, S-130
    let mut reply = Reply::text("[]");
    reply.usage = Usage {
        input: 4_000,
        output: 0,
        estimated: false,
    };
    let model = Replay::default();
    for _ in 0..3 {
        model.push("extract", Ok(reply.clone()));
    }
    let model = model.failure("recall", "down");
    let ledger = Ledger::default();
    let price = Price {
        input: 0.15,
        output: 0.6,
    };
    let metered = Metered::new(model, price, ledger.clone());
    for purpose in ["extract", "extract", "extract", "recall"] {
        let _ = metered.chat(&request(purpose, "x"), &Cancel::new());
    }
    let totals = ledger.totals();
    assert_eq!(
        (totals["extract"].calls, totals["extract"].usage.input),
        (3, 12_000)
    );
    assert_eq!((totals["recall"].calls, totals["recall"].failed), (0, 1));
    assert!((ledger.sum().cost - 3.0 * 4_000.0 * 0.15 / 1e6).abs() < 1e-12);
    let month = Usage {
        input: 80_000 * 4_000,
        output: 0,
        estimated: false,
    };
    assert!((price.of(month) - 48.0).abs() < 1e-9);
}

#[test]
fn limits_of_a_minute_are_kept() {
    let at = |millis: i64| Timestamp::from_millis(1_000_000 + millis);
    let mut calls = Pacer::new(Pace {
        calls: Some(2),
        tokens: None,
    });
    assert_eq!(calls.ask(at(0), 1), Ok(()));
    assert_eq!(calls.ask(at(10_000), 1), Ok(()));
    assert_eq!(calls.ask(at(20_000), 1), Err(Duration::from_secs(40)));
    assert_eq!(calls.ask(at(60_000), 1), Ok(()));
    let mut tokens = Pacer::new(Pace {
        calls: None,
        tokens: Some(100),
    });
    assert_eq!(
        tokens.ask(at(0), 500),
        Ok(()),
        "alone it may exceed the limit"
    );
    assert_eq!(tokens.ask(at(1), 1), Err(Duration::from_millis(59_999)));
    assert_eq!(tokens.ask(at(60_000), 100), Ok(()));
}

#[test]
fn a_paced_provider_waits_its_turn_and_can_be_cancelled() {
    let clock = Arc::new(ManualClock::new(Timestamp::from_millis(0)));
    let hands = Arc::clone(&clock);
    let waits: Arc<Mutex<Vec<Duration>>> = Arc::default();
    let seen = Arc::clone(&waits);
    let pause = Box::new(move |cancel: &Cancel, time: Duration| {
        seen.lock().unwrap().push(time);
        hands.advance_millis(i64::try_from(time.as_millis()).unwrap());
        cancel.is_cancelled()
    });
    let model = Replay::default().reply("x", "1").reply("x", "2");
    let paced = Paced::with_pause(
        model,
        Pace {
            calls: Some(1),
            tokens: None,
        },
        clock,
        pause,
    );
    for text in ["1", "2"] {
        assert_eq!(
            paced.chat(&request("x", "?"), &Cancel::new()).unwrap().text,
            text
        );
    }
    assert_eq!(*waits.lock().unwrap(), [Duration::from_secs(60)]);
    let cancel = Cancel::new();
    cancel.cancel();
    assert!(matches!(
        paced.chat(&request("x", "?"), &cancel),
        Err(ProviderError::Cancelled { .. })
    ));
}
