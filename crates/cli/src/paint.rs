use anstyle::{AnsiColor, Style};

use crate::world::World;

/// Colours, or none. Only the program's own words and escaped texts are painted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Paint {
    on: bool,
}

impl Paint {
    pub(crate) const PLAIN: Self = Self { on: false };

    /// On for a terminal, unless `--no-color`, `NO_COLOR` or `TERM=dumb` say otherwise;
    /// `CLICOLOR_FORCE` forces it.
    pub(crate) fn choose(world: &World<'_>, terminal: bool, no_color: bool) -> Self {
        if no_color || world.var_os("NO_COLOR").is_some() {
            return Self::PLAIN;
        }
        let forced = world
            .var("CLICOLOR_FORCE")
            .is_some_and(|value| value != "0");
        let dumb = world.var("TERM") == Some("dumb");
        Self {
            on: forced || (terminal && !dumb),
        }
    }

    fn with(self, style: Style, text: &str) -> String {
        if self.on && !text.is_empty() {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.with(Style::new().bold(), text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.with(Style::new().dimmed(), text)
    }

    pub(crate) fn error(self, text: &str) -> String {
        self.with(AnsiColor::Red.on_default().bold(), text)
    }

    pub(crate) fn warning(self, text: &str) -> String {
        self.with(AnsiColor::Yellow.on_default().bold(), text)
    }

    pub(crate) fn good(self, text: &str) -> String {
        self.with(AnsiColor::Green.on_default(), text)
    }

    pub(crate) fn score(self, text: &str) -> String {
        self.with(AnsiColor::Cyan.on_default().bold(), text)
    }

    pub(crate) fn name(self, text: &str) -> String {
        self.with(AnsiColor::Blue.on_default(), text)
    }
}
