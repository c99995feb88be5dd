//! Reading without a question.

use std::collections::{BTreeMap, BTreeSet};

use annals_records::{LabelClass, Moment, Order};
use annals_storage::Reads;
use annals_types::{Kind, Label, Memory, MemoryId, NamespaceId, Revision, Row, Timestamp};

use super::Namespace;
use crate::engine::tasks::TaskKind;
use crate::engine::{Engine, View, stale};
use crate::stats::{by_layer, by_status};
use crate::{Error, Event, ListQuery, NamespaceStats, OpenStats, Page, SessionInfo};

impl Engine {
    pub(crate) fn list(
        &self,
        view: &View,
        snapshot: &annals_storage::Snapshot,
        query: &ListQuery,
    ) -> Result<Page, Error> {
        let after = query.after.as_deref().map(str::parse).transpose();
        let after = after
            .map_err(|_| Error::bad_input("the place to go on from is none that a page ended with; use its `next`"))?;
        let order = if query.newest_first { Order::Newest } else { Order::Oldest };
        let matcher = view.columns.matcher(&query.filter, Moment::now(self.now()));
        let matcher = if query.past { matcher.with_past() } else { matcher };
        let stale = query.stale.then(|| stale_rows(snapshot, view.namespace)).transpose()?;
        let wanted = |row: Row| {
            let of_class = query.classes.is_empty()
                || view.worth.class(row).is_some_and(|class| query.classes.iter().any(|wanted| wanted == class));
            of_class && stale.as_ref().is_none_or(|stale| stale.contains(&row))
        };
        let total = u64::try_from(matcher.rows().filter(|row| wanted(*row)).count()).unwrap_or(u64::MAX);
        let page = annals_records::list_where(&matcher, &wanted, order, after, query.limit);
        let memories = annals_records::memories(snapshot, view.namespace, &page.rows, Some(&view.columns))?;
        Ok(Page {
            memories: memories.into_iter().flatten().collect(),
            next: page.next.map(|cursor| cursor.to_string()),
            total,
        })
    }
}

/// The current rows of memories that lost a source.
fn stale_rows(reads: &dyn Reads, ns: NamespaceId) -> Result<BTreeSet<Row>, Error> {
    let rows = annals_records::find_rows(reads, ns, &stale::list(reads, ns)?)?;
    Ok(rows.into_iter().flatten().collect())
}

/// How many memories there are of each kind; those that the profile lists are named even without any.
fn by_kind(view: &View) -> BTreeMap<String, u64> {
    let columns = &view.columns;
    let listed = view.profile.settings.taxonomy.kinds.iter().map(|kind| kind.id.as_str());
    let used = columns.labels(LabelClass::Kind).map(|(_, name)| name);
    let listed: Vec<&str> = listed.collect();
    let counted = |name: &str| Some((name.to_owned(), u64::from(columns.count_kind(&Kind::new(name).ok()?))));
    let all = listed.iter().copied().chain(used).filter_map(counted);
    all.filter(|(name, count)| *count > 0 || listed.contains(&name.as_str())).collect()
}

/// How many memories there are of each class that the profile names.
fn by_class(view: &View) -> BTreeMap<String, u64> {
    let mut counts: BTreeMap<String, u64> = view.profile.policy.classes().map(|name| (name.to_owned(), 0)).collect();
    for row in view.worth.rows().filter(|row| view.columns.current_status(*row).is_some()) {
        if let Some(count) = view.worth.class(row).and_then(|class| counts.get_mut(class)) {
            *count += 1;
        }
    }
    counts
}

impl Namespace {
    /// A memory by its id; `None` when the namespace has none.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn get(&self, id: MemoryId) -> Result<Option<Memory>, Error> {
        let Some(namespace) = self.id()? else { return Ok(None) };
        let found = annals_records::get(&self.engine.snapshot()?, namespace, id, None)?;
        Ok(found.map(|(_, memory)| memory))
    }

    /// Since when a memory lacks one of its sources, which was deleted, without having been derived again from the others; `None` for any other
    /// memory, and for one that a person verified or edited since: it stands on its own.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn stale_since(&self, id: MemoryId) -> Result<Option<Timestamp>, Error> {
        let Some(namespace) = self.id()? else { return Ok(None) };
        stale::since(&self.engine.snapshot()?, namespace, id)
    }

    /// Every text that a memory had, the oldest first, with those of memories that it superseded; empty when there is none.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn history(&self, id: MemoryId) -> Result<Vec<Revision>, Error> {
        let Some(namespace) = self.id()? else { return Ok(Vec::new()) };
        Ok(annals_records::history(&self.engine.snapshot()?, namespace, id)?)
    }

    /// Memories in the order of their storing, page by page.
    ///
    /// # Errors
    /// When they cannot be read, or [`ListQuery::after`] is no place in a list.
    pub fn list(&self, query: &ListQuery) -> Result<Page, Error> {
        self.snapshot()?.list(query)
    }

    /// At most `limit` turns of a session from a position on, in order.
    ///
    /// # Errors
    /// When they cannot be read, or the name of the session is not allowed.
    pub fn session(&self, session: &str, from_position: u32, limit: usize) -> Result<Vec<Memory>, Error> {
        let session = Label::new("session", session)?;
        let Some(namespace) = self.id()? else { return Ok(Vec::new()) };
        let snapshot = self.engine.snapshot()?;
        let turns = annals_records::session_turns(&snapshot, namespace, session.as_str(), from_position, limit)?;
        let rows: Vec<Row> = turns.into_iter().map(|(_, row)| row).collect();
        Ok(annals_records::memories(&snapshot, namespace, &rows, None)?.into_iter().flatten().collect())
    }

    /// The conversations, in the order of their first turns.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn sessions(&self) -> Result<Vec<SessionInfo>, Error> {
        let Some(namespace) = self.id()? else { return Ok(Vec::new()) };
        let view = self.engine.view(namespace)?;
        let columns = &view.columns;
        let time = |row: Option<Row>| row.and_then(|row| columns.get(row)).map(|facts| facts.time());
        let sessions = columns.labels(LabelClass::Session).map(|(number, name)| SessionInfo {
            name: name.to_owned(),
            turns: columns.session_len(number),
            first: time(columns.session_rows(number).next()),
            last: time(columns.session_end(number)),
        });
        Ok(sessions.filter(|session| session.turns > 0).collect())
    }

    /// At most `limit` entries of the event log from number `from` on.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn events(&self, from: u64, limit: usize) -> Result<Vec<Event>, Error> {
        let Some(namespace) = self.id()? else { return Ok(Vec::new()) };
        let found = annals_records::events(&self.engine.snapshot()?, namespace, from, limit)?;
        Ok(found.into_iter().map(Event::from).collect())
    }

    /// Sizes and counts.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) while the namespace does not exist.
    pub fn stats(&self) -> Result<NamespaceStats, Error> {
        let missing = || annals_records::RecordError::NoNamespace { name: self.name.clone() };
        let id = self.id()?.ok_or_else(missing)?;
        let record = annals_records::namespace::by_number(&self.engine.snapshot()?, id)?.ok_or_else(missing)?;
        let view = self.engine.view(id)?;
        let columns = &view.columns;
        let snapshot = self.engine.snapshot()?;
        let head = annals_records::Head::read(&snapshot, id)?;
        let tasks = annals_lifecycle::task::tasks(&snapshot, id, 0, usize::MAX)?;
        let of = |kind: TaskKind| -> Result<u64, Error> {
            let lane = kind.lane(&snapshot, &view.profile)?;
            Ok(u64::try_from(tasks.iter().filter(|task| Some(task.lane) == lane).count()).unwrap_or(u64::MAX))
        };
        let jobs = super::jobs::jobs_of(&snapshot, &view.profile, self.engine.now())?;
        let number = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        Ok(NamespaceStats {
            name: self.name().to_owned(),
            created_at: record.created_at,
            profile: record.profile,
            memories: u64::from(head.total()),
            by_status: by_status(|status| head.count(status)),
            replaced: u64::from(head.replaced),
            text_bytes: head.text_bytes,
            open: Some(OpenStats {
                by_layer: by_layer(|layer| columns.count(None, Some(layer))),
                by_kind: by_kind(&view),
                by_class: by_class(&view),
                sessions: number(columns.label_count(LabelClass::Session)),
                vectors: number(view.vectors.len()),
                foreign_vectors: view.foreign.as_ref().map(|fingerprint| fingerprint.0.clone()),
                graph_rows: view.vectors.graph().map_or(0, |graph| number(graph.len())),
                segments: number(view.text.segments().0),
                unfolded: number(view.text.unfolded()),
                memory_bytes: view.memory_bytes(),
                queued: number(tasks.len()),
                uncompared: of(TaskKind::Compare)?,
                uninterpreted: of(TaskKind::Interpret)?,
                jobs,
            }),
        })
    }
}
