use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use annals::{Clock, SystemClock};

/// Which ends of the program are a terminal.
#[derive(Debug, Clone, Copy, Default)]
pub struct Terminal {
    /// Standard input: a person may be asked.
    pub input: bool,
    /// Standard output: colours and lines cut to the width.
    pub output: bool,
    /// Standard error: progress bars.
    pub errors: bool,
    /// Columns of the terminal, when there is one.
    pub width: Option<usize>,
}

/// Everything the program takes from outside, so that it can be run with other streams, another
/// clock and fixed ids.
pub struct World<'w> {
    /// The text that `-` stands for.
    pub input: &'w mut dyn Read,
    /// Where answers go.
    pub output: &'w mut dyn Write,
    /// Where errors, warnings and notes go.
    pub errors: &'w mut dyn Write,
    /// Environment variables; empty by default.
    pub env: HashMap<String, OsString>,
    /// Which ends are a terminal; none by default.
    pub terminal: Terminal,
    /// The time; that of the operating system by default.
    pub clock: Arc<dyn Clock>,
    /// The time zone of the machine; none by default, which is UTC.
    pub zone: Option<String>,
    /// The working directory, whose repository is the project of a run; none by default.
    pub folder: Option<PathBuf>,
    /// Makes ids depend only on this number and the clock; random by default.
    pub id_seed: Option<u64>,
    /// The program that others are told to start; the running one by default.
    pub program: Option<PathBuf>,
    /// Whether a database is shared with other processes, as the settings say; by default it is
    /// open in one process at a time.
    pub shares: bool,
    /// The time that has passed since some fixed moment, for latencies.
    pub stopwatch: fn() -> Duration,
}

impl<'w> World<'w> {
    /// A world without environment and terminal, on the system's clock.
    pub fn new(
        input: &'w mut dyn Read,
        output: &'w mut dyn Write,
        errors: &'w mut dyn Write,
    ) -> Self {
        Self {
            input,
            output,
            errors,
            env: HashMap::new(),
            terminal: Terminal::default(),
            clock: Arc::new(SystemClock),
            zone: None,
            folder: None,
            id_seed: None,
            program: None,
            shares: false,
            stopwatch: since_start,
        }
    }

    /// The same world with other streams for what is said.
    pub(crate) fn with_streams<'s>(
        &'s mut self,
        output: &'s mut dyn Write,
        errors: &'s mut dyn Write,
    ) -> World<'s> {
        World {
            input: self.input,
            output,
            errors,
            env: self.env.clone(),
            terminal: self.terminal,
            clock: Arc::clone(&self.clock),
            zone: self.zone.clone(),
            folder: self.folder.clone(),
            id_seed: self.id_seed,
            program: self.program.clone(),
            shares: self.shares,
            stopwatch: self.stopwatch,
        }
    }

    /// A variable that is set and not empty.
    pub(crate) fn var_os(&self, name: &str) -> Option<&OsString> {
        self.env.get(name).filter(|value| !value.is_empty())
    }

    /// A variable that is set, not empty and valid Unicode.
    pub(crate) fn var(&self, name: &str) -> Option<&str> {
        self.var_os(name).and_then(|value| value.to_str())
    }
}

fn since_start() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}
