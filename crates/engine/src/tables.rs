//! Every table of a file: what validation, the purge of a namespace and counting loop over.

use annals_storage::AnyTable;
use annals_storage::table::{Key, KeyBytes, KeyReader};

use crate::compiled::PROFILES;
use crate::jobs::progress;
use crate::measurement::MEASUREMENTS;
use crate::prototypes::PROTOTYPES;
use crate::words::MESSAGES;
use crate::{
    Engine, claims, decisions, ends, late, lessons, nodes, parted, revise, seen, stale, suspicions,
    wordings,
};

impl Engine {
    /// Every table: those of the layers, those of the engine and those of its extensions.
    pub fn tables(&self) -> Vec<&'static dyn AnyTable> {
        [core(), self.extensions.tables()].concat()
    }
}

/// The tables of the layers and of the engine.
pub(crate) fn core() -> Vec<&'static dyn AnyTable> {
    let layers = [
        annals_records::TABLES,
        annals_text::store::TABLES,
        annals_vector::store::TABLES,
        annals_lifecycle::TABLES,
        annals_graph::TABLES,
        OWN,
        GLOBAL,
    ];
    layers.concat()
}

const OWN: &[&dyn AnyTable] = &[
    &claims::CLAIMS,
    &decisions::DECIDED,
    &decisions::DECISIONS,
    &decisions::NEXT_DECISION,
    &nodes::NODE_SPACES,
    &progress::PROGRESS,
    &late::UNEMBEDDED,
    &lessons::LESSONS,
    &parted::PARTED,
    &revise::MADE,
    &seen::SEEN,
    &stale::STALE,
    &suspicions::SUSPICIONS,
    &suspicions::SUSPICIONS_BY_OLDER,
    &wordings::WORDINGS,
];

const GLOBAL: &[&dyn AnyTable] = &[
    &PROFILES,
    &MESSAGES,
    &MEASUREMENTS,
    &PROTOTYPES,
    &ends::ENDS,
];

/// A byte of a key that tells tables of one keyspace apart. Values are `()`.
#[derive(Debug, Clone, Copy)]
pub enum Tag<const BYTE: u8> {}

impl<const BYTE: u8> Key for Tag<BYTE> {
    type Of<'a> = ();

    fn put((): (), key: &mut KeyBytes) {
        u8::put(BYTE, key);
    }

    fn take(key: &mut KeyReader<'_>) -> Option<()> {
        u8::take(key).filter(|byte| *byte == BYTE).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use annals_graph::{EntityId, MergeId};
    use annals_storage::conformance::Samples;
    use annals_types::{Calibration, MemoryId, NamespaceId, Row, Timestamp};
    use annals_vector::embed::Measurement;

    use super::*;
    use crate::DecisionQuestion;
    use crate::decisions::Decided;
    use crate::lessons::Lesson;
    use crate::parted::Parted;
    use crate::prototypes::KeptPrototypes;
    use crate::suspicions::Suspected;

    const NS: NamespaceId = NamespaceId(1);
    const ONE: MemoryId = MemoryId::from_bytes([1; 16]);
    const TWO: MemoryId = MemoryId::from_bytes([2; 16]);
    const ID: &str = "01010101010101010101010101010101";
    const OTHER: &str = "02020202020202020202020202020202";

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn json(text: &str) -> String {
        annals_storage::hex(text.as_bytes())
    }

    #[test]
    fn every_table_has_a_frozen_row() {
        let mut samples = Samples::of(&[OWN, GLOBAL].concat());
        samples.row(
            &claims::CLAIMS,
            (NS, "a", "b", Row(2)),
            &(),
            ("000000016100620000000002", ""),
        );
        samples.row(
            &wordings::WORDINGS,
            (NS, 258, Row(2)),
            &(),
            ("00000001000000000000010200000002", ""),
        );
        samples.row(&nodes::NODE_SPACES, NS, &"e".to_owned(), ("00000001", "65"));
        samples.row(
            &progress::PROGRESS,
            (NS, "s"),
            &Row(258),
            ("0000000173", "00000102"),
        );
        let (key, moment) = (format!("00000001{ID}"), "00000000000003e8");
        samples.row(&stale::STALE, (NS, ONE), &at(1000), (&key, moment));
        samples.row(
            &ends::ENDS,
            (at(-5), NS, Row(3)),
            &(),
            ("7ffffffffffffffb0000000100000003", ""),
        );
        samples.row(
            &PROFILES,
            "own",
            &"a = 1".to_owned(),
            ("6f776e", "61203d2031"),
        );
        let measured = Measurement::uncentred(Calibration::uniform(0.25, 0.5));
        let frozen = "0000803e0000003f0000803e0000003f0000803e0000003f0000803e0000003f0100";
        samples.row(&MEASUREMENTS, "e", &measured, ("65", frozen));
        let examples = KeptPrototypes {
            examples: 258,
            vectors: vec![vec![0.5, 1.0]],
        };
        samples.row(
            &PROTOTYPES,
            "e",
            &examples,
            ("65", "fb020101020000003f0000803f"),
        );
        samples.row(&MESSAGES, "de", &"a = b".to_owned(), ("6465", "61203d2062"));
        let time = seen::SeenTime {
            until: at(1000),
            next_event: 258,
        };
        samples.row(
            &seen::SEEN,
            NS,
            &time,
            ("00000001", "00000000000003e80000000000000102"),
        );
        samples_of_rows(&mut samples);
        samples_of_decisions(&mut samples);
        samples_of_merges(&mut samples);
        samples_of_pairs(&mut samples);
        samples.end();
    }

    fn samples_of_rows(samples: &mut Samples<'_>) {
        let (key, frozen) = ((NS, Row(258)), ("0000000100000102", ""));
        samples.row(&late::UNEMBEDDED, key, &(), frozen);
        samples.row(&revise::MADE, key, &(), frozen);
    }

    fn samples_of_decisions(samples: &mut Samples<'_>) {
        let decided = Decided {
            at: at(1_000),
            question: DecisionQuestion::MayGo,
            memories: vec![ONE],
            answer: "keep".to_owned(),
            reason: String::new(),
            by: "a model".to_owned(),
            effects: Vec::new(),
            undone_at: None,
            before: 0,
        };
        let text = concat!(
            r#"{"at":"1970-01-01T00:00:01Z","question":"may_go","memories":["01010101-0101-0101-0101-010101010101"],"#,
            r#""answer":"keep","by":"a model"}"#
        );
        let number = "0000000000000102";
        samples.row(
            &decisions::DECISIONS,
            (NS, 258),
            &decided,
            (&format!("00000001{number}"), &json(text)),
        );
        samples.row(&decisions::NEXT_DECISION, NS, &258, ("00000001", number));
        samples.row(
            &decisions::DECIDED,
            (NS, ONE, 258),
            &(),
            (&format!("00000001{ID}{number}"), ""),
        );
    }

    fn samples_of_merges(samples: &mut Samples<'_>) {
        let key = (NS, MergeId(258));
        let lesson = Lesson {
            at: at(1000),
            similarity: 0.5,
            kind: "k".to_owned(),
        };
        let bytes = "00000000000003e83fe00000000000006b";
        samples.row(&lessons::LESSONS, key, &lesson, ("0000000100000102", bytes));
        let parted = Parted {
            source: EntityId(3),
            target: EntityId(1),
            at: at(1_000),
            similarity: Some(1.0),
            reason: "by hand".to_owned(),
            undone_at: at(2_000),
        };
        let text = concat!(
            r#"{"source":3,"target":1,"at":"1970-01-01T00:00:01Z","similarity":1.0,"reason":"by hand","#,
            r#""undone_at":"1970-01-01T00:00:02Z"}"#
        );
        samples.row(
            &parted::PARTED,
            key,
            &parted,
            ("0000000100000102", &json(text)),
        );
    }

    fn samples_of_pairs(samples: &mut Samples<'_>) {
        let suspected = Suspected {
            similarity: 0.75,
            at: at(1_000),
            unclear: false,
        };
        let (key, text) = (
            format!("0000000100{ID}{OTHER}"),
            r#"{"similarity":0.75,"at":"1970-01-01T00:00:01Z"}"#,
        );
        samples.row(
            &suspicions::SUSPICIONS,
            (NS, (), ONE, TWO),
            &suspected,
            (&key, &json(text)),
        );
        let unclear = Suspected {
            unclear: true,
            ..suspected
        };
        let text = r#"{"similarity":0.75,"at":"1970-01-01T00:00:01Z","unclear":true}"#;
        samples.row(
            &suspicions::SUSPICIONS,
            (NS, (), ONE, TWO),
            &unclear,
            (&key, &json(text)),
        );
        let key = format!("0000000101{OTHER}{ID}");
        samples.row(
            &suspicions::SUSPICIONS_BY_OLDER,
            (NS, (), TWO, ONE),
            &(),
            (&key, ""),
        );
    }
}
