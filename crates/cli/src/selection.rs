use annals::{Filter, InvalidValue, Kind, Label, Layer, Status, TimeRange, Timestamp};
use clap::Args;

use crate::moment::time;

/// Which memories are meant. Flags of different names must all hold; one flag given twice means
/// either, except tags.
#[derive(Debug, Clone, Args)]
pub(crate) struct Selection {
    /// In this layer: turn, working, episodic, semantic, core or system
    #[arg(long, value_name = "LAYER", help_heading = "Which memories")]
    layer: Vec<Layer>,
    /// Of this kind, such as fact
    #[arg(long, value_name = "KIND", help_heading = "Which memories")]
    kind: Vec<String>,
    /// With this status: staged, active, archived or forgotten [default: staged and active; to
    /// forget or delete, any]
    #[arg(long, value_name = "STATUS", help_heading = "Which memories")]
    status: Vec<Status>,
    /// Said in this session
    #[arg(long, value_name = "NAME", help_heading = "Which memories")]
    session: Vec<String>,
    /// Said by this speaker
    #[arg(long, value_name = "NAME", help_heading = "Which memories")]
    speaker: Vec<String>,
    /// With this tag; given twice, with both
    #[arg(long, value_name = "TAG", help_heading = "Which memories")]
    tag: Vec<String>,
    /// Of this group, such as work
    #[arg(long, value_name = "NAME", help_heading = "Which memories")]
    group: Vec<String>,
    /// That happened at this time or later
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "Which memories")]
    since: Option<Timestamp>,
    /// That happened before this time
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "Which memories")]
    until: Option<Timestamp>,
    /// That are true at this time
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "Which memories")]
    valid_at: Option<Timestamp>,
}

impl Selection {
    /// The kinds that were asked for.
    pub(crate) fn kinds(&self) -> &[String] {
        &self.kind
    }

    pub(crate) fn filter(&self) -> Result<Filter, InvalidValue> {
        let filter = Filter {
            layers: self.layer.clone(),
            kinds: self
                .kind
                .iter()
                .map(|kind| Kind::new(kind.as_str()))
                .collect::<Result<_, _>>()?,
            statuses: self.status.clone(),
            sessions: labels("session", &self.session)?,
            speakers: labels("speaker", &self.speaker)?,
            tags: labels("tag", &self.tag)?,
            time: TimeRange::new(self.since, self.until)?,
            valid_at: self.valid_at,
        };
        self.group
            .iter()
            .try_fold(filter, |filter, group| filter.group(group))
    }
}

fn labels(field: &'static str, texts: &[String]) -> Result<Vec<Label>, InvalidValue> {
    texts
        .iter()
        .map(|text| Label::new(field, text.as_str()))
        .collect()
}
