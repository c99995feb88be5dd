use annals_types::{Timestamp, group_tag};

use super::header::{midnight, rounded};
use super::{Entry, Format};

/// The fields that the comment below a heading adds to it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Comment {
    pub(super) created: Option<Timestamp>,
    pub(super) session: Option<String>,
    pub(super) group: Option<String>,
    pub(super) activated: Option<Timestamp>,
    /// The date that the calendar showed then, where it was written.
    pub(super) activated_on: Option<String>,
    pub(super) score: Option<f64>,
    pub(super) expires: Option<Timestamp>,
}

/// Whether a line is a comment.
pub(super) fn is_comment(line: &str) -> bool {
    line.starts_with("<!--") && line.ends_with("-->")
}

/// Reads a comment. The second value says whether all of it could be read.
pub(super) fn read(line: &str) -> (Comment, bool) {
    let inside = line
        .strip_prefix("<!--")
        .and_then(|l| l.strip_suffix("-->"))
        .unwrap_or_default();
    let mut comment = Comment::default();
    let mut clean = true;
    for part in inside.split(';').map(str::trim).filter(|p| !p.is_empty()) {
        let Some((key, value)) = part.split_once(':') else {
            clean = false;
            continue;
        };
        let value = value.trim();
        let time = || value.parse::<Timestamp>().ok();
        let read = match key.trim() {
            "created" => set(&mut comment.created, time()),
            "activated" => {
                comment.activated_on = value.get(..10).map(str::to_owned);
                set(&mut comment.activated, time())
            }
            "expires" => set(&mut comment.expires, time()),
            "session" => set(&mut comment.session, unescape(value)),
            "group" => set(
                &mut comment.group,
                unescape(value)
                    .map(|name| name.trim().to_owned())
                    .filter(|name| group_tag(name).is_ok()),
            ),
            "score" => set(
                &mut comment.score,
                value.parse().ok().filter(|s| (0.0..=1.0).contains(s)),
            ),
            _ => false,
        };
        clean &= read;
    }
    (comment, clean)
}

fn set<T>(place: &mut Option<T>, value: Option<T>) -> bool {
    let read = value.is_some();
    *place = value.or(place.take());
    read
}

/// The comment with what the heading does not say; `None` when it says all.
pub(super) fn render(entry: &Entry, format: &Format) -> Option<String> {
    let zone = &format.zone;
    let day = midnight(&zone.date(entry.last_activated), format);
    let mut parts = Vec::new();
    if Some(entry.created_at) != day {
        parts.push(format!("created: {}", zone.exact(entry.created_at)));
    }
    if !entry.source_session.is_empty() {
        parts.push(format!("session: {}", escape(&entry.source_session)));
    }
    if !entry.group.is_empty() {
        parts.push(format!("group: {}", escape(&entry.group)));
    }
    if Some(entry.last_activated) != day {
        parts.push(format!("activated: {}", zone.exact(entry.last_activated)));
    }
    if rounded(entry.score).parse() != Ok(entry.score) {
        parts.push(format!("score: {}", entry.score));
    }
    if let Some(expires) = entry.expires_at {
        parts.push(format!("expires: {}", zone.exact(expires)));
    }
    (!parts.is_empty()).then(|| format!("<!-- {} -->", parts.join("; ")))
}

/// The name of a session or group without characters that would end a part or the comment: they
/// become `%` and their number.
fn escape(session: &str) -> String {
    let special =
        |c: char| matches!(c, '%' | ';' | '<' | '>') || c.is_control() || c.is_whitespace();
    let mut out = String::new();
    for c in session.chars() {
        if special(c) {
            out.push_str(&format!("%{:x}.", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

fn unescape(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let mut out = parts.next()?.to_owned();
    for part in parts {
        let (number, rest) = part.split_once('.')?;
        out.push(
            u32::from_str_radix(number, 16)
                .ok()
                .and_then(char::from_u32)?,
        );
        out.push_str(rest);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn fuzz_any_session_survives(session in ".*|[;<>%a. -]{0,20}") {
            let escaped = escape(&session);
            proptest::prop_assert!(!escaped.contains(['>', ';', '\n']));
            proptest::prop_assert_eq!(unescape(&escaped), Some(session));
        }

        #[test]
        fn fuzz_any_comment_is_read(inside in ".*|(created|score|session|expires|x)[:;a-z0-9.% -]{0,30}") {
            let (comment, _) = read(&format!("<!--{inside}-->"));
            proptest::prop_assert!(comment.score.is_none_or(|s| (0.0..=1.0).contains(&s)));
        }
    }
}
