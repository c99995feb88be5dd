//! The settings file of the design that the profile `graph` runs, `memory_graph.toml`: thirteen
//! values in three sections, each of which sets one of the profile.

use annals_types::profile::{BadProfile, ConflictStrategy, JobStep, Profile, RecallMode};
use toml::{Table, Value};

use crate::Error;
use crate::profiles::{builtin, parse, place, toml_wording};

/// The sections by which such a file is known; no profile has them.
const SECTIONS: [&str; 3] = ["consolidation", "retrieval", "node_merger"];

/// Whether a text is such a file.
pub(super) fn is(text: &str) -> bool {
    toml::from_str::<Table>(text)
        .is_ok_and(|table| SECTIONS.iter().any(|section| table.contains_key(*section)))
}

/// The profile `graph` with the values of such a file.
pub(super) fn read(text: &str) -> Result<Profile, Error> {
    Ok(apply(text)?.0)
}

/// The keys of such a file that set nothing.
pub(super) fn unknown(text: &str) -> Vec<BadProfile> {
    if is(text) {
        apply(text).map(|(_, unknown)| unknown).unwrap_or_default()
    } else {
        Vec::new()
    }
}

fn apply(text: &str) -> Result<(Profile, Vec<BadProfile>), Error> {
    let table: Table = toml::from_str(text).map_err(|error| {
        Error::bad_profile(None, error.message(), toml_wording(error.message()))
    })?;
    let base =
        builtin("graph").ok_or_else(|| Error::internal("the profile graph does not come along"))?;
    let (mut profile, mut unknown) = (parse(base)?, Vec::new());
    for (section, values) in &table {
        let Value::Table(values) = values else {
            unknown.push(BadProfile::new(
                section.clone(),
                "it is not known here and sets nothing".to_owned(),
            ));
            continue;
        };
        for (key, value) in values {
            let known = set(&mut profile, section, key, value);
            let known = known.map_err(|reason| {
                let bad = BadProfile::new(format!("{section}.{key}"), reason);
                let wording = bad.wording();
                Error::bad_profile(place(text, &bad), bad, wording)
            })?;
            if !known {
                let reason = "it is not known here and sets nothing".to_owned();
                unknown.push(BadProfile::new(format!("{section}.{key}"), reason));
            }
        }
    }
    Ok((profile, unknown))
}

/// Sets one value; answers whether there is such a key.
fn set(profile: &mut Profile, section: &str, key: &str, value: &Value) -> Result<bool, String> {
    let (recall, merge) = (&mut profile.recall, &mut profile.graph.merge);
    match (section, key) {
        ("retrieval", "default_mode") => recall.expand.mode = mode(value)?,
        ("retrieval", "max_expand_depth") => profile.graph.expand.max_depth = count(value)?,
        ("retrieval", "vector_weight") => recall.weights.dense = single(value)?,
        ("retrieval", "graph_distance_weight") => recall.weights.graph = single(value)?,
        ("retrieval", "importance_weight") => recall.weights.importance = single(value)?,
        ("retrieval", "recency_weight") => recall.weights.recency = single(value)?,
        ("node_merger", "similarity_threshold") => merge.context_above = number(value)?,
        ("node_merger", "context_match_required") => merge.context_required = flag(value)?,
        ("node_merger", "merge_batch_size") => merge.embed_batch = count(value)?,
        ("consolidation", "enable_auto_discovery") => {
            profile.graph.discovery.enabled = flag(value)?
        }
        ("consolidation", "enable_conflict_detection") => {
            profile.conflict.strategy = if flag(value)? {
                ConflictStrategy::Mark
            } else {
                ConflictStrategy::None
            };
        }
        ("consolidation", "interval_hours" | "batch_size") => {
            for job in profile
                .jobs
                .iter_mut()
                .filter(|job| job.steps.contains(&JobStep::Consolidate))
            {
                match key {
                    "batch_size" => job.batch = count(value)?,
                    _ => job.interval_hours = Some(number(value)?),
                }
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn mode(value: &Value) -> Result<RecallMode, String> {
    let word = value
        .as_str()
        .ok_or("it must be a word: auto, fast or deep")?;
    word.parse()
        .map_err(|error: annals_types::InvalidValue| error.to_string())
}

fn flag(value: &Value) -> Result<bool, String> {
    value
        .as_bool()
        .ok_or_else(|| "it must be true or false".to_owned())
}

fn count(value: &Value) -> Result<u32, String> {
    let whole = value
        .as_integer()
        .and_then(|whole| u32::try_from(whole).ok());
    whole.ok_or_else(|| "it must be a whole number from 0 on".to_owned())
}

#[expect(clippy::cast_precision_loss, reason = "settings are far below 2^52")]
fn number(value: &Value) -> Result<f64, String> {
    let number = value
        .as_float()
        .or_else(|| value.as_integer().map(|whole| whole as f64));
    number
        .filter(|number| number.is_finite())
        .ok_or_else(|| "it must be a number".to_owned())
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "weights are kept in single precision"
)]
fn single(value: &Value) -> Result<f32, String> {
    Ok(number(value)? as f32)
}
