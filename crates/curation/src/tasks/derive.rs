//! Memories that lost one of several sources are made again from those that are left.

use annals_graph::Yield;
use annals_lifecycle::task::{Task, TaskState};
use annals_storage::Reads;
use annals_types::{
    Body, EXTRACTED_FIELDS, Episode, ExtractWindow, Extracted, JudgeError, Label, Layer, Memory,
    MemoryId, NamespaceId, NewMemory, Row, Shown,
};

use crate::Curator;
use crate::episodes;
use crate::tasks::{Derivation, ended};
use annals_engine::Error;
use annals_engine::jobs::Run;
use annals_engine::resolve::in_use;
use annals_engine::{life, stale};

/// The field by which a summary of messages is known.
const MESSAGES: &str = "messages";

/// The result of deriving a memory again from fewer sources.
enum Rederived {
    /// It says this now.
    Says(Box<Body>),
    /// It is as it was.
    Same,
    /// Nothing that is left says so.
    Gone,
}

impl Curator<'_> {
    /// Derives a memory again; answers a word for the result.
    pub(crate) fn derive_again(
        &self,
        run: &Run<'_>,
        id: MemoryId,
        task: &Task,
    ) -> Result<&'static str, Error> {
        let Some(derivation) = self.derivation(task.namespace, id)? else {
            self.drop_work(task)?;
            return Ok("gone");
        };
        let Some(again) = self.ask_again(run, &derivation)? else {
            // As long as if somebody had it; else it would be begun, and given back, again and
            // again.
            let (TaskState::Waiting(until) | TaskState::Claimed(until)) = task.state else {
                return Ok("waiting");
            };
            self.give_back(task, until)?;
            return Ok("waiting");
        };
        let prepared = match &again {
            Rederived::Says(body) => {
                let mut body = Body::clone(body);
                if let Some(screen) = run.profile.screen() {
                    screen.redact_body(&mut body);
                }
                self.prepare(vec![
                    NewMemory::from_body(body)?.with_status(derivation.memory.status),
                ])?
                .pop()
            }
            _ => None,
        };
        let revision = derivation.memory.revision;
        self.write_under(task.namespace, run.profile, self.now(), |cx| {
            let ns = cx.ns;
            let current = annals_records::get(&*cx.txn, ns, id, None)?;
            // The memory changed meanwhile: a text derived for its old revision is not wanted.
            let same = current
                .as_ref()
                .is_some_and(|(_, memory)| memory.revision == revision);
            let word = match (&again, prepared.as_ref().filter(|_| same)) {
                (Rederived::Says(_), Some(prepared)) => {
                    // The old text may repeat the source that is gone.
                    let updated = self.remake_in(cx, id, prepared, Yield::These(&[]))?;
                    life::derive(
                        cx,
                        (updated.row, derivation.memory.status),
                        prepared.memory.body(),
                    )?;
                    self.erase_history_in(cx, (id, updated.row))?;
                    "derived again"
                }
                (Rederived::Gone, _) if same => {
                    self.erase_in(cx, &[id])?;
                    "deleted"
                }
                _ => {
                    if same {
                        stale::clear(cx.txn, ns, &[id])?;
                    }
                    "unchanged"
                }
            };
            ended(cx, task)?;
            Ok(word)
        })
    }

    /// The memory and what is left of its sources; nothing when it is gone or stands on its own.
    fn derivation(&self, ns: NamespaceId, id: MemoryId) -> Result<Option<Derivation>, Error> {
        let snapshot = self.snapshot()?;
        let found = annals_records::get(&snapshot, ns, id, None)?;
        let Some((_, memory)) = found.filter(|(_, memory)| memory.superseded_by.is_none()) else {
            return Ok(None);
        };
        let rows: Vec<Row> = annals_records::rows_of(&snapshot, ns, &[id])?
            .into_iter()
            .flatten()
            .collect();
        let rows = life::saying_now(&snapshot, ns, &rows)?;
        let derivations = annals_graph::derivations(&snapshot, ns, &rows)?;
        let mut sources: Vec<Row> = derivations
            .into_iter()
            .flat_map(|derivation| derivation.sources)
            .collect();
        sources.sort_unstable();
        sources.dedup();
        let mut sources: Vec<Memory> = latest(&snapshot, ns, &sources)?;
        sources.sort_by_key(|source| {
            (
                source.body.event_time.unwrap_or(source.stored_at),
                source.id,
            )
        });
        Ok((!sources.is_empty()).then_some(Derivation { memory, sources }))
    }

    /// Asks the adviser that makes such memories; `None` when there is none, or when all sources
    /// are forgotten.
    fn ask_again(
        &self,
        run: &Run<'_>,
        derivation: &Derivation,
    ) -> Result<Option<Rederived>, Error> {
        let wrong = |error: JudgeError| Error::judge(&error);
        let memory = &derivation.memory;
        let sources: Vec<Memory> = derivation
            .sources
            .iter()
            .filter(|source| in_use(source))
            .cloned()
            .collect();
        if sources.is_empty() || !in_use(memory) {
            return Ok(None);
        }
        let sources = sources.as_slice();
        if memory.body.layer == Layer::Episodic
            && let Some(summarizer) = self.advisers.summarizer(run.profile, run.cancel)
        {
            if let Some(session) = session_of(memory) {
                let draft = summarizer.episode(sources).map_err(wrong)?;
                return Ok(Some(again(
                    memory,
                    episodes::made_anew(&memory.body, &draft, &session, sources)?,
                )));
            }
            let mut text = summarizer.summarize(sources).map_err(wrong)?;
            if memory.body.metadata.contains_key(MESSAGES) {
                let at = run
                    .profile
                    .policy
                    .zone()
                    .minute(memory.body.event_time.unwrap_or(memory.stored_at));
                text = run.profile.settings.window.text(&at, &text);
            }
            return Ok(Some(says(memory, sources, text)));
        }
        let Some(extractor) = self.advisers.extractor(run.profile, run.cancel) else {
            return Ok(None);
        };
        let known = Shown {
            id: memory.id,
            text: memory.body.text.clone(),
            time: memory.body.event_time.unwrap_or(memory.stored_at),
            retention: f64::from(memory.body.importance.get()),
        };
        let found = extractor
            .extract(&ExtractWindow {
                turns: sources,
                known: &[known],
            })
            .map_err(wrong)?;
        let mut made = Rederived::Same;
        for one in found {
            match one {
                Extracted::Update(id, new) | Extracted::UpdateSaying(id, new, _)
                    if id == memory.id =>
                {
                    made = found_again(memory, sources, &new);
                }
                Extracted::Delete(id) | Extracted::Contradicted { id, .. } if id == memory.id => {
                    made = Rederived::Gone
                }
                _ => {}
            }
        }
        Ok(Some(made))
    }
}

/// The session of a memory that is the episode of one.
fn session_of(memory: &Memory) -> Option<Label> {
    Episode::of(memory)
        .filter(|_| !memory.body.metadata.contains_key(MESSAGES))
        .map(|episode| episode.session_id)
}

/// A memory with the sources that are left and another text.
fn says(memory: &Memory, sources: &[Memory], text: String) -> Rederived {
    let provenance = sources.iter().map(|source| source.id).collect();
    again(
        memory,
        Body {
            text,
            provenance,
            ..memory.body.clone()
        },
    )
}

/// A memory as it was found again in the sources that are left. Its fields of an extraction are
/// those of the new finding: the old ones may repeat the source that is gone.
fn found_again(memory: &Memory, sources: &[Memory], new: &NewMemory) -> Rederived {
    let mut body = Body {
        text: new.text().to_owned(),
        ..memory.body.clone()
    };
    body.provenance = sources.iter().map(|source| source.id).collect();
    for field in EXTRACTED_FIELDS {
        match new.body().metadata.get(field) {
            Some(value) => drop(body.metadata.insert(field.to_owned(), value.clone())),
            None => drop(body.metadata.remove(field)),
        }
    }
    again(memory, body)
}

/// The memory with its new body, or `Rederived::Same` if nothing but its sources changed.
fn again(memory: &Memory, body: Body) -> Rederived {
    let before = Body {
        provenance: body.provenance.clone(),
        ..memory.body.clone()
    };
    if body == before {
        Rederived::Same
    } else {
        Rederived::Says(Box::new(body))
    }
}

/// The latest texts of the memories that some rows belong to, each once.
fn latest(reads: &dyn Reads, ns: NamespaceId, rows: &[Row]) -> Result<Vec<Memory>, Error> {
    let mut ids: Vec<MemoryId> = annals_records::ids_of(reads, ns, rows)?
        .into_iter()
        .flatten()
        .collect();
    ids.sort_unstable();
    ids.dedup();
    let rows: Vec<Row> = annals_records::find_rows(reads, ns, &ids)?
        .into_iter()
        .flatten()
        .collect();
    Ok(annals_records::memories(reads, ns, &rows, None)?
        .into_iter()
        .flatten()
        .collect())
}
