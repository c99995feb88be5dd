//! Lists of candidates as JSON: what profiles ask for that do not use commands.

pub mod bounds;
mod field;
mod form;
mod read;
mod schema;
#[cfg(test)]
mod tests;

pub use form::Form;
pub use read::{parse, parse_said, parse_statements};
pub use schema::{schema, statements_schema};
