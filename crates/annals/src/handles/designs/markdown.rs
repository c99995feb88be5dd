//! The end of sessions as one call, and the memories of a prompt.

use annals_extraction::context::{Context, Material, compose};
use annals_types::profile::{InjectSettings, PartSettings, PartSource, SESSION_END, Wording};
use annals_types::{Label, NewMemory, NewTurn};
use tracing::instrument;

use crate::handles::{MarkdownDesign, Namespace};
use crate::{Error, Merged};

impl MarkdownDesign {
    #[instrument(level = "debug", skip_all, fields(namespace = %self.space.name))]
    pub(crate) fn process_session_end(
        &self,
        messages: Vec<NewTurn>,
        session: &str,
    ) -> Result<Merged, Error> {
        let session = Label::new("session", session)?;
        let space = self.space.for_call();
        space.store_new(messages, &session)?;
        let edits = space.bring_edits();
        let Some(namespace) = space.id()? else {
            return Ok(Merged::default());
        };
        let profile = space.compiled_profile()?;
        let (looked, put_off) = self
            .space
            .engine
            .curator()
            .look_through(&profile, namespace, &session)?;
        let jobs = self.space.engine.run_event(namespace, SESSION_END)?;
        edits?;
        let count = |word: &str| {
            jobs.iter()
                .flat_map(|job| &job.steps)
                .filter_map(|step| step.counts.get(word))
                .sum()
        };
        Ok(Merged {
            new: looked.new,
            updated: looked.updated,
            archived: count("archived"),
            deleted: count("deleted"),
            put_off,
        })
    }

    pub(crate) fn prompt_memories(&self, top_k: u32) -> Result<String, Error> {
        let profile = self.space.compiled_profile()?;
        let shown = profile
            .settings
            .inject
            .parts
            .iter()
            .find(|part| part.source == PartSource::Memories);
        let all = PartSettings {
            source: PartSource::Memories,
            ..PartSettings::default()
        };
        let part = PartSettings {
            limit: top_k,
            heading: Wording::default(),
            off: false,
            ..shown.unwrap_or(&all).clone()
        };
        if !profile.settings.surface.enabled {
            return Ok(String::new());
        }
        let screen = profile.screen();
        let items = match top_k {
            0 => Vec::new(),
            _ => {
                self.space
                    .lasting(&part, self.space.engine.now(), screen.as_ref())?
                    .0
            }
        };
        let settings = InjectSettings {
            parts: vec![part],
            max_tokens: 0,
            ..InjectSettings::default()
        };
        let context: Context = compose(
            &settings,
            &Material {
                items: vec![items],
                messages: Some(self.space.messages([])?),
                ..Material::default()
            },
        );
        Ok(context.text)
    }
}

impl Namespace {
    /// Takes over what people wrote into mirrored files, where jobs keep any.
    fn bring_edits(&self) -> Result<(), Error> {
        let folder = self.engine.mirrors().mirror_folder(&self.name)?;
        if let (Some(folder), Some(namespace)) = (folder, self.id()?) {
            return self
                .engine
                .mirrors()
                .sync(
                    &self.name,
                    namespace,
                    (&folder, annals_files::Links::Within),
                )?
                .whole();
        }
        Ok(())
    }

    /// Stores the messages that a session does not have yet; answers how many these were.
    pub(super) fn store_new(
        &self,
        messages: Vec<NewTurn>,
        session: &Label,
    ) -> Result<usize, Error> {
        let placed = |turn: NewTurn| {
            let mut body = NewMemory::from(turn).into_body();
            if let Some(turn) = body.turn.as_mut() {
                turn.session = session.clone();
            }
            NewMemory::from_body(body)
        };
        let new = messages
            .into_iter()
            .map(placed)
            .collect::<Result<Vec<_>, _>>()?;
        self.engine.append_new(self.entry()?, session, new)
    }
}
