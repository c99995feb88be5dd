//! The conversation that is going on.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use annals_types::profile::{ExtractTrigger, Overflow, WindowSettings};
use annals_types::{Label, Layer, Memory, MemoryId, NewMemory, NewTurn, Role, Status};
use parking_lot::Mutex;

use crate::handles::prepared::Prepared;
use crate::handles::{Namespace, Session};
use crate::{Error, Prompt, Spoken};
use annals_engine::compiled::CompiledProfile;

/// Stored turns beyond those at hand among which the sources of a summary are looked for.
const LOOK_BACK: usize = 64;

handles! {
    /// The messages of a conversation that is going on: in memory only, and gone with the process.
    ///
    /// When there are more than the profile's `window.messages`, the oldest go as `window.overflow`
    /// says: they are summarized and the summary is remembered, a summary takes their place, they
    /// are stored as turns and looked through, or they are dropped. What could not be summarized
    /// stays and is tried again in the next round. Clones share the conversation.
    pub struct WorkingMemory(local);
    example {
        /// ```
        /// let memory = annals::Options::new().in_memory()?;
        /// let user = memory.namespace("user:42")?;
        /// let talk = user.session("monday").working()?;
        /// talk.round("Good morning!", "Good morning, how did you sleep?")?;
        /// assert_eq!(talk.messages().len(), 2);
        /// # Ok::<(), annals::Error>(())
        /// ```
    }
    asynchronous {
        /// ```
        /// # fn main() -> Result<(), annals::Error> { pollster::block_on(async {
        /// let memory = annals::Memory::from(annals::Options::new().in_memory()?);
        /// let user = memory.namespace("user:42")?;
        /// let talk = user.session("monday").working().await?;
        /// talk.round("Good morning!", "Good morning, how did you sleep?").await?;
        /// assert_eq!(talk.messages().len(), 2);
        /// # Ok(()) }) }
        /// ```
    }
}

#[derive(Clone)]
pub(crate) struct WorkingMemory {
    pub(super) namespace: Namespace,
    session: Label,
    pub(super) profile: Arc<CompiledProfile>,
    pub(super) held: Arc<Mutex<Held>>,
    /// What tools brought in the last turn.
    pub(super) prepared: Arc<Prepared>,
    /// Held while a summary is made, so that no message is in two.
    summarizing: Arc<Mutex<()>>,
}

#[derive(Default)]
pub(super) struct Held {
    messages: VecDeque<Memory>,
    asides: Vec<Memory>,
    /// Those of them that are stored already.
    stored: BTreeSet<MemoryId>,
    /// Messages that the privacy filter refuses: what is at hand of them is masked, and nothing of
    /// them is stored.
    refused: BTreeSet<MemoryId>,
    /// A summary has failed in this round.
    put_off: bool,
    /// Nothing was said since a turn was over.
    pub(super) over: bool,
}

impl Held {
    /// The messages since the user spoke last, with what tools said.
    pub(super) fn turn(&self) -> Vec<Memory> {
        let role = |message: &Memory| message.body.turn.as_ref().map(|turn| turn.role);
        let begin = self
            .messages
            .iter()
            .rposition(|message| role(message) == Some(Role::User))
            .unwrap_or(0);
        self.messages
            .iter()
            .skip(begin)
            .chain(&self.asides)
            .cloned()
            .collect()
    }
}

impl std::fmt::Debug for WorkingMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorkingMemory")
            .field("session", &self.session)
            .finish_non_exhaustive()
    }
}

impl Session {
    pub(crate) fn working(&self) -> Result<WorkingMemory, Error> {
        let snapshot = self.space.engine.snapshot()?;
        let profile = match self.space.id()? {
            Some(id) => self.space.engine.profiles.of(&snapshot, id)?,
            None => Arc::clone(self.space.engine.profiles.default()),
        };
        Ok(WorkingMemory {
            namespace: self.space.clone(),
            session: self.label()?,
            profile,
            held: Arc::default(),
            prepared: Arc::default(),
            summarizing: Arc::default(),
        })
    }
}

calls! {
    for WorkingMemory(local);

    plain {
        /// The session.
        fn session() -> &str;

        /// How many messages are kept at hand, and what becomes of the others.
        fn window() -> &WindowSettings;

        /// The messages of user and assistant that are at hand, oldest first.
        fn messages() -> Vec<Memory>;

        /// What tools and the application said since the user spoke last. It does not count as
        /// messages and is in no summary.
        fn asides() -> Vec<Memory>;
    }

    calls {
        /// The prompt in which a model answers a message of the user that has not been said yet:
        /// what the application tells the model (`instruction`, left as it is) with what of the
        /// memory belongs to it, the messages at hand, and the new one. It is made of the memory as
        /// it is now, and counted as [`context`](crate::Namespace::context) counts.
        ///
        /// What the profile's privacy settings mask or refuse does not stand in it, neither in the
        /// messages nor in what belongs to them; only `instruction` is not looked at.
        ///
        /// What tools brought in the last turn and is still being condensed is waited for, at most
        /// `condense.wait_ms` of the profile.
        ///
        /// # Errors
        /// As [`context`](crate::Namespace::context).
        fn prompt(instruction: text, message: text) -> Prompt;

        /// The turn is over, as [`round`](Self::round) says by itself: if tools brought anything in
        /// it, a model condenses that for the next turn, where the profile wants it
        /// (`condense.on`). Returns at once; nothing of it is stored.
        ///
        /// # Errors
        /// When the thread that asks the model cannot be started.
        fn end_turn() -> ();

        /// Takes a round: what the user said, and what was answered; the turn is then
        /// [over](Self::end_turn). Blocks while a summary is made.
        ///
        /// # Errors
        /// When a text is not allowed, or a summary cannot be stored; the messages are at hand then
        /// all the same.
        fn round(said: text, answered: text) -> Spoken;

        /// Takes a message. Blocks while a summary is made, if one is due; nothing waits for
        /// messages to be looked through.
        ///
        /// # Errors
        /// When a summary or the oldest messages cannot be stored; the message is at hand then all
        /// the same.
        fn say(turn: own(NewTurn)) -> Spoken;

        /// Takes a message that is [stored](crate::Sessions::append) already, under this id: when
        /// it no longer fits it is not stored again, only looked through.
        ///
        /// # Errors
        /// As [`say`](Self::say).
        fn say_stored(id: own(MemoryId), turn: own(NewTurn)) -> Spoken;

        /// Ends the conversation: what is left of it is summarized if it is long enough, or stored
        /// where the profile wants that, the turns of its session that are stored and have not been
        /// looked through are queued for that where the profile wants it at the end of sessions,
        /// and no message is at hand any more.
        ///
        /// # Errors
        /// When the summary or the messages cannot be stored.
        fn close() -> Spoken;
    }
}

impl WorkingMemory {
    pub(crate) fn session(&self) -> &str {
        self.session.as_str()
    }

    pub(crate) fn window(&self) -> &WindowSettings {
        &self.profile.settings.window
    }

    pub(crate) fn messages(&self) -> Vec<Memory> {
        self.held.lock().messages.iter().cloned().collect()
    }

    pub(crate) fn asides(&self) -> Vec<Memory> {
        self.held.lock().asides.clone()
    }

    pub(crate) fn round(&self, said: &str, answered: &str) -> Result<Spoken, Error> {
        let session = self.session.as_str();
        let said = NewTurn::builder(session, said).role(Role::User).build()?;
        let answered = NewTurn::builder(session, answered)
            .role(Role::Assistant)
            .build()?;
        let first = self.say(said)?;
        let then = self.say(answered)?;
        self.end_turn()?;
        Ok(Spoken {
            episode: first.episode.or(then.episode),
            put_off: first.put_off.or(then.put_off),
            moved: first.moved + then.moved,
            refused: first.refused + then.refused,
        })
    }

    pub(crate) fn say(&self, turn: NewTurn) -> Result<Spoken, Error> {
        self.take(self.message(turn))
    }

    pub(crate) fn say_stored(&self, id: MemoryId, turn: NewTurn) -> Result<Spoken, Error> {
        self.held.lock().stored.insert(id);
        // What is stored has passed the filter.
        self.take((
            Memory {
                id,
                ..self.message(turn).0
            },
            true,
        ))
    }

    fn take(&self, message: (Memory, bool)) -> Result<Spoken, Error> {
        if !self.push(message) {
            return Ok(Spoken::default());
        }
        match self.window().overflow {
            Overflow::Extract => self.hand_over(false),
            _ => self.summarize(false),
        }
    }

    pub(crate) fn close(&self) -> Result<Spoken, Error> {
        let left: Vec<Memory> = self.held.lock().messages.iter().cloned().collect();
        let rounds = usize::try_from(self.window().close_rounds).unwrap_or(usize::MAX);
        let done = match self.window().overflow {
            Overflow::Extract => self.hand_over(true)?,
            Overflow::Summarize if rounds > 0 && left.len() / 2 >= rounds => {
                self.summarize(true)?
            }
            _ => Spoken::default(),
        };
        if self.window().overflow != Overflow::Extract {
            self.namespace
                .session(self.session())
                .extract_at(ExtractTrigger::SessionEnd)?;
        }
        if done.put_off.is_none() {
            // What was said meanwhile is the beginning of another conversation.
            self.let_go(&left);
            let mut held = self.held.lock();
            held.asides.clear();
            held.put_off = false;
        }
        Ok(done)
    }

    /// A message as it may be at hand, and whether it may be stored.
    fn message(&self, turn: NewTurn) -> (Memory, bool) {
        let engine = self.namespace.engine();
        let now = engine.now();
        let mut body = NewMemory::from(turn).into_body();
        body.event_time.get_or_insert(now);
        let mut allowed = true;
        if let Some(screen) = self.profile.screen() {
            allowed = screen.body(&mut body.clone()).is_ok();
            // What must not be kept must not be at hand either: it would be sent with each message,
            // and summarized.
            screen.redact_body(&mut body);
        }
        let message = Memory {
            id: engine.ids.next(now),
            body,
            status: Status::Active,
            stored_at: now,
            named_times: Vec::new(),
            supersedes: None,
            superseded_by: None,
            revision: 1,
        };
        (message, allowed)
    }

    /// Adds a message; answers whether there are too many now.
    fn push(&self, (message, allowed): (Memory, bool)) -> bool {
        let role = message
            .body
            .turn
            .as_ref()
            .map_or(Role::User, |turn| turn.role);
        let mut held = self.held.lock();
        held.over = false;
        if role == Role::User {
            held.asides.clear();
            held.put_off = false;
        }
        if !matches!(role, Role::User | Role::Assistant) {
            held.asides.push(message);
            return false;
        }
        if !allowed {
            held.refused.insert(message.id);
        }
        held.messages.push_back(message);
        let most = usize::try_from(self.window().messages).unwrap_or(usize::MAX);
        if most == 0 || held.messages.len() <= most {
            return false;
        }
        match self.window().overflow {
            Overflow::Summarize | Overflow::Condense => return !held.put_off,
            Overflow::Extract => return true,
            Overflow::Drop => {
                if let Some(dropped) = held.messages.pop_front() {
                    held.stored.remove(&dropped.id);
                    held.refused.remove(&dropped.id);
                }
            }
        }
        false
    }

    /// Stores the oldest messages, or all of them, as turns of the session, and lets them be looked
    /// through later.
    fn hand_over(&self, all: bool) -> Result<Spoken, Error> {
        let _locked = self.summarizing.lock();
        self.let_go_forgotten()?;
        let settings = self.window();
        let (batch, most) = (
            usize::try_from(settings.batch).unwrap_or(usize::MAX),
            settings.messages,
        );
        let (turns, refused): (Vec<Memory>, BTreeSet<MemoryId>) = {
            let held = self.held.lock();
            // Another thread may have handed them over meanwhile.
            if !all && u32::try_from(held.messages.len()).unwrap_or(u32::MAX) <= most {
                return Ok(Spoken::default());
            }
            let turns = held
                .messages
                .iter()
                .take(if all { usize::MAX } else { batch })
                .cloned();
            (turns.collect(), held.refused.clone())
        };
        let stored = self.held.lock().stored.clone();
        let unstored = turns
            .iter()
            .filter(|turn| !refused.contains(&turn.id) && !stored.contains(&turn.id));
        let new = unstored
            .map(|turn| NewMemory::from_body(turn.body.clone()))
            .collect::<Result<Vec<_>, _>>()?;
        let refused = turns
            .iter()
            .filter(|turn| refused.contains(&turn.id))
            .count();
        let new = self.namespace.lasting_turns(new)?;
        if !new.is_empty() {
            self.namespace.bulk().remember(new)?;
        }
        // They are stored: whatever becomes of the rest, they are not stored again.
        self.let_go(&turns);
        let event = if all {
            ExtractTrigger::SessionEnd
        } else {
            ExtractTrigger::Compress
        };
        self.namespace.session(self.session()).extract_at(event)?;
        Ok(Spoken {
            moved: turns.len().saturating_sub(refused),
            refused,
            ..Spoken::default()
        })
    }

    fn let_go(&self, turns: &[Memory]) {
        let mut held = self.held.lock();
        held.messages
            .retain(|message| !turns.iter().any(|turn| turn.id == message.id));
        held.stored
            .retain(|id| !turns.iter().any(|turn| turn.id == *id));
        held.refused
            .retain(|id| turns.iter().all(|turn| turn.id != *id));
    }

    /// Makes a memory of the oldest messages, or of all of them.
    fn summarize(&self, all: bool) -> Result<Spoken, Error> {
        let _locked = self.summarizing.lock();
        self.let_go_forgotten()?;
        let settings = self.window();
        let condenses = settings.overflow == Overflow::Condense;
        let count = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        let turns: Vec<Memory> = {
            let held = self.held.lock();
            // Another thread may have made the summary meanwhile.
            if !all && held.messages.len() <= count(settings.messages) {
                return Ok(Spoken::default());
            }
            let oldest = match settings.overflow {
                _ if all => usize::MAX,
                Overflow::Condense => held.messages.len().saturating_sub(count(settings.keep)),
                _ => count(settings.batch),
            };
            held.messages.iter().take(oldest).cloned().collect()
        };
        let put_off = |why: String| {
            let why = self.profile.redacted(why);
            tracing::warn!(session = %self.session, "messages are not summarized yet");
            self.held.lock().put_off = true;
            Ok(Spoken {
                put_off: Some(why),
                ..Spoken::default()
            })
        };
        if !condenses && self.namespace.session(self.session()).is_temporary()? {
            // No summary of it is kept either.
            self.let_go(&turns);
            return Ok(Spoken::default());
        }
        let engine = self.namespace.engine();
        let Some(summarizer) = engine.advisers.summarizer(&self.profile, &engine.closing) else {
            return put_off("there is no summarizer; set one in the options".to_owned());
        };
        let known = self.stored(&turns)?;
        let summary = match summarizer.summarize(&turns) {
            Ok(summary) if summary.trim().is_empty() => {
                return put_off("the summary is empty".to_owned());
            }
            Ok(summary) => summary,
            Err(error) => return put_off(error.to_string()),
        };
        if condenses {
            let (summary, _) = self.message(
                NewTurn::builder(self.session(), summary)
                    .role(Role::System)
                    .build()?,
            );
            self.let_go(&turns);
            self.held.lock().messages.push_front(summary);
            return Ok(Spoken {
                moved: turns.len(),
                ..Spoken::default()
            });
        }
        let stored = self.stored(&turns)?;
        if self.forget_deleted(&known, &stored) {
            return put_off("some of the messages were deleted meanwhile".to_owned());
        }
        let episode = self.remember(&summary, turns.len(), &stored)?;
        self.let_go(&turns);
        Ok(Spoken {
            episode: Some(episode),
            moved: turns.len(),
            ..Spoken::default()
        })
    }

    /// Lets go of messages whose turns were forgotten or deleted since: nobody is told them any
    /// more.
    pub(super) fn let_go_forgotten(&self) -> Result<(), Error> {
        let Some(namespace) = self.namespace.id()? else {
            return Ok(());
        };
        let (messages, stored) = {
            let held = self.held.lock();
            (
                held.messages.iter().cloned().collect::<Vec<_>>(),
                held.stored.clone(),
            )
        };
        let snapshot = self.namespace.engine().snapshot()?;
        let (known, unknown): (Vec<Memory>, Vec<Memory>) = messages
            .into_iter()
            .partition(|message| stored.contains(&message.id));
        let ids: Vec<MemoryId> = known.iter().map(|message| message.id).collect();
        let rows: Vec<_> = annals_records::find_rows(&snapshot, namespace, &ids)?
            .into_iter()
            .flatten()
            .collect();
        let told: BTreeSet<MemoryId> = annals_records::memories(&snapshot, namespace, &rows, None)?
            .into_iter()
            .flatten()
            .filter(is_told)
            .map(|turn| turn.id)
            .collect();
        let mut gone: Vec<Memory> = known
            .into_iter()
            .filter(|message| !told.contains(&message.id))
            .collect();
        if !unknown.is_empty() {
            let (told, forgotten): (Vec<Memory>, Vec<Memory>) =
                self.said_so(&unknown)?.into_iter().partition(is_told);
            let says = |turns: &[Memory], message: &Memory| {
                turns.iter().any(|turn| turn.body.text == message.body.text)
            };
            gone.extend(
                unknown
                    .into_iter()
                    .filter(|message| says(&forgotten, message) && !says(&told, message)),
            );
        }
        self.let_go(&gone);
        Ok(())
    }

    /// The stored turns of the session that say what these messages say, wherever somebody stores
    /// them, and that may be told.
    fn stored(&self, messages: &[Memory]) -> Result<Vec<Memory>, Error> {
        Ok(self
            .said_so(messages)?
            .into_iter()
            .filter(is_told)
            .collect())
    }

    /// The same with those that were forgotten.
    fn said_so(&self, messages: &[Memory]) -> Result<Vec<Memory>, Error> {
        let engine = self.namespace.engine();
        let (snapshot, Some(namespace)) = (engine.snapshot()?, self.namespace.id()?) else {
            return Ok(Vec::new());
        };
        let count = annals_records::session_places(&snapshot, namespace, self.session())?;
        let from =
            count.saturating_sub(u32::try_from(2 * messages.len() + LOOK_BACK).unwrap_or(u32::MAX));
        let found =
            annals_records::session_turns(&snapshot, namespace, self.session(), from, usize::MAX)?;
        let rows: Vec<_> = found.into_iter().map(|(_, row)| row).collect();
        let turns = annals_records::memories(&snapshot, namespace, &rows, None)?;
        let said: BTreeSet<&str> = messages
            .iter()
            .map(|message| message.body.text.as_str())
            .collect();
        let same = turns
            .into_iter()
            .flatten()
            .filter(|turn| said.contains(turn.body.text.as_str()));
        Ok(same.collect())
    }

    /// Lets go of messages that were stored as turns that may be told and are not any more; answers
    /// whether there are such.
    fn forget_deleted(&self, before: &[Memory], now: &[Memory]) -> bool {
        let ids: BTreeSet<MemoryId> = now.iter().map(|turn| turn.id).collect();
        let gone = |turn: &&Memory| {
            !ids.contains(&turn.id) && now.iter().all(|left| left.body.text != turn.body.text)
        };
        let gone: BTreeSet<&str> = before
            .iter()
            .filter(gone)
            .map(|turn| turn.body.text.as_str())
            .collect();
        self.held
            .lock()
            .messages
            .retain(|message| !gone.contains(message.body.text.as_str()));
        !gone.is_empty()
    }

    fn remember(
        &self,
        summary: &str,
        messages: usize,
        stored: &[Memory],
    ) -> Result<MemoryId, Error> {
        let settings = self.window();
        let now = self.namespace.engine().now();
        // A summary that is refused would be made again with each message.
        let text = self
            .profile
            .redacted(settings.text(&self.profile.policy.zone().minute(now), summary));
        let mut memory = NewMemory::builder(text)
            .layer(Layer::Episodic)
            .kind(settings.kind.as_str())
            .event_time(now)
            .metadata("session", self.session.as_str())
            .metadata("messages", i64::try_from(messages).unwrap_or(i64::MAX));
        for turn in stored {
            memory = memory.derived_from(turn.id);
        }
        if let Some(source) = &settings.source {
            memory = memory.source(source.as_str());
        }
        self.namespace.remember::<NewMemory>(memory.build()?)
    }
}

/// Whether a turn may be told: what was forgotten is told to nobody.
fn is_told(turn: &Memory) -> bool {
    turn.status != Status::Forgotten
}
