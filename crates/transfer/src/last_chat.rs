//! The one summary that programs of the companion design kept in a file of its own.

use annals_types::{Layer, MemoryId, NewMemory, Timestamp};
use serde_json::Value;

use crate::Transfers;
use annals_engine::Arrival;
use annals_engine::Error;

/// Under which of these names such a file keeps its summary; a bare text or string is one as well.
const NAMES: [&str; 6] = ["summary", "content", "text", "last_chat", "摘要", "内容"];

impl Transfers<'_> {
    /// Makes an episode of a `last_chat.json`: a summary as JSON or bare text, of the time at
    /// which the file was last written. Answers the episode and whether it is new: the same file
    /// is stored once.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](annals_engine::ErrorKind::Invalid) when there is no summary in it;
    /// otherwise as `remember`.
    pub fn import_last_chat(
        &self,
        file: &[u8],
        written_at: Timestamp,
    ) -> Result<(MemoryId, bool), Error> {
        let summary = summary(file).ok_or_else(|| {
            Error::bad_input("the file holds no summary: neither a text nor an object with `summary` or `content`")
        })?;
        let (engine, space) = (self.engine(), self);
        let profile = engine.profile_of(space.id()?)?;
        let settings = &profile.settings.window;
        let at = written_at.min(engine.now());
        let text = settings.text(&profile.policy.zone().minute(at), &summary);
        let id = id_of(at, &text);
        let mut memory = NewMemory::builder(text)
            .layer(Layer::Episodic)
            .kind(settings.kind.as_str())
            .event_time(at)
            .build()?;
        if let Some(source) = &settings.source {
            let body = memory.body();
            let (confidence, verified) = (body.confidence, body.verified);
            memory = memory.sourced(
                annals_types::Label::new("source", source.as_str())?,
                confidence,
                verified,
            );
        }
        let memories = engine.screened(space.entry()?, vec![memory])?;
        // A second caller with the same file waits here and is told that it is stored.
        let lock = engine.import_locks.of(engine.made(space.entry()?)?);
        let _locked = lock.lock();
        let here =
            annals_records::find_rows(&engine.snapshot()?, engine.made(space.entry()?)?, &[id])?;
        if here.iter().any(Option::is_some) {
            return Ok((id, false));
        }
        let arrivals: Vec<Arrival> = engine
            .prepare(memories)?
            .into_iter()
            .map(|prepared| Arrival {
                stored_at: Some(at),
                ..Arrival::new(id, prepared)
            })
            .collect();
        let stored = engine
            .admit(space.entry()?, &arrivals)?
            .pop()
            .map_or(id, |admitted| admitted.id);
        // Under another id it was known already.
        Ok((stored, stored == id))
    }
}

/// The summary of a file.
fn summary(file: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(file)
        .ok()?
        .trim_start_matches('\u{feff}')
        .trim();
    let found = match serde_json::from_str::<Value>(text) {
        Ok(Value::String(text)) => Some(text),
        Ok(Value::Object(fields)) => NAMES
            .iter()
            .find_map(|name| fields.get(*name)?.as_str().map(str::to_owned)),
        Ok(_) => None,
        Err(_) if text.starts_with(['{', '[', '"']) => None,
        Err(_) => Some(text.to_owned()),
    };
    found
        .map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty())
}

/// An id that depends on nothing but time and text, so that the same file gives the same one.
fn id_of(at: Timestamp, text: &str) -> MemoryId {
    let hash = |basis: u64| {
        text.bytes().fold(basis, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        })
    };
    let millis = at.as_millis().cast_unsigned().to_be_bytes();
    let (high, low) = (
        hash(0xcbf2_9ce4_8422_2325).to_be_bytes(),
        hash(0x9e37_79b9_7f4a_7c15).to_be_bytes(),
    );
    let [_, _, a, b, c, d, e, f] = millis;
    let ([g, h, ..], [i, j, k, l, m, n, o, p]) = (high, low);
    // The marks of version 7 and of the variant of RFC 9562.
    MemoryId::from_bytes([
        a,
        b,
        c,
        d,
        e,
        f,
        g & 0x0f | 0x70,
        h,
        i & 0x3f | 0x80,
        j,
        k,
        l,
        m,
        n,
        o,
        p,
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_found_in_what_such_files_hold() {
        for file in [
            "{\"summary\": \"聊了面试\"}",
            "\"聊了面试\"",
            "聊了面试\n",
            "{\"a\":1,\"content\":\"聊了面试 \"}",
        ] {
            assert_eq!(
                summary(file.as_bytes()).as_deref(),
                Some("聊了面试"),
                "{file}"
            );
        }
        for file in ["", "{}", "[]", "{\"summary\": 3}", "{broken", "\u{feff}  "] {
            assert_eq!(summary(file.as_bytes()), None, "{file}");
        }
        assert_eq!(summary(&[0xff, 0xfe]), None);
    }
}
