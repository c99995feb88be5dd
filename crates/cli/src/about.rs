//! The traits of a memory beside its text, as flags.

use annals::{Body, Importance, Label, Layer, MemoryId, Timestamp, UnitScore};

use crate::failure::Failure;
use crate::moment::time;
use crate::texts::text;

/// Everything but the text.
#[derive(Debug, Default, PartialEq, clap::Args)]
pub(crate) struct About {
    /// turn, working, episodic, semantic, core or system
    #[arg(long, value_name = "LAYER")]
    pub(crate) layer: Option<Layer>,
    /// The kind, such as fact, rule or preference
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<String>,
    /// A tag; may be given several times
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// How much it matters, 0 to 1000
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) importance: Option<f32>,
    /// How sure it is, 0 to 1
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) confidence: Option<f32>,
    /// A person confirmed it
    #[arg(long)]
    pub(crate) verified: bool,
    /// The person or program that stores it
    #[arg(long, value_name = "NAME")]
    pub(crate) source: Option<String>,
    /// When it happened, such as 2026-01-03 or 2026-01-03T18:00:00+01:00
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) at: Option<Timestamp>,
    /// From when on it is true
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) valid_from: Option<Timestamp>,
    /// Until when it is true, that moment excluded
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) valid_until: Option<Timestamp>,
    /// When it stops being shown
    #[arg(long, value_name = "TIME", value_parser = time)]
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
    let (key, value) = pair.split_once('=').ok_or_else(|| {
        Failure::usage(text!("memory-meta-bad", pair = format!("{pair:?}")))
            .advice(text!("memory-meta-words"))
    })?;
    // A value that is no JSON is a text: `--meta city=Berlin` needs no quotes.
    let value = serde_json::from_str(value).unwrap_or_else(|_| annals::Value::from(value));
    Ok((key.to_owned(), value))
}
