//! A file into a namespace: tried first, then imported.

use std::sync::Arc;

use annals::blocking::Namespace;
use annals::{Conversations, ImportFormat, ImportOptions, ImportReport, OnBad};
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
    /// What the file was read as.
    format: ImportedForm,
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

/// What a file is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ImportedForm {
    /// Lines as the export of annals writes them.
    Export,
    /// Lines with a turn each.
    Turns,
    /// Conversations in one document.
    Conversations,
    /// Messages as chat services exchange them.
    Messages,
}

/// A record that is left out.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LeftOut {
    /// Its line, counted from 1.
    line: u64,
    /// Why.
    reason: String,
}

/// Imports a file, or tells what it would bring: lines of an export or of turns, conversations, messages.
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
    let imported = space.run(move |space| {
        let form = form(&bytes);
        let name = params.name.as_deref().unwrap_or("import");
        let report = if params.dry_run { tried(space, form, &bytes, name) } else { stored(space, form, &bytes, name) };
        Ok(told(params.dry_run, form, report?))
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

fn told(dry_run: bool, format: ImportedForm, report: ImportReport) -> ImportedFile {
    let skipped = report.bad.len();
    let left_out = |bad: annals::BadLine| LeftOut { line: bad.line, reason: bad.reason };
    ImportedFile {
        dry_run,
        format,
        stored: report.stored,
        already_there: report.already_there,
        deleted: report.deleted,
        skipped,
        left_out: report.bad.into_iter().take(TOLD).map(left_out).collect(),
    }
}

/// What a file is, by its first record.
fn form(bytes: &[u8]) -> ImportedForm {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let first = text.split(|byte| *byte == b'\n').find(|line| !line.iter().all(u8::is_ascii_whitespace));
    let line = first.and_then(|line| serde_json::from_slice::<serde_json::Value>(line).ok());
    let record = line.or_else(|| serde_json::from_slice(text).ok()).unwrap_or_default();
    if record.is_array() || record.get("messages").is_some() || record.get("role").is_some() {
        ImportedForm::Messages
    } else if record.get("conversations").is_some() || record.get("turns").is_some() {
        ImportedForm::Conversations
    } else if record.get("session").is_some() {
        ImportedForm::Turns
    } else {
        ImportedForm::Export
    }
}

/// Tries a file on a copy in memory, so that it is told what is there already.
fn tried(space: &Namespace, form: ImportedForm, bytes: &[u8], name: &str) -> Result<ImportReport, Problem> {
    let copy = annals::Options::new().in_memory()?.namespace(space.name())?;
    if space.admin().exists()? && space.admin().stats()?.memories <= KNOWN {
        let mut lines = Vec::new();
        space.transfer().export(&mut lines, &mut |_| {})?;
        let options = ImportOptions { on_bad: OnBad::Collect, ..ImportOptions::default() };
        copy.transfer().import(&mut lines.as_slice(), &options, &mut |_| {})?;
    }
    stored(&copy, form, bytes, name)
}

fn stored(space: &Namespace, form: ImportedForm, mut bytes: &[u8], name: &str) -> Result<ImportReport, Problem> {
    let options = |format| ImportOptions { format, on_bad: OnBad::Collect, ..ImportOptions::default() };
    let transfer = space.transfer();
    let whole = match form {
        ImportedForm::Export => return Ok(transfer.import(&mut bytes, &options(ImportFormat::Export), &mut |_| {})?),
        ImportedForm::Turns => return Ok(transfer.import(&mut bytes, &options(ImportFormat::Turns), &mut |_| {})?),
        ImportedForm::Conversations => Conversations::parse(bytes)?,
        ImportedForm::Messages => Conversations::of_messages(bytes, name)?,
    };
    let mut sum = ImportReport::default();
    for conversation in &whole.conversations {
        let one = transfer.import_conversation(conversation, &options(ImportFormat::Turns), &mut |_| {})?;
        sum.stored += one.stored;
        sum.already_there += one.already_there;
        sum.deleted += one.deleted;
        sum.bad.extend(one.bad);
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::{ImportedForm, form};

    #[test]
    fn a_file_is_known_by_its_first_record() {
        assert_eq!(form(b"{\"session\":\"a\",\"text\":\"hello\"}\n"), ImportedForm::Turns);
        assert_eq!(form(b"[\n {\"role\": \"user\", \"content\": \"hi\"}\n]"), ImportedForm::Messages);
        assert_eq!(form(b"{\n \"conversations\": []\n}"), ImportedForm::Conversations);
        assert_eq!(form(b"\n{\"annals\":1}\n"), ImportedForm::Export);
    }
}
