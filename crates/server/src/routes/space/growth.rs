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
pub(crate) async fn growth(space: Space<Read>, Query(params): Query<GrowthParams>) -> Result<Json<Growth>, Problem> {
    let steps = params.steps.unwrap_or(30);
    if !(1..=MOST).contains(&steps) {
        return Err(Problem::new(Kind::BadQuery, format!("there are 1 to {MOST} steps")).at("steps"));
    }
    let steps = space.run(move |space| {
        let all = |time: TimeRange| -> Result<u64, Problem> {
            let filter = Filter { statuses: Status::ALL.to_vec(), time, ..Filter::default() };
            Ok(space.list(&ListQuery { filter, limit: 1, past: true, ..ListQuery::default() })?.total)
        };
        let Some((first, last)) = ends(&all)? else { return Ok(Vec::new()) };
        // Whole days.
        let wide = ((last - first) / i64::from(steps) / DAY_MILLIS + 1) * DAY_MILLIS;
        let mut found = Vec::new();
        let mut from = first.div_euclid(DAY_MILLIS) * DAY_MILLIS;
        while from <= last {
            let (begin, end) = (Timestamp::from_millis(from), Timestamp::from_millis(from + wide));
            let memories = all(TimeRange::new(Some(begin), Some(end))?)?;
            found.push(GrowthStep { from: begin, to: end, memories });
            from += wide;
        }
        Ok(found)
    });
    Ok(Json(Growth { steps: steps.await? }))
}

/// The first and the last moment of any memory, by halving the time in which there are some: to the day.
fn ends(count: &dyn Fn(TimeRange) -> Result<u64, Problem>) -> Result<Option<(i64, i64)>, Problem> {
    const YEAR_1900: i64 = -2_208_988_800_000;
    const YEAR_2200: i64 = 7_258_118_400_000;
    let before =
        |moment: i64| -> Result<u64, Problem> { count(TimeRange::new(None, Some(Timestamp::from_millis(moment)))?) };
    let total = count(TimeRange::default())?;
    if total == 0 {
        return Ok(None);
    }
    // The latest moment before which fewer than `wanted` are.
    let search = |wanted: u64| -> Result<i64, Problem> {
        let (mut low, mut high) = (YEAR_1900, YEAR_2200);
        while high - low > DAY_MILLIS / 24 {
            let middle = low + (high - low) / 2;
            if before(middle)? < wanted {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok(low)
    };
    Ok(Some((search(1)?, search(total)?)))
}
