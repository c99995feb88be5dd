//! A file into a namespace: tried first, then imported.

use std::sync::Arc;

use annals::blocking::Namespace;
use annals::{FileFormat, ImportFile, ImportOptions, ImportReport, OnBad, ReadOptions, Timestamp};
use axum::body::to_bytes;
use axum::extract::Request;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::app::App;
use crate::auth::{Space, Write};
use crate::extract::{Json, Query};
use crate::problem::{Kind, Problem};

/// The bytes of a file. Larger ones are imported by `annals import`.
const MOST: usize = 64 << 20;

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

/// Imports a file or an archive of any format that `annals import` knows, or tells what it would bring.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/import/file", tag = "namespaces",
    security(("token" = ["write"]), ("session" = ["write"])),
    params(("ns" = String, Path, description = "The name of the namespace"), FileParams),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 200, body = ImportedFile))
)]
pub(crate) async fn import(
    space: Space<Write>,
    Query(params): Query<FileParams>,
    request: Request,
) -> Result<Json<ImportedFile>, Problem> {
    let bytes = read(&space.app, request).await?;
    let run = space.app.now();
    let imported = space.run(move |space| {
        let files = Files::of(params.name.as_deref().unwrap_or("import"), bytes)?;
        let copy = if params.dry_run { Some(copy(space)?) } else { None };
        let run = (!params.dry_run).then_some(run);
        files.import(copy.as_ref().unwrap_or(space), run)
    });
    Ok(Json(imported.await?))
}

async fn read(app: &Arc<App>, request: Request) -> Result<Vec<u8>, Problem> {
    match tokio::time::timeout(app.limits.call, to_bytes(request.into_body(), MOST)).await {
        Ok(Ok(bytes)) => Ok(bytes.to_vec()),
        Ok(Err(_)) => Err(Problem::new(Kind::TooLarge, format!("a file has at most {MOST} bytes here"))),
        Err(_) => Err(Problem::new(Kind::TooSlow, "the file was not whole in time")),
    }
}

/// What was sent, told by what stands in it.
struct Files {
    known: Vec<(ImportFile, FileFormat)>,
    passed_over: usize,
}

impl Files {
    /// A file, or those of an archive: of these the ones of no known format are passed over, and what
    /// stands beside an export of a program.
    fn of(name: &str, bytes: Vec<u8>) -> Result<Self, Problem> {
        let (mut known, mut others) = (Vec::new(), 0);
        for file in ImportFile::of_bytes(name, bytes)? {
            match FileFormat::of(&file, &ReadOptions::default()) {
                Ok(format) => known.push((file, format)),
                Err(error) if file.root().is_some() && error.is_invalid() => others += 1,
                Err(error) => return Err(error.into()),
            }
        }
        let (known, left) = annals::without_attachments(known);
        Ok(Self { known, passed_over: others + left.len() })
    }

    /// Imports into a namespace; what is not the copy gets a beginning by which it is taken back.
    fn import(&self, space: &Namespace, run: Option<Timestamp>) -> Result<ImportedFile, Problem> {
        let read = ReadOptions { skip_bad: true, ..ReadOptions::default() };
        let options = ImportOptions { on_bad: OnBad::Collect, run, ..ImportOptions::default() };
        let (mut report, mut formats) = (ImportReport::default(), Vec::new());
        let mut bad = Vec::new();
        for (file, format) in &self.known {
            let summary =
                space.transfer().import_file((file, *format), &read, &options, &mut |part| report.merge(part))?;
            bad.extend(summary.bad);
            if !formats.iter().any(|known| known == format.name()) {
                formats.push(format.name().to_owned());
            }
        }
        bad.append(&mut report.bad);
        let left_out = |bad: &annals::BadLine| LeftOut { line: bad.line, reason: bad.reason.clone() };
        Ok(ImportedFile {
            dry_run: run.is_none(),
            began: run,
            formats,
            passed_over: self.passed_over,
            stored: report.stored,
            already_there: report.already_there,
            deleted: report.deleted,
            skipped: bad.len(),
            left_out: bad.iter().take(TOLD).map(left_out).collect(),
        })
    }
}

/// A copy of a namespace in memory, on which a file is tried: so it is told what is there already.
fn copy(space: &Namespace) -> Result<Namespace, Problem> {
    let copy = annals::Options::new().in_memory()?.namespace(space.name())?;
    if space.admin().exists()? && space.admin().stats()?.memories <= KNOWN {
        let mut lines = Vec::new();
        space.transfer().export(&mut lines, &mut |_| {})?;
        let options = ImportOptions { on_bad: OnBad::Collect, ..ImportOptions::default() };
        copy.transfer().import(&mut lines.as_slice(), &options, &mut |_| {})?;
    }
    Ok(copy)
}
