//! How many methods the types of a crate offer outside their own module.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::{ImplItem, Item, Type, UseTree, Visibility};

use super::source::{Crate, Source, flat};

/// So many a type may have without being listed.
pub const FEW: u64 = 30;

/// The methods that are not private, by the first module and the name of the type. Methods that a
/// macro writes in an implementation are counted, too.
pub fn of(one: &Crate) -> BTreeMap<String, u64> {
    let mut known: BTreeSet<(String, String)> = BTreeSet::new();
    for source in &one.sources {
        known.extend(
            types(&source.file.items)
                .into_iter()
                .map(|name| (first(&source.module), name)),
        );
    }
    let mut found = BTreeMap::new();
    for source in &one.sources {
        for (path, number) in tabled(&source.file.items) {
            *found.entry(path).or_default() += number;
        }
        let used = uses(source);
        for (name, number) in implemented(&source.file.items) {
            let home = used
                .get(&name)
                .cloned()
                .unwrap_or_else(|| first(&source.module));
            if known.contains(&(home.clone(), name.clone())) {
                let path = if home.is_empty() {
                    name
                } else {
                    format!("{home}::{name}")
                };
                *found.entry(path).or_default() += number;
            }
        }
    }
    found
}

fn first(module: &[String]) -> String {
    module.first().cloned().unwrap_or_default()
}

fn types(items: &[Item]) -> Vec<String> {
    let name = |item: &Item| match item {
        Item::Struct(item) if offered(&item.vis) => Some(item.ident.to_string()),
        Item::Enum(item) if offered(&item.vis) => Some(item.ident.to_string()),
        _ => None,
    };
    items.iter().filter_map(name).collect()
}

fn offered(visibility: &Visibility) -> bool {
    !matches!(visibility, Visibility::Inherited)
}

/// The implemented types with the number of offered methods of each block.
fn implemented(items: &[Item]) -> Vec<(String, u64)> {
    let block = |item: &Item| {
        let Item::Impl(block) = item else { return None };
        let (None, Type::Path(path)) = (&block.trait_, &*block.self_ty) else {
            return None;
        };
        let name = path.path.get_ident()?.to_string();
        let number = block.items.iter().map(|item| match item {
            ImplItem::Fn(function) => u64::from(offered(&function.vis)),
            ImplItem::Macro(written) => functions(&written.mac.tokens),
            _ => 0,
        });
        Some((name, number.sum()))
    };
    items.iter().filter_map(block).collect()
}

/// The public handles that tables make, with the methods of each: see `table.rs` among the handles
/// of annals.
fn tabled(items: &[Item]) -> Vec<(String, u64)> {
    let mut found = Vec::new();
    for item in items {
        match item {
            Item::Impl(block) => found.extend(beside_table(block)),
            Item::Macro(item) if item.mac.path.is_ident("handles") => {
                // `run` of the asynchronous handle.
                found.extend(
                    names(&item.mac.tokens)
                        .into_iter()
                        .map(|name| (format!("asynchronous::{name}"), 1)),
                );
            }
            Item::Macro(item) if item.mac.path.is_ident("calls") => {
                let (all, blocking) = (
                    functions(&item.mac.tokens),
                    blocking_functions(&item.mac.tokens),
                );
                for name in names(&item.mac.tokens) {
                    found.push((format!("blocking::{name}"), all));
                    found.push((
                        format!("asynchronous::{name}"),
                        all.saturating_sub(blocking),
                    ));
                }
            }
            _ => {}
        }
    }
    found
}

/// The handles that a table names: words with a capital, outside of attributes and rows.
fn names(tokens: &TokenStream) -> Vec<String> {
    let name = |tree: TokenTree| match tree {
        TokenTree::Ident(name) => Some(name.to_string()),
        _ => None,
    };
    let words = tokens.clone().into_iter().filter_map(name);
    words
        .filter(|word| word.starts_with(|first: char| first.is_ascii_uppercase()))
        .collect()
}

/// The rows of the section `blocking` of a table.
fn blocking_functions(tokens: &TokenStream) -> u64 {
    let sections: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let number = sections.windows(2).map(|pair| match pair {
        [TokenTree::Ident(word), TokenTree::Group(rows)] if word == "blocking" => {
            functions(&rows.stream())
        }
        _ => 0,
    });
    number.sum()
}

/// The methods of `impl blocking::Handle` and `impl asynchronous::Handle`.
fn beside_table(block: &syn::ItemImpl) -> Option<(String, u64)> {
    let (None, Type::Path(path)) = (&block.trait_, &*block.self_ty) else {
        return None;
    };
    let mut segments = path
        .path
        .segments
        .iter()
        .map(|segment| segment.ident.to_string());
    let (side, name, None) = (segments.next()?, segments.next()?, segments.next()) else {
        return None;
    };
    let offered = block
        .items
        .iter()
        .filter(|item| matches!(item, ImplItem::Fn(function) if offered(&function.vis)));
    matches!(side.as_str(), "blocking" | "asynchronous")
        .then(|| (format!("{side}::{name}"), super::count(offered.count())))
}

fn functions(tokens: &TokenStream) -> u64 {
    let all = flat(tokens);
    let function = all.windows(2).filter(|pair| {
        let [TokenTree::Ident(word), TokenTree::Ident(_)] = pair else {
            return false;
        };
        word == "fn"
    });
    super::count(function.count())
}

/// The names that a file uses, each with the first module of its path inside this crate.
fn uses(source: &Source) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for item in &source.file.items {
        if let Item::Use(item) = item {
            leaves(&item.tree, &mut Vec::new(), &mut |path, name| {
                if let Some(home) = home(&source.module, path) {
                    found.insert(name, home);
                }
            });
        }
    }
    found
}

fn leaves(tree: &UseTree, path: &mut Vec<String>, leaf: &mut dyn FnMut(&[String], String)) {
    match tree {
        UseTree::Path(part) => {
            path.push(part.ident.to_string());
            leaves(&part.tree, path, leaf);
            path.pop();
        }
        UseTree::Name(name) => leaf(path, name.ident.to_string()),
        UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, path, leaf)),
        _ => {}
    }
}

/// The first module of a path that begins with `crate` or `super`; `None` for another crate's.
fn home(module: &[String], path: &[String]) -> Option<String> {
    let above = path.iter().take_while(|name| *name == "super").count();
    let absolute: Vec<String> = match path.first()?.as_str() {
        "crate" => path.get(1..)?.to_vec(),
        "super" => {
            let kept = module.len().checked_sub(above)?;
            module
                .iter()
                .take(kept)
                .chain(path.iter().skip(above))
                .cloned()
                .collect()
        }
        "self" => module.iter().chain(path.iter().skip(1)).cloned().collect(),
        _ => return None,
    };
    Some(first(&absolute))
}

#[cfg(test)]
mod tests {
    use super::super::source::Source;
    use super::*;

    #[test]
    fn the_handles_that_tables_make_are_counted() {
        let text = "handles! { /// Doc.\n pub struct Graph; }\npub(crate) struct Graph;\n\
            calls! { for Graph, Old; blocking { fn w(out: &mut dyn Write) -> (); } calls { /// Doc.\n fn a(n: own(u8)) -> (); fn b() -> (); } }\n\
            impl blocking::Graph { pub fn c(&self) {} }\nimpl Graph { pub(crate) fn a(&self) {} }";
        let source = Source::parse("a.rs".to_owned(), "handles::graph", text.to_owned()).unwrap();
        let expected = [
            ("asynchronous::Graph", 3),
            ("asynchronous::Old", 2),
            ("blocking::Graph", 4),
            ("blocking::Old", 3),
            ("handles::Graph", 1),
        ];
        let expected = expected.map(|(name, number)| (name.to_owned(), number));
        assert_eq!(
            of(&Crate {
                name: "annals".to_owned(),
                sources: vec![source]
            }),
            expected.into()
        );
    }

    #[test]
    fn methods_are_counted_where_their_type_lives() {
        let parse = |module: &str, text: &str| {
            Source::parse("a.rs".to_owned(), module, text.to_owned()).unwrap()
        };
        let sources = vec![
            parse(
                "blocking::memory",
                "pub struct Memory;\nimpl Memory { pub fn a(&self) {} fn b(&self) {} }",
            ),
            parse(
                "asynchronous",
                "pub struct Memory;\nimpl Memory { pub fn a(&self) {} calls! { fn c(); fn d(); } }",
            ),
            parse(
                "transfer",
                "use super::blocking::Memory;\nimpl Memory { pub fn e(&self) {} }\nimpl Other { pub fn f() {} }",
            ),
        ];
        let found = of(&Crate {
            name: "annals".to_owned(),
            sources,
        });
        let expected = [
            ("asynchronous::Memory".to_owned(), 3),
            ("blocking::Memory".to_owned(), 2),
        ];
        assert_eq!(found, expected.into());
    }
}
