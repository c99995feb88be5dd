//! The long runs against disks that fail and files that are damaged; the tests make short ones.

use crate::shell::{self, Done, cargo};

/// Every write, sync and read of a workload over all layers fails in turn, or every `n`-th.
pub fn faults(args: &[String]) -> Done {
    let every = number(args.first(), 1)?;
    let mut test = cargo([
        "test",
        "--package",
        "annals",
        "--test",
        "crash",
        "faults",
        "--",
        "--nocapture",
    ]);
    shell::run(test.env("ANNALS_FAULT_EVERY", every.to_string()))
}

/// So many files are damaged at random, and every command that reads is run on each.
pub fn damage(args: &[String]) -> Done {
    let (count, seed) = (number(args.first(), 10_000)?, number(args.get(1), 1)?);
    let mut test = cargo([
        "test",
        "--package",
        "annals-cli",
        "--test",
        "it",
        "damage::",
        "--",
        "--nocapture",
    ]);
    shell::run(
        test.env("ANNALS_DAMAGES", count.to_string())
            .env("ANNALS_DAMAGE_SEED", seed.to_string()),
    )
}

fn number(arg: Option<&String>, usual: u64) -> Result<u64, String> {
    arg.map_or(Ok(usual), |text| {
        text.parse().map_err(|_| format!("{text:?} is no number"))
    })
}
