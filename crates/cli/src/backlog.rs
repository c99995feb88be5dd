//! Background work that waits or failed, in sentences.

use std::collections::BTreeMap;

use annals::blocking::{Memory, Namespace};
use annals::{QueueState, Timestamp};

use crate::app::App;
use crate::card;
use crate::failure::Failure;
use crate::texts::{found, text};

/// How many windows of conversations wait to be looked through, and how many were given up.
pub(crate) fn windows_left(namespace: &Namespace) -> Result<(u64, u64), Failure> {
    let windows = namespace
        .queue()
        .list(usize::MAX)?
        .into_iter()
        .filter(|task| task.kind == "extract");
    let (given_up, waiting): (Vec<_>, Vec<_>) =
        windows.partition(|task| task.state == QueueState::Dead);
    Ok((card::number(waiting.len()), card::number(given_up.len())))
}

/// Says how many they are.
pub(crate) fn tell_left(
    (waiting, given_up): (u64, u64),
    app: &mut App<'_, '_>,
) -> Result<(), Failure> {
    if waiting > 0 {
        let count = text!("common-windows", count = waiting);
        app.note(&text!("common-not-looked-through", count))?;
    }
    if given_up > 0 {
        let count = text!("common-windows", count = given_up);
        app.note(&text!("common-given-up", count))?;
    }
    Ok(())
}

/// Failures other than those of extraction.
pub(crate) fn other_failures(counts: &BTreeMap<String, u64>) -> Option<String> {
    let failed = |(word, count): (&String, &u64)| {
        let work = word.strip_suffix(" failed")?;
        let told = found(&format!("jobs-count-{work}-failed"), &[("count", count)]);
        Some(told.unwrap_or_else(|| format!("{work} {count}")))
    };
    let failed: Vec<String> = counts
        .iter()
        .filter(|(_, count)| **count > 0)
        .filter_map(failed)
        .collect();
    let told = || {
        text!(
            "common-tried-later",
            failed = failed.join(&text!("common-comma"))
        )
    };
    (!failed.is_empty()).then(told)
}

/// Background work of all namespaces that failed or was given up, in words; `None` where there is
/// none.
pub(crate) fn troubles(memory: &Memory) -> Result<Option<String>, Failure> {
    let (mut failed, mut given_up, mut since) = (0_u64, 0_u64, None);
    for namespace in memory.namespaces()? {
        for task in memory
            .namespace(namespace.name.as_str())?
            .queue()
            .list(usize::MAX)?
        {
            match task.state {
                QueueState::Dead => given_up += 1,
                QueueState::Waiting if !task.last_error.is_empty() => failed += 1,
                _ => continue,
            }
            since =
                Some(since.map_or(task.queued_at, |since: Timestamp| since.min(task.queued_at)));
        }
    }
    let told = |since| {
        text!(
            "common-troubles",
            given_up,
            failed,
            since = card::minute(since)
        )
    };
    Ok(since.map(told))
}
