use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use annals_types::Cancel;

use super::{AnswerTokens, Provider, ProviderError, Reply, Request, Usage};

/// The price of a million tokens, in any currency.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Price {
    /// A million tokens of prompts.
    pub input: f64,
    /// A million tokens of answers.
    pub output: f64,
}

impl Price {
    /// The price of some tokens.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "a sum of money does not need more than 53 bits"
    )]
    pub fn of(self, usage: Usage) -> f64 {
        (usage.input as f64 * self.input + usage.output as f64 * self.output) / 1e6
    }
}

/// The cost of one purpose so far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Total {
    /// Answered calls.
    pub calls: u64,
    /// Calls that failed.
    pub failed: u64,
    /// Tokens.
    pub usage: Usage,
    /// Money, in the currency of the price.
    pub cost: f64,
}

impl Total {
    /// One call that was answered.
    fn answered(usage: Usage, cost: f64) -> Self {
        Self {
            calls: 1,
            failed: 0,
            usage,
            cost,
        }
    }

    /// One call that failed.
    fn failed() -> Self {
        Self {
            failed: 1,
            ..Self::default()
        }
    }

    /// Adds another total.
    pub fn add(&mut self, other: &Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.failed = self.failed.saturating_add(other.failed);
        self.usage.input = self.usage.input.saturating_add(other.usage.input);
        self.usage.output = self.usage.output.saturating_add(other.usage.output);
        self.usage.estimated |= other.usage.estimated;
        self.cost += other.cost;
    }
}

/// The accounts of calls by purpose. Copies share one state.
#[derive(Debug, Clone, Default)]
pub struct Ledger(Arc<Mutex<BTreeMap<String, Total>>>);

impl Ledger {
    /// The totals by purpose.
    #[must_use]
    pub fn totals(&self) -> BTreeMap<String, Total> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// All purposes together.
    #[must_use]
    pub fn sum(&self) -> Total {
        self.totals()
            .values()
            .fold(Total::default(), |mut sum, total| {
                sum.add(total);
                sum
            })
    }

    /// Takes the totals out, for a caller that keeps them elsewhere: the meter goes on from
    /// nothing.
    #[must_use]
    pub fn take(&self) -> BTreeMap<String, Total> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds to the total of a purpose.
    pub fn add(&self, purpose: &str, more: &Total) {
        let mut totals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        totals.entry(purpose.to_owned()).or_default().add(more);
    }
}

/// A provider whose calls are accounted for.
#[derive(Debug)]
pub struct Metered<P> {
    inner: P,
    price: Price,
    ledger: Ledger,
}

impl<P: Provider> Metered<P> {
    /// Accounts for the calls of `inner` in `ledger`.
    pub fn new(inner: P, price: Price, ledger: Ledger) -> Self {
        Self {
            inner,
            price,
            ledger,
        }
    }
}

impl<P: Provider> Provider for Metered<P> {
    fn name(&self) -> String {
        self.inner.name()
    }

    fn price(&self) -> Price {
        self.price
    }

    fn answer_tokens(&self) -> AnswerTokens {
        self.inner.answer_tokens()
    }

    fn chat(&self, request: &Request, cancel: &Cancel) -> Result<Reply, ProviderError> {
        let answer = self.inner.chat(request, cancel);
        let total = match &answer {
            Ok(reply) => Total::answered(reply.usage, self.price.of(reply.usage)),
            Err(_) => Total::failed(),
        };
        self.ledger.add(&request.purpose, &total);
        answer
    }
}
