use serde::Serialize;

use super::{Fact, Labelled, Question};

/// Answers of a question that count.
const DEPTH: usize = 3;

/// A memory, as far as its quality goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stored {
    /// Its text.
    pub text: String,
    /// Its kind; empty without one.
    pub kind: String,
}

/// The run of an extractor over a labelled set.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Made {
    /// Memories that the extractor called new, in order, before the store compared them with its
    /// own.
    pub found: Vec<Stored>,
    /// Memories in the store at the end.
    pub stored: Vec<Stored>,
    /// The texts that answered each question of the set, the best first.
    pub answers: Vec<Vec<String>>,
}

/// How good that is; each number is from 0 to 1, and `None` where the set or what was made of it
/// says nothing about it.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Marks {
    /// The facts of the set.
    pub facts: usize,
    /// The memories that were found.
    pub found: usize,
    /// The share of found memories that say a fact of the set.
    pub precision: Option<f64>,
    /// The share of the facts that a found memory says.
    pub recall: Option<f64>,
    /// The share of the details of all facts that stand in a stored memory that says the fact,
    /// numbers as a whole, case and white space aside.
    pub details: Option<f64>,
    /// The share of found memories that have a right kind, among those that say a fact.
    pub kinds: Option<f64>,
    /// The share of right decisions about what is the same: of facts that were found more than
    /// once, those that are stored once; of pairs that must stay apart and were both found, those
    /// that are stored as two.
    pub dedup: Option<f64>,
    /// How many such decisions there were.
    pub dedup_cases: usize,
    /// The mean share of the facts asked for, of three at the most, that the first three answers
    /// say.
    pub precision_3: Option<f64>,
    /// The mean normalised discounted gain of the first three.
    pub ndcg_3: Option<f64>,
}

impl Marks {
    /// The harmonic mean of precision and recall: the accuracy of an extraction in one number.
    #[must_use]
    pub fn f1(&self) -> Option<f64> {
        let (precision, recall) = (self.precision.unwrap_or_default(), self.recall?);
        let sum = precision + recall;
        Some(if sum > 0.0 {
            2.0 * precision * recall / sum
        } else {
            0.0
        })
    }
}

impl Labelled {
    /// Measures what was made of this set.
    #[must_use]
    pub fn marks(&self, made: &Made) -> Marks {
        let facts: Vec<&Fact> = self.facts().collect();
        let said_by = |memory: &Stored| {
            facts
                .iter()
                .filter(|fact| fact.is_said_by(&memory.text))
                .count()
        };
        let right = made
            .found
            .iter()
            .filter(|memory| said_by(memory) > 0)
            .count();
        let known = facts
            .iter()
            .filter(|fact| times(fact, &made.found) > 0)
            .count();
        let (dedup, dedup_cases) = self.same(made);
        let (precision_3, ndcg_3) = self.answered(made);
        Marks {
            facts: facts.len(),
            found: made.found.len(),
            precision: share(right, made.found.len()),
            recall: share(known, facts.len()),
            details: details(&facts, made),
            kinds: kinds(&facts, made),
            dedup,
            dedup_cases,
            precision_3,
            ndcg_3,
        }
    }

    /// Precision and normalised gain of the first three answers of one question, as in [`Marks`].
    #[must_use]
    pub fn answer(&self, question: &Question, answers: &[String]) -> (f64, f64) {
        let wanted: Vec<&Fact> = question
            .facts
            .iter()
            .filter_map(|id| self.fact(id))
            .collect();
        ranked(&wanted, answers)
    }

    fn same(&self, made: &Made) -> (Option<f64>, usize) {
        let often: Vec<&Fact> = self
            .facts()
            .filter(|fact| times(fact, &made.found) > 1)
            .collect();
        let once = often
            .iter()
            .filter(|fact| times(fact, &made.stored) == 1)
            .count();
        let pairs = self
            .apart
            .iter()
            .filter_map(|[one, other]| self.fact(one).zip(self.fact(other)));
        let pairs: Vec<_> = pairs
            .filter(|(a, b)| times(a, &made.found) > 0 && times(b, &made.found) > 0)
            .collect();
        let two = pairs
            .iter()
            .filter(|(a, b)| are_two(a, b, &made.stored))
            .count();
        let cases = often.len() + pairs.len();
        (share(once + two, cases), cases)
    }

    fn answered(&self, made: &Made) -> (Option<f64>, Option<f64>) {
        if made.answers.is_empty() {
            return (None, None);
        }
        let asked = self
            .questions
            .iter()
            .enumerate()
            .filter(|(_, question)| !question.facts.is_empty());
        let answers = |at: usize| made.answers.get(at).map(Vec::as_slice).unwrap_or_default();
        let marks: Vec<(f64, f64)> = asked
            .map(|(at, question)| self.answer(question, answers(at)))
            .collect();
        let mean = |of: fn(&(f64, f64)) -> f64| {
            let sum: f64 = marks.iter().map(of).sum();
            (!marks.is_empty()).then(|| sum / number(marks.len()))
        };
        (mean(|mark| mark.0), mean(|mark| mark.1))
    }
}

/// How many memories say a fact.
fn times(fact: &Fact, memories: &[Stored]) -> usize {
    memories
        .iter()
        .filter(|memory| fact.is_said_by(&memory.text))
        .count()
}

/// Whether there is a memory for each of two facts.
fn are_two(one: &Fact, other: &Fact, stored: &[Stored]) -> bool {
    let of = |fact: &Fact| {
        stored
            .iter()
            .position(|memory| fact.is_said_by(&memory.text))
    };
    matches!((of(one), of(other)), (Some(a), Some(b)) if a != b)
}

fn details(facts: &[&Fact], made: &Made) -> Option<f64> {
    let (mut kept, mut all) = (0, 0);
    for fact in facts {
        let said: Vec<&str> = made
            .stored
            .iter()
            .map(|m| m.text.as_str())
            .filter(|text| fact.is_said_by(text))
            .collect();
        kept += fact
            .details
            .iter()
            .filter(|detail| said.iter().any(|text| Fact::is_held(detail, text)))
            .count();
        all += fact.details.len();
    }
    share(kept, all)
}

fn kinds(facts: &[&Fact], made: &Made) -> Option<f64> {
    let (mut right, mut all) = (0, 0);
    for memory in &made.found {
        let said: Vec<_> = facts
            .iter()
            .filter(|fact| !fact.kinds.is_empty() && fact.is_said_by(&memory.text))
            .collect();
        if !said.is_empty() {
            all += 1;
            right += usize::from(said.iter().any(|fact| fact.kinds.contains(&memory.kind)));
        }
    }
    share(right, all)
}

/// Precision and normalised gain (Järvelin and Kekäläinen, 2002, with gains of 0 and 1) of the
/// first answers. Further facts in one answer take the places behind it.
fn ranked(wanted: &[&Fact], answers: &[String]) -> (f64, f64) {
    let mut left: Vec<&&Fact> = wanted.iter().collect();
    let (mut right, mut gained, mut free) = (0, 0.0, 0);
    let gain = |place: usize| 1.0 / (number(place) + 2.0).log2();
    for (place, answer) in answers.iter().take(DEPTH).enumerate() {
        let before = left.len();
        left.retain(|fact| !fact.is_said_by(answer));
        // One answer may say several.
        let said = before - left.len();
        right += said;
        free = place.max(free);
        gained += (free..free + said).map(gain).sum::<f64>();
        free += said;
    }
    let possible = wanted.len().min(DEPTH);
    let ideal: f64 = (0..possible).map(gain).sum();
    let gained = if ideal > 0.0 {
        (gained / ideal).min(1.0)
    } else {
        0.0
    };
    (
        share(right.min(possible), possible).unwrap_or_default(),
        gained,
    )
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| number(part) / number(whole))
}

/// A count as a number to calculate with.
fn number(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::MAX, f64::from)
}

#[cfg(test)]
mod tests {
    use super::super::BadSet;
    use super::*;

    const SET: &str = r#"{"name": "s", "talks": [
        {"id": "a", "turns": [{"text": "x"}], "facts": [
            {"id": "three", "text": "runs 3 km", "kinds": ["fact"], "says": [["run", "jog"], ["3 km"]],
             "not": ["never"], "details": ["3 km"]},
            {"id": "five", "text": "runs 5 km", "kinds": ["fact"], "details": ["5 km"]}]},
        {"id": "b", "turns": [{"role": "assistant", "text": "y"}], "again": [{"id": "three", "text": "jogs 3 km"}],
         "facts": [{"id": "tea", "text": "likes tea", "kinds": ["preference"], "details": ["tea"]}]}],
        "apart": [["three", "five"]],
        "questions": [{"q": "how far", "facts": ["three", "five"]}, {"q": "drink", "facts": ["tea"]}]}"#;

    fn memory(text: &str, kind: &str) -> Stored {
        Stored {
            text: text.to_owned(),
            kind: kind.to_owned(),
        }
    }

    #[test]
    fn the_numbers_are_those_counted_by_hand() {
        let set = Labelled::parse(SET.as_bytes()).unwrap();
        let (three, five) = (
            memory("She runs 3 km", "fact"),
            memory("She runs 5 km", "context"),
        );
        let found = vec![
            three.clone(),
            five.clone(),
            memory("She jogs 3km", "fact"),
            memory("hello", "fact"),
        ];
        let texts = |all: &[&str]| {
            all.iter()
                .map(|text| (*text).to_owned())
                .collect::<Vec<_>>()
        };
        let answers = vec![
            texts(&["She runs 5 km", "hello", "runs 3 km"]),
            texts(&["hello"]),
        ];
        let marks = set.marks(&Made {
            found: found.clone(),
            stored: vec![three.clone(), five],
            answers,
        });
        assert_eq!((marks.facts, marks.found), (3, 4));
        assert_eq!(
            (marks.precision, marks.recall),
            (Some(0.75), Some(2.0 / 3.0))
        );
        assert!((marks.f1().unwrap() - 12.0 / 17.0).abs() < 1e-12);
        assert_eq!(
            (marks.details, marks.kinds),
            (Some(2.0 / 3.0), Some(2.0 / 3.0))
        );
        assert_eq!((marks.dedup, marks.dedup_cases), (Some(1.0), 2));
        assert_eq!(marks.precision_3, Some(0.5), "two of two, none of one");
        let ideal = 1.0 + 1.0 / 3.0_f64.log2();
        assert!((marks.ndcg_3.unwrap() - (1.5 / ideal) / 2.0).abs() < 1e-12);
        // United although they are two, and the same kept twice.
        let wrong = set.marks(&Made {
            found,
            stored: vec![three, memory("She jogs 3km", "fact")],
            answers: vec![],
        });
        assert_eq!((wrong.dedup, wrong.precision_3), (Some(0.0), None));
        let nothing = set.marks(&Made::default());
        assert_eq!(
            (nothing.precision, nothing.f1(), nothing.details),
            (None, Some(0.0), Some(0.0))
        );
        assert!(!set.fact("three").unwrap().is_said_by("She never runs 3 km"));
    }

    #[test]
    fn a_number_is_said_whole_and_by_its_own_fact() {
        let said = |fact: &str, text: &str| {
            let json = format!(
                r#"{{"name": "n", "talks": [{{"id": "t", "turns": [], "facts": [
                    {{"id": "f", "text": "x", "says": [["{fact}"]]}}]}}]}}"#
            );
            Labelled::parse(json.as_bytes())
                .unwrap()
                .fact("f")
                .unwrap()
                .is_said_by(text)
        };
        assert!(
            said("Vim 9", "uses vim9") && said("3 km", "runs 3km") && said("allerg", "is allergic")
        );
        assert!(
            !said("Vim 9", "uses Vim 91")
                && !said("3 km", "runs 13 km")
                && !said("live", "an olive")
        );
        // A detail in another memory does not count as kept of this fact; two facts in one answer
        // are two.
        let set = Labelled::parse(
            br#"{"name": "n", "talks": [{"id": "t", "turns": [], "facts": [
                {"id": "a", "text": "uses Vim", "says": [["Vim"]], "details": ["Vim"]},
                {"id": "b", "text": "runs Postgres", "says": [["Postgres"]], "details": ["Vim"]}]}],
                "questions": [{"q": "both", "facts": ["a", "b"]}, {"q": "none", "facts": ["a"]}]}"#,
        )
        .unwrap();
        let stored = ["uses Vim", "runs Postgres"].map(|text| Stored {
            text: text.to_owned(),
            kind: String::new(),
        });
        let answers = vec![vec!["uses Vim, runs Postgres".to_owned()]];
        let marks = set.marks(&Made {
            found: vec![],
            stored: stored.to_vec(),
            answers,
        });
        assert_eq!(
            (marks.details, marks.precision_3, marks.ndcg_3),
            (Some(0.5), Some(0.5), Some(0.5))
        );
    }

    #[test]
    fn a_detail_is_kept_whole_and_a_fact_that_is_not_said_is_missing() {
        let set = Labelled::parse(
            br#"{"name": "n", "talks": [{"id": "t", "turns": [], "facts": [
                {"id": "a", "text": "uses Vim 9", "says": [["Vim"]], "details": ["Vim 9"]},
                {"id": "b", "text": "runs 3 km", "says": [["run"]], "details": ["3 km"]},
                {"id": "c", "text": "likes tea", "says": [["tea"]]}]}],
                "questions": [{"q": "all", "facts": ["a", "b", "c"]}]}"#,
        )
        .unwrap();
        let made = |texts: [&str; 2]| {
            let stored = texts.map(|text| memory(text, "")).to_vec();
            let answers = vec![vec![texts.join(", ")]];
            set.marks(&Made {
                found: vec![],
                stored,
                answers,
            })
        };
        assert_eq!(made(["uses Vim 91", "runs 13 km"]).details, Some(0.0));
        let marks = made(["uses vim 9", "runs 3km"]);
        assert_eq!(
            (marks.details, marks.precision_3),
            (Some(1.0), Some(2.0 / 3.0))
        );
        // Two of three facts are worth two of three places.
        let places = [1.0, 1.0 / 3.0_f64.log2(), 0.5];
        let wanted = (places[0] + places[1]) / places.iter().sum::<f64>();
        assert!((marks.ndcg_3.unwrap() - wanted).abs() < 1e-12);
    }

    #[test]
    fn a_set_with_a_mistake_is_refused() {
        let refused = |from: &str, to: &str| {
            Labelled::parse(SET.replacen(from, to, 1).as_bytes()).unwrap_err()
        };
        assert!(
            matches!(refused(r#""id": "b""#, r#""id": "a""#), BadSet::Twice { id } if id == "a")
        );
        assert!(
            matches!(refused(r#""id": "five""#, r#""id": "three""#), BadSet::Twice { id } if id == "three")
        );
        assert!(
            matches!(refused(r#"["tea"]}]}]"#, r#"[]}]}]"#), BadSet::Mute { id } if id == "tea")
        );
        let unknown = refused(r#""again": [{"id": "three""#, r#""again": [{"id": "tea""#);
        assert!(matches!(unknown, BadSet::UnknownFact { id, .. } if id == "tea"));
        assert!(matches!(
            refused(r#"[["three", "five"]]"#, r#"[["three", "x"]]"#),
            BadSet::UnknownFact { .. }
        ));
        assert!(matches!(
            refused(r#""facts": ["tea"]}]"#, r#""facts": ["x"]}]"#),
            BadSet::UnknownFact { .. }
        ));
        assert!(matches!(refused("talks", "talk"), BadSet::Form(_)));
    }
}
