use annals_types::Row;

use crate::LabelId;
use crate::value::Value;
use crate::wire::{Broken, Put, Take};

/// Where an id leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IdEntry {
    /// The newest row stored under the id.
    pub(crate) current: Row,
    /// The oldest one.
    pub(crate) first: Row,
}

impl Value for IdEntry {
    const VERSION: u8 = 1;

    fn encode(&self) -> Vec<u8> {
        let mut put = Put::with_capacity(6);
        put.varint(u64::from(self.current.0));
        put.varint(u64::from(self.current.0.saturating_sub(self.first.0)));
        put.finish()
    }

    fn decode(_version: u8, body: &[u8]) -> Result<Self, Broken> {
        let mut take = Take::new(body);
        let current = take.varint32()?;
        let back = take.varint32()?;
        take.end()?;
        let first = current.checked_sub(back).ok_or(Broken("a first row comes after the current one"))?;
        Ok(Self { current: Row(current), first: Row(first) })
    }
}

/// The row at a place of a session; `None` where a turn was erased and the position must not come back.
impl Value for Option<Row> {
    const VERSION: u8 = 1;

    fn encode(&self) -> Vec<u8> {
        let mut put = Put::with_capacity(5);
        if let Some(row) = self {
            put.varint(u64::from(row.0));
        }
        put.finish()
    }

    fn decode(_version: u8, body: &[u8]) -> Result<Self, Broken> {
        if body.is_empty() {
            return Ok(None);
        }
        let mut take = Take::new(body);
        let row = take.varint32()?;
        take.end()?;
        Ok(Some(Row(row)))
    }
}

impl Value for LabelId {
    const VERSION: u8 = 1;

    fn encode(&self) -> Vec<u8> {
        let mut put = Put::with_capacity(5);
        put.varint(u64::from(self.0));
        put.finish()
    }

    fn decode(_version: u8, body: &[u8]) -> Result<Self, Broken> {
        let mut take = Take::new(body);
        let number = take.varint32()?;
        take.end()?;
        if number == 0 { Err(Broken("a label has number 0")) } else { Ok(Self(number)) }
    }
}
