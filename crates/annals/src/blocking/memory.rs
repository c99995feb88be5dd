use std::path::Path;
use std::sync::Arc;

use annals_recall::Query;
use annals_records::namespace as directory;
use annals_types::{Fingerprint, NamespaceName};

use super::Namespace;
use crate::engine::conversations::Conversations;
use crate::engine::extension::Extensions;
use crate::engine::{Engine, Handle, Home};
use crate::mirror::Files;
use crate::stats::by_status;
use crate::transfer::Imports;
use crate::{
    Answer, CompactReport, Error, FileStats, Hit, Mode, NamespaceReceipt, NamespaceStats, Options, SyncReport,
    ValidateReport,
};

/// A file of memories. Clones share one handle; the file is closed when the last handle is dropped.
#[derive(Clone)]
pub struct Memory {
    pub(super) engine: Arc<Handle>,
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Memory").field("path", &self.engine.path).finish_non_exhaustive()
    }
}

impl Memory {
    /// Opens a file with the default [`Options`]; creates it where there is none.
    ///
    /// # Errors
    /// As [`Options::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::options().open(path)
    }

    /// Options to open a file with.
    pub fn options() -> Options {
        Options::new()
    }

    pub(crate) fn from_options(options: Options, home: Home<'_>) -> Result<Self, Error> {
        // Each follows deletions in this order.
        let extensions = Extensions::new(vec![&Conversations, &Files, &Imports]);
        Ok(Self { engine: Engine::open(options, home, extensions)? })
    }

    /// A namespace by its name. It comes into being with its first write; until then reads find nothing in it.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when the name is not allowed.
    pub fn namespace(&self, name: impl AsRef<str>) -> Result<Namespace, Error> {
        Ok(Namespace::new(Arc::clone(&self.engine), NamespaceName::new(name.as_ref())?))
    }

    /// All namespaces, by name.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn namespaces(&self) -> Result<Vec<NamespaceStats>, Error> {
        let found = directory::list(&self.engine.snapshot()?)?;
        Ok(found
            .into_iter()
            .map(|(namespace, head)| NamespaceStats {
                name: namespace.name.as_str().to_owned(),
                created_at: namespace.created_at,
                profile: namespace.profile,
                memories: u64::from(head.total()),
                by_status: by_status(|status| head.count(status)),
                replaced: u64::from(head.replaced),
                text_bytes: head.text_bytes,
                open: None,
            })
            .collect())
    }

    /// Gives a namespace another name; its memories and their ids stay. Mirrored files whose path has the old name in it go, and are answered:
    /// those of the new one are written when files are brought into step. What a person wrote into them since they were written is taken over
    /// where edits come back, and kept beside them otherwise.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound), or [`ErrorKind::Conflict`](crate::ErrorKind::Conflict) when the name is taken.
    pub fn rename_namespace(&self, from: &str, to: &str) -> Result<SyncReport, Error> {
        let (from, to) = (NamespaceName::new(from)?, NamespaceName::new(to)?);
        let engine = &self.engine;
        let rename = |txn: &mut annals_storage::Transaction<'_>| -> Result<_, Error> {
            let id = directory::rename(txn, &from, &to)?.id;
            let (names, from, to) = (Arc::clone(&engine.names), from.clone(), to.clone());
            let then = move |_| {
                names.unlearn(&from);
                names.learn(to, id);
            };
            Ok((id, then))
        };
        let (id, _) = engine.store.write_then(rename)?;
        Ok(engine.tidy_mirrors(&to, id))
    }

    /// Deletes a namespace with all its bytes. From the first commit on nothing can reach its data; the bytes go in steps, and a
    /// crash in between is made up for when the file is opened again. The files that mirror it go as well, wherever they were written, with
    /// their backups; what a person wrote into them, and was never brought into step, is kept beside them. Those that are not there, perhaps on a
    /// disk that is away, are told: nothing knows of them any more.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound); when a mirrored file cannot be removed, once everything else is gone.
    pub fn delete_namespace(&self, name: &str, mode: Mode) -> Result<NamespaceReceipt, Error> {
        let name = NamespaceName::new(name)?;
        let engine = &self.engine;
        // Who is writing files of it comes to an end before it is known which there are.
        let alone = (mode == Mode::Commit).then(|| engine.mirroring.lock());
        let snapshot = engine.snapshot()?;
        let found = directory::find(&snapshot, &name)?;
        let found = found.ok_or_else(|| annals_records::RecordError::NoNamespace { name: name.clone() })?;
        let head = annals_records::Head::read(&snapshot, found.id)?;
        let going = engine.mirrors_of(&snapshot, found.id)?;
        let mut receipt = NamespaceReceipt {
            dry_run: mode == Mode::DryRun,
            namespace: name.as_str().to_owned(),
            memories: u64::from(head.total()),
            text_bytes: head.text_bytes,
            keys: 0,
            files: going.files(),
            kept: going.aside(),
            missing: going.missing(),
        };
        if mode == Mode::Commit {
            let delete = |txn: &mut annals_storage::Transaction<'_>| -> Result<_, Error> {
                // It may have got another name since: then it is not the one that is meant.
                let named = directory::find(&*txn, &name)?.filter(|named| named.id == found.id);
                let id = named.ok_or(annals_records::RecordError::NamespaceGone { namespace: found.id })?.id;
                directory::delete(txn, id)?;
                let (names, spaces, name) = (Arc::clone(&engine.names), Arc::clone(&engine.spaces), name.clone());
                let then = move |_| {
                    names.unlearn(&name);
                    spaces.close(id);
                };
                Ok((id, then))
            };
            let (gone, _) = engine.store.write_then(delete)?;
            let removed = engine.remove_mirrors(&going);
            drop(alone);
            receipt.keys = engine.purge(gone)?;
            removed?;
        }
        Ok(receipt)
    }

    /// Asks several namespaces at once: each answers by itself, and the best of all answers are returned, each hit naming its own.
    ///
    /// # Errors
    /// As [`Namespace::recall`].
    pub fn recall_across(&self, names: &[&str], query: impl Into<Query>) -> Result<Vec<Hit>, Error> {
        Ok(self.answer_across(names, query)?.hits)
    }

    /// The same with what else there is to say of the search, but for why a memory is missing and for the graph: each namespace has its own. One
    /// that is named twice is asked once.
    ///
    /// # Errors
    /// As [`Namespace::recall`].
    pub fn answer_across(&self, names: &[&str], query: impl Into<Query>) -> Result<Answer, Error> {
        let query = query.into();
        query.check()?;
        let mut vectored = None;
        let mut all = Answer::nothing(&Query { why_not: None, ..query.clone() });
        let mut asked = std::collections::BTreeSet::new();
        for name in names.iter().filter(|name| asked.insert(**name)) {
            let answer = self.namespace(name)?.answer_vectored(&query, &mut vectored)?;
            all.candidates += answer.candidates;
            all.without_vectors = all.without_vectors.or(answer.without_vectors);
            all.without_backend = all.without_backend.or(answer.without_backend);
            all.by_time |= answer.by_time;
            all.hits.extend(answer.hits);
        }
        Answer::arrange(&mut all.hits, all.by_time);
        all.hits.truncate(query.top_k.unwrap_or(self.engine.profiles.default().settings.recall.top_k) as usize);
        Ok(all)
    }

    /// Sizes and counts of the whole file.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn stats(&self) -> Result<FileStats, Error> {
        let namespaces = self.namespaces()?;
        Ok(FileStats {
            path: self.engine.path.clone(),
            file_bytes: self.file_bytes()?,
            commit: self.engine.store.commit().0,
            namespaces: u64::try_from(namespaces.len()).unwrap_or(u64::MAX),
            memories: namespaces.iter().map(|n| n.memories).sum(),
            memory_bytes: self.engine.spaces.memory_bytes(),
            embedder: self.engine.fingerprint.0.clone(),
            dims: self.engine.shape.dims(),
        })
    }

    fn file_bytes(&self) -> Result<u64, Error> {
        let Some(path) = &self.engine.path else { return Ok(0) };
        let found = std::fs::metadata(path);
        found.map(|m| m.len()).map_err(|e| Error::io(format!("reading the size of {}", path.display()), e))
    }

    /// Removes names that no memory uses any more, and writes the file anew beside its place: unused space goes back to the disk, and no
    /// byte of what was deleted is left. Background work that is queued is done first. Readers go on, writers wait.
    ///
    /// # Errors
    /// When the file cannot be written, or there is no space for what is alive.
    pub fn compact(&self) -> Result<CompactReport, Error> {
        self.engine.worker.wait_queued()?;
        self.engine.prune_labels()?;
        self.engine.finish_clearing()?;
        let before_bytes = self.file_bytes()?;
        self.engine.store.compact()?;
        Ok(CompactReport { before_bytes, after_bytes: self.file_bytes()? })
    }

    /// Checks every value of the file, and every index of every namespace against the others.
    ///
    /// # Errors
    /// When the file cannot be read at all; damage is reported, not an error.
    pub fn validate(&self) -> Result<ValidateReport, Error> {
        self.engine.validate()
    }

    /// The vector space that new memories are written to.
    #[must_use]
    pub fn embedder(&self) -> Fingerprint {
        self.engine.fingerprint.clone()
    }

    /// Waits until background work (folding, merging, building graphs, jobs that are due where they run by themselves) is done.
    ///
    /// # Errors
    /// When the background thread has failed.
    pub fn wait_idle(&self) -> Result<(), Error> {
        self.engine.scheduler.wait_idle();
        self.engine.worker.wait_idle()
    }
}
