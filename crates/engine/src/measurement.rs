//! Measurements of embedders, kept in the file.
//!
//! All vectors of an embedder in a file were centred by one measurement, whichever process made
//! them: another one, of a server that answers a little differently, would be another space.

use annals_storage::Table;
use annals_storage::table::{Coded, Text};
use annals_vector::embed::Measurement;

use crate::{Engine, Error};

/// Measurements by the fingerprints of embedders.
pub(crate) const MEASUREMENTS: Table<Text, Coded<Measurement>> = Table::new("annals.measurements");

impl Engine {
    /// Has the embedder go by what is kept of it in the file.
    pub(crate) fn load_measurement(&self) -> Result<(), Error> {
        let Some(measured) = &self.measured else {
            return Ok(());
        };
        if let Some(kept) = MEASUREMENTS.get(&self.snapshot()?, &*self.fingerprint.0)? {
            measured.set_measurement(kept);
        }
        Ok(())
    }

    /// Keeps what was measured of the embedder, before vectors are stored that depend on it.
    pub(crate) fn keep_measurement(&self) -> Result<(), Error> {
        let Some(measured) = &self.measured else {
            return Ok(());
        };
        let Some(taken) = measured.unkept() else {
            return Ok(());
        };
        let kept = self
            .store
            .write_derived(|txn| -> Result<Measurement, Error> {
                if let Some(kept) = MEASUREMENTS.get(txn, &*self.fingerprint.0)? {
                    return Ok(kept);
                }
                MEASUREMENTS.put(txn, &*self.fingerprint.0, &taken)?;
                Ok(Measurement::clone(&taken))
            })?;
        measured.set_measurement(kept.0);
        Ok(())
    }
}
