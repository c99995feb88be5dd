//! Calls as values: what the handles of one process send to the owner of a file, and how the owner
//! finds the handle and the call.

use std::io;
use std::path::{Path, PathBuf};

use annals_share::{Call, Caller, Step};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::handles::{
    Admin, AgentDesign, Bulk, Decisions, Designs, Files, Graph, GraphDesign, Jobs, Lifecycle,
    MarkdownDesign, Memory, Merges, Namespace, Profiles, Queue, Reviews, Session, Sessions,
    StudioDesign, Tables, Tools, Transfer,
};
use crate::{Error, ImportReport};

/// A handle whose calls other processes make.
pub(crate) trait Dispatch {
    /// Runs the call of the handle that the way leads to from this one.
    fn dispatch(&self, way: &[Step], call: &Call, caller: &dyn Caller) -> Result<Vec<u8>, Error>;
}

macro_rules! dispatch {
    ($($handle:ident: $($serve:ident),+;)+) => {
        $(
            impl Dispatch for $handle {
                fn dispatch(&self, way: &[Step], call: &Call, caller: &dyn Caller) -> Result<Vec<u8>, Error> {
                    $(
                        if let Some(answer) = self.$serve(way, call, caller) {
                            return answer;
                        }
                    )+
                    Err(unknown(way, call))
                }
            }
        )+
    };
}

dispatch! {
    Admin: serve_calls;
    AgentDesign: serve_calls;
    Bulk: serve_calls;
    Decisions: serve_calls;
    Designs: serve_calls;
    Files: serve_calls;
    Graph: serve_reads, serve_calls;
    GraphDesign: serve_calls;
    Jobs: serve_calls;
    Lifecycle: serve_calls;
    MarkdownDesign: serve_calls;
    Memory: serve_calls, serve_namespace;
    Merges: serve_reads, serve_calls;
    Namespace: serve_calls;
    Profiles: serve_calls;
    Queue: serve_calls;
    Reviews: serve_calls;
    Session: serve_calls;
    Sessions: serve_calls;
    StudioDesign: serve_calls;
    Tools: serve_calls;
    Transfer: serve_calls;
}

/// Tables stay in their process: their calls borrow functions.
impl Dispatch for Tables {
    fn dispatch(&self, way: &[Step], call: &Call, _: &dyn Caller) -> Result<Vec<u8>, Error> {
        Err(unknown(way, call))
    }
}

impl Memory {
    /// The step into a namespace, which may be refused.
    fn serve_namespace(
        &self,
        way: &[Step],
        call: &Call,
        caller: &dyn Caller,
    ) -> Option<Result<Vec<u8>, Error>> {
        let (step, rest) = way
            .split_first()
            .filter(|(step, _)| step.name == "namespace")?;
        let namespace = decode(&step.args).and_then(|(name,): (String,)| self.namespace(name));
        Some(namespace.and_then(|namespace| namespace.dispatch(rest, call, caller)))
    }
}

fn unknown(way: &[Step], call: &Call) -> Error {
    let name = way.first().map_or(&call.name, |step| &step.name);
    Error::bad_input(format!(
        "there is no call {name:?}; update the process that owns the file"
    ))
}

pub(crate) fn decode<T: DeserializeOwned>(text: &RawValue) -> Result<T, Error> {
    serde_json::from_str(text.get())
        .map_err(|error| Error::bad_input(format!("an argument cannot be read: {error}")))
}

pub(crate) fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(value)
        .map_err(|error| Error::internal(format!("an answer cannot be written: {error}")))
}

/// Tells a caller of progress. A caller that has ended is noticed at the end of the call.
pub(crate) fn tell<T: Serialize>(caller: &dyn Caller, value: &T) {
    if let Ok(text) = serde_json::value::to_raw_value(value) {
        let _gone = caller.progress(&text);
    }
}

/// A report that is told again and again while it grows. Only what is new crosses each time.
pub(crate) trait Growing: Serialize + DeserializeOwned + Default {
    /// The report without the first entries of its list; `told` counts those that it has by now.
    fn since(&self, told: &mut usize) -> Self;

    /// Takes over a report that came later, and adds its entries.
    fn join(&mut self, news: Self);
}

impl Growing for ImportReport {
    fn since(&self, told: &mut usize) -> Self {
        let bad = self.bad.get(*told..).unwrap_or_default().to_vec();
        *told = self.bad.len();
        let Self {
            lines_done,
            stored,
            already_there,
            deleted,
            differing,
            ..
        } = *self;
        let Self {
            graph_stored,
            graph_already_there,
            judged_stored,
            left_out,
            ..
        } = *self;
        Self {
            lines_done,
            stored,
            already_there,
            deleted,
            differing,
            graph_stored,
            graph_already_there,
            judged_stored,
            left_out,
            withheld: self.withheld.clone(),
            bad,
        }
    }

    fn join(&mut self, news: Self) {
        let mut bad = std::mem::take(&mut self.bad);
        bad.extend_from_slice(&news.bad);
        *self = Self { bad, ..news };
    }
}

/// Puts a report together of what is new each time.
pub(crate) fn joining_what_is_new<T: Growing>(
    hear: &mut dyn FnMut(&T),
) -> impl FnMut(&RawValue) -> io::Result<()> {
    let mut whole = T::default();
    move |text: &RawValue| {
        whole.join(serde_json::from_str(text.get())?);
        hear(&whole);
        Ok(())
    }
}

/// A path that means the same in every process.
pub(crate) fn absolute(path: &Path) -> Result<PathBuf, Error> {
    std::path::absolute(path)
        .map_err(|error| Error::io(format!("finding {}", path.display()), error))
}
