//! Checks memories that arrive, before the transaction that stores them: which known ones say the
//! same, and which they contradict by the verdict of a judge.

use annals_lifecycle::conflict::{self, Claim, Rival};
use annals_lifecycle::dedup::{Candidate, Dedup, dedup};
use annals_types::profile::{DedupMoment, DedupUnit};
use annals_types::{Body, MemoryId, NamespaceId, Row, Shown, Status, Timestamp};
use annals_vector::{Index, Query};

use crate::compiled::CompiledProfile;
use crate::embed::Prepared;
use crate::jobs::tasks::Open;
use crate::pair_answer::PairAnswer;
use crate::write::Arrival;
use crate::{DecisionQuestion, Error};
use crate::{Engine, View, claims, life, resolve};

/// Rows from here on stand for memories that arrive with the one looked at.
const ARRIVING: u32 = u32::MAX - 0xFFFF;

/// The findings about a new memory before the transaction that stores it.
#[derive(Default)]
pub(crate) struct Precheck {
    /// The known memory that it equals, or its place among those that arrive with it.
    pub(crate) same: Option<Row>,
    /// Memories that it contradicts by the verdict of a judge.
    pub(crate) judged: Vec<Rival>,
    /// The answers of a judge about it and others.
    pub(crate) heard: Vec<PairAnswer>,
    /// The questions that a judge did not answer; nothing is decided then, and it is asked again
    /// later.
    pub(crate) open: Open,
}

impl Precheck {
    /// The place among those that arrive with it of the memory that it is.
    pub(crate) fn arriving(&self) -> Option<usize> {
        let place = self.same?.0.checked_sub(ARRIVING)?;
        Some(usize::try_from(place).unwrap_or(usize::MAX))
    }
}

impl CompiledProfile {
    /// Whether new memories are compared with known ones when they are stored.
    pub(crate) fn compares_arrivals(&self) -> bool {
        let dedup = &self.settings.dedup;
        dedup.unit == DedupUnit::Record
            && matches!(dedup.when, DedupMoment::Insert | DedupMoment::Merge)
    }
}

impl Engine {
    /// The findings about new memories before they are stored; nothing where the profile neither
    /// compares them nor has a judge asked, because memories of the same subject and relation are
    /// found without a search for similar ones. `merging` means that a session is merged in: then
    /// similar ones are compared, too.
    pub(crate) fn prechecks(
        &self,
        ns: NamespaceId,
        profile: &CompiledProfile,
        arrivals: &[Arrival],
        merging: bool,
    ) -> Result<Vec<Precheck>, Error> {
        let asks = profile.settings.conflict.ask_judge && self.advisers.has_judge();
        if !profile.compares_arrivals() && !asks {
            return Ok(arrivals.iter().map(|_| Precheck::default()).collect());
        }
        let view = self.view(ns)?;
        let now = self.now();
        let mut beside = Index::new(self.shape, profile.settings.vector.clone());
        let mut bodies: Vec<Option<Body>> = Vec::with_capacity(arrivals.len());
        let mut prechecks = Vec::with_capacity(arrivals.len());
        for (at, arrival) in arrivals.iter().enumerate() {
            let Some(placed) = life::place(profile, &arrival.prepared.memory, now)? else {
                prechecks.push(Precheck::default());
                bodies.push(None);
                continue;
            };
            let memory = life::placed(profile, &arrival.prepared.memory, &placed)?;
            let newcomer = Newcomer {
                id: arrival.id,
                body: memory.body(),
                prepared: &arrival.prepared,
                now,
            };
            let mut near = self.near(&view, profile, &newcomer)?;
            near.extend(beside_it(profile, &beside, &bodies, &newcomer));
            // A person who says what is known in other words hears so at once.
            let merging = merging || arrival.prepared.memory.is_by_hand();
            prechecks.push(self.precheck(profile, &newcomer, &near, merging)?);
            if let (Some(row), Some(code)) = (arriving(at), &arrival.prepared.code) {
                beside.append(row, code)?;
            }
            bodies.push(Some(memory.into_body()));
        }
        Ok(prechecks)
    }

    /// The findings about a new memory. One about which a judge fails is stored as if nothing had
    /// been decided, and is compared later.
    fn precheck(
        &self,
        profile: &CompiledProfile,
        new: &Newcomer<'_>,
        near: &[Near],
        merging: bool,
    ) -> Result<Precheck, Error> {
        let same = match profile.compares_arrivals() {
            true => self.same(profile, new, near, merging),
            false => Ok((None, None)),
        };
        let ((same, said), unsure) = answered(profile, new, same)?;
        if unsure {
            return Ok(Precheck {
                open: Open::Same,
                ..Precheck::default()
            });
        }
        let mut heard: Vec<PairAnswer> = said.into_iter().collect();
        if same.is_some() {
            return Ok(Precheck {
                same,
                heard,
                ..Precheck::default()
            });
        }
        let ((judged, said), unsure) =
            answered(profile, new, self.contradicted(profile, new, near))?;
        heard.extend(said);
        let open = if unsure {
            Open::Contradicts
        } else {
            Open::Nothing
        };
        Ok(Precheck {
            judged,
            heard,
            open,
            ..Precheck::default()
        })
    }

    /// The memories most like a new one, with how like they are.
    fn near(
        &self,
        view: &View,
        profile: &CompiledProfile,
        new: &Newcomer<'_>,
    ) -> Result<Vec<Near>, Error> {
        if view.embedder.fingerprint() != self.fingerprint {
            // The memories have vectors of another embedder until they are embedded again.
            return Ok(Vec::new());
        }
        let dedup = &profile.settings.dedup;
        let archived = dedup.when == DedupMoment::Merge;
        let wanted = |row: Row| {
            let status = view.columns.current_status(row);
            let shown = matches!(status, Some(Status::Active | Status::Staged));
            let shown = shown || archived && status == Some(Status::Archived);
            shown
                && view
                    .columns
                    .get(row)
                    .is_some_and(|facts| profile.governs(facts.layer))
        };
        let Some(code) = &new.prepared.code else {
            return Ok(Vec::new());
        };
        let hits = view.vectors.search(
            &Query::from(code.clone()),
            profile.nearest_twins(),
            None,
            wanted,
        );
        let rows: Vec<Row> = hits.iter().map(|hit| hit.row).collect();
        let snapshot = self.snapshot()?;
        let memories =
            annals_records::memories(&snapshot, view.namespace, &rows, Some(&view.columns))?;
        let mut near = Vec::with_capacity(hits.len());
        for (hit, memory) in hits.into_iter().zip(memories) {
            let Some(memory) = memory else { continue };
            let stored_at = resolve::told_at(&snapshot, view.namespace, &memory)?;
            let similarity = f64::from(hit.cosine.max(0.0));
            near.push(Near {
                row: hit.row,
                id: Some(memory.id),
                similarity,
                body: memory.body,
                stored_at,
            });
        }
        Ok(near)
    }

    /// The memory that a new one is.
    fn same(
        &self,
        profile: &CompiledProfile,
        new: &Newcomer<'_>,
        near: &[Near],
        merging: bool,
    ) -> Result<(Option<Row>, Option<PairAnswer>), Error> {
        let lasting = near
            .iter()
            .filter(|near| !resolve::is_over(&near.body, new.body, new.now));
        let candidates: Vec<Candidate> = lasting.map(|near| near.candidate(new.body)).collect();
        let mut settings = profile.settings.dedup.clone();
        if settings.when == DedupMoment::Merge && !merging {
            // Memories that are only similar are compared when a session is merged in.
            (settings.sure_above, settings.maybe_above) = (None, None);
        }
        match dedup(&settings, &candidates) {
            Dedup::New => Ok((None, None)),
            Dedup::Same(row) => Ok((Some(row), None)),
            Dedup::Ask(row) => {
                let asked = near
                    .iter()
                    .find(|near| near.row == row)
                    .and_then(Near::shown);
                let (Some(judge), Some(known)) =
                    (self.advisers.judge(profile, &self.closing), asked)
                else {
                    return Ok((None, None));
                };
                let shown = new.shown();
                let said = judge
                    .same(&shown, &known)
                    .map_err(|error| Error::judge(&error))?;
                let same = said.answer.then_some(row);
                Ok((
                    same,
                    Some(PairAnswer::of(
                        DecisionQuestion::Same,
                        &*judge,
                        (&shown, &known, row),
                        said,
                    )),
                ))
            }
        }
    }

    /// The memories that a judge says a new one contradicts, where the profile wants it asked.
    fn contradicted(
        &self,
        profile: &CompiledProfile,
        new: &Newcomer<'_>,
        near: &[Near],
    ) -> Result<(Vec<Rival>, Vec<PairAnswer>), Error> {
        let settings = &profile.settings.conflict;
        let (mut rivals, mut heard) = (Vec::new(), Vec::new());
        if !settings.ask_judge || !profile.settles_arrivals() {
            return Ok((rivals, heard));
        }
        let Some(judge) = self.advisers.judge(profile, &self.closing) else {
            return Ok((rivals, heard));
        };
        let shown = new.shown();
        for near in near {
            let Some(known) = near.shown() else { continue };
            let mut rival = near.rival(new.body);
            if conflict::needs_judge(settings, &rival) {
                let said = judge
                    .contradicts(&shown, &known)
                    .map_err(|error| Error::judge(&error))?;
                rival.judged = Some(said.answer);
                rivals.extend(said.answer.then_some(rival));
                heard.push(PairAnswer::of(
                    DecisionQuestion::Contradicts,
                    &*judge,
                    (&shown, &known, near.row),
                    said,
                ));
            }
        }
        Ok((rivals, heard))
    }
}

/// A memory that arrives, as its profile places it.
struct Newcomer<'a> {
    id: MemoryId,
    body: &'a Body,
    prepared: &'a Prepared,
    now: Timestamp,
}

impl Newcomer<'_> {
    fn shown(&self) -> Shown {
        Shown {
            id: self.id,
            text: self.body.text.clone(),
            time: resolve::since(self.body, self.now),
            retention: f64::from(self.body.importance.get()),
        }
    }
}

/// A memory that is much like a new one.
struct Near {
    row: Row,
    /// `None` for one that arrives with it.
    id: Option<MemoryId>,
    similarity: f64,
    body: Body,
    stored_at: Timestamp,
}

impl Near {
    fn candidate(&self, new: &Body) -> Candidate {
        Candidate {
            row: self.row,
            similarity: self.similarity,
            same_text: resolve::says_the_same(&self.body, new),
            same_kind: self.body.kind == new.kind,
            same_triple_key: self.same_claim(new),
            contrast: resolve::says_another(&self.body, new),
        }
    }

    fn same_claim(&self, new: &Body) -> bool {
        let key = claims::key_of(new);
        key.is_some() && key == claims::key_of(&self.body)
    }

    fn rival(&self, new: &Body) -> Rival {
        let since = resolve::since(&self.body, self.stored_at);
        Rival {
            claim: Claim {
                row: self.row,
                valid_from: since,
                valid_until: self.body.valid_until,
            },
            same_kind: self.body.kind == new.kind,
            same_triple_key: self.same_claim(new),
            similarity: self.similarity,
            judged: None,
        }
    }

    fn shown(&self) -> Option<Shown> {
        Some(Shown {
            id: self.id?,
            text: self.body.text.clone(),
            time: resolve::since(&self.body, self.stored_at),
            retention: f64::from(self.body.importance.get()),
        })
    }
}

/// An answer, or none where a judge failed, and whether that is so.
fn answered<T: Default>(
    profile: &CompiledProfile,
    new: &Newcomer<'_>,
    answer: Result<T, Error>,
) -> Result<(T, bool), Error> {
    match answer {
        Err(error) if error.is_judge() => {
            let error = profile.redacted(error.logged());
            tracing::warn!(memory = %new.id, error, "a new memory is compared later");
            Ok((T::default(), true))
        }
        answer => Ok((answer?, false)),
    }
}

fn arriving(place: usize) -> Option<Row> {
    ARRIVING.checked_add(u32::try_from(place).ok()?).map(Row)
}

/// Those that arrive with a new memory and were looked at before it.
fn beside_it(
    profile: &CompiledProfile,
    beside: &Index,
    bodies: &[Option<Body>],
    new: &Newcomer<'_>,
) -> Vec<Near> {
    let Some(code) = &new.prepared.code else {
        return Vec::new();
    };
    let query = Query::from(code.clone());
    let hits = beside.search_exact(
        &query,
        profile.nearest_twins().max(profile.nearest()),
        |_| true,
    );
    let near = |hit: annals_vector::Hit| {
        let place = usize::try_from(hit.row.0.checked_sub(ARRIVING)?).ok()?;
        let body = bodies.get(place)?.clone()?;
        let similarity = f64::from(hit.cosine.max(0.0));
        Some(Near {
            row: hit.row,
            id: None,
            similarity,
            body,
            stored_at: new.now,
        })
    };
    hits.into_iter().filter_map(near).collect()
}
