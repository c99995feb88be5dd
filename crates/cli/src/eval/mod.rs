//! Measuring: each conversation of a data set becomes a namespace of a temporary file and is asked its questions.

mod lines;
mod rankings;
mod run;
mod triples;
mod tuning;

pub(crate) use lines::Lines;
pub(crate) use rankings::Rankings;
pub(crate) use run::{Report, Run};
pub(crate) use tuning::{Thresholds, leave_out};
