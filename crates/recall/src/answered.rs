use serde::{Deserialize, Serialize};

/// Whether the memory answers a question at all, and what that is judged by.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Answered {
    /// The probability that some memory answers, 0 to 1.
    pub probability: f32,
    /// What it is judged by.
    pub signals: Signals,
}

/// What tells a question for the memory from others.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Signals {
    /// The greatest likeness in meaning to a memory, 0 to 1; `None` without vectors.
    pub nearest: Option<f32>,
    /// The likeness to what people say to any assistant, 0 to 1; `None` without vectors.
    pub everyday: Option<f32>,
    /// The greatest share of the question's inverse document frequencies that one memory holds.
    pub coverage: f32,
    /// The greatest score.
    pub best: f32,
    /// Whether the question speaks of who asks.
    pub first_person: bool,
    /// Whether it points at something known.
    pub pointing: bool,
    /// Whether it names a time in which something lies.
    pub timely: bool,
}
