use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;

use annals::blocking::Namespace;
use annals::{Admission, Admitted, Layer, MemoryId, NewMemory, NewTurn, Role, Said, Timestamp};
use serde::Serialize;

use crate::about::{About, field};
use crate::app::{Access, App};
use crate::expiry::{expiry, over};
use crate::failure::Failure;
use crate::oddities::kind_of_profile;
use crate::texts::text;
use crate::{source, visible};

/// Arguments of `annals remember`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals remember \"I moved to Berlin in March 2023.\"
  annals remember --kind rule --tag work --importance 0.9 \"Never deploy on Friday.\"
  annals remember --for 2w \"I am in Lyon.\"
  annals remember --session monday --speaker Ada --reply \"Noted.\" \"The demo is at ten.\"
  pbpaste | annals remember -

Without a flag that says otherwise the layer is semantic, the kind fact or the one that the
profile names, the importance 0.5 and the confidence 1.

`annals add` is the same command.")]
pub(crate) struct Args {
    /// The text; `-` reads standard input
    text: Option<OsString>,
    /// Read the text from this file
    #[arg(long, value_name = "PATH", conflicts_with = "text")]
    file: Option<PathBuf>,
    /// How long it is kept: hours, days or weeks, such as 36h, 7d or 2w, or a word of the profile,
    /// such as permanent under `agent`
    #[arg(long = "for", value_name = "TIME", conflicts_with_all = ["expires_at", "session"])]
    keep: Option<String>,
    #[command(flatten)]
    about: About,
    /// Store it as a turn of this session
    #[arg(long, value_name = "NAME",
        conflicts_with_all = ["layer", "kind"], help_heading = "A turn of a conversation")]
    session: Option<String>,
    /// The speaker
    #[arg(
        long,
        value_name = "NAME",
        requires = "session",
        help_heading = "A turn of a conversation"
    )]
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
    /// The answer to it
    #[arg(
        long,
        value_name = "TEXT",
        requires = "session",
        help_heading = "A turn of a conversation"
    )]
    reply: Option<String>,
}

/// Stores a memory and says its id.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let text = source::text(args.text.as_ref(), args.file.as_ref(), app.world)?;
    let memory = build(args, text)?;
    let namespace = app.namespace(Access::Create)?;
    refuse_temporary(args.session.as_deref(), &namespace)?;
    let memory = match &args.about.kind {
        Some(kind) if args.session.is_none() => of_kind(memory, kind, &namespace)?,
        _ => memory,
    };
    let memory = match &args.keep {
        Some(keep) => kept_for(memory, keep, &namespace, app)?,
        None => memory,
    };
    let (admitted, masked) = annals::masked_during(|| namespace.admit(memory));
    let Admitted { id, admission, .. } = admitted?;
    let kept = match admission {
        Admission::Known => kept(&args.about, &namespace, id)?,
        _ => Vec::new(),
    };
    let expiry = expiry(&namespace, id)?;
    if app.json {
        return app.answer_json(&Stored {
            id,
            namespace: namespace.name(),
            expired: expiry
                .as_ref()
                .is_some_and(|(_, at)| over(*at, app).is_some()),
            expires_at: expiry.map(|(_, at)| at),
            admission,
            masked: &masked,
            kept: &kept,
        });
    }
    app.say(&id.to_string())?;
    app.note_masked(&masked)?;
    let kept: Vec<_> = kept.iter().map(|name| visible::line(name)).collect();
    match admission {
        Admission::Known if kept.is_empty() => app.note(&text!("memory-known"))?,
        Admission::Known => app.note(&text!("memory-known-keeps", kept = kept.join(", ")))?,
        Admission::Replaced => app.note(&text!("memory-replaced"))?,
        Admission::New => {}
    }
    if let (Some(kind), Admission::New) = (&args.about.kind, admission) {
        app.note_new_kind(kind, &namespace)?;
    }
    if let Some(note) = expiry.as_ref().and_then(|(_, at)| over(*at, app)) {
        return app.note(&note);
    }
    match expiry.filter(|_| args.keep.is_none() && args.about.expires_at.is_none()) {
        Some((note, _)) => app.note(&note),
        None => Ok(()),
    }
}

/// Refuses a turn of a session of which nothing is kept.
fn refuse_temporary(session: Option<&str>, namespace: &Namespace) -> Result<(), Failure> {
    let Some(session) = session else {
        return Ok(());
    };
    if !namespace.session(session).is_temporary()? {
        return Ok(());
    }
    let session = visible::line(session).into_owned();
    Err(Failure::invalid(text!("memory-temporary", session))
        .advice(text!("memory-temporary-advice", session)))
}

/// The stored memory, in JSON.
#[derive(Serialize)]
struct Stored<'a> {
    id: MemoryId,
    namespace: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<Timestamp>,
    /// Whether that is over already.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    expired: bool,
    /// Whether it is new, was known already, or replaced what a known one said.
    admission: Admission,
    /// The kinds of secrets that were masked in it.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    masked: &'a BTreeSet<String>,
    /// The names of traits that were said of it and are not so, because it was known already with
    /// others.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    kept: &'a [String],
}

/// The names of what was said of a memory that was known already, and that has another value there.
fn kept(about: &About, namespace: &Namespace, id: MemoryId) -> Result<Vec<String>, Failure> {
    let Some(body) = namespace.get(id)?.map(|memory| memory.body) else {
        return Ok(Vec::new());
    };
    let times = [
        ("time", about.at, body.event_time),
        ("valid_from", about.valid_from, body.valid_from),
        ("valid_until", about.valid_until, body.valid_until),
        ("expires_at", about.expires_at, body.expires_at),
    ];
    let differs = |(name, said, has): (&str, Option<Timestamp>, Option<Timestamp>)| {
        said.filter(|said| has != Some(*said))
            .map(|_| name.to_owned())
    };
    let mut kept: Vec<String> = times.into_iter().filter_map(differs).collect();
    for pair in &about.meta {
        let (key, value) = field(pair)?;
        if body.metadata.get(&key) != Some(&value) {
            kept.push(key);
        }
    }
    Ok(kept)
}

/// The memory, with its kind as the profile writes it.
fn of_kind(memory: NewMemory, kind: &str, namespace: &Namespace) -> Result<NewMemory, Failure> {
    let (said, by_hand) = (memory.said(), memory.is_by_hand());
    let mut body = memory.into_body();
    body.kind = kind_of_profile(kind, namespace)?;
    let memory = NewMemory::from_body(body)?.saying(said);
    Ok(if by_hand { memory.by_hand() } else { memory })
}

/// The memory, to be kept for as long as a person says.
fn kept_for(
    memory: NewMemory,
    keep: &str,
    namespace: &Namespace,
    app: &App<'_, '_>,
) -> Result<NewMemory, Failure> {
    let (said, by_hand) = (memory.said(), memory.is_by_hand());
    let mut body = memory.into_body();
    let durations = namespace.admin().settings()?.taxonomy.durations;
    if durations.iter().any(|duration| duration.id == keep) {
        body.metadata
            .insert("duration".to_owned(), annals::Value::from(keep));
    } else {
        let millis = span(keep).ok_or_else(|| {
            let words = durations
                .iter()
                .filter(|duration| span(&duration.id).is_none());
            let words: Vec<_> = words.map(|duration| visible::line(&duration.id)).collect();
            let words = if words.is_empty() {
                "none".to_owned()
            } else {
                words.join(&text!("common-comma"))
            };
            Failure::usage(text!("memory-for-bad", keep = format!("{keep:?}")))
                .advice(text!("memory-for-words", words))
        })?;
        body.expires_at = Some(app.world.clock.now().plus_millis(millis));
    }
    let memory = NewMemory::from_body(body)?.saying(said);
    Ok(if by_hand { memory.by_hand() } else { memory })
}

/// A number of hours, days or weeks in milliseconds.
fn span(text: &str) -> Option<i64> {
    const HOUR: i64 = 3_600_000;
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let unit = match unit {
        "h" => HOUR,
        "d" => 24 * HOUR,
        "w" => 7 * 24 * HOUR,
        _ => return None,
    };
    number
        .parse::<u32>()
        .ok()
        .filter(|number| *number > 0)
        .map(|number| i64::from(number).saturating_mul(unit))
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
            let mut memory =
                NewMemory::builder(text).layer(args.about.layer.unwrap_or(Layer::Semantic));
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
    Ok(NewMemory::from_body(body)?.saying(said).by_hand())
}
