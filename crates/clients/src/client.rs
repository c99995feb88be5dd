/// A program that annals can be installed into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Client {
    /// Claude Code.
    ClaudeCode,
    /// Claude Desktop.
    ClaudeDesktop,
    /// Cursor.
    Cursor,
    /// Visual Studio Code.
    VsCode,
    /// Codex, on the command line and in editors.
    Codex,
    /// Gemini CLI.
    GeminiCli,
    /// Antigravity, the editor and the command line.
    Antigravity,
    /// Zed.
    Zed,
    /// GitHub Copilot CLI.
    CopilotCli,
}

impl Client {
    /// Every client, in the order in which they are listed.
    pub const ALL: [Self; 9] = [
        Self::ClaudeCode,
        Self::ClaudeDesktop,
        Self::Cursor,
        Self::VsCode,
        Self::Codex,
        Self::GeminiCli,
        Self::Antigravity,
        Self::Zed,
        Self::CopilotCli,
    ];

    /// The name on the command line, and the name of the host of its hooks.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Codex => "codex",
            Self::GeminiCli => "gemini-cli",
            Self::Antigravity => "antigravity",
            Self::Zed => "zed",
            Self::CopilotCli => "copilot-cli",
        }
    }

    /// The name by which its makers call it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::ClaudeDesktop => "Claude Desktop",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Codex => "Codex",
            Self::GeminiCli => "Gemini CLI",
            Self::Antigravity => "Antigravity",
            Self::Zed => "Zed",
            Self::CopilotCli => "Copilot CLI",
        }
    }

    /// The client of a name, if there is one.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.name() == name)
    }

    /// Whether it has hooks that annals uses.
    #[must_use]
    pub const fn has_hooks(self) -> bool {
        matches!(
            self,
            Self::ClaudeCode | Self::Cursor | Self::Codex | Self::GeminiCli | Self::CopilotCli
        )
    }

    /// Whether it reads configuration from a project.
    #[must_use]
    pub const fn has_projects(self) -> bool {
        !matches!(self, Self::ClaudeDesktop)
    }

    /// The step by which the client takes the change over.
    #[must_use]
    pub const fn next_step(self, hooks: bool) -> &'static str {
        match (self, hooks) {
            (Self::ClaudeCode, false) => "start a new session; `/mcp` shows the server",
            (Self::ClaudeCode, true) => {
                "start a new session; `/mcp` shows the server, `/hooks` the hooks"
            }
            (Self::ClaudeDesktop, _) => {
                "quit Claude Desktop (not only its window) and start it again"
            }
            (Self::Cursor, _) => "restart Cursor, and switch the server on under Settings, MCP",
            (Self::VsCode, _) => {
                "run `MCP: List Servers` in VS Code, and start and trust the server annals"
            }
            (Self::Codex, false) => "start a new session; `/mcp` shows the server",
            (Self::Codex, true) => {
                "start a new session and trust the hooks there with `/hooks`: until then they do not run"
            }
            (Self::GeminiCli, false) => "start a new session; `/mcp` shows the server",
            (Self::GeminiCli, true) => {
                "start a new session; `/mcp` shows the server, `/hooks` the hooks"
            }
            (Self::Antigravity, _) => "refresh the list under MCP Servers, or start a new session",
            (Self::Zed, _) => {
                "open the settings of the agent panel in Zed: the server has a green dot when it runs"
            }
            (Self::CopilotCli, _) => "start a new session; `/mcp show` lists the server",
        }
    }
}
