//! What errors say, apart from their words. What is damaged, or a mistake of a program, is said in
//! English alone.

use annals_graph::GraphError;
use annals_lifecycle::LifecycleError;
use annals_recall::RecallError;
use annals_records::RecordError;
use annals_storage::StorageError;
use annals_types::Wording;

use crate::error::Source;

pub(crate) fn wording(source: &Source) -> Option<Wording> {
    match source {
        Source::Invalid(value) => Some(value.wording()),
        Source::Profile(bad) => Some(bad.wording()),
        Source::Refused(refusal) => Some(refusal.wording()),
        Source::Record(error) => record(error),
        Source::Lifecycle(error) => lifecycle(error),
        Source::Graph(error) => graph(error),
        Source::Storage(error) => storage(error),
        Source::Recall(RecallError::Invalid(value)) => Some(value.wording()),
        Source::Recall(RecallError::Record(error)) => record(error),
        Source::Recall(RecallError::Graph(error)) => graph(error),
        Source::BadInput { wording, .. } => wording.clone(),
        Source::BadLine {
            line,
            wording: Some(wording),
            ..
        } => {
            let mut wording = wording.clone();
            wording.places.insert("line".to_owned(), line.to_string());
            Some(wording)
        }
        Source::Reported { report, .. } => report.wording.clone(),
        _ => None,
    }
}

fn record(error: &RecordError) -> Option<Wording> {
    Some(match error {
        RecordError::Storage(error) => return storage(error),
        RecordError::NoNamespace { name } => Wording::new(
            "record-no-namespace",
            &[("name", &format!("{:?}", name.as_str()))],
        ),
        RecordError::NamespaceExists { name } => Wording::new(
            "record-namespace-exists",
            &[("name", &format!("{:?}", name.as_str()))],
        ),
        RecordError::NotFound { id } => Wording::new("record-not-found", &[("id", id)]),
        RecordError::NoOrigin { id, origin } => {
            Wording::new("record-no-origin", &[("id", id), ("origin", origin)])
        }
        RecordError::OwnOrigin { id } => Wording::new("record-own-origin", &[("id", id)]),
        RecordError::IdTaken { id } => Wording::new("record-id-taken", &[("id", id)]),
        RecordError::Superseded { id, by: None } => {
            Wording::new("record-superseded", &[("id", id)])
        }
        RecordError::Superseded { id, by: Some(by) } => {
            Wording::new("record-superseded-by", &[("id", id), ("by", by)])
        }
        RecordError::Invalid { source, .. } => source.wording(),
        _ => return None,
    })
}

fn lifecycle(error: &LifecycleError) -> Option<Wording> {
    Some(match error {
        LifecycleError::Storage(error) => return storage(error),
        LifecycleError::UnknownZone { name } => {
            Wording::new("profile-unknown-zone", &[("name", &format!("{name:?}"))])
        }
        LifecycleError::UnknownKind { kind, allowed } => Wording::new(
            "profile-unknown-kind",
            &[("kind", &format!("{kind:?}")), ("allowed", allowed)],
        ),
        LifecycleError::NoKind { allowed } => {
            Wording::new("profile-no-kind", &[("allowed", allowed)])
        }
        LifecycleError::UnknownSource {
            source_name,
            allowed,
        } => Wording::new(
            "profile-unknown-source",
            &[("name", &format!("{source_name:?}")), ("allowed", allowed)],
        ),
        LifecycleError::UnknownClass { class, allowed } => Wording::new(
            "profile-unknown-class",
            &[("class", &format!("{class:?}")), ("allowed", allowed)],
        ),
        LifecycleError::NoJob { name } => {
            Wording::new("profile-no-job", &[("name", &format!("{name:?}"))])
        }
        LifecycleError::NoTask { task } => Wording::new("profile-no-task", &[("task", task)]),
        LifecycleError::Claimed { task, until } => {
            Wording::new("profile-claimed", &[("task", task), ("until", until)])
        }
        LifecycleError::NoReview { .. } => Wording::new("profile-no-review", &[]),
        _ => return None,
    })
}

fn graph(error: &GraphError) -> Option<Wording> {
    Some(match error {
        GraphError::Storage(error) => return storage(error),
        GraphError::NoEntity { entity } => {
            Wording::new("graph-no-entity", &[("number", &entity.0)])
        }
        GraphError::NoTriple { triple } => {
            Wording::new("graph-no-triple", &[("number", &triple.0)])
        }
        GraphError::NoMerge { merge } => Wording::new("graph-no-merge", &[("number", &merge.0)]),
        GraphError::SelfTie { .. } => Wording::new("graph-self-tie", &[]),
        GraphError::SameEntity { entity } => {
            Wording::new("graph-same-entity", &[("number", &entity.0)])
        }
        GraphError::NoRelation { name, allowed } => Wording::new(
            "graph-no-relation",
            &[("name", &format!("{name:?}")), ("allowed", allowed)],
        ),
        GraphError::Invalid(value) => value.wording(),
        GraphError::BadCursor => Wording::new("graph-bad-cursor", &[]),
        GraphError::NoMemory { name } => {
            Wording::new("graph-no-memory", &[("name", &format!("{name:?}"))])
        }
        _ => return None,
    })
}

fn storage(error: &StorageError) -> Option<Wording> {
    Some(match error {
        StorageError::DiskFull { .. } => Wording::new("storage-full", &[]),
        StorageError::Repeated => Wording::new("storage-repeated", &[]),
        StorageError::ReadOnly { path, .. } => {
            Wording::new("storage-read-only", &[("path", &path.display())])
        }
        StorageError::NoFolder { path } => {
            Wording::new("storage-no-folder", &[("path", &path.display())])
        }
        StorageError::Foreign { path, owner } => Wording::new(
            "storage-foreign",
            &[("path", &path.display()), ("owner", owner)],
        ),
        StorageError::NotAFile { path } => {
            Wording::new("storage-not-a-file", &[("path", &path.display())])
        }
        StorageError::NotADatabase { path, .. } => {
            Wording::new("storage-not-a-database", &[("path", &path.display())])
        }
        StorageError::TooNew {
            what,
            found,
            supported,
        } => Wording::new(
            "storage-too-new",
            &[("what", what), ("found", found), ("supported", supported)],
        ),
        StorageError::TooOld {
            what,
            found,
            supported,
        } => Wording::new(
            "storage-too-old",
            &[("what", what), ("found", found), ("supported", supported)],
        ),
        StorageError::FileExists { path } => {
            Wording::new("storage-file-exists", &[("path", &path.display())])
        }
        StorageError::OpenedReadOnly { .. } => Wording::new("storage-opened-read-only", &[]),
        StorageError::Poisoned { .. } => Wording::new("storage-poisoned", &[]),
        _ => return None,
    })
}
