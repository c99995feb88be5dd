//! Which requirement which test proves.

mod allowed;
mod cited;
mod judged;
mod list;
mod report;
mod scan;
mod source;
mod tokens;

use std::fs;

use cited::{Cited, Known};
use list::List;

use crate::shell::Done;
use crate::{passed, witness};

/// Prints the proven requirements with their tests and a summary; `--open` adds what is not proven
/// and why, `--update` writes docs/specs.toml anew. Fails when a citation breaks a rule, never for
/// what is open.
pub fn run(args: &[String]) -> Done {
    let open = match args {
        [] => false,
        [flag] if flag == "--open" => true,
        [flag] if flag == "--update" => return update(),
        _ => return Err("usage: cargo xtask specs [--open | --update]".to_owned()),
    };
    let text = list::text()?;
    let mut list = List::parse(&text)?;
    let mut problems = Vec::new();
    if let Some(folder) = source::folder() {
        let read = source::read(&folder)?;
        if read.render() != text {
            problems
                .push("docs/specs.toml is not in step: run cargo xtask specs --update".to_owned());
        }
        list = read;
    }
    let allowed = allowed::read()?;
    problems.extend(allowed::problems(&allowed, &list));
    let page = passed::read_page();
    let page_ran = page.is_some();
    let passed = passed::read().map(|mut passed| {
        passed.extend(page.into_iter().flatten());
        passed
    });
    if passed.is_none() {
        problems.push(format!(
            "no record of passed tests in {}: run cargo xtask test",
            passed::file().display()
        ));
    }
    let witnesses = witness::read()?;
    if witnesses.is_empty() {
        println!("Profiles of tests are unknown without cargo-nextest: nothing counts as proven.");
    }
    let known = Known::new(&list, &allowed, passed.as_ref(), &witnesses).with_page(page_ran);
    let cited = Cited::collect(known)?;
    problems.extend(cited.problems);
    report::print(&list, &cited.proofs, &cited.parts, open);
    if problems.is_empty() {
        Ok(())
    } else {
        Err(format!("broken rules:\n{}", problems.join("\n")))
    }
}

fn update() -> Done {
    let folder = source::folder().ok_or("no specifications beside this checkout")?;
    let text = source::read(&folder)?.render();
    fs::write(list::file(), text)
        .map_err(|e| format!("cannot write {}: {e}", list::file().display()))
}
