use crate::{EpisodeDraft, JudgeError, Memory, MemoryId, NewMemory, Shown};

/// What an extractor is given.
#[derive(Debug, Clone, Copy)]
pub struct ExtractWindow<'a> {
    /// The turns to extract from, oldest first.
    pub turns: &'a [Memory],
    /// Memories that exist already. Answers can name these and no others.
    pub known: &'a [Shown],
}

/// One thing that an extractor found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Extracted {
    /// Something new.
    Add(NewMemory),
    /// A known memory says something else now.
    Update(MemoryId, NewMemory),
    /// A known memory was of use.
    Used(MemoryId),
    /// A known memory is wrong or outdated.
    Delete(MemoryId),
    /// A known memory contradicts what is new.
    Contradicted(MemoryId),
}

/// Finds memories in conversations: usually a language model, in tests a script. Blocks until done.
pub trait Extractor: Send + Sync {
    /// What the turns hold that is worth keeping; nothing is a good answer.
    ///
    /// # Errors
    /// [`JudgeError`]; nothing is then stored, and the turns are tried again later.
    fn extract(&self, window: &ExtractWindow<'_>) -> Result<Vec<Extracted>, JudgeError>;
}

/// Makes one text of several: usually a language model, in tests a script. Blocks until done.
pub trait Summarizer: Send + Sync {
    /// A summary of the turns, oldest first.
    ///
    /// # Errors
    /// [`JudgeError`]; the turns then stay, and are summarized later.
    fn summarize(&self, turns: &[Memory]) -> Result<String, JudgeError>;

    /// What a session that has ended leaves behind. Unless implemented, its summary without goal, outcome and entities.
    ///
    /// # Errors
    /// As [`summarize`](Self::summarize).
    fn episode(&self, turns: &[Memory]) -> Result<EpisodeDraft, JudgeError> {
        Ok(EpisodeDraft { summary: self.summarize(turns)?, ..EpisodeDraft::default() })
    }
}
