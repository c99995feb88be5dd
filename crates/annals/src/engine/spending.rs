//! What language models were asked and what it cost, by day. Counted in memory while they are asked, and written when a piece of work or the
//! last handle ends: a call is never slowed down by its account, and a process that is killed loses no more than the account of its latest calls.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use annals_extraction::provider::{Ledger, Metered, Provider, Total, Usage};
use annals_storage::{KeyRange, Keyspace, Reads};
use annals_types::Timestamp;

use super::Engine;
use crate::{Error, Spent};

/// Day since 1970-01-01 in UTC (u32 BE), purpose, byte 0, name of the model -> calls, failed calls, tokens of prompts, tokens of answers (u64 BE
/// each), cost (f64 BE), byte 1 where tokens are estimates.
pub(crate) const SPENDING: Keyspace = Keyspace::new("annals.spending").up_to(VERSION);
/// The version of its values.
const VERSION: u8 = 1;
const DAY_MILLIS: i64 = 86_400_000;
/// The longest purpose and the longest name of a model, in bytes.
const LONGEST: usize = 200;

/// The accounts of the models that this handle asks, each with its name.
#[derive(Default)]
pub(crate) struct Accounts(Vec<(String, Ledger)>);

impl Accounts {
    /// The same model, with an account of what it is asked.
    pub(crate) fn of(&mut self, model: Arc<dyn Provider>) -> Arc<dyn Provider> {
        let (price, ledger) = (model.price(), Ledger::default());
        self.0.push((model.name(), ledger.clone()));
        Arc::new(Metered::new(model, price, ledger))
    }
}

fn key(day: u32, purpose: &str, model: &str) -> Vec<u8> {
    let cut = |text: &str| text.get(..text.floor_char_boundary(LONGEST)).unwrap_or_default().replace('\0', " ");
    let mut key = day.to_be_bytes().to_vec();
    key.extend_from_slice(cut(purpose).as_bytes());
    key.push(0);
    key.extend_from_slice(cut(model).as_bytes());
    key
}

fn encode(total: &Total) -> Vec<u8> {
    let numbers = [total.calls, total.failed, total.usage.input, total.usage.output];
    let mut value: Vec<u8> = numbers.iter().flat_map(|number| number.to_be_bytes()).collect();
    value.extend_from_slice(&total.cost.to_be_bytes());
    value.push(u8::from(total.usage.estimated));
    value
}

fn decode(body: &[u8]) -> Option<Total> {
    let (numbers, rest) = body.as_chunks::<8>();
    let [calls, failed, input, output, cost] = numbers else { return None };
    let estimated = match rest {
        [0] => false,
        [1] => true,
        _ => return None,
    };
    let usage = Usage { input: u64::from_be_bytes(*input), output: u64::from_be_bytes(*output), estimated };
    let (calls, failed) = (u64::from_be_bytes(*calls), u64::from_be_bytes(*failed));
    Some(Total { calls, failed, usage, cost: f64::from_be_bytes(*cost) })
}

fn spent(key: &[u8], body: &[u8]) -> Option<Spent> {
    let (day, names) = key.split_first_chunk::<4>()?;
    let (purpose, model) = std::str::from_utf8(names).ok()?.split_once('\0')?;
    let total = decode(body)?;
    Some(Spent {
        day: Timestamp::from_millis(i64::from(u32::from_be_bytes(*day)).saturating_mul(DAY_MILLIS)),
        purpose: purpose.to_owned(),
        model: model.to_owned(),
        calls: total.calls,
        failed: total.failed,
        input_tokens: total.usage.input,
        output_tokens: total.usage.output,
        estimated: total.usage.estimated,
        cost: total.cost,
    })
}

impl Engine {
    /// Writes down what was counted since the last time; nothing where nothing was asked.
    pub(crate) fn write_accounts(&self) -> Result<(), Error> {
        let taken: Vec<(&str, BTreeMap<String, Total>)> =
            self.accounts.0.iter().map(|(model, ledger)| (model.as_str(), ledger.take())).collect();
        if taken.iter().all(|(_, totals)| totals.is_empty()) {
            return Ok(());
        }
        let day = u32::try_from(self.now().as_millis().div_euclid(DAY_MILLIS)).unwrap_or(0);
        let written = self.store.write(|txn| -> Result<(), Error> {
            for (model, totals) in &taken {
                for (purpose, more) in totals {
                    let key = key(day, purpose, model);
                    let known = txn.get(SPENDING, &key)?.map(|stored| decode(&stored.body).ok_or_else(damaged));
                    let mut total = known.transpose()?.unwrap_or_default();
                    total.add(more);
                    txn.put(SPENDING, &key, VERSION, &encode(&total))?;
                }
            }
            Ok(())
        });
        if written.is_err() {
            for ((_, ledger), (_, totals)) in self.accounts.0.iter().zip(&taken) {
                totals.iter().for_each(|(purpose, total)| ledger.add(purpose, total));
            }
        }
        written.map(drop)
    }

    /// The same where the work itself must not fail because of it.
    pub(crate) fn try_write_accounts(&self) {
        if let Err(error) = self.write_accounts() {
            tracing::warn!(%error, "what the language model cost is not written down yet");
        }
    }

    /// What is written down, the oldest day first.
    pub(crate) fn spent(&self) -> Result<Vec<Spent>, Error> {
        let mut rows = Vec::new();
        let mut broken = false;
        self.snapshot()?.scan(&[KeyRange::prefix(SPENDING, &[])], &mut |_, key, _, body| {
            match spent(key, body) {
                Some(row) => rows.push(row),
                None => broken = true,
            }
            Ok(ControlFlow::Continue(()))
        })?;
        if broken { Err(damaged()) } else { Ok(rows) }
    }
}

fn damaged() -> Error {
    Error::damaged(SPENDING, "the account of a language model cannot be read")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_bytes() {
        let usage = Usage { input: 258, output: 3, estimated: true };
        let total = Total { calls: 2, failed: 1, usage, cost: 0.5 };
        let mut bytes = vec![0; 41];
        (bytes[7], bytes[15], bytes[22], bytes[23], bytes[31]) = (2, 1, 1, 2, 3);
        (bytes[32], bytes[33], bytes[40]) = (0x3f, 0xe0, 1);
        assert_eq!(encode(&total), bytes);
        assert_eq!(decode(&bytes), Some(total));
        assert_eq!(key(1, "chat", "m"), b"\0\0\0\x01chat\0m");
        let row = spent(&key(1, "cha\0t", "m"), &bytes).unwrap();
        assert_eq!((row.day.to_string().as_str(), row.purpose.as_str()), ("1970-01-02T00:00:00Z", "cha t"));
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_an_account_or_none(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..50)) {
            match decode(&bytes) {
                Some(total) => proptest::prop_assert_eq!(encode(&total), bytes),
                None => proptest::prop_assert!(bytes.len() != 41 || bytes[40] > 1),
            }
        }
    }
}
