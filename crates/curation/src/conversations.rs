//! Cursors, open turns, proposals, remarks of conversations and what prompts were given follow the
//! memories.

use std::collections::BTreeSet;

use annals_storage::{AnyTable, Reads};
use annals_types::{Label, NamespaceId, Rewrite, Row};

use crate::spending::SPENDING;
use crate::{cursors, injections, proposals, remarks, temporary};
use annals_engine::Error;
use annals_engine::WriteCx;
use annals_engine::deletion::Deletion;
use annals_engine::extension::{Extension, Stored};

/// The name of the extension.
pub(crate) const NAME: &str = "conversations";

/// Cursors of conversations and their open turns, proposals, remarks.
pub(crate) struct Conversations;

impl Extension for Conversations {
    fn name(&self) -> &'static str {
        NAME
    }

    fn tables(&self) -> &'static [&'static dyn AnyTable] {
        &[
            &cursors::TALKS,
            &cursors::OPEN_TURNS,
            &proposals::PROPOSALS,
            &remarks::REMARKS,
            &remarks::SHOWN,
            &SPENDING,
            &injections::INJECTIONS,
            &temporary::TEMPORARY,
        ]
    }

    fn appended(&self, cx: &mut WriteCx<'_, '_>, stored: &[Stored<'_>]) -> Result<(), Error> {
        let new: Vec<&Stored<'_>> = stored.iter().filter(|stored| !stored.imported).collect();
        // Turns of temporary sessions are never open, whoever stores them: nothing looks them
        // through later.
        let kept_out = temporary::spans_of(&*cx.txn, cx.ns, new.iter().map(|stored| stored.body))?;
        let mut new = new
            .into_iter()
            .filter(|stored| !temporary::is_kept_out(&kept_out, stored.body));
        new.try_for_each(|stored| cursors::note(cx, (stored.id, stored.row), stored.body))
    }

    fn erasing(&self, cx: &mut WriteCx<'_, '_>, deletion: &Deletion) -> Result<(), Error> {
        cursors::unnote(cx.txn, cx.ns, &deletion.rows())?;
        proposals::forget_sources(cx.txn, cx.ns, &deletion.ids())?;
        injections::forget(cx.txn, cx.ns, &deletion.ids())?;
        remarks::forget(cx.txn, cx.ns, &deletion.ids())
    }

    fn erased(&self, cx: &mut WriteCx<'_, '_>, deletion: &Deletion) -> Result<(), Error> {
        let sessions = deletion
            .memories
            .iter()
            .flat_map(|leaving| leaving.sessions.iter().cloned());
        let sessions: BTreeSet<Label> = sessions.collect();
        cursors::forget(cx, &sessions)?;
        injections::forget_sessions(cx, &sessions)?;
        temporary::forget(cx, &sessions)
    }

    fn history_erased(&self, cx: &mut WriteCx<'_, '_>, rows: &[Row]) -> Result<(), Error> {
        cursors::unnote(cx.txn, cx.ns, rows)
    }

    fn taken_back(
        &self,
        cx: &mut WriteCx<'_, '_>,
        payload: &serde_json::Value,
    ) -> Result<(), Error> {
        proposals::restore(cx, payload)
    }

    fn rewrite(&self, value: &mut serde_json::Value, rewrite: Rewrite<'_>) {
        proposals::rewrite(value, rewrite);
    }

    fn validate(&self, reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<String>, Error> {
        let mut found = cursors::validate(reads, ns)?;
        found.extend(temporary::validate(reads, ns)?);
        injections::latest(reads, ns, None, usize::MAX)?;
        remarks::latest(reads, ns, usize::MAX)?;
        proposals::list(reads, ns, usize::MAX)?;
        Ok(found)
    }

    fn export(
        &self,
        reads: &dyn Reads,
        ns: NamespaceId,
        sink: &mut dyn FnMut(serde_json::Value) -> Result<(), Error>,
    ) -> Result<(), Error> {
        temporary::export(reads, ns, sink)
    }

    fn import(&self, cx: &mut WriteCx<'_, '_>, row: &serde_json::Value) -> Result<bool, Error> {
        temporary::import(cx, row)
    }
}
#[cfg(test)]
mod tests {
    use annals_extraction::provider::{Total, Usage};
    use annals_storage::conformance::Samples;
    use annals_types::{
        Extracted, InjectedMemory, Injection, InjectionReason, MemoryId, Timestamp,
    };

    use super::*;
    use crate::cursors::ExtractionCursor;
    use crate::proposals::Proposed;
    use crate::remarks::StoredRemark;

    const NS: NamespaceId = NamespaceId(1);
    const ONE: MemoryId = MemoryId::from_bytes([1; 16]);
    const TWO: MemoryId = MemoryId::from_bytes([2; 16]);
    const ID: &str = "01010101010101010101010101010101";
    const OTHER: &str = "02020202020202020202020202020202";

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn json(text: &str) -> String {
        annals_storage::hex(text.as_bytes())
    }

    #[test]
    fn every_table_has_a_frozen_row() {
        let mut samples = Samples::of(Conversations.tables());
        samples.row(
            &cursors::OPEN_TURNS,
            (NS, Row(258)),
            &(),
            ("0000000100000102", ""),
        );
        let usage = Usage {
            input: 258,
            output: 3,
            estimated: true,
        };
        let total = Total {
            calls: 2,
            failed: 1,
            usage,
            cost: 0.5,
        };
        let bytes = "0000000000000002000000000000000100000000000001020000000000000003\
                     3fe000000000000001";
        samples.row(
            &SPENDING,
            (1, "chat", "m"),
            &total,
            ("0000000163686174006d", bytes),
        );
        let cursor = ExtractionCursor {
            rounds: 5,
            begun: 2,
        };
        samples.row(
            &cursors::TALKS,
            (NS, "s"),
            &cursor,
            ("0000000173", "0000000500000002"),
        );
        let spans = temporary::TemporarySpans::of(&[(-1, Some(1)), (2, None)]);
        samples.row(
            &temporary::TEMPORARY,
            (NS, "s"),
            &spans,
            ("0000000173", "020101020400"),
        );
        let key = format!("00000001{ID}");
        let proposed = Proposed::of(Extracted::Delete(TWO), at(1_000)).unwrap();
        let text = concat!(
            r#"{"action":"delete","about":"02020202-0202-0202-0202-020202020202","said_kind":false,"#,
            r#""said_importance":false,"found_at":"1970-01-01T00:00:01Z"}"#
        );
        samples.row(
            &proposals::PROPOSALS,
            (NS, ONE),
            &proposed,
            (&key, &json(text)),
        );
        let noted = StoredRemark {
            at: at(0),
            left_out: vec!["\"m9\" was not shown".to_owned()],
            shown: vec![TWO],
        };
        let text = concat!(
            r#"{"at":"1970-01-01T00:00:00Z","left_out":["\"m9\" was not shown"],"#,
            r#""shown":["02020202-0202-0202-0202-020202020202"]}"#
        );
        samples.row(&remarks::REMARKS, (NS, ONE), &noted, (&key, &json(text)));
        let reason = InjectionReason {
            feature: "dense".to_owned(),
            contribution: 0.5,
        };
        let memory = InjectedMemory {
            id: ONE,
            part: "recalled".to_owned(),
            score: 0.5,
            reasons: vec![reason],
        };
        let injection = Injection {
            at: at(1_000),
            agent: Some("chat".to_owned()),
            session: Some("s".to_owned()),
            tokens: Some(9),
            left_out: 1,
            memories: vec![memory],
        };
        let text = concat!(
            r#"{"at":"1970-01-01T00:00:01Z","agent":"chat","session":"s","tokens":9,"left_out":1,"#,
            r#""memories":[{"id":"01010101-0101-0101-0101-010101010101","part":"recalled","#,
            r#""score":0.5,"reasons":[{"feature":"dense","contribution":0.5}]}]}"#
        );
        let key = "000000010000000000000102";
        samples.row(
            &injections::INJECTIONS,
            (NS, 258),
            &injection,
            (key, &json(text)),
        );
        samples.row(
            &remarks::SHOWN,
            (NS, TWO, ONE),
            &(),
            (&format!("00000001{OTHER}{ID}"), ""),
        );
        samples.end();
    }
}
