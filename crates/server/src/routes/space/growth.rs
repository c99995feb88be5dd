//! How a namespace grew.

use annals::{Filter, ListQuery, Status, TimeRange, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::auth::{Read, Space};
use crate::extract::{Json, Query};
use crate::problem::{Kind, Problem};

/// Pieces of time, at most.
const MOST: u32 = 120;
const DAY_MILLIS: i64 = 86_400_000;

/// Which time, and in which steps.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct GrowthParams {
    /// How many pieces of equal length; 30 without it.
    #[param(minimum = 1, maximum = 120)]
    steps: Option<u32>,
}

/// How many memories there were of each piece of time.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Growth {
    /// The pieces, the oldest first; none where nothing is remembered.
    steps: Vec<GrowthStep>,
}

/// A piece of time.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct GrowthStep {
    /// The beginning of the period.
    #[schema(value_type = String, format = DateTime)]
    from: Timestamp,
    /// The end of the period, which is the beginning of the next one.
    #[schema(value_type = String, format = DateTime)]
    to: Timestamp,
    /// Memories of any status that are there and happened in it, or were stored in it where
    /// nothing is known of when they happened.
    memories: u64,
}

/// How many memories are of which time.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/growth", tag = "namespaces",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace"), GrowthParams),
    responses((status = 200, body = Growth))
)]
pub(crate) async fn growth(
    space: Space<Read>,
    Query(params): Query<GrowthParams>,
) -> Result<Json<Growth>, Problem> {
    let steps = params.steps.unwrap_or(30);
    if !(1..=MOST).contains(&steps) {
        return Err(
            Problem::new(Kind::BadQuery, format!("there are 1 to {MOST} steps")).at("steps"),
        );
    }
    let steps = space.run(move |space| {
        let all = |time: TimeRange| -> Result<u64, Problem> {
            let filter = Filter {
                statuses: Status::ALL.to_vec(),
                time,
                ..Filter::default()
            };
            Ok(space
                .list(&ListQuery {
                    filter,
                    limit: 1,
                    past: true,
                    ..ListQuery::default()
                })?
                .total)
        };
        let Some((first, last)) = ends(&all)? else {
            return Ok(Vec::new());
        };
        let steps = i64::from(steps);
        let wide = (last - first + steps) / steps;
        let mut found = Vec::new();
        let mut day = first;
        while day <= last {
            let (from, to) = (start_of(day), start_of(day + wide));
            // Nothing comes after the last moment that there is, which is inside then.
            let end = Some(to).filter(|to| *to < Timestamp::MAX);
            let memories = all(TimeRange::new(Some(from), end)?)?;
            found.push(GrowthStep { from, to, memories });
            day += wide;
        }
        Ok(found)
    });
    Ok(Json(Growth {
        steps: steps.await?,
    }))
}

/// The beginning of a day, counted from that of 1970-01-01.
fn start_of(day: i64) -> Timestamp {
    Timestamp::from_millis(day.saturating_mul(DAY_MILLIS))
}

/// The first and the last day of any memory, whenever that was: by halving the time that there is.
fn ends(count: &dyn Fn(TimeRange) -> Result<u64, Problem>) -> Result<Option<(i64, i64)>, Problem> {
    let day_of = |moment: Timestamp| moment.as_millis().div_euclid(DAY_MILLIS);
    if count(TimeRange::default())? == 0 {
        return Ok(None);
    }
    let is_any_until = |day: i64| -> Result<bool, Problem> {
        Ok(count(TimeRange::new(None, Some(start_of(day + 1)))?)? > 0)
    };
    let is_none_after = |day: i64| -> Result<bool, Problem> {
        Ok(count(TimeRange::new(Some(start_of(day + 1)), None)?)? == 0)
    };
    let first = first_day(day_of(Timestamp::MIN), day_of(Timestamp::MAX), is_any_until)?;
    let last = first_day(first, day_of(Timestamp::MAX), is_none_after)?;
    Ok(Some((first, last)))
}

/// The first day of which something holds that holds of all later ones; `high` where it holds of
/// none before.
fn first_day(
    mut low: i64,
    mut high: i64,
    holds: impl Fn(i64) -> Result<bool, Problem>,
) -> Result<i64, Problem> {
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle)? {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Ok(low)
}
