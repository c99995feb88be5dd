//! Connections: how many there may be, and for how long one may be without a request.

use std::fs::File;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::patient::Patient;
use crate::places::{Place, Places, Proof};
use crate::{Farewell, Limits};

/// How long requests that are under way may take once the server is told to end.
const GRACE: Duration = Duration::from_secs(3);

/// The pause after a connection could not be accepted: whatever is lacking comes back when a client
/// goes.
const PAUSE: Duration = Duration::from_millis(50);

/// How long a client that is turned away may take to read why.
const FAREWELL: Duration = Duration::from_secs(1);

/// How many clients are told at once why they are turned away. Further ones find their connection
/// closed.
const FAREWELLS: usize = 32;

/// The bytes of the head of a request.
const HEAD_BYTES: usize = 32 << 10;

/// The headers of a request.
const HEADERS: usize = 64;

/// Serves connections until `ending` is cancelled; then requests that are under way have three
/// seconds. A router that asks for a token cancels the [`Proof`] among the extensions of a request
/// that has brought one.
pub async fn serve(
    socket: TcpListener,
    router: Router,
    limits: Limits,
    farewell: Farewell,
    ending: CancellationToken,
) {
    let places = Places::new(&limits);
    let farewells = Arc::new(Semaphore::new(FAREWELLS));
    let mut spare = Spare::new();
    let mut tasks = JoinSet::new();
    loop {
        let stream = tokio::select! {
            () = ending.cancelled() => break,
            Some(_) = tasks.join_next(), if !tasks.is_empty() => continue,
            accepted = socket.accept() => accepted.map(|(stream, _)| stream),
        };
        match stream {
            Ok(stream) => match places.take(&stream) {
                Some(place) => {
                    let stream = Patient::new(stream, limits.answer);
                    tasks.spawn(connection(
                        (stream, place),
                        router.clone(),
                        limits,
                        ending.clone(),
                    ));
                }
                None => {
                    let Ok(place) = Arc::clone(&farewells).try_acquire_owned() else {
                        continue;
                    };
                    let farewell = farewell.clone();
                    tasks.spawn(async move {
                        let why = format!(
                            "{} connections are open, which is the limit",
                            limits.connections
                        );
                        turn_away(stream, &farewell, &why).await;
                        drop(place);
                    });
                }
            },
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                if let Some(stream) = spare.accept(&socket).await {
                    turn_away(
                        stream,
                        &farewell,
                        "this server can open no more connections",
                    )
                    .await;
                }
                tokio::time::sleep(PAUSE).await;
                spare.keep();
            }
        }
    }
    // A client that never finishes its request keeps nobody waiting.
    let rest = async { while tasks.join_next().await.is_some() {} };
    if tokio::time::timeout(GRACE, rest).await.is_err() {
        tracing::debug!("requests that were under way are given up");
    }
}

/// Serves a connection until one of both sides ends it, or it has not brought the token in time.
async fn connection(
    (stream, mut place): (Patient, Place),
    router: Router,
    limits: Limits,
    ending: CancellationToken,
) {
    let proof = Proof::new();
    let service = TowerToHyperService::new(router.layer(Extension(proof.clone())));
    let mut server = http1::Builder::new();
    server
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_buf_size(HEAD_BYTES)
        .max_headers(HEADERS);
    let mut connection = pin!(server.serve_connection(TokioIo::new(stream), service));
    let mut late = pin!(tokio::time::sleep(limits.proof));
    let served = loop {
        tokio::select! {
            served = connection.as_mut() => break served,
            () = ending.cancelled() => {
                connection.as_mut().graceful_shutdown();
                break connection.await;
            }
            () = proof.cancelled(), if place.is_newcomer() => match place.prove() {
                Some(served) => place = served,
                // The request that is under way is answered, and no other one.
                None => {
                    connection.as_mut().graceful_shutdown();
                    break connection.await;
                }
            },
            () = late.as_mut(), if place.is_newcomer() => return tracing::debug!("a client brought no token in time"),
        }
    };
    if let Err(error) = served {
        tracing::debug!(%error, "a connection ended");
    }
}

/// Tells a client why it is not served.
async fn turn_away(mut stream: TcpStream, farewell: &Farewell, why: &str) {
    let body = (farewell.body)(why);
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: {}\r\nContent-Length: {}\r\n\
         Retry-After: 5\r\nConnection: close\r\n\r\n{body}",
        farewell.content_type,
        body.len()
    );
    let told = async {
        stream.write_all(answer.as_bytes()).await?;
        stream.shutdown().await?;
        // A connection that is closed before its request was read is reset, and the answer with it.
        let mut request = [0; 1024];
        while stream.read(&mut request).await? > 0 {}
        Ok::<_, io::Error>(())
    };
    if !matches!(tokio::time::timeout(FAREWELL, told).await, Ok(Ok(()))) {
        tracing::debug!("a client that was turned away did not hear why");
    }
}

/// A descriptor that is given up where there is no other, to tell a client so.
struct Spare(Option<File>);

impl Spare {
    fn new() -> Self {
        let mut spare = Self(None);
        spare.keep();
        spare
    }

    fn keep(&mut self) {
        if self.0.is_none() {
            self.0 = std::env::current_exe().and_then(File::open).ok();
        }
    }

    /// A connection that waits, in the place of the descriptor.
    async fn accept(&mut self, socket: &TcpListener) -> Option<TcpStream> {
        self.0.take()?;
        let waiting = tokio::time::timeout(PAUSE, socket.accept()).await;
        Some(waiting.ok()?.ok()?.0)
    }
}
