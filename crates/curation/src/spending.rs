//! The calls of language models and their cost, by day. They are counted in memory, and written
//! when a task or the last handle ends: no call is slowed down by its account, and a process that
//! is killed loses no more than the account of its latest calls.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use annals_extraction::provider::{Ledger, Metered, Provider, Total, Usage};
use annals_storage::Table;
use annals_storage::table::{ClosedText, Text, Value};
use annals_storage::wire::{Broken, Put, Take};
use annals_types::Timestamp;

use crate::Curator;
use crate::Spent;
use crate::models::Models;
use annals_engine::Engine;
use annals_engine::Error;

/// The calls of models, by day since 1970-01-01 in UTC, purpose and name of the model.
pub(crate) const SPENDING: Table<(u32, ClosedText, Text), Account> = Table::new("annals.spending");
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

/// As much of a purpose or a name of a model as is kept.
fn kept(text: &str) -> String {
    text.get(..text.floor_char_boundary(LONGEST))
        .unwrap_or_default()
        .replace('\0', " ")
}

/// The stored form of a [`Total`].
pub(crate) enum Account {}

impl Value for Account {
    type View<'a> = Total;

    fn encode(total: &Total, put: &mut Put) {
        for number in [
            total.calls,
            total.failed,
            total.usage.input,
            total.usage.output,
        ] {
            put.raw(&number.to_be_bytes());
        }
        put.raw(&total.cost.to_be_bytes());
        put.byte(u8::from(total.usage.estimated));
    }

    fn decode(_version: u8, body: &[u8]) -> Result<Total, Broken> {
        let mut take = Take::new(body);
        let mut number = || take.array().map(u64::from_be_bytes);
        let (calls, failed, input, output) = (number()?, number()?, number()?, number()?);
        let cost = f64::from_be_bytes(take.array()?);
        let estimated = match take.byte()? {
            0 => false,
            1 => true,
            _ => {
                return Err(Broken(
                    "the account of a language model has an unknown form",
                ));
            }
        };
        take.end()?;
        Ok(Total {
            calls,
            failed,
            usage: Usage {
                input,
                output,
                estimated,
            },
            cost,
        })
    }
}

fn spent((day, purpose, model): (u32, &str, &str), total: &Total) -> Spent {
    Spent {
        day: Timestamp::from_millis(i64::from(day).saturating_mul(DAY_MILLIS)),
        purpose: purpose.to_owned(),
        model: model.to_owned(),
        calls: total.calls,
        failed: total.failed,
        input_tokens: total.usage.input,
        output_tokens: total.usage.output,
        estimated: total.usage.estimated,
        cost: total.cost,
    }
}

impl Models {
    /// Writes down what was counted since the last time; nothing where nothing was asked.
    pub fn write_accounts(&self, engine: &Engine) -> Result<(), Error> {
        let taken: Vec<(&str, BTreeMap<String, Total>)> = self
            .accounts
            .0
            .iter()
            .map(|(model, ledger)| (model.as_str(), ledger.take()))
            .collect();
        if taken.iter().all(|(_, totals)| totals.is_empty()) {
            return Ok(());
        }
        let day = u32::try_from(engine.now().as_millis().div_euclid(DAY_MILLIS)).unwrap_or(0);
        let written = engine.store.write(|txn| -> Result<(), Error> {
            for (model, totals) in &taken {
                for (purpose, more) in totals {
                    let (purpose, model) = (kept(purpose), kept(model));
                    let key = (day, purpose.as_str(), model.as_str());
                    let mut total = SPENDING.get(txn, key)?.unwrap_or_default();
                    total.add(more);
                    SPENDING.put(txn, key, &total)?;
                }
            }
            Ok(())
        });
        if written.is_err() {
            for ((_, ledger), (_, totals)) in self.accounts.0.iter().zip(&taken) {
                totals
                    .iter()
                    .for_each(|(purpose, total)| ledger.add(purpose, total));
            }
        }
        written.map(drop)
    }
}

impl Curator<'_> {
    /// The accounts that are written down, the oldest day first.
    pub fn spent(&self) -> Result<Vec<Spent>, Error> {
        let mut rows = Vec::new();
        SPENDING.scan(&self.snapshot()?, SPENDING.all(), |key, total| {
            rows.push(spent(key, &total));
            Ok::<_, Error>(ControlFlow::Continue(()))
        })?;
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_and_a_day_is_its_midnight() {
        assert_eq!(
            (kept("cha\0t").as_str(), kept(&"é".repeat(150)).len()),
            ("cha t", 200)
        );
        let row = spent((1, "chat", "m"), &Total::default());
        assert_eq!(
            (row.day.to_string().as_str(), row.purpose.as_str()),
            ("1970-01-02T00:00:00Z", "chat")
        );
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_an_account_or_none(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..50)) {
            match Account::decode(1, &bytes) {
                Ok(total) => {
                    let mut put = Put::default();
                    Account::encode(&total, &mut put);
                    proptest::prop_assert_eq!(put.finish(), bytes);
                }
                Err(_) => proptest::prop_assert!(bytes.len() != 41 || bytes[40] > 1),
            }
        }
    }
}
