//! The bytes of every stored structure in its version 1. Should one of these tests fail, files that exist would be misread:
//! give the structure a new version and keep reading the old one.

use annals_types::{Commit, NamespaceId, Row, Timestamp};
use proptest::prelude::*;

use crate::id::Qualifier;
use crate::key::{self, ABSORBED, Edge, Key, OUT};
use crate::record::{
    Arc, EntityRecord, EvidenceRecord, Flags, Head, LinkRecord, MergeRecord, Redirect, RowRecord, Supports,
    TripleRecord,
};
use crate::roster::LinkEnd;
use crate::value::{Mark, Value};
use crate::{Embedding, EntityId, LabelClass, LabelId, MergeId, StateChange, Support, TripleId, label, name};

const NS: NamespaceId = NamespaceId(3);

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn check<V: Value + PartialEq + std::fmt::Debug>(value: &V, golden: &str) {
    assert_eq!(V::VERSION, 1);
    assert_eq!(hex(&value.encode().unwrap()), golden);
    assert_eq!(V::decode(1, &value.encode().unwrap()).unwrap(), *value);
}

#[test]
fn keys() {
    let edge = Edge {
        entity: EntityId(1),
        tag: OUT,
        predicate: LabelId(2),
        other: EntityId(3),
        qualifier: Qualifier::new(true, Some(LabelId(4))).unwrap(),
        triple: TripleId(5),
    };
    assert_eq!(hex(&edge.key(NS)), "00000003000000010200000002000000030000000900000005");
    assert_eq!(Edge::parse(&edge.key(NS)), Some(edge));
    let link = LinkEnd { row: Row(1), leaves: true, relation: LabelId(2), other: Row(3) };
    assert_eq!(hex(&link.key(NS)), "0000000300000001020000000200000003");
    assert_eq!(hex(&link.turned().key(NS)), "0000000300000003030000000200000001");
    assert_eq!(LinkEnd::parse(&link.key(NS)), Some(link));
    let places: [(Key, &str); 8] = [
        (key::entity(NS, EntityId(258)), "0000000300000102"),
        (key::entity(NS, EntityId(1)).byte(ABSORBED).number(2), "00000003000000010100000002"),
        (key::triple(NS, TripleId(1)), "0000000300000001"),
        (key::evidence(NS, TripleId(1), Row(2)), "000000030000000100000002"),
        (key::predicate(NS, LabelId(1)).number(2), "000000030000000100000002"),
        (key::row(NS, Row(1)).byte(key::SUPPORTS), "000000030000000101"),
        (key::row(NS, Row(1)).byte(key::SOURCE).number(2), "00000003000000010400000002"),
        (key::row(NS, Row(1)).byte(key::DERIVED).number(2), "00000003000000010500000002"),
    ];
    for (place, golden) in places {
        assert_eq!(hex(&place.bytes()), golden);
    }
    assert_eq!(hex(&name::key(NS, "猫", EntityId(1))), "00000003e78cab0000000001");
    assert_eq!(hex(&label::by_text(NS, LabelClass::Relation, "a")), "000000030361");
    assert_eq!(hex(&label::by_number(NS, LabelClass::Condition, LabelId(7))), "000000038100000007");
    assert_eq!(hex(&key::merge(NS, MergeId(1)).bytes()), "0000000300000001");
}

#[test]
fn values() {
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
    check(&head, "fb2c0102030405060708090a0bfd00000000020000000c");
    check(&entity(), "03e78cab0701046361747301077b226e223a317dfbd007010001020305060708");
    let bare = EntityRecord { aliases: Vec::new(), metadata: None, redirect: None, ..entity() };
    check(&bare, "03e78cab070000fbd00701000005060708");
    let triple = TripleRecord {
        subject: EntityId(1),
        predicate: LabelId(2),
        object: EntityId(300),
        qualifier: Qualifier(5),
        born: at(1000),
        evidence: 6,
        supported: 7,
    };
    check(&triple, "0102fb2c0105fbd0070607");
    check(&said(), "fbd0070000003f0000803e0103e5be880001020201077b226e223a317d");
    let change = |millis, state| StateChange { time: at(millis), state };
    let states = vec![change(1, Support::Active), change(2, Support::Expired)];
    check(&RowRecord { states }, "0202000405");
    check(&Supports(vec![TripleId(1), TripleId(300)]), "0201fb2c01");
    let link = LinkRecord { weight: 0.5, born: at(1000), metadata: None };
    check(&link, "0000003ffbd00700");
    let merge = MergeRecord {
        source: EntityId(1),
        target: EntityId(2),
        commit: Commit(3),
        time: at(1000),
        similarity: Some(0.5),
        reason: "r".to_owned(),
        next_triple: 4,
    };
    check(&merge, "010203fbd00701000000000000e03f017204");
    check(&Flags(5), "05");
    let arc = Arc { flags: Flags(1), subject: EntityId(2), object: EntityId(3), qualifier: Qualifier(4) };
    check(&arc, "01020000000300000004000000");
    check(&Mark, "");
    check(&LabelId(300), "2c010000");
    check(&"猫".to_owned(), "e78cab");
    check(&Embedding::I8(vec![1, -1]), "0101ff");
    check(&Embedding::F32(vec![0.5]), "000000003f");
}

#[test]
fn states_keep_their_numbers() {
    use Support::{Active, Archived, Expired, Forgotten, StagedOut, Superseded};
    for (number, state) in [Active, Archived, Forgotten, StagedOut, Superseded, Expired].into_iter().enumerate() {
        let record = RowRecord { states: vec![StateChange { time: at(0), state }] };
        assert_eq!(hex(&record.encode().unwrap()), format!("01000{number}"));
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
        redirect: Some(Redirect { into: EntityId(2), merge: MergeId(3) }),
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

/// What can be read at all can be written and read again as the same.
fn settles<V: Value + PartialEq + std::fmt::Debug>(bytes: &[u8]) -> Result<(), TestCaseError> {
    if let Ok(value) = V::decode(1, bytes) {
        let again = value.encode().unwrap();
        prop_assert_eq!(V::decode(1, &again).unwrap().encode().unwrap(), again);
    }
    Ok(())
}

proptest! {
    #[test]
    fn hostile_bytes_are_refused_or_read_but_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..120)) {
        settles::<Head>(&bytes)?;
        settles::<EntityRecord>(&bytes)?;
        settles::<TripleRecord>(&bytes)?;
        settles::<EvidenceRecord>(&bytes)?;
        settles::<RowRecord>(&bytes)?;
        settles::<Supports>(&bytes)?;
        settles::<LinkRecord>(&bytes)?;
        settles::<MergeRecord>(&bytes)?;
        settles::<Flags>(&bytes)?;
        settles::<Arc>(&bytes)?;
        settles::<LabelId>(&bytes)?;
        settles::<String>(&bytes)?;
        settles::<Embedding>(&bytes)?;
        let _ = (Edge::parse(&bytes), LinkEnd::parse(&bytes), name::parse(&bytes));
    }

    #[test]
    fn hostile_names_are_compared_without_panic(text in any::<String>()) {
        let normal = crate::normalise(&text);
        // Once is enough.
        prop_assert_eq!(crate::normalise(&normal), normal);
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
