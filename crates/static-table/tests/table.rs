//! The committed table is whole, and its hash finds what its text says.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use annals_static_table::{DIMS, PIECES, PieceHash, SHARED, TABLE};

const FIRST_PIECE: u16 = 999;

fn find(word: &str, from: PieceHash) -> Option<u16> {
    TABLE.find(word.bytes().fold(from, PieceHash::byte), word.as_bytes())
}

fn length(piece: u16) -> f32 {
    TABLE.row(piece).unwrap().iter().map(|&code| f32::from(code.cast_signed()).powi(2)).sum::<f32>().sqrt()
        * TABLE.unit()
}

#[test]
fn the_checksum_fits() {
    assert!(TABLE.verify());
}

#[test]
fn every_piece_is_found_by_its_text() {
    for piece in FIRST_PIECE..PIECES {
        let text = std::str::from_utf8(TABLE.text(piece).unwrap()).unwrap();
        let places = [find(text, PieceHash::WORD), find(text, PieceHash::INSIDE)];
        assert!(places.contains(&Some(piece)), "{piece} {text}: {places:?}");
    }
}

#[test]
fn special_pieces_and_strangers_are_not_found() {
    for text in ["[CLS]", "[UNK]", "[unused0]", "", "berlinn", "Ä"] {
        assert_eq!((find(text, PieceHash::WORD), find(text, PieceHash::INSIDE)), (None, None), "{text}");
    }
    assert!(TABLE.row(PIECES).is_none() && TABLE.text(PIECES).is_none());
}

#[test]
fn words_weigh_by_what_they_say() {
    let of = |word| length(find(word, PieceHash::WORD).unwrap());
    assert!(of("the") < 0.3 && of("and") < 0.3, "{} {}", of("the"), of("and"));
    assert!(of("violin") > 1.0 && of("portugal") > 1.0, "{} {}", of("violin"), of("portugal"));
    assert!((length(SHARED) - 1.0).abs() < 0.02, "{}", length(SHARED));
    assert!(TABLE.row(100).unwrap().iter().all(|&code| code == 0) && DIMS == 256, "the unknown piece says nothing");
}

#[test]
fn characters_have_their_classes() {
    for dropped in ['\u{80}', '\u{300}', '\u{200b}', '\u{202e}', '\u{fe0f}', '\u{fffd}'] {
        assert!(TABLE.dropped().contains(dropped), "{dropped:?}");
    }
    for punctuation in ['，', '。', '—', '“', '¿', '·'] {
        assert!(TABLE.punctuation().contains(punctuation), "{punctuation:?}");
    }
    for letter in ['é', 'ß', '中', 'ラ', '😀', 'ж'] {
        assert!(!TABLE.dropped().contains(letter) && !TABLE.punctuation().contains(letter), "{letter:?}");
    }
    assert!(
        TABLE.ideograph_weight('的') < 70 && TABLE.ideograph_weight('鹦') == 255 && TABLE.ideograph_weight('a') == 255
    );
}
