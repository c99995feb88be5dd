//! Episodes: what conversations leave behind, and when it answers questions.

use std::collections::BTreeMap;

use annals_storage::Reads;
use annals_types::{
    Body, EpisodeDraft, Kind, Label, Layer, Memory, MemoryId, NamespaceId, NamespaceName,
    NewMemory, Role, Row,
};

use crate::Curator;
use annals_engine::Arrival;
use annals_engine::Error;
use annals_engine::by_entity::ENTITY;
use annals_engine::resolve::in_use;

/// The most turns that an episode names as its sources, the latest.
const SOURCES: usize = 4096;
/// Turns that one episode is made of; what is beyond is left to the next one.
const MAX_TURNS: usize = 10_000;

/// The fate of the episode of a session.
pub enum Left {
    /// None is owed, or the user said nothing.
    Nothing,
    /// It is this memory.
    Episode(MemoryId),
    /// It cannot be made now, for this reason.
    PutOff(String),
}

impl Curator<'_> {
    /// Makes the episode that a session owes, of the turns that are in none yet.
    pub fn make_episode(&self, namespace: NamespaceId, session: &Label) -> Result<Left, Error> {
        let snapshot = self.snapshot()?;
        let state = annals_records::session_state(&snapshot, namespace, session)?;
        if !state.owes_episode {
            return Ok(Left::Nothing);
        }
        let from = state.summarized_to;
        let found =
            annals_records::session_turns(&snapshot, namespace, session.as_str(), from, MAX_TURNS)?;
        let next = found
            .last()
            .map_or(from, |(position, _)| position.saturating_add(1));
        let rows: Vec<Row> = found.into_iter().map(|(_, row)| row).collect();
        let turns = annals_records::memories(&snapshot, namespace, &rows, None)?;
        // Forgotten turns are shown to no summarizer.
        let turns: Vec<Memory> = turns.into_iter().flatten().filter(in_use).collect();
        let by_user = |memory: &Memory| {
            memory
                .body
                .turn
                .as_ref()
                .is_some_and(|turn| turn.role == Role::User)
        };
        let mut arrivals = Vec::new();
        let now = self.now();
        if turns.iter().any(by_user) {
            let profile = self.profiles.of(&snapshot, namespace)?;
            let Some(summarizer) = self.advisers.summarizer(&profile, &self.closing) else {
                return Ok(Left::PutOff(
                    "there is no summarizer; set one in the options".to_owned(),
                ));
            };
            let draft = match summarizer.episode(&turns) {
                Ok(draft) if draft.summary.trim().is_empty() => {
                    return Ok(Left::PutOff("the summary is empty".to_owned()));
                }
                Ok(draft) => draft,
                Err(error) => return Ok(Left::PutOff(error.to_string())),
            };
            let mut made = episode(&draft, &profile.settings.episodes.kind, session, &turns)?;
            if let Some(screen) = profile.screen() {
                // A summary that was refused would be refused each time.
                made = made.rewritten(&mut |text| screen.instead(text))?;
            }
            let prepared = self.prepare(vec![made])?;
            arrivals.extend(
                prepared
                    .into_iter()
                    .map(|prepared| Arrival::new(self.ids.next(now), prepared)),
            );
        }
        let made = self.write(namespace, |cx| {
            let ns = cx.ns;
            let mut state = annals_records::session_state(&*cx.txn, ns, session)?;
            // Another call may have made it meanwhile.
            if !state.owes_episode || state.summarized_to != from {
                return Ok(Left::Nothing);
            }
            if !are_in_use(&*cx.txn, ns, &turns)? {
                return Ok(Left::PutOff(
                    "some of its turns were taken away meanwhile".to_owned(),
                ));
            }
            (state.summarized_to, state.owes_episode) = (next, false);
            annals_records::set_session_state(cx.txn, ns, session, &state)?;
            let Some(id) = arrivals.first().map(|arrival| arrival.id) else {
                return Ok(Left::Nothing);
            };
            self.append_in(cx, &arrivals)?;
            Ok(Left::Episode(id))
        })?;
        Ok(made)
    }

    /// Makes the episodes that sessions of some namespaces owe; answers how many were made, and how
    /// many are put off.
    pub(crate) fn owed_episodes(
        &self,
        spaces: &[(NamespaceId, NamespaceName)],
    ) -> Result<BTreeMap<String, u64>, Error> {
        let (mut made, mut put_off) = (0, 0);
        for (namespace, _) in spaces {
            let states = annals_records::session_states(&self.snapshot()?, *namespace)?;
            for (session, _) in states.iter().filter(|(_, state)| state.owes_episode) {
                match self.make_episode(*namespace, session) {
                    Err(error) if error.is_gone() => break,
                    Err(error) => return Err(error),
                    Ok(Left::Nothing) => {}
                    Ok(Left::Episode(_)) => made += 1,
                    Ok(Left::PutOff(_)) => {
                        tracing::warn!(%session, "an episode is put off");
                        put_off += 1;
                    }
                }
            }
        }
        let counts = [("episodes", made), ("episodes put off", put_off)];
        Ok(counts
            .into_iter()
            .filter(|(_, n)| *n > 0)
            .map(|(word, n)| (word.to_owned(), n))
            .collect())
    }
}

/// Whether turns are what they were when somebody was asked about them, none of them deleted,
/// forgotten or changed.
fn are_in_use(reads: &dyn Reads, ns: NamespaceId, turns: &[Memory]) -> Result<bool, Error> {
    let ids: Vec<MemoryId> = turns.iter().map(|turn| turn.id).collect();
    let rows: Vec<Row> = annals_records::find_rows(reads, ns, &ids)?
        .into_iter()
        .flatten()
        .collect();
    let now = annals_records::memories(reads, ns, &rows, None)?;
    let as_it_was =
        |turn: &Memory, now: &Memory| turn.id == now.id && turn.body == now.body && in_use(now);
    Ok(now.len() == turns.len()
        && turns
            .iter()
            .zip(&now)
            .all(|(turn, now)| now.as_ref().is_some_and(|now| as_it_was(turn, now))))
}

/// An episode that is made anew of fewer turns. Fields and tags that others have put beside it
/// stay.
pub(crate) fn made_anew(
    body: &Body,
    draft: &EpisodeDraft,
    session: &Label,
    turns: &[Memory],
) -> Result<Body, Error> {
    let mut again = body.clone();
    let made = episode(draft, body.kind.as_str(), session, turns)?.into_body();
    again.tags.retain(|tag| !tag.as_str().starts_with(ENTITY));
    again.tags.extend(made.tags);
    again.metadata.extend(made.metadata);
    (again.text, again.event_time, again.provenance) =
        (made.text, made.event_time, made.provenance);
    Ok(again)
}

/// The memory of an episode: the summary, everything else as fields, and a tag for each thing that
/// it is about.
fn episode(
    draft: &EpisodeDraft,
    kind: &str,
    session: &Label,
    turns: &[Memory],
) -> Result<NewMemory, Error> {
    let kind = Kind::new(kind)?;
    let mut memory = NewMemory::builder(draft.summary.trim())
        .layer(Layer::Episodic)
        .kind(kind.as_str());
    if let Some(last) = turns.last() {
        memory = memory.event_time(last.body.event_time.unwrap_or(last.stored_at));
    }
    // It goes with the last of its turns, and is made anew when one of them goes.
    for turn in turns.iter().rev().take(SOURCES) {
        memory = memory.derived_from(turn.id);
    }
    for (key, value) in draft.metadata(session, turns) {
        memory = memory.metadata(key, value);
    }
    for name in &draft.entities {
        let tag = format!("{ENTITY}{}", name.trim().to_lowercase());
        // A name that is no label cannot be asked for.
        if !name.trim().is_empty() && Label::new("tag", tag.as_str()).is_ok() {
            memory = memory.tag(tag);
        }
    }
    Ok(memory.build()?)
}
