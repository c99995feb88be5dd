use annals_static_table::PIECES;
use proptest::prelude::{any, proptest};

use super::Unigram;

fn pieces(text: &str) -> Vec<u16> {
    let mut pieces = Vec::new();
    Unigram::default().split(text, |_| {}, |piece| pieces.push(piece));
    pieces
}

fn unknown(text: &str) -> Vec<Option<char>> {
    let mut unknown = Vec::new();
    Unigram::default().split(text, |character| unknown.push(character), |_| {});
    unknown
}

/// Texts with pieces as the reference in tools/embedder gives them.
#[test]
fn pieces_are_those_of_the_reference() {
    for line in include_str!("golden/texts.tsv").lines() {
        let (text, rest) = line.split_once('\t').unwrap();
        let golden: Vec<u16> = rest
            .split('\t')
            .next()
            .unwrap()
            .split(' ')
            .map(|id| id.parse().unwrap())
            .collect();
        assert_eq!(pieces(text), golden, "{text}");
    }
}

/// `SplitMix64`, as tools/embedder/golden_pieces.py draws with it.
struct Random(u64);

impl Random {
    fn draw(&mut self, below: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        u32::try_from((z ^ (z >> 31)) % u64::from(below)).unwrap()
    }
}

#[rustfmt::skip]
const RANGES: &[(u32, u32)] = &[
    (0x20, 0x7e), (0x09, 0x0d), (0xa0, 0x24f), (0x300, 0x36f), (0x370, 0x3ff), (0x400, 0x4ff),
    (0x5d0, 0x5ea), (0x620, 0x64a), (0x904, 0x939), (0xe01, 0xe30), (0x1e00, 0x1eff),
    (0x1f00, 0x1fff), (0x2000, 0x206f), (0x2070, 0x209f), (0x20a0, 0x20bf), (0x2100, 0x218b),
    (0x2190, 0x21ff), (0x2460, 0x24ff), (0x2500, 0x26ff), (0x3000, 0x303f), (0x3041, 0x30ff),
    (0x3200, 0x33ff), (0x4e00, 0x9fa5), (0xac00, 0xd7a3), (0xf900, 0xfa6d), (0xfb00, 0xfb06),
    (0xff01, 0xffee), (0x1d400, 0x1d7ff), (0x1f300, 0x1f6ff), (0x20000, 0x2a6d6),
];

fn draw_text(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..=random.draw(6) {
        let kind = random.draw(3);
        let drawn = RANGES[random.draw(u32::try_from(RANGES.len()).unwrap()) as usize];
        let (first, last) = match kind {
            1 => (0x61, 0x7a),
            2 => (0x4e00, 0x5de5),
            _ => drawn,
        };
        for _ in 0..=random.draw(8) {
            text.push(char::from_u32(first + random.draw(last - first + 1)).unwrap());
        }
        if random.draw(2) == 1 {
            text.push(' ');
        }
    }
    text
}

#[test]
fn pieces_of_10_000_random_texts_of_every_script_are_those_of_the_reference() {
    let mut random = Random(1);
    for (line, golden) in include_str!("golden/random.txt").lines().enumerate() {
        let texts: Vec<String> = (0..100).map(|_| draw_text(&mut random)).collect();
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for text in &texts {
            for piece in pieces(text).into_iter().chain([u16::MAX]) {
                hash = (hash ^ u64::from(piece)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        assert_eq!(
            format!("{hash:016x}"),
            golden,
            "line {line}: one of {texts:?}"
        );
    }
}

#[test]
fn texts_without_signs_have_no_pieces() {
    for text in ["", "  \t\r\n", "\u{3000}\u{a0}", "\u{301}", "▁▁"] {
        assert_eq!(pieces(text), Vec::<u16>::new(), "{text:?}");
    }
}

#[test]
fn form_makes_no_difference() {
    for (a, b) in [
        ("Crème brûlée", "creme brulee"),
        ("ＦＵＬＬ　ｗｉｄｔｈ", "full width"),
        ("tea\tand\n\nmilk", "tea and milk"),
        ("我喜欢，绿茶", "我 喜欢, 绿茶"),
        ("ﬁne x²", "fine x2"),
    ] {
        assert_eq!(pieces(a), pieces(b), "{a} {b}");
    }
}

#[test]
fn unknown_characters_are_told_with_their_gaps() {
    assert_eq!(unknown("tea 绿茶 now"), []);
    assert_eq!(
        unknown("ёж и tea"),
        [Some('ё'), Some('ж'), None, Some('и'), None]
    );
    assert_eq!(unknown("е\u{308}ж"), [Some('е'), Some('ж')]);
    assert_eq!(pieces("привет мир"), [0]);
}

proptest! {
    #[test]
    fn any_text_gives_pieces_of_the_vocabulary(text in any::<String>()) {
        assert!(pieces(&text).iter().all(|&piece| piece < PIECES));
    }

    #[test]
    fn texts_beside_each_other_do_not_disturb(a in "[a-z 茶喝0-9.]{0,20}", b in "[a-z 茶喝0-9.]{0,20}") {
        let mut unigram = Unigram::default();
        for text in [&a, &b, &a] {
            let mut got = Vec::new();
            unigram.split(text, |_| {}, |piece| got.push(piece));
            assert_eq!(got, pieces(text));
        }
    }
}
