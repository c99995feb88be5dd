//! Measuring: each conversation of a data set becomes a namespace of a temporary file and is asked
//! its questions.

mod candidates;
mod extraction;
mod lines;
mod nodes;
mod rankings;
mod run;
mod triples;
mod tuning;

pub(crate) use extraction::{By, Extraction};
pub(crate) use lines::Lines;
pub(crate) use nodes::{Pairs, Verdicts, judge};
pub(crate) use rankings::Rankings;
pub(crate) use run::{Report, Run, Setting};
pub(crate) use tuning::{Thresholds, leave_out};
