//! Every index against the others.

use annals_types::NamespaceId;
use annals_vector::Shape;
use annals_vector::store::Spaces;

use super::Engine;
use crate::{Error, ValidateReport};

impl Engine {
    /// Checks every value of the file, then the layers of every namespace.
    pub(crate) fn validate(&self) -> Result<ValidateReport, Error> {
        let values = self.store.validate()?;
        let mut problems: Vec<String> = values.damaged.iter().map(ToString::to_string).collect();
        let more = values.damaged_count.saturating_sub(u64::try_from(values.damaged.len()).unwrap_or(u64::MAX));
        if more > 0 {
            problems.push(format!("{more} more damaged values"));
        }
        // With damaged values the layers would only repeat the same in other words, or stop at it.
        if problems.is_empty() {
            for (namespace, _) in annals_records::namespace::list(&self.snapshot()?)? {
                let found = self.validate_namespace(namespace.id)?;
                problems.extend(
                    found.into_iter().map(|problem| format!("namespace {:?}: {problem}", namespace.name.as_str())),
                );
            }
        }
        Ok(ValidateReport { values: values.values, problems })
    }

    /// What does not fit together in one namespace.
    pub(crate) fn validate_namespace(&self, namespace: NamespaceId) -> Result<Vec<String>, Error> {
        let snapshot = self.snapshot()?;
        let mut problems = Vec::new();
        let records = annals_records::validate(&snapshot, namespace, None)?;
        problems.extend(records.differences.iter().map(|difference| format!("records: {difference}")));
        let text = annals_text::store::validate(&snapshot, namespace)?;
        problems.extend(text.differences.iter().map(|difference| format!("text: {difference:?}")));
        for info in Spaces::read(&snapshot, namespace)?.all() {
            let shape = Shape::new(usize::try_from(info.dims).unwrap_or(0))?;
            let found = info.space(namespace).validate(&snapshot, shape)?;
            problems.extend(found.iter().map(|finding| format!("vectors of {}: {finding}", info.fingerprint)));
        }
        let imports = crate::transfer::positions(&snapshot, namespace);
        let graph = annals_graph::validate(&snapshot, namespace)?;
        // What an import has not come to yet speaks of entities that it has brought.
        let unfinished = imports.as_ref().is_ok_and(|imports| !imports.is_empty());
        let awaited = |difference: &&annals_graph::Difference| {
            unfinished && matches!(difference, annals_graph::Difference::Counter { counter: "reasons to be", .. })
        };
        let differences = graph.differences.iter().filter(|difference| !awaited(difference));
        problems.extend(differences.map(|difference| format!("graph: {difference}")));
        let rulebook = self.rulebooks.read(&snapshot, namespace)?;
        let terms = rulebook.terms(&snapshot)?;
        let life = annals_lifecycle::validate(&snapshot, namespace, &terms.regime(), None, self.now())?;
        problems.extend(life.differences.iter().map(|difference| format!("life: {difference}")));
        problems.extend(super::claims::validate(&snapshot, namespace)?);
        problems.extend(super::revise::validate(&snapshot, namespace)?);
        problems.extend(super::decisions::validate(&snapshot, namespace)?);
        problems.extend(super::stale::validate(&snapshot, namespace)?);
        problems.extend(super::suspicions::validate(&snapshot, namespace)?);
        problems.extend(crate::transfer::brought::validate(&snapshot, namespace)?);
        match imports {
            Err(error) if error.is_corruption() => problems.push(format!("imports: {error}")),
            read => drop(read?),
        }
        if records.rows > 0 && text.documents + text.stale != records.rows {
            problems.push(format!("{} rows, but {} forward lists", records.rows, text.documents + text.stale));
        }
        Ok(problems)
    }
}
