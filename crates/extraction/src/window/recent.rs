use super::parts::{most, parts};
use crate::prompt::Line;

/// How many times the limit of a piece a message may have before it is taken apart: what is a
/// little too long is told in one.
const ALONE: usize = 2;

/// The newest of some messages: at most `messages` of them (0 is no limit) and at most `tokens`
/// tokens together (0 is no limit), counted by `count`. The oldest are left out first; the newest
/// one, when it alone has too many, loses its middle.
#[must_use]
pub fn recent(
    lines: &[Line],
    messages: usize,
    tokens: usize,
    count: &dyn Fn(&str) -> usize,
) -> Vec<Line> {
    let from = if messages == 0 {
        0
    } else {
        lines.len().saturating_sub(messages)
    };
    let mut kept: Vec<Line> = Vec::new();
    let mut spent = 0_usize;
    for line in lines.get(from..).unwrap_or_default().iter().rev() {
        let cost = count(&line.speaker)
            .saturating_add(count(&line.text))
            .saturating_add(1);
        if tokens == 0 || spent.saturating_add(cost) <= tokens {
            spent = spent.saturating_add(cost);
            kept.push(line.clone());
            continue;
        }
        if kept.is_empty() {
            let room = tokens
                .saturating_sub(count(&line.speaker))
                .saturating_sub(1);
            kept.push(Line {
                text: without_middle(&line.text, room, count),
                ..line.clone()
            });
        }
        break;
    }
    kept.reverse();
    kept
}

/// A text whose beginning and end have at most so many tokens together, with `…` between them.
fn without_middle(text: &str, tokens: usize, count: &dyn Fn(&str) -> usize) -> String {
    let chars: Vec<char> = text.chars().collect();
    let cut = |kept: usize| {
        let half = kept / 2;
        let start: String = chars.iter().take(kept - half).collect();
        let end: String = chars
            .iter()
            .skip(chars.len().saturating_sub(half))
            .collect();
        format!("{start} … {end}")
    };
    cut(most(0, chars.len(), |kept| count(&cut(kept)) <= tokens))
}

/// Whether some messages have more than `tokens` tokens together; 0 is no limit.
#[must_use]
pub fn exceeds(lines: &[Line], tokens: usize, count: &dyn Fn(&str) -> usize) -> bool {
    let total = lines
        .iter()
        .map(|line| count(&line.text))
        .fold(0, usize::saturating_add);
    tokens > 0 && total > tokens
}

/// Messages in pieces of at most so many tokens (0 is no limit). A message that alone has more is
/// a piece of its own, and one that has more than twice as many is taken apart.
#[must_use]
pub fn pieces(lines: &[Line], tokens: usize, count: &dyn Fn(&str) -> usize) -> Vec<Vec<Line>> {
    let mut pieces: Vec<Vec<Line>> = Vec::new();
    let mut spent = 0_usize;
    for line in lines {
        let whole = tokens == 0 || count(&line.text) <= tokens.saturating_mul(ALONE);
        let texts = if whole {
            vec![line.text.as_str()]
        } else {
            parts(&line.text, tokens, count)
        };
        for text in texts {
            let cost = count(text);
            let part = Line {
                text: text.to_owned(),
                ..line.clone()
            };
            match pieces
                .last_mut()
                .filter(|_| tokens == 0 || spent.saturating_add(cost) <= tokens)
            {
                Some(piece) => piece.push(part),
                None => {
                    spent = 0;
                    pieces.push(vec![part]);
                }
            }
            spent = spent.saturating_add(cost);
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use annals_types::Role;

    use super::*;
    use crate::window::estimate;

    fn line(text: String) -> Line {
        Line {
            role: Role::User,
            speaker: "用户".into(),
            text,
        }
    }

    fn words(count: usize) -> String {
        vec!["word"; count].join(" ")
    }

    #[test]
    fn only_the_newest_messages_are_shown() {
        // part: S-26
        let all: Vec<Line> = (1..=24).map(|n| line(format!("m{n}"))).collect();
        let texts: Vec<String> = recent(&all, 10, 4000, &estimate)
            .into_iter()
            .map(|line| line.text)
            .collect();
        assert_eq!(
            texts,
            (15..=24).map(|n| format!("m{n}")).collect::<Vec<_>>()
        );
    }

    #[test]
    fn the_oldest_go_first_and_one_that_is_too_long_loses_its_middle() {
        // part: S-27, S-28
        let all: Vec<Line> = (0..10).map(|_| line(words(990))).collect();
        let kept = recent(&all, 10, 4000, &estimate);
        assert_eq!(kept.len(), 4);
        assert!(kept.iter().map(|line| estimate(&line.text)).sum::<usize>() <= 4000);
        let many: Vec<Line> = (0..1000).map(|_| line(words(50))).collect();
        assert!(
            recent(&many, 0, 4000, &estimate)
                .iter()
                .map(|line| estimate(&line.text))
                .sum::<usize>()
                <= 4000
        );
        let long = recent(
            &[line(format!("first {} last", words(9000)))],
            10,
            4000,
            &estimate,
        );
        let text = &long[0].text;
        assert!(
            estimate(text) <= 4000
                && text.starts_with("first")
                && text.ends_with("last")
                && text.contains('…')
        );
    }

    #[test]
    fn a_limit_is_exceeded_by_one_more() {
        let of = |count: usize| vec![line(words(count))];
        assert!(!exceeds(&of(8000), 8000, &estimate) && exceeds(&of(8001), 8000, &estimate));
        let pieces = pieces(
            &[
                line(words(5)),
                line(words(5)),
                line(words(20)),
                line(words(1)),
            ],
            10,
            &estimate,
        );
        assert_eq!(pieces.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1, 1]);
        let pieces = super::pieces(&[line(words(21)), line(words(2))], 10, &estimate);
        assert_eq!(pieces.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1, 2]);
    }
}
