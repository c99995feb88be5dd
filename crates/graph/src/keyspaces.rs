//! The keyspaces of this layer. Every key begins with the namespace number.

use annals_storage::Keyspace;

/// Namespace -> counters.
pub const HEADS: Keyspace = Keyspace::new("graph.heads");
/// Namespace, class, label -> number; and namespace, class with the top bit, number -> label.
pub const LABELS: Keyspace = Keyspace::new("graph.labels");
/// Namespace, entity -> the entity; with a tag behind it, its edges and what was merged into it.
pub const NODES: Keyspace = Keyspace::new("graph.nodes");
/// Namespace, normalised name, a zero byte, entity -> nothing.
pub const NAMES: Keyspace = Keyspace::new("graph.names").up_to(1);
/// Namespace, entity -> its embedding.
pub const VECTORS: Keyspace = Keyspace::new("graph.vectors");
/// Namespace, triple -> the triple; namespace, triple, row -> evidence.
pub const TRIPLES: Keyspace = Keyspace::new("graph.triples");
/// Namespace, predicate, triple -> its ends and visibility.
pub const PREDICATES: Keyspace = Keyspace::new("graph.predicates");
/// Namespace, row -> a memory's states; with a tag behind it, its triples, links and derivations.
pub const ROWS: Keyspace = Keyspace::new("graph.rows");
/// Namespace, merge -> a merge of two entities.
pub const MERGES: Keyspace = Keyspace::new("graph.merges");

/// All keyspaces, which hold nothing but data of namespaces: what a purge empties.
pub const NAMESPACE_KEYSPACES: &[Keyspace] = &[HEADS, LABELS, NODES, NAMES, VECTORS, TRIPLES, PREDICATES, ROWS, MERGES];
