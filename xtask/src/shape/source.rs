//! The sources of a crate, parsed.

use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};

use crate::shell;
use crate::workspace::{self, Package};

/// A library with its sources.
pub struct Crate {
    pub name: String,
    pub sources: Vec<Source>,
}

/// A file of a library.
pub struct Source {
    /// Below the root of the workspace.
    pub path: String,
    /// The module that the file holds, without the crate.
    pub module: Vec<String>,
    pub text: String,
    pub tokens: TokenStream,
    pub file: syn::File,
}

impl Crate {
    /// `None` for a package that is no part of the product.
    pub fn read(package: &Package) -> Result<Option<Self>, String> {
        let folder = package.folder.join("src");
        if !package.folder.starts_with(shell::root().join("crates")) || !folder.is_dir() {
            return Ok(None);
        }
        let files = workspace::sources(&folder)?;
        let sources = files
            .iter()
            .map(|file| Source::read(&folder, file))
            .collect::<Result<_, _>>()?;
        Ok(Some(Self {
            name: package.name.clone(),
            sources,
        }))
    }

    /// The name of the crate in code.
    pub fn ident(&self) -> String {
        self.name.replace('-', "_")
    }
}

impl Source {
    fn read(folder: &Path, file: &Path) -> Result<Self, String> {
        let path = file
            .strip_prefix(shell::root())
            .unwrap_or(file)
            .to_string_lossy()
            .into_owned();
        let text = fs::read_to_string(file).map_err(|e| format!("cannot read {path}: {e}"))?;
        let module = workspace::module(folder, file).unwrap_or_default();
        Self::parse(path, &module, text)
    }

    pub fn parse(path: String, module: &str, text: String) -> Result<Self, String> {
        let failed = |e: &dyn std::fmt::Display| format!("{path}: {e}");
        let tokens: TokenStream = text
            .parse()
            .map_err(|e: proc_macro2::LexError| failed(&e))?;
        let file = syn::parse2(tokens.clone()).map_err(|e| failed(&e))?;
        let module = module
            .split("::")
            .filter(|name| !["", "lib", "main"].contains(name))
            .map(str::to_owned)
            .collect();
        Ok(Self {
            path,
            module,
            text,
            tokens,
            file,
        })
    }
}

/// All tokens, those in groups after the group they are in.
pub fn flat(tokens: &TokenStream) -> Vec<TokenTree> {
    let mut found = Vec::new();
    for token in tokens.clone() {
        let inner = if let TokenTree::Group(group) = &token {
            flat(&group.stream())
        } else {
            Vec::new()
        };
        found.push(token);
        found.extend(inner);
    }
    found
}

#[cfg(test)]
pub fn of_text(name: &str, text: &str) -> Crate {
    let source = Source::parse("lib.rs".to_owned(), "", text.to_owned()).expect("Rust");
    Crate {
        name: name.to_owned(),
        sources: vec![source],
    }
}
