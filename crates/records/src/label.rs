use serde::{Deserialize, Serialize};

/// The class of a label. Each class has numbers of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum LabelClass {
    /// A conversation.
    Session,
    /// The speaker of a turn.
    Speaker,
    /// The kind of a memory.
    Kind,
    /// A tag.
    Tag,
    /// The source of a memory.
    Source,
}

impl LabelClass {
    /// Every class, in the order of their bytes.
    pub const ALL: &'static [Self] = &[
        Self::Session,
        Self::Speaker,
        Self::Kind,
        Self::Tag,
        Self::Source,
    ];

    /// The byte used on disk, 1 to 5.
    #[must_use]
    pub const fn to_byte(self) -> u8 {
        match self {
            Self::Session => 1,
            Self::Speaker => 2,
            Self::Kind => 3,
            Self::Tag => 4,
            Self::Source => 5,
        }
    }

    /// The class of a byte on disk.
    #[must_use]
    pub const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            1 => Some(Self::Session),
            2 => Some(Self::Speaker),
            3 => Some(Self::Kind),
            4 => Some(Self::Tag),
            5 => Some(Self::Source),
            _ => None,
        }
    }

    /// The place of the class in arrays with one entry per class.
    pub(crate) const fn index(self) -> usize {
        self.to_byte() as usize - 1
    }
}

/// The number of a label within its class and namespace: counted from 1, never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LabelId(pub u32);

impl LabelId {
    /// From a column, where 0 means none.
    pub(crate) const fn some(number: u32) -> Option<Self> {
        if number == 0 {
            None
        } else {
            Some(Self(number))
        }
    }
}
