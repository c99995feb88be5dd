//! The judges, summarizers, extractors and interpreters that may be asked, as the engine knows
//! them.

use std::sync::Arc;

use annals_types::{Cancel, Extractor, Interpreter, Judge, Summarizer};

use crate::compiled::CompiledProfile;

/// The advisers of an engine, each `None` where nobody can be asked. An adviser is shown only what
/// the profile of the namespace lets others see; `cancel` ends a call of a model.
pub trait Advisers: Send + Sync {
    /// Decides reviews, and whether two memories say the same or contradict each other.
    fn judge(&self, profile: &CompiledProfile, cancel: &Cancel) -> Option<Arc<dyn Judge>>;

    /// Makes one text of many messages.
    fn summarizer(&self, profile: &CompiledProfile, cancel: &Cancel)
    -> Option<Arc<dyn Summarizer>>;

    /// Looks through conversations. It also says what is left of a memory that lost a source.
    fn extractor(&self, profile: &CompiledProfile, cancel: &Cancel) -> Option<Arc<dyn Extractor>>;

    /// Finds out what a memory says as triples.
    fn interpreter(
        &self,
        profile: &CompiledProfile,
        cancel: &Cancel,
    ) -> Option<Arc<dyn Interpreter>>;

    /// Whether a judge can be asked under some profile.
    fn has_judge(&self) -> bool;
}
