//! How long `sync` takes for a MEMORY.md of many entries: when all of them are new, when nothing
//! changed, and when each of them is another. docs/measurements.md has the figures.
//!
//! ```text
//! cargo run --release -p annals --example measure_sync -- 10000 100000
//! ```
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a program of measurement"
)]

use std::time::Instant;

fn main() {
    for count in std::env::args().skip(1) {
        let count: usize = count.parse().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let memory = annals::Options::new()
            .open(folder.path().join("notes.annals"))
            .unwrap();
        let notes = memory.create_namespace("notes", "markdown").unwrap();
        let file = folder.path().join("MEMORY.md");
        let mut text = String::from("# Agent Memory\n\n## Active Memories\n");
        for number in 0..count {
            text.push_str(&format!(
                "\n### fact | 0.80 | 2026-02-20 | 1\nItem {number} lies in box {}.\n",
                number * 7
            ));
        }
        text.push_str("\n## Archived Memories\n");
        std::fs::write(&file, text).unwrap();
        let sync = |what: &str| {
            let began = Instant::now();
            let report = notes.files().sync(folder.path()).unwrap();
            let file = &report.files[0];
            let changed = file.added + file.updated;
            println!(
                "{count:>8} entries, {what}: {:.2} s, {changed} changes{}",
                began.elapsed().as_secs_f64(),
                file.failed
                    .as_deref()
                    .map(|why| format!(", {why}"))
                    .unwrap_or_default()
            );
        };
        sync("new");
        sync("unchanged");
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, text.replace(" lies in box ", " was put into box ")).unwrap();
        sync("all edited");
        sync("unchanged");
    }
}
