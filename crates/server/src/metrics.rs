//! What the server did, in numbers: no name of a namespace, no id, no text.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use parking_lot::Mutex;

use crate::app::App;

/// Requests by method, route and status.
#[derive(Debug, Default)]
pub(crate) struct Metrics(Mutex<BTreeMap<(String, String, u16), Count>>);

#[derive(Debug, Default, Clone, Copy)]
struct Count {
    requests: u64,
    time: Duration,
}

impl Metrics {
    fn note(&self, method: String, route: String, status: u16, took: Duration) {
        let mut all = self.0.lock();
        let count = all.entry((method, route, status)).or_default();
        count.requests += 1;
        count.time += took;
    }

    /// In the text form of Prometheus.
    pub(crate) fn text(&self) -> String {
        let all = self.0.lock();
        let mut text = String::from("# TYPE annals_http_requests_total counter\n");
        for ((method, route, status), count) in all.iter() {
            // Writing to a text does not fail.
            let _written = writeln!(
                text,
                "annals_http_requests_total{{method=\"{method}\",route=\"{route}\",status=\"{status}\"}} {}",
                count.requests
            );
        }
        text.push_str("# TYPE annals_http_request_seconds_total counter\n");
        for ((method, route, status), count) in all.iter() {
            let _written = writeln!(
                text,
                "annals_http_request_seconds_total{{method=\"{method}\",route=\"{route}\",status=\"{status}\"}} {:.6}",
                count.time.as_secs_f64()
            );
        }
        text
    }
}

/// Counts a request, and logs it by its route: the path itself may name a person.
pub(crate) async fn measure(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let begin = Instant::now();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or("none", MatchedPath::as_str)
        .to_owned();
    let method = match request.method().as_str() {
        known @ ("GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS") => {
            known.to_owned()
        }
        _ => "other".to_owned(),
    };
    let response = next.run(request).await;
    let (status, took) = (response.status().as_u16(), begin.elapsed());
    tracing::debug!(%method, %route, status, ms = took.as_secs_f64() * 1000.0, "answered");
    app.metrics.note(method, route, status, took);
    response
}
