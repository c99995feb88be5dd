//! The committed table is whole, and its trie leads to its pieces.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use annals_static_table::{DIMS, Node, PIECES, Symbol, TABLE, UNKNOWN_PIECE};

/// The symbols of a text whose characters each become one.
fn symbols(text: &str) -> Vec<Symbol> {
    text.chars()
        .flat_map(|character| TABLE.symbols(character))
        .collect()
}

fn find(from: Node, symbols: &[Symbol]) -> Option<Node> {
    symbols
        .iter()
        .try_fold(from, |node, symbol| TABLE.child(node, *symbol))
}

/// The piece that begins a word.
fn word(text: &str) -> Option<Node> {
    find(TABLE.child(Node::ROOT, Symbol::WORD_START)?, &symbols(text))
}

fn length(piece: u16) -> f32 {
    let (row, scale) = TABLE.row(piece).unwrap();
    row.iter()
        .map(|&code| f32::from(code.cast_signed()).powi(2))
        .sum::<f32>()
        .sqrt()
        * scale
}

#[test]
fn the_checksum_fits() {
    assert!(TABLE.verify());
}

/// Every way through the trie from the root, with all symbols that characters become.
#[test]
fn every_piece_but_the_unknown_one_stands_once_in_the_trie() {
    let characters = ('\0'..=char::MAX).flat_map(|character| TABLE.symbols(character));
    let mut alphabet: Vec<Symbol> = characters.chain([Symbol::WORD_START]).collect();
    alphabet.sort_unstable();
    alphabet.dedup();
    let mut found = vec![0; usize::from(PIECES)];
    let mut nodes = vec![Node::ROOT];
    while let Some(node) = nodes.pop() {
        if let Some(piece) = node.piece() {
            *found.get_mut(usize::from(piece)).unwrap() += 1;
        }
        nodes.extend(
            alphabet
                .iter()
                .filter_map(|symbol| TABLE.child(node, *symbol)),
        );
    }
    let (unknown, others) = found.split_first().unwrap();
    assert_eq!((UNKNOWN_PIECE, *unknown), (0, 0));
    assert!(others.iter().all(|count| *count == 1));
}

#[test]
fn what_is_no_piece_is_not_found() {
    assert!(word("zxqjv").is_none() && word("Ω").is_none());
    assert!(
        find(Node::ROOT, &[Symbol::UNKNOWN]).is_none()
            && find(Node::ROOT, &[Symbol::SPACE]).is_none()
    );
    assert!(
        TABLE.row(PIECES).is_none()
            && TABLE.score(PIECES).is_none()
            && TABLE.row(u16::MAX).is_none()
    );
}

#[test]
fn words_weigh_by_what_they_say() {
    let weigh = |text| length(word(text).unwrap().piece().unwrap());
    assert!(
        weigh("the") < 0.3 && weigh("of") < 0.3,
        "{} {}",
        weigh("the"),
        weigh("of")
    );
    assert!(
        weigh("portugal") > 1.0 && weigh("piano") > 0.8,
        "{} {}",
        weigh("portugal"),
        weigh("piano")
    );
    assert!(word("the").unwrap().is_whole() && DIMS == 256);
}

#[test]
fn characters_become_symbols() {
    assert_eq!(symbols("Ａ"), symbols("a"));
    assert_eq!(symbols("é"), symbols("e"));
    assert_eq!(symbols("，"), symbols(","));
    assert_eq!(symbols("ﬁ"), symbols("fi"));
    assert_eq!(symbols("\u{301}\u{302}"), [Symbol::DROPPED; 2]);
    assert_eq!(symbols(" \t\u{3000}▁"), [Symbol::SPACE; 4]);
    assert_eq!(symbols("жω🙂"), [Symbol::UNKNOWN; 3]);
    assert!(symbols("a9").iter().all(|symbol| symbol.is_alphanumeric()));
    assert!(
        symbols("茶.")
            .iter()
            .all(|symbol| !symbol.is_alphanumeric() && *symbol != Symbol::UNKNOWN)
    );
}
