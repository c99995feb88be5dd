//! When a conversation is looked through.

use annals_types::profile::{ExtractSettings, ExtractTrigger};

/// A moment of a session at which an extraction may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// The event.
    pub trigger: ExtractTrigger,
    /// The rounds of the session so far, the current one included.
    pub rounds: u32,
    /// The characters of the user's message, or of all of the user's messages that would be looked
    /// through.
    pub chars: u32,
    /// The messages of the user that would be looked through.
    pub user_messages: u32,
    /// Extractions of the session that began by themselves so far.
    pub begun: u32,
}

/// Whether an extraction begins by itself. One that a person asks for begins always, and is not
/// counted.
///
/// Short talk begins none: a single message of the user with fewer than `min_chars` characters, or
/// none at all.
#[must_use]
pub fn begins(settings: &ExtractSettings, moment: &Moment) -> bool {
    if !settings.begins_at(moment.trigger) || moment.user_messages == 0 {
        return false;
    }
    if settings.max_per_session > 0
        && moment.begun >= settings.max_per_session
        && moment.trigger != ExtractTrigger::Night
    {
        return false;
    }
    if moment.user_messages < 2 && moment.chars < settings.min_chars {
        return false;
    }
    moment.trigger != ExtractTrigger::Round
        || (moment.rounds > 0 && moment.rounds.is_multiple_of(settings.every_rounds))
}

#[cfg(test)]
mod tests {
    use annals_types::profile::AnswerForm;

    use super::*;

    fn settings(change: impl FnOnce(&mut ExtractSettings)) -> ExtractSettings {
        let mut settings = ExtractSettings {
            answer: AnswerForm::Json,
            ..ExtractSettings::default()
        };
        change(&mut settings);
        settings
    }

    fn moment(trigger: ExtractTrigger) -> Moment {
        Moment {
            trigger,
            rounds: 1,
            chars: 100,
            user_messages: 1,
            begun: 0,
        }
    }

    #[test]
    fn every_fifth_round_begins_an_extraction() {
        // part: S-23, S-24
        let rounds = |every: u32| {
            let settings =
                settings(|s| (s.triggers, s.every_rounds) = (vec![ExtractTrigger::Round], every));
            let at = |rounds: &u32| {
                begins(
                    &settings,
                    &Moment {
                        rounds: *rounds,
                        ..moment(ExtractTrigger::Round)
                    },
                )
            };
            (1..=12).filter(at).collect::<Vec<u32>>()
        };
        assert_eq!(rounds(5), [5, 10]);
        assert_eq!(rounds(1).len(), 12);
    }

    #[test]
    fn messages_that_are_short_or_too_many_begin_none() {
        // part
        let agent = settings(|s| {
            (s.triggers, s.min_chars, s.max_per_session) =
                (vec![ExtractTrigger::Message, ExtractTrigger::Night], 30, 5);
        });
        let of = |chars, begun| {
            begins(
                &agent,
                &Moment {
                    chars,
                    begun,
                    ..moment(ExtractTrigger::Message)
                },
            )
        };
        assert!(!of(29, 0) && of(30, 0));
        assert_eq!((0..9).filter(|begun| of(40, *begun)).count(), 5);
        assert!(
            begins(
                &agent,
                &Moment {
                    begun: 9,
                    ..moment(ExtractTrigger::Night)
                }
            ),
            "the night does the rest"
        );
    }

    #[test]
    fn five_triggers_begin_one_each_and_rounds_none() {
        // part: M-41, M-42, M-49
        use ExtractTrigger::{Compress, Heartbeat, Idle, Message, Round, SessionEnd};
        let markdown = settings(|s| {
            (s.triggers, s.min_chars) = (vec![SessionEnd, Compress, Heartbeat, Idle], 40);
        });
        assert!(
            [SessionEnd, Compress, Heartbeat, Idle]
                .into_iter()
                .all(|trigger| begins(&markdown, &moment(trigger)))
        );
        assert!(
            ![Round, Message]
                .into_iter()
                .any(|trigger| begins(&markdown, &moment(trigger)))
        );
        let end = |user_messages, chars| {
            begins(
                &markdown,
                &Moment {
                    user_messages,
                    chars,
                    ..moment(SessionEnd)
                },
            )
        };
        assert!(!end(0, 0) && !end(1, 39) && end(1, 40) && end(2, 10));
    }
}
