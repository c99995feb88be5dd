//! Uses the graph layer alone.

use annals_graph::{
    Assertion, Export, Format, GraphError, NewLink, Pattern, Scope, Support, View, Walk, assert_evidence, expand,
    export, find_entities, link, pattern, status_changed, validate,
};
use annals_storage::Store;
use annals_types::profile::GraphSettings;
use annals_types::{NamespaceId, Row, Timestamp};

fn main() -> Result<(), GraphError> {
    let (store, settings, ns) = (Store::in_memory(), GraphSettings::default(), NamespaceId(1));
    let scope = Scope { ns, now: Timestamp::from_millis(0), settings: &settings };
    let says = |row: u32, subject: &str, predicate: &str, object: &str| {
        let said = [Assertion::new(subject, predicate, object)];
        store.write(|txn| assert_evidence(txn, scope, &[Row(row).into()], &said))
    };
    says(1, "Ada", "owns", "a cat")?;
    says(2, "a cat", "is called", "豆豆")?;
    says(3, "Ada", "owns", "a cat")?;
    store.write(|txn| link(txn, scope, &NewLink::new(Row(1), "related", Row(2))))?;

    let ada = find_entities(&store.snapshot()?, ns, "ADA")?[0].id;
    let reached = expand(&store.snapshot()?, ns, &[ada], Walk::depth(2))?.reached;
    assert_eq!(reached.iter().map(|node| node.distance).collect::<Vec<_>>(), [1, 2]);

    let owns = |reads| Ok::<_, GraphError>(pattern(&reads, ns, Pattern::ALL.subject(ada), View::NOW, None, 9)?.triples);
    store.write(|txn| status_changed(txn, ns, scope.now, &[Row(1)], Support::Forgotten))?;
    assert_eq!(owns(store.snapshot()?)?.len(), 1);
    store.write(|txn| status_changed(txn, ns, scope.now, &[Row(3)], Support::Forgotten))?;
    assert!(owns(store.snapshot()?)?.is_empty());
    store.write(|txn| status_changed(txn, ns, scope.now, &[Row(1)], Support::Active))?;
    assert_eq!(owns(store.snapshot()?)?.len(), 1);

    let mut drawn = Vec::new();
    export(&store.snapshot()?, ns, &Export::new(Format::Dot), &mut drawn)?;
    assert!(String::from_utf8_lossy(&drawn).contains("豆豆"));
    assert!(validate(&store.snapshot()?, ns)?.is_clean());
    Ok(())
}
