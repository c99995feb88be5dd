//! The tables that a crate declares, and keyspaces that are no table.

use std::collections::BTreeSet;

use proc_macro2::TokenTree;

use super::source::{Crate, flat};

/// The keyspaces of the tables outside tests, each once: several tables may share one.
pub fn of(one: &Crate) -> BTreeSet<String> {
    words(one)
        .iter()
        .flat_map(|words| declared(words, &["Table", "Keyspace"]))
        .map(|(_, name)| name)
        .collect()
}

/// Keyspaces that stand in no list of tables: nothing validates their values or purges them in a
/// loop.
pub fn unlisted(one: &Crate) -> BTreeSet<String> {
    let words = words(one);
    let listed = |name: &str| {
        words
            .iter()
            .flat_map(|words| words.windows(3))
            .any(|part| match part {
                [kind, _, item] => ["Opaque", "opaque"].contains(&kind.as_str()) && item == name,
                _ => false,
            })
    };
    let declared = words
        .iter()
        .flat_map(|words| declared(words, &["Keyspace"]));
    declared
        .filter(|(constant, _)| !listed(constant))
        .map(|(_, name)| name)
        .collect()
}

/// The tokens of each source outside tests.
fn words(one: &Crate) -> Vec<Vec<String>> {
    let sources = one.sources.iter().filter(|source| !is_test(&source.module));
    sources
        .map(|source| {
            flat(&source.tokens)
                .iter()
                .map(TokenTree::to_string)
                .collect()
        })
        .collect()
}

fn is_test(module: &[String]) -> bool {
    module
        .iter()
        .any(|name| ["tests", "conformance"].contains(&name.as_str()))
}

/// Constant and name in `const CONSTANT: Table<...> = Table::new("...")`: a keyspace of a test is
/// no constant of its file.
fn declared<'w>(words: &'w [String], kinds: &[&str]) -> Vec<(&'w str, String)> {
    let mut found = Vec::new();
    let mut constant = "";
    for part in words.windows(7) {
        match part {
            [word, name, ..] if word == "const" => constant = name,
            [equals, kind, a, b, new, _, name]
                if [equals, a, b, new] == ["=", ":", ":", "new"]
                    && kinds.contains(&kind.as_str()) =>
            {
                found.push((constant, name.trim_matches('"').to_owned()));
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::source::of_text;
    use super::*;

    #[test]
    fn declared_tables_are_found() {
        let text = "pub const A: Keyspace = Keyspace::new(\"x.a\");\n\
                    const B: Table<(u8, Text), Mark> = Table::new(\"x.b\");\n\
                    const C: Table<u8, Mark> = Table::new(\"x.b\");\n\
                    const D: Keyspace = Keyspace::new(\"x.d\");\n\
                    const LIST: &[&dyn AnyTable] = &[&Opaque(D), &B];\n\
                    fn f() { Keyspace::new(\"x.e\"); }\nconst E: u8 = 1;";
        let one = of_text("annals-x", text);
        assert_eq!(
            of(&one).into_iter().collect::<Vec<_>>(),
            ["x.a", "x.b", "x.d"]
        );
        assert_eq!(unlisted(&one).into_iter().collect::<Vec<_>>(), ["x.a"]);
    }
}
