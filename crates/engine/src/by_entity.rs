//! Episodes that answer only questions about their entities.

use std::collections::BTreeSet;

use annals_recall::Query;
use annals_records::LabelClass;
use annals_types::{Label, Layer};

use crate::Answer;
use crate::View;

/// The beginning of the tags that name the entities of an episode.
pub const ENTITY: &str = "entity:";
/// The longest name that is looked for in a question, in characters.
const NAME_CHARS: usize = 32;
/// How much of a question is searched for names, in characters.
const QUESTION_CHARS: usize = 1000;

/// The questions that answer one. Where the profile lets episodes answer only for the entities
/// that they are about, the first question goes to all other memories, and one more for each such
/// entity that is named.
pub(crate) fn questions(view: &View, query: &Query) -> Vec<Query> {
    let has_episodes = || view.columns.count(None, Some(Layer::Episodic)) > 0;
    if !view.profile.settings.episodes.by_entity_only
        || !query.filter.layers.is_empty()
        || !has_episodes()
    {
        return vec![query.clone()];
    }
    let mut main = query.clone();
    main.filter.layers = Layer::ALL
        .iter()
        .copied()
        .filter(|layer| *layer != Layer::Episodic)
        .collect();
    let mut all = vec![main];
    for tag in named(view, &query.text) {
        let mut more = query.clone();
        more.filter.layers = vec![Layer::Episodic];
        more.filter.tags.push(tag);
        all.push(more);
    }
    all
}

/// The tags of entities that a question names, out of those that episodes have. Costs grow with
/// the question, not with the number of tags.
fn named(view: &View, question: &str) -> BTreeSet<Label> {
    let text: Vec<char> = question
        .to_lowercase()
        .chars()
        .take(QUESTION_CHARS)
        .collect();
    let mut found = BTreeSet::new();
    for start in 0..text.len() {
        let mut tag = ENTITY.to_owned();
        for letter in text.iter().skip(start).take(NAME_CHARS) {
            tag.push(*letter);
            if view.columns.label_id(LabelClass::Tag, &tag).is_some() {
                found.extend(Label::new("tag", tag.as_str()).ok());
            }
        }
    }
    found
}

/// One answer of several: each memory once, best first.
pub(crate) fn joined(query: &Query, limit: usize, answers: Vec<Answer>) -> Answer {
    let mut all = Answer::nothing(query);
    for mut answer in answers {
        // The last word about a memory is that of the question which could have found it.
        all.why_not = answer.why_not.take().or(all.why_not);
        // The first question is the one that was asked; the others only add episodes.
        all.graph = all.graph.or(answer.graph.take());
        all.absorb(answer);
    }
    Answer::arrange(&mut all.hits, all.by_time);
    all.hits.truncate(limit);
    all
}
