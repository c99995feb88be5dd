//! The chores of the workspace:
//! `cargo xtask ci | test | specs | shape | bench | eval | setup | clients | page | typescript | downstream | faults | damage`.

mod bench;
mod checks;
mod ci;
mod clients;
mod downstream;
mod eval;
mod faults;
mod page;
mod passed;
mod setup;
mod shape;
mod shell;
mod specs;
mod test;
mod typescript;
mod witness;
mod workspace;

use std::process::ExitCode;

const USAGE: &str = "cargo xtask <chore>

  ci          everything that must hold before a change lands, with seconds per step
  test        all tests and doctests
  specs       which requirement of docs/specs.toml which test proves [--open: what none proves]
  shape       the sizes of crates, types and edges, held against xtask/shape.toml [--list: places] [--set: as limits]
  bench       criterion benches as a table beside the last results  [FILTER]
  eval        recall on the evaluation sets beside this checkout     [ARGS of `annals eval recall`]
  setup       fetches ONNX Runtime and PostgreSQL for tests and benches into target/onnxruntime and target/postgres
  clients     runs `annals mcp` under clients that others wrote, fetched from PyPI and npm into target/clients
  page        the page of the server under Chromium, with Playwright from PyPI and axe-core from npm  [NAMES]
  typescript  the types of the TypeScript client, made of docs/openapi.json  [--check]
  faults      a workload over all layers on a disk of which each write, sync and read fails in turn  [EVERY]
  damage      files damaged at random under every command that reads  [COUNT [SEED]], by default 10,000
  downstream  builds and runs consumer projects outside the workspace, from packaged crates";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let chore = args.next().unwrap_or_default();
    let rest: Vec<String> = args.collect();
    let done = match chore.as_str() {
        "ci" => ci::run(),
        "test" => test::run(&rest),
        "specs" => specs::run(&rest),
        "shape" => shape::run(&rest),
        "bench" => bench::run(&rest),
        "eval" => eval::run(&rest),
        "setup" => setup::run(&rest),
        "clients" => clients::run(&rest),
        "page" => page::run(&rest),
        "typescript" => typescript::run(&rest),
        "downstream" => downstream::run(),
        "faults" => faults::faults(&rest),
        "damage" => faults::damage(&rest),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}
