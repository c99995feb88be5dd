//! Every index against the others.

use std::ops::ControlFlow;

use annals_storage::table::scan_rows;
use annals_storage::{Reads, Snapshot};
use annals_types::{NamespaceId, Row};
use annals_vector::Shape;
use annals_vector::store::Spaces;
use serde::{Deserialize, Serialize};

use crate::compiled::{PROFILES, text};
use crate::{Engine, claims, decisions, late, revise, stale, suspicions, wordings, words};
use crate::{Error, profiles};

/// The result of a check of the whole file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ValidateReport {
    /// Values whose checksum was right.
    pub values: u64,
    /// The problems, in words; empty when there is none.
    pub problems: Vec<String>,
}

/// The problems found so far.
#[derive(Default)]
struct Findings(Vec<String>);

impl Findings {
    /// Adds the findings of a layer. A value that it cannot read is a finding, too; any other
    /// error ends the search.
    fn add<P: ToString>(&mut self, layer: &str, found: Result<Vec<P>, Error>) -> Result<(), Error> {
        let told = |problem: String| {
            if layer.is_empty() {
                problem
            } else {
                format!("{layer}: {problem}")
            }
        };
        match found {
            Ok(found) => self
                .0
                .extend(found.iter().map(ToString::to_string).map(told)),
            Err(error) if error.is_unreadable() => self.0.push(told(error.to_string())),
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

impl Engine {
    /// Checks every value of the file, then the layers of every namespace.
    pub fn validate(&self) -> Result<ValidateReport, Error> {
        let values = self.store.validate_tables(&self.tables())?;
        let mut problems: Vec<String> = values.damaged.iter().map(ToString::to_string).collect();
        let more = values
            .damaged_count
            .saturating_sub(u64::try_from(values.damaged.len()).unwrap_or(u64::MAX));
        if more > 0 {
            problems.push(format!("{more} more damaged values"));
        }
        // With damaged values the layers would only repeat the same in other words, or stop at it.
        if problems.is_empty() {
            problems.extend(self.validate_tables()?);
            for (namespace, _) in annals_records::namespace::list(&self.snapshot()?)? {
                let found = self.validate_namespace(namespace.id)?;
                problems.extend(
                    found.into_iter().map(|problem| {
                        format!("namespace {:?}: {problem}", namespace.name.as_str())
                    }),
                );
            }
        }
        Ok(ValidateReport {
            values: values.values,
            problems,
        })
    }

    /// The unreadable values of tables that belong to no namespace.
    fn validate_tables(&self) -> Result<Vec<String>, Error> {
        let snapshot = self.snapshot()?;
        let mut findings = Findings::default();
        for name in names(&snapshot)? {
            let profile = text(&snapshot, &name).and_then(|text| profiles::parse(&text));
            let broken = profile
                .err()
                .map(|error| format!("{PROFILES}: the profile {name:?}: {error}"));
            findings.0.extend(broken);
        }
        findings.0.extend(words::validate(&snapshot)?);
        Ok(findings.0)
    }

    /// The contradictions within one namespace.
    pub fn validate_namespace(&self, namespace: NamespaceId) -> Result<Vec<String>, Error> {
        let snapshot = self.snapshot()?;
        let mut findings = Findings::default();
        self.validate_memories(&snapshot, namespace, &mut findings)?;
        self.validate_graph(&snapshot, namespace, &mut findings)?;
        let profile = self.profiles.of(&snapshot, namespace)?;
        let terms = profile.terms(&snapshot)?;
        let life =
            annals_lifecycle::validate(&snapshot, namespace, &terms.regime(), None, self.now());
        findings.add(
            "life",
            life.map(|life| life.differences).map_err(Error::from),
        )?;
        let reads: &dyn Reads = &snapshot;
        findings.add("", claims::validate(reads, namespace))?;
        findings.add("", wordings::validate(reads, namespace))?;
        findings.add("", revise::validate(reads, namespace))?;
        findings.add("", decisions::validate(reads, namespace))?;
        findings.add("", stale::validate(reads, namespace))?;
        findings.add("", suspicions::validate(reads, namespace))?;
        for extension in self.extensions.all() {
            findings.add("", extension.validate(reads, namespace))?;
        }
        Ok(findings.0)
    }

    /// Records, texts and vectors.
    fn validate_memories(
        &self,
        reads: &Snapshot,
        ns: NamespaceId,
        findings: &mut Findings,
    ) -> Result<(), Error> {
        let records = annals_records::validate(reads, ns, None)?;
        findings.add("records", Ok(records.differences))?;
        let text = annals_text::store::validate(reads, ns)?;
        findings.0.extend(
            text.differences
                .iter()
                .map(|difference| format!("text: {difference:?}")),
        );
        if records.rows > 0 && text.documents + text.stale != records.rows {
            let lists = text.documents + text.stale;
            findings
                .0
                .push(format!("{} rows, but {lists} forward lists", records.rows));
        }
        let rows: Vec<Row> = annals_records::Columns::load(reads, ns)?.rows().collect();
        findings.add("", late::validate(reads, ns, &rows))?;
        for info in Spaces::read(reads, ns)?.all() {
            let shape = Shape::new(usize::try_from(info.dims).unwrap_or(0))?;
            let found = info.space(ns).validate(reads, shape).map_err(Error::from);
            findings.add(&format!("vectors of {}", info.fingerprint), found)?;
        }
        Ok(())
    }

    fn validate_graph(
        &self,
        reads: &Snapshot,
        ns: NamespaceId,
        findings: &mut Findings,
    ) -> Result<(), Error> {
        // Lines that an import has not reached yet may speak of entities that it has brought.
        let unfinished = self.extensions.is_importing(reads, ns)?;
        let awaited = |difference: &annals_graph::Difference| {
            unfinished
                && matches!(
                    difference,
                    annals_graph::Difference::Counter {
                        counter: "reasons to be",
                        ..
                    }
                )
        };
        let mut graph = annals_graph::validate(reads, ns)?;
        graph.differences.retain(|difference| !awaited(difference));
        findings.add("graph", Ok(graph.differences))
    }
}

/// The names of the profiles that the file has.
fn names(reads: &dyn Reads) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    let read: Result<(), Error> = scan_rows(reads, &[PROFILES.all().into()], |_, row| {
        names.extend(PROFILES.parse(row.key).map(ToOwned::to_owned));
        Ok(ControlFlow::Continue(()))
    });
    match read {
        Err(error) if !error.is_unreadable() => Err(error),
        _ => Ok(names),
    }
}
