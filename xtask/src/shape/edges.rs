//! The items of other crates that a crate uses.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::source::Crate;

/// The items of each other crate that this one names: the path up to the first name in capitals, or
/// the last.
pub fn of(one: &Crate, all: &[Crate]) -> BTreeMap<String, BTreeSet<String>> {
    let names: BTreeMap<String, &str> = all
        .iter()
        .filter(|other| other.name != one.name)
        .map(|other| (other.ident(), other.name.as_str()))
        .collect();
    let mut found = BTreeMap::new();
    for source in &one.sources {
        walk(&source.tokens, &names, &mut found);
    }
    found
}

type Found = BTreeMap<String, BTreeSet<String>>;

fn walk(tokens: &TokenStream, names: &BTreeMap<String, &str>, found: &mut Found) {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => walk(&group.stream(), names, found),
            TokenTree::Ident(ident) => {
                let rest = tokens.get(at + 1..).unwrap_or_default();
                if let Some(name) = names.get(&ident.to_string()).filter(|_| colons(rest)) {
                    let items = found.entry((*name).to_owned()).or_default();
                    follow(rest, &mut Vec::new(), items);
                }
            }
            _ => {}
        }
    }
}

fn colons(tokens: &[TokenTree]) -> bool {
    tokens
        .iter()
        .take(2)
        .filter(|token| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ':'))
        .count()
        == 2
}

/// Follows a path from its next `::` on, into the groups of a `use`.
fn follow(tokens: &[TokenTree], path: &mut Vec<String>, items: &mut BTreeSet<String>) {
    if !colons(tokens) {
        return ended(path, items);
    }
    match tokens.get(2) {
        Some(TokenTree::Ident(name)) => enter(
            name.to_string(),
            tokens.get(3..).unwrap_or_default(),
            path,
            items,
        ),
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
            let inner: Vec<TokenTree> = group.stream().into_iter().collect();
            for part in inner
                .split(|token| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ','))
            {
                let Some(TokenTree::Ident(name)) = part.first() else {
                    continue;
                };
                let name = name.to_string();
                if name == "self" {
                    ended(path, items);
                    continue;
                }
                enter(name, part.get(1..).unwrap_or_default(), path, items);
            }
        }
        Some(TokenTree::Punct(mark)) if mark.as_char() == '*' => {
            path.push("*".to_owned());
            ended(path, items);
            path.pop();
        }
        _ => ended(path, items),
    }
}

/// Follows a path through one name; a name in capitals is the item.
fn enter(name: String, rest: &[TokenTree], path: &mut Vec<String>, items: &mut BTreeSet<String>) {
    let whole = name.starts_with(char::is_uppercase);
    path.push(name);
    if whole {
        ended(path, items);
    } else {
        follow(rest, path, items);
    }
    path.pop();
}

fn ended(path: &[String], items: &mut BTreeSet<String>) {
    if !path.is_empty() {
        items.insert(path.join("::"));
    }
}

#[cfg(test)]
mod tests {
    use super::super::source::of_text;
    use super::*;

    #[test]
    fn items_are_counted_once_wherever_they_are_named() {
        let text = "use annals_types::{Row, profile::{self, Metric}, stamp::*};\nuse annals_types::Row as R;\n\
            fn a(x: annals_types::Row) -> annals_text::Index { annals_text::open::<u8>(annals_types::Row::new(x)) }";
        let all = [
            of_text("annals-x", text),
            of_text("annals-types", ""),
            of_text("annals-text", ""),
        ];
        let found = of(&all[0], &all);
        let of = |name: &str| found[name].iter().map(String::as_str).collect::<Vec<_>>();
        assert_eq!(
            of("annals-types"),
            ["Row", "profile", "profile::Metric", "stamp::*"]
        );
        assert_eq!(of("annals-text"), ["Index", "open"]);
    }
}
