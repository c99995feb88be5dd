//! Which turns of conversations have not been looked through, and how far conversations have come.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use annals_extraction::session::{Moment, begins};
use annals_lifecycle::task::Task;
use annals_storage::table::{Mark, Text, Value};
use annals_storage::wire::{Broken, Put, Take};
use annals_storage::{Reads, Table, Transaction};
use annals_types::profile::{AnswerForm, ExtractSettings, ExtractTrigger, Profile};
use annals_types::{
    Body, Label, Memory, MemoryId, NamespaceId, Role, Row, SessionState, Timestamp,
};

use annals_engine::Error;
use annals_engine::WriteCx;
pub(crate) use annals_engine::jobs::tasks::TaskKind;
use annals_engine::resolve::in_use;

/// How far a session has come.
pub(crate) const TALKS: Table<(NamespaceId, Text), ExtractionCursor> = Table::new("annals.talks");
/// Turns that have not been looked through.
pub(crate) const OPEN_TURNS: Table<(NamespaceId, Row), Mark> = Table::new("annals.open_turns");
/// The most turns that are looked through at once.
const MOST: usize = 500;
/// Open turns of a namespace that are read to see whose they are; where there are more, the session
/// is.
const FEW: usize = 256;
/// Turns of a session that are read at once.
const PAGE: usize = 256;
/// The payload of a task that stands for a piece of a session.
const PIECE: &[u8] = b"night";
/// The beginning of the payload of a task that was queued turn by turn. A u32 BE follows: the
/// position up to which this task looks through turns.
const CUT: &[u8] = b"cut";

/// How far a conversation has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ExtractionCursor {
    pub(crate) rounds: u32,
    pub(crate) begun: u32,
}

/// Rounds, and extractions begun by themselves: four bytes each, big-endian.
impl Value for ExtractionCursor {
    type View<'a> = Self;

    fn encode(view: &Self, put: &mut Put) {
        put.raw(&view.rounds.to_be_bytes());
        put.raw(&view.begun.to_be_bytes());
    }

    fn decode(_version: u8, body: &[u8]) -> Result<Self, Broken> {
        let mut take = Take::new(body);
        let cursor = Self {
            rounds: u32::from_be_bytes(take.array()?),
            begun: u32::from_be_bytes(take.array()?),
        };
        take.end()?;
        Ok(cursor)
    }
}

fn cut(before: u32) -> Vec<u8> {
    [CUT, &before.to_be_bytes()].concat()
}

/// Up to which position turns are looked through with a task that was queued turn by turn.
fn cut_before(task: &Task) -> Option<u32> {
    let bytes = task.payload.strip_prefix(CUT)?;
    Some(u32::from_be_bytes(bytes.try_into().ok()?))
}

/// Whether conversations are looked through under a profile.
fn listens(profile: &Profile) -> bool {
    profile.surface.enabled
        && matches!(
            profile.extract.answer,
            AnswerForm::Commands | AnswerForm::Json
        )
}

/// Takes note of a turn that is being stored, and queues an extraction when one begins with it.
pub(crate) fn note(
    cx: &mut WriteCx<'_, '_>,
    (id, row): (MemoryId, Row),
    body: &Body,
) -> Result<(), Error> {
    let profile = &cx.profile.settings;
    let settings = &profile.extract;
    let Some(turn) = body.turn.as_ref().filter(|_| listens(profile)) else {
        return Ok(());
    };
    OPEN_TURNS.put(cx.txn, (cx.ns, row), &())?;
    if settings.begins_at(ExtractTrigger::Idle) {
        TaskKind::Idle.queue_key(
            cx,
            turn.session.as_str().as_bytes(),
            idle_from(settings, cx.now),
        )?;
    }
    if !settings.begins_at(ExtractTrigger::Round) && !settings.begins_at(ExtractTrigger::Message) {
        return Ok(());
    }
    let mut cursor = TALKS
        .get(cx.txn, (cx.ns, turn.session.as_str()))?
        .unwrap_or_default();
    let answered = turn.role == Role::Assistant || turn.reply.is_some();
    cursor.rounds = cursor.rounds.saturating_add(u32::from(answered));
    let chars = u32::try_from(body.text.trim().chars().count()).unwrap_or(u32::MAX);
    let moment = |trigger| Moment {
        trigger,
        rounds: cursor.rounds,
        chars,
        user_messages: 1,
        begun: cursor.begun,
    };
    let round = answered && begins(settings, &moment(ExtractTrigger::Round));
    let message = turn.role == Role::User && begins(settings, &moment(ExtractTrigger::Message));
    if round || message {
        cursor.begun = cursor.begun.saturating_add(1);
        TaskKind::Extract.queue(cx, id)?;
    }
    Ok(TALKS.put(cx.txn, (cx.ns, turn.session.as_str()), &cursor)?)
}

/// When a session has been idle for long that had its last turn at a moment.
fn idle_from(settings: &ExtractSettings, last: Timestamp) -> Timestamp {
    const MINUTE_MILLIS: f64 = 60_000.0;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "from floats `as` saturates: a span beyond all time"
    )]
    let wait = (settings.idle_minutes * MINUTE_MILLIS) as i64;
    last.plus_millis(wait)
}

/// Until when a session is not idle; `None` when it is, or has nothing to be looked through.
pub(crate) fn busy_until(
    cx: &WriteCx<'_, '_>,
    session: &Label,
) -> Result<Option<Timestamp>, Error> {
    let rows = last_open(cx.txn, cx.ns, session.as_str(), u32::MAX, 1)?;
    let last = annals_records::memories(cx.txn, cx.ns, &rows, None)?
        .into_iter()
        .flatten()
        .next()
        .map(|turn| turn.stored_at);
    let until = last.map(|last| idle_from(&cx.profile.settings.extract, last));
    Ok(until.filter(|until| *until > cx.now))
}

/// The turns that a task looks through, oldest first, as many as the profile says: the newest open
/// ones up to its turn. A task that was queued turn by turn takes the next open ones from its turn
/// on, where that turn is open itself.
pub(crate) fn window(
    reads: &dyn Reads,
    ns: NamespaceId,
    settings: &ExtractSettings,
    (last, task): (MemoryId, &Task),
) -> Result<Vec<Memory>, Error> {
    let Some((row, memory)) = annals_records::get(reads, ns, last, None)? else {
        return Ok(Vec::new());
    };
    let Some(turn) = &memory.body.turn else {
        return Ok(Vec::new());
    };
    let (session, position) = (turn.session.as_str(), turn.position);
    if let Some(before) = cut_before(task) {
        if open_of(reads, ns, &[row])?.is_empty() {
            return Ok(Vec::new());
        }
        let rows = next_open(reads, ns, session, (position, before), piece(settings))?;
        return shown(reads, ns, &rows);
    }
    let whole = task.payload == PIECE;
    let most = match usize::try_from(settings.window_messages).unwrap_or(usize::MAX) {
        0 => MOST,
        _ if whole => piece(settings),
        messages => messages.min(MOST),
    };
    let rows = last_open(reads, ns, session, position.saturating_add(1), most)?;
    let (mut kept, mut count) = (Vec::new(), 0);
    for turn in shown(reads, ns, &rows)?.into_iter().rev() {
        // A turn that holds its answer is two messages; of a piece turns are counted.
        let answered = turn
            .body
            .turn
            .as_ref()
            .is_some_and(|turn| turn.reply.is_some());
        let messages = if whole { 1 } else { 1 + usize::from(answered) };
        if count > 0 && count + messages > most {
            break;
        }
        count += messages;
        kept.push(turn);
    }
    kept.reverse();
    Ok(kept)
}

/// The turns of some rows. Turns that were forgotten meanwhile are left out; a turn that is
/// brought back is open again.
fn shown(reads: &dyn Reads, ns: NamespaceId, rows: &[Row]) -> Result<Vec<Memory>, Error> {
    Ok(annals_records::memories(reads, ns, rows, None)?
        .into_iter()
        .flatten()
        .filter(in_use)
        .collect())
}

/// How many turns are looked through at once where no caller waits for it.
fn piece(settings: &ExtractSettings) -> usize {
    match settings.window_messages {
        0 => MOST,
        _ => usize::try_from(settings.night_turns)
            .unwrap_or(usize::MAX)
            .clamp(1, MOST),
    }
}

/// The last open turns of a session before a position, at most so many, oldest first.
fn last_open(
    reads: &dyn Reads,
    ns: NamespaceId,
    session: &str,
    before: u32,
    most: usize,
) -> Result<Vec<Row>, Error> {
    let open = all_open(reads, ns, FEW + 1)?;
    if open.len() <= FEW {
        // Mostly little is open: that is read, and not the session, however long it is.
        let mut turns = Vec::new();
        for (row, memory) in open
            .iter()
            .zip(annals_records::memories(reads, ns, &open, None)?)
        {
            let turn = memory.and_then(|memory| memory.body.turn);
            let own =
                turn.filter(|turn| turn.session.as_str() == session && turn.position < before);
            turns.extend(own.map(|turn| (turn.position, *row)));
        }
        turns.sort_unstable();
        let newest = turns
            .get(turns.len().saturating_sub(most)..)
            .unwrap_or_default();
        return Ok(newest.iter().map(|(_, row)| *row).collect());
    }
    let (mut found, mut before) = (Vec::new(), before);
    while found.len() < most {
        let page = annals_records::session_turns_before(reads, ns, session, before, PAGE)?;
        let Some((first, _)) = page.last() else { break };
        before = *first;
        found.extend(open_of(
            reads,
            ns,
            &page.iter().map(|(_, row)| *row).collect::<Vec<_>>(),
        )?);
    }
    found.truncate(most);
    found.reverse();
    Ok(found)
}

/// The first open turns of a session from a position up to another one, at most so many, in order.
fn next_open(
    reads: &dyn Reads,
    ns: NamespaceId,
    session: &str,
    (mut from, before): (u32, u32),
    most: usize,
) -> Result<Vec<Row>, Error> {
    let mut found = Vec::new();
    while found.len() < most && from < before {
        let page = annals_records::session_turns(reads, ns, session, from, PAGE)?;
        let Some((last, _)) = page.last() else { break };
        from = last.saturating_add(1);
        let rows: Vec<Row> = page
            .iter()
            .filter(|(position, _)| *position < before)
            .map(|(_, row)| *row)
            .collect();
        found.extend(open_of(reads, ns, &rows)?);
    }
    found.truncate(most);
    Ok(found)
}

/// Those of some rows that are open turns, in their order.
fn open_of(reads: &dyn Reads, ns: NamespaceId, rows: &[Row]) -> Result<Vec<Row>, Error> {
    let marks = OPEN_TURNS.get_many(reads, rows.iter().map(|row| (ns, *row)))?;
    Ok(rows
        .iter()
        .zip(marks)
        .filter(|(_, mark)| mark.is_some())
        .map(|(row, _)| *row)
        .collect())
}

/// Notes that turns were looked through. Belongs into the transaction that stores what was found.
pub(crate) fn looked(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    turns: &[MemoryId],
) -> Result<(), Error> {
    for row in annals_records::find_rows(&*txn, ns, turns)?
        .into_iter()
        .flatten()
    {
        OPEN_TURNS.delete(txn, (ns, row))?;
    }
    Ok(())
}

/// Which of some turns have been looked through; none under a profile that looks through nothing.
pub fn looked_at(
    reads: &dyn Reads,
    ns: NamespaceId,
    profile: &Profile,
    turns: &[MemoryId],
) -> Result<Vec<bool>, Error> {
    if !listens(profile) {
        return Ok(vec![false; turns.len()]);
    }
    let rows = annals_records::find_rows(reads, ns, turns)?;
    let marks = OPEN_TURNS.get_many(
        reads,
        rows.iter().map(|row| (ns, row.unwrap_or(Row(u32::MAX)))),
    )?;
    Ok(marks.into_iter().map(|mark| mark.is_none()).collect())
}

/// Queues each open turn of a session before a position; answers how many were not queued before.
/// The turns are looked through in pieces all the same: the first of a piece takes the others
/// along.
pub fn queue_turns(cx: &mut WriteCx<'_, '_>, session: &Label, position: u32) -> Result<u64, Error> {
    if !listens(&cx.profile.settings) {
        return Ok(0);
    }
    let rows = last_open(&*cx.txn, cx.ns, session.as_str(), position, usize::MAX)?;
    let ids = annals_records::ids_of(&*cx.txn, cx.ns, &rows)?;
    let mut queued = 0;
    for id in ids.into_iter().flatten() {
        queued += u64::from(TaskKind::Extract.queue_with(cx, id, &cut(position))?);
    }
    Ok(queued)
}

/// Drops what is noted of rows that are about to go.
pub(crate) fn unnote(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    rows: &[Row],
) -> Result<(), Error> {
    for row in rows {
        OPEN_TURNS.delete(txn, (ns, *row))?;
    }
    Ok(())
}

/// Forgets sessions that have no turn left, and withdraws their tasks of idleness: both would keep
/// the names of the sessions.
pub(crate) fn forget(cx: &mut WriteCx<'_, '_>, sessions: &BTreeSet<Label>) -> Result<(), Error> {
    let ns = cx.ns;
    for session in sessions {
        if annals_records::session_turns(&*cx.txn, ns, session.as_str(), 0, 1)?.is_empty() {
            TALKS.delete(cx.txn, (ns, session.as_str()))?;
            TaskKind::Idle.withdraw_key(cx, session.as_str().as_bytes())?;
            // The current task and the variables belong to whoever leads the conversation: they
            // stay until it ends.
            let SessionState {
                current_task,
                variables,
                ..
            } = annals_records::session_state(&*cx.txn, ns, session)?;
            let state = SessionState {
                current_task,
                variables,
                ..SessionState::default()
            };
            annals_records::set_session_state(cx.txn, ns, session, &state)?;
        }
    }
    Ok(())
}

/// Names sessions without turns, and open turns that do not exist.
pub(crate) fn validate(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<String>, Error> {
    let (mut problems, mut sessions) = (Vec::new(), Vec::new());
    TALKS.scan(reads, TALKS.within(ns), |(_, session), _| {
        sessions.push(session.to_owned());
        Ok::<_, Error>(ControlFlow::Continue(()))
    })?;
    for session in sessions {
        if annals_records::session_turns(reads, ns, &session, 0, 1)?.is_empty() {
            problems.push(format!(
                "{TALKS} names session {session:?}, of which there is no turn"
            ));
        }
    }
    let open = all_open(reads, ns, usize::MAX)?;
    for (row, memory) in open.iter().zip(annals_records::ids_of(reads, ns, &open)?) {
        if memory.is_none() {
            problems.push(format!(
                "{OPEN_TURNS} names row {}, which is not there",
                row.0
            ));
        }
    }
    Ok(problems)
}

/// Queues every turn that has not been looked through, in pieces; answers how many pieces were not
/// queued before.
pub fn queue_all(cx: &mut WriteCx<'_, '_>) -> Result<u64, Error> {
    if !listens(&cx.profile.settings) {
        return Ok(0);
    }
    let mut sessions: BTreeMap<Label, Vec<MemoryId>> = BTreeMap::new();
    let open = annals_records::memories(
        &*cx.txn,
        cx.ns,
        &all_open(&*cx.txn, cx.ns, usize::MAX)?,
        None,
    )?;
    for memory in open.into_iter().flatten().filter(in_use) {
        if let Some(turn) = memory.body.turn {
            sessions.entry(turn.session).or_default().push(memory.id);
        }
    }
    let mut queued = 0;
    for turns in sessions.values() {
        queued += queue_pieces(cx, turns)?;
    }
    Ok(queued)
}

/// Queues open turns of a session in pieces, where the last turn of each piece stands for the
/// others; answers how many were not queued before.
fn queue_pieces(cx: &mut WriteCx<'_, '_>, turns: &[MemoryId]) -> Result<u64, Error> {
    let mut queued = 0;
    for last in turns
        .chunks(piece(&cx.profile.settings.extract))
        .filter_map(<[MemoryId]>::last)
    {
        queued += u64::from(TaskKind::Extract.queue_with(cx, *last, PIECE)?);
    }
    Ok(queued)
}

/// The turns that have not been looked through, oldest first, at most so many.
fn all_open(reads: &dyn Reads, ns: NamespaceId, most: usize) -> Result<Vec<Row>, Error> {
    let found = OPEN_TURNS.rows(reads, OPEN_TURNS.within(ns), most)?;
    Ok(found.into_iter().map(|((_, row), ())| row).collect())
}

/// Queues the open turns of a session, in pieces, or their last window where the profile fixes one
/// and more may be said; answers whether there were any.
pub fn queue_session(
    cx: &mut WriteCx<'_, '_>,
    session: &Label,
    trigger: Option<ExtractTrigger>,
) -> Result<bool, Error> {
    let ns = cx.ns;
    let settings = &cx.profile.settings.extract;
    if !listens(&cx.profile.settings) {
        return Ok(false);
    }
    let rows = last_open(&*cx.txn, ns, session.as_str(), u32::MAX, usize::MAX)?;
    let open = shown(&*cx.txn, ns, &rows)?;
    let Some(last) = open.last() else {
        return Ok(false);
    };
    let said: Vec<&Memory> = open
        .iter()
        .filter(|turn| {
            turn.body
                .turn
                .as_ref()
                .is_some_and(|turn| turn.role == Role::User)
        })
        .collect();
    let chars: usize = said
        .iter()
        .map(|turn| turn.body.text.trim().chars().count())
        .sum();
    if let Some(trigger) = trigger {
        let mut cursor = TALKS
            .get(cx.txn, (ns, session.as_str()))?
            .unwrap_or_default();
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let (chars, user_messages) = (number(chars), number(said.len()));
        let moment = Moment {
            trigger,
            rounds: cursor.rounds,
            chars,
            user_messages,
            begun: cursor.begun,
        };
        if !begins(settings, &moment) {
            return Ok(false);
        }
        cursor.begun = cursor.begun.saturating_add(1);
        TALKS.put(cx.txn, (ns, session.as_str()), &cursor)?;
    }
    let over = matches!(
        trigger,
        Some(ExtractTrigger::SessionEnd | ExtractTrigger::Idle)
    );
    if settings.window_messages > 0 && !over {
        // This trigger asks for the window that the profile fixes. Earlier turns had theirs, or
        // wait for the night.
        TaskKind::Extract.queue(cx, last.id)?;
    } else {
        let turns: Vec<MemoryId> = open.iter().map(|turn| turn.id).collect();
        queue_pieces(cx, &turns)?;
    }
    Ok(true)
}
