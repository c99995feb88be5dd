//! The bytes inside values: LEB128 varints, zigzag for signed numbers, little-endian fixed
//! numbers, length-prefixed bytes.

use serde::Serialize;

use crate::codec::{self, CodecError};

/// Why bytes are no value of the expected shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Broken(pub &'static str);

/// Builds a value.
#[derive(Debug, Default)]
pub struct Put(Vec<u8>, Option<CodecError>);

impl Put {
    /// An empty value with room for so many bytes.
    #[must_use]
    pub fn with_capacity(bytes: usize) -> Self {
        Self(Vec::with_capacity(bytes), None)
    }

    /// Makes room for so many more bytes.
    pub fn reserve(&mut self, bytes: usize) {
        self.0.reserve(bytes);
    }

    /// Adds one byte.
    pub fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    /// Adds bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// Adds an unsigned number as LEB128.
    pub fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(u8::try_from(number & 0x7F).unwrap_or(0) | 0x80);
            number >>= 7;
        }
        self.0.push(u8::try_from(number).unwrap_or(0));
    }

    /// Adds a signed number, zigzag and then LEB128.
    pub fn zigzag(&mut self, number: i64) {
        self.varint(((number << 1) ^ (number >> 63)).cast_unsigned());
    }

    /// Adds a length as LEB128.
    pub fn length(&mut self, length: usize) {
        self.varint(length as u64);
    }

    /// Adds the length of a text and its UTF-8.
    pub fn text(&mut self, text: &str) {
        self.length(text.len());
        self.raw(text.as_bytes());
    }

    /// Adds a value in the storage's own [serialisation](crate::codec). A value that cannot be
    /// encoded is told of by [`checked`](Self::checked).
    pub fn coded<T: Serialize>(&mut self, value: &T) {
        if let Err(error) = codec::encode_into(value, &mut self.0) {
            self.1 = Some(error);
        }
    }

    /// Takes note that a value of a type cannot be encoded, which [`checked`](Self::checked) tells
    /// of.
    pub fn refuse<T>(&mut self, why: &dyn std::fmt::Display) {
        self.1 = Some(CodecError::Encode {
            what: std::any::type_name::<T>(),
            detail: why.to_string(),
        });
    }

    /// The bytes.
    ///
    /// # Errors
    /// When something that was to be added could not be encoded.
    pub fn checked(self) -> Result<Vec<u8>, CodecError> {
        self.1.map_or(Ok(self.0), Err)
    }

    /// The bytes, where nothing was added that can fail.
    #[must_use]
    pub fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// Takes a value apart. Never allocates more than the bytes at hand justify.
#[derive(Debug, Clone, Copy)]
pub struct Take<'a>(&'a [u8]);

impl<'a> Take<'a> {
    /// Begins at the first byte.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The next bytes, a fixed number of them.
    ///
    /// # Errors
    /// [`Broken`] when the bytes are not that.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Broken> {
        let (head, tail) = self
            .0
            .split_first_chunk::<N>()
            .ok_or(Broken("it ends too early"))?;
        self.0 = tail;
        Ok(*head)
    }

    /// The next byte.
    ///
    /// # Errors
    /// [`Broken`] when the bytes are not that.
    pub fn byte(&mut self) -> Result<u8, Broken> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// An unsigned LEB128.
    ///
    /// # Errors
    /// [`Broken`] when the bytes are not that.
    pub fn varint(&mut self) -> Result<u64, Broken> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7F);
            if shift == 63 && part > 1 {
                break;
            }
            number |= part << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(Broken("a number is too long"))
    }

    /// The same within 32 bits.
    ///
    /// # Errors
    /// [`Broken`] when the bytes are not that.
    pub fn varint32(&mut self) -> Result<u32, Broken> {
        u32::try_from(self.varint()?).map_err(|_| Broken("a number is too large"))
    }

    /// A signed number.
    ///
    /// # Errors
    /// [`Broken`] when the bytes are not that.
    pub fn zigzag(&mut self) -> Result<i64, Broken> {
        let number = self.varint()?;
        Ok((number >> 1).cast_signed() ^ -((number & 1).cast_signed()))
    }

    /// So many bytes.
    ///
    /// # Errors
    /// [`Broken`] when the bytes are not that.
    pub fn slice(&mut self, length: usize) -> Result<&'a [u8], Broken> {
        let (head, tail) = self
            .0
            .split_at_checked(length)
            .ok_or(Broken("it ends too early"))?;
        self.0 = tail;
        Ok(head)
    }

    /// The count of a list whose entries have at least `each` bytes.
    ///
    /// # Errors
    /// [`Broken`] when there cannot be so many.
    pub fn count(&mut self, each: usize) -> Result<usize, Broken> {
        let count = usize::try_from(self.varint()?).map_err(|_| Broken("a list is too long"))?;
        if count.saturating_mul(each.max(1)) > self.0.len() {
            Err(Broken("a list is too long"))
        } else {
            Ok(count)
        }
    }

    /// A length and so much UTF-8.
    ///
    /// # Errors
    /// [`Broken`] when the bytes are not that.
    pub fn text(&mut self) -> Result<&'a str, Broken> {
        let length = self.count(1)?;
        std::str::from_utf8(self.slice(length)?).map_err(|_| Broken("a text is not UTF-8"))
    }

    /// All bytes that are left.
    #[must_use]
    pub const fn rest(self) -> &'a [u8] {
        self.0
    }

    /// Nothing may be left.
    ///
    /// # Errors
    /// [`Broken`] when the bytes are not that.
    pub fn end(self) -> Result<(), Broken> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(Broken("bytes are left over"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_and_texts_come_back(n in any::<u64>(), z in any::<i64>(), t in ".*") {
            let mut put = Put::default();
            put.varint(n);
            put.zigzag(z);
            put.text(&t);
            let bytes = put.finish();
            let mut take = Take::new(&bytes);
            prop_assert_eq!(take.varint(), Ok(n));
            prop_assert_eq!(take.zigzag(), Ok(z));
            prop_assert_eq!(take.text(), Ok(t.as_str()));
            prop_assert_eq!(take.end(), Ok(()));
        }
    }

    #[test]
    fn refuses_overlong_numbers_and_impossible_lengths() {
        assert!(Take::new(&[0xFF; 10]).varint().is_err());
        assert!(Take::new(&[0xFF, 0xFF, 0x03, b'x']).text().is_err());
        assert!(Take::new(&[0x80]).varint().is_err());
        assert!(Take::new(&[1, 0xFF]).text().is_err());
    }
}
