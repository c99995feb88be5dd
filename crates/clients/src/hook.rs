//! How clients write hooks, and how a hook of annals is told from others.

use crate::value::Value;
use crate::{Command, Error, System, quote};

/// The hooks of a client.
#[derive(Debug)]
pub(crate) struct Hooks {
    /// The name that `annals hook` knows it by.
    pub(crate) host: &'static str,
    pub(crate) layout: Layout,
    /// Whether the file states the version of its form.
    pub(crate) versioned: bool,
    form: Form,
    /// The unit of `timeout` in a second.
    per_second: u32,
    pub(crate) events: &'static [Event],
}

/// A moment at which a client calls annals.
#[derive(Debug)]
pub(crate) struct Event {
    /// The client's own name of it.
    pub(crate) name: &'static str,
    /// How many seconds the client waits at most.
    timeout: u32,
    /// Whether the client goes on meanwhile.
    background: bool,
}

/// Where the handlers of an event stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// `hooks.EVENT[].hooks[]`.
    Groups,
    /// `hooks.EVENT[]`.
    Flat,
}

/// How a handler says what it runs.
#[derive(Debug, Clone, Copy)]
enum Form {
    /// `command` and `args`, without a shell.
    Words,
    /// `command`, for a shell that depends on the system.
    Line,
    /// `bash` or `powershell`.
    NamedShell,
}

const fn event(name: &'static str, timeout: u32) -> Event {
    Event {
        name,
        timeout,
        background: false,
    }
}

/// `args` makes Claude Code start the program itself.
pub(crate) static CLAUDE_CODE: Hooks = Hooks {
    host: "claude-code",
    layout: Layout::Groups,
    versioned: false,
    form: Form::Words,
    per_second: 1,
    events: &[
        event("SessionStart", 10),
        event("UserPromptSubmit", 10),
        Event {
            name: "Stop",
            timeout: 30,
            background: true,
        },
        event("PreCompact", 30),
        // Keeps the last turn where the client ended before its end was told.
        event("SessionEnd", 10),
    ],
};

pub(crate) static CODEX: Hooks = Hooks {
    host: "codex",
    layout: Layout::Groups,
    versioned: false,
    form: Form::Line,
    per_second: 1,
    events: &[
        event("SessionStart", 10),
        event("UserPromptSubmit", 10),
        event("Stop", 30),
        event("PreCompact", 30),
    ],
};

pub(crate) static CURSOR: Hooks = Hooks {
    host: "cursor",
    layout: Layout::Flat,
    versioned: true,
    form: Form::Line,
    per_second: 1,
    events: &[
        event("sessionStart", 10),
        event("beforeSubmitPrompt", 10),
        event("stop", 30),
        event("preCompact", 30),
    ],
};

pub(crate) static GEMINI_CLI: Hooks = Hooks {
    host: "gemini-cli",
    layout: Layout::Groups,
    versioned: false,
    form: Form::Line,
    per_second: 1000,
    events: &[
        event("SessionStart", 10),
        event("BeforeAgent", 10),
        event("AfterAgent", 30),
        event("PreCompress", 30),
    ],
};

pub(crate) static COPILOT_CLI: Hooks = Hooks {
    host: "copilot-cli",
    layout: Layout::Flat,
    versioned: true,
    form: Form::NamedShell,
    per_second: 1,
    events: &[
        event("sessionStart", 10),
        event("userPromptSubmitted", 10),
        event("agentStop", 30),
        event("preCompact", 30),
    ],
};

/// In its settings hooks stand beside other keys, and no version is stated.
pub(crate) static COPILOT_CLI_SETTINGS: Hooks = Hooks {
    versioned: false,
    ..COPILOT_CLI
};

/// The members of a handler that say what it runs. The others are the user's to change.
pub(crate) const RUNS: [&str; 4] = ["command", "args", "bash", "powershell"];

impl Hooks {
    /// The handler of an event.
    ///
    /// # Errors
    ///
    /// [`Error::Unquotable`] where no quoting keeps a path whole.
    pub(crate) fn handler(
        &self,
        event: &Event,
        command: &Command,
        system: System,
    ) -> Result<Value, Error> {
        let args = command.hook_args(self.host, event.name);
        let words: Vec<String> = std::iter::once(command.program.clone())
            .chain(args.iter().cloned())
            .collect();
        let mut members = Vec::new();
        let mut add = |key: &str, value| members.push((key.to_owned(), value));
        if self.layout == Layout::Groups || matches!(self.form, Form::NamedShell) {
            add("type", Value::text("command"));
        }
        let timeout = Value::Number((event.timeout * self.per_second).to_string());
        match self.form {
            Form::Words => {
                add("command", Value::text(&command.program));
                add("args", Value::texts(&args));
            }
            Form::Line if system == System::Windows => {
                add("command", Value::Text(quote::windows(&words)?))
            }
            Form::Line => add("command", Value::Text(quote::posix(&words)?)),
            Form::NamedShell if system == System::Windows => {
                add("powershell", Value::Text(quote::powershell(&words)?))
            }
            Form::NamedShell => add("bash", Value::Text(quote::posix(&words)?)),
        }
        if event.background {
            add("async", Value::Bool(true));
        }
        add(
            if matches!(self.form, Form::NamedShell) {
                "timeoutSec"
            } else {
                "timeout"
            },
            timeout,
        );
        Ok(Value::Object(members))
    }

    /// Whether a handler calls `annals hook` for this client and event.
    pub(crate) fn owns(&self, event: &str, handler: &Value) -> bool {
        let called = [self.host, event];
        let text = |key| handler.get(key).and_then(Value::as_text);
        if let (Some(program), Some(Value::List(args))) = (text("command"), handler.get("args")) {
            let args: Vec<&str> = args.iter().filter_map(Value::as_text).collect();
            return is_annals(program) && calls(&args, called).is_some();
        }
        ["command", "bash", "powershell"]
            .into_iter()
            .filter_map(text)
            .any(|line| {
                let bare = line.replace(['"', '\''], "");
                let words: Vec<&str> = bare.split_whitespace().collect();
                calls(&words, called)
                    .and_then(|at| words.get(..at))
                    .is_some_and(|program| is_annals(&program.join(" ")))
            })
    }

    /// Takes the handlers of annals out of an element of the list of an event; answers whether it
    /// held anything else.
    pub(crate) fn keeps_others(&self, event: &str, element: &mut Value) -> bool {
        if self.layout == Layout::Flat {
            return !self.owns(event, element);
        }
        let Some(Value::List(handlers)) = element.get_mut("hooks") else {
            return true;
        };
        let all = handlers.len();
        handlers.retain(|handler| !self.owns(event, handler));
        all == handlers.len() || !handlers.is_empty()
    }
}

/// Where `hook HOST EVENT` stands among words.
fn calls(words: &[&str], [host, event]: [&str; 2]) -> Option<usize> {
    words
        .windows(3)
        .position(|three| three == ["hook", host, event])
}

/// Whether the last part of a path is annals, under whatever version or extension.
pub(crate) fn is_annals(path: &str) -> bool {
    path.rsplit(['/', '\\', ' '])
        .next()
        .is_some_and(|name| name.starts_with("annals"))
}
