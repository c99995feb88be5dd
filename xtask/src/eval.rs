//! Recall on the evaluation sets that may lie beside the checkout.

use std::process::Command;

use crate::shell::{self, Done, capture, cargo};

/// One row of the table: a set, an embedder, a measure and what it must reach.
struct Row {
    set: &'static str,
    embedder: Embedder,
    measure: &'static str,
    reach: f64,
}

#[derive(Clone, Copy, PartialEq)]
enum Embedder {
    Builtin,
    Small,
    Onnx,
}

impl Embedder {
    const fn name(self) -> &'static str {
        match self {
            Self::Builtin => "built-in",
            Self::Small => "small",
            Self::Onnx => "MiniLM int8",
        }
    }
}

const ROWS: &[Row] = &[
    Row {
        set: "locomo-dev.json",
        embedder: Embedder::Builtin,
        measure: "recall@10",
        reach: 0.80,
    },
    Row {
        set: "locomo-dev.json",
        embedder: Embedder::Onnx,
        measure: "recall@10",
        reach: 0.80,
    },
    Row {
        set: "realtalk-dev.json",
        embedder: Embedder::Builtin,
        measure: "recall@10",
        reach: 0.64,
    },
    Row {
        set: "beam-dev.json",
        embedder: Embedder::Builtin,
        measure: "recall@10",
        reach: 0.64,
    },
    Row {
        set: "beam-pairs-dev.json",
        embedder: Embedder::Builtin,
        measure: "recall@10",
        reach: 0.66,
    },
    Row {
        set: "memdaily-dev.json",
        embedder: Embedder::Builtin,
        measure: "recall@5",
        reach: 0.79,
    },
    Row {
        set: "memorybank-zh-dev.json",
        embedder: Embedder::Builtin,
        measure: "recall@5",
        reach: 0.94,
    },
    Row {
        set: "facts-dev.json",
        embedder: Embedder::Builtin,
        measure: "recall@5",
        reach: 0.82,
    },
    Row {
        set: "facts-dev.json",
        embedder: Embedder::Small,
        measure: "recall@5",
        reach: 0.78,
    },
];

/// What the prompts of prompts-dev.json bring, turns as they are imported: measure and floor.
const PROMPTS: [(&str, f64); 4] = [
    ("needed@3", 0.75),
    ("silent", 0.74),
    ("precision", 0.30),
    ("now", 0.80),
];

/// The committed floor lies this far below what must be reached: it catches a regression, not
/// noise.
const SLACK: f64 = 0.01;

/// Runs the table and prints it; `args` are passed on to `annals eval recall`.
pub fn run(args: &[String]) -> Done {
    measure(args)?;
    prompts()
}

/// Fails when a row has fallen below its floor. Without the sets it says so and passes.
pub fn gate() -> Done {
    let measured = measure(&[])?;
    let fallen: Vec<_> = measured
        .iter()
        .filter(|(row, value)| *value < row.reach - SLACK)
        .collect();
    if let Some((row, value)) = fallen.first() {
        return Err(format!(
            "{} {} is {value:.3}, below {:.3}",
            row.set, row.measure, row.reach
        ));
    }
    prompts()
}

/// What comes into the prompts of prompts-dev.json; fails below the floors. Without the set or
/// Python it says so and passes.
fn prompts() -> Done {
    let Some(shared) = shell::shared() else {
        return Ok(());
    };
    let script = shared.join("eval/prompts.py");
    let mut command = Command::new("python3");
    command
        .arg(script)
        .arg(shared.join("eval/prompts-dev.json"))
        .arg(program());
    let printed = capture(&mut command)?;
    let summary = printed
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("prompts: "))
        .unwrap_or_default();
    println!("prompts-dev.json         built-in     {summary}");
    let words: Vec<&str> = summary.split_whitespace().collect();
    for (measure, floor) in PROMPTS {
        let value = words.windows(2).find_map(|pair| match pair {
            [name, value] if *name == measure => value.parse::<f64>().ok(),
            _ => None,
        });
        match value {
            Some(value) if value >= floor => {}
            other => {
                return Err(format!(
                    "prompts-dev.json {measure} is {other:?}, below {floor}"
                ));
            }
        }
    }
    Ok(())
}

/// The release program.
fn program() -> std::path::PathBuf {
    shell::target()
        .join("release")
        .join(format!("annals{}", std::env::consts::EXE_SUFFIX))
}

fn measure(args: &[String]) -> Result<Vec<(&'static Row, f64)>, String> {
    let Some(shared) = shell::shared() else {
        println!("no evaluation sets beside this checkout: nothing measured");
        return Ok(Vec::new());
    };
    shell::run(&mut cargo([
        "build",
        "--quiet",
        "--release",
        "--package",
        "annals-cli",
    ]))?;
    let program = program();
    let mut measured = Vec::new();
    for row in ROWS {
        let mut command = Command::new(&program);
        command
            .args(["--json", "eval", "recall"])
            .arg(shared.join("eval").join(row.set))
            .args(args);
        if row.embedder == Embedder::Small {
            command.args(["--embedder", "small"]);
        }
        if row.embedder == Embedder::Onnx {
            command
                .arg("--embedder")
                .arg(shared.join("models/minilm-int8"));
            if let Some(library) = crate::setup::installed() {
                command.env("ORT_DYLIB_PATH", library);
            }
        }
        let printed = capture(&mut command)?;
        let report: serde_json::Value = serde_json::from_str(&printed)
            .map_err(|e| format!("annals eval recall: {e}: {printed}"))?;
        let value = report[row.measure]
            .as_f64()
            .ok_or_else(|| format!("no {} in {printed}", row.measure))?;
        let embedder = row.embedder.name();
        println!(
            "{:24} {embedder:12} {:10} {value:.4}   reach {:.2}   {}",
            row.set,
            row.measure,
            row.reach,
            latency(&report)
        );
        measured.push((row, value));
    }
    Ok(measured)
}

fn latency(report: &serde_json::Value) -> String {
    let of = |key: &str| report["latency_ms"][key].as_f64().unwrap_or(f64::NAN);
    format!(
        "p50 {:.2} ms, p95 {:.2} ms, p99 {:.2} ms",
        of("p50"),
        of("p95"),
        of("p99")
    )
}
