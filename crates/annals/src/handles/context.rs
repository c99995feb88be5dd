//! What of a memory is put before a model.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use annals_curation::injections;
use annals_engine::life;
use annals_engine::privacy::Screen;
use annals_extraction::context::{Context, Item, Material, compose_counting};
use annals_language::Zone;
use annals_messages::Messages;
use annals_recall::Query;
use annals_types::profile::{InjectSettings, PartSettings, PartSource, Signal};
use annals_types::{Filter, InjectedMemory, Injection, Kind, MemoryId, Timestamp, UnitScore};
use tracing::instrument;

use crate::handles::Namespace;
use crate::{Answer, ContextRequest, Error, Hit, MAX_TOP_K};

/// The kinds of a core part, in their order, and the messages of their headings.
pub(super) const CORE_SECTIONS: [(&str, &str); 4] = [
    ("RULE", "section-rule"),
    ("PREFERENCE", "section-preference"),
    ("FACT", "section-fact"),
    ("SKILL", "section-skill"),
];

impl Namespace {
    /// The messages for this namespace, in the language of some texts where it has none of its own.
    pub(crate) fn messages<'a>(
        &self,
        texts: impl IntoIterator<Item = &'a str>,
    ) -> Result<Arc<Messages>, Error> {
        let id = self.id()?;
        self.engine
            .messages(&*self.engine.profile_of(id)?, id, texts)
    }

    #[instrument(level = "debug", skip_all, fields(namespace = %self.name))]
    pub(crate) fn context(&self, request: impl Into<ContextRequest>) -> Result<Context, Error> {
        self.for_call().context_of(&request.into())
    }

    fn context_of(&self, request: &ContextRequest) -> Result<Context, Error> {
        let id = self.id()?;
        let profile = self.engine.profile_of(id)?;
        let mut settings = Cow::Borrowed(&profile.settings.inject);
        if let Some(most) = request.max_tokens {
            settings.to_mut().max_tokens = most;
        }
        let settings = &*settings;
        let temporary = request
            .session
            .as_deref()
            .map(|session| self.session(session).is_temporary());
        if !profile.settings.surface.enabled || temporary.transpose()?.unwrap_or_default() {
            return Ok(Context::default());
        }
        let now = request.at.unwrap_or_else(|| self.engine.now());
        let screen = profile.screen();
        let said = request
            .message
            .iter()
            .chain(&request.earlier)
            .map(String::as_str);
        let messages = self.engine.messages(&profile, id, said)?;
        let section = |(kind, id): (&str, &str)| (kind.to_owned(), messages.text(id, &[]));
        let mut material = Material {
            sections: CORE_SECTIONS.map(section).into(),
            messages: Some(Arc::clone(&messages)),
            now: Some(now),
            zone: Zone::named(&profile.settings.time.zone)?,
            scratchpad: redacted(self.pad(settings, request)?, screen.as_ref()),
            prepared: redacted(request.prepared.clone(), screen.as_ref()),
            ..Material::default()
        };
        let mut without_vectors = None;
        let mut recalled: HashMap<(&str, MemoryId), InjectedMemory> = HashMap::new();
        for part in &settings.parts {
            let file = self.mirrored(part)?;
            let shown = !part.off && file.is_none();
            material
                .files
                .push(file.map(|text| redacted(text, screen.as_ref())));
            let (items, unread) = match part.source {
                _ if !shown => (Vec::new(), 0),
                PartSource::Recalled => {
                    let answer = self.recalled(part, request, now)?;
                    without_vectors = without_vectors.or(answer.without_vectors);
                    let named =
                        |hit: &Hit| ((part.name.as_str(), hit.id), hit.injected(&part.name));
                    recalled.extend(answer.hits.iter().map(named));
                    (
                        answer
                            .hits
                            .into_iter()
                            .map(|hit| item(hit, screen.as_ref()))
                            .collect(),
                        0,
                    )
                }
                PartSource::Memories | PartSource::Core => {
                    self.lasting(part, now, screen.as_ref())?
                }
                _ => (Vec::new(), 0),
            };
            material.items.push(items);
            material.unread += unread;
        }
        let mut context = compose_counting(settings, &material, &*self.engine.models.count);
        context.without_vectors = without_vectors;
        context.injected = injected(settings, &material, &context, &mut recalled);
        if !profile.settings.surface.show_references {
            context.memory_refs.clear();
        }
        if !request.peek {
            self.engine.counts.context(!context.ids.is_empty());
        }
        let brought = settings
            .parts
            .iter()
            .filter(|part| part.source == PartSource::Recalled);
        let brought = brought
            .filter_map(|part| context.part(&part.name))
            .flat_map(|part| part.ids.clone());
        let brought: Vec<MemoryId> = brought.collect();
        if request.peek {
            return Ok(context);
        }
        let injection = self.injection(request, &context);
        let signals = !brought.is_empty() && profile.settings.reinforce.signal == Signal::Injected;
        if let Some(id) = id.filter(|_| signals) {
            self.engine.write_kept(id, |cx| {
                let reinforced = life::used(cx, Signal::Injected, &brought)?;
                injections::note(cx, injection.clone())?;
                Ok(reinforced)
            })?;
        } else if let Err(error) = self.lifecycle().note_injection(injection) {
            // A full disk keeps no agent from its memory.
            tracing::warn!(%error, "what a prompt was given is not noted");
        }
        Ok(context)
    }

    /// What a prompt is given.
    fn injection(&self, request: &ContextRequest, context: &Context) -> Injection {
        Injection {
            at: self.engine.now(),
            agent: request.agent.clone(),
            session: request.session.clone(),
            tokens: u64::try_from(context.tokens).ok(),
            left_out: u64::try_from(context.left_out).unwrap_or(u64::MAX),
            memories: context.injected.clone(),
        }
    }

    /// What the file of a part says, where jobs keep one.
    fn mirrored(&self, part: &PartSettings) -> Result<Option<String>, Error> {
        let Some(path) = part.file.as_deref().filter(|_| !part.off) else {
            return Ok(None);
        };
        let Some(id) = self.id()? else {
            return Ok(None);
        };
        self.engine.mirrors().mirrored(id, &self.name, path)
    }

    /// The scratchpad of the request, or that of the namespace.
    fn pad(&self, settings: &InjectSettings, request: &ContextRequest) -> Result<String, Error> {
        let shown = settings
            .parts
            .iter()
            .any(|part| part.source == PartSource::Scratchpad);
        if shown && request.scratchpad.is_empty() {
            self.designs().agent().scratchpad_markdown()
        } else {
            Ok(request.scratchpad.clone())
        }
    }

    /// What recall answers to the message.
    fn recalled(
        &self,
        part: &PartSettings,
        request: &ContextRequest,
        now: Timestamp,
    ) -> Result<Answer, Error> {
        let message = request.message.as_deref().unwrap_or_default();
        if message.trim().is_empty() {
            return Ok(Answer::nothing(&Query::new(message)));
        }
        let filter = Filter {
            kinds: kinds(part)?,
            valid_at: part.valid_only.then_some(now),
            ..Filter::default()
        };
        let query = Query {
            min_score: Some(UnitScore::new("min_score", self.admin().floor()?)?),
            context: request.earlier.clone(),
            top_k: (part.limit > 0).then_some(part.limit),
            asked_at: Some(now),
            for_prompt: true,
            filter,
            ..Query::new(message)
        };
        let answer = self.answer(query.clone())?;
        let at_hand = |hit: &Hit| at_hand(request, hit);
        let shown = answer.hits.iter().filter(|hit| at_hand(hit)).count();
        if shown == 0 {
            return Ok(answer);
        }
        // Others come in their places, in the order of the answer.
        let wanted = answer.hits.len();
        let more = u32::try_from(
            wanted
                .saturating_add(shown)
                .saturating_add(request.earlier.len()),
        );
        let mut answer = self.answer(query.top_k(more.unwrap_or(u32::MAX).min(MAX_TOP_K)))?;
        let hits = &mut answer.hits;
        hits.retain(|hit| !at_hand(hit));
        let mut scores: Vec<f32> = hits.iter().map(|hit| hit.score).collect();
        scores.sort_by(|a, b| b.total_cmp(a));
        let least = scores
            .get(wanted.saturating_sub(1))
            .copied()
            .unwrap_or(f32::MIN);
        hits.retain(|hit| hit.score >= least);
        hits.truncate(wanted);
        Ok(answer)
    }
}

/// Each memory of a context with its part, its score there and what gave it.
fn injected<'a>(
    settings: &'a InjectSettings,
    material: &Material,
    context: &Context,
    recalled: &mut HashMap<(&'a str, MemoryId), InjectedMemory>,
) -> Vec<InjectedMemory> {
    let mut found: Vec<InjectedMemory> = Vec::with_capacity(context.ids.len());
    for (part, items) in settings.parts.iter().zip(&material.items) {
        let shown = context
            .part(&part.name)
            .map(|part| part.ids.as_slice())
            .unwrap_or_default();
        for item in shown
            .iter()
            .filter_map(|id| items.iter().find(|item| item.id == *id))
        {
            if found.iter().any(|one| one.id == item.id) {
                continue;
            }
            let lasting = || {
                let (part, score) = (part.name.clone(), (item.score * 1e4).round() / 1e4);
                InjectedMemory {
                    id: item.id,
                    part,
                    score,
                    reasons: Vec::new(),
                }
            };
            found.push(
                recalled
                    .remove(&(part.name.as_str(), item.id))
                    .unwrap_or_else(lasting),
            );
        }
    }
    found
}

fn item(hit: Hit, screen: Option<&Screen>) -> Item {
    Item {
        id: hit.id,
        kind: hit.memory.body.kind.as_str().to_owned(),
        until: hit.memory.body.valid_until,
        score: f64::from(hit.score),
        text: redacted(hit.memory.body.exchange().into_owned(), screen),
    }
}

/// Whether a turn of the running conversation stands among its messages already.
fn at_hand(request: &ContextRequest, hit: &Hit) -> bool {
    let same = |text: &String| text.trim() == hit.text.trim();
    let turn = hit.memory.body.turn.as_ref();
    turn.is_some_and(|turn| request.session.as_deref() == Some(turn.session.as_str()))
        && request.earlier.iter().chain(&request.message).any(same)
}

/// A text without what may have been stored before the profile kept it back.
pub(super) fn redacted(text: String, screen: Option<&Screen>) -> String {
    screen
        .and_then(|screen| screen.instead(&text))
        .unwrap_or(text)
}

pub(super) fn kinds(part: &PartSettings) -> Result<Vec<Kind>, Error> {
    Ok(part.kinds.iter().map(Kind::new).collect::<Result<_, _>>()?)
}
