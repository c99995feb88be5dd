//! Language models behind one trait.

mod error;
#[cfg(feature = "http")]
pub mod http;
mod message;
mod meter;
mod pace;
mod record;
mod replay;
#[cfg(test)]
mod tests;
mod transcript;

use annals_types::Cancel;

pub use error::ProviderError;
pub use message::{
    AnswerTokens, Message, Reply, Request, Schema, Speaker, Stop, Tool, ToolUse, Usage,
};
pub use meter::{Ledger, Metered, Price, Total};
pub use pace::{Pace, Paced, Pacer};
pub use record::Recorder;
pub use replay::Replay;
pub use transcript::Exchange;

/// A language model. Implementations are shared between threads and block until there is an answer.
pub trait Provider: Send + Sync {
    /// Which model, where: for messages and accounts. Never holds a key.
    fn name(&self) -> String;

    /// The price of its tokens, for accounts; nothing unless it says otherwise.
    fn price(&self) -> Price {
        Price::default()
    }

    /// How long its answers may be; [1,024 tokens, and 2,048 when they are cut off](AnswerTokens)
    /// unless it says otherwise.
    fn answer_tokens(&self) -> AnswerTokens {
        AnswerTokens::default()
    }

    /// Asks once; the answer is [without thoughts](Reply::without_thoughts).
    ///
    /// # Errors
    /// [`ProviderError`]. Nothing is lost by asking again later when [`ProviderError::is_passing`].
    fn chat(&self, request: &Request, cancel: &Cancel) -> Result<Reply, ProviderError>;
}

impl<P: Provider + ?Sized> Provider for std::sync::Arc<P> {
    fn name(&self) -> String {
        (**self).name()
    }

    fn price(&self) -> Price {
        (**self).price()
    }

    fn answer_tokens(&self) -> AnswerTokens {
        (**self).answer_tokens()
    }

    fn chat(&self, request: &Request, cancel: &Cancel) -> Result<Reply, ProviderError> {
        (**self).chat(request, cancel)
    }
}

impl<P: Provider + ?Sized> Provider for Box<P> {
    fn name(&self) -> String {
        (**self).name()
    }

    fn price(&self) -> Price {
        (**self).price()
    }

    fn answer_tokens(&self) -> AnswerTokens {
        (**self).answer_tokens()
    }

    fn chat(&self, request: &Request, cancel: &Cancel) -> Result<Reply, ProviderError> {
        (**self).chat(request, cancel)
    }
}
