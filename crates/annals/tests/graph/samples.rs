//! One set of sample memories, gone through part by part: the records, the store, the building, the
//! search, the tools.

use annals::blocking::Namespace;
use annals::{MemoryId, ToolReply};
use serde_json::Value;

use crate::support::life::World;

/// The memories as a model says them, the links between them, and what is looked for.
fn samples() -> Value {
    serde_json::from_str(include_str!("../fixtures/sample_memories.json")).unwrap()
}

fn part(name: &str) -> Vec<Value> {
    samples()[name].as_array().unwrap().clone()
}

fn told(reply: &ToolReply) -> Value {
    assert!(reply.is_success(), "{}", reply.as_json());
    serde_json::from_str(reply.as_json()).unwrap()
}

/// All samples, stored through the tools; their ids in order.
fn stored(space: &Namespace) -> Vec<MemoryId> {
    let create = |memory: &Value| {
        let reply = told(
            &space
                .tools()
                .call("create_memory", &memory.to_string())
                .unwrap(),
        );
        reply["memory_id"]
            .as_str()
            .unwrap_or_else(|| panic!("{reply}"))
            .parse()
            .unwrap()
    };
    let ids = part("memories").iter().map(create).collect();
    for link in part("links") {
        told(
            &space
                .tools()
                .call("link_memories", &link.to_string())
                .unwrap(),
        );
    }
    ids
}

mod models {
    use super::*;
    use annals::graph::GraphRecord;

    #[test]
    fn samples_are_records_that_json_brings_back() {
        let world = World::new("graph");
        let (memories, ids) = (part("memories"), stored(&world.space()));
        assert_eq!((memories.len(), ids.len()), (6, 6));
        for (said, id) in memories.iter().zip(ids) {
            let record = world.space().designs().graph().record(id).unwrap();
            assert_eq!(
                record.memory.memory_type.as_str(),
                said["memory_type"].as_str().unwrap()
            );
            let text = serde_json::to_string(&record).unwrap();
            assert_eq!(serde_json::from_str::<GraphRecord>(&text).unwrap(), record);
        }
    }
}

mod storage {
    use super::*;

    #[test]
    fn samples_are_the_same_after_the_file_was_closed() {
        let mut world = World::new("graph");
        let ids = stored(&world.space());
        let records = |world: &World| {
            ids.iter()
                .map(|id| {
                    world
                        .space()
                        .designs()
                        .graph()
                        .record(*id)
                        .unwrap()
                        .memory
                        .edges
                })
                .collect::<Vec<_>>()
        };
        let before = records(&world);
        world.reopen();
        assert_eq!(records(&world), before);
        assert!(world.space().admin().validate().unwrap().is_empty());
    }
}

mod builder {
    use super::*;

    #[test]
    fn samples_become_nodes_and_edges() {
        let world = World::new("graph");
        let ids = stored(&world.space());
        for (said, id) in part("memories").iter().zip(&ids) {
            let memory = world.space().designs().graph().record(*id).unwrap().memory;
            let node = |kind: &str| {
                memory
                    .nodes
                    .iter()
                    .find(|node| node.node_type.as_deref() == Some(kind))
            };
            assert_eq!(
                node("主体").unwrap().content,
                said["subject"].as_str().unwrap(),
                "{said}"
            );
            assert_eq!(
                node("主题").unwrap().content,
                said["topic"].as_str().unwrap(),
                "{said}"
            );
            if let Some(object) = said["object"].as_str() {
                assert!(
                    memory.nodes.iter().any(|node| node.content == object),
                    "{said}"
                );
            }
        }
        let linked = world
            .space()
            .designs()
            .graph()
            .record(ids[1])
            .unwrap()
            .memory;
        assert!(
            linked.edges.iter().any(|edge| edge.relation == "导致"),
            "{:?}",
            linked.edges
        );
    }
}

mod retriever {
    use super::*;
    use annals::Query;

    #[test]
    fn samples_are_found() {
        let world = World::new("graph");
        stored(&world.space());
        // A tool call waits for no vector.
        world.memory().wait_idle().unwrap();
        for search in part("searches") {
            let hits = world
                .space()
                .recall(Query::new(search["query"].as_str().unwrap()).top_k(3))
                .unwrap();
            for wanted in search["finds"].as_array().unwrap() {
                let wanted = wanted.as_str().unwrap();
                assert!(
                    hits.iter().any(|hit| hit.text.contains(wanted)),
                    "{wanted}: {hits:?}"
                );
            }
        }
    }
}

mod tools {
    use super::*;

    #[test]
    fn samples_are_looked_for_through_the_tool() {
        let world = World::new("graph");
        let ids = stored(&world.space());
        for search in part("searches") {
            let call = serde_json::json!({ "query": search["query"] }).to_string();
            let found = told(
                &world
                    .space()
                    .tools()
                    .call("search_memories", &call)
                    .unwrap(),
            )
            .to_string();
            assert!(
                ids.iter().any(|id| found.contains(&id.to_string())),
                "{found}"
            );
        }
    }

    #[test]
    fn the_fixture_loads_and_every_part_has_its_test() {
        // spec: G-147
        let world = World::new("graph");
        assert_eq!(stored(&world.space()).len(), 6);
        assert_eq!(world.space().admin().stats().unwrap().memories, 6);
        let here = include_str!("samples.rs");
        for module in ["models", "storage", "builder", "retriever", "tools"] {
            let body = here.split(&format!("mod {module} {{")).nth(1).unwrap();
            let body = body.split("\nmod ").next().unwrap();
            assert!(body.contains("#[test]"), "{module} has a test");
        }
    }
}
