//! The bytes of every stored structure in its version 1. Should one of these tests fail, files
//! that exist would be misread: give the structure a new version and keep reading the old one.

use std::borrow::Cow;

use annals_storage::conformance::Samples;
use annals_storage::table::Value;
use annals_types::{
    Attachment, Commit, Completed, Interval, Label, Layer, MemoryId, NamespaceId, NamespaceName,
    Role, Row, Scratchpad, SessionState, Status, Timestamp, ToolCall,
};
use proptest::prelude::*;

use crate::columns::block::Block;
use crate::columns::{Facts, Slot};
use crate::desk::{StoredScratchpad, StoredSessionState};
use crate::history::{Death, StatusChange};
use crate::ids::{IdEntry, Place};
use crate::record::{RowRecord, TurnRecord};
use crate::tables::*;
use crate::wire::Put;
use crate::{Event, Head, History, LabelClass, LabelId, Namespace, Operation};

fn id(last: u8) -> MemoryId {
    // 2026-01-03T18:00:00Z
    MemoryId::from_bytes([
        0x01, 0x9b, 0x85, 0x30, 0x4a, 0x00, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, last,
    ])
}

fn bare() -> RowRecord<'static> {
    RowRecord {
        id: id(1),
        stored_at: id(1).timestamp(),
        born: Commit(7),
        status: Status::Active,
        layer: Layer::Semantic,
        kind: LabelId(1),
        text: Cow::Borrowed("Hi 你"),
        importance: 0.5,
        confidence: 1.0,
        verified: false,
        source: None,
        provenance: Cow::Borrowed(&[]),
        tags: Vec::new(),
        metadata: None,
        event_time: None,
        valid_from: None,
        valid_until: None,
        expires_at: None,
        named_times: Vec::new(),
        turn: None,
        replaces: None,
        supersedes: None,
        revision: 1,
    }
}

fn full() -> RowRecord<'static> {
    let at = |millis: i64| Some(id(1).timestamp().plus_millis(millis));
    RowRecord {
        stored_at: id(1).timestamp().plus_millis(-5),
        status: Status::Staged,
        layer: Layer::Turn,
        kind: LabelId(300),
        importance: 2.0,
        confidence: 0.25,
        verified: true,
        source: Some(LabelId(2)),
        provenance: Cow::Owned(vec![id(9)]),
        tags: vec![LabelId(3), LabelId(1)],
        metadata: Some(Cow::Borrowed(r#"{"n":1}"#)),
        event_time: at(-1000),
        valid_from: at(0),
        valid_until: at(1000),
        expires_at: at(2000),
        named_times: vec![Interval {
            start: id(1).timestamp(),
            end: id(1).timestamp().plus_millis(1000),
        }],
        turn: Some(TurnRecord {
            session: LabelId(4),
            position: 5,
            speaker: Some(LabelId(6)),
            role: Role::Assistant,
            reply: Some(Cow::Borrowed("ok")),
            tool_calls: Cow::Owned(vec![ToolCall {
                name: Label::new("tool", "t").unwrap(),
                arguments: "{}".to_owned(),
                result: Some("r".to_owned()),
            }]),
            attachments: Cow::Owned(vec![Attachment {
                uri: "u".to_owned(),
                media_type: None,
                caption: Some("c".to_owned()),
            }]),
        }),
        replaces: Some(Row(8)),
        supersedes: Some(id(2)),
        revision: 3,
        ..bare()
    }
}

fn bytes_of<V: Value>(view: &V::View<'_>) -> Vec<u8> {
    let mut put = Put::default();
    V::encode(view, &mut put);
    put.finish()
}

const NS: NamespaceId = NamespaceId(3);

#[test]
fn every_table_has_a_frozen_row() {
    let mut samples = Samples::of(TABLES);
    samples.row(
        &NAMES,
        "user:42",
        &NamespaceId(300),
        ("757365723a3432", "2c010000"),
    );
    samples.row(&LAST_SPACE, (), &NamespaceId(300), ("00000000", "2c010000"));
    samples.row(&DOOMED, ((), NS), &(), ("ffffffff00000003", ""));
    let name = NamespaceName::new("user:42").unwrap();
    let (number, profile) = (NamespaceId(3), "p".to_owned());
    let time = Timestamp::from_millis(1000);
    let space = Namespace {
        id: number,
        name,
        created_at: time,
        profile,
        profile_version: 300,
        language: Some("zh".into()),
        doomed: true,
    };
    samples.row(
        &SPACES,
        NS,
        &space,
        ("00000003", "03d00f0107757365723a34320170ac02027a68"),
    );
    let head = Head {
        next_row: 300,
        next_event: 5,
        labels: [1, 2, 3, 4, 5],
        memories: [6, 7, 8, 9],
        replaced: 10,
        text_bytes: 1 << 33,
    };
    samples.row(
        &HEADS,
        NS,
        &head,
        ("00000003", "ac02050102030405060708090a8080808020"),
    );
    let row = (
        "0000000300000102",
        "00019b85304a0070008000000000000001000701030106486920e4bda0",
    );
    samples.row(&ROWS, (NS, Row(258)), &bare(), row);
    samples.row(
        &ROWS,
        (NS, Row(258)),
        &full(),
        (
            "0000000300000102",
            "ffff3f019b85304a007000800000000000000109070000ac0206486920e4bda0000000400000803e0201019b85304a00\
             70008000000000000009020301077b226e223a317dc50f0ada0faa1f010ada0f04050106026f6b010174027b7d010172\
             0101750001016308019b85304a007000800000000000000203",
        ),
    );
    let entry = IdEntry {
        current: Row(300),
        first: Row(299),
    };
    samples.row(
        &IDS,
        (NS, id(1)),
        &entry,
        ("00000003019b85304a0070008000000000000001", "ac0201"),
    );
    samples.row(
        &TURNS,
        (NS, LabelId(4), 5),
        &Some(Row(300)),
        ("000000030000000400000005", "ac02"),
    );
    samples.row(
        &TURNS,
        (NS, LabelId(4), 5),
        &None,
        ("000000030000000400000005", ""),
    );
    samples.row(
        &LABELS,
        (NS, LabelClass::Tag, "t"),
        &LabelId(300),
        ("000000030474", "ac02"),
    );
    samples.row(
        &LABEL_TEXTS,
        (NS, LabelClass::Tag, LabelId(300)),
        &"t",
        ("00000003840000012c", "74"),
    );
    samples_of_lives(&mut samples, time);
    samples_of_desk(&mut samples, time);
    samples_of_columns(&mut samples);
    samples.end();
}

fn samples_of_lives(samples: &mut Samples<'_>, time: Timestamp) {
    let changes = vec![
        StatusChange {
            commit: Commit(7),
            time,
            status: Status::Active,
        },
        StatusChange {
            commit: Commit(8),
            time: time.plus_millis(1),
            status: Status::Forgotten,
        },
    ];
    let death = Death {
        commit: Commit(9),
        time,
        successor: Some(Row(3)),
        successor_id: Some(id(2)),
    };
    let alive = History {
        changes: changes.clone(),
        death: None,
    };
    samples.row(
        &STATES,
        (NS, Row(1)),
        &alive,
        ("0000000300000001", "0207d00f0108d20f0300"),
    );
    let dead = History {
        changes,
        death: Some(death),
    };
    let bytes = "0207d00f0108d20f030709d00f03019b85304a0070008000000000000002";
    samples.row(&STATES, (NS, Row(1)), &dead, ("0000000300000001", bytes));
    let event = Event {
        seq: 0,
        commit: Commit(7),
        time,
        operation: Operation::Erased,
        row: Row(300),
        rows: 1,
        id: Some(id(1)),
        number: 2,
    };
    let key = "000000030000000000000005";
    samples.row(
        &EVENTS,
        (NS, 5),
        &event,
        (key, "07d00f04ac020102019b85304a0070008000000000000001"),
    );
    let without = Event {
        id: None,
        operation: Operation::Remembered,
        ..event
    };
    samples.row(&EVENTS, (NS, 5), &without, (key, "07d00f00ac020102"));
}

fn samples_of_desk(samples: &mut Samples<'_>, time: Timestamp) {
    let done = Completed {
        task: "a".to_owned(),
        completed_at: time,
    };
    let pad = Scratchpad {
        current_focus: "b".to_owned(),
        active_projects: vec!["c".to_owned()],
        recent_completed: vec![done],
        updated_at: Some(time),
    };
    samples.row(
        &SCRATCHPADS,
        NS,
        &pad,
        ("00000003", "01d00f016201016301d00f0161"),
    );
    let variables = [("n".to_owned(), annals_types::Value::Int(1))].into();
    let state = SessionState {
        current_task: "t".to_owned(),
        variables,
        summarized_to: 300,
        owes_episode: true,
        ended_at: Some(time),
    };
    samples.row(
        &DIALOGUES,
        (NS, "s"),
        &state,
        ("0000000373", "01d00f01ac020174077b226e223a317d"),
    );
}

fn samples_of_columns(samples: &mut Samples<'_>) {
    let mut block = Block::absent(Commit(7), 2);
    block.fill([(1, Facts::of(&full()))].into_iter());
    samples.row(
        &COLUMNS,
        (NS, Row(1)),
        &block,
        (
            "0000000300000001",
            "070200000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\
             0000184630859b010000fb4930859b0100000400000005000000060000002c01000001000000000000400000803e0000\
             11ad0101004a30859b010000e84d30859b010000d05130859b010000010203010101004a30859b010000e84d30859b01\
             0000",
        ),
    );
    block.erase(1);
    let mut empty = Block::absent(Commit(7), 2);
    // The list of tag sets keeps its length; what it said is gone.
    empty.tag_sets.push(Vec::new());
    assert_eq!(block, empty);
    assert_eq!(block.slots[1], Slot::ABSENT);
}

/// A value that can be read can be written and read again as the same.
fn settles<V: Value>(bytes: &[u8]) -> Result<(), TestCaseError> {
    if let Ok(value) = V::decode(1, bytes) {
        let again = bytes_of::<V>(&value);
        prop_assert_eq!(
            V::decode(1, &again).map(|value| bytes_of::<V>(&value)),
            Ok(again)
        );
    }
    Ok(())
}

proptest! {
    #[test]
    fn hostile_bytes_are_refused_or_read_but_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        settles::<RowRecord<'static>>(&bytes)?;
        if let Ok(block) = Block::decode(1, &bytes) {
            prop_assert!(block.slots.len() <= bytes.len());
        }
        settles::<History>(&bytes)?;
        settles::<Head>(&bytes)?;
        settles::<Event>(&bytes)?;
        settles::<Namespace>(&bytes)?;
        settles::<StoredScratchpad>(&bytes)?;
        settles::<StoredSessionState>(&bytes)?;
        settles::<IdEntry>(&bytes)?;
        settles::<Place>(&bytes)?;
    }

    #[test]
    fn cut_and_flipped_rows_are_refused_or_read_but_never_panic(
        cut in 0..150_usize,
        at in 0..150_usize,
        bit in 0..8_u8,
    ) {
        let mut bytes = bytes_of::<RowRecord<'static>>(&full());
        prop_assert!(RowRecord::decode(1, &bytes[..cut.min(bytes.len() - 1)]).is_err());
        let at = at % bytes.len();
        bytes[at] ^= 1 << bit;
        if let Ok(record) = RowRecord::decode(1, &bytes) {
            prop_assert!(record.text.len() <= bytes.len());
        }
    }
}
