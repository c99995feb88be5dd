//! The memories that a part shows whatever the message is.

use annals_extraction::context::{Item, quote};
use annals_records::{LabelClass, Moment};
use annals_types::profile::{PartSettings, PartSource};
use annals_types::{Filter, Layer, Row, Timestamp};

use crate::Error;
use crate::handles::Namespace;
use crate::handles::context::{CORE_SECTIONS, kinds, redacted};
use annals_engine::View;
use annals_engine::privacy::Screen;

/// Rows read at a time, where the characters of a part may suffice for few of them.
const BATCH: usize = 128;

/// A row that a part shows.
struct Chosen {
    row: Row,
    score: f64,
    /// Its place among the headings of the part.
    section: usize,
}

impl Namespace {
    /// Memories by class, kind and score, in the order in which a part keeps them where it has no
    /// room for all: the highest scores first, of equal ones those of the first heading, of these
    /// the latest. Answers also how many more there are, whose texts were not read because the
    /// characters of the part are used up before.
    pub(super) fn lasting(
        &self,
        part: &PartSettings,
        now: Timestamp,
        screen: Option<&Screen>,
    ) -> Result<(Vec<Item>, usize), Error> {
        let Some(namespace) = self.id()? else {
            return Ok((Vec::new(), 0));
        };
        let view = self.engine.view(namespace)?;
        let snapshot = self.engine.snapshot()?;
        let mut chosen = chosen(&view, part, now)?;
        chosen.sort_by(|a, b| {
            b.score
                .total_cmp(&a.score)
                .then_with(|| a.section.cmp(&b.section))
                .then_with(|| b.row.cmp(&a.row))
        });
        // A line can be empty and is then no line: a few more are read than are shown.
        if part.limit > 0 {
            chosen.truncate(usize::try_from(part.limit.saturating_add(8)).unwrap_or(usize::MAX));
        }
        // The last line has no end.
        let room = usize::try_from(part.max_chars)
            .unwrap_or(usize::MAX)
            .saturating_add(1);
        let (mut items, mut used, mut read) = (Vec::new(), 0_usize, 0_usize);
        for batch in chosen.chunks(BATCH) {
            if part.max_chars > 0 && used > room {
                break;
            }
            let rows: Vec<Row> = batch.iter().map(|chosen| chosen.row).collect();
            let memories =
                annals_records::memories(&snapshot, namespace, &rows, Some(&view.columns))?;
            for (chosen, memory) in batch.iter().zip(memories) {
                let Some(memory) = memory else { continue };
                let until = memory.body.valid_until;
                let text = redacted(memory.body.text, screen);
                let chars = quote(&text).chars().count();
                // A dash, a space and the end of the line.
                used = used.saturating_add(if chars > 0 { chars + 3 } else { 0 });
                let kind = memory.body.kind.as_str().to_owned();
                items.push(Item {
                    id: memory.id,
                    kind,
                    text,
                    until,
                    score: chosen.score,
                });
            }
            read += batch.len();
        }
        Ok((items, chosen.len().saturating_sub(read)))
    }
}

/// The rows that a part shows, with their scores.
fn chosen(view: &View, part: &PartSettings, now: Timestamp) -> Result<Vec<Chosen>, Error> {
    /// Scores closer to the least score than this count as equal to it.
    const EPSILON: f64 = 1e-9;
    let filter = Filter {
        kinds: kinds(part)?,
        valid_at: Some(now),
        ..Filter::default()
    };
    let matcher = view.columns.matcher(&filter, Moment::now(now));
    let least = part.min_score.unwrap_or(f64::MIN) - EPSILON;
    let headings = (part.source == PartSource::Core)
        .then(|| CORE_SECTIONS.map(|(kind, _)| view.columns.label_id(LabelClass::Kind, kind)));
    let fits = |row: Row| {
        let facts = view.columns.get(row)?;
        let class = view.worth.class(row).unwrap_or_default();
        let of_class = part.classes.is_empty() || part.classes.iter().any(|name| name == class);
        if facts.layer == Layer::Turn || !of_class || view.worth.is_expired(row, now) {
            return None;
        }
        let score = view
            .worth
            .score(row, now)
            .unwrap_or_else(|| f64::from(facts.importance));
        // What no heading is for is not shown.
        let section = headings.as_ref().map_or(Some(0), |kinds| {
            kinds.iter().position(|kind| *kind == Some(facts.kind))
        });
        section.filter(|_| score >= least).map(|section| Chosen {
            row,
            score,
            section,
        })
    };
    Ok(matcher.rows().filter_map(fits).collect())
}
