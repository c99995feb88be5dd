use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use annals::blocking::{Memory, Namespace};
use annals::llm::Analyst;
use annals::llm::provider::Provider;
use annals::llm::quality::{Labelled, Made, Marks, Stored, Talk};
use annals::profile::Profile;
use annals::{
    ExtractWindow, Extracted, Extractor, Filter, JudgeError, Layer, ListQuery, ManualClock, Mode,
    NewMemory, NewTurn, Query, Status, UnitScore,
};

use crate::app::App;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::texts::text;

const NAMESPACE: &str = "eval";
/// Memories of one page.
const PAGE: usize = 1000;
/// Answers of a question that are looked at.
const TOP_K: u32 = 3;

/// The source of the memories that are kept.
pub(crate) enum By {
    /// A language model, or a transcript of one.
    Model(Arc<dyn Provider>),
    /// The labels themselves: what is measured then is the store.
    Labels,
}

impl By {
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Model(model) => model.name(),
            Self::Labels => text!("eval-labels"),
        }
    }
}

/// The figures of a measurement.
pub(crate) struct Extraction {
    pub(crate) marks: Marks,
    pub(crate) made: Made,
    pub(crate) embedder: String,
    /// Windows that could not be looked through.
    pub(crate) failed: u64,
}

/// The memories that were found, before any of them was stored.
struct Notes {
    found: Mutex<Vec<Stored>>,
    /// The kind of a memory that is given none.
    kind: String,
}

/// A model whose findings are noted.
struct Watched {
    model: Analyst,
    notes: Arc<Notes>,
}

impl Extractor for Watched {
    fn extract(&self, window: &ExtractWindow<'_>) -> Result<Vec<Extracted>, JudgeError> {
        let found = self.model.extract(window)?;
        for one in &found {
            if let Extracted::Add(memory) | Extracted::AddSaying(memory, _) = one {
                self.notes.add(memory);
            }
        }
        Ok(found)
    }
}

impl Notes {
    fn add(&self, memory: &NewMemory) {
        let kind = memory.body().kind.as_str();
        let kind = if kind.is_empty() {
            self.kind.clone()
        } else {
            kind.to_owned()
        };
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.push(Stored {
            text: memory.text().to_owned(),
            kind,
        });
    }
}

impl Extraction {
    /// Holds the talks of a set one after the other, lets them be looked through, and asks the
    /// questions.
    pub(crate) fn run(
        set: &Labelled,
        by: &By,
        (name, profile): (&str, &Profile),
        app: &mut App<'_, '_>,
    ) -> Result<Self, Failure> {
        let clock = ManualClock::new(app.world.clock.now());
        let kind = profile.taxonomy.default_kind.clone().unwrap_or_default();
        let notes = Arc::new(Notes {
            found: Mutex::default(),
            kind,
        });
        let options = match by {
            By::Model(model) => {
                let model = Analyst::new(Arc::clone(model), profile).whole_windows();
                app.options()?.extractor(Arc::new(Watched {
                    model,
                    notes: Arc::clone(&notes),
                }))
            }
            By::Labels => app.options_without_model()?,
        };
        let memory = options.clock(Arc::new(clock.clone())).in_memory()?;
        let namespace = memory.create_namespace(NAMESPACE, name)?;
        let progress = Progress::new(
            app,
            text!("common-reading"),
            u64::try_from(set.talks.len()).unwrap_or(0),
        );
        let mut failed = 0;
        for talk in &set.talks {
            if let Some(time) = talk.turns.iter().filter_map(|turn| turn.time).max() {
                clock.set(time.max(annals::Clock::now(&clock)));
            }
            failed += match by {
                By::Labels => label(talk, set, profile, &namespace, &notes)?,
                By::Model(_) => hold(talk, &namespace)?,
            };
            progress.add(1);
        }
        if matches!(by, By::Labels) {
            // Profiles that compare what they know in a job have not compared yet.
            drop(memory.maintain(true, Mode::Commit)?);
        }
        memory.wait_idle()?;
        let answers = set
            .questions
            .iter()
            .map(|question| asked(&question.q, &namespace))
            .collect::<Result<_, Failure>>()?;
        let found =
            std::mem::take(&mut *notes.found.lock().unwrap_or_else(PoisonError::into_inner));
        let made = Made {
            found,
            stored: kept(&namespace)?,
            answers,
        };
        Ok(Self {
            marks: set.marks(&made),
            made,
            embedder: embedder(&memory),
            failed,
        })
    }
}

fn embedder(memory: &Memory) -> String {
    memory.embedder().to_string()
}

/// Stores the turns of a talk and has them looked through; answers how many windows could not be.
fn hold(talk: &Talk, namespace: &Namespace) -> Result<u64, Failure> {
    let mut turns = Vec::with_capacity(talk.turns.len());
    for said in &talk.turns {
        let turn = NewTurn::builder(talk.id.as_str(), said.text.as_str()).role(said.role);
        turns.push(match said.time {
            Some(time) => turn.time(time).build()?,
            None => turn.build()?,
        });
    }
    namespace.sessions().append(turns)?;
    namespace.queue().extract_all()?;
    let counts: BTreeMap<String, u64> = namespace.queue().work_off()?;
    let of = |word: &str| counts.get(word).copied().unwrap_or_default();
    Ok(of("failed") + of("waiting"))
}

/// Stores what the labels of a talk say.
fn label(
    talk: &Talk,
    set: &Labelled,
    profile: &Profile,
    namespace: &Namespace,
    notes: &Notes,
) -> Result<u64, Failure> {
    let known = |kind: &&String| {
        profile.taxonomy.kinds.is_empty() || profile.taxonomy.kinds.iter().any(|k| k.id == **kind)
    };
    let new = talk
        .facts
        .iter()
        .map(|fact| (fact.text.as_str(), fact.kinds.iter().find(known)));
    // A repetition has the kind of its fact.
    let again = talk.again.iter().map(|again| {
        (
            again.text.as_str(),
            set.fact(&again.id)
                .and_then(|fact| fact.kinds.iter().find(known)),
        )
    });
    for (text, kind) in new.chain(again) {
        let kind = kind.or(profile.taxonomy.kinds.first().map(|kind| &kind.id));
        let memory = NewMemory::builder(text);
        let memory = kind
            .map_or(memory.clone(), |kind| memory.kind(kind.as_str()))
            .build()?;
        notes.add(&memory);
        namespace.remember(memory)?;
    }
    Ok(0)
}

/// The memories that were kept: everything in use but the turns.
fn kept(namespace: &Namespace) -> Result<Vec<Stored>, Failure> {
    let statuses = vec![Status::Active, Status::Staged];
    let mut query = ListQuery {
        filter: Filter {
            statuses,
            ..findings()
        },
        limit: PAGE,
        ..ListQuery::default()
    };
    let mut kept = Vec::new();
    loop {
        let page = namespace.list(&query)?;
        let some = page.memories.into_iter().map(|memory| memory.body);
        kept.extend(some.map(|body| Stored {
            text: body.text,
            kind: body.kind.as_str().to_owned(),
        }));
        query.after = page.next;
        if query.after.is_none() {
            return Ok(kept);
        }
    }
}

fn findings() -> Filter {
    let layers = Layer::ALL
        .iter()
        .copied()
        .filter(|layer| *layer != Layer::Turn)
        .collect();
    Filter {
        layers,
        ..Filter::default()
    }
}

/// The first answers of a question, however good they are.
fn asked(question: &str, namespace: &Namespace) -> Result<Vec<String>, Failure> {
    let min_score = Some(UnitScore::new("min_score", 0.0)?);
    let query = Query {
        filter: findings(),
        top_k: Some(TOP_K),
        min_score,
        ..Query::new(question)
    };
    Ok(namespace
        .recall(query)?
        .into_iter()
        .map(|hit| hit.text)
        .collect())
}
