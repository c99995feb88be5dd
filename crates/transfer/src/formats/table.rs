//! Tables with a header: values with commas, semicolons or tabs between them, by RFC 4180.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::Read;
use std::rc::Rc;

use annals_engine::Error;
use csv::{ReaderBuilder, StringRecord};

use super::columns::{self, Columns};
use super::dates::OrderVotes;
use super::outline::Outline;
use super::reading::Reading;
use super::text::TextLines;
use crate::json::JsonFault;

const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

pub(super) fn tells(outline: &Outline) -> bool {
    let Outline::Text(text) = outline else {
        return false;
    };
    let (delimiter, skipped) = delimiter(text);
    let Some(header) = header(text, delimiter, skipped) else {
        return false;
    };
    header.len() > 1 && Columns::of(&header, &BTreeMap::new()).is_ok()
}

/// What stands between the values, and whether the first line says so: the one that parts the
/// header into most.
fn delimiter(text: &str) -> (u8, bool) {
    let text = text.trim_start_matches('\u{feff}');
    let first = text.lines().next().unwrap_or_default().trim();
    if let Some(said) = first
        .strip_prefix("sep=")
        .and_then(|said| said.bytes().next())
    {
        return (said, true);
    }
    let parts = |delimiter: u8| header(text, delimiter, false).map_or(0, |header| header.len());
    let best = DELIMITERS
        .into_iter()
        .rev()
        .max_by_key(|delimiter| parts(*delimiter))
        .unwrap_or(b',');
    // Excel writes the delimiter of the country alone in the first line.
    (best, false)
}

fn header(text: &str, delimiter: u8, skipped: bool) -> Option<Vec<String>> {
    let text = text.trim_start_matches('\u{feff}');
    let text = if skipped {
        text.split_once('\n').map_or("", |(_, rest)| rest)
    } else {
        text
    };
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let first = reader.records().next()?.ok()?;
    Some(names(&first))
}

fn names(record: &StringRecord) -> Vec<String> {
    record.iter().map(|name| name.trim().to_owned()).collect()
}

pub(super) fn read(reading: &mut Reading<'_>) -> Result<(), Error> {
    let Outline::Text(head) = reading.outline else {
        return Err(Error::bad_input("it is no table"));
    };
    let (delimiter, skipped) = delimiter(head);
    let header = header(head, delimiter, skipped).unwrap_or_default();
    let columns = Columns::of(&header, &reading.options.columns)?;
    let mut votes = OrderVotes::default();
    if columns.column("time").is_some() {
        let zone = reading.zone.clone();
        // What is refused is told when it is read again.
        let before = std::mem::take(&mut reading.summary.bad);
        each(
            reading,
            (delimiter, skipped),
            &header,
            &mut |_, record, _| {
                let time = columns
                    .column("time")
                    .and_then(|column| record.get(column).copied());
                time.into_iter()
                    .for_each(|time| columns::count_order(&mut votes, &zone, time));
                Ok(())
            },
        )?;
        reading.summary.bad = before;
    }
    let order = votes.order(reading.options.date_order)?;
    each(
        reading,
        (delimiter, skipped),
        &header,
        &mut |reading, record, line| {
            let values = columns::values(&columns, |column| record.get(column).copied());
            let time = match values.get("time") {
                Some(text) => match columns::moment(text, &reading.zone, order) {
                    Some(time) => Some(time),
                    None => {
                        let field = columns.column("time").unwrap_or_default();
                        let fault =
                            JsonFault::of_kind(field, &(*text).into(), crate::json::Kind::Time);
                        return reading.refuse(line, &fault, record_bytes(record));
                    }
                },
                None => None,
            };
            let free = |column: &&str| !columns.takes(column) && !column.is_empty();
            let others = record
                .iter()
                .filter(|(column, value)| free(column) && !value.trim().is_empty());
            let others =
                others.map(|(column, value)| (super::reading::label(column), (*value).into()));
            let others = others.collect();
            columns::take(reading, (&values, others), time)
        },
    )
}

type Record<'r> = BTreeMap<&'r str, &'r str>;

fn record_bytes(record: &Record<'_>) -> Vec<u8> {
    record
        .values()
        .copied()
        .collect::<Vec<_>>()
        .join("\t")
        .into_bytes()
}

/// Gives each row below the header, with its line.
fn each(
    reading: &mut Reading<'_>,
    (delimiter, skipped): (u8, bool),
    header: &[String],
    take: &mut dyn FnMut(&mut Reading<'_>, &Record<'_>, u64) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut input = reading.file.open()?;
    let mut lines = TextLines::new(&mut *input);
    if skipped {
        lines.next()?;
    }
    let since = Rc::new(Cell::new(0));
    let text = LinesAsBytes {
        lines,
        rest: Vec::new(),
        given: 0,
        since: Rc::clone(&since),
    };
    let mut builder = ReaderBuilder::new();
    let mut rows = builder
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(text);
    let (mut row, mut first) = (StringRecord::new(), true);
    loop {
        let line = rows.position().line() + u64::from(skipped);
        since.set(0);
        match rows.read_record(&mut row) {
            Ok(false) => return Ok(()),
            Ok(true) => {}
            Err(error) if error.is_io_error() => {
                return Err(Error::bad_line(line, error));
            }
            Err(error) => {
                let fault = JsonFault::Other {
                    field: String::new(),
                    reason: error.to_string(),
                };
                reading.refuse(line, &fault, Vec::new())?;
                continue;
            }
        }
        if std::mem::take(&mut first) {
            continue;
        }
        let record: Record<'_> = header.iter().map(String::as_str).zip(row.iter()).collect();
        if record.values().all(|value| value.trim().is_empty()) {
            continue;
        }
        take(reading, &record, line)?;
    }
}

/// Decoded lines as bytes.
struct LinesAsBytes<'a> {
    lines: TextLines<'a>,
    rest: Vec<u8>,
    given: usize,
    /// Bytes since the last row.
    since: Rc<Cell<usize>>,
}

/// The longest row.
const ROW_BYTES: usize = 32 << 20;

impl Read for LinesAsBytes<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.given == self.rest.len() {
            let next = self
                .lines
                .next()
                .map_err(|error| std::io::Error::other(error.to_string()))?;
            let Some(line) = next else { return Ok(0) };
            let line = if self.lines.line == 1 {
                line.trim_start_matches('\u{feff}')
            } else {
                &line
            };
            (self.rest, self.given) = (line.as_bytes().to_vec(), 0);
            self.rest.push(b'\n');
            self.since
                .set(self.since.get().saturating_add(self.rest.len()));
            if self.since.get() > ROW_BYTES {
                let reason = format!(
                    "a row has more than {} MiB; a quote is not closed",
                    ROW_BYTES >> 20
                );
                return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, reason));
            }
        }
        let rest = self.rest.get(self.given..).unwrap_or_default();
        let count = rest.len().min(into.len());
        for (to, from) in into.iter_mut().zip(rest) {
            *to = *from;
        }
        self.given += count;
        Ok(count)
    }
}
