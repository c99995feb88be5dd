//! A file into a namespace: tried first, then imported.

use std::collections::BTreeMap;
use std::sync::Arc;

use annals::blocking::Namespace;
use annals::{FileFormat, ImportFile, ImportOptions, ImportReport, OnBad, ReadOptions, Timestamp};
use axum::body::Body;
use axum::extract::multipart::MultipartError;
use axum::extract::{DefaultBodyLimit, FromRequest as _, Multipart, Request};
use axum::http::{StatusCode, header};
use http_body_util::BodyExt as _;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::app::App;
use crate::auth::{Space, Write};
use crate::extract::{Json, Query};
use crate::problem::{Kind, Problem};

/// The bytes of a file. Larger ones are imported by `annals import`.
const MOST: usize = 64 << 20;

/// The bytes of a form beside those of its files.
const FORM: usize = 1 << 20;

/// The memories of a namespace up to which a trial knows what is there already.
const KNOWN: u64 = 20_000;

/// The records that are told of, of those that are left out.
const TOLD: usize = 200;

/// Which file.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct FileParams {
    /// The name of the file: what a conversation is called that has no name of its own.
    name: Option<String>,
    /// Store nothing, only tell what would be stored.
    dry_run: bool,
}

/// What a file brought, or would bring.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ImportedFile {
    /// Whether nothing was stored.
    dry_run: bool,
    /// When it began: by this it is taken back.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    began: Option<Timestamp>,
    /// The names of the formats that were found, such as `chatgpt`.
    formats: Vec<String>,
    /// The files of an archive that nothing was read of.
    passed_over: usize,
    /// Memories that were not there before.
    stored: u64,
    /// Those that were.
    already_there: u64,
    /// Those that were deleted since an earlier import, and stay away.
    deleted: u64,
    /// Those that are there with other words, which were changed where the form says that they are
    /// the same.
    changed: u64,
    /// Entities, triples, links and decisions that were not there before.
    graph: u64,
    /// Lines of an export that are taken only with the rights `admin` and `delete`, by their kind,
    /// such as `decision`: they are left out.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    withheld: BTreeMap<String, u64>,
    /// Records that cannot be stored.
    skipped: usize,
    /// Which, and why; the first 200.
    left_out: Vec<LeftOut>,
}

/// A record that is left out.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LeftOut {
    /// Its line, counted from 1.
    line: u64,
    /// Why.
    reason: String,
}

/// The files of a form, as a browser sends them.
#[derive(ToSchema)]
#[expect(dead_code, reason = "the form is read part by part; this describes it")]
pub(crate) struct FilesForm {
    /// The files; each part says its name.
    #[schema(content_media_type = "application/octet-stream")]
    file: Vec<String>,
}

/// Imports files or archives of any format that `annals import` knows, or tells what they would
/// bring: one as the body, or several as the parts of a form. Of an export of annals without the
/// rights `admin` and `delete` only memories and the graph are taken, as by `.../import`.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/import/file", tag = "transfer",
    security(("token" = ["write"]), ("session" = ["write"])),
    params(("ns" = String, Path, description = "The name of the namespace"), FileParams),
    request_body(content((Vec<u8> = "application/octet-stream"), (FilesForm = "multipart/form-data"))),
    responses((status = 200, body = ImportedFile))
)]
pub(crate) async fn import(
    space: Space<Write>,
    Query(params): Query<FileParams>,
    request: Request,
) -> Result<Json<ImportedFile>, Problem> {
    // Files are held whole: no more of them at once than imports and exports.
    let turn = space.app.begin_stream()?;
    let sent = in_time(&space.app, request, params.name).await?;
    let run = space.app.now();
    let only_memories = !space.caller.restores_exports();
    let imported = space.run(move |space| {
        let _turn = turn;
        let files = Files::of(sent)?;
        let copy = if params.dry_run {
            Some(copy(space)?)
        } else {
            None
        };
        let run = (!params.dry_run).then_some(run);
        files.import(copy.as_ref().unwrap_or(space), run, only_memories)
    });
    Ok(Json(imported.await?))
}

/// A file that was sent: its name, and its bytes.
type Sent = (String, Vec<u8>);

async fn in_time(
    app: &Arc<App>,
    request: Request,
    name: Option<String>,
) -> Result<Vec<Sent>, Problem> {
    let sent = async {
        if is_form(&request) {
            return parts(app, request).await;
        }
        let bytes = whole(request.into_body()).await?;
        Ok(vec![(name.unwrap_or_else(|| "import".to_owned()), bytes)])
    };
    let late = |_| Problem::new(Kind::TooSlow, "the file was not whole in time");
    tokio::time::timeout(app.limits.call, sent)
        .await
        .map_err(late)?
}

/// A body that is one file. Its pieces go as they are taken, so that nothing is held twice.
async fn whole(mut body: Body) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Problem::of(Kind::BrokenOff))?;
        // What is no data comes behind the body, and says nothing of it.
        let Ok(piece) = frame.into_data() else {
            continue;
        };
        if bytes.len() + piece.len() > MOST {
            return Err(too_large());
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

fn is_form(request: &Request) -> bool {
    let kind = request
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    kind.split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .eq_ignore_ascii_case("multipart/form-data")
}

/// The parts of a form that are files. They have no more bytes together than one file may have.
async fn parts(app: &Arc<App>, request: Request) -> Result<Vec<Sent>, Problem> {
    let broken = |error: &dyn std::fmt::Display| Problem::new(Kind::BadForm, error.to_string());
    let mut request = request;
    DefaultBodyLimit::max(MOST + FORM).apply(&mut request);
    let mut form = Multipart::from_request(request, app)
        .await
        .map_err(|error| broken(&error.body_text()))?;
    let (mut files, mut left) = (Vec::new(), MOST);
    loop {
        let part = match form.next_field().await {
            Ok(Some(part)) => part,
            Ok(None) if files.is_empty() => return Err(broken(&"the form has no file")),
            Ok(None) => return Ok(files),
            Err(error) => return Err(refused(&error)),
        };
        let name = part.file_name().map(str::to_owned);
        let field = part.name().unwrap_or_default().to_owned();
        let Some(name) = name else {
            return Err(broken(&"a part of the form is no file").at(field));
        };
        let bytes = part.bytes().await.map_err(|error| refused(&error))?;
        left = left.checked_sub(bytes.len()).ok_or_else(too_large)?;
        files.push((name, bytes.into()));
    }
}

fn refused(error: &MultipartError) -> Problem {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        return too_large();
    }
    if error.status().is_server_error() {
        // The form is not at fault: its body could not be read.
        return Problem::of(Kind::BrokenOff);
    }
    Problem::new(Kind::BadForm, error.body_text())
}

fn too_large() -> Problem {
    Problem::new(
        Kind::TooLarge,
        format!("files have at most {MOST} bytes here"),
    )
}

/// What was sent, told by what stands in it.
struct Files {
    known: Vec<(ImportFile, FileFormat)>,
    passed_over: usize,
}

impl Files {
    /// Files, and those of archives: of these the ones of no known format are passed over, and what
    /// stands beside an export of a program.
    fn of(sent: Vec<Sent>) -> Result<Self, Problem> {
        let (mut known, mut others) = (Vec::new(), 0);
        for (name, bytes) in sent {
            for file in ImportFile::of_bytes(&name, bytes)? {
                match FileFormat::of(&file, &ReadOptions::default()) {
                    Ok(format) => known.push((file, format)),
                    Err(error) if file.root().is_some() && error.is_invalid() => others += 1,
                    Err(error) => return Err(error.into()),
                }
            }
        }
        let (known, left) = annals::without_attachments(known);
        Ok(Self {
            known,
            passed_over: others + left.len(),
        })
    }

    /// Imports into a namespace; what is not the copy gets a beginning by which it is taken back.
    fn import(
        &self,
        space: &Namespace,
        run: Option<Timestamp>,
        only_memories: bool,
    ) -> Result<ImportedFile, Problem> {
        let read = ReadOptions {
            skip_bad: true,
            ..ReadOptions::default()
        };
        let options = ImportOptions {
            on_bad: OnBad::Collect,
            run,
            only_memories,
            ..ImportOptions::default()
        };
        let (mut report, mut formats) = (ImportReport::default(), Vec::new());
        let mut bad = Vec::new();
        for (file, format) in &self.known {
            let summary =
                space
                    .transfer()
                    .import_file((file, *format), &read, &options, &mut |part| {
                        report.merge(part)
                    })?;
            bad.extend(summary.bad);
            if !formats.iter().any(|known| known == format.name()) {
                formats.push(format.name().to_owned());
            }
        }
        bad.append(&mut report.bad);
        let left_out = |bad: &annals::BadLine| LeftOut {
            line: bad.line,
            reason: bad.reason.clone(),
        };
        Ok(ImportedFile {
            dry_run: run.is_none(),
            began: run,
            formats,
            passed_over: self.passed_over,
            stored: report.stored,
            already_there: report.already_there,
            deleted: report.deleted,
            changed: report.differing,
            graph: report.graph_stored + report.judged_stored,
            withheld: report.withheld,
            skipped: bad.len(),
            left_out: bad.iter().take(TOLD).map(left_out).collect(),
        })
    }
}

/// A copy of a namespace in memory, on which a file is tried: so it is told what is there already.
fn copy(space: &Namespace) -> Result<Namespace, Problem> {
    let copy = annals::Options::new()
        .in_memory()?
        .namespace(space.name())?;
    if space.admin().exists()? && space.admin().stats()?.memories <= KNOWN {
        let mut lines = Vec::new();
        space.transfer().export(&mut lines, &mut |_| {})?;
        let options = ImportOptions {
            on_bad: OnBad::Collect,
            ..ImportOptions::default()
        };
        copy.transfer()
            .import(&mut lines.as_slice(), &options, &mut |_| {})?;
    }
    Ok(copy)
}
