//! The advisers that are configured: each of its own, or a language model in its place.

use std::sync::Arc;

use annals_extraction::Analyst;
use annals_extraction::provider::Provider;
use annals_types::{
    Cancel, Causality, Count, EpisodeDraft, ExtractWindow, Extracted, Extractor, Interpreted,
    Interpreter, Judge, JudgeError, Judgement, Memory, Reasoned, ReviewCase, Shown, Summarizer,
};

use crate::spending::Accounts;
use annals_engine::advisers::Advisers;
use annals_engine::compiled::CompiledProfile;
use annals_engine::privacy::Screen;

/// The models that can be asked, by the options of a memory, with an account of the calls of each.
pub struct Models {
    judge: Option<Arc<dyn Judge>>,
    summarizer: Option<Arc<dyn Summarizer>>,
    extractor: Option<Arc<dyn Extractor>>,
    interpreter: Option<Arc<dyn Interpreter>>,
    /// Stands in for every adviser that is not configured.
    pub model: Option<Arc<dyn Provider>>,
    /// Looks through conversations in its place.
    extraction_model: Option<Arc<dyn Provider>>,
    /// How many tokens a text has.
    pub count: Count,
    pub(crate) accounts: Accounts,
}

/// The advisers and models of a memory, as its options name them.
pub struct Configured {
    pub judge: Option<Arc<dyn Judge>>,
    pub summarizer: Option<Arc<dyn Summarizer>>,
    pub extractor: Option<Arc<dyn Extractor>>,
    pub interpreter: Option<Arc<dyn Interpreter>>,
    pub model: Option<Arc<dyn Provider>>,
    pub extraction_model: Option<Arc<dyn Provider>>,
    pub count: Count,
}

impl Models {
    pub fn new(configured: Configured) -> Self {
        let Configured {
            judge,
            summarizer,
            extractor,
            interpreter,
            model,
            extraction_model,
            count,
        } = configured;
        let mut accounts = Accounts::default();
        let model = model.map(|model| accounts.of(model));
        let extraction_model = extraction_model.map(|model| accounts.of(model));
        Self {
            judge,
            summarizer,
            extractor,
            interpreter,
            model,
            extraction_model,
            count,
            accounts,
        }
    }

    /// An analyst that asks a model by the settings of a profile.
    pub fn analyst(&self, model: Arc<dyn Provider>, profile: &CompiledProfile) -> Analyst {
        let analyst = Analyst::new(model, &profile.settings).filtered_by(profile.filter.clone());
        let analyst = analyst.localized(profile.localizer.clone());
        analyst.count_tokens(Arc::clone(&self.count))
    }

    /// The analyst for work that no adviser of its own is named for.
    fn model_of(&self, profile: &CompiledProfile, cancel: &Cancel) -> Option<Arc<Analyst>> {
        let analyst = self.analyst(Arc::clone(self.model.as_ref()?), profile);
        Some(Arc::new(analyst.cancelled_by(cancel.clone())))
    }

    /// Whether a summarizer or a model is configured.
    pub(crate) fn has_summarizer(&self) -> bool {
        self.summarizer.is_some() || self.model.is_some()
    }

    /// Whether an extractor or a model is configured.
    pub(crate) fn has_extractor(&self) -> bool {
        self.extractor.is_some() || self.extraction_model.is_some() || self.model.is_some()
    }

    /// Whether an interpreter or a model is configured.
    pub(crate) fn has_interpreter(&self) -> bool {
        self.interpreter.is_some() || self.model.is_some()
    }
}

impl Advisers for Models {
    fn judge(&self, profile: &CompiledProfile, cancel: &Cancel) -> Option<Arc<dyn Judge>> {
        match &self.judge {
            Some(judge) => Some(match profile.screen() {
                Some(screen) => Arc::new(Screened {
                    asked: Arc::clone(judge),
                    screen,
                }),
                None => Arc::clone(judge),
            }),
            None => Some(self.model_of(profile, cancel)? as Arc<dyn Judge>),
        }
    }

    fn summarizer(
        &self,
        profile: &CompiledProfile,
        cancel: &Cancel,
    ) -> Option<Arc<dyn Summarizer>> {
        match &self.summarizer {
            Some(summarizer) => Some(match profile.screen() {
                Some(screen) => Arc::new(Screened {
                    asked: Arc::clone(summarizer),
                    screen,
                }),
                None => Arc::clone(summarizer),
            }),
            None => Some(self.model_of(profile, cancel)? as Arc<dyn Summarizer>),
        }
    }

    fn extractor(&self, profile: &CompiledProfile, cancel: &Cancel) -> Option<Arc<dyn Extractor>> {
        if let Some(extractor) = &self.extractor {
            return Some(match profile.screen() {
                Some(screen) => Arc::new(Screened {
                    asked: Arc::clone(extractor),
                    screen,
                }),
                None => Arc::clone(extractor),
            });
        }
        let model = self.extraction_model.as_ref().or(self.model.as_ref())?;
        // All turns of a window are shown, because all of them count as looked through.
        let analyst = self
            .analyst(Arc::clone(model), profile)
            .cancelled_by(cancel.clone())
            .whole_windows();
        Some(Arc::new(analyst))
    }

    fn interpreter(
        &self,
        profile: &CompiledProfile,
        cancel: &Cancel,
    ) -> Option<Arc<dyn Interpreter>> {
        match &self.interpreter {
            Some(interpreter) => Some(match profile.screen() {
                Some(screen) => Arc::new(Screened {
                    asked: Arc::clone(interpreter),
                    screen,
                }),
                None => Arc::clone(interpreter),
            }),
            None => Some(self.model_of(profile, cancel)? as Arc<dyn Interpreter>),
        }
    }

    fn has_judge(&self) -> bool {
        self.judge.is_some() || self.model.is_some()
    }
}

/// An adviser that is shown texts without what a profile keeps back.
struct Screened<T: ?Sized> {
    asked: Arc<T>,
    screen: Screen,
}

impl<T: ?Sized> Screened<T> {
    fn shown(&self, shown: &Shown) -> Shown {
        Shown {
            text: self.screen.redact(&shown.text).into_owned(),
            ..shown.clone()
        }
    }

    fn all(&self, shown: &[Shown]) -> Vec<Shown> {
        shown.iter().map(|shown| self.shown(shown)).collect()
    }

    fn turns(&self, turns: &[Memory]) -> Vec<Memory> {
        let mut turns = turns.to_vec();
        turns
            .iter_mut()
            .for_each(|turn| self.screen.redact_body(&mut turn.body));
        turns
    }
}

impl Judge for Screened<dyn Judge> {
    fn name(&self) -> String {
        self.asked.name()
    }

    fn review(&self, case: &ReviewCase<'_>) -> Result<Reasoned<Judgement>, JudgeError> {
        let (memory, related) = (self.shown(case.memory), self.all(case.related));
        self.asked.review(&ReviewCase {
            memory: &memory,
            related: &related,
            ..*case
        })
    }

    fn same(&self, first: &Shown, second: &Shown) -> Result<Reasoned<bool>, JudgeError> {
        self.asked.same(&self.shown(first), &self.shown(second))
    }

    fn contradicts(&self, newer: &Shown, older: &Shown) -> Result<Reasoned<bool>, JudgeError> {
        self.asked
            .contradicts(&self.shown(newer), &self.shown(older))
    }

    fn causality(&self, first: &Shown, second: &Shown) -> Result<Reasoned<Causality>, JudgeError> {
        self.asked
            .causality(&self.shown(first), &self.shown(second))
    }
}

impl Summarizer for Screened<dyn Summarizer> {
    fn summarize(&self, turns: &[Memory]) -> Result<String, JudgeError> {
        self.asked.summarize(&self.turns(turns))
    }

    fn episode(&self, turns: &[Memory]) -> Result<EpisodeDraft, JudgeError> {
        self.asked.episode(&self.turns(turns))
    }
}

impl Extractor for Screened<dyn Extractor> {
    fn name(&self) -> String {
        self.asked.name()
    }

    fn extract(&self, window: &ExtractWindow<'_>) -> Result<Vec<Extracted>, JudgeError> {
        let (turns, known) = (self.turns(window.turns), self.all(window.known));
        self.asked.extract(&ExtractWindow {
            turns: &turns,
            known: &known,
        })
    }
}

impl Interpreter for Screened<dyn Interpreter> {
    fn interpret(&self, memory: &Shown) -> Result<Interpreted, JudgeError> {
        self.asked.interpret(&self.shown(memory))
    }
}
