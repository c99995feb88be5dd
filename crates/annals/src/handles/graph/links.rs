//! Links between memories.

use annals_graph as graph;
use annals_types::{MemoryId, NamespaceId, rewrite_fields};

use crate::Error;
use crate::graph::{Link, NewLink};
use crate::handles::Graph;
use crate::handles::graph::Reader;
use annals_engine::Refusal;
use annals_engine::changed;
use annals_engine::graph::{Owners, known, rows, unlink};

impl Graph {
    pub(crate) fn link(&self, from: MemoryId, relation: &str, to: MemoryId) -> Result<(), Error> {
        self.add_links(&[NewLink::new(from, relation, to)])
    }

    pub(crate) fn add_links(&self, links: &[NewLink]) -> Result<(), Error> {
        let Some(first) = links.first() else {
            return Ok(());
        };
        let namespace = self.space.id_for(first.from)?;
        if let Some(link) = links.iter().find(|link| link.from == link.to) {
            return Err(Refusal::SelfLink { id: link.from }.into());
        }
        for link in links {
            self.check_relation(link.relation.as_str(), namespace)?;
        }
        let links = self.space.engine.passed_by(
            self.space.entry_of(namespace),
            links.to_vec(),
            |links, rewrite| {
                links
                    .iter_mut()
                    .for_each(|link| rewrite_fields(&mut link.metadata, rewrite));
            },
        )?;
        self.space.engine.write(namespace, |cx| {
            let scope = cx.scope();
            let ids: Vec<MemoryId> = links.iter().flat_map(|link| [link.from, link.to]).collect();
            let rows = known(cx.txn, scope.ns, scope.now, &ids)?;
            let (ends, _) = rows.as_chunks::<2>();
            let mut made = Vec::new();
            for (link, [from, to]) in links.iter().zip(ends) {
                let mut new = graph::NewLink::new(*from, link.relation.as_str(), *to);
                (new.weight, new.metadata) = (link.weight, link.metadata.clone());
                if !graph::link(cx.txn, scope, &new)?.existed {
                    made.push((link.from, link.relation.as_str(), link.to));
                }
            }
            changed::note_links(cx, &made)
        })
    }

    /// Refuses a relation that the profile does not have; the error lists those of the language of
    /// the namespace.
    fn check_relation(&self, name: &str, namespace: NamespaceId) -> Result<(), Error> {
        let profile = self.space.engine.profile_of(namespace)?;
        let settings = &profile.settings.graph;
        if graph::relation(settings, name).is_ok() {
            return Ok(());
        }
        let messages = self.space.messages([])?;
        // Those of the language of the namespace come first; the plain ones, which help names, work
        // everywhere.
        let mut allowed = settings.relation_names(messages.language());
        let own = settings
            .relations
            .iter()
            .filter(|rule| rule.alias_of.is_none())
            .map(|rule| rule.name.as_str());
        let own = own.filter(|name| name.is_ascii());
        let others: Vec<&str> = own.filter(|name| !allowed.contains(name)).collect();
        allowed.extend(others);
        let allowed = allowed.join(", ");
        Err(graph::GraphError::NoRelation {
            name: name.chars().take(60).collect(),
            allowed,
        }
        .into())
    }

    pub(crate) fn unlink(
        &self,
        from: MemoryId,
        relation: &str,
        to: MemoryId,
    ) -> Result<bool, Error> {
        let namespace = self.space.id_for(from)?;
        self.check_relation(relation, namespace)?;
        self.space.engine.write_kept(namespace, |cx| {
            let ends = rows(&*cx.txn, cx.ns, &[from, to])?;
            let [first, second] = ends.as_slice() else {
                return Ok(false);
            };
            let gone = unlink(cx.txn, cx.scope(), *first, relation, *second)?;
            if gone {
                changed::note(cx, changed::UNLINK, (vec![from, to], Vec::new()))?;
            }
            Ok(gone)
        })
    }
}

impl Reader<'_> {
    pub(super) fn links(&self, memory: MemoryId) -> Result<Vec<Link>, Error> {
        let row = rows(self.reads, self.ns, &[memory])?;
        let mut found = Vec::new();
        for row in row {
            found.extend(graph::links(self.reads, self.ns, row)?);
        }
        let owners = Owners::of(
            self.reads,
            self.ns,
            found.iter().flat_map(|view| [view.link.from, view.link.to]),
        )?;
        let link = |view: graph::LinkView| {
            Ok(Link {
                from: owners.get(view.link.from)?,
                relation: view.relation,
                to: owners.get(view.link.to)?,
                weight: view.weight,
                since: view.born,
                visible: view.visible,
                metadata: view.metadata,
            })
        };
        found.into_iter().map(link).collect()
    }

    pub(super) fn derivations(
        &self,
        memory: MemoryId,
    ) -> Result<(Vec<MemoryId>, Vec<MemoryId>), Error> {
        let row = rows(self.reads, self.ns, &[memory])?;
        let found = graph::derivations(self.reads, self.ns, &row)?
            .pop()
            .unwrap_or_default();
        let graph::Derivation { sources, derived } = found;
        let owners = Owners::of(self.reads, self.ns, sources.iter().chain(&derived).copied())?;
        let ids =
            |rows: Vec<annals_types::Row>| rows.into_iter().map(|row| owners.get(row)).collect();
        let (sources, derived): (Result<_, _>, Result<_, _>) = (ids(sources), ids(derived));
        Ok((sources?, derived?))
    }
}
