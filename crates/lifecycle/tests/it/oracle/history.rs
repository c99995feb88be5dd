use annals_types::Timestamp;

/// An event in the life of a memory.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Event {
    /// It is used, in a session.
    Use(u32),
    /// Something contradicts it.
    Penalty,
    /// A person sets its score.
    Set(f64),
    /// The reviews that wait are answered: keep.
    Keep,
    /// It is made active again.
    Restore,
    /// The job runs.
    Job,
    /// Someone looks.
    Look,
}

/// A random history of a memory, the same for the same seed.
pub(super) struct History {
    pub(super) class: String,
    pub(super) value: f64,
    pub(super) born: Timestamp,
    pub(super) events: Vec<(Timestamp, Event)>,
}

/// SplitMix64 (Steele, Lea, Flood, 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// From 0 up to 1.
    fn share(&mut self) -> f64 {
        self.below(1 << 30) as f64 / (1_u64 << 30) as f64
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }
}

const HOUR: i64 = 3_600_000;

pub(super) fn history(profile: &str, seed: u64) -> History {
    let mut random = Random(seed.wrapping_mul(0xD134_2543_DE82_EF95) ^ 0x5EED);
    let classes: &[&str] = match profile {
        "companion" => &["fact", "fact", "fact", "episode", "core"],
        "studio" => &["working", "working", "temporary", "core"],
        "agent" => &[
            "LONG_TERM",
            "LONG_TERM",
            "SHORT_TERM",
            "TRANSIENT",
            "PERMANENT",
        ],
        "graph" => &["事件", "事实", "关系", "观点"],
        _ => &["fact", "todo"],
    };
    let class = (*random.pick(classes)).to_owned();
    let top = if profile == "companion" { 3.2 } else { 1.0 };
    // Whole hours: the graph's design is simulated hour by hour. The others get any millisecond.
    let grid = if profile == "graph" { HOUR } else { 1 };
    let snap = |millis: i64| Timestamp::from_millis(millis / grid * grid);
    let born = snap(1_767_225_600_000 + random.below(86_400_000) as i64);
    let value = random.share() * top;
    let mut events = Vec::new();
    let span = 40 + random.below(260) as i64;
    // Jobs come about daily, at a fixed hour or not, with days on which the engine is off.
    let (hour, punctual) = (random.below(24) as i64, random.below(2) == 0);
    for day in 0..span {
        if random.below(12) > 0 {
            let jitter = if punctual {
                0
            } else {
                random.below(7_200_000) as i64 - 3_600_000
            };
            events.push((day * 24 * HOUR + hour * HOUR + jitter, Event::Job));
        }
        if random.below(10) == 0 {
            events.push((
                day * 24 * HOUR + random.below(86_400_000) as i64,
                Event::Job,
            ));
        }
    }
    for _ in 0..random.below(40) {
        let at = random.below(span as u64 * 86_400_000) as i64;
        let event = match random.below(20) {
            0 => Event::Penalty,
            1 => Event::Set(random.share() * top),
            2..=4 => Event::Keep,
            5 => Event::Restore,
            6..=9 => Event::Look,
            _ => Event::Use(random.below(5) as u32),
        };
        // Uses come in bursts, so that cooldown and caps matter.
        for burst in 0..1 + random.below(3) as i64 {
            events.push((
                at + burst * (HOUR + random.below(3 * 3_600_000) as i64),
                event.clone(),
            ));
        }
    }
    let moment = |after: i64| snap(born.as_millis() + after.max(1));
    let mut events: Vec<(Timestamp, Event)> = events
        .into_iter()
        .map(|(after, event)| (moment(after), event))
        .collect();
    events.sort_by_key(|(at, _)| *at);
    // Two things at one moment have no order that a design would know.
    events.dedup_by_key(|(at, _)| *at);
    History {
        class,
        value,
        born,
        events,
    }
}
