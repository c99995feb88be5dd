//! Prints the description of all routes:
//! `cargo run -p annals-server --example openapi > docs/openapi.json`.

#![allow(clippy::print_stdout, reason = "an example prints")]

fn main() -> Result<(), serde_json::Error> {
    println!(
        "{}",
        serde_json::to_string_pretty(&annals_server::document())?
    );
    Ok(())
}
