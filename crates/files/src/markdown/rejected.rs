use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

use annals_language::Zone;
use annals_types::Timestamp;

use super::Rejected;

/// The text of the file beside `MEMORY.md` that keeps what could not be read: `earlier`, its text
/// so far, and the new blocks, verbatim, below a comment that says when and where they were found.
/// A block that is there already is not added again.
#[must_use]
pub fn render_rejected(
    earlier: &str,
    rejected: &[Rejected],
    now: Timestamp,
    zone: &Zone,
) -> String {
    let mut text = earlier.to_owned();
    let mut kept = KeptBlocks::of(earlier, rejected);
    for block in rejected {
        if !kept.insert(&block.text) {
            continue;
        }
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let _ = writeln!(
            text,
            "<!-- {}, line {} -->\n{}\n",
            zone.seconds(now),
            block.line,
            block.text
        );
    }
    text
}

/// Which blocks stand in a text as whole lines. A file may have as many of them as it has lines,
/// so they are found together: by hashes of as many lines as some block has.
struct KeptBlocks<'a> {
    /// Lines by number: equal lines have one.
    numbers: HashMap<&'a str, u64>,
    /// By how many lines a block has and their hash, these lines and whether they are kept.
    blocks: HashMap<(usize, u64), (Vec<u64>, bool)>,
}

/// The factor of the hashes; what has equal ones is compared line by line.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

fn hash(lines: &[u64]) -> u64 {
    lines.iter().fold(0, |hash: u64, line| {
        hash.wrapping_mul(FACTOR).wrapping_add(*line)
    })
}

impl<'a> KeptBlocks<'a> {
    fn of(text: &'a str, blocks: &'a [Rejected]) -> Self {
        let mut kept = Self {
            numbers: HashMap::new(),
            blocks: HashMap::new(),
        };
        let lines = kept.numbered(text);
        let mut lengths = BTreeSet::new();
        for block in blocks {
            let own = kept.numbered(&block.text);
            lengths.insert(own.len());
            kept.blocks
                .entry((own.len(), hash(&own)))
                .or_insert((own, false));
        }
        for length in lengths {
            let Some(first) = lines.get(..length) else {
                break;
            };
            // The weight of the line that the next one pushes out.
            let weight = (1..length).fold(1, |weight: u64, _| weight.wrapping_mul(FACTOR));
            let mut sum = hash(first);
            kept.find((length, sum), first);
            let moved = lines
                .windows(length)
                .skip(1)
                .zip(&lines)
                .zip(lines.iter().skip(length));
            for ((window, out), next) in moved {
                sum = sum
                    .wrapping_sub(out.wrapping_mul(weight))
                    .wrapping_mul(FACTOR)
                    .wrapping_add(*next);
                kept.find((length, sum), window);
            }
        }
        kept
    }

    fn find(&mut self, key: (usize, u64), lines: &[u64]) {
        if let Some((block, kept)) = self.blocks.get_mut(&key) {
            *kept |= block == lines;
        }
    }

    fn numbered(&mut self, text: &'a str) -> Vec<u64> {
        text.split('\n').map(|line| self.number(line)).collect()
    }

    fn number(&mut self, line: &'a str) -> u64 {
        let next = u64::try_from(self.numbers.len())
            .unwrap_or(u64::MAX)
            .wrapping_add(1);
        *self.numbers.entry(line).or_insert(next)
    }

    /// Notes one of the blocks; answers whether it was not kept yet.
    fn insert(&mut self, block: &'a str) -> bool {
        let lines = self.numbered(block);
        match self.blocks.get_mut(&(lines.len(), hash(&lines))) {
            Some((known, kept)) if *known == lines => !std::mem::replace(kept, true),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(earlier: &str, blocks: &[&str]) -> Vec<bool> {
        let rejected: Vec<Rejected> = blocks
            .iter()
            .map(|text| Rejected {
                line: 1,
                text: (*text).to_owned(),
            })
            .collect();
        let mut kept = KeptBlocks::of(earlier, &rejected);
        rejected
            .iter()
            .map(|block| !kept.insert(&block.text))
            .collect()
    }

    #[test]
    fn a_block_is_known_where_it_stands_as_whole_lines() {
        let earlier =
            "<!-- x, line 1 -->\none\ntwo\n\n<!-- x, line 7 -->\nthree lines\n\nand a gap\n\n";
        let blocks = [
            "one",
            "one\ntwo",
            "two\none",
            "three lines\n\nand a gap",
            "three",
            "new",
            "new",
            "one\ntwo",
        ];
        assert_eq!(
            kept(earlier, &blocks),
            [true, true, false, true, false, false, true, true]
        );
        assert_eq!(kept("", &["one", "one"]), [false, true]);
    }

    proptest::proptest! {
        #[test]
        fn fuzz_blocks_are_found_as_by_reading_on(
            lines in proptest::collection::vec("[ab]", 0..12),
            from in 0..12_usize,
            length in 1..5_usize,
            other in "[ab](\n[ab]){0,3}",
        ) {
            let text = lines.join("\n");
            let wrapped = format!("\n{text}\n");
            let inside = lines.get(from..(from + length).min(lines.len())).unwrap_or_default().join("\n");
            for block in [inside.as_str(), other.as_str()].into_iter().filter(|block| !block.is_empty()) {
                proptest::prop_assert_eq!(kept(&text, &[block]), [wrapped.contains(&format!("\n{block}\n"))]);
            }
        }
    }
}
