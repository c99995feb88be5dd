//! Deleting what a list names.

use std::collections::HashSet;

use annals_types::{Filter, MemoryId, NewMemory, Status};
use tracing::instrument;

use crate::handles::Namespace;
use crate::{BulkReceipt, Error, Mode, Receipt};
use annals_engine::deletion;

handles! {
    /// Calls about many memories at once, each one transaction.
    pub struct Bulk;
    example {
        /// ```
        /// use annals::{Filter, Mode, NewMemory};
        ///
        /// let memory = annals::Options::new().in_memory()?;
        /// let user = memory.namespace("user:42")?;
        /// let pets = vec![NewMemory::try_from("Momo is a cat.")?, NewMemory::try_from("Rex is a dog.")?];
        /// let ids = user.bulk().remember(pets)?;
        /// user.bulk().archive(&ids)?;
        /// let plan = user.bulk().delete_where(&Filter::default(), Mode::DryRun)?;
        /// assert_eq!(plan.memories.len(), 2);
        /// # Ok::<(), annals::Error>(())
        /// ```
    }
    asynchronous {
        /// ```
        /// # fn main() -> Result<(), annals::Error> { pollster::block_on(async {
        /// let memory = annals::Memory::from(annals::Options::new().in_memory()?);
        /// let user = memory.namespace("user:42")?;
        /// use annals::NewMemory;
        /// let pets = vec![NewMemory::try_from("Momo is a cat.")?, NewMemory::try_from("Rex is a dog.")?];
        /// let ids = user.bulk().remember(pets).await?;
        /// user.bulk().archive(ids).await?;
        /// # Ok(()) }) }
        /// ```
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Bulk {
    pub(super) space: Namespace,
}

calls! {
    for Bulk;

    calls {
        /// Deletes the memories of a list that a person wrote, in one transaction, or tells what
        /// would go: ids separated by commas (also Chinese ones), semicolons, white space or new
        /// lines, each counted once. Memories of classes that the profile keeps in bulk are passed
        /// over, unknown ids and what is no id are told.
        ///
        /// # Errors
        /// When the file cannot be read or written.
        fn delete_listed(list: text, mode: own(Mode)) -> BulkReceipt;

        /// Stores memories in one transaction: all of them or none. Answers their ids in the same
        /// order.
        ///
        /// # Errors
        /// As [`remember`](crate::Namespace::remember).
        fn remember(memories: own(Vec<NewMemory>)) -> Vec<MemoryId>;

        /// Hides memories in one transaction: all of them or none.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound), naming the first id that does not
        /// exist; [`ErrorKind::Conflict`](crate::ErrorKind::Conflict) for one that has been
        /// superseded. Nothing is changed then.
        fn forget(ids: slice(MemoryId)) -> ();

        /// Puts memories aside in one transaction: all of them or none.
        ///
        /// # Errors
        /// As [`forget`](Self::forget).
        fn archive(ids: slice(MemoryId)) -> ();

        /// Brings forgotten or archived memories back in one transaction: all of them or none.
        ///
        /// # Errors
        /// As [`forget`](Self::forget).
        fn restore(ids: slice(MemoryId)) -> ();

        /// Hides all memories that pass a filter, or tells which they are.
        ///
        /// # Errors
        /// When the file cannot be read or written.
        fn forget_where(filter: lend(Filter), mode: own(Mode)) -> Receipt;

        /// Deletes memories for good in one transaction, all of them or none, or tells what would
        /// go. One receipt covers them all.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound), naming an id that does not exist;
        /// then none is deleted.
        fn delete(ids: slice(MemoryId), mode: own(Mode)) -> Receipt;

        /// Deletes all memories that pass a filter in one transaction, or tells which they are:
        /// those of any status where it names none, and those that have expired or were replaced by
        /// another memory among them.
        ///
        /// # Errors
        /// When the file cannot be read or written.
        fn delete_where(filter: lend(Filter), mode: own(Mode)) -> Receipt;
    }
}

impl Bulk {
    #[instrument(level = "debug", skip_all, fields(namespace = %self.space.name))]
    pub(crate) fn delete_listed(&self, list: &str, mode: Mode) -> Result<BulkReceipt, Error> {
        let separates = |c: char| c.is_whitespace() || matches!(c, ',' | '，' | '、' | ';' | '；');
        let mut done = BulkReceipt {
            receipt: Receipt::nothing(mode),
            skipped: Vec::new(),
            unknown: Vec::new(),
        };
        let mut ids: Vec<MemoryId> = Vec::new();
        for word in list.split(separates).filter(|word| !word.is_empty()) {
            match word.parse() {
                Ok(id) if !ids.contains(&id) => ids.push(id),
                Ok(_) => {}
                Err(_) if done.unknown.iter().any(|known| known == word) => {}
                Err(_) => done.unknown.push(word.to_owned()),
            }
        }
        let Some(namespace) = self.space.id()? else {
            done.unknown.extend(ids.iter().map(ToString::to_string));
            return Ok(done);
        };
        let before: Option<Receipt> = self.space.carried_out(mode)?;
        let gone = |id: &MemoryId| {
            before
                .iter()
                .flat_map(|receipt| &receipt.memories)
                .any(|entry| entry.id == *id)
        };
        ids.retain(|id| !gone(id));
        let view = self.space.engine.view(namespace)?;
        let kept: Vec<&str> = view.profile.kept_in_bulk().collect();
        let rows = annals_records::find_rows(&self.space.engine.snapshot()?, namespace, &ids)?;
        let mut going = Vec::with_capacity(ids.len());
        for (id, row) in ids.into_iter().zip(rows) {
            match row {
                None => done.unknown.push(id.to_string()),
                Some(row)
                    if view
                        .worth
                        .class(row)
                        .is_some_and(|class| kept.contains(&class)) =>
                {
                    done.skipped.push(id)
                }
                Some(_) => going.push(id),
            }
        }
        done.receipt = match before {
            Some(receipt) => receipt,
            None => self.delete(&going, mode)?,
        };
        Ok(done)
    }

    #[instrument(level = "debug", skip_all, fields(namespace = %self.space.name, count = memories.len()))]
    pub(crate) fn remember(&self, memories: Vec<NewMemory>) -> Result<Vec<MemoryId>, Error> {
        let now = self.space.engine.now();
        let ids: Vec<MemoryId> = memories
            .iter()
            .map(|_| self.space.engine.ids.next(now))
            .collect();
        Ok(self
            .space
            .store(memories, ids)?
            .into_iter()
            .map(|admitted| admitted.id)
            .collect())
    }

    pub(crate) fn forget(&self, ids: &[MemoryId]) -> Result<(), Error> {
        self.space.set_status(ids, Status::Forgotten)
    }

    pub(crate) fn archive(&self, ids: &[MemoryId]) -> Result<(), Error> {
        self.space.set_status(ids, Status::Archived)
    }

    pub(crate) fn restore(&self, ids: &[MemoryId]) -> Result<(), Error> {
        self.space.set_status(ids, Status::Active)
    }

    pub(crate) fn forget_where(&self, filter: &Filter, mode: Mode) -> Result<Receipt, Error> {
        let space = self.space.for_call();
        if let Some(receipt) = space.carried_out(mode)? {
            return Ok(receipt);
        }
        let ids = space.select(filter)?;
        let Some(ns) = space.id()?.filter(|_| !ids.is_empty()) else {
            return Ok(Receipt::nothing(mode));
        };
        let receipt = Receipt::about(
            &deletion::leaving(&self.space.engine.snapshot()?, ns, &ids)?,
            mode,
        );
        if mode == Mode::Commit {
            return self
                .space
                .engine
                .set_status_of_selected(ns, &ids, Status::Forgotten, &receipt);
        }
        Ok(receipt)
    }

    pub(crate) fn delete(&self, ids: &[MemoryId], mode: Mode) -> Result<Receipt, Error> {
        let space = self.space.for_call();
        if let Some(first) = ids.first() {
            space.id_for(*first)?;
        }
        let mut seen = HashSet::new();
        let ids: Vec<MemoryId> = ids.iter().copied().filter(|id| seen.insert(*id)).collect();
        space.remove(&ids, mode)
    }

    pub(crate) fn delete_where(&self, filter: &Filter, mode: Mode) -> Result<Receipt, Error> {
        let space = self.space.for_call();
        if let Some(receipt) = space.carried_out(mode)? {
            return Ok(receipt);
        }
        let Some(namespace) = space.id()? else {
            return Ok(Receipt::nothing(mode));
        };
        let meant = self.space.engine.meant(namespace, filter, None)?;
        let ids: Vec<MemoryId> = meant.into_iter().map(|(_, id)| id).collect();
        space.remove(&ids, mode)
    }
}
