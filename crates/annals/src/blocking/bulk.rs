//! Deleting what a list names.

use annals_types::MemoryId;
use tracing::instrument;

use super::Namespace;
use crate::{BulkReceipt, Error, Mode, Receipt};

impl Namespace {
    /// Deletes the memories of a list that a person wrote, in one transaction, or tells what would go: ids separated by commas (also
    /// Chinese ones), semicolons, white space or new lines, each counted once. Memories of classes that the profile keeps in bulk are
    /// passed over, unknown ids and what is no id are told.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    #[instrument(level = "debug", skip_all, fields(namespace = %self.name))]
    pub fn delete_listed(&self, list: &str, mode: Mode) -> Result<BulkReceipt, Error> {
        let separates = |c: char| c.is_whitespace() || matches!(c, ',' | '，' | '、' | ';' | '；');
        let mut done = BulkReceipt { receipt: Receipt::nothing(mode), skipped: Vec::new(), unknown: Vec::new() };
        let mut ids: Vec<MemoryId> = Vec::new();
        for word in list.split(separates).filter(|word| !word.is_empty()) {
            match word.parse() {
                Ok(id) if !ids.contains(&id) => ids.push(id),
                Ok(_) => {}
                Err(_) if done.unknown.iter().any(|known| known == word) => {}
                Err(_) => done.unknown.push(word.to_owned()),
            }
        }
        let Some(namespace) = self.id()? else {
            done.unknown.extend(ids.iter().map(ToString::to_string));
            return Ok(done);
        };
        let view = self.engine.view(namespace)?;
        let kept: Vec<&str> = view.profile.kept_in_bulk().collect();
        let rows = annals_records::find_rows(&self.engine.snapshot()?, namespace, &ids)?;
        let mut going = Vec::with_capacity(ids.len());
        for (id, row) in ids.into_iter().zip(rows) {
            match row {
                None => done.unknown.push(id.to_string()),
                Some(row) if view.worth.class(row).is_some_and(|class| kept.contains(&class)) => done.skipped.push(id),
                Some(_) => going.push(id),
            }
        }
        done.receipt = self.delete_many(&going, mode)?;
        Ok(done)
    }
}
