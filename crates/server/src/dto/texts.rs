//! Answers that hold texts of memories. Whoever may change or delete and not read gets them without:
//! a write answers what it did, and is no way to read.

/// An answer that holds texts of memories.
pub(crate) trait HoldsTexts {
    /// The same with ids, counts and states alone.
    fn without_texts(self) -> Self;
}

impl<T: HoldsTexts> HoldsTexts for Vec<T> {
    fn without_texts(self) -> Self {
        self.into_iter().map(T::without_texts).collect()
    }
}
