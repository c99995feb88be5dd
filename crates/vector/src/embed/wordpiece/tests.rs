use super::{LONGEST_PIECE, Sink, UNKNOWN, split};
use annals_static_table::{PIECES, TABLE};
use proptest::prelude::{any, proptest};

#[derive(Default)]
struct Ids(Vec<u16>);

impl Sink for Ids {
    fn ideograph(&mut self, _: char, piece: u16) {
        self.0.push(piece);
    }

    fn word(&mut self, _: &[u8], pieces: &[u16]) {
        self.0.extend_from_slice(pieces);
    }

    fn punctuation(&mut self, piece: u16) {
        self.0.push(piece);
    }

    fn gap(&mut self) {}
}

fn ids(text: &str) -> Vec<u16> {
    let mut ids = Ids::default();
    split(text, &mut ids);
    ids.0
}

/// The tokens that the tokenizers library 0.23 gives for the tokenizer.json of all-MiniLM-L6-v2,
/// special tokens off.
#[rustfmt::skip]
const GOLDEN: &[(&str, &[u16])] = &[
    ("Hello, world!", &[7592, 1010, 2088, 999]),
    ("I moved to Berlin in March 2023; my new job is at a robotics startup.",
     &[1045, 2333, 2000, 4068, 1999, 2233, 16798, 2509, 1025, 2026, 2047, 3105, 2003, 2012, 1037,
       21331, 22752, 1012]),
    ("Don't use `npm install --legacy-peer-deps` with Nuxt 4.2.1",
     &[2123, 1005, 1056, 2224, 1036, 27937, 2213, 16500, 1011, 1011, 8027, 1011, 8152, 1011, 2139,
       4523, 1036, 2007, 16371, 18413, 1018, 1012, 1016, 1012, 1015]),
    ("Crème brûlée, naïve café, Ångström, İstanbul, STRASSE, Straße",
     &[13675, 21382, 7987, 9307, 2063, 1010, 15743, 7668, 1010, 17076, 15687, 1010, 9960, 1010,
       2358, 8180, 3366, 1010, 2358, 27807]),
    ("tokenisation of antidisestablishmentarianism",
     &[19204, 6648, 1997, 3424, 10521, 4355, 7875, 13602, 3672, 12199, 2964]),
    ("D:\\code\\proxy-env\\main.rs @ 50% (v1.0-rc.2)",
     &[1040, 1024, 1032, 3642, 1032, 24540, 1011, 4372, 2615, 1032, 2364, 1012, 12667, 1030, 2753,
       1003, 1006, 1058, 2487, 1012, 1014, 1011, 22110, 1012, 1016, 1007]),
    ("我昨天在北京喝了茶，很好喝。", &[1855, 100, 1811, 100, 1781, 1755, 100, 100, 100, 1989, 100, 100, 100, 1636]),
    ("混合 text 和English混排", &[100, 1792, 3793, 1796, 2394, 100, 100]),
    ("東京タワーへ行きました", &[1879, 1755, 1709, 30262, 30265, 30201, 1945, 1652, 30203, 30183, 30187]),
    ("안녕하세요 세계", &[1463, 30006, 30021, 29992, 30010, 30025, 30005, 30006, 29997, 30009, 29999, 30013, 100]),
    ("Привет, мир! Ёлка",
     &[1194, 16856, 10325, 25529, 15290, 22919, 1010, 1191, 10325, 16856, 999, 1185, 29436, 28598]),
    ("🙂 emoji 👍🏽 and ❤\u{fe0f}", &[100, 7861, 29147, 2072, 100, 1998, 100]),
    ("tab\tnew\nline\r\n  spaces\u{a0}nbsp\u{3000}wide", &[21628, 2047, 2240, 7258, 1050, 5910, 2361, 2898]),
    ("zero\u{200b}width \u{202e}right-to-left\u{202c} and \u{7}bell",
     &[5717, 9148, 11927, 2232, 2157, 1011, 2000, 1011, 2187, 1998, 4330]),
    ("שלום عليكم नमस्ते สวัสดี",
     &[1266, 29799, 29792, 29800, 1288, 23673, 14498, 29835, 22192, 1327, 29867, 29874, 29859,
       100]),
    ("ﬁne Ⅷ ２０２６ ½ ≠ x²", &[1984, 2638, 100, 100, 1092, 1027, 1060, 10701]),
    ("\u{f902}\u{fa30} compatibility", &[1954, 100, 21778]),
    ("...---...!!??", &[1012, 1012, 1012, 1011, 1011, 1011, 1012, 1012, 1012, 999, 999, 1029, 1029]),
];

#[test]
fn pieces_are_those_of_the_models_tokenizer() {
    for (text, golden) in GOLDEN {
        assert_eq!(ids(text), *golden, "{text}");
    }
}

#[test]
fn a_hundred_characters_are_spelled_and_one_more_are_not() {
    let spelled = ids(&"a".repeat(100));
    assert_eq!((spelled.len(), &spelled[..3]), (50, &[13360, 11057, 11057][..]));
    assert_eq!(ids(&"a".repeat(101)), [UNKNOWN]);
    assert_eq!(ids(&"é".repeat(100)).len(), ids(&"e".repeat(100)).len());
}

#[test]
fn texts_without_words_have_no_pieces() {
    for text in ["", "  \t\r\n", "\u{7}\u{0}", "\u{200b}\u{202e}\u{fe0f}", "\u{301}"] {
        assert_eq!(ids(text), Vec::<u16>::new(), "{text:?}");
    }
}

/// The tokenizer library would read these as special tokens; here a text cannot smuggle them in.
#[test]
fn special_tokens_in_a_text_are_ordinary_words() {
    assert!(ids("[CLS] [MASK] [PAD]").iter().all(|&piece| piece > 999));
}

#[test]
fn no_piece_is_longer_than_looked_for() {
    let longest = (999..PIECES).map(|piece| TABLE.text(piece).unwrap().len()).max();
    assert_eq!(longest, Some(LONGEST_PIECE));
}

proptest! {
    #[test]
    fn any_text_gives_pieces_of_the_vocabulary(text in any::<String>()) {
        assert!(ids(&text).iter().all(|&piece| piece < PIECES));
        let spaced: String = text.chars().flat_map(|c| [' ', c, ' ']).collect();
        assert_eq!(ids(&spaced).is_empty(), ids(&text).is_empty());
    }
}
