use annals_types::profile::ReviewKind;
use annals_types::{Causality, Judge, JudgeError, Judgement, Reasoned, ReviewCase, Shown};

use super::judgement::judgement;
use super::length::Answer;
use super::{Analyst, answer};
use crate::markdown::one_line;
use crate::prompt::{self, Template, listed};
use crate::provider::{Message, Request};

/// What may be answered to a question whether something is so.
const YES_OR_NO: &str = "是\n否";

/// What was made of an answer.
struct Settled<T> {
    found: Option<T>,
    /// What was said aloud.
    words: String,
    /// The answer that was read last.
    last: Answer,
}

impl Analyst {
    /// Asks a question about two memories, in which `choices` are what may be answered.
    fn pair<T>(
        &self,
        (purpose, template, choices): (&str, Template, &str),
        (first, second): (&Shown, &Shown),
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Reasoned<T>, JudgeError> {
        let (first, second) = (one_line(&first.text), one_line(&second.text));
        let text = template.render(&[("first", &first), ("second", &second)]);
        let settled = self.settled(Request::new(purpose, vec![Message::user(text)]), choices, read)?;
        let found = settled.found.ok_or_else(|| self.misunderstood(&settled.last))?;
        Ok(Reasoned::new(found, answer::reason(&settled.words)))
    }

    /// What an answer says. One that cannot be read is asked for once more, with nothing around it. The whole lines of one that was cut off count.
    fn settled<T>(
        &self,
        mut request: Request,
        choices: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Settled<T>, JudgeError> {
        let said = self.say(request.clone())?;
        let before = answer::words(said.lines());
        if let Some(found) = read(said.lines()) {
            return Ok(Settled { found: Some(found), words: before, last: said });
        }
        // Servers refuse a message without text.
        request.messages.extend((!before.is_empty()).then(|| Message::assistant(before.as_str(), Vec::new())));
        request.messages.push(Message::user(prompt::repair().render(&[("choices", choices)])));
        let again = self.say(request)?;
        // The reason stands in what was said first, and is looked for behind the answer.
        let words = format!("{}\n{before}", answer::words(again.lines()));
        Ok(Settled { found: read(again.lines()), words, last: again })
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
        let mut choices = vec!["[KEEP]", "[DELETE]"];
        choices.extend(promoting.then_some("[PROMOTE]"));
        choices.extend((!case.last).then_some("[SEARCH:关键词]"));
        let settled = self.settled(Request::new("review", messages), &choices.join("\n"), judgement)?;
        let judgement = match settled.found {
            // Behind it may have stood what takes it back.
            Some(Judgement::Promote | Judgement::Delete) if settled.last.is_cut() => Judgement::Undecided,
            // What was not offered was not decided.
            Some(Judgement::Promote) if !promoting || !self.promotes => Judgement::Undecided,
            Some(Judgement::Search(_)) if case.last => Judgement::Undecided,
            found => found.unwrap_or(Judgement::Undecided),
        };
        Ok(Reasoned::new(judgement, settled.words))
    }

    fn same(&self, first: &Shown, second: &Shown) -> Result<Reasoned<bool>, JudgeError> {
        self.pair(("same", prompt::same(), YES_OR_NO), (first, second), answer::yes)
    }

    fn contradicts(&self, newer: &Shown, older: &Shown) -> Result<Reasoned<bool>, JudgeError> {
        self.pair(("contradicts", prompt::contradicts(), YES_OR_NO), (newer, older), answer::yes)
    }

    /// Asks for the direction, or, where the profile does not, only whether there is a cause: it is the first then.
    fn causality(&self, first: &Shown, second: &Shown) -> Result<Reasoned<Causality>, JudgeError> {
        if self.ask_direction {
            let asked = ("causality", prompt::causality_direction(), "A\nB\n否");
            return self.pair(asked, (first, second), answer::direction);
        }
        let yes = self.pair(("causality", prompt::causality(), YES_OR_NO), (first, second), answer::yes)?;
        let cause = if yes.answer { Causality::FirstCauses } else { Causality::Neither };
        Ok(Reasoned::new(cause, yes.reason))
    }
}
