//! Memories that go from file to file.

use std::io::{BufRead, Write};
use std::path::Path;

use annals_types::{MemoryId, Timestamp};
use tracing::instrument;

use crate::handles::Namespace;
use crate::{
    Conversation, Error, ExportForm, ExportReport, FileFormat, FileKind, ImportFile, ImportOptions,
    ImportPosition, ImportRecord, ImportReport, ImportRun, Mode, ReadOptions, ReadSummary,
    ReembedProgress, ReembedReport,
};
use annals_transfer::Transfers;

/// Memories deleted in one transaction where an import is taken back.
const UNDONE: usize = 500;

handles! {
    /// Memories that go from file to file, and from one embedder to another.
    pub struct Transfer;
    example {
        /// ```
        /// let memory = annals::Options::new().in_memory()?;
        /// let user = memory.namespace("user:42")?;
        /// user.remember("My cat is called Momo.")?;
        /// let mut lines = Vec::new();
        /// user.transfer().export(&mut lines, &mut |_| ())?;
        /// let other = memory.namespace("user:43")?;
        /// let options = annals::ImportOptions::default();
        /// other.transfer().import(&mut lines.as_slice(), &options, &mut |_| ())?;
        /// assert_eq!(other.admin().stats()?.memories, 1);
        /// # Ok::<(), annals::Error>(())
        /// ```
    }
    asynchronous {
        /// ```
        /// # fn main() -> Result<(), annals::Error> { pollster::block_on(async {
        /// let memory = annals::Memory::from(annals::Options::new().in_memory()?);
        /// let user = memory.namespace("user:42")?;
        /// user.remember("My cat is called Momo.").await?;
        /// let transfer = user.transfer();
        /// let export = transfer.run(|transfer| {
        ///     let mut lines = Vec::new();
        ///     transfer.export(&mut lines, &mut |_| ()).map(|_| lines)
        /// });
        /// assert!(!export.await?.is_empty());
        /// # Ok(()) }) }
        /// ```
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Transfer {
    pub(super) space: Namespace,
}

calls! {
    for Transfer;

    blocking {
        /// Writes everything of the namespace, one JSON object a line: its profile where that is
        /// not the default one, all memories with ids, all texts they had, statuses and times and
        /// what they are worth, then entities, merges, triples with who says them, links and what
        /// was derived from what, then merges that were taken back, what may contradict each other,
        /// decisions, memories that lost a source, what waits to be done about single memories, and
        /// the rows of extensions. `progress` is called with the number of memories written so far.
        ///
        /// # Errors
        /// When the file cannot be read or `out` not be written.
        fn export(out: writer, progress: progress(u64)) -> ExportReport;

        /// Writes all memories for people to read, one a line: id, kind, score and text, with tabs
        /// between them and line breaks of the text as spaces. Cannot be imported again.
        ///
        /// # Errors
        /// When the file cannot be read or `out` not be written.
        fn export_text(out: writer) -> ExportReport;

        /// Writes what is in use in a form of another program, without histories, worth and
        /// triples. Each form can be imported again, and says the same then.
        ///
        /// # Errors
        /// When the file cannot be read or `out` not be written.
        fn export_as(form: own(ExportForm), out: writer) -> ExportReport;

        /// Stores what `input` holds, a line each, batch by batch; empty lines are passed over.
        /// `progress` is called after each batch and each refused line.
        ///
        /// An import that stopped goes on with [`ImportOptions::skip_lines`] at
        /// [`ImportReport::lines_done`]; one that was killed at
        /// [`ImportPosition::lines_done`](crate::ImportPosition::lines_done), if its
        /// [`ImportOptions::source`] had a name. What an export wrote and is there already is
        /// recognised, so that starting over is safe too. So are turns: by their ids, else by
        /// session, time, role and text, and those with neither by what stands around them, so that
        /// a single one of these is new each time. A turn whose id is known and that says something
        /// else is stored. Turns that were deleted since an import brought something into their
        /// session stay away, unless [`ImportOptions::bring_back`] is set. A namespace that does
        /// not exist begins with the profile that the export names; one that exists keeps its own,
        /// and memories whose class it does not know begin their life anew. Where it gives them no
        /// life, they keep the one that they bring. Entities, triples and merges keep their
        /// numbers: a namespace that has other ones under them refuses those lines.
        ///
        /// # Errors
        /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) at a bad line with
        /// [`OnBad::Stop`](crate::OnBad::Stop); [`Error::import_line`](crate::Error::import_line)
        /// tells which. All lines before it are stored. Also for a name of a source that is empty
        /// or has more than 16 KiB.
        fn import(input: reader, options: lend(ImportOptions), progress: report(ImportReport)) -> ImportReport;

        /// Stores the turns of a conversation that are not there yet, without those that were said
        /// while their session was [temporary](crate::Session::set_temporary). They are recognised
        /// as those of [`import`](Self::import), so that the same document can come twice, and stay
        /// away where they were deleted. Of the options, [`batch`](ImportOptions::batch) and
        /// [`bring_back`](ImportOptions::bring_back) count. `progress` is called after each batch;
        /// the lines that it counts are turns.
        ///
        /// # Errors
        /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a turn that is not allowed, before
        /// anything is stored; or as [`remember`](crate::Namespace::remember), and what came before
        /// is stored.
        fn import_conversation(conversation: lend(Conversation), options: lend(ImportOptions), progress: report(ImportReport)) -> ImportReport;
    }

    calls {
        /// Gives every memory a vector of the embedder that this file was opened with, then
        /// switches recall over at once; until then it goes on with the old vectors, where their
        /// embedder can be had, or by words. Can be interrupted and called again.
        ///
        /// # Errors
        /// [`ErrorKind::Embedder`](crate::ErrorKind::Embedder), or what the file says.
        fn reembed(progress: progress(ReembedProgress)) -> ReembedReport;

        /// Makes an episode of a `last_chat.json`: a summary as JSON or bare text, of the time at
        /// which the file was last written. Answers the episode and whether it is new: the same
        /// file is taken once.
        ///
        /// # Errors
        /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when there is no summary in it;
        /// otherwise as [`remember`](crate::Namespace::remember).
        fn import_last_chat(file: slice(u8), written_at: own(Timestamp)) -> (MemoryId, bool);

        /// Writes what is in use as notes below a folder, which is made where it is missing: a
        /// memory each in `memories`, and the turns of a session each in `sessions`. Files of the
        /// same names are replaced.
        ///
        /// # Errors
        /// When the file cannot be read or the notes not be written.
        fn export_notes(folder: path) -> ExportReport;

        /// Stores a part of what a file brings, as [`FileFormat::read`](crate::FileFormat::read)
        /// gives it. What is there stays as it is, and what was deleted stays away: turns as those
        /// of `import_conversation`; memories by their format and their id there, or else by their
        /// words. A memory of a known id that says something else is changed, and counted as
        /// differing.
        ///
        /// # Errors
        /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for what is not allowed; or as
        /// [`remember`](crate::Namespace::remember).
        fn import_record(record: lend(ImportRecord), options: lend(ImportOptions)) -> ImportReport;

        /// The last imports into this namespace that can be taken back, the last one first.
        ///
        /// # Errors
        /// When they cannot be read.
        fn import_runs() -> Vec<ImportRun>;

        /// Takes back an import: deletes all memories that it brought, by the moment at which it
        /// began; those that others are made of go with them as with any deletion. Another import
        /// of the same files brings them again. Answers how many went.
        ///
        /// # Errors
        /// As [`delete`](crate::Namespace::delete).
        fn undo_import(began: own(Timestamp)) -> u64;

        /// The imports into this namespace that stopped or were killed before their end, by the
        /// name of their source.
        ///
        /// # Errors
        /// When they cannot be read.
        fn unfinished() -> Vec<ImportPosition>;
    }
}

impl Transfer {
    fn transfers(&self) -> Transfers<'_> {
        Transfers::new(&self.space.engine, &self.space.name)
    }

    pub(crate) fn export(
        &self,
        out: &mut dyn Write,
        progress: &mut dyn FnMut(u64),
    ) -> Result<ExportReport, Error> {
        self.transfers().export(out, progress)
    }

    pub(crate) fn export_text(&self, out: &mut dyn Write) -> Result<ExportReport, Error> {
        self.transfers().export_text(out)
    }

    pub(crate) fn import(
        &self,
        input: &mut dyn BufRead,
        options: &ImportOptions,
        progress: &mut dyn FnMut(&ImportReport),
    ) -> Result<ImportReport, Error> {
        self.transfers().import(input, options, progress)
    }

    pub(crate) fn import_conversation(
        &self,
        conversation: &Conversation,
        options: &ImportOptions,
        progress: &mut dyn FnMut(&ImportReport),
    ) -> Result<ImportReport, Error> {
        let mut lasting = conversation.clone();
        for turn in std::mem::take(&mut lasting.turns) {
            let session = self.space.session(turn.session.as_str());
            let kept_out = match turn.time {
                _ if session.is_temporary()? => true,
                Some(time) => session.was_temporary(time)?,
                None => false,
            };
            if !kept_out {
                lasting.turns.push(turn);
            }
        }
        self.transfers()
            .import_conversation(&lasting, options, progress)
    }

    pub(crate) fn import_last_chat(
        &self,
        file: &[u8],
        written_at: Timestamp,
    ) -> Result<(MemoryId, bool), Error> {
        self.transfers().import_last_chat(file, written_at)
    }

    pub(crate) fn export_as(
        &self,
        form: ExportForm,
        out: &mut dyn Write,
    ) -> Result<ExportReport, Error> {
        self.transfers().export_as(form, out)
    }

    pub(crate) fn export_notes(&self, folder: impl AsRef<Path>) -> Result<ExportReport, Error> {
        self.transfers().export_notes(folder.as_ref())
    }

    pub(crate) fn import_record(
        &self,
        record: &ImportRecord,
        options: &ImportOptions,
    ) -> Result<ImportReport, Error> {
        match record {
            ImportRecord::Turns(turns) => {
                let conversation = Conversation::of_turns(turns.clone());
                self.import_conversation(&conversation, options, &mut |_| ())
            }
            ImportRecord::Memories(memories) => self.transfers().import_memories(memories, options),
            ImportRecord::Entities(entities) => self.transfers().import_entities(entities),
            _ => Err(Error::internal("a part of a file that nothing stores")),
        }
    }

    pub(crate) fn import_runs(&self) -> Result<Vec<ImportRun>, Error> {
        self.transfers().forget_old_runs()?;
        self.transfers().import_runs()
    }

    pub(crate) fn undo_import(&self, began: Timestamp) -> Result<u64, Error> {
        let transfers = self.transfers();
        let ids = transfers.imported_by(began)?;
        let mut count = 0;
        for some in ids.chunks(UNDONE) {
            let gone = self.space.bulk().delete(some, Mode::Commit)?;
            count += u64::try_from(gone.memories.len()).unwrap_or(u64::MAX);
        }
        transfers.forget_brought(&ids)?;
        Ok(count)
    }

    pub(crate) fn unfinished(&self) -> Result<Vec<ImportPosition>, Error> {
        self.transfers().unfinished_imports()
    }

    #[instrument(level = "debug", skip_all, fields(namespace = %self.space.name))]
    pub(crate) fn reembed(
        &self,
        progress: &mut dyn FnMut(ReembedProgress),
    ) -> Result<ReembedReport, Error> {
        match self.space.id()? {
            Some(id) => self.space.engine.reembed(id, progress),
            None => Ok(ReembedReport::default()),
        }
    }
}

impl blocking::Transfer {
    /// Imports a file of a known format. It is read in this process, and what it brings is stored
    /// part by part; `part` gets the report of each.
    ///
    /// # Errors
    /// As [`FileFormat::read`] and [`import_record`](Self::import_record); what stood before is
    /// stored.
    pub fn import_file(
        &self,
        (file, format): (&ImportFile, FileFormat),
        read: &ReadOptions,
        options: &ImportOptions,
        part: &mut dyn FnMut(ImportReport),
    ) -> Result<ReadSummary, Error> {
        if format.kind() == FileKind::Export {
            part(self.import(&mut *file.open()?, options, &mut |_| ())?);
            return Ok(ReadSummary::default());
        }
        format.read(file, read, &mut |record| {
            part(self.import_record(&record, options)?);
            Ok(())
        })
    }
}
