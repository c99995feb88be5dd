//! Conversations that are going on.

use annals_types::profile::WindowSettings;
use annals_types::{Memory as StoredMemory, MemoryId, NewTurn};

use super::WorkingMemory;
use crate::{Error, Prompt, Spoken, blocking};

impl WorkingMemory {
    /// The blocking handle.
    #[must_use]
    pub const fn blocking(&self) -> &blocking::WorkingMemory {
        &self.0
    }

    /// The session.
    #[must_use]
    pub fn session(&self) -> &str {
        self.0.session()
    }

    /// How many messages are kept at hand, and what becomes of the others.
    #[must_use]
    pub fn window(&self) -> &WindowSettings {
        self.0.window()
    }

    /// The messages of user and assistant that are at hand, oldest first; they are in memory.
    #[must_use]
    pub fn messages(&self) -> Vec<StoredMemory> {
        self.0.messages()
    }

    /// What tools and the application said since the user spoke last.
    #[must_use]
    pub fn asides(&self) -> Vec<StoredMemory> {
        self.0.asides()
    }

    /// What tools brought in the last turn, condensed, after a wait for what is still being condensed as
    /// [`blocking::WorkingMemory::prepared_context`] says.
    pub async fn prepared_context(&self) -> Option<String> {
        let handle = self.0.clone();
        ::blocking::unblock(move || handle.prepared_context()).await
    }

    calls! {
        /// Takes a message, and makes a summary of the oldest if one is due.
        say(turn: NewTurn) -> Spoken;
        /// The same for a message that is stored already, under this id.
        say_stored(id: MemoryId, turn: NewTurn) -> Spoken;
        /// The turn is over: what tools brought in it is condensed for the next one.
        end_turn() -> ();
        /// Ends the conversation.
        close() -> Spoken;
    }

    /// A round: what was said, and what was answered.
    ///
    /// # Errors
    /// As [`blocking::WorkingMemory::round`].
    pub async fn round(&self, said: impl Into<String>, answered: impl Into<String>) -> Result<Spoken, Error> {
        let (handle, said, answered) = (self.0.clone(), said.into(), answered.into());
        ::blocking::unblock(move || handle.round(&said, &answered)).await
    }

    /// The prompt in which a model answers a message that has not been said yet.
    ///
    /// # Errors
    /// As [`blocking::WorkingMemory::prompt`].
    pub async fn prompt(&self, instruction: impl Into<String>, message: impl Into<String>) -> Result<Prompt, Error> {
        let (handle, instruction, message) = (self.0.clone(), instruction.into(), message.into());
        ::blocking::unblock(move || handle.prompt(&instruction, &message)).await
    }
}
