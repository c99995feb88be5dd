//! Connections: how many there may be, and for how long one may be without a request.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::limits::Limits;
use crate::patient::Patient;
use crate::problem::{Kind, Problem};

/// How long requests that are under way may take once the server is told to end.
const GRACE: Duration = Duration::from_secs(3);

/// The pause after a connection could not be accepted: whatever is lacking comes back when a client goes.
const PAUSE: Duration = Duration::from_millis(50);

/// How long a client that is turned away may take to read why.
const FAREWELL: Duration = Duration::from_secs(1);

/// How many clients are told at once why they are turned away. Further ones find their connection closed.
const FAREWELLS: usize = 32;

/// The bytes of the head of a request.
const HEAD_BYTES: usize = 32 << 10;

/// The headers of a request.
const HEADERS: usize = 64;

/// Serves connections until `ending` is cancelled.
pub(crate) async fn serve(socket: TcpListener, router: Router, limits: &Limits, ending: CancellationToken) {
    let places = Arc::new(Semaphore::new(limits.connections));
    let farewells = Arc::new(Semaphore::new(FAREWELLS));
    let mut tasks = JoinSet::new();
    loop {
        let stream = tokio::select! {
            () = ending.cancelled() => break,
            Some(_) = tasks.join_next(), if !tasks.is_empty() => continue,
            accepted = socket.accept() => accepted.map(|(stream, _)| stream),
        };
        let stream = match stream {
            Ok(stream) => stream,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        match Arc::clone(&places).try_acquire_owned() {
            Ok(place) => {
                let stream = Patient::new(stream, limits.answer);
                let connection = connection(stream, router.clone(), limits.head, ending.clone());
                tasks.spawn(async move {
                    connection.await;
                    drop(place);
                });
            }
            Err(_) => {
                let Ok(place) = Arc::clone(&farewells).try_acquire_owned() else { continue };
                let most = limits.connections;
                tasks.spawn(async move {
                    turn_away(stream, most).await;
                    drop(place);
                });
            }
        }
    }
    // A client that never finishes its request keeps nobody waiting.
    let rest = async { while tasks.join_next().await.is_some() {} };
    if tokio::time::timeout(GRACE, rest).await.is_err() {
        tracing::debug!("requests that were under way are given up");
    }
}

/// Serves a connection until one of both sides ends it.
async fn connection(stream: Patient, router: Router, head: Duration, ending: CancellationToken) {
    let service = TowerToHyperService::new(router);
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(head).max_buf_size(HEAD_BYTES).max_headers(HEADERS);
    let mut connection = pin!(server.serve_connection(TokioIo::new(stream), service));
    let served = tokio::select! {
        served = connection.as_mut() => served,
        () = ending.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = served {
        tracing::debug!(%error, "a connection ended");
    }
}

/// Tells a client why it is not served.
async fn turn_away(mut stream: TcpStream, most: usize) {
    let why = Problem::new(Kind::Crowded, format!("{most} connections are open, which is the limit")).text();
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\nContent-Length: {}\r\n\
         Retry-After: 5\r\nConnection: close\r\n\r\n{why}",
        why.len()
    );
    let told = async {
        stream.write_all(answer.as_bytes()).await?;
        stream.shutdown().await?;
        // A connection that is closed before its request was read is reset, and the answer with it.
        let mut request = [0; 1024];
        while stream.read(&mut request).await? > 0 {}
        Ok::<_, std::io::Error>(())
    };
    if !matches!(tokio::time::timeout(FAREWELL, told).await, Ok(Ok(()))) {
        tracing::debug!("a client that was turned away did not hear why");
    }
}
