use std::collections::BTreeSet;

use annals_language::likeness;

/// A line of a core file on one side of a person's edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CoreSide<'a> {
    /// The kind of the section that it stands in.
    pub kind: &'a str,
    /// Its text.
    pub content: &'a str,
    /// Whether it stands on the other side as well.
    pub stays: bool,
}

/// The least likeness of two lines of which one was made of the other where it stood.
const IN_PLACE: f64 = 0.25;
/// How alike they are at least where it stands elsewhere in the section now.
const MOVED: f64 = 0.6;
/// So many new lines are compared: more of them are pasted and not edited.
const MOST: usize = 1000;

/// The lines that a person edited: those that are gone with those that they became, by their places
/// in both lists.
///
/// Lines have no ids. One that is gone and one that is new in the same section are the same line
/// where both stand between the same neighbours and have some words in common, or wherever they
/// have most of them in common. The pairs that are most alike are taken first; lines without a
/// pair were taken out, or are new.
#[must_use]
pub fn edited_lines(before: &[CoreSide<'_>], after: &[CoreSide<'_>]) -> Vec<(usize, usize)> {
    let (gone, new) = (loose(before), loose(after));
    let mut found = Vec::new();
    for old in &gone {
        for new in new.iter().filter(|new| new.line.kind == old.line.kind) {
            let in_place = old.between == new.between;
            let like = likeness(old.line.content, new.line.content);
            if like >= if in_place { IN_PLACE } else { MOVED } {
                found.push((like, in_place, old.at, new.at));
            }
        }
    }
    found.sort_by(|a, b| {
        b.0.total_cmp(&a.0)
            .then(b.1.cmp(&a.1))
            .then((a.2, a.3).cmp(&(b.2, b.3)))
    });
    let (mut left, mut right) = (BTreeSet::new(), BTreeSet::new());
    let pairs = found.into_iter().map(|(_, _, old, new)| (old, new));
    pairs
        .filter(|(old, new)| {
            !left.contains(old) && !right.contains(new) && left.insert(*old) && right.insert(*new)
        })
        .collect()
}

/// A line that stands on one side only, with the lines of its section between which it does.
struct Loose<'a> {
    at: usize,
    line: CoreSide<'a>,
    between: [Option<&'a str>; 2],
}

fn loose<'a>(side: &[CoreSide<'a>]) -> Vec<Loose<'a>> {
    let all = side
        .iter()
        .enumerate()
        .filter(|(_, line)| !line.stays)
        .take(MOST);
    let found = all.map(|(at, line)| {
        let stays = |other: &&CoreSide<'a>| other.stays && other.kind == line.kind;
        let above = side.iter().take(at).rev().find(stays);
        let below = side.iter().skip(at).find(stays);
        Loose {
            at,
            line: *line,
            between: [above, below].map(|line| line.map(|line| line.content)),
        }
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pairs of an old and a new line, with lines given as a section and a text.
    fn edits<'a>(before: &[&'a str], after: &[&'a str]) -> Vec<(&'a str, &'a str)> {
        let side = |own: &[&'a str], other: &[&'a str]| -> Vec<CoreSide<'a>> {
            let line = |line: &&'a str| {
                let (kind, content) = line.split_once(' ').unwrap();
                CoreSide {
                    kind,
                    content,
                    stays: other.contains(line),
                }
            };
            own.iter().map(line).collect()
        };
        let mut found = edited_lines(&side(before, after), &side(after, before));
        found.sort_unstable();
        found
            .into_iter()
            .map(|(old, new)| (before[old], after[new]))
            .collect()
    }

    #[test]
    fn a_line_that_was_changed_is_the_same_line() {
        for (before, after) in [
            ("P prefers tabs", "P prefers spaces"),
            ("F 用户住在柏林", "F 用户住在汉堡"),
            ("F Ada lives in Bonn", "F Ada moved to Rome"),
        ] {
            assert_eq!(
                edits(&["F a", before, "F b"], &["F a", after, "F b"]),
                [(before, after)]
            );
            assert_eq!(edits(&[before], &[after]), [(before, after)]);
        }
        let moved = ("F 用户喜欢绿茶和咖啡", "F 用户喜欢红茶和咖啡");
        assert_eq!(
            edits(&[moved.0, "F a", "F b"], &["F a", "F b", moved.1]),
            [moved]
        );
    }

    #[test]
    fn what_is_not_alike_is_taken_out_and_new() {
        assert_eq!(
            edits(&["R 第496条永久记忆", "R a"], &["R 用户叫李雷", "R a"]),
            []
        );
        assert_eq!(
            edits(&["F Ada lives in Bonn"], &["P Ada lives in Rome"]),
            [],
            "another section"
        );
        assert_eq!(
            edits(
                &["F Ada lives in Bonn", "F a"],
                &["F a", "F Ada moved to Rome"]
            ),
            [],
            "another place"
        );
        assert_eq!(edits(&["F Ada lives in Bonn"], &[]), []);
        assert_eq!(
            edits(
                &["F Ada lives in Bonn"],
                &["F Ada lives in Bonn", "F Ada lives in Rome"]
            ),
            []
        );
    }

    #[test]
    fn the_most_alike_are_taken_first() {
        let before = ["F Ada likes green tea", "F Ada lives in Bonn"];
        let after = [
            "F Ada lives in Rome",
            "F Ada likes black tea",
            "F Ada likes jazz",
        ];
        assert_eq!(
            edits(&before, &after),
            [(before[0], after[1]), (before[1], after[0])]
        );
    }

    proptest::proptest! {
        #[test]
        fn fuzz_each_line_is_edited_once(
            before in proptest::collection::vec("[FP] [abc]( [abc]){0,3}", 0..8),
            after in proptest::collection::vec("[FP] [abc]( [abc]){0,3}", 0..8),
        ) {
            let [before, after]: [Vec<&str>; 2] =
                [&before, &after].map(|side| side.iter().map(String::as_str).collect());
            for (old, new) in edits(&before, &after) {
                proptest::prop_assert!(!after.contains(&old) && !before.contains(&new) && old[..1] == new[..1]);
            }
        }
    }
}
