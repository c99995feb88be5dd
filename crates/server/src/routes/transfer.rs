//! Imports and exports as streams of lines.

use std::io::{self, BufReader, Read, Write as _};
use std::sync::Arc;
use std::time::Duration;

use annals::{ImportFormat, ImportOptions, OnBad, Wording};
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use http_body_util::BodyExt as _;
use http_body_util::channel::{Channel, Sender};
use tokio::runtime::Handle;

use crate::app::App;
use crate::auth::{Admin, Space, Watched, Write};
use crate::dto::{ImportParams, Imported, LineFormat};
use crate::extract::{Json, Query};
use crate::problem::{Kind, Problem};

/// The media type of lines of JSON.
const LINES: &str = "application/x-ndjson";

/// The pieces of an export that wait for the client.
const WAITING: usize = 4;

/// The bytes of a piece.
const PIECE: usize = 64 << 10;

/// What is said of a stream whose token or session ended before it.
const REVOKED: &str = "the token or the session has ended meanwhile";

/// How long a client may take no piece of an export.
const PATIENCE: Duration = Duration::from_secs(60);

/// Everything of the namespace, a JSON object a line: history, graph and decisions included. A
/// stream that ends before its end was cut off by an error.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/export", tag = "transfer",
    security(("token" = ["admin"]), ("session" = ["admin"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    responses((status = 200, body = String, content_type = "application/x-ndjson"))
)]
pub(crate) async fn export(space: Space<Admin>) -> Result<Response, Problem> {
    let watched = Watched::new(Arc::clone(&space.app), space.caller);
    let (app, space) = (space.app, space.space);
    let turn = app.begin_stream()?;
    let there = space.clone();
    app.run(move || Ok(there.admin().stats()?)).await?;
    let (sender, body) = Channel::<Bytes, io::Error>::new(WAITING);
    let handle = Handle::current();
    let _running = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let mut out = BodyWriter {
            sender,
            handle,
            watched,
            piece: Vec::with_capacity(PIECE),
        };
        let exported = space.transfer().export(&mut out, &mut |_| {});
        let ended = exported.map_err(io::Error::other).and_then(|_| out.flush());
        if let Err(error) = ended {
            tracing::warn!(%error, "an export was cut off");
            out.sender.abort(error);
        }
    });
    // The compressing layer asks again after the end, which the channel does not stand.
    let mut response = Response::new(Body::new(body.fuse()));
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static(LINES));
    Ok(response)
}

/// A body that is written piece by piece, as fast as the client reads.
struct BodyWriter {
    sender: Sender<Bytes, io::Error>,
    handle: Handle,
    watched: Watched,
    piece: Vec<u8>,
}

impl io::Write for BodyWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.piece.is_empty() {
            return Ok(());
        }
        if !self.watched.may_go_on() {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, REVOKED));
        }
        let piece = Bytes::from(std::mem::replace(
            &mut self.piece,
            Vec::with_capacity(PIECE),
        ));
        let sent = self
            .handle
            .block_on(async { tokio::time::timeout(PATIENCE, self.sender.send_data(piece)).await });
        match sent {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(io::Error::new(io::ErrorKind::BrokenPipe, error)),
            Err(_) => Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "the client reads nothing",
            )),
        }
    }
}

/// Stores memories or turns, a JSON object a line, batch by batch. What an export wrote and is
/// there already is recognised, so that the same stream can be sent again. A line that cannot be
/// stored ends the import with its number, unless `skip_bad` leaves it out. Without the rights
/// `admin` and `delete` only memories, turns and the graph are taken: other lines of an export,
/// such as decisions and work that waits, may delete or govern; they are left out, and `withheld`
/// counts them.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/import", tag = "transfer",
    security(("token" = ["write"]), ("session" = ["write"])),
    params(("ns" = String, Path, description = "The name of the namespace"), ImportParams),
    request_body(content = String, content_type = "application/x-ndjson"),
    responses((status = 200, body = Imported))
)]
pub(crate) async fn import(
    State(app): State<Arc<App>>,
    space: Space<Write>,
    Query(params): Query<ImportParams>,
    request: Request,
) -> Result<Json<Imported>, Problem> {
    let kind = request
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    if !kind
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .eq_ignore_ascii_case(LINES)
    {
        return Err(Problem::new(
            Kind::NotJson,
            format!("lines of JSON are sent as {LINES}"),
        ));
    }
    let mut options = ImportOptions::default();
    if params.format == LineFormat::Turns {
        options.format = ImportFormat::Turns;
    }
    if params.skip_bad {
        options.on_bad = OnBad::Collect;
    }
    options.only_memories = !space.caller.restores_exports();
    let mut body = BufReader::new(BodyReader {
        body: request.into_body(),
        handle: Handle::current(),
        patience: app.limits.body,
        watched: Watched::new(Arc::clone(&app), Arc::clone(&space.caller)),
        is_revoked: false,
        piece: Bytes::new(),
    });
    let (space, turn) = (space.space, app.begin_stream()?);
    // It takes as long as it takes: each piece of the body has its time.
    let done = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let imported = space.transfer().import(&mut body, &options, &mut |_| {});
        (imported, body.get_ref().is_revoked)
    });
    let (imported, is_revoked) = done.await.map_err(|_| Problem::of(Kind::Internal))?;
    if is_revoked {
        let why = format!("{REVOKED}; the lines before are stored");
        return Err(Problem::new(Kind::BadToken, why).worded(Wording::new("ended", &[])));
    }
    Ok(Json(imported?.into()))
}

/// A body that is read piece by piece.
struct BodyReader {
    body: Body,
    handle: Handle,
    patience: Duration,
    watched: Watched,
    /// Whether it ended because its caller may not go on.
    is_revoked: bool,
    piece: Bytes,
}

impl Read for BodyReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            let (body, patience) = (&mut self.body, self.patience);
            let frame = self
                .handle
                .block_on(async { tokio::time::timeout(patience, body.frame()).await });
            let slow = |_| io::Error::new(io::ErrorKind::TimedOut, "the body does not go on");
            let frame = frame.map_err(slow)?;
            if !self.watched.may_go_on() {
                self.is_revoked = true;
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, REVOKED));
            }
            match frame {
                Some(Ok(frame)) => self.piece = frame.into_data().unwrap_or_default(),
                Some(Err(error)) => {
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, error));
                }
                None => return Ok(0),
            }
        }
        let length = into.len().min(self.piece.len());
        let taken = self.piece.split_to(length);
        for (place, byte) in into.iter_mut().zip(taken) {
            *place = byte;
        }
        Ok(length)
    }
}
