//! The bytes of every stored structure in its version 1. Should one of these tests fail, files
//! that exist would be misread: give the structure a new version and keep reading the old one.

use annals_storage::conformance::Samples;
use annals_storage::hex;
use annals_storage::table::{Coded, Value};
use annals_storage::wire::Put;
use annals_types::{Commit, NamespaceId, Row, Timestamp};
use proptest::prelude::*;

use crate::id::Qualifier;
use crate::record::{
    Arc, EntityRecord, EvidenceRecord, Flags, Head, LinkRecord, MergeRecord, Redirect, RowRecord,
    Supports, TripleRecord,
};
use crate::roster::LinkEnd;
use crate::tables::*;
use crate::{Embedding, EntityId, LabelClass, LabelId, MergeId, StateChange, Support, TripleId};

const NS: NamespaceId = NamespaceId(3);

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn bytes_of<V: Value>(view: &V::View<'_>) -> Vec<u8> {
    let mut put = Put::default();
    V::encode(view, &mut put);
    put.finish()
}

#[test]
fn every_table_has_a_frozen_row() {
    let mut samples = Samples::of(TABLES);
    let head = Head {
        next_entity: 300,
        next_triple: 2,
        next_merge: 3,
        labels: [4, 5, 6, 7],
        entities: 8,
        merges: 9,
        triples: 10,
        visible: 11,
        evidence: 1 << 33,
        links: 12,
    };
    samples.row(
        &HEADS,
        NS,
        &head,
        ("00000003", "fb2c0102030405060708090a0bfd00000000020000000c"),
    );
    samples.row(
        &LABELS,
        (NS, LabelClass::Relation, "a"),
        &LabelId(300),
        ("000000030361", "2c010000"),
    );
    let number = (NS, LabelClass::Condition, LabelId(7));
    samples.row(
        &LABEL_TEXTS,
        number,
        &"猫".to_owned(),
        ("000000038100000007", "e78cab"),
    );
    samples_of_nodes(&mut samples);
    samples_of_triples(&mut samples);
    samples_of_rows(&mut samples);
    let merge = MergeRecord {
        source: EntityId(1),
        target: EntityId(2),
        commit: Commit(3),
        time: at(1000),
        similarity: Some(0.5),
        reason: "r".to_owned(),
        next_triple: 4,
    };
    samples.row(
        &MERGES,
        (NS, MergeId(1)),
        &merge,
        ("0000000300000001", "010203fbd00701000000000000e03f017204"),
    );
    samples.end();
}

fn samples_of_nodes(samples: &mut Samples<'_>) {
    let key = (NS, EntityId(258));
    let bytes = "03e78cab0701046361747301077b226e223a317dfbd007010001020305060708";
    samples.row(&ENTITIES, key, &entity(), ("0000000300000102", bytes));
    let bare = EntityRecord {
        aliases: Vec::new(),
        metadata: None,
        redirect: None,
        ..entity()
    };
    samples.row(
        &ENTITIES,
        key,
        &bare,
        ("0000000300000102", "03e78cab070000fbd00701000005060708"),
    );
    samples.row(
        &ABSORBED,
        (NS, EntityId(1), (), EntityId(2)),
        &(),
        ("00000003000000010100000002", ""),
    );
    let edge = Edge {
        entity: EntityId(1),
        side: Side::Out,
        predicate: LabelId(2),
        other: EntityId(3),
        qualifier: Qualifier::new(true, Some(LabelId(4))).unwrap(),
        triple: TripleId(5),
    };
    assert_eq!(Edge::of(edge.key(NS)), edge);
    let place = "00000003000000010200000002000000030000000900000005";
    samples.row(&EDGES, edge.key(NS), &Flags(5), (place, "05"));
    samples.row(
        &NAMES,
        (NS, "猫", EntityId(1)),
        &(),
        ("00000003e78cab0000000001", ""),
    );
    samples.row(
        &VECTORS,
        (NS, EntityId(1)),
        &Embedding::I8(vec![1, -1]),
        ("0000000300000001", "0101ff"),
    );
    samples.row(
        &VECTORS,
        (NS, EntityId(1)),
        &Embedding::F32(vec![0.5]),
        ("0000000300000001", "000000003f"),
    );
}

fn samples_of_triples(samples: &mut Samples<'_>) {
    let triple = TripleRecord {
        subject: EntityId(1),
        predicate: LabelId(2),
        object: EntityId(300),
        qualifier: Qualifier(5),
        born: at(1000),
        evidence: 6,
        supported: 7,
    };
    samples.row(
        &TRIPLES,
        (NS, TripleId(1)),
        &triple,
        ("0000000300000001", "0102fb2c0105fbd0070607"),
    );
    let bytes = "fbd0070000003f0000803e0103e5be880001020201077b226e223a317d";
    samples.row(
        &EVIDENCE,
        (NS, TripleId(1), Row(2)),
        &said(),
        ("000000030000000100000002", bytes),
    );
    let arc = Arc {
        flags: Flags(1),
        subject: EntityId(2),
        object: EntityId(3),
        qualifier: Qualifier(4),
    };
    let key = (NS, LabelId(1), TripleId(2));
    samples.row(
        &ARCS,
        key,
        &arc,
        ("000000030000000100000002", "01020000000300000004000000"),
    );
}

fn samples_of_rows(samples: &mut Samples<'_>) {
    let change = |millis, state| StateChange {
        time: at(millis),
        state,
    };
    let states = vec![change(1, Support::Active), change(2, Support::Expired)];
    samples.row(
        &ROWS,
        (NS, Row(1)),
        &RowRecord { states },
        ("0000000300000001", "0202000405"),
    );
    let list = Supports(vec![TripleId(1), TripleId(300)]);
    samples.row(
        &SUPPORTS,
        (NS, Row(1), ()),
        &list,
        ("000000030000000101", "0201fb2c01"),
    );
    let end = LinkEnd {
        row: Row(1),
        leaves: true,
        relation: LabelId(2),
        other: Row(3),
    };
    assert_eq!(LinkEnd::of(end.key(NS)), end);
    let link = LinkRecord {
        weight: 0.5,
        born: at(1000),
        metadata: None,
    };
    let bytes = "0000003ffbd00700";
    samples.row(
        &LINKS,
        end.key(NS),
        &link,
        ("0000000300000001020000000200000003", bytes),
    );
    samples.row(
        &LINKS,
        end.turned().key(NS),
        &link,
        ("0000000300000003030000000200000001", bytes),
    );
    samples.row(
        &SOURCES,
        (NS, Row(1), (), Row(2)),
        &(),
        ("00000003000000010400000002", ""),
    );
    samples.row(
        &DERIVED,
        (NS, Row(1), (), Row(2)),
        &(),
        ("00000003000000010500000002", ""),
    );
}

#[test]
fn states_keep_their_numbers() {
    use Support::{Active, Archived, Expired, Forgotten, StagedOut, Superseded};
    for (number, state) in [Active, Archived, Forgotten, StagedOut, Superseded, Expired]
        .into_iter()
        .enumerate()
    {
        let record = RowRecord {
            states: vec![StateChange { time: at(0), state }],
        };
        assert_eq!(
            hex(&bytes_of::<Coded<RowRecord>>(&record)),
            format!("01000{number}")
        );
    }
}

fn entity() -> EntityRecord {
    EntityRecord {
        name: "猫".to_owned(),
        kind: 7,
        aliases: vec!["cats".to_owned()],
        metadata: Some(r#"{"n":1}"#.to_owned()),
        born: at(1000),
        kept: true,
        hollow: false,
        redirect: Some(Redirect {
            into: EntityId(2),
            merge: MergeId(3),
        }),
        own: 5,
        edges: 6,
        visible: 7,
        absorbed: 8,
    }
}

fn said() -> EvidenceRecord {
    EvidenceRecord {
        born: at(1000),
        importance: 0.5,
        confidence: 0.25,
        degree: Some("很".to_owned()),
        valid_from: None,
        valid_until: Some(at(1)),
        role: 2,
        metadata: Some(r#"{"n":1}"#.to_owned()),
    }
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
    fn hostile_bytes_are_refused_or_read_but_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..120)) {
        settles::<Coded<Head>>(&bytes)?;
        settles::<Coded<EntityRecord>>(&bytes)?;
        settles::<Coded<TripleRecord>>(&bytes)?;
        settles::<Coded<EvidenceRecord>>(&bytes)?;
        settles::<Coded<RowRecord>>(&bytes)?;
        settles::<Coded<Supports>>(&bytes)?;
        settles::<Coded<LinkRecord>>(&bytes)?;
        settles::<Coded<MergeRecord>>(&bytes)?;
        settles::<Flags>(&bytes)?;
        settles::<Arc>(&bytes)?;
        settles::<LabelId>(&bytes)?;
        settles::<String>(&bytes)?;
        settles::<Embedding>(&bytes)?;
        for table in TABLES {
            drop(table.check(&bytes, 1, &bytes));
        }
    }

    #[test]
    fn hostile_cursors_are_refused_or_come_back(text in any::<String>(), hex in "[0-9a-f]{0,70}") {
        for text in [text, hex] {
            if let Ok(cursor) = text.parse::<crate::Cursor>() {
                prop_assert_eq!(cursor.to_string(), text.to_lowercase());
            }
        }
    }
}
