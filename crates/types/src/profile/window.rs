//! The messages of a running conversation, and what becomes of those that no longer fit.

use serde::{Deserialize, Serialize};

use super::BadProfile;

/// The place of the time in [`WindowSettings::format`].
const TIME: &str = "{time}";
/// The place of the summary in [`WindowSettings::format`].
const SUMMARY: &str = "{summary}";

/// How many messages of a running conversation are at hand, and what becomes of the others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WindowSettings {
    /// The most messages of user and assistant that are at hand; 0 is no limit.
    pub messages: u32,
    /// Treatment of the oldest messages when there are more.
    pub overflow: Overflow,
    /// `summarize` and `extract`: how many of the oldest become one summary, or are stored and
    /// looked through.
    pub batch: u32,
    /// `condense`: how many of the newest stay beside the summary.
    pub keep: u32,
    /// `summarize`: rounds of two messages from which on the end of the session makes a summary; 0
    /// never.
    pub close_rounds: u32,
    /// The kind of the memory that a summary becomes.
    pub kind: String,
    /// The source of that memory.
    pub source: Option<String>,
    /// Its text: `{time}` is the minute in the profile's zone, `{summary}` the summary.
    pub format: String,
}

/// Treatment of the oldest messages when there are too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Overflow {
    /// They are no longer at hand.
    #[default]
    Drop,
    /// They become a summary, which is remembered. Until there is one they stay.
    Summarize,
    /// A summary takes their place as the first message; it is not remembered. Until there is one
    /// they stay.
    Condense,
    /// They are stored as turns of the session, which is then looked through as `extract` says for
    /// a conversation that is being shortened.
    Extract,
}

impl Default for WindowSettings {
    fn default() -> Self {
        Self {
            messages: 0,
            overflow: Overflow::Drop,
            batch: 20,
            keep: 10,
            close_rounds: 0,
            kind: "episode".to_owned(),
            source: None,
            format: "[{time}] {summary}".to_owned(),
        }
    }
}

impl WindowSettings {
    /// The text of the memory that a summary becomes.
    #[must_use]
    pub fn text(&self, minute: &str, summary: &str) -> String {
        // The summary last: what it says is not filled in again.
        self.format
            .replace(TIME, minute)
            .replace(SUMMARY, summary.trim())
    }

    pub(super) fn check(&self) -> Result<(), BadProfile> {
        let wrong = |key: &'static str, reason: String| Err(BadProfile::new(key, reason));
        let batched = matches!(self.overflow, Overflow::Summarize | Overflow::Extract);
        if batched && self.batch == 0 {
            return wrong(
                "window.batch",
                "0 messages cannot be summarized or looked through".to_owned(),
            );
        }
        if self.messages > 0 && self.batch > self.messages && batched {
            return wrong(
                "window.batch",
                format!(
                    "{} is more than the {} messages kept",
                    self.batch, self.messages
                ),
            );
        }
        // One more than fits, and the summary that comes in their place.
        if self.overflow == Overflow::Condense && self.messages > 0 && self.keep >= self.messages {
            return wrong(
                "window.keep",
                format!(
                    "{} of {} messages leave none to condense",
                    self.keep, self.messages
                ),
            );
        }
        if !self.format.contains(SUMMARY) {
            return wrong(
                "window.format",
                format!("{:?} has no place for {SUMMARY}", self.format),
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_that_cannot_work_is_named() {
        let key = |change: &dyn Fn(&mut WindowSettings)| {
            let mut window = WindowSettings {
                messages: 30,
                overflow: Overflow::Summarize,
                ..Default::default()
            };
            change(&mut window);
            window.check().err().map(|error| error.key.into_owned())
        };
        assert_eq!(key(&|_| {}), None);
        assert_eq!(key(&|w| w.batch = 0).as_deref(), Some("window.batch"));
        assert_eq!(key(&|w| w.batch = 31).as_deref(), Some("window.batch"));
        assert_eq!(
            key(&|w| (w.overflow, w.batch) = (Overflow::Extract, 0)).as_deref(),
            Some("window.batch")
        );
        assert_eq!(
            key(&|w| (w.overflow, w.keep) = (Overflow::Condense, 30)).as_deref(),
            Some("window.keep")
        );
        assert_eq!(
            key(&|w| w.format = "{time}".to_owned()).as_deref(),
            Some("window.format")
        );
    }
}
