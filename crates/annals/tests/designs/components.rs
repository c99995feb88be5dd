//! The parts that the designs name as components of their own: each has tests of its own.

use crate::support::sources::{self, Source};

/// The tests of files at or below a path such as `graph/src/merge`.
fn tests(sources: &[Source], path: &str) -> usize {
    let below = |source: &&Source| {
        source.path.starts_with(path) || source.path == std::path::Path::new(path)
    };
    sources
        .iter()
        .filter(below)
        .map(|source| source.tests().count())
        .sum()
}

#[track_caller]
fn each_is_tested(components: &[(&str, &[&str])]) {
    let sources = sources::all();
    for (component, paths) in components {
        for path in *paths {
            assert!(
                tests(&sources, path) > 0,
                "{component}: {path} has no tests"
            );
        }
    }
}

#[test]
fn of_the_graph() {
    // part: G-162
    each_is_tested(&[
        ("models", &["types/src", "graph/tests/it/evidence.rs"]),
        (
            "config",
            &["types/src/profile", "annals/tests/graph/numbers.rs"],
        ),
        ("vector store", &["vector/src", "vector/tests"]),
        (
            "graph store",
            &["graph/tests/it/model", "graph/tests/it/damage.rs"],
        ),
        ("persistence", &["storage/src", "storage/tests"]),
        (
            "extractor",
            &["extraction/src/ask", "extraction/src/candidates"],
        ),
        ("builder", &["graph/tests/it/memories.rs"]),
        ("retriever", &["recall/src", "annals/tests/graph/recall.rs"]),
        ("node merger", &["graph/tests/it/merges.rs"]),
        ("tool definitions", &["extraction/src/tools"]),
        ("tool executor", &["annals/tests/language/tools.rs"]),
        (
            "time parser",
            &["language/src/time", "language/tests/time.rs"],
        ),
        ("embeddings", &["vector/src/embed"]),
        ("graph visualisation", &["graph/src/export"]),
        (
            "decay",
            &["lifecycle/src", "lifecycle/tests/it/retention.rs"],
        ),
        (
            "scoring",
            &["recall/src/fusion.rs", "annals/tests/designs/formulas.rs"],
        ),
        ("reasoning", &["graph/tests/it/spread.rs"]),
    ]);
}

#[test]
fn of_memory_in_markdown() {
    // part: M-97
    each_is_tested(&[
        (
            "entry model and store",
            &["files/src/markdown", "files/tests/markdown.rs"],
        ),
        (
            "extractor",
            &["extraction/src/candidates", "extraction/src/ask"],
        ),
        (
            "merger",
            &[
                "lifecycle/tests/it/retention.rs",
                "lifecycle/tests/it/rounds.rs",
            ],
        ),
        (
            "manager",
            &[
                "annals/tests/designs/markdown.rs",
                "annals/tests/designs/mirrors.rs",
            ],
        ),
    ]);
}
