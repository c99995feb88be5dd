//! Values of tables: a version and a body that can be read without copying.

use std::fmt;
use std::marker::PhantomData;

use annals_types::{NamespaceId, Row, Timestamp};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Text;
use crate::codec;
use crate::wire::{Broken, Put, Take};

/// The stored form of a value.
///
/// The type names the form; [`View`](Self::View) is what it is read as, which may borrow from the
/// stored bytes. Most structures are their own form, with `View<'a> = Self`.
pub trait Value: 'static {
    /// The form that a body is read as.
    type View<'a>;

    /// The version written today. Older ones are read by [`decode`](Self::decode), newer ones are
    /// refused before it.
    const VERSION: u8 = 1;

    /// Writes a body.
    fn encode(view: &Self::View<'_>, to: &mut Put);

    /// Reads a body of a version up to [`VERSION`](Self::VERSION).
    ///
    /// # Errors
    /// When the bytes are no such body.
    fn decode(version: u8, body: &[u8]) -> Result<Self::View<'_>, Broken>;
}

/// Nothing beyond being there, up to a version.
#[derive(Debug, Clone, Copy)]
pub enum Mark<const VERSION: u8 = 1> {}

impl<const VERSION: u8> Value for Mark<VERSION> {
    type View<'a> = ();

    const VERSION: u8 = VERSION;

    fn encode((): &(), _: &mut Put) {}

    fn decode(_version: u8, body: &[u8]) -> Result<(), Broken> {
        Take::new(body).end()
    }
}

/// Bytes as they are, up to a version: codes, columns, segments. Read as `&[u8]`.
#[derive(Debug, Clone, Copy)]
pub enum Raw<const VERSION: u8 = 1> {}

impl<const VERSION: u8> Value for Raw<VERSION> {
    type View<'a> = &'a [u8];

    const VERSION: u8 = VERSION;

    fn encode(view: &&[u8], to: &mut Put) {
        to.raw(view);
    }

    fn decode(_version: u8, body: &[u8]) -> Result<&[u8], Broken> {
        Ok(body)
    }
}

/// A text, as UTF-8 that fills the body, read as `&str`.
impl Value for Text {
    type View<'a> = &'a str;

    fn encode(view: &&str, to: &mut Put) {
        to.raw(view.as_bytes());
    }

    fn decode(_version: u8, body: &[u8]) -> Result<&str, Broken> {
        std::str::from_utf8(body).map_err(|_| Broken("a text is not UTF-8"))
    }
}

/// The same, read as a text of its own.
impl Value for String {
    type View<'a> = Self;

    fn encode(view: &Self, to: &mut Put) {
        to.raw(view.as_bytes());
    }

    fn decode(version: u8, body: &[u8]) -> Result<Self, Broken> {
        Text::decode(version, body).map(ToOwned::to_owned)
    }
}

/// A value in the storage's own [serialisation](crate::codec) of type `T`.
pub struct Coded<T, const VERSION: u8 = 1>(PhantomData<fn() -> T>);

impl<T, const VERSION: u8> fmt::Debug for Coded<T, VERSION> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Coded")
    }
}

impl<T: Serialize + DeserializeOwned + 'static, const VERSION: u8> Value for Coded<T, VERSION> {
    type View<'a> = T;

    const VERSION: u8 = VERSION;

    fn encode(view: &T, to: &mut Put) {
        to.coded(view);
    }

    fn decode(_version: u8, body: &[u8]) -> Result<T, Broken> {
        codec::decode(body).map_err(|_| Broken("its encoding does not fit its structure"))
    }
}

/// Numbers, alone in the body.
macro_rules! number {
    ($($(#[$doc:meta])* $type:ty: |$put:ident, $number:ident| $write:expr, |$take:ident| $read:expr;)+) => {
        $($(#[$doc])*
        impl Value for $type {
            type View<'a> = Self;

            fn encode($number: &Self, $put: &mut Put) {
                $write
            }

            fn decode(_version: u8, body: &[u8]) -> Result<Self, Broken> {
                let mut $take = Take::new(body);
                let number = $read;
                $take.end()?;
                Ok(number)
            }
        })+
    };
}

number! {
    /// LEB128.
    u32: |put, number| put.varint(u64::from(*number)), |take| take.varint32()?;
    /// LEB128.
    u64: |put, number| put.varint(*number), |take| take.varint()?;
    /// Four bytes, big-endian.
    Row: |put, row| put.raw(&row.0.to_be_bytes()), |take| Self(u32::from_be_bytes(take.array()?));
    /// Milliseconds in eight bytes, big-endian.
    Timestamp: |put, moment| put.raw(&moment.as_millis().to_be_bytes()),
        |take| Self::from_millis(i64::from_be_bytes(take.array()?));
    /// Four bytes, little-endian.
    NamespaceId: |put, number| put.raw(&number.0.to_le_bytes()), |take| Self(u32::from_le_bytes(take.array()?));
}
