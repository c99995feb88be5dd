use crate::app::App;
use crate::failure::Failure;
use crate::import;
use crate::texts::text;

/// Arguments of `annals import`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals import backup.ndjson
  annals import backup.ndjson --skip-bad refused.ndjson
  annals import chat.json --conversation monday -n user:42
  annals import messages.json --session monday
  annals import ~/.claude/projects/-home-me-relay/0197f5c2-7a10.jsonl -n project:relay
  annals import backup.ndjson.gz
  annals import chatgpt-export.zip --dry-run
  annals import ~/notes chat.txt --zone Europe/Berlin
  annals import people.csv --column text=remark --column time=day
  annals import --agents
  annals import --undo
  annals import --watch ~/exports

A format is told by what stands in a file, never by its name; docs/import.md says what of
each is kept and what is not. What is there already is known again, so that a file that has
grown can be imported once more.

Lines are stored in batches, each wholly or not at all. An import that stopped says at
which line, and --resume goes on there. Memories that are stored already stay as they are.

A turn is known by its id; else by session, time, role and text. With neither, it is known
by what was said around it: where the file goes along with its session, or with a part of
it; a message by itself is new each time, so ids or times make sure. A turn of a known id
that says something else, or one that was changed, is stored behind the others, and said to
differ. Deleted turns stay away, unless --bring-back says otherwise.

Transcripts of Claude Code, Codex, Gemini CLI, Cursor and Copilot CLI are told by what they
hold. The words of user and assistant become turns; calls of tools, their results, thoughts,
summaries and the talk of subagents do not.

Of messages a session is called what they say (session, conversation_id or id), or like the
file: so is the first of several lines. Each other list is called that and a number made of
its first message, and so is one with a title.")]
pub(crate) struct Args {
    #[command(flatten)]
    import: import::Args,
    /// Say what the files are and what they would bring, and store nothing
    #[arg(long)]
    dry_run: bool,
    /// The transcripts of all coding agents on this machine, each into the namespace of its project
    #[arg(long, conflicts_with = "undo")]
    agents: bool,
    /// Stay, and import what comes into the folders and what grows in them
    #[arg(long, conflicts_with_all = ["undo", "agents", "dry_run"])]
    watch: bool,
    /// Take back the last import into the namespace: delete all that it brought
    #[arg(long)]
    undo: bool,
}

impl Args {
    /// Whether the transcripts of coding agents are meant.
    pub(crate) const fn is_of_agents(&self) -> bool {
        self.agents
    }
}

/// Reads the files into the namespace.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    if (args.agents || args.undo) && !args.import.is_empty() {
        return Err(Failure::usage(text!("transfer-no-files-there")));
    }
    let imported = if args.agents {
        import::of_agents(&args.import, args.dry_run, app)?
    } else if args.watch {
        import::watched(&args.import, app)?
    } else if args.undo {
        import::undone(args.dry_run, app)?
    } else {
        import::stored(&args.import, args.dry_run, app)?
    };
    if app.json {
        app.answer_json(&imported.json)
    } else {
        app.say(&imported.text)
    }
}
