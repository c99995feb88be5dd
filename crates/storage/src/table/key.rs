//! Keys of tables: typed parts, each written so that the order of bytes is the order of values.

use std::ops::Deref;

use annals_types::{MemoryId, NamespaceId, Row, Timestamp};

use super::Scope;

/// Keys up to this many bytes are built without an allocation.
const INLINE: usize = 40;

/// Makes the order of signed numbers that of bytes: the sign bit is turned around.
const SIGN: u64 = 1 << 63;

/// The bytes of a key.
#[derive(Debug, Clone)]
pub struct KeyBytes(KeyBuffer);

#[derive(Debug, Clone)]
enum KeyBuffer {
    Inline { bytes: [u8; INLINE], len: usize },
    Heap(Vec<u8>),
}

impl Default for KeyBytes {
    fn default() -> Self {
        Self(KeyBuffer::Inline {
            bytes: [0; INLINE],
            len: 0,
        })
    }
}

impl KeyBytes {
    /// Adds bytes at the end.
    #[inline]
    pub fn extend(&mut self, more: &[u8]) {
        match &mut self.0 {
            KeyBuffer::Inline { bytes, len } => {
                let end = *len + more.len();
                if let Some(room) = bytes.get_mut(*len..end) {
                    room.copy_from_slice(more);
                    *len = end;
                } else {
                    let mut heap = Vec::with_capacity(end.max(2 * INLINE));
                    heap.extend_from_slice(bytes.get(..*len).unwrap_or_default());
                    heap.extend_from_slice(more);
                    self.0 = KeyBuffer::Heap(heap);
                }
            }
            KeyBuffer::Heap(heap) => heap.extend_from_slice(more),
        }
    }

    /// The bytes of a key or of the first parts of one.
    pub(super) fn of(write: impl FnOnce(&mut Self)) -> Self {
        let mut key = Self::default();
        write(&mut key);
        key
    }
}

impl Deref for KeyBytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.0 {
            KeyBuffer::Inline { bytes, len } => bytes.get(..*len).unwrap_or_default(),
            KeyBuffer::Heap(heap) => heap,
        }
    }
}

/// Takes a key apart.
#[derive(Debug, Clone, Copy)]
pub struct KeyReader<'a>(&'a [u8]);

impl<'a> KeyReader<'a> {
    /// Begins at the first byte.
    #[must_use]
    pub const fn new(key: &'a [u8]) -> Self {
        Self(key)
    }

    /// The next bytes, a fixed number of them; `None` when the key is shorter.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, tail) = self.0.split_first_chunk::<N>()?;
        self.0 = tail;
        Some(*head)
    }

    /// All bytes that are left.
    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }

    /// The bytes before the next zero byte, which is skipped; `None` when there is none.
    pub fn until_zero(&mut self) -> Option<&'a [u8]> {
        let at = self.0.iter().position(|byte| *byte == 0)?;
        let (head, tail) = self.0.split_at_checked(at)?;
        self.0 = tail.get(1..)?;
        Some(head)
    }

    /// Whether no byte is left.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A key, or a part of one. A tuple of parts is a key: `(NamespaceId, Row)`.
///
/// The type names the form; [`Of`](Self::Of) is the value, which may borrow: the form [`Text`] has
/// the values `&str`.
pub trait Key: 'static {
    /// The value that is written as such a part.
    type Of<'a>: Copy;

    /// To whom rows under such keys belong.
    const SCOPE: Scope = Scope::Global;

    /// Writes a part. Its bytes must sort as the values do.
    fn put(of: Self::Of<'_>, key: &mut KeyBytes);

    /// Reads a part; `None` for bytes that are no such part.
    fn take<'a>(key: &mut KeyReader<'a>) -> Option<Self::Of<'a>>;
}

/// The first parts of a key `K`, or all of it: `(ns, row)`, or `ns` alone where a namespace comes
/// first.
pub trait PrefixOf<K: Key> {
    /// Writes them.
    fn put(self, key: &mut KeyBytes);
}

/// A whole key; `None` for bytes that are no such key.
pub(super) fn whole<K: Key>(key: &[u8]) -> Option<K::Of<'_>> {
    let mut reader = KeyReader::new(key);
    let of = K::take(&mut reader)?;
    reader.is_empty().then_some(of)
}

/// A UTF-8 text. Only as the last part of a key; values are `&str`.
#[derive(Debug, Clone, Copy)]
pub enum Text {}

/// Bytes. Only as the last part of a key; values are `&[u8]`.
#[derive(Debug, Clone, Copy)]
pub enum Bytes {}

/// A UTF-8 text without zero bytes, closed by one, so that parts may follow. Values are `&str`.
#[derive(Debug, Clone, Copy)]
pub enum ClosedText {}

impl Key for Text {
    type Of<'a> = &'a str;

    fn put(of: &str, key: &mut KeyBytes) {
        key.extend(of.as_bytes());
    }

    fn take<'a>(key: &mut KeyReader<'a>) -> Option<&'a str> {
        std::str::from_utf8(key.rest()).ok()
    }
}

impl Key for Bytes {
    type Of<'a> = &'a [u8];

    fn put(of: &[u8], key: &mut KeyBytes) {
        key.extend(of);
    }

    fn take<'a>(key: &mut KeyReader<'a>) -> Option<&'a [u8]> {
        Some(key.rest())
    }
}

impl Key for ClosedText {
    type Of<'a> = &'a str;

    fn put(of: &str, key: &mut KeyBytes) {
        key.extend(of.as_bytes());
        key.extend(&[0]);
    }

    fn take<'a>(key: &mut KeyReader<'a>) -> Option<&'a str> {
        std::str::from_utf8(key.until_zero()?).ok()
    }
}

/// Parts of fixed width: how the value becomes a byte array and back.
macro_rules! fixed {
    ($($type:ty: $scope:expr, |$of:ident| $put:expr, |$bytes:ident| $take:expr;)+) => {
        $(impl Key for $type {
            type Of<'a> = Self;

            const SCOPE: Scope = $scope;

            #[inline]
            fn put($of: Self, key: &mut KeyBytes) {
                key.extend(&$put);
            }

            #[inline]
            fn take(key: &mut KeyReader<'_>) -> Option<Self> {
                let $bytes = key.array()?;
                Some($take)
            }
        })+
    };
}

fixed! {
    u8: Scope::Global, |of| [of], |bytes| u8::from_be_bytes(bytes);
    u32: Scope::Global, |of| of.to_be_bytes(), |bytes| u32::from_be_bytes(bytes);
    u64: Scope::Global, |of| of.to_be_bytes(), |bytes| u64::from_be_bytes(bytes);
    Row: Scope::Global, |of| of.0.to_be_bytes(), |bytes| Self(u32::from_be_bytes(bytes));
    NamespaceId: Scope::Namespace, |of| of.prefix(), |bytes| Self(u32::from_be_bytes(bytes));
    MemoryId: Scope::Global, |of| *of.as_bytes(), |bytes| Self::from_bytes(bytes);
    Timestamp: Scope::Global, |of| (of.as_millis().cast_unsigned() ^ SIGN).to_be_bytes(),
        |bytes| Self::from_millis((u64::from_be_bytes(bytes) ^ SIGN).cast_signed());
}

/// The scope of a key whose parts have these scopes.
const fn joined(parts: &[Scope]) -> Scope {
    let mut at = 0;
    while at < parts.len() {
        #[expect(
            clippy::indexing_slicing,
            reason = "a const loop within the bounds of its slice"
        )]
        if !matches!(parts[at], Scope::Global) {
            return if at == 0 { parts[0] } else { Scope::Spread };
        }
        at += 1;
    }
    Scope::Global
}

macro_rules! tuple {
    ($($part:ident $of:ident),+) => {
        impl<$($part: Key),+> Key for ($($part,)+) {
            type Of<'a> = ($($part::Of<'a>,)+);

            const SCOPE: Scope = joined(&[$($part::SCOPE),+]);

            #[inline]
            fn put(($($of,)+): Self::Of<'_>, key: &mut KeyBytes) {
                $($part::put($of, key);)+
            }

            #[inline]
            fn take<'a>(key: &mut KeyReader<'a>) -> Option<Self::Of<'a>> {
                Some(($($part::take(key)?,)+))
            }
        }
    };
}

macro_rules! prefix {
    ($($part:ident $of:ident),+; $($more:ident),*) => {
        impl<'a, $($part: Key,)+ $($more: Key),*> PrefixOf<($($part,)+ $($more,)*)> for ($($part::Of<'a>,)+) {
            #[inline]
            fn put(self, key: &mut KeyBytes) {
                let ($($of,)+) = self;
                $($part::put($of, key);)+
            }
        }
    };
}

macro_rules! namespace_first {
    ($($more:ident),+) => {
        impl<$($more: Key),+> PrefixOf<(NamespaceId, $($more,)+)> for NamespaceId {
            #[inline]
            fn put(self, key: &mut KeyBytes) {
                <Self as Key>::put(self, key);
            }
        }
    };
}

tuple!(A a, B b);
tuple!(A a, B b, C c);
tuple!(A a, B b, C c, D d);
tuple!(A a, B b, C c, D d, E e);
tuple!(A a, B b, C c, D d, E e, F f);
tuple!(A a, B b, C c, D d, E e, F f, G g);
namespace_first!(B);
namespace_first!(B, C);
namespace_first!(B, C, D);
namespace_first!(B, C, D, E);
namespace_first!(B, C, D, E, F);
namespace_first!(B, C, D, E, F, G);
prefix!(A a; B);
prefix!(A a, B b;);
prefix!(A a; B, C);
prefix!(A a, B b; C);
prefix!(A a, B b, C c;);
prefix!(A a; B, C, D);
prefix!(A a, B b; C, D);
prefix!(A a, B b, C c; D);
prefix!(A a, B b, C c, D d;);
prefix!(A a; B, C, D, E);
prefix!(A a, B b; C, D, E);
prefix!(A a, B b, C c; D, E);
prefix!(A a, B b, C c, D d; E);
prefix!(A a, B b, C c, D d, E e;);
prefix!(A a; B, C, D, E, F, G);
prefix!(A a, B b; C, D, E, F, G);
prefix!(A a, B b, C c; D, E, F, G);
prefix!(A a, B b, C c, D d; E, F, G);
prefix!(A a, B b, C c, D d, E e; F, G);
prefix!(A a, B b, C c, D d, E e, F f; G);
prefix!(A a, B b, C c, D d, E e, F f, G g;);

impl PrefixOf<Text> for &str {
    fn put(self, key: &mut KeyBytes) {
        key.extend(self.as_bytes());
    }
}

impl PrefixOf<Bytes> for &[u8] {
    fn put(self, key: &mut KeyBytes) {
        key.extend(self);
    }
}

impl PrefixOf<Self> for NamespaceId {
    fn put(self, key: &mut KeyBytes) {
        <Self as Key>::put(self, key);
    }
}
