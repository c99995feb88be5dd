//! Conversations.

use annals_records::LabelClass;
use annals_types::profile::{ExtractTrigger, SESSION_END};
use annals_types::{
    Episode, Filter, Label, Layer, Memory, MemoryId, Metadata, NewMemory, NewTurn, Row,
    SessionState, Timestamp, Value, rewrite_fields, rewrite_text,
};
use tracing::instrument;

use crate::handles::Namespace;
use crate::{Error, HandledCommand, ListQuery, SessionEnd, SessionInfo, TurnRecord};
use annals_curation::cursors;
use annals_curation::episodes::Left;

handles! {
    /// One conversation: its turns, its state and its end. A name that is not allowed is an error
    /// of each call.
    pub struct Session;
    example {
        /// ```
        /// let memory = annals::Options::new().in_memory()?;
        /// let user = memory.namespace("user:42")?;
        /// user.sessions().append(vec![annals::NewTurn::builder("monday", "My cat is called Momo.").build()?])?;
        /// let monday = user.session("monday");
        /// assert_eq!(monday.turns(0, 10)?[0].content, "My cat is called Momo.");
        /// monday.end()?;
        /// # Ok::<(), annals::Error>(())
        /// ```
    }
    asynchronous {
        /// ```
        /// # fn main() -> Result<(), annals::Error> { pollster::block_on(async {
        /// let memory = annals::Memory::from(annals::Options::new().in_memory()?);
        /// let user = memory.namespace("user:42")?;
        /// user.sessions().append(vec![annals::NewTurn::builder("monday", "My cat is called Momo.").build()?]).await?;
        /// let monday = user.session("monday");
        /// assert_eq!(monday.turns(0, 10).await?[0].content, "My cat is called Momo.");
        /// monday.end().await?;
        /// # Ok(()) }) }
        /// ```
    }

    /// The conversations of a namespace.
    pub struct Sessions;
    example {
        /// ```
        /// let memory = annals::Options::new().in_memory()?;
        /// let user = memory.namespace("user:42")?;
        /// user.sessions().append(vec![annals::NewTurn::builder("monday", "My cat is called Momo.").build()?])?;
        /// assert_eq!(user.sessions().list()?[0].name, "monday");
        /// # Ok::<(), annals::Error>(())
        /// ```
    }
    asynchronous {
        /// ```
        /// # fn main() -> Result<(), annals::Error> { pollster::block_on(async {
        /// let memory = annals::Memory::from(annals::Options::new().in_memory()?);
        /// let user = memory.namespace("user:42")?;
        /// user.sessions().append(vec![annals::NewTurn::builder("monday", "My cat is called Momo.").build()?]).await?;
        /// assert_eq!(user.sessions().list().await?[0].name, "monday");
        /// # Ok(()) }) }
        /// ```
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Session {
    pub(super) space: Namespace,
    pub(super) name: String,
}

impl Session {
    pub(super) fn label(&self) -> Result<Label, Error> {
        Ok(Label::new("session", self.name.as_str())?)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Sessions {
    pub(super) space: Namespace,
}

calls! {
    for Session;

    opens {
        /// Begins a conversation whose messages are kept in memory only, under the `window`
        /// settings of the profile.
        ///
        /// # Errors
        /// When the name of the session is not allowed, or the file cannot be read.
        fn working() -> WorkingMemory;
    }

    calls {
        /// Queues the turns of a session that have not been looked through, in pieces, or the last
        /// window of them where the profile fixes one, whatever it says about when: as when a
        /// person says "remember this". It does not count among those that begin by themselves.
        /// Answers whether there were any; none under a profile that asks no model.
        ///
        /// # Errors
        /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a name that no session can have;
        /// when the file cannot be written.
        fn extract() -> bool;

        /// As [`extract`](Self::extract) at an event, if the profile wants an extraction then: the
        /// session ends, was idle, is being shortened ...
        ///
        /// # Errors
        /// As [`extract`](Self::extract).
        fn extract_at(event: own(ExtractTrigger)) -> bool;

        /// Queues each turn of a session before a position that has not been looked through, as
        /// when a conversation is shortened and these turns are left out from now on. Answers how
        /// many were not queued before.
        ///
        /// # Errors
        /// As [`extract`](Self::extract).
        fn extract_before(position: own(u32)) -> u64;

        /// At most `limit` messages of a session from a position on, in order, with what becomes of
        /// them.
        ///
        /// # Errors
        /// As [`memories`](Self::memories).
        fn turns(from_position: own(u32), limit: own(usize)) -> Vec<TurnRecord>;

        /// At most `limit` turns of a session from a position on, in order.
        ///
        /// # Errors
        /// When they cannot be read, or the name of the session is not allowed.
        fn memories(from_position: own(u32), limit: own(usize)) -> Vec<Memory>;

        /// What a conversation keeps beside its turns: current task and variables.
        ///
        /// # Errors
        /// When it cannot be read, or the name of the session is not allowed.
        fn state() -> SessionState;

        /// Sets a variable of a conversation; `None` removes it.
        ///
        /// # Errors
        /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for what the profile's privacy
        /// settings refuse; when the file cannot be written, or the name of the session is not
        /// allowed.
        fn set_variable(name: text, value: own(Option<Value>)) -> ();
        example {
            /// ```
            /// let memory = annals::Options::new().in_memory()?;
            /// let user = memory.namespace("user:42")?;
            /// let monday = user.session("monday");
            /// monday.set_variable("topic", Some("cats".into()))?;
            /// assert_eq!(monday.state()?.variables.len(), 1);
            /// # Ok::<(), annals::Error>(())
            /// ```
        }

        /// A conversation is over: in one transaction its variables and task go, and memories that
        /// live no longer than it; then an episode is made of its turns, if the profile wants one
        /// and there is a summarizer, and the profile's jobs for this event run. Calling it again
        /// does nothing more, unless there are new turns. What could not be summarized is tried
        /// again by the job with the step `queue`.
        ///
        /// # Errors
        /// When the file cannot be read or written, or the name of the session is not allowed.
        fn end() -> SessionEnd;

        /// Makes the conversation temporary, or no longer. While it is, its turns are neither
        /// [stored](crate::Sessions::append) nor looked through, a
        /// [`context`](crate::Namespace::context) for it holds no memory and counts no use, and
        /// nothing is carried out that its user wishes for. What was said meanwhile is not looked
        /// through later either: a turn whose time lies in that span stays away. The file keeps
        /// the name of the session and these spans, and nothing that was said.
        ///
        /// # Errors
        /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a name that no session can have;
        /// when the file cannot be written.
        fn set_temporary(on: own(bool)) -> ();
        example {
            /// ```
            /// let memory = annals::Options::new().in_memory()?;
            /// let user = memory.namespace("user:42")?;
            /// user.session("monday").set_temporary(true)?;
            /// let turn = annals::NewTurn::builder("monday", "Nobody must know this.").build()?;
            /// assert!(user.sessions().append(vec![turn])?.is_empty());
            /// # Ok::<(), annals::Error>(())
            /// ```
        }

        /// Whether the conversation is temporary now.
        ///
        /// # Errors
        /// When it cannot be read, or the name of the session is not allowed.
        fn is_temporary() -> bool;

        /// Whether it was temporary at a moment, such as that of a message of a transcript.
        ///
        /// # Errors
        /// As [`is_temporary`](Self::is_temporary).
        fn was_temporary(at: own(Timestamp)) -> bool;

        /// Carries out a message of a session that begins with a wish.
        ///
        /// "记住：…", "记住这个" and "remember that …" store a memory at once, at the highest level where
        /// the profile goes by levels. For "忘掉那个" and "forget that …" the memory is looked for that
        /// is most likely meant, or else the turn of the session;
        /// [`confirm`](crate::Reviews::confirm) forgets it. "This" and "that" mean the words of the
        /// user before the message, the answer to a question, or a memory that was kept on request
        /// since. Where memory is switched off (`surface.enabled`), nothing is carried out.
        ///
        /// The text [besides](crate::language::besides) the wish, such as "Tell me a joke", is for
        /// the conversation to answer.
        ///
        /// # Errors
        /// As [`remember`](crate::Namespace::remember) and [`recall`](crate::Namespace::recall), or
        /// when the name of the session is not allowed.
        fn handle_command(message: text) -> HandledCommand;

        /// The answer to the person about what came of a message, in the language of the namespace;
        /// where that is `auto`, in the language of the text that it is about. None when nothing
        /// was asked for.
        ///
        /// # Errors
        /// When the file cannot be read.
        fn reply(handled: own(HandledCommand)) -> Option<String>;
    }
}

calls! {
    for Sessions;

    calls {
        /// The conversations, in the order of their first turns.
        ///
        /// # Errors
        /// When they cannot be read.
        fn list() -> Vec<SessionInfo>;

        /// The names of the sessions that are [temporary](crate::Session::set_temporary) now, in
        /// order.
        ///
        /// # Errors
        /// When they cannot be read.
        fn temporary() -> Vec<String>;

        /// Appends turns to their sessions, in the order given, in one transaction. Answers their
        /// ids. Turns of sessions that are [temporary](crate::Session::set_temporary) are not
        /// stored and have none.
        ///
        /// # Errors
        /// As [`remember`](crate::Namespace::remember).
        fn append(turns: own(Vec<NewTurn>)) -> Vec<MemoryId>;

        /// The episodes that conversations have left, the latest first.
        ///
        /// # Errors
        /// When they cannot be read.
        fn episodes(limit: own(usize)) -> Vec<Episode>;

        /// The same as Markdown, under titles in the language of the namespace.
        ///
        /// # Errors
        /// When they cannot be read.
        fn episodes_markdown(limit: own(usize)) -> String;
    }
}

impl Session {
    pub(crate) fn state(&self) -> Result<SessionState, Error> {
        let session = self.label()?;
        let Some(namespace) = self.space.id()? else {
            return Ok(SessionState::default());
        };
        Ok(annals_records::session_state(
            &self.space.engine.snapshot()?,
            namespace,
            &session,
        )?)
    }

    pub(crate) fn set_variable(&self, name: &str, value: Option<Value>) -> Result<(), Error> {
        let space = self.space.for_call();
        let Some(value) = value else {
            // Under its own name where it was stored while nothing was kept back, else under the
            // one that it was given.
            let masked = self
                .space
                .engine
                .passed_by(space.entry()?, name.to_owned(), rewrite_text)
                .unwrap_or_default();
            return space.session(self.name.as_str()).change_session(|state| {
                state
                    .variables
                    .retain(|known, _| known != name && *known != masked);
            });
        };
        let variable = Metadata::from([(name.to_owned(), value)]);
        let variable = self
            .space
            .engine
            .passed_by(space.entry()?, variable, rewrite_fields)?;
        space
            .session(self.name.as_str())
            .change_session(|state| state.variables.extend(variable.clone()))
    }

    pub(super) fn change_session(
        &self,
        change: impl Fn(&mut SessionState) + Send + Sync,
    ) -> Result<(), Error> {
        let session = self.label()?;
        self.space.engine.write_or_make(self.space.entry()?, |cx| {
            let ns = cx.ns;
            let mut state = annals_records::session_state(&*cx.txn, ns, &session)?;
            change(&mut state);
            annals_records::set_session_state(cx.txn, ns, &session, &state)?;
            Ok(())
        })
    }

    #[instrument(level = "debug", skip_all, fields(namespace = %self.space.name))]
    pub(crate) fn end(&self) -> Result<SessionEnd, Error> {
        let session = self.label()?;
        let Some(namespace) = self.space.id()? else {
            return Ok(SessionEnd {
                session: session.into(),
                ..SessionEnd::default()
            });
        };
        let deleted = self
            .space
            .engine
            .curator()
            .close_session(namespace, &session)?;
        let mut end = SessionEnd {
            session: session.as_str().to_owned(),
            deleted,
            ..SessionEnd::default()
        };
        match self
            .space
            .engine
            .curator()
            .make_episode(namespace, &session)?
        {
            Left::Nothing => {}
            Left::Episode(id) => end.episode = Some(id),
            Left::PutOff(why) => {
                let why = self.space.engine.profile_of(namespace)?.redacted(why);
                tracing::warn!(%session, "an episode is put off");
                end.put_off = Some(why);
            }
        }
        end.jobs = self.space.engine.run_event(namespace, SESSION_END)?;
        Ok(end)
    }
}

impl Sessions {
    pub(crate) fn episodes(&self, limit: usize) -> Result<Vec<Episode>, Error> {
        let filter = Filter {
            layers: vec![Layer::Episodic],
            ..Filter::default()
        };
        let page = self.space.list(&ListQuery {
            filter,
            limit,
            newest_first: true,
            ..ListQuery::default()
        })?;
        Ok(page.memories.iter().filter_map(Episode::of).collect())
    }

    pub(crate) fn episodes_markdown(&self, limit: usize) -> Result<String, Error> {
        let episodes = self.episodes(limit)?;
        let titles = self
            .space
            .messages(episodes.iter().map(|episode| episode.summary.as_str()))?
            .episode_titles();
        let told: Vec<String> = episodes
            .iter()
            .map(|episode| episode.to_markdown(&titles))
            .collect();
        Ok(told.join("\n"))
    }

    pub(crate) fn list(&self) -> Result<Vec<SessionInfo>, Error> {
        let Some(namespace) = self.space.id()? else {
            return Ok(Vec::new());
        };
        let view = self.space.engine.view(namespace)?;
        let columns = &view.columns;
        let time = |row: Option<Row>| {
            row.and_then(|row| columns.get(row))
                .map(|facts| facts.time())
        };
        let sessions = columns
            .labels(LabelClass::Session)
            .map(|(number, name)| SessionInfo {
                name: name.to_owned(),
                turns: columns.session_len(number),
                first: time(columns.session_rows(number).next()),
                last: time(columns.session_end(number)),
            });
        Ok(sessions.filter(|session| session.turns > 0).collect())
    }

    pub(crate) fn append(&self, turns: Vec<NewTurn>) -> Result<Vec<MemoryId>, Error> {
        let turns = self
            .space
            .lasting_turns(turns.into_iter().map(NewMemory::from).collect())?;
        if turns.is_empty() {
            Ok(Vec::new())
        } else {
            self.space.bulk().remember(turns)
        }
    }
}

impl Session {
    pub(crate) fn extract(&self) -> Result<bool, Error> {
        self.begin_extraction(None)
    }

    pub(crate) fn extract_at(&self, event: ExtractTrigger) -> Result<bool, Error> {
        self.begin_extraction(Some(event))
    }

    #[instrument(level = "debug", skip(self), fields(namespace = %self.space.name))]
    fn begin_extraction(&self, event: Option<ExtractTrigger>) -> Result<bool, Error> {
        let session = self.label()?;
        let Some(namespace) = self.space.id()? else {
            return Ok(false);
        };
        if self.is_temporary()? {
            return Ok(false);
        }
        self.space.engine.write(namespace, |cx| {
            let queued = cursors::queue_session(cx, &session, event)?;
            Ok(queued)
        })
    }

    #[instrument(level = "debug", skip(self), fields(namespace = %self.space.name))]
    pub(crate) fn extract_before(&self, position: u32) -> Result<u64, Error> {
        let session = self.label()?;
        let Some(namespace) = self.space.id()? else {
            return Ok(0);
        };
        if self.is_temporary()? {
            return Ok(0);
        }
        self.space
            .engine
            .write(namespace, |cx| cursors::queue_turns(cx, &session, position))
    }

    pub(crate) fn turns(&self, from_position: u32, limit: usize) -> Result<Vec<TurnRecord>, Error> {
        let turns = self.memories(from_position, limit)?;
        let Some(namespace) = self.space.id()? else {
            return Ok(Vec::new());
        };
        let snapshot = self.space.engine.snapshot()?;
        let profile = self.space.engine.profiles.of(&snapshot, namespace)?;
        let ids: Vec<MemoryId> = turns.iter().map(|turn| turn.id).collect();
        let extracted = cursors::looked_at(&snapshot, namespace, &profile.settings, &ids)?;
        let record = |(memory, extracted): (Memory, bool)| {
            let turn = memory.body.turn?;
            Some(TurnRecord {
                id: memory.id,
                session_id: turn.session.as_str().to_owned(),
                turn_index: turn.position,
                role: turn.role,
                content: memory.body.text,
                reply: turn.reply,
                tool_calls: turn.tool_calls,
                timestamp: memory.body.event_time.unwrap_or(memory.stored_at),
                extracted,
            })
        };
        Ok(turns
            .into_iter()
            .zip(extracted)
            .filter_map(record)
            .collect())
    }
}

impl Session {
    pub(crate) fn memories(&self, from_position: u32, limit: usize) -> Result<Vec<Memory>, Error> {
        let session = self.label()?;
        let Some(namespace) = self.space.id()? else {
            return Ok(Vec::new());
        };
        let snapshot = self.space.engine.snapshot()?;
        let turns = annals_records::session_turns(
            &snapshot,
            namespace,
            session.as_str(),
            from_position,
            limit,
        )?;
        let rows: Vec<Row> = turns.into_iter().map(|(_, row)| row).collect();
        Ok(annals_records::memories(&snapshot, namespace, &rows, None)?
            .into_iter()
            .flatten()
            .collect())
    }
}
