use annals_types::{Calibration, Row, Script};
use annals_vector::{Index, Query, Shape, VectorError};

/// The kinds of what people say that are told apart by examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Greetings, agreement and requests without an object.
    Chatter,
    /// Questions about the world, and for what needs no memory.
    World,
    /// What is to be done once, and then is done.
    Request,
    /// What holds from now on: how something is to be done, or what never is.
    Instruction,
    /// What is so.
    Statement,
}

/// The examples of each kind, a line each.
const EXAMPLES: [(Kind, &str); 5] = [
    (Kind::Chatter, include_str!("../data/chatter.txt")),
    (Kind::World, include_str!("../data/world.txt")),
    (Kind::Request, include_str!("../data/requests.txt")),
    (Kind::Instruction, include_str!("../data/instructions.txt")),
    (Kind::Statement, include_str!("../data/statements.txt")),
];

/// The nearest examples of a kind that a text is compared with. The mean of all of them told short
/// facts from chatter worse.
const NEAREST: usize = 3;

/// How much nearer to chatter than to statements a text is that says little, in lengths of
/// the embedder's range. Measured on short turns: facts up to 0.5, chatter from 0.6 on.
const LITTLE: f32 = 0.55;

/// How much nearer to chatter than to instructions what says little is at least: requests and
/// commands are alike.
const COMMAND: f32 = 0.2;

/// How much nearer to requests than to statements and instructions what is to be done once is: it
/// says nothing of later. Measured on six sets: none of 1,644 short turns with evidence reach it.
const DONE: f32 = 0.5;

/// How near a text is to each kind: the mean places in the embedder's range of the nearest
/// examples.
struct Nearness {
    chatter: f32,
    request: f32,
    instruction: f32,
    statement: f32,
}

impl Nearness {
    fn is_little(&self) -> bool {
        let is_nod =
            self.chatter - self.statement > LITTLE && self.chatter - self.instruction > COMMAND;
        is_nod || self.request - self.statement.max(self.instruction) > DONE
    }
}

/// Examples of what people say, in the space of one embedder.
///
/// They tell kinds of texts apart without lists of phrases: a text is of the kind whose examples
/// it is nearest to. Only differences count, so that no threshold depends on a language.
pub struct Prototypes {
    examples: Vec<Example>,
    calibration: Calibration,
}

struct Example {
    kind: Kind,
    script: Script,
    vector: Vec<f32>,
    /// The vector, prepared for comparisons with memories.
    query: Query,
}

impl Prototypes {
    /// The texts of all examples, to be embedded as memories are.
    pub fn texts() -> impl Iterator<Item = &'static str> {
        EXAMPLES.into_iter().flat_map(|(_, lines)| lines.lines())
    }

    /// The examples with their vectors, of length 1, in the order of [`texts`](Self::texts).
    ///
    /// # Errors
    /// [`VectorError`] for a vector that is not of the shape.
    pub fn new(
        shape: Shape,
        vectors: Vec<Vec<f32>>,
        calibration: Calibration,
    ) -> Result<Self, VectorError> {
        let texts = EXAMPLES
            .into_iter()
            .flat_map(|(kind, lines)| lines.lines().map(move |text| (kind, text)));
        let example =
            |((kind, text), vector): ((Kind, &str), Vec<f32>)| -> Result<Example, VectorError> {
                let query = shape.query(&vector)?;
                Ok(Example {
                    kind,
                    script: Script::of_text(text),
                    vector,
                    query,
                })
            };
        Ok(Self {
            examples: texts.zip(vectors).map(example).collect::<Result<_, _>>()?,
            calibration,
        })
    }

    /// How near a question is to what people ask any assistant, chatter and the world: where its
    /// mean cosine with the nearest examples lies in the embedder's range, 0 at the low end and 1
    /// at the high one. `vector` may be of any length.
    #[must_use]
    pub fn everyday(&self, vector: &[f32], script: Script) -> f32 {
        let length = dot(vector, vector).sqrt().max(f32::EPSILON);
        self.nearness(&[Kind::Chatter, Kind::World], script, |example| {
            dot(vector, &example.vector) / length
        })
    }

    /// Whether a memory says little by itself, as "ok" and "sounds good" do, or asks for what is
    /// done once, as "run the tests" does. `false` without a vector.
    #[must_use]
    pub fn says_little(&self, vectors: &Index, row: Row, script: Script) -> bool {
        self.kinds(vectors, row, script)
            .is_some_and(|kinds| kinds.is_little())
    }

    /// The memories in the direction in which instructions differ from statements, at most `most`
    /// for each script of the examples, the nearest first.
    #[must_use]
    pub fn near_instructions(
        &self,
        vectors: &Index,
        most: usize,
        keep: impl Fn(Row) -> bool,
    ) -> Vec<Row> {
        let mut rows = Vec::new();
        for script in Script::ALL {
            let Some(direction) = self
                .direction(script)
                .and_then(|sum| vectors.shape().query(&sum).ok())
            else {
                continue;
            };
            rows.extend(
                vectors
                    .search(&direction, most, None, &keep)
                    .into_iter()
                    .map(|hit| hit.row),
            );
        }
        rows
    }

    /// The sum of the instructions of a script less that of its statements; `None` without
    /// examples.
    fn direction(&self, script: Script) -> Option<Vec<f32>> {
        let mut sum: Option<Vec<f32>> = None;
        for example in self
            .examples
            .iter()
            .filter(|example| example.script == script)
        {
            let sign = match example.kind {
                Kind::Instruction => 1.0,
                Kind::Statement => -1.0,
                Kind::Chatter | Kind::World | Kind::Request => continue,
            };
            let sum = sum.get_or_insert_with(|| vec![0.0; example.vector.len()]);
            sum.iter_mut()
                .zip(&example.vector)
                .for_each(|(sum, x)| *sum += sign * x);
        }
        sum
    }

    /// How near a memory is to each kind; `None` without a vector.
    fn kinds(&self, vectors: &Index, row: Row, script: Script) -> Option<Nearness> {
        vectors.similarity(row, &self.examples.first()?.query)?;
        Some(self.nearnesses(script, |example| {
            vectors.similarity(row, &example.query).unwrap_or_default()
        }))
    }

    fn nearnesses(&self, script: Script, cosine: impl Fn(&Example) -> f32) -> Nearness {
        let near = |kind| self.nearness(&[kind], script, &cosine);
        Nearness {
            chatter: near(Kind::Chatter),
            request: near(Kind::Request),
            instruction: near(Kind::Instruction),
            statement: near(Kind::Statement),
        }
    }

    /// The mean place in the range of the nearest examples of some kinds.
    fn nearness(&self, kinds: &[Kind], script: Script, cosine: impl Fn(&Example) -> f32) -> f32 {
        let place = |example: &Example| {
            self.calibration
                .range(script, example.script)
                .place(cosine(example))
        };
        let mut places: Vec<f32> = self
            .examples
            .iter()
            .filter(|example| kinds.contains(&example.kind))
            .map(place)
            .collect();
        places.sort_by(|a, b| b.total_cmp(a));
        places.truncate(NEAREST);
        #[expect(clippy::cast_precision_loss, reason = "a handful")]
        let count = places.len().max(1) as f32;
        places.iter().sum::<f32>() / count
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use annals_types::{Embedder, Purpose};
    use annals_vector::embed::BuiltinEmbedder;

    use super::*;

    fn prototypes() -> Prototypes {
        let embedder = BuiltinEmbedder::new();
        let texts: Vec<&str> = Prototypes::texts().collect();
        let vectors = embedder.embed(&texts, Purpose::Passage).unwrap();
        Prototypes::new(
            Shape::new(embedder.dims()).unwrap(),
            vectors,
            embedder.calibration().unwrap(),
        )
        .unwrap()
    }

    fn kinds(text: &str) -> Nearness {
        let vector = &BuiltinEmbedder::new()
            .embed(&[text], Purpose::Passage)
            .unwrap()[0];
        prototypes().nearnesses(Script::of_text(text), |example| {
            dot(vector, &example.vector)
        })
    }

    #[test]
    fn short_facts_say_something_and_chatter_says_little() {
        for fact in [
            "I am vegan",
            "use tabs",
            "我属猴",
            "My PIN is 4711",
            "叫我小王",
            "PostgreSQL 16",
            "call me Bob",
        ] {
            assert!(!kinds(fact).is_little(), "{fact}");
        }
        for chatter in [
            "great",
            "ok push it",
            "looks good to me",
            "好的好的",
            "thanks, works great",
            "嗯，行吧",
            "Fine.",
            "run the tests",
            "commit this",
            "跑一下测试",
            "推到远端",
        ] {
            assert!(kinds(chatter).is_little(), "{chatter}");
        }
    }

    #[test]
    fn each_example_stands_once_and_both_languages_are_there() {
        for (_, lines) in EXAMPLES {
            let mut lines: Vec<&str> = lines.lines().collect();
            let (all, han) = (
                lines.len(),
                lines
                    .iter()
                    .filter(|line| Script::of_text(line) == Script::Han)
                    .count(),
            );
            assert!(han * 3 > all && han * 3 < all * 2, "{han} of {all}");
            lines.sort_unstable();
            lines.dedup();
            assert_eq!(
                (lines.len(), lines.iter().any(|line| line.trim().is_empty())),
                (all, false)
            );
        }
    }
}
