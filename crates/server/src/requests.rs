//! Requests that are sent twice and carried out once: what `Idempotency-Key` names.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use annals::Timestamp;
use annals::storage::RequestId;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use parking_lot::Mutex;

use crate::app::App;
use crate::auth::{Caller, Digest};
use crate::problem::{Kind, Problem};

const HEADER: &str = "idempotency-key";

/// The characters of a key.
const LONGEST: usize = 200;

/// For how long a key is known; the marks of the storage are kept for as long.
const LIFE: Duration = Duration::from_secs(24 * 60 * 60);

const DAY_MILLIS: i64 = 24 * 60 * 60 * 1000;

/// Keys at once; the oldest make room, and are known by the marks of the storage alone then.
const MOST: usize = 10_000;

/// The key of a request, with all that it must be the same for.
#[derive(Debug, Clone)]
pub(crate) struct Once(Option<Key>);

#[derive(Debug, Clone)]
struct Key {
    /// Whose key it is.
    name: Digest,
    /// The call.
    call: String,
}

impl FromRequestParts<Arc<App>> for Once {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, Problem> {
        let mut values = parts.headers.get_all(HEADER).iter();
        let Some(value) = values.next() else {
            return Ok(Self(None));
        };
        let text = value
            .to_str()
            .ok()
            .filter(|text| !text.is_empty() && text.len() <= LONGEST);
        let Some(text) = text.filter(|_| values.next().is_none()) else {
            let why =
                format!("an idempotency key has 1 to {LONGEST} visible characters, and comes once");
            return Err(Problem::new(Kind::BadHeader, why).at("Idempotency-Key"));
        };
        let caller = Caller::of(parts)?;
        let name = Digest::of(&format!("{}\n{text}", caller.name()));
        Ok(Self(Some(Key {
            name,
            call: format!("{} {}", parts.method, parts.uri),
        })))
    }
}

/// Keys that were seen.
#[derive(Debug, Default)]
pub(crate) struct Requests(Mutex<BTreeMap<[u8; 32], Seen>>);

#[derive(Debug, Clone, Copy)]
struct Seen {
    request: RequestId,
    /// The call and its body.
    content: Digest,
    at: Timestamp,
    done: bool,
}

/// A request that has a key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known {
    pub(crate) request: RequestId,
    /// Whether it was carried out before.
    pub(crate) done: bool,
    name: [u8; 32],
}

impl Requests {
    /// The request that a key names; none without a key.
    pub(crate) fn begin(
        &self,
        once: &Once,
        body: &Digest,
        now: Timestamp,
    ) -> Result<Option<Known>, Problem> {
        let Some(key) = &once.0 else { return Ok(None) };
        let name = *key.name.as_bytes();
        let content = Digest::of_bytes(&[key.call.as_bytes(), b"\n", body.as_bytes()].concat());
        let mut all = self.0.lock();
        let life = i64::try_from(LIFE.as_millis()).unwrap_or(i64::MAX);
        all.retain(|_, seen| now.millis_since(seen.at) < life);
        if let Some(seen) = all.get(&name) {
            if !seen.content.matches(&content) {
                return Err(Problem::of(Kind::KeyReused));
            }
            return Ok(Some(Known {
                request: seen.request,
                done: seen.done,
                name,
            }));
        }
        if all.len() >= MOST
            && let Some(oldest) = all
                .iter()
                .min_by_key(|(_, seen)| seen.at)
                .map(|(name, _)| *name)
        {
            all.remove(&oldest);
        }
        let request = request_id(
            &Digest::of_bytes(&[name.as_slice(), content.as_bytes()].concat()),
            now,
        );
        all.insert(
            name,
            Seen {
                request,
                content,
                at: now,
                done: false,
            },
        );
        Ok(Some(Known {
            request,
            done: false,
            name,
        }))
    }

    /// Notes that a request was carried out.
    pub(crate) fn finish(&self, known: &Known) {
        if let Some(seen) = self.0.lock().get_mut(&known.name) {
            seen.done = true;
        }
    }
}

/// The same name for the same request of a day, also after the server was started again. Its first
/// bytes are the beginning of the day, since names of later requests sort later.
fn request_id(digest: &Digest, now: Timestamp) -> RequestId {
    let day = now.as_millis().div_euclid(DAY_MILLIS) * DAY_MILLIS;
    let [_, _, moment @ ..] = day.to_be_bytes();
    let mut bytes = [0; 16];
    for (place, byte) in bytes.iter_mut().zip(moment.iter().chain(digest.as_bytes())) {
        *place = *byte;
    }
    RequestId::from_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn once(key: &str, call: &str) -> Once {
        Once(Some(Key {
            name: Digest::of(key),
            call: call.to_owned(),
        }))
    }

    #[test]
    fn a_key_names_one_request_and_no_other() {
        let (requests, now) = (
            Requests::default(),
            Timestamp::from_millis(1_800_000_000_000),
        );
        let body = Digest::of("{}");
        let first = requests
            .begin(&once("k", "POST /a"), &body, now)
            .unwrap()
            .unwrap();
        assert!(!first.done);
        requests.finish(&first);
        let again = requests
            .begin(&once("k", "POST /a"), &body, now)
            .unwrap()
            .unwrap();
        assert!(again.done && again.request == first.request);
        let other = requests
            .begin(&once("k", "POST /b"), &body, now)
            .unwrap_err();
        assert_eq!(other.kind(), Kind::KeyReused);
        let changed = requests
            .begin(&once("k", "POST /a"), &Digest::of("{} "), now)
            .unwrap_err();
        assert_eq!(changed.kind(), Kind::KeyReused);
        assert!(requests.begin(&Once(None), &body, now).unwrap().is_none());
    }

    #[test]
    fn a_request_has_the_same_name_after_a_restart_and_later_ones_sort_later() {
        let now = Timestamp::from_millis(1_800_000_000_000);
        let name = |key: &str, now| {
            Requests::default()
                .begin(&once(key, "POST /a"), &Digest::of("{}"), now)
                .unwrap()
                .unwrap()
                .request
        };
        assert_eq!(name("k", now), name("k", now.plus_millis(1000)));
        assert_ne!(name("k", now), name("j", now));
        assert!(name("j", now) < name("k", now.plus_millis(DAY_MILLIS)));
    }
}
