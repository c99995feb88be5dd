//! Everything that must hold before a change lands.

use std::time::Instant;

use crate::shell::{self, Done};
use crate::{checks, clients, downstream, eval, page, setup, shape, specs, test};

/// A named step.
type Step = (&'static str, fn() -> Done);

const STEPS: &[Step] = &[
    ("format", checks::format),
    ("shape", || shape::run(&[])),
    ("crates alone", checks::alone),
    ("clippy", checks::clippy),
    ("setup", || setup::run(&[])),
    ("tests", || test::run(&[])),
    ("page", || page::run(&[])),
    ("specs", || specs::run(&[])),
    ("clients", || clients::run(&[])),
    ("rustdoc", checks::rustdoc),
    ("fuzz", checks::fuzz),
    ("demo", checks::demo),
    ("eval", eval::gate),
    ("downstream", downstream::run),
    ("deny", checks::deny),
];

/// Runs every step, stops at the first that fails, prints the seconds of each.
pub fn run() -> Done {
    let beside = shell::shared().is_some();
    println!(
        "shared evaluation sets and models: {}",
        if beside {
            "there, must run"
        } else {
            "not there"
        }
    );
    let mut table = Vec::new();
    let mut failed = None;
    for (name, step) in STEPS {
        println!("\n== {name}");
        let start = Instant::now();
        let done = step();
        table.push((*name, start.elapsed().as_secs_f64()));
        if let Err(reason) = done {
            failed = Some(format!("{name}: {reason}"));
            break;
        }
    }
    println!("\nseconds per step");
    for (name, seconds) in &table {
        println!("{seconds:9.1}  {name}");
    }
    println!("{:9.1}  in all", table.iter().map(|(_, s)| s).sum::<f64>());
    failed.map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_is_built() {
        // spec: G-146
        let at = |name: &str| STEPS.iter().position(|(step, _)| *step == name);
        assert!(
            at("rustdoc") > at("tests"),
            "what is integrated is tested, then documented"
        );
        let root = shell::root();
        for document in ["README.md", "docs/architecture.md", "docs/measurements.md"] {
            assert!(root.join(document).is_file(), "{document}");
        }
    }
}
