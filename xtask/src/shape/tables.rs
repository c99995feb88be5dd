//! The keyspaces that a crate declares.

use proc_macro2::TokenTree;

use super::source::{Crate, flat};

/// The names of the keyspaces, outside tests.
pub fn of(one: &Crate) -> Vec<String> {
    one.sources
        .iter()
        .filter(|source| !is_test(&source.module))
        .flat_map(|source| names(&flat(&source.tokens)))
        .collect()
}

fn is_test(module: &[String]) -> bool {
    module.iter().any(|name| ["tests", "conformance"].contains(&name.as_str()))
}

/// The names in `const NAME: Keyspace = Keyspace::new("...")`: a keyspace of a test is no constant of its file.
fn names(tokens: &[TokenTree]) -> Vec<String> {
    let told = |token: &TokenTree| token.to_string();
    let declared = tokens.windows(10).filter_map(|part| {
        let words: Vec<String> = part.iter().map(told).collect();
        let [_, colon, kind, equals, again, a, b, new, _, name] = words.as_slice() else { return None };
        let fits = [colon, kind, equals, again, a, b, new] == [":", "Keyspace", "=", "Keyspace", ":", ":", "new"];
        fits.then(|| name.trim_matches('"').to_owned())
    });
    declared.collect()
}

#[cfg(test)]
mod tests {
    use super::super::source::of_text;
    use super::*;

    #[test]
    fn declared_keyspaces_are_found() {
        let text =
            "pub const A: Keyspace = Keyspace::new(\"x.a\");\nfn f() { Keyspace::new(\"x.b\"); }\nconst B: u8 = 1;";
        assert_eq!(of(&of_text("annals-x", text)), ["x.a"]);
    }
}
