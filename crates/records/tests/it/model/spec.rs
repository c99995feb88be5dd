use annals_types::{
    Importance, Interval, Kind, Label, Layer, NewMemory, Role, Status, Timestamp, Turn,
};
use proptest::prelude::*;

/// A memory out of a small world, so that operations meet each other.
#[derive(Debug, Clone)]
pub(crate) struct Spec {
    text: u8,
    layer: u8,
    kind: u8,
    session: Option<u8>,
    speaker: Option<u8>,
    tags: u8,
    status: u8,
    moments: [Option<u8>; 4],
    rare: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum Op {
    Append(Vec<Spec>),
    Update { which: u8, spec: Spec, new_id: bool },
    Status { which: Vec<u8>, status: u8 },
    Erase { which: Vec<u8> },
    Fold { rows: u32, blocks: usize },
    Reload,
    Tick(i64),
    Prune,
}

fn spec() -> impl Strategy<Value = Spec> {
    let moment = || proptest::option::weighted(0.2, any::<u8>());
    let moments = [moment(), moment(), moment(), moment()];
    let session = proptest::option::weighted(0.6, 0..3_u8);
    let labels = (0..3_u8, session, proptest::option::of(0..2_u8), 0..8_u8);
    let status = prop_oneof![4 => Just(1_u8), 1 => 0..4_u8];
    (0..6_u8, 0..6_u8, labels, status, moments, any::<bool>()).prop_map(
        |(text, layer, (kind, session, speaker, tags), status, moments, rare)| Spec {
            text,
            layer,
            kind,
            session,
            speaker,
            tags,
            status,
            moments,
            rare,
        },
    )
}

pub(crate) fn op() -> impl Strategy<Value = Op> {
    let some = || proptest::collection::vec(any::<u8>(), 1..3);
    prop_oneof![
        6 => proptest::collection::vec(spec(), 1..4).prop_map(Op::Append),
        4 => (any::<u8>(), spec(), any::<bool>()).prop_map(|(which, spec, new_id)| Op::Update { which, spec, new_id }),
        3 => (some(), 0..4_u8).prop_map(|(which, status)| Op::Status { which, status }),
        2 => some().prop_map(|which| Op::Erase { which }),
        2 => (1..5_u32, 1..4_usize).prop_map(|(rows, blocks)| Op::Fold { rows, blocks }),
        1 => Just(Op::Reload),
        3 => (-5..20_i64).prop_map(Op::Tick),
        1 => Just(Op::Prune),
    ]
}

/// The times that a text of this world names: none, one or two, by its number.
pub(crate) fn named_times(text: &str, told_at: Timestamp) -> Vec<Interval> {
    let number = text
        .bytes()
        .find(u8::is_ascii_digit)
        .map_or(0, |digit| i64::from(digit - b'0'));
    let time = |turn: i64| {
        let start = told_at.plus_millis(turn * 7 - number * 10);
        Interval {
            start,
            end: start.plus_millis(number + 1),
        }
    };
    (0..number % 3).map(time).collect()
}

impl Spec {
    pub(crate) fn memory(&self) -> NewMemory {
        let mut body = NewMemory::builder(format!("text {}?", self.text))
            .build()
            .unwrap()
            .into_body();
        let label =
            |letter: char, number: u8| Label::new("label", format!("{letter}{number}")).unwrap();
        let moment =
            |at: Option<u8>| at.map(|at| Timestamp::from_millis(1_000_000 + i64::from(at)));
        let [event, from, length, expires] = self.moments;
        body.layer = Layer::from_byte(self.layer).unwrap();
        body.kind = Kind::new(format!("k{}", self.kind)).unwrap();
        body.tags = (0..3)
            .filter(|tag| self.tags >> tag & 1 == 1)
            .map(|tag| label('t', tag))
            .collect();
        body.event_time = moment(event);
        body.valid_from = moment(from);
        body.valid_until = length.map(|length| {
            body.valid_from
                .unwrap_or(Timestamp::from_millis(1_000_000))
                .plus_millis(i64::from(length) + 1)
        });
        body.expires_at = moment(expires);
        if self.rare {
            body.importance = Importance::new("importance", 2.5).unwrap();
            body.verified = true;
            body.source = Some(label('o', self.kind));
            body.metadata.insert("n".to_owned(), 3_i64.into());
            body.metadata.insert("x".to_owned(), 0.1_f64.into());
        }
        body.turn = self.session.map(|session| Turn {
            session: label('s', session),
            position: 0,
            speaker: self.speaker.map(|speaker| label('p', speaker)),
            role: if self.rare {
                Role::Assistant
            } else {
                Role::User
            },
            reply: self.rare.then(|| "a reply".to_owned()),
            tool_calls: Vec::new(),
            attachments: Vec::new(),
        });
        NewMemory::from_body(body)
            .unwrap()
            .with_status(Status::from_byte(self.status).unwrap())
    }
}
