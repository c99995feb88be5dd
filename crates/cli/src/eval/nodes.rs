use annals::blocking::Memory;
use annals::graph::{Assertion, EntityId, NewEntity};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::failure::Failure;
use crate::measure::count;
use crate::progress::Progress;
use crate::texts::text;

/// The predicate from an entity to its neighbours.
const PREDICATE: &str = "有";
/// The kind of what an entity is spoken of with; it is not merged itself.
const AROUND: &str = "值";

/// Pairs of entities with whether they are one.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pairs {
    pub(crate) name: String,
    pub(crate) pairs: Vec<Pair>,
}

/// Two entities.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pair {
    pub(crate) one: String,
    pub(crate) other: String,
    /// Whether they are one.
    pub(crate) same: bool,
    /// Their kind.
    #[serde(default = "topic")]
    pub(crate) kind: String,
    /// The neighbours of each.
    #[serde(default)]
    pub(crate) around: [Vec<String>; 2],
}

fn topic() -> String {
    "主题".to_owned()
}

/// The verdict of the store on each pair.
#[derive(Debug, Serialize)]
pub(crate) struct Verdicts {
    pub(crate) pairs: usize,
    pub(crate) accuracy: f64,
    /// Of the pairs said to be one, the share that are.
    pub(crate) precision: Option<f64>,
    /// Of the pairs that are one, the share said to be.
    pub(crate) recall: Option<f64>,
    pub(crate) embedder: String,
    /// Pairs that were judged wrongly, with how alike they are.
    pub(crate) wrong: Vec<(Pair, Option<f64>)>,
}

/// Asks a store for each pair, alone in a namespace with what is around it, whether the two should
/// be one.
pub(crate) fn judge(set: &Pairs, profile: &str, app: &App<'_, '_>) -> Result<Verdicts, Failure> {
    let memory = app.options_without_model()?.in_memory()?;
    let progress = Progress::new(
        app,
        text!("common-comparing"),
        u64::try_from(set.pairs.len()).unwrap_or(0),
    );
    let (mut both, mut said, mut are) = (0, 0, 0);
    let mut wrong = Vec::new();
    for (number, pair) in set.pairs.iter().enumerate() {
        let similarity = compare(pair, (&format!("pair{number}"), profile), &memory)?;
        let one = similarity.is_some();
        both += usize::from(one && pair.same);
        said += usize::from(one);
        are += usize::from(pair.same);
        if one != pair.same {
            wrong.push((pair.clone(), similarity));
        }
        progress.add(1);
    }
    let pairs = set.pairs.len();
    let share = |part: usize, whole: usize| (whole > 0).then(|| count(part) / count(whole));
    Ok(Verdicts {
        pairs,
        accuracy: share(pairs - wrong.len(), pairs).unwrap_or_default(),
        precision: share(both, said),
        recall: share(both, are),
        embedder: memory.embedder().to_string(),
        wrong,
    })
}

/// How alike a pair is, when the store would make it one.
fn compare(
    pair: &Pair,
    (name, profile): (&str, &str),
    memory: &Memory,
) -> Result<Option<f64>, Failure> {
    let namespace = memory.create_namespace(name, profile)?;
    let source = namespace.remember(
        annals::NewMemory::builder(format!("{} {}", pair.one, pair.other))
            .kind("事实")
            .build()?,
    )?;
    let mut around: Vec<(&str, EntityId)> = Vec::new();
    let mut ends = Vec::new();
    for (entity, with) in [&pair.one, &pair.other].into_iter().zip(&pair.around) {
        let id = namespace
            .graph()
            .add_entity(&NewEntity::new(entity.as_str()).kind(pair.kind.as_str()))?;
        let mut said = Vec::new();
        for name in with {
            let known = around
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, id)| *id);
            let neighbour = match known {
                Some(id) => id,
                None => namespace
                    .graph()
                    .add_entity(&NewEntity::new(name.as_str()).kind(AROUND))?,
            };
            around.push((name.as_str(), neighbour));
            said.push(Assertion::new(id, PREDICATE, neighbour));
        }
        if !said.is_empty() {
            namespace.graph().add_triples(source, &said)?;
        }
        ends.push(id);
    }
    let found = namespace
        .graph()
        .merges()
        .candidates(None, 1000)?
        .candidates;
    let hit = found
        .iter()
        .find(|found| ends.contains(&found.source.id) && ends.contains(&found.target.id));
    Ok(hit.map(|hit| hit.similarity))
}
