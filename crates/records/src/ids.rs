use annals_storage::table::Value;
use annals_types::Row;

use crate::LabelId;
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
    type View<'a> = Self;

    fn encode(view: &Self, put: &mut Put) {
        put.varint(u64::from(view.current.0));
        put.varint(u64::from(view.current.0.saturating_sub(view.first.0)));
    }

    fn decode(_version: u8, body: &[u8]) -> Result<Self, Broken> {
        let mut take = Take::new(body);
        let current = take.varint32()?;
        let back = take.varint32()?;
        take.end()?;
        let first = current
            .checked_sub(back)
            .ok_or(Broken("a first row comes after the current one"))?;
        Ok(Self {
            current: Row(current),
            first: Row(first),
        })
    }
}

/// The stored form of the row at a place of a session; `None` where a turn was erased and the
/// position must not come back.
pub(crate) enum Place {}

impl Value for Place {
    type View<'a> = Option<Row>;

    fn encode(view: &Option<Row>, put: &mut Put) {
        if let Some(row) = view {
            u32::encode(&row.0, put);
        }
    }

    fn decode(version: u8, body: &[u8]) -> Result<Option<Row>, Broken> {
        if body.is_empty() {
            Ok(None)
        } else {
            u32::decode(version, body).map(|row| Some(Row(row)))
        }
    }
}

impl Value for LabelId {
    type View<'a> = Self;

    fn encode(view: &Self, put: &mut Put) {
        u32::encode(&view.0, put);
    }

    fn decode(version: u8, body: &[u8]) -> Result<Self, Broken> {
        let number = u32::decode(version, body)?;
        if number == 0 {
            Err(Broken("a label has number 0"))
        } else {
            Ok(Self(number))
        }
    }
}
