//! The engine needs no other process, no connection and no file but its own. This is a test binary
//! of its own, so that it observes only itself.

#![cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test fails by panicking"
)]

#[path = "support/mod.rs"]
mod support;

use annals::profile::{RecallMode, Signal};
use annals::{Mode, NewMemory, Query, UnitScore};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
use support::life::World;

/// The sockets that this process holds, and the processes that it has started.
fn company() -> (usize, String) {
    let held = std::fs::read_dir("/proc/self/fd").unwrap();
    let is_socket = |entry: std::io::Result<std::fs::DirEntry>| {
        std::fs::read_link(entry.unwrap().path())
            .is_ok_and(|target| target.to_string_lossy().starts_with("socket:"))
    };
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let children = tasks.map(|task| {
        std::fs::read_to_string(task.unwrap().path().join("children")).unwrap_or_default()
    });
    (
        held.map(is_socket).filter(|socket| *socket).count(),
        children.collect(),
    )
}

#[test]
fn a_year_needs_neither_a_server_nor_a_connection() {
    // spec: C-136, S-123, S-146
    let before = company();
    for (profile, kind) in [("companion", "fact"), ("studio", "preference")] {
        let mut world = World::new(profile);
        let id = world.kind(kind, "我喜欢用 Vue 3 写界面");
        for day in (1..=360).step_by(30) {
            world.at(f64::from(day));
            world.remember(
                NewMemory::builder(format!("第{day}天写了文档"))
                    .kind(kind)
                    .build()
                    .unwrap(),
            );
            let query =
                Query::new("喜欢用什么写界面").min_score(UnitScore::new("least", 0.0).unwrap());
            assert!(!world.recall(query).is_empty());
            world
                .space()
                .lifecycle()
                .signal(&[id], Signal::Used)
                .unwrap();
            world.force();
            assert_eq!(company(), before, "{profile}");
        }
        world.reopen();
        assert!(world.space().get(id).unwrap().is_some());
        world.validate();
        assert_eq!(company(), before, "{profile}");
    }
}

/// Kills a process that makes a socket or becomes another program, as whatever it starts would have
/// to.
fn no_company() -> BpfProgram {
    let calls = [
        libc::SYS_socket,
        libc::SYS_io_uring_setup,
        libc::SYS_execve,
        libc::SYS_execveat,
    ];
    let arch = std::env::consts::ARCH.try_into().unwrap();
    let calls = calls.map(|call| (call, Vec::new())).into();
    SeccompFilter::new(
        calls,
        SeccompAction::Allow,
        SeccompAction::KillProcess,
        arch,
    )
    .unwrap()
    .try_into()
    .unwrap()
}

/// Makes, recalls, links, consolidates and deletes memories of the graph profile, and opens its
/// file again.
fn use_of_a_graph() {
    let mut world = World::new("graph");
    let call = |world: &World, tool: &str, arguments: &str| {
        let reply = world.space().tools().call(tool, arguments).unwrap();
        assert!(reply.is_success(), "{}", reply.as_json());
        reply.as_json().to_owned()
    };
    let noodles = r#"{"subject":"我","memory_type":"事件","topic":"吃饭","object":"拉面","attributes":{"时间":"2026-01-01"}}"#;
    let rain = r#"{"subject":"我","memory_type":"事件","topic":"淋雨","object":"大雨","attributes":{"地点":"北京"}}"#;
    call(&world, "create_memory", noodles);
    call(&world, "create_memory", rain);
    world.memory().wait_idle().unwrap();
    assert!(call(&world, "search_memories", r#"{"query":"拉面"}"#).contains("拉面"));
    world.at(2.0);
    world.force();
    world.reopen();
    let deep = Query::new("为什么淋雨")
        .mode(RecallMode::Deep)
        .expand_depth(2);
    let hits = world.space().recall(deep).unwrap();
    let rain = hits.iter().find(|hit| hit.text.contains("大雨")).unwrap();
    world.space().delete(rain.id, Mode::Commit).unwrap();
    world.validate();
}

#[test]
fn a_graph_needs_no_other_program_and_no_connection() {
    // spec: G-03
    // A filter is one of a thread, and the threads that it starts inherit it.
    let apart = || {
        seccompiler::apply_filter(&no_company()).unwrap();
        use_of_a_graph();
    };
    std::thread::scope(|scope| scope.spawn(apart).join().unwrap());
}
