use annals_types::profile::ReviewKind;
use annals_types::{Causality, Judge, JudgeError, Judgement, Reasoned, ReviewCase, Shown};

use super::answer::YesOrNo;
use super::judgement::judgement;
use super::length::ModelAnswer;
use super::{Analyst, answer, verdict};
use crate::prompt::{Voice, listed};
use crate::provider::{Message, Request};
use crate::reply::spoken;
use annals_language::one_line;

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
    message: &'a str,
    choices: &'a [&'a str],
    /// Whether the message asks for the word alone, as its design says, and not for an object.
    bare: bool,
}

impl Analyst {
    /// Asks a question about two memories.
    fn pair<T>(
        &self,
        voice: &Voice,
        asked: &Pair<'_>,
        (first, second): (&Shown, &Shown),
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Reasoned<T>, JudgeError> {
        let (first, second) = (one_line(&first.text), one_line(&second.text));
        let form = verdict::form(voice, asked.choices);
        let text = voice.say(
            asked.message,
            &[("first", &first), ("second", &second), ("form", &form)],
        );
        let mut request = Request::new(asked.purpose, vec![Message::user(text)]);
        request.schema = (!asked.bare).then(|| verdict::schema(asked.choices));
        let settled = self.settled(voice, request, asked.choices, read)?;
        let found = settled
            .found
            .ok_or_else(|| self.misunderstood(&settled.last))?;
        Ok(Reasoned::new(found, answer::behind_word(&settled.reason)))
    }

    /// Asks a question about two memories whose answer is yes or no.
    fn yes_or_no(
        &self,
        purpose: &str,
        bare: bool,
        (first, second): (&Shown, &Shown),
    ) -> Result<Reasoned<bool>, JudgeError> {
        let voice = self.voice([first.text.as_str(), &second.text]);
        let (yes, no) = (voice.say("yes", &[]), voice.say("no", &[]));
        let asked = Pair {
            purpose,
            message: purpose,
            choices: &[&yes, &no],
            bare,
        };
        self.pair(&voice, &asked, (first, second), |said| {
            answer::yes(said, YesOrNo { yes: &yes, no: &no })
        })
    }

    /// The verdict of an answer. One that cannot be read is asked for once more, under a schema and
    /// with what was wrong. The whole lines of one that was cut off count.
    fn settled<T>(
        &self,
        voice: &Voice,
        mut request: Request,
        choices: &[&str],
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<ReadVerdict<T>, JudgeError> {
        let said = self.say(request.clone())?;
        let reason = verdict::reason(said.lines());
        if let Some(found) = read(said.lines()) {
            return Ok(ReadVerdict {
                found: Some(found),
                reason,
                last: said,
            });
        }
        let before = spoken(said.lines()).trim().to_owned();
        let problem = match before.is_empty() {
            true if said.is_cut() => "repair-cut",
            true => "repair-empty",
            false => "repair-unclear",
        };
        // Servers refuse a message without text.
        request
            .messages
            .extend((!before.is_empty()).then(|| Message::assistant(before, Vec::new())));
        let offered = [choices, &[verdict::UNSURE]].concat();
        let (problem, form) = (voice.say(problem, &[]), verdict::form(voice, &offered));
        let told = [
            ("problem", problem.as_str()),
            ("form", &form),
            ("choices", &choices.join("\n")),
        ];
        request
            .messages
            .push(Message::user(voice.say("repair", &told)));
        request.schema = Some(verdict::schema(&offered));
        let again = self.say(request)?;
        // The reason stands in what was said first, and is looked for behind the answer.
        let reason = format!("{}\n{reason}", verdict::reason(again.lines()));
        Ok(ReadVerdict {
            found: read(again.lines()),
            reason,
            last: again,
        })
    }
}

impl Judge for Analyst {
    fn name(&self) -> String {
        self.provider.name()
    }

    fn review(&self, case: &ReviewCase<'_>) -> Result<Reasoned<Judgement>, JudgeError> {
        let promoting = case.kind == ReviewKind::Promote;
        let texts = case.related.iter().map(|shown| shown.text.as_str());
        let voice = self.voice(std::iter::once(case.memory.text.as_str()).chain(texts));
        let related: Vec<(String, &str)> = case
            .related
            .iter()
            .enumerate()
            .map(|(at, shown)| {
                (
                    format!("{}, {}", at.saturating_add(1), shown.time),
                    shown.text.as_str(),
                )
            })
            .collect();
        let related = listed(
            &voice,
            related.iter().map(|(name, text)| (name.as_str(), *text)),
        );
        let round = if case.last {
            voice.say("review-last-round", &[])
        } else {
            voice.say("review-round", &[("round", &case.round.to_string())])
        };
        let memory = voice.say(
            "review-memory",
            &[
                ("text", &one_line(&case.memory.text)),
                ("time", &case.memory.time.to_string()),
                ("importance", &format!("{:.2}", case.memory.retention)),
            ],
        );
        let input = voice.say(
            "review-input",
            &[
                ("memory", &memory),
                ("related", &related),
                ("round", &round),
            ],
        );
        let mut choices = vec!["KEEP", "DELETE"];
        choices.extend(promoting.then_some("PROMOTE"));
        choices.extend((!case.last).then_some("SEARCH"));
        let form = verdict::form(&voice, &choices);
        let told = if promoting {
            "review-promote"
        } else {
            "review-decay"
        };
        let told = voice.say(told, &[("choices", &choices.join(" / ")), ("form", &form)]);
        let messages = vec![Message::system(told), Message::user(input)];
        let request = Request {
            schema: Some(verdict::schema(&choices)),
            ..Request::new("review", messages)
        };
        let settled = self.settled(&voice, request, &choices, judgement)?;
        let judgement = match settled.found {
            // Behind it may have stood what takes it back.
            Some(Judgement::Promote | Judgement::Delete) if settled.last.is_cut() => {
                Judgement::Undecided
            }
            // A verdict that was not offered does not count.
            Some(Judgement::Promote) if !promoting || !self.promotes => Judgement::Undecided,
            Some(Judgement::Search(_)) if case.last => Judgement::Undecided,
            // The words of the form were copied.
            Some(Judgement::Search(words)) if words == voice.say("verdict-search", &[]) => {
                Judgement::Undecided
            }
            found => found.unwrap_or(Judgement::Undecided),
        };
        Ok(Reasoned::new(judgement, settled.reason))
    }

    fn same(&self, first: &Shown, second: &Shown) -> Result<Reasoned<bool>, JudgeError> {
        self.yes_or_no("same", false, (first, second))
    }

    fn contradicts(&self, newer: &Shown, older: &Shown) -> Result<Reasoned<bool>, JudgeError> {
        self.yes_or_no("contradicts", false, (newer, older))
    }

    /// Asks for the direction, or, where the profile does not, only whether there is a cause: it is
    /// the first then.
    fn causality(&self, first: &Shown, second: &Shown) -> Result<Reasoned<Causality>, JudgeError> {
        if self.ask_direction {
            let voice = self.voice([first.text.as_str(), &second.text]);
            let no = voice.say("no", &[]);
            let choices = ["A", "B", no.as_str()];
            let asked = Pair {
                purpose: "causality",
                message: "causality-direction",
                choices: &choices,
                bare: false,
            };
            return self.pair(&voice, &asked, (first, second), |said| {
                answer::direction(said, &no)
            });
        }
        let yes = self.yes_or_no("causality", true, (first, second))?;
        let cause = if yes.answer {
            Causality::FirstCauses
        } else {
            Causality::Neither
        };
        Ok(Reasoned::new(cause, yes.reason))
    }
}
