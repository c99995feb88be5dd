//! Nothing else is needed: no process, no connection, no file but the one. A test binary of its own, so that what it looks at is its own.

#![cfg(target_os = "linux")]
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

use annals::profile::Signal;
use annals::{NewMemory, Query, UnitScore};
use support::life::World;

/// The sockets that this process holds, and the processes that it has started.
fn company() -> (usize, String) {
    let held = std::fs::read_dir("/proc/self/fd").unwrap();
    let is_socket = |entry: std::io::Result<std::fs::DirEntry>| {
        std::fs::read_link(entry.unwrap().path()).is_ok_and(|target| target.to_string_lossy().starts_with("socket:"))
    };
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let children = tasks.map(|task| std::fs::read_to_string(task.unwrap().path().join("children")).unwrap_or_default());
    (held.map(is_socket).filter(|socket| *socket).count(), children.collect())
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
            world.remember(NewMemory::builder(format!("第{day}天写了文档")).kind(kind).build().unwrap());
            let query = Query::new("喜欢用什么写界面").min_score(UnitScore::new("least", 0.0).unwrap());
            assert!(!world.recall(query).is_empty());
            world.space().signal(&[id], Signal::Used).unwrap();
            world.force();
            assert_eq!(company(), before, "{profile}");
        }
        world.reopen();
        assert!(world.space().get(id).unwrap().is_some());
        world.validate();
        assert_eq!(company(), before, "{profile}");
    }
}
