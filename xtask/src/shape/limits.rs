//! The numbers that the workspace may not exceed, in `xtask/shape.toml`.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use super::Numbers;
use crate::shell::{self, Done};

const HEAD: &str = "\
# The shape of the workspace: no number may grow beyond what stands here. `cargo xtask shape` measures, `cargo xtask shape --set` writes,
# lines rounded up to the next hundred and items to the next five.
# Something that is not listed may not be there; a type that offers at most 30 methods need not be listed.
";

fn file() -> PathBuf {
    shell::root().join("xtask").join("shape.toml")
}

pub fn read() -> Result<toml::Table, String> {
    let text =
        fs::read_to_string(file()).map_err(|e| format!("cannot read xtask/shape.toml: {e}"))?;
    text.parse().map_err(|e| format!("xtask/shape.toml: {e}"))
}

fn limit(limits: &toml::Table, measure: &str, name: &str) -> Option<u64> {
    u64::try_from(limits.get(measure)?.get(name)?.as_integer()?).ok()
}

/// A limit as it stands beside a number.
pub fn shown(limits: &toml::Table, measure: &str, name: &str) -> String {
    limit(limits, measure, name)
        .map_or_else(|| "   none".to_owned(), |limit| format!("of {limit:5}"))
}

/// Everything that is above its limit.
pub fn broken(limits: &toml::Table, numbers: &Numbers) -> Vec<String> {
    let mut broken = Vec::new();
    for (measure, by_name) in numbers {
        for (name, number) in by_name {
            let limit = limit(limits, measure, name).unwrap_or_default();
            if *number > limit {
                broken.push(format!(
                    "{measure}: {name} has {number}, its limit is {limit}"
                ));
            }
        }
    }
    broken
}

/// The step to which a measure's limits are rounded up: small changes need no new limit.
fn step(measure: &str) -> u64 {
    match measure {
        "lines" => 100,
        "items across an edge" => 5,
        _ => 1,
    }
}

/// Writes the numbers as limits, rounded up to the step of their measure.
pub fn write(numbers: &Numbers) -> Done {
    let mut text = HEAD.to_owned();
    for (measure, by_name) in numbers {
        let _ = writeln!(text, "\n[{measure:?}]");
        for (name, number) in by_name {
            let _ = writeln!(
                text,
                "{name:?} = {}",
                number.next_multiple_of(step(measure))
            );
        }
    }
    fs::write(file(), text).map_err(|e| format!("cannot write xtask/shape.toml: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_above_its_limit_is_named() {
        let limits = "[lines]\nannals = 10\n".parse().unwrap();
        let numbers = |name: &str, number| [("lines", [(name.to_owned(), number)].into())].into();
        assert_eq!(broken(&limits, &numbers("annals", 10)), [""; 0]);
        assert_eq!(
            broken(&limits, &numbers("annals", 11)),
            ["lines: annals has 11, its limit is 10"]
        );
        assert_eq!(
            broken(&limits, &numbers("other", 1)),
            ["lines: other has 1, its limit is 0"]
        );
    }
}
