use std::ffi::OsString;
use std::path::PathBuf;

use annals::{Body, Importance, Label, Layer, MemoryId, NewMemory, NewTurn, Role, Said, Timestamp, UnitScore};
use serde_json::json;

use crate::app::{Access, App};
use crate::failure::Failure;
use crate::source;

/// What `annals remember` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals remember \"I moved to Berlin in March 2023.\"
  annals remember --kind rule --tag work --importance 0.9 \"Never deploy on Friday.\"
  annals remember --session monday --speaker Ada --reply \"Noted.\" \"The demo is at ten.\"
  pbpaste | annals remember -")]
pub(crate) struct Args {
    /// The text; `-` reads standard input
    text: Option<OsString>,
    /// Read the text from this file
    #[arg(long, value_name = "PATH", conflicts_with = "text")]
    file: Option<PathBuf>,
    #[command(flatten)]
    about: About,
    /// Store it as a turn of this session
    #[arg(long, value_name = "NAME", conflicts_with_all = ["layer", "kind"], help_heading = "A turn of a conversation")]
    session: Option<String>,
    /// Who speaks
    #[arg(long, value_name = "NAME", requires = "session", help_heading = "A turn of a conversation")]
    speaker: Option<String>,
    /// In what role: user, assistant, system or tool
    #[arg(
        long,
        value_name = "ROLE",
        requires = "session",
        default_value = "user",
        help_heading = "A turn of a conversation"
    )]
    role: Role,
    /// What was answered
    #[arg(long, value_name = "TEXT", requires = "session", help_heading = "A turn of a conversation")]
    reply: Option<String>,
}

/// Everything but the text; shared with `annals edit`.
#[derive(Debug, Default, PartialEq, clap::Args)]
pub(crate) struct About {
    /// turn, working, episodic, semantic, core or system [default: semantic]
    #[arg(long, value_name = "LAYER")]
    pub(crate) layer: Option<Layer>,
    /// What it is, such as fact, rule or preference [default: fact, or the profile's]
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<String>,
    /// A tag; may be given several times
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// How much it matters, 0 to 1000 [default: 0.5]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) importance: Option<f32>,
    /// How sure it is, 0 to 1 [default: 1]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) confidence: Option<f32>,
    /// A person confirmed it
    #[arg(long)]
    pub(crate) verified: bool,
    /// Who or what stores it
    #[arg(long, value_name = "NAME")]
    pub(crate) source: Option<String>,
    /// When it happened, such as 2026-01-03 or 2026-01-03T18:00:00+01:00
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<Timestamp>,
    /// From when on it is true
    #[arg(long, value_name = "TIME")]
    pub(crate) valid_from: Option<Timestamp>,
    /// Until when it is true, that moment excluded
    #[arg(long, value_name = "TIME")]
    pub(crate) valid_until: Option<Timestamp>,
    /// When it stops being shown
    #[arg(long, value_name = "TIME")]
    pub(crate) expires_at: Option<Timestamp>,
    /// A free field; VALUE is read as JSON where it is JSON
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) meta: Vec<String>,
    /// A memory that this one is derived from
    #[arg(long, value_name = "ID")]
    pub(crate) derived_from: Vec<MemoryId>,
}

impl About {
    /// Puts what was given into the body and leaves the rest as it is.
    pub(crate) fn apply(&self, body: &mut Body) -> Result<(), Failure> {
        if let Some(value) = self.importance {
            body.importance = Importance::new("importance", value)?;
        }
        if let Some(value) = self.confidence {
            body.confidence = UnitScore::new("confidence", value)?;
        }
        if let Some(source) = &self.source {
            body.source = Some(Label::new("source", source.as_str())?);
        }
        body.verified |= self.verified;
        for tag in &self.tag {
            body.tags.push(Label::new("tag", tag.as_str())?);
        }
        for (field, given) in [
            (&mut body.event_time, self.at),
            (&mut body.valid_from, self.valid_from),
            (&mut body.valid_until, self.valid_until),
            (&mut body.expires_at, self.expires_at),
        ] {
            *field = given.or(*field);
        }
        for pair in &self.meta {
            let (key, value) = field(pair)?;
            body.metadata.insert(key, value);
        }
        body.provenance.extend(&self.derived_from);
        Ok(())
    }
}

/// A free field as it is written behind `--meta`.
pub(crate) fn field(pair: &str) -> Result<(String, annals::Value), Failure> {
    let (key, value) = pair
        .split_once('=')
        .ok_or_else(|| Failure::usage(format!("--meta {pair:?} has no `=`")).advice("write it as KEY=VALUE"))?;
    // What is not JSON is a text: `--meta city=Berlin` needs no quotes.
    let value = serde_json::from_str(value).unwrap_or_else(|_| annals::Value::from(value));
    Ok((key.to_owned(), value))
}

/// Stores a memory and says its id.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let text = source::text(args.text.as_ref(), args.file.as_ref(), app.world)?;
    let memory = build(args, text)?;
    let namespace = app.namespace(Access::Create)?;
    let id = namespace.remember(memory)?;
    if app.json {
        return app.answer_json(&json!({ "id": id, "namespace": namespace.name() }));
    }
    app.say(&id.to_string())
}

fn build(args: &Args, text: String) -> Result<NewMemory, Failure> {
    let memory = match &args.session {
        Some(session) => {
            let mut turn = NewTurn::builder(session.as_str(), text).role(args.role);
            if let Some(speaker) = &args.speaker {
                turn = turn.speaker(speaker.as_str());
            }
            if let Some(reply) = &args.reply {
                turn = turn.reply(reply.as_str());
            }
            NewMemory::from(turn.build()?)
        }
        None => {
            let mut memory = NewMemory::builder(text).layer(args.about.layer.unwrap_or(Layer::Semantic));
            if let Some(kind) = &args.about.kind {
                memory = memory.kind(kind.as_str());
            }
            memory.build()?
        }
    };
    let mut body = memory.into_body();
    args.about.apply(&mut body)?;
    let said = Said {
        kind: args.about.kind.is_some() || args.session.is_some(),
        importance: args.about.importance.is_some(),
        confidence: args.about.confidence.is_some(),
        verified: args.about.verified,
    };
    Ok(NewMemory::from_body(body)?.saying(said))
}
