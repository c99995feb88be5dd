use annals_types::profile::ReviewKind;
use annals_types::{Causality, Judge, JudgeError, Judgement, Reasoned, ReviewCase, Shown};

use super::judgement::judgement;
use super::length::ModelAnswer;
use super::{Analyst, answer, verdict};
use crate::prompt::{self, Template, listed};
use crate::provider::{Message, Request};
use crate::reply::spoken;
use annals_language::one_line;

/// The verdicts of a question whether something is so.
const YES_OR_NO: [&str; 2] = ["是", "否"];

/// A verdict as it was read.
struct ReadVerdict<T> {
    found: Option<T>,
    /// The reason that was given.
    reason: String,
    /// The answer that was read last.
    last: ModelAnswer,
}

/// A question about two memories.
struct Pair<'a> {
    purpose: &'a str,
    template: Template,
    choices: &'a [&'a str],
    /// Whether the template asks for the word alone, as its design says, and not for an object.
    bare: bool,
}

impl Analyst {
    /// Asks a question about two memories.
    fn pair<T>(
        &self,
        asked: &Pair<'_>,
        (first, second): (&Shown, &Shown),
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Reasoned<T>, JudgeError> {
        let (first, second) = (one_line(&first.text), one_line(&second.text));
        let text = asked.template.render(&[("first", &first), ("second", &second)]);
        let mut request = Request::new(asked.purpose, vec![Message::user(text)]);
        request.schema = (!asked.bare).then(|| verdict::schema(asked.choices));
        let settled = self.settled(request, asked.choices, read)?;
        let found = settled.found.ok_or_else(|| self.misunderstood(&settled.last))?;
        Ok(Reasoned::new(found, answer::behind_word(&settled.reason)))
    }

    /// The verdict of an answer. One that cannot be read is asked for once more, under a schema and
    /// with what was wrong. The whole lines of one that was cut off count.
    fn settled<T>(
        &self,
        mut request: Request,
        choices: &[&str],
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<ReadVerdict<T>, JudgeError> {
        let said = self.say(request.clone())?;
        let reason = verdict::reason(said.lines());
        if let Some(found) = read(said.lines()) {
            return Ok(ReadVerdict { found: Some(found), reason, last: said });
        }
        let before = spoken(said.lines()).trim().to_owned();
        let problem = match before.is_empty() {
            true if said.is_cut() => "上面的回答没有写完。",
            true => "上面没有回答。",
            false => "从上面的回答读不出一个明确的结论。",
        };
        // Servers refuse a message without text.
        request.messages.extend((!before.is_empty()).then(|| Message::assistant(before, Vec::new())));
        let told = [("problem", problem), ("choices", &choices.join("\n"))];
        request.messages.push(Message::user(prompt::repair().render(&told)));
        request.schema = Some(verdict::schema(&[choices, &[verdict::UNSURE]].concat()));
        let again = self.say(request)?;
        // The reason stands in what was said first, and is looked for behind the answer.
        let reason = format!("{}\n{reason}", verdict::reason(again.lines()));
        Ok(ReadVerdict { found: read(again.lines()), reason, last: again })
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
        let mut choices = vec!["KEEP", "DELETE"];
        choices.extend(promoting.then_some("PROMOTE"));
        choices.extend((!case.last).then_some("SEARCH"));
        let request = Request { schema: Some(verdict::schema(&choices)), ..Request::new("review", messages) };
        let settled = self.settled(request, &choices, judgement)?;
        let judgement = match settled.found {
            // Behind it may have stood what takes it back.
            Some(Judgement::Promote | Judgement::Delete) if settled.last.is_cut() => Judgement::Undecided,
            // A verdict that was not offered does not count.
            Some(Judgement::Promote) if !promoting || !self.promotes => Judgement::Undecided,
            Some(Judgement::Search(_)) if case.last => Judgement::Undecided,
            found => found.unwrap_or(Judgement::Undecided),
        };
        Ok(Reasoned::new(judgement, settled.reason))
    }

    fn same(&self, first: &Shown, second: &Shown) -> Result<Reasoned<bool>, JudgeError> {
        let asked = Pair { purpose: "same", template: prompt::same(), choices: &YES_OR_NO, bare: false };
        self.pair(&asked, (first, second), answer::yes)
    }

    fn contradicts(&self, newer: &Shown, older: &Shown) -> Result<Reasoned<bool>, JudgeError> {
        let asked = Pair { purpose: "contradicts", template: prompt::contradicts(), choices: &YES_OR_NO, bare: false };
        self.pair(&asked, (newer, older), answer::yes)
    }

    /// Asks for the direction, or, where the profile does not, only whether there is a cause: it is
    /// the first then.
    fn causality(&self, first: &Shown, second: &Shown) -> Result<Reasoned<Causality>, JudgeError> {
        if self.ask_direction {
            let template = prompt::causality_direction();
            let asked = Pair { purpose: "causality", template, choices: &["A", "B", "否"], bare: false };
            return self.pair(&asked, (first, second), answer::direction);
        }
        let asked = Pair { purpose: "causality", template: prompt::causality(), choices: &YES_OR_NO, bare: true };
        let yes = self.pair(&asked, (first, second), answer::yes)?;
        let cause = if yes.answer { Causality::FirstCauses } else { Causality::Neither };
        Ok(Reasoned::new(cause, yes.reason))
    }
}
