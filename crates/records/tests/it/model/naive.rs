use std::collections::BTreeMap;

use annals_types::{
    Body, Filter, Interval, Label, Memory, MemoryId, NewMemory, Revision, Status, Timestamp,
};

use crate::model::spec::named_times;

/// A row as the model knows it.
#[derive(Debug, Clone)]
pub(crate) struct NaiveRow {
    pub(crate) id: MemoryId,
    pub(crate) body: Body,
    pub(crate) stored_at: Timestamp,
    pub(crate) named_times: Vec<Interval>,
    pub(crate) statuses: Vec<(Timestamp, Status)>,
    pub(crate) revision: u32,
    pub(crate) replaces: Option<u32>,
    pub(crate) death: Option<(Timestamp, Option<u32>)>,
}

impl NaiveRow {
    pub(crate) fn status(&self) -> Status {
        self.statuses.last().unwrap().1
    }

    fn status_at(&self, moment: Timestamp) -> Status {
        let last = self.statuses.iter().rev().find(|(time, _)| *time <= moment);
        last.unwrap_or(&self.statuses[0]).1
    }

    pub(crate) fn place(&self) -> Option<(String, u32)> {
        self.body
            .turn
            .as_ref()
            .map(|turn| (turn.session.to_string(), turn.position))
    }
}

#[derive(Debug)]
pub(crate) struct Naive {
    pub(crate) now: Timestamp,
    pub(crate) rows: BTreeMap<u32, NaiveRow>,
    pub(crate) next_row: u32,
    next_position: BTreeMap<String, u32>,
}

impl Naive {
    pub(crate) fn new(now: Timestamp) -> Self {
        Self {
            now,
            rows: BTreeMap::new(),
            next_row: 0,
            next_position: BTreeMap::new(),
        }
    }

    pub(crate) fn current(&self, id: MemoryId) -> u32 {
        self.rows
            .iter()
            .rev()
            .find(|(_, row)| row.id == id)
            .map(|(row, _)| *row)
            .unwrap()
    }

    pub(crate) fn ids(&self) -> Vec<MemoryId> {
        let mut ids: Vec<MemoryId> = self.rows.values().map(|row| row.id).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    fn position(&mut self, session: &Label) -> u32 {
        let next = self.next_position.entry(session.to_string()).or_default();
        *next += 1;
        *next - 1
    }

    pub(crate) fn append(&mut self, id: MemoryId, memory: &NewMemory) -> u32 {
        self.store(id, memory, None, 1)
    }

    fn store(
        &mut self,
        id: MemoryId,
        memory: &NewMemory,
        replaces: Option<u32>,
        revision: u32,
    ) -> u32 {
        let mut body = memory.body().clone();
        if let Some(turn) = &mut body.turn {
            let before = replaces.and_then(|row| self.rows[&row].place());
            turn.position = match before {
                Some((session, position)) if session == turn.session.as_str() => position,
                _ => self.position(&turn.session),
            };
        }
        let row = self.next_row;
        self.next_row += 1;
        let statuses = vec![(self.now, memory.status())];
        let before = replaces.map(|row| &self.rows[&row]);
        let same = before
            .filter(|old| (&old.body.text, old.body.event_time) == (&body.text, body.event_time));
        let found = || named_times(&body.text, body.event_time.unwrap_or(self.now));
        let named_times = same.map_or_else(found, |old| old.named_times.clone());
        let new = NaiveRow {
            id,
            body,
            stored_at: self.now,
            named_times,
            statuses,
            revision,
            replaces,
            death: None,
        };
        self.rows.insert(row, new);
        row
    }

    /// The new row, or `None` when the memory was superseded by one that is there.
    pub(crate) fn update(
        &mut self,
        id: MemoryId,
        memory: &NewMemory,
        new_id: Option<MemoryId>,
    ) -> Option<u32> {
        let old = self.current(id);
        let death = self.rows[&old].death;
        if death.is_some_and(|(_, successor)| successor.is_some()) {
            return None;
        }
        let revision = if new_id.is_some() {
            1
        } else {
            self.rows[&old].revision + 1
        };
        let row = self.store(new_id.unwrap_or(id), memory, Some(old), revision);
        self.rows.get_mut(&old).unwrap().death =
            Some((death.map_or(self.now, |(time, _)| time), Some(row)));
        Some(row)
    }

    /// Whether all of them could be changed; nothing is changed otherwise.
    pub(crate) fn set_status(&mut self, ids: &[MemoryId], status: Status) -> bool {
        let rows: Vec<u32> = ids.iter().map(|id| self.current(*id)).collect();
        if rows.iter().any(|row| self.rows[row].death.is_some()) {
            return false;
        }
        for row in rows {
            let row = self.rows.get_mut(&row).unwrap();
            if row.status() != status {
                row.statuses.push((self.now, status));
            }
        }
        true
    }

    pub(crate) fn erase(&mut self, id: MemoryId) -> Vec<u32> {
        let gone: Vec<u32> = self
            .rows
            .iter()
            .filter(|(_, row)| row.id == id)
            .map(|(row, _)| *row)
            .collect();
        let before = gone.first().and_then(|row| self.rows[row].replaces);
        let after = gone.last().and_then(|row| self.rows[row].death?.1);
        self.rows.retain(|_, row| row.id != id);
        for row in self.rows.values_mut() {
            if row.replaces.is_some_and(|before| gone.contains(&before)) {
                row.replaces = before;
            }
            if let Some((_, successor)) = &mut row.death
                && successor.is_some_and(|after| gone.contains(&after))
            {
                *successor = after;
            }
        }
        self.prune();
        gone
    }

    /// Forgets sessions that no row has.
    pub(crate) fn prune(&mut self) {
        let rows = &self.rows;
        self.next_position.retain(|session, _| {
            rows.values()
                .any(|row| row.place().is_some_and(|p| p.0 == *session))
        });
    }

    pub(crate) fn memory(&self, row: u32) -> Memory {
        let found = &self.rows[&row];
        let other = |row: Option<u32>| {
            row.map(|row| self.rows[&row].id)
                .filter(|id| *id != found.id)
        };
        Memory {
            id: found.id,
            body: found.body.clone(),
            status: found.status(),
            stored_at: found.stored_at,
            named_times: found.named_times.clone(),
            supersedes: other(found.replaces),
            superseded_by: other(found.death.and_then(|death| death.1)),
            revision: found.revision,
        }
    }

    /// The rows that happened within a stretch or name a time that meets it, the latest first.
    pub(crate) fn within(&self, start: Timestamp, end: Timestamp) -> Vec<u32> {
        let moment = |row: &NaiveRow| {
            let happened = Some(row.body.event_time.unwrap_or(row.stored_at))
                .filter(|time| start <= *time && *time < end);
            let named = row
                .named_times
                .iter()
                .filter(|time| time.start < end && start < time.end && start < end);
            happened.max(named.map(|time| time.start.max(start)).max())
        };
        let mut rows: Vec<_> = self
            .rows
            .iter()
            .filter_map(|(row, found)| Some((moment(found)?, *row)))
            .collect();
        rows.sort_unstable_by(|a, b| b.cmp(a));
        rows.into_iter().map(|(_, row)| row).collect()
    }

    pub(crate) fn history(&self, id: MemoryId) -> Vec<Revision> {
        let mut revisions = Vec::new();
        let mut next = Some(self.current(id));
        while let Some(row) = next {
            let replaced_at = self.rows[&row].death.map(|death| death.0);
            revisions.push(Revision {
                memory: self.memory(row),
                replaced_at,
            });
            next = self.rows[&row].replaces;
        }
        revisions.reverse();
        revisions
    }

    pub(crate) fn matches(&self, row: u32, filter: &Filter, as_of: Option<Timestamp>) -> bool {
        let row = &self.rows[&row];
        let body = &row.body;
        let moment = as_of.unwrap_or(self.now);
        let alive = match as_of {
            None => row.death.is_none(),
            Some(moment) => {
                row.stored_at <= moment && row.death.is_none_or(|death| death.0 > moment)
            }
        };
        let status = as_of.map_or_else(|| row.status(), |moment| row.status_at(moment));
        let default = [Status::Active, Status::Staged];
        let statuses = if filter.statuses.is_empty() {
            &default[..]
        } else {
            &filter.statuses
        };
        let turn = body.turn.as_ref();
        let within = |list: &[Label], label: Option<&Label>| {
            list.is_empty() || label.is_some_and(|label| list.contains(label))
        };
        alive
            && statuses.contains(&status)
            && (filter.layers.is_empty() || filter.layers.contains(&body.layer))
            && (filter.kinds.is_empty() || filter.kinds.contains(&body.kind))
            && within(&filter.sessions, turn.map(|turn| &turn.session))
            && within(
                &filter.speakers,
                turn.and_then(|turn| turn.speaker.as_ref()),
            )
            && filter.tags.iter().all(|tag| body.tags.contains(tag))
            && filter
                .time
                .contains(body.event_time.unwrap_or(row.stored_at))
            && filter.valid_at.is_none_or(|at| body.valid_at(at))
            && (status == Status::Archived || body.expires_at.is_none_or(|at| at >= moment))
    }

    /// The current turns of a session, in order.
    pub(crate) fn session(&self, session: &str) -> Vec<u32> {
        let current = self.rows.iter().filter(|(_, row)| row.death.is_none());
        let mut turns: Vec<(u32, u32)> = current
            .filter_map(|(row, found)| {
                found
                    .place()
                    .filter(|place| place.0 == session)
                    .map(|place| (place.1, *row))
            })
            .collect();
        turns.sort_unstable();
        turns.into_iter().map(|(_, row)| row).collect()
    }
}
