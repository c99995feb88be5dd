//! How often a question goes to the engine.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test fails by panicking"
)]

use std::sync::Arc;

use annals_graph::{
    Assertion, Embedding, NewLink, Scope, assert_evidence, link, list_entities, merge,
};
use annals_lifecycle::{Passes, Policy, Worth};
use annals_recall::{Channel, Embedded, NamedSpeakers, Nodes, Query, Ranking, Sources, rank};
use annals_records::{Columns, Incoming, append_many, memories, namespace};
use annals_storage::conformance::{Remote, RoundTrips};
use annals_storage::{MemoryEngine, Snapshot, Store, Transaction};
use annals_text::{Analyzer, ChunkCache, Settings};
use annals_types::profile::{Profile, RecallMode};
use annals_types::{
    Embedder, IdGenerator, MemoryId, NamespaceId, NamespaceName, NewMemory, Row, Script, Timestamp,
};
use annals_vector::Shape;
use annals_vector::embed::BuiltinEmbedder;

const TOLD: [&str; 6] = [
    "Ada adopted a cat called Biscuit",
    "Cats are afraid of water",
    "The water in the lake is cold",
    "Ada moved to Berlin",
    "The robotics startup hired Ada",
    "A storm broke the window",
];

fn at(row: i64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + row * 1000)
}

struct World {
    store: Store,
    trips: RoundTrips,
    ns: NamespaceId,
    columns: Columns,
    vectors: annals_vector::Index,
    worth: Worth,
    profile: Profile,
    embedder: BuiltinEmbedder,
    nodes: Option<Nodes>,
}

impl World {
    fn new() -> Self {
        let remote = Remote::new(Box::new(MemoryEngine::new()), 0);
        let trips = remote.round_trips();
        let store = Store::with_engine(Box::new(remote)).unwrap();
        let (profile, embedder) = (Profile::default(), BuiltinEmbedder::new());
        let name = NamespaceName::new("rounds").unwrap();
        let ns = store
            .write(|txn| namespace::create(txn, &name, "default", at(0)))
            .unwrap()
            .0
            .id;
        let policy = Policy::new(&profile).unwrap();
        let worth = Worth::empty(ns, policy.into(), Passes::default().into());
        let shape = Shape::new(embedder.dims()).unwrap();
        let vectors = annals_vector::Index::new(shape, profile.vector.clone());
        let mut world = Self {
            store,
            trips,
            ns,
            columns: Columns::empty(ns),
            vectors,
            worth,
            profile,
            embedder,
            nodes: None,
        };
        world.tell(shape);
        world
    }

    fn tell(&mut self, shape: Shape) {
        let ids = IdGenerator::seeded(1);
        let told: Vec<(MemoryId, NewMemory)> = TOLD
            .iter()
            .map(|text| (ids.next(at(0)), NewMemory::builder(*text).build().unwrap()))
            .collect();
        let incoming: Vec<Incoming<'_>> = told
            .iter()
            .map(|(id, memory)| Incoming::new(*id, memory))
            .collect();
        let ns = self.ns;
        let write =
            |txn: &mut Transaction<'_>| append_many(txn, ns, at(1), &incoming, &|_, _| Vec::new());
        self.columns
            .apply(&self.store.write(write).unwrap().0.delta);
        for (row, text) in (0..).map(Row).zip(TOLD) {
            self.vectors
                .append(row, &shape.encode(&self.embedder.vector(text)).unwrap())
                .unwrap();
            let forward = Analyzer::new().forward(text, None);
            self.store
                .write(|txn| annals_text::store::put(txn, ns, row, &forward))
                .unwrap();
        }
    }

    /// Triples that lead from the cat over water to the lake, and a link from the startup to
    /// Berlin.
    fn know(&self) {
        let scope = Scope {
            ns: self.ns,
            now: at(2),
            settings: &self.profile.graph,
        };
        let said = [
            (0, "Biscuit", "is a", "cat"),
            (1, "cat", "fears", "water"),
            (2, "lake", "holds", "water"),
        ];
        for (row, subject, predicate, object) in said {
            let assertion = [Assertion::new(subject, predicate, object)];
            self.store
                .write(|txn| assert_evidence(txn, scope, &[Row(row).into()], &assertion))
                .unwrap();
        }
        for row in [3, 4] {
            let assertion = [Assertion::new("Ada", "was in", format!("place {row}"))];
            self.store
                .write(|txn| assert_evidence(txn, scope, &[Row(row).into()], &assertion))
                .unwrap();
        }
        self.store
            .write(|txn| link(txn, scope, &NewLink::new(Row(4), "causes", Row(3))))
            .unwrap();
    }

    /// An index whose lists are all in the file, and not in memory.
    fn cold_text(&self) -> annals_text::Index {
        let settings = Settings {
            fold_after: 0,
            ..Settings::default()
        };
        let open = || {
            let cache = Arc::new(ChunkCache::new(1 << 20));
            annals_text::store::open(&self.store.snapshot().unwrap(), self.ns, settings, cache)
                .unwrap()
                .index
        };
        while let Some(plan) =
            annals_text::store::plan(&open(), &self.store.snapshot().unwrap()).unwrap()
        {
            self.store
                .write(|txn| annals_text::store::publish(txn, &plan))
                .unwrap();
        }
        open()
    }

    /// The ranking, and the rounds that it and the reading of its hits took.
    fn ask(&self, query: &Query, graph: bool) -> (Ranking, u64) {
        let (text, reads) = (self.cold_text(), self.store.snapshot().unwrap());
        self.trips.during(|| {
            let ranking = self.rank(&reads, &text, query, graph);
            let rows: Vec<Row> = ranking.hits.iter().map(|hit| hit.row).collect();
            assert_eq!(
                memories(&reads, self.ns, &rows, Some(&self.columns))
                    .unwrap()
                    .len(),
                rows.len()
            );
            ranking
        })
    }

    /// The meanings of the names of all known entities.
    fn nodes(&self) -> Nodes {
        let mut nodes = Nodes::new(Shape::new(self.embedder.dims()).unwrap());
        for entity in list_entities(&self.store.snapshot().unwrap(), self.ns, None, 100).unwrap() {
            let living = entity.merged_into.is_none();
            let vector = living.then(|| Embedding::F32(self.embedder.vector(&entity.name)));
            vector
                .into_iter()
                .for_each(|vector| nodes.add(entity.id, &vector).unwrap());
        }
        nodes
    }

    fn rank(
        &self,
        reads: &Snapshot,
        text: &annals_text::Index,
        query: &Query,
        graph: bool,
    ) -> Ranking {
        let speakers = NamedSpeakers::default();
        let vector = self.embedder.vector(&query.text);
        let prepared = Shape::new(self.embedder.dims())
            .unwrap()
            .query(&vector)
            .unwrap();
        let calibration = self.embedder.calibration().unwrap();
        let embedded = Embedded {
            query: prepared,
            calibration,
            script: Script::of_text(&query.text),
            parts: Vec::new(),
            everyday: None,
        };
        let sources = Sources {
            reads,
            columns: &self.columns,
            text,
            vectors: &self.vectors,
            speakers: &speakers,
            worth: &self.worth,
            graph,
            prototypes: None,
            nodes: self.nodes.as_ref(),
            found: None,
        };
        rank(
            &sources,
            query,
            Some(&embedded),
            None,
            &self.profile,
            at(10),
        )
        .unwrap()
    }
}

#[test]
fn a_question_takes_at_most_eight_rounds() {
    let world = World::new();
    world.know();
    let deep = Query::new("why is Biscuit afraid of the lake?")
        .mode(RecallMode::Deep)
        .expand_depth(2);
    let (ranking, rounds) = world.ask(&deep, true);
    let trace = ranking.graph.unwrap();
    assert_eq!(
        (trace.entities, trace.depth, trace.cut),
        (vec!["biscuit".to_owned(), "lake".to_owned()], 2, None)
    );
    assert_eq!(rounds, 8, "words, names, five steps, hits");
    let (_, rounds) = world.ask(&Query::new("Biscuit"), true);
    assert_eq!(
        rounds, 5,
        "words, names, the entity, what speaks of it, hits"
    );
    let (ranking, rounds) = world.ask(&Query::new("why did Ada move to Berlin?"), true);
    assert!(rounds <= 8, "{rounds}");
    let cause = ranking.hits.iter().find(|hit| hit.row == Row(4)).unwrap();
    assert_eq!(
        cause.explanation.graph.as_ref().unwrap().distance,
        0,
        "Ada is named"
    );
}

#[test]
fn what_entities_mean_takes_at_most_five_rounds_more() {
    let mut world = World::new();
    world.know();
    let question = Query::new("why is Biscuit afraid of the lake?")
        .mode(RecallMode::Deep)
        .expand_depth(2);
    world.profile.recall.node_candidates = 4;
    let (_, without) = world.ask(&question, true);
    world.nodes = Some(world.nodes());
    let (ranking, rounds) = world.ask(&question, true);
    assert_eq!(
        (without, rounds),
        (8, 10),
        "edges and evidence of the nearest entities"
    );
    assert!(
        ranking
            .hits
            .iter()
            .any(|hit| hit.explanation.found_by.contains(&Channel::Node))
    );
    // One that became another after what they mean was read, and one that has more than its share.
    let scope = Scope {
        ns: world.ns,
        now: at(3),
        settings: &world.profile.graph,
    };
    for n in 0..8 {
        let said = [Assertion::new("lake", "holds", format!("fish {n}"))];
        world
            .store
            .write(|txn| assert_evidence(txn, scope, &[Row(2).into()], &said))
            .unwrap();
    }
    let [puss, biscuit] = ["cat", "Biscuit"].map(|name| {
        let found =
            annals_graph::find_entities(&world.store.snapshot().unwrap(), world.ns, name).unwrap();
        found[0].id
    });
    world
        .store
        .write(|txn| merge(txn, scope, puss, biscuit, None, "one animal"))
        .unwrap();
    world.profile.recall.expand.edges = 12;
    let (_, rounds) = world.ask(&question, true);
    let nodes = world.nodes.take();
    let (_, without) = world.ask(&question, true);
    assert!(
        (3..=5).contains(&(rounds - without)),
        "{rounds} and {without}"
    );
    world.nodes = nodes;
    let (_, fast) = world.ask(
        &Query::new(question.text.clone()).mode(RecallMode::Fast),
        true,
    );
    assert_eq!(fast, 2);
}

#[test]
fn mode_fast_and_a_namespace_without_a_graph_read_none_of_it() {
    // part: G-75
    let world = World::new();
    world.know();
    let question = "why is Biscuit afraid of the lake?";
    let (without, rounds) = world.ask(&Query::new(question), false);
    assert_eq!((rounds, &without.graph), (2, &None));
    let (fast, rounds) = world.ask(&Query::new(question).mode(RecallMode::Fast), true);
    assert_eq!(rounds, 2);
    let scores = |ranking: &Ranking| {
        ranking
            .hits
            .iter()
            .map(|hit| (hit.row, hit.explanation.score))
            .collect::<Vec<_>>()
    };
    assert_eq!(scores(&fast), scores(&without));
    let (deep, rounds) = world.ask(&Query::new(question).mode(RecallMode::Deep), true);
    assert!(rounds > 2 && deep.graph.unwrap().depth == 1);
}
