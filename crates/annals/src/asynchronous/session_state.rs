//! What goes with sessions: their turns, their ends, and the scratchpad.

use annals_types::{Episode, MemoryId, NewTurn, Scratchpad};

use super::Namespace;
use crate::{ContextPart, Error, Merged, SessionEnd, TurnBefore, TurnRecord};

impl Namespace {
    calls! {
        /// What is being worked on, and what was before.
        scratchpad() -> Scratchpad;
        /// The parts that the profile puts before a model whatever the message.
        build_prompt_parts() -> Vec<ContextPart>;
        /// What a prompt gets of the memories, the highest scores first.
        prompt_memories(top_k: u32) -> String;
        /// A turn is over: it is stored as it was.
        on_turn_end(turn: NewTurn) -> MemoryId;
        /// The episodes that conversations have left, the latest first.
        episodes(limit: usize) -> Vec<Episode>;
    }

    /// A turn begins: takes the description of what is being done.
    ///
    /// # Errors
    /// As [`blocking::Namespace::on_turn_start`](crate::blocking::Namespace::on_turn_start).
    pub async fn on_turn_start(
        &self,
        session: impl Into<String>,
        task: impl Into<String>,
    ) -> Result<Scratchpad, Error> {
        let (handle, session, task) = (self.0.clone(), session.into(), task.into());
        ::blocking::unblock(move || handle.on_turn_start(&session, &task)).await
    }

    /// A turn came to nothing: what was noted at its start is taken back.
    ///
    /// # Errors
    /// As [`blocking::Namespace::on_turn_cancelled`](crate::blocking::Namespace::on_turn_cancelled).
    pub async fn on_turn_cancelled(&self, session: impl Into<String>, before: TurnBefore) -> Result<(), Error> {
        let (handle, session) = (self.0.clone(), session.into());
        ::blocking::unblock(move || handle.on_turn_cancelled(&session, &before)).await
    }

    /// What a conversation works on, to be put back if its next turn comes to nothing.
    ///
    /// # Errors
    /// As [`blocking::Namespace::turn_before`](crate::blocking::Namespace::turn_before).
    pub async fn turn_before(&self, session: impl Into<String>) -> Result<TurnBefore, Error> {
        let (handle, session) = (self.0.clone(), session.into());
        ::blocking::unblock(move || handle.turn_before(&session)).await
    }

    /// Merges a session in: stores its new messages, has them looked through and runs the jobs for the end of sessions.
    ///
    /// # Errors
    /// As [`blocking::Namespace::process_session_end`](crate::blocking::Namespace::process_session_end).
    pub async fn process_session_end(
        &self,
        messages: Vec<NewTurn>,
        session: impl Into<String>,
    ) -> Result<Merged, Error> {
        let (handle, session) = (self.0.clone(), session.into());
        ::blocking::unblock(move || handle.process_session_end(messages, &session)).await
    }

    /// A conversation was shortened: stores the turns that went, and queues what was not looked through.
    ///
    /// # Errors
    /// As [`blocking::Namespace::on_context_compressed`](crate::blocking::Namespace::on_context_compressed).
    pub async fn on_context_compressed(&self, session: impl Into<String>, turns: Vec<NewTurn>) -> Result<usize, Error> {
        let (handle, session) = (self.0.clone(), session.into());
        ::blocking::unblock(move || handle.on_context_compressed(&session, turns)).await
    }

    /// At most `limit` messages of a session from a position on, with what becomes of them.
    ///
    /// # Errors
    /// As [`blocking::Namespace::turns`](crate::blocking::Namespace::turns).
    pub async fn turns(
        &self,
        session: impl Into<String>,
        from_position: u32,
        limit: usize,
    ) -> Result<Vec<TurnRecord>, Error> {
        let (handle, session) = (self.0.clone(), session.into());
        ::blocking::unblock(move || handle.turns(&session, from_position, limit)).await
    }

    /// A conversation is over.
    ///
    /// # Errors
    /// As [`blocking::Namespace::end_session`](crate::blocking::Namespace::end_session).
    pub async fn end_session(&self, session: impl Into<String>) -> Result<SessionEnd, Error> {
        let (handle, session) = (self.0.clone(), session.into());
        ::blocking::unblock(move || handle.end_session(&session)).await
    }
}
