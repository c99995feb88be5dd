use std::fmt;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::app::App;
use crate::texts::text;

/// A bar on standard error, or nothing without a terminal. It is wiped when dropped.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// `total` things of one sort; 0 when their number is not known.
    pub(crate) fn new(app: &App<'_, '_>, doing: String, total: u64) -> Self {
        if !app.shows_progress() {
            return Self(ProgressBar::hidden());
        }
        let template = if total == 0 {
            "{msg} {pos} ({rate}) {spinner}".to_owned()
        } else {
            format!(
                "{{msg}} [{{bar:30}}] {{pos}}/{{len}} ({{rate}}, {})",
                text!("common-left", eta = "{eta}")
            )
        };
        Self(Self::drawn(total, &template, doing))
    }

    /// `total` bytes.
    pub(crate) fn bytes(app: &App<'_, '_>, doing: String, total: u64) -> Self {
        if !app.shows_progress() {
            return Self(ProgressBar::hidden());
        }
        Self(Self::drawn(
            total,
            "{msg} [{bar:30}] {bytes}/{total_bytes} ({bytes_per_sec})",
            doing,
        ))
    }

    fn drawn(total: u64, template: &str, doing: String) -> ProgressBar {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
        let style =
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let rate = |state: &ProgressState, out: &mut dyn fmt::Write| {
            // A bar that cannot be written is no reason to stop.
            let _written = write!(out, "{:.0}/s", state.per_sec());
        };
        bar.set_style(style.with_key("rate", rate).progress_chars("=> "));
        bar.set_message(doing);
        bar.enable_steady_tick(Duration::from_millis(200));
        bar
    }

    pub(crate) fn set(&self, done: u64) {
        self.0.set_position(done);
    }

    pub(crate) fn add(&self, done: u64) {
        self.0.inc(done);
    }

    pub(crate) fn set_total(&self, total: u64) {
        self.0.set_length(total);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
