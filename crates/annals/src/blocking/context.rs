//! What of a memory is put before a model.

use annals_extraction::Zone;
use annals_extraction::context::{Context, Item, Material, compose_counting};
use annals_recall::Query;
use annals_records::Moment;
use annals_types::profile::{InjectSettings, PartSettings, PartSource, Signal};
use annals_types::{Filter, Kind, Layer, MemoryId, Row, Timestamp};
use tracing::instrument;

use super::Namespace;
use crate::engine::View;
use crate::engine::privacy::Screen;
use crate::{ContextRequest, Error, Hit, MAX_TOP_K};

impl Namespace {
    /// What of the memory belongs into a prompt, in the parts and the form of the profile's `inject` settings.
    ///
    /// Nothing does while the profile has memory switched off (`surface.enabled`).
    ///
    /// Memories that recall brought are counted as injected afterwards, in one call, unless the request only peeks; a profile that does not
    /// count that is not written to.
    ///
    /// # Errors
    /// As [`recall`](Self::recall) for the message, or when the use cannot be written.
    #[instrument(level = "debug", skip_all, fields(namespace = %self.name))]
    pub fn context(&self, request: impl Into<ContextRequest>) -> Result<Context, Error> {
        let request = request.into();
        let rulebook = self.engine.rulebook_of(&self.name)?;
        let settings = &rulebook.profile.inject;
        if !rulebook.profile.surface.enabled {
            return Ok(Context::default());
        }
        let now = request.at.unwrap_or_else(|| self.engine.now());
        let mut material = Material {
            now: Some(now),
            zone: Zone::named(&rulebook.profile.time.zone)?,
            scratchpad: self.pad(settings, &request)?,
            prepared: request.prepared.clone(),
            ..Material::default()
        };
        for part in &settings.parts {
            let file = self.mirrored(part)?;
            let shown = !part.off && file.is_none();
            material.files.push(file);
            material.items.push(match part.source {
                _ if !shown => Vec::new(),
                PartSource::Recalled => self.recalled(part, &request, now)?,
                PartSource::Memories | PartSource::Core => self.lasting(part, now)?,
                _ => Vec::new(),
            });
        }
        if let Some(screen) = rulebook.screen() {
            veil(&mut material, &screen);
        }
        let mut context = compose_counting(settings, &material, &*self.engine.count);
        if !rulebook.profile.surface.show_references {
            context.memory_refs.clear();
        }
        if !request.peek {
            self.engine.counts.context(!context.ids.is_empty());
        }
        let brought = settings.parts.iter().filter(|part| part.source == PartSource::Recalled);
        let brought = brought.filter_map(|part| context.part(&part.name)).flat_map(|part| part.ids.clone());
        let brought: Vec<MemoryId> = brought.collect();
        if !request.peek && !brought.is_empty() && rulebook.profile.reinforce.signal == Signal::Injected {
            self.engine.touch(&self.name, &brought, Signal::Injected)?;
        }
        Ok(context)
    }

    /// What the file of a part says, where jobs keep one.
    fn mirrored(&self, part: &PartSettings) -> Result<Option<String>, Error> {
        let Some(path) = part.file.as_deref().filter(|_| !part.off) else { return Ok(None) };
        self.engine.mirrored(&self.name, path)
    }

    /// The scratchpad of the request, or that of the namespace.
    fn pad(&self, settings: &InjectSettings, request: &ContextRequest) -> Result<String, Error> {
        let shown = settings.parts.iter().any(|part| part.source == PartSource::Scratchpad);
        if shown && request.scratchpad.is_empty() { self.scratchpad_markdown() } else { Ok(request.scratchpad.clone()) }
    }

    /// What recall answers to the message.
    fn recalled(&self, part: &PartSettings, request: &ContextRequest, now: Timestamp) -> Result<Vec<Item>, Error> {
        let Some(message) = request.message.as_deref().filter(|text| !text.trim().is_empty()) else {
            return Ok(Vec::new());
        };
        let filter = Filter { kinds: kinds(part)?, valid_at: part.valid_only.then_some(now), ..Filter::default() };
        let query = Query {
            context: request.earlier.clone(),
            top_k: (part.limit > 0).then_some(part.limit),
            asked_at: Some(now),
            filter,
            ..Query::new(message)
        };
        let hits = self.recall(query.clone())?;
        let at_hand = |hit: &Hit| at_hand(request, hit);
        let hits = match hits.iter().filter(|hit| at_hand(hit)).count() {
            0 => hits,
            shown => {
                // Others come in their places, in the order of the answer.
                let wanted = hits.len();
                let more = u32::try_from(wanted.saturating_add(shown).saturating_add(request.earlier.len()));
                let mut hits = self.recall(query.top_k(more.unwrap_or(u32::MAX).min(MAX_TOP_K)))?;
                hits.retain(|hit| !at_hand(hit));
                let mut scores: Vec<f32> = hits.iter().map(|hit| hit.score).collect();
                scores.sort_by(|a, b| b.total_cmp(a));
                let least = scores.get(wanted.saturating_sub(1)).copied().unwrap_or(f32::MIN);
                hits.retain(|hit| hit.score >= least);
                hits.truncate(wanted);
                hits
            }
        };
        Ok(hits
            .into_iter()
            .map(|hit| Item {
                id: hit.id,
                kind: hit.memory.body.kind.as_str().to_owned(),
                score: f64::from(hit.score),
                text: hit.text,
            })
            .collect())
    }

    /// Memories by class, kind and score, the highest scores first, of equal ones the latest.
    pub(super) fn lasting(&self, part: &PartSettings, now: Timestamp) -> Result<Vec<Item>, Error> {
        let Some(namespace) = self.id()? else { return Ok(Vec::new()) };
        let view = self.engine.view(namespace)?;
        let snapshot = self.engine.snapshot()?;
        let mut rows = chosen(&view, part, now)?;
        rows.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
        // A line can be empty and is then no line: a few more are read than are shown.
        if part.limit > 0 {
            rows.truncate(usize::try_from(part.limit.saturating_add(8)).unwrap_or(usize::MAX));
        }
        let numbers: Vec<Row> = rows.iter().map(|(row, _)| *row).collect();
        let memories = annals_records::memories(&snapshot, namespace, &numbers, Some(&view.columns))?;
        let items = rows.into_iter().zip(memories).filter_map(|((_, score), memory)| {
            let memory = memory?;
            Some(Item { id: memory.id, kind: memory.body.kind.as_str().to_owned(), text: memory.body.text, score })
        });
        Ok(items.collect())
    }
}

/// Whether a turn of the running conversation stands among its messages already.
fn at_hand(request: &ContextRequest, hit: &Hit) -> bool {
    let same = |text: &String| text.trim() == hit.text.trim();
    let turn = hit.memory.body.turn.as_ref();
    turn.is_some_and(|turn| request.session.as_deref() == Some(turn.session.as_str()))
        && request.earlier.iter().chain(&request.message).any(same)
}

/// Keeps back what may have been stored before the profile kept it back.
fn veil(material: &mut Material, screen: &Screen) {
    let items = material.items.iter_mut().flatten().map(|item| &mut item.text);
    let rest = material.files.iter_mut().flatten().chain([&mut material.scratchpad, &mut material.prepared]);
    for text in items.chain(rest) {
        if let Some(other) = screen.instead(text) {
            *text = other;
        }
    }
}

fn kinds(part: &PartSettings) -> Result<Vec<Kind>, Error> {
    Ok(part.kinds.iter().map(Kind::new).collect::<Result<_, _>>()?)
}

/// The rows that a part shows, with their scores.
fn chosen(view: &View, part: &PartSettings, now: Timestamp) -> Result<Vec<(Row, f64)>, Error> {
    /// Scores closer to the least score than this count as equal to it.
    const EPSILON: f64 = 1e-9;
    let filter = Filter { kinds: kinds(part)?, valid_at: Some(now), ..Filter::default() };
    let matcher = view.columns.matcher(&filter, Moment::now(now));
    let least = part.min_score.unwrap_or(f64::MIN) - EPSILON;
    let fits = |row: Row| {
        let facts = view.columns.get(row)?;
        let class = view.worth.class(row).unwrap_or_default();
        let of_class = part.classes.is_empty() || part.classes.iter().any(|name| name == class);
        let score = view.worth.score(row, now).unwrap_or_else(|| f64::from(facts.importance));
        (facts.layer != Layer::Turn && of_class && score >= least && !view.worth.is_expired(row, now))
            .then_some((row, score))
    };
    Ok(matcher.rows().filter_map(fits).collect())
}
