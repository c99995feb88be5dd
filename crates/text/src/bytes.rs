//! Varints (LEB128) and bounds-checked reading.

use crate::error::Damage;

pub(crate) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(u8::try_from(value & 0x7F).unwrap_or(0) | 0x80);
        value >>= 7;
    }
    out.push(u8::try_from(value).unwrap_or(0));
}

/// Reads from the front of a byte string.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(crate) fn byte(&mut self) -> Result<u8, Damage> {
        let (first, rest) = self.rest.split_first().ok_or(Damage::Short)?;
        self.rest = rest;
        Ok(*first)
    }

    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u64, Damage> {
        let (first, rest) = self.rest.split_first().ok_or(Damage::Short)?;
        if *first < 0x80 {
            self.rest = rest;
            return Ok(u64::from(*first));
        }
        self.long_varint()
    }

    fn long_varint(&mut self) -> Result<u64, Damage> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Damage::Range)
    }

    pub(crate) fn varint_u32(&mut self) -> Result<u32, Damage> {
        u32::try_from(self.varint()?).map_err(|_| Damage::Range)
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], Damage> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(Damage::Short)?;
        self.rest = rest;
        Ok(taken)
    }

    pub(crate) fn u16(&mut self) -> Result<u16, Damage> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or(Damage::Short)?;
        self.rest = rest;
        Ok(u16::from_le_bytes(*bytes))
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Damage> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or(Damage::Short)?;
        self.rest = rest;
        Ok(u32::from_le_bytes(*bytes))
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Damage> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or(Damage::Short)?;
        self.rest = rest;
        Ok(u64::from_le_bytes(*bytes))
    }

    /// The bytes that were not read yet.
    pub(crate) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Checks that everything was read.
    pub(crate) const fn finish(self) -> Result<(), Damage> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(Damage::Trailing)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_survive() {
        for value in [
            0,
            1,
            127,
            128,
            16_383,
            16_384,
            u64::from(u32::MAX),
            u64::MAX,
        ] {
            let mut out = Vec::new();
            put_varint(&mut out, value);
            let mut reader = Reader::new(&out);
            assert_eq!(reader.varint(), Ok(value));
            assert!(reader.rest().is_empty());
            assert_eq!(
                Reader::new(&out[..out.len() - 1]).varint(),
                Err(Damage::Short)
            );
        }
        assert_eq!(Reader::new(&[0xFF; 11]).varint(), Err(Damage::Range));
    }
}
