//! Criterion benches as one table, beside the results of the last run.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use crate::shell::{self, Done, cargo};

/// Runs the benches (those whose name contains the first argument) and prints the table.
pub fn run(args: &[String]) -> Done {
    let began = SystemTime::now();
    let mut bench = cargo([
        "bench",
        "--package",
        "annals-benches",
        "--",
        "--quiet",
        "--noplot",
    ]);
    shell::run(bench.args(args))?;
    let criterion = shell::target().join("criterion");
    let mut now = BTreeMap::new();
    collect(&criterion, &criterion, began, &mut now)?;
    let kept = shell::target().join("bench-last.json");
    let mut last: BTreeMap<String, f64> = fs::read_to_string(&kept)
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    println!(
        "{:60} {:>14} {:>14} {:>7}",
        "bench", "median", "last", "ratio"
    );
    for (name, nanos) in &now {
        let before = last.get(name).copied();
        let (shown, ratio) = before.map_or((String::new(), String::new()), |b| {
            (time(b), format!("{:.2}", nanos / b))
        });
        println!("{name:60} {:>14} {shown:>14} {ratio:>7}", time(*nanos));
    }
    // What did not run this time keeps its last result.
    last.extend(now);
    let text = serde_json::to_string_pretty(&last)
        .map_err(|e| format!("cannot write the results: {e}"))?;
    fs::write(&kept, text).map_err(|e| format!("cannot write {}: {e}", kept.display()))
}

/// Reads the median of every bench below `dir` that ran since a moment.
fn collect(top: &Path, dir: &Path, since: SystemTime, found: &mut BTreeMap<String, f64>) -> Done {
    let listed = fs::read_dir(dir).map_err(|e| format!("cannot list {}: {e}", dir.display()))?;
    for entry in listed.flatten() {
        let path = entry.path();
        if path.file_name().is_some_and(|name| name == "new") {
            let file = path.join("estimates.json");
            let written = file.metadata().and_then(|data| data.modified());
            if written.map_err(|e| format!("{}: {e}", file.display()))? < since {
                continue;
            }
            let text = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
            let estimates: serde_json::Value =
                serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
            if let (Ok(name), Some(nanos)) = (
                dir.strip_prefix(top),
                estimates["median"]["point_estimate"].as_f64(),
            ) {
                found.insert(name.to_string_lossy().into_owned(), nanos);
            }
        } else if path.is_dir() {
            collect(top, &path, since, found)?;
        }
    }
    Ok(())
}

fn time(nanos: f64) -> String {
    match nanos {
        n if n < 1e3 => format!("{n:.0} ns"),
        n if n < 1e6 => format!("{:.2} µs", n / 1e3),
        n if n < 1e9 => format!("{:.2} ms", n / 1e6),
        n => format!("{:.2} s", n / 1e9),
    }
}
