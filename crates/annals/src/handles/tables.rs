//! Tables of extensions, read and written from outside of their hooks.

use annals_storage::Reads;
use annals_types::NamespaceId;

use crate::Error;
use crate::extension::WriteCx;
use crate::handles::{Admin, Far as _, Namespace, Target};

handles! {
    /// The tables that [extensions](crate::extension) keep beside the memories of a namespace.
    pub struct Tables;
    example {
        /// ```
        /// let memory = annals::Options::new().in_memory()?;
        /// let user = memory.namespace("user:42")?;
        /// let found = user.admin().tables().read(|_reads, namespace| Ok(namespace))?;
        /// assert!(found.is_none(), "the namespace begins with its first memory");
        /// # Ok::<(), annals::Error>(())
        /// ```
    }
    asynchronous {
        /// ```
        /// # fn main() -> Result<(), annals::Error> { pollster::block_on(async {
        /// let memory = annals::Memory::from(annals::Options::new().in_memory()?);
        /// let user = memory.namespace("user:42")?;
        /// let tables = user.admin().tables();
        /// let found = tables.run(|tables| tables.read(|_reads, namespace| Ok(namespace))).await?;
        /// assert!(found.is_none(), "the namespace begins with its first memory");
        /// # Ok(()) }) }
        /// ```
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Tables(Namespace);

impl Admin {
    pub(crate) fn tables(&self) -> Tables {
        Tables(self.space.clone())
    }
}

impl blocking::Tables {
    /// Reads rows as they are now; `None` when the namespace does not exist.
    ///
    /// # Errors
    /// When the file cannot be read; the error of `read`.
    pub fn read<T>(
        &self,
        read: impl FnOnce(&dyn Reads, NamespaceId) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let Tables(space) = self.here()?;
        let Some(ns) = space.id()? else {
            return Ok(None);
        };
        read(&space.engine().snapshot()?, ns).map(Some)
    }

    /// Writes rows in one transaction, which is durable when this returns. The namespace comes into
    /// being with it. `write` may run again, and then begins anew.
    ///
    /// # Errors
    /// When the file cannot be written; the error of `write`: then nothing is kept.
    pub fn write<T: Send>(
        &self,
        write: impl FnMut(&mut WriteCx<'_, '_>) -> Result<T, Error> + Send,
    ) -> Result<T, Error> {
        let Tables(space) = self.here()?;
        space.engine().write_or_make(space.entry()?, write)
    }

    fn here(&self) -> Result<&Tables, Error> {
        match &self.0 {
            Target::Here(tables) => Ok(tables),
            Target::Far(far) => Err(far.not_shared("tables")),
        }
    }
}
