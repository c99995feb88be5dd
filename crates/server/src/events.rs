//! What happens in a namespace, as it happens: server-sent events out of the log of the file.
//!
//! Each subscriber reads the log itself, from a place of its own. A slow one lags behind and misses
//! nothing: the log is the buffer. It holds no texts, so each event is joined with the memory as it
//! is when the event is sent.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use annals::Event;
use annals::blocking::Namespace;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use http_body_util::BodyExt as _;
use http_body_util::channel::{Channel, Sender};
use tokio::time::Instant;

use crate::app::App;
use crate::auth::{Caller, Watched};
use crate::problem::{Kind, Problem};

/// The subscribers of a server at once.
const MOST: usize = 64;

/// How often the log is looked at.
const PAUSE: Duration = Duration::from_millis(200);

/// How long a stream is silent at most.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// How long a client may take no event.
const PATIENCE: Duration = Duration::from_secs(60);

/// The events that are read at once.
const BATCH: usize = 64;

/// The events that wait for a client to take them, beside those of the log.
const WAITING: usize = 16;

/// The subscribers that there are.
#[derive(Debug, Default)]
pub(crate) struct Subscribers(Arc<AtomicUsize>);

/// The place of a subscriber.
#[derive(Debug)]
struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Subscribers {
    fn enter(&self) -> Result<Place, Problem> {
        if self.0.fetch_add(1, Ordering::Relaxed) < MOST {
            return Ok(Place(Arc::clone(&self.0)));
        }
        self.0.fetch_sub(1, Ordering::Relaxed);
        Err(Problem::new(
            Kind::Busy,
            format!("{MOST} clients follow events, which is the limit"),
        )
        .after(HEARTBEAT))
    }
}

/// What an event is sent as: the JSON of its data, made of the event and the namespace where it
/// happened.
pub(crate) type Render = fn(&Namespace, &Event) -> Result<String, Problem>;

/// The place in the log from which a client wants to go on: behind the event that it saw last.
pub(crate) fn last_seen(headers: &HeaderMap) -> Result<Option<u64>, Problem> {
    let Some(value) = headers.get("last-event-id") else {
        return Ok(None);
    };
    let number = value
        .to_str()
        .ok()
        .and_then(|text| text.trim().parse().ok());
    let bad = || {
        Problem::new(Kind::BadHeader, "Last-Event-ID is the number of an event").at("Last-Event-ID")
    };
    number.map(Some).ok_or_else(bad)
}

/// A stream of the events of a namespace: those behind `seen`, or those from now on.
pub(crate) async fn follow(
    app: Arc<App>,
    caller: Arc<Caller>,
    space: Namespace,
    seen: Option<u64>,
    render: Render,
) -> Result<Response, Problem> {
    let place = app.subscribers.enter()?;
    let log = space.clone();
    let end = app.run(move || end_of(&log)).await?;
    let (sender, body) = Channel::<Bytes, Infallible>::new(WAITING);
    let mut stream = Stream {
        watched: Watched::new(Arc::clone(&app), caller),
        app,
        space,
        render,
        sender,
        _place: place,
    };
    tokio::spawn(async move {
        let next = match seen {
            // The log is shorter than what the client saw: it was of another file.
            Some(seen) if seen >= end => stream.gap(end, seen).await,
            // It is below the end, so that there is one behind it.
            Some(seen) => Some(seen + 1),
            None => Some(end),
        };
        if let Some(next) = next {
            stream.run(next).await;
        }
    });
    // The compressing layer asks again after the end, which the channel does not stand.
    let mut response = Response::new(Body::new(body.fuse()));
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/event-stream"),
    );
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

struct Stream {
    app: Arc<App>,
    watched: Watched,
    space: Namespace,
    render: Render,
    sender: Sender<Bytes, Infallible>,
    _place: Place,
}

impl Stream {
    /// Says that events are missing, and where the stream goes on.
    async fn gap(&mut self, end: u64, seen: u64) -> Option<u64> {
        if seen.checked_add(1) == Some(end) {
            return Some(end);
        }
        let text = format!("event: gap\ndata: {{\"next\":{end}}}\n\n");
        self.send(text).await.then_some(end)
    }

    /// Sends events until the client goes, the server ends, or the caller may not see them any
    /// more.
    async fn run(&mut self, mut next: u64) {
        // What was said so far is passed on at once.
        if !self.send(": here\n\n".to_owned()).await {
            return;
        }
        let mut last = Instant::now();
        loop {
            if !self.watched.may_go_on() {
                return;
            }
            let (space, render, from) = (self.space.clone(), self.render, next);
            let read = self.app.run(move || texts(&space, from, render)).await;
            let found = match read {
                Ok(found) => found,
                // Busy for the moment: the log keeps what happens meanwhile.
                Err(problem) if problem.is_passing() => Vec::new(),
                Err(_) => return,
            };
            let is_empty = found.is_empty();
            for (seq, text) in found {
                if !self.send(text).await {
                    return;
                }
                (next, last) = (seq + 1, Instant::now());
            }
            if last.elapsed() >= HEARTBEAT {
                if !self.send(": here\n\n".to_owned()).await {
                    return;
                }
                last = Instant::now();
            }
            if is_empty {
                tokio::select! {
                    () = tokio::time::sleep(PAUSE) => {}
                    () = self.app.ending.cancelled() => return,
                }
            }
        }
    }

    /// Sends a text; answers whether the client took it.
    async fn send(&mut self, text: String) -> bool {
        let sent = tokio::time::timeout(PATIENCE, self.sender.send_data(Bytes::from(text)));
        tokio::select! {
            sent = sent => matches!(sent, Ok(Ok(()))),
            () = self.app.ending.cancelled() => false,
        }
    }
}

/// The events of the log from a number on, as they are sent.
fn texts(space: &Namespace, from: u64, render: Render) -> Result<Vec<(u64, String)>, Problem> {
    let events = space.admin().events(from, BATCH)?;
    let text = |event: Event| {
        let data = render(space, &event)?;
        Ok((
            event.seq,
            format!(
                "id: {}\nevent: {}\ndata: {data}\n\n",
                event.seq,
                event.name()
            ),
        ))
    };
    events.into_iter().map(text).collect()
}

/// The number that the next event of a namespace will have.
pub(crate) fn end_of(space: &Namespace) -> Result<u64, Problem> {
    let is_there = |number: u64| -> Result<bool, Problem> {
        Ok(space
            .admin()
            .events(number, 1)?
            .first()
            .is_some_and(|event| event.seq >= number))
    };
    if !is_there(0)? {
        return Ok(0);
    }
    // The last event that is there, and one that is not: numbers have no gaps.
    let (mut there, mut absent) = (0, 1);
    while is_there(absent)? {
        (there, absent) = (absent, absent.saturating_mul(2));
    }
    while absent - there > 1 {
        let middle = there + (absent - there) / 2;
        if is_there(middle)? {
            there = middle
        } else {
            absent = middle
        }
    }
    Ok(absent)
}
