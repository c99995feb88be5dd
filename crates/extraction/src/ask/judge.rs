use annals_types::profile::ReviewKind;
use annals_types::{Causality, Judge, JudgeError, Judgement, Reasoned, ReviewCase, Shown};

use super::answer::Asked;
use super::judgement::judgement;
use super::length::Answer;
use super::{Analyst, answer};
use crate::markdown::one_line;
use crate::prompt::{self, Template, listed};
use crate::provider::{Message, Request};

impl Analyst {
    /// Asks a question about two memories.
    fn pair(&self, purpose: &str, template: Template, (first, second): (&Shown, &Shown)) -> Result<Answer, JudgeError> {
        let (first, second) = (one_line(&first.text), one_line(&second.text));
        let text = template.render(&[("first", &first), ("second", &second)]);
        self.say(Request::new(purpose, vec![Message::user(text)]))
    }

    fn yes(&self, asked: Asked, pair: (&Shown, &Shown)) -> Result<Reasoned<bool>, JudgeError> {
        let (purpose, template) = match asked {
            Asked::Same => ("same", prompt::same()),
            Asked::Contradicts => ("contradicts", prompt::contradicts()),
            Asked::Cause => ("causality", prompt::causality()),
        };
        let said = self.pair(purpose, template, pair)?;
        let yes = answer::yes(said.lines(), asked).ok_or_else(|| self.misunderstood(&said))?;
        Ok(Reasoned::new(yes, answer::reason(said.lines())))
    }
}

impl Judge for Analyst {
    fn name(&self) -> String {
        self.provider.name()
    }

    fn review(&self, case: &ReviewCase<'_>) -> Result<Reasoned<Judgement>, JudgeError> {
        let promoting = case.kind == ReviewKind::Promote;
        let told = if promoting { prompt::review_promote() } else { prompt::review_decay() };
        let related: Vec<(String, &str)> = case
            .related
            .iter()
            .enumerate()
            .map(|(at, shown)| (format!("{}, {}", at.saturating_add(1), shown.time), shown.text.as_str()))
            .collect();
        let related = listed(related.iter().map(|(name, text)| (name.as_str(), *text)));
        let round = if case.last {
            "这是最后一轮，不能再搜索，请做出决定。".to_owned()
        } else {
            format!("这是第 {} 轮，还可以搜索。", case.round)
        };
        let memory =
            format!("{}（{}，重要性 {:.2}）", one_line(&case.memory.text), case.memory.time, case.memory.retention);
        let input = prompt::review_input().render(&[("memory", &memory), ("related", &related), ("round", &round)]);
        let messages = vec![Message::system(told.render(&self.names())), Message::user(input)];
        let said = self.say(Request::new("review", messages))?;
        let judgement = match judgement(said.lines()) {
            // Behind it may have stood what takes it back.
            Judgement::Promote | Judgement::Delete if said.is_cut() => Judgement::Undecided,
            // What was not offered was not decided.
            Judgement::Promote if !promoting || !self.promotes => Judgement::Undecided,
            Judgement::Search(_) if case.last => Judgement::Undecided,
            judgement => judgement,
        };
        Ok(Reasoned::new(judgement, answer::words(said.lines())))
    }

    fn same(&self, first: &Shown, second: &Shown) -> Result<Reasoned<bool>, JudgeError> {
        self.yes(Asked::Same, (first, second))
    }

    fn contradicts(&self, newer: &Shown, older: &Shown) -> Result<Reasoned<bool>, JudgeError> {
        self.yes(Asked::Contradicts, (newer, older))
    }

    /// Asks for the direction, or, where the profile does not, only whether there is a cause: it is the first then.
    fn causality(&self, first: &Shown, second: &Shown) -> Result<Reasoned<Causality>, JudgeError> {
        if !self.ask_direction {
            let yes = self.yes(Asked::Cause, (first, second))?;
            let cause = if yes.answer { Causality::FirstCauses } else { Causality::Neither };
            return Ok(Reasoned::new(cause, yes.reason));
        }
        let said = self.pair("causality", prompt::causality_direction(), (first, second))?;
        let cause = answer::direction(said.lines()).ok_or_else(|| self.misunderstood(&said))?;
        Ok(Reasoned::new(cause, answer::reason(said.lines())))
    }
}
