//! Answers of judges and persons about two memories, on their way to becoming decisions.

use annals_types::{Judge, MemoryId, Reasoned, Row, Shown};

use crate::WriteCx;
use crate::decisions::{self, Decided, NO, PERSON, YES};
use crate::effect::Effect;
use crate::suspicions::{Pair, Suspected};
use crate::{DecisionQuestion, Error};

/// The answer of a judge or a person about two memories.
#[derive(Debug, Clone)]
pub struct PairAnswer {
    question: DecisionQuestion,
    memories: [MemoryId; 2],
    /// The row of the second.
    pub other: Row,
    /// Whether the answer is a yes.
    yes: bool,
    answer: &'static str,
    reason: String,
    by: String,
    /// The wait that it ends.
    ended: Option<Effect>,
}

impl PairAnswer {
    /// The answer to a question about two memories, of which the second has this row.
    pub fn of(
        question: DecisionQuestion,
        judge: &dyn Judge,
        (first, second, other): (&Shown, &Shown, Row),
        said: Reasoned<bool>,
    ) -> Self {
        let answer = if said.answer { YES } else { NO };
        Self {
            question,
            memories: [first.id, second.id],
            other,
            yes: said.answer,
            answer,
            reason: said.reason,
            by: judge.name(),
            ended: None,
        }
    }

    /// The answer of a person about two memories.
    pub fn of_person(
        question: DecisionQuestion,
        (first, second, other): (MemoryId, MemoryId, Row),
        yes: bool,
    ) -> Self {
        let (answer, by) = (if yes { YES } else { NO }, PERSON.to_owned());
        Self {
            question,
            memories: [first, second],
            other,
            yes,
            answer,
            reason: String::new(),
            by,
            ended: None,
        }
    }

    /// Whether the answer is a yes.
    pub const fn says_so(&self) -> bool {
        self.yes
    }

    /// Whether it says that both say the same.
    pub(crate) fn finds_same(&self) -> bool {
        self.yes && self.question == DecisionQuestion::Same
    }

    /// The same in other words than yes and no.
    pub const fn answering(mut self, answer: &'static str) -> Self {
        self.answer = answer;
        self
    }

    /// The same, where it ends the wait of a pair.
    pub fn ending(mut self, (newer, older): Pair, suspected: Suspected) -> Self {
        self.ended = Some(Effect::Suspected {
            newer,
            older,
            suspected,
        });
        self
    }

    /// Keeps it with the changes that it caused. `into` is the memory that stands for the first
    /// one, where that was not stored.
    pub fn note(
        &self,
        cx: &mut WriteCx<'_, '_>,
        effects: Vec<Effect>,
        into: Option<MemoryId>,
    ) -> Result<(), Error> {
        let [first, second] = self.memories;
        // Taken back last: a memory that gets its text back lets no pair wait.
        let effects: Vec<Effect> = self.ended.iter().cloned().chain(effects).collect();
        let told = effects.iter().any(|effect| effect.absent() == Some(first));
        let first = into.filter(|_| !told).unwrap_or(first);
        let mut memories = vec![first, second];
        memories.dedup();
        let decided = Decided {
            at: cx.now,
            question: self.question,
            memories,
            answer: self.answer.to_owned(),
            reason: self.reason.clone(),
            by: self.by.clone(),
            effects,
            undone_at: None,
            before: 0,
        };
        decisions::note(cx, decided)
    }
}

/// Keeps the answers of a judge about a memory and others, each by its row, with the changes of
/// that row. The changes of the memory's own row stand with the first answer that is a yes.
pub fn note_all(
    cx: &mut WriteCx<'_, '_>,
    heard: &[(Row, &PairAnswer)],
    (own, mut effects): (Row, Vec<(Row, Effect)>),
    into: Option<MemoryId>,
) -> Result<(), Error> {
    for (row, heard) in heard {
        let mine = |effect: &mut (Row, Effect)| heard.yes && (effect.0 == *row || effect.0 == own);
        let mine: Vec<Effect> = effects
            .extract_if(.., mine)
            .map(|(_, effect)| effect)
            .collect();
        heard.note(cx, mine, into)?;
    }
    Ok(())
}
