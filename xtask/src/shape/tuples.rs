//! Functions that take what belongs together as a tuple.

use proc_macro2::TokenTree;
use quote::ToTokens;
use syn::{FnArg, ImplItem, Item, Signature, TraitItem, Type};

use super::source::{Crate, flat};

/// Types of values that a write is about: they belong into one value with names.
const CONTEXT: &[&str] = &[
    "Transaction",
    "NamespaceId",
    "Timestamp",
    "CompiledProfile",
    "Reads",
    "Snapshot",
];

/// The functions of a crate that have such a parameter, each with its place.
pub fn of(one: &Crate) -> Vec<String> {
    let mut found = Vec::new();
    for source in &one.sources {
        for signature in signatures(&source.file.items) {
            if signature.inputs.iter().any(is_tuple) {
                found.push(format!("{}  {}", source.path, signature.ident));
            }
        }
    }
    found
}

/// All functions of a file, those of its modules, implementations and traits as well.
fn signatures(items: &[Item]) -> Vec<&Signature> {
    let mut found = Vec::new();
    for item in items {
        match item {
            Item::Fn(function) => found.push(&function.sig),
            Item::Mod(module) => found.extend(
                module
                    .content
                    .iter()
                    .flat_map(|(_, items)| signatures(items)),
            ),
            Item::Impl(block) => found.extend(block.items.iter().filter_map(|item| match item {
                ImplItem::Fn(function) => Some(&function.sig),
                _ => None,
            })),
            Item::Trait(block) => found.extend(block.items.iter().filter_map(|item| match item {
                TraitItem::Fn(function) => Some(&function.sig),
                _ => None,
            })),
            _ => {}
        }
    }
    found
}

fn is_tuple(input: &FnArg) -> bool {
    let FnArg::Typed(input) = input else {
        return false;
    };
    let Type::Tuple(tuple) = bare(&input.ty) else {
        return false;
    };
    let named = |token: &TokenTree| matches!(token, TokenTree::Ident(name) if CONTEXT.iter().any(|known| name == known));
    tuple
        .elems
        .iter()
        .any(|part| flat(&part.to_token_stream()).iter().any(named))
}

/// A type without its references.
fn bare(of: &Type) -> &Type {
    match of {
        Type::Reference(reference) => bare(&reference.elem),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::super::source::of_text;
    use super::*;

    #[test]
    fn tuples_with_a_context_are_found() {
        let text = "fn a((x, y): (&Transaction<'_>, u8)) {}\nfn b(x: (u8, u8)) {}\nfn c(x: Row, y: Timestamp) {}\n\
            impl T { fn d(&self, at: &(NamespaceId, &str)) {} }";
        assert_eq!(of(&of_text("annals-x", text)), ["lib.rs  a", "lib.rs  d"]);
    }
}
