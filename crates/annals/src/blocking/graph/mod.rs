//! What memories say, and how they hang together.

mod entities;
mod exchange;
mod links;
mod triples;
mod walks;
mod words;
