//! Answers from one state.

use std::collections::BTreeMap;

use annals_recall::{
    Embedded, Found, NamedSpeakers, Query, Ranking, Sources, query_texts, query_vector, rank,
    sentences,
};
use annals_storage::Snapshot;
use annals_types::profile::RecallMode;
use annals_types::{
    Calibration, Embedder, Fingerprint, MemoryId, NamespaceId, Purpose, Script, SearchPart,
    SearchQuestion, UnitScore,
};
use annals_vector::Shape;

use crate::by_entity;
use crate::compiled::CompiledProfile;
use crate::timed::timed;
use crate::{Answer, Error, Hit};
use crate::{Engine, View};

/// How often index and snapshot are taken again when a merge came in between.
const ATTEMPTS: usize = 8;

/// A question as a vector, or why it is none.
pub struct Vectored {
    fingerprint: Fingerprint,
    /// The question as it was embedded.
    asked: String,
    embedded: Option<Embedded>,
    /// The same as a plain vector, where a search backend is asked.
    vector: Option<Vec<f32>>,
    without: Option<String>,
}

/// How the cosines of an embedder that was used become scores.
pub fn calibration(embedder: &dyn Embedder) -> Calibration {
    embedder
        .calibration()
        .unwrap_or(Calibration::uniform(0.0, 1.0))
}

/// Why vectors of another embedder are not compared with a question.
fn foreign(fingerprint: &Fingerprint) -> String {
    format!(
        "the vectors are those of {fingerprint}, which is not at hand; \
         reembed the namespace, or open it with that embedder"
    )
}

impl Engine {
    /// The question as a vector of an embedder's space. When the embedder fails, recall goes on by
    /// words, and the reason is reported.
    fn embed_query(
        &self,
        embedder: &dyn Embedder,
        query: &Query,
        asked: &str,
        profile: &CompiledProfile,
    ) -> Result<Vectored, Error> {
        query.check()?;
        let settings = &profile.settings.recall;
        let script = Script::of_text(asked);
        // An embedder may be elsewhere: what is not stored is not sent there either.
        let texts = query_texts(query, asked, settings);
        let texts: Vec<String> = texts
            .into_iter()
            .map(|text| profile.redacted(text.into_owned()))
            .collect();
        let (fingerprint, asked) = (embedder.fingerprint(), asked.to_owned());
        let sentences: Vec<String> = sentences(&asked)
            .into_iter()
            .map(|part| profile.redacted(part.to_owned()))
            .collect();
        let texts: Vec<&str> = texts.iter().chain(&sentences).map(String::as_str).collect();
        let (vectors, parts) = match embedder.embed(&texts, Purpose::Query) {
            Ok(mut vectors) => {
                let parts = vectors.split_off(vectors.len().saturating_sub(sentences.len()));
                (vectors, parts)
            }
            Err(error) => {
                tracing::warn!(%error, "the question is answered by words only");
                let without = Some(error.to_string());
                return Ok(Vectored {
                    fingerprint,
                    asked,
                    embedded: None,
                    vector: None,
                    without,
                });
            }
        };
        let vector = query_vector(&vectors, settings.context_weight);
        let shape = Shape::new(embedder.dims())?;
        let query = shape.query(&vector)?;
        let parts = parts
            .iter()
            .map(|part| shape.query(part))
            .collect::<Result<_, _>>()?;
        let calibration = calibration(embedder);
        let everyday = self
            .prototypes(embedder)
            .map(|prototypes| prototypes.everyday(&vector, script));
        let embedded = Embedded {
            query,
            parts,
            calibration,
            script,
            everyday,
        };
        let vector = self.backend.is_some().then_some(vector);
        Ok(Vectored {
            fingerprint,
            asked,
            embedded: Some(embedded),
            vector,
            without: None,
        })
    }

    /// Answers a question from the durable state. `vectored` keeps the question's vector from one
    /// namespace to the next.
    pub fn answer(
        &self,
        namespace: NamespaceId,
        name: &str,
        query: &Query,
        vectored: &mut Option<Vectored>,
    ) -> Result<Answer, Error> {
        let mut attempt = 1;
        loop {
            let view = self.view(namespace)?;
            let snapshot = self.snapshot()?;
            match self.answer_from(&view, &snapshot, name, query, vectored) {
                Err(error) if error.is_outdated() && attempt < ATTEMPTS => attempt += 1,
                Err(error) if error.is_derived_damage() && attempt < ATTEMPTS => {
                    self.heal(namespace)?;
                    attempt += 1;
                }
                other => return other,
            }
        }
    }

    /// Answers a question from one state.
    pub fn answer_from(
        &self,
        view: &View,
        snapshot: &Snapshot,
        name: &str,
        query: &Query,
        vectored: &mut Option<Vectored>,
    ) -> Result<Answer, Error> {
        let mut query = timed(query, &view.profile.settings.time.zone, self.now())?;
        if query.min_score.is_none() {
            let least = view
                .profile
                .settings
                .recall
                .least_score(&view.embedder.fingerprint());
            query.to_mut().min_score = Some(UnitScore::new("min_score", least)?);
        }
        let query = &*query;
        let questions = by_entity::questions(view, query);
        let limit = query.top_k.unwrap_or(view.profile.settings.recall.top_k);
        let answers = questions
            .iter()
            .map(|query| self.answer_one(view, snapshot, name, query, vectored));
        let mut answers: Vec<Answer> = answers.collect::<Result<_, _>>()?;
        match answers.pop() {
            Some(only) if answers.is_empty() => Ok(only),
            last => {
                answers.extend(last);
                Ok(by_entity::joined(
                    query,
                    usize::try_from(limit).unwrap_or(usize::MAX),
                    answers,
                ))
            }
        }
    }

    fn answer_one(
        &self,
        view: &View,
        snapshot: &Snapshot,
        name: &str,
        query: &Query,
        vectored: &mut Option<Vectored>,
    ) -> Result<Answer, Error> {
        // The feature `speaker` says who is named, where the profile weighs it.
        let weights = query
            .weights
            .as_ref()
            .unwrap_or(&view.profile.settings.recall.weights);
        let weighs_speakers = weights.speaker > 0.0;
        let speakers = if weighs_speakers {
            view.speakers.named(&query.text)
        } else {
            NamedSpeakers::default()
        };
        let asked = speakers.taken_out_of(&query.text);
        let fits = vectored
            .take()
            .filter(|v| v.fingerprint == view.embedder.fingerprint() && v.asked == asked);
        let vectored = vectored.insert(match fits {
            Some(known) => known,
            None => self.embed_query(&*view.embedder, query, &asked, &view.profile)?,
        });
        let asked_about = match query.why_not {
            Some(id) => annals_records::find_rows(snapshot, view.namespace, &[id])?
                .pop()
                .flatten(),
            None => None,
        };
        let (found, without_backend) =
            self.ask_backend(view, snapshot, name, query, vectored.vector.as_deref())?;
        let fast = query
            .mode
            .unwrap_or(view.profile.settings.recall.expand.mode)
            == RecallMode::Fast;
        let nodes = if fast { None } else { view.nodes(snapshot)? };
        let prototypes = self
            .prototypes(&*view.embedder)
            .filter(|_| view.foreign.is_none());
        let sources = Sources {
            nodes: nodes.as_deref(),
            found: found.as_ref(),
            prototypes: prototypes.as_deref(),
            ..view.sources(snapshot, &speakers)?
        };
        let embedded = vectored
            .embedded
            .as_ref()
            .filter(|_| view.foreign.is_none());
        let Ranking {
            hits,
            candidates,
            why_not,
            graph,
            by_time,
            answered,
        } = rank(
            &sources,
            query,
            embedded,
            asked_about,
            &view.profile.settings,
            self.now(),
        )?;
        let rows: Vec<_> = hits.iter().map(|hit| hit.row).collect();
        let memories =
            annals_records::memories(snapshot, view.namespace, &rows, Some(&view.columns))?;
        let newer: Vec<_> = hits.iter().filter_map(|hit| hit.newer).collect();
        let newer_ids = annals_records::ids_of(snapshot, view.namespace, &newer)?;
        let newer: BTreeMap<_, _> = newer.into_iter().zip(newer_ids).collect();
        let hits =
            hits.into_iter()
                .zip(memories)
                .filter_map(|(ranked, memory)| {
                    // A row erased since the view was taken is gone: it is no hit any more.
                    let mut memory = memory?;
                    if let Some(then) = query.as_of.and_then(|moment| {
                        Some(view.columns.history(ranked.row)?.status_at(moment))
                    }) {
                        memory.status = then;
                    }
                    Some(Hit {
                        namespace: name.to_owned(),
                        id: memory.id,
                        score: ranked.explanation.score,
                        text: memory.body.text.clone(),
                        memory,
                        newer: ranked
                            .newer
                            .and_then(|row| newer.get(&row).copied().flatten()),
                        explanation: ranked.explanation,
                    })
                });
        let without_vectors = view
            .foreign
            .as_ref()
            .map(foreign)
            .or_else(|| vectored.without.clone());
        Ok(Answer {
            hits: hits.collect(),
            candidates,
            why_not,
            without_vectors,
            without_backend,
            graph,
            by_time,
            answered,
        })
    }

    /// The rows that the search backend finds, or its error; neither where there is none.
    fn ask_backend(
        &self,
        view: &View,
        snapshot: &Snapshot,
        name: &str,
        query: &Query,
        vector: Option<&[f32]>,
    ) -> Result<(Option<Found>, Option<String>), Error> {
        let Some(backend) = &self.backend else {
            return Ok((None, None));
        };
        let (part, settings) = (backend.part(), &view.profile.settings.recall);
        let limit = match part {
            SearchPart::Words => settings.text_candidates,
            SearchPart::Meaning => settings.vector_candidates,
        };
        let asked = view.profile.redacted(query.text.clone());
        let mut question =
            SearchQuestion::new(name, &asked, usize::try_from(limit).unwrap_or(usize::MAX));
        (question.vector, question.as_of) = (vector, query.as_of);
        let hits = match backend.search(&question) {
            Ok(hits) => hits,
            Err(error) => {
                tracing::warn!(%error, "the question is answered by the built-in search");
                return Ok((None, Some(format!("{error}: {}", error.source))));
            }
        };
        let ids: Vec<MemoryId> = hits.iter().map(|hit| hit.id).collect();
        let rows = annals_records::find_rows(snapshot, view.namespace, &ids)?;
        let scored = hits
            .iter()
            .zip(rows)
            .filter_map(|(hit, row)| Some((row?, hit.score.get())));
        Ok((Some(Found::new(part, scored)), None))
    }
}
