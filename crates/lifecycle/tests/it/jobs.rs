//! Jobs: when they are due, runs that are cut off, backing off.

use crate::world;

use annals_lifecycle::job::{
    StepReport, begin, due_jobs, fail, finish, records, schedule_jobs, set_stopped, step_done,
};
use annals_lifecycle::schedule::Why;
use annals_lifecycle::{Lane, LifecycleError, Pass, Passes, Zone, make_pass, open_lane, passes};
use annals_storage::Store;
use annals_types::profile::{JobSettings, JobStep, Profile};
use annals_types::{Label, Timestamp};
use world::{day, hours, near, policy, profile};

/// The jobs of a profile, with a store.
struct Bench {
    store: Store,
    lane: Lane,
    profile: Profile,
}

impl Bench {
    fn new(name: &str) -> Self {
        let bench = Self {
            store: Store::in_memory(),
            lane: Lane(1),
            profile: profile(name),
        };
        bench
            .store
            .write(|txn| schedule_jobs(txn, bench.lane, &bench.profile.jobs, day(0.0)))
            .unwrap();
        bench
    }

    fn due(&self, at: f64, start: bool) -> Vec<(String, Why)> {
        let snapshot = self.store.snapshot().unwrap();
        let due = due_jobs(
            &snapshot,
            self.lane,
            (&self.profile.jobs, &Zone::utc()),
            day(at),
            start,
        )
        .unwrap()
        .0;
        due.into_iter()
            .map(|due| (due.job.name.clone(), due.why))
            .collect()
    }

    fn next(&self, at: f64) -> Option<Timestamp> {
        let snapshot = self.store.snapshot().unwrap();
        due_jobs(
            &snapshot,
            self.lane,
            (&self.profile.jobs, &Zone::utc()),
            day(at),
            false,
        )
        .unwrap()
        .1
    }

    fn run(&self, name: &str, at: f64) {
        self.store
            .write(|txn| {
                begin(txn, self.lane, name, day(at))
                    .and_then(|_| finish(txn, self.lane, name, day(at)))
            })
            .unwrap();
    }

    fn fail(&self, name: &str, at: f64) -> Option<Timestamp> {
        let job = self
            .profile
            .jobs
            .iter()
            .find(|job| job.name == name)
            .unwrap();
        self.store
            .write(|txn| {
                begin(txn, self.lane, name, day(at))
                    .and_then(|_| fail(txn, self.lane, job, day(at), "no judge"))
            })
            .unwrap()
            .0
    }

    /// Runs what is due whenever it is, from one day to another.
    fn live(&self, from: f64, to: f64, start: bool) -> Vec<f64> {
        let (mut now, mut start, mut ran) = (day(from), start, Vec::new());
        while now <= day(to) {
            let at = now.millis_since(day(0.0)) as f64 / 86_400_000.0;
            for (name, _) in self.due(at, start) {
                self.run(&name, at);
                ran.push(at);
            }
            start = false;
            match self.next(at) {
                Some(next) => now = next.max(now.plus_millis(1)),
                None => break,
            }
        }
        ran
    }
}

#[test]
fn a_day_must_have_gone_by_since_the_last_pass() {
    // part: C-60, C-61
    let bench = Bench::new("companion");
    assert_eq!(bench.due(0.0, true), [("decay".to_owned(), Why::First)]);
    bench.run("decay", 1.0);
    let starts = [25.0, 23.0, 24.0].map(|later| bench.due(1.0 + hours(later), true).len());
    assert_eq!(starts, [1, 0, 0]);
    assert_eq!(bench.next(1.5), Some(day(2.0).plus_millis(1)));
    // Up for three days after a start that found the last pass more than a day ago.
    assert_eq!(bench.live(3.0, 5.999, true).len(), 3);
}

#[test]
fn passes_are_remembered() {
    // part: C-58, C-60
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("passes.annals");
    let policy = policy("companion");
    let name = Label::new("lane", "companion").unwrap();
    let store = Store::open(&path).unwrap();
    let (lane, _) = store.write(|txn| open_lane(txn, &name)).unwrap();
    let made = [0.0, hours(1.0), 1.0, 2.5, 2.0, 3.4].map(|at| {
        store
            .write(|txn| make_pass(txn, lane, &policy, day(at)))
            .unwrap()
            .0
    });
    use Pass::{Made, TooEarly};
    assert_eq!(made, [Made, TooEarly, Made, Made, TooEarly, TooEarly]);
    drop(store);
    let store = Store::open(&path).unwrap();
    let kept = passes(&store.snapshot().unwrap(), lane).unwrap();
    assert_eq!((kept.len(), kept.last()), (3, Some(day(2.5))));
    assert_eq!(store.write(|txn| open_lane(txn, &name)).unwrap().0, lane);
    assert!(
        store
            .write(|txn| open_lane(txn, &Label::new("lane", "studio").unwrap()))
            .unwrap()
            .0
            != lane
    );
}

#[test]
fn consolidation_runs_at_the_start_and_every_six_hours() {
    // part: G-113, G-114, G-115
    let bench = Bench::new("graph");
    assert!(
        bench
            .due(0.0, true)
            .contains(&("consolidation".to_owned(), Why::Start))
    );
    bench.run("daily", 0.0);
    bench.run("consolidation", 0.0);
    let mut graph = profile("graph");
    graph.jobs.retain(|job| job.name == "consolidation");
    let bench = Bench {
        profile: graph,
        ..bench
    };
    let ran = bench.live(0.0, 1.0, false);
    assert_eq!(ran, [0.25, 0.5, 0.75, 1.0]);
    let bench = Bench::new("graph");
    assert_eq!(
        bench.fail("consolidation", 0.0),
        Some(day(0.0).plus_millis(600_000))
    );
    let seconds = |seconds: f64| seconds / 86_400.0;
    let resumes = |at: f64| {
        bench
            .due(at, false)
            .contains(&("consolidation".to_owned(), Why::Resume))
    };
    assert_eq!(
        [resumes(seconds(599.0)), resumes(seconds(600.0))],
        [false, true]
    );
    let name = "consolidation";
    bench
        .store
        .write(|txn| set_stopped(txn, bench.lane, name, true))
        .unwrap();
    assert!(
        bench
            .due(50.0, true)
            .iter()
            .all(|(name, _)| name != "consolidation")
    );
    bench
        .store
        .write(|txn| set_stopped(txn, bench.lane, name, false))
        .unwrap();
    assert!(resumes(seconds(600.0)));
}

#[test]
fn a_missed_night_is_made_up_for_once() {
    // part: X-10
    for name in ["studio", "agent"] {
        let mut bench = Bench::new(name);
        bench.profile.jobs.retain(|job| job.name == "nightly");
        assert_eq!(bench.due(hours(2.9), true), [], "{name}");
        assert_eq!(
            bench.due(hours(3.0), false),
            [("nightly".to_owned(), Why::Hour)]
        );
        bench.run("nightly", hours(3.0));
        assert_eq!(bench.due(hours(4.0), true), []);
        assert_eq!(bench.next(hours(4.0)), Some(day(1.0 + hours(3.0))));
        assert_eq!(bench.due(9.5, true), [("nightly".to_owned(), Why::Hour)]);
        bench.run("nightly", 9.5);
        assert_eq!(bench.due(9.6, true), []);
    }
    let steps = &profile("agent").jobs[0].steps;
    let order = [
        JobStep::Queue,
        JobStep::Dedup,
        JobStep::Decay,
        JobStep::Rules,
        JobStep::Expire,
        JobStep::Attachments,
    ];
    assert_eq!(steps[..6], order);
}

fn report(step: JobStep, error: &str) -> StepReport {
    StepReport {
        step,
        counts: [("examined".to_owned(), 3)].into(),
        error: error.to_owned(),
    }
}

#[test]
fn a_run_that_was_cut_off_goes_on_at_its_own_moment() {
    // part: X-10
    let bench = Bench::new("agent");
    let (lane, name) = (bench.lane, "nightly");
    let run = bench
        .store
        .write(|txn| begin(txn, lane, name, day(1.0)))
        .unwrap()
        .0;
    assert_eq!((run.at, run.steps.len()), (day(1.0), 0));
    bench
        .store
        .write(|txn| step_done(txn, lane, name, report(JobStep::Queue, "")))
        .unwrap();
    bench
        .store
        .write(|txn| step_done(txn, lane, name, report(JobStep::Dedup, "no judge")))
        .unwrap();
    assert_eq!(
        bench.due(1.5, true),
        [
            (name.to_owned(), Why::Resume),
            ("start".to_owned(), Why::Start)
        ]
    );
    let run = bench
        .store
        .write(|txn| begin(txn, lane, name, day(1.5)))
        .unwrap()
        .0;
    assert_eq!(run.at, day(1.0));
    assert!(run.is_done(JobStep::Queue) && !run.is_done(JobStep::Dedup));
    bench
        .store
        .write(|txn| finish(txn, lane, name, day(1.6)))
        .unwrap();
    let record = records(&bench.store.snapshot().unwrap(), lane)
        .unwrap()
        .remove(name)
        .unwrap();
    let last = record.last.unwrap();
    assert_eq!(
        (last.at, last.ended_at, record.running),
        (day(1.0), day(1.6), None)
    );
    assert_eq!(
        bench
            .store
            .write(|txn| begin(txn, lane, name, day(2.0)))
            .unwrap()
            .0
            .at,
        day(2.0)
    );
}

#[test]
fn failures_back_off_and_success_forgets_them() {
    let bench = Bench::new("studio");
    let mut profile = profile("studio");
    profile.jobs[0].retry_seconds = vec![60, 600];
    let bench = Bench { profile, ..bench };
    let retries =
        [0.0, 0.1, 0.2].map(|at| bench.fail("nightly", at).unwrap().millis_since(day(at)) / 1000);
    assert_eq!(retries, [60, 600, 600]);
    let record = |bench: &Bench| {
        records(&bench.store.snapshot().unwrap(), bench.lane)
            .unwrap()
            .remove("nightly")
            .unwrap()
    };
    assert_eq!(
        (
            record(&bench).failures,
            record(&bench).running.unwrap().error
        ),
        (3, "no judge".to_owned())
    );
    bench.run("nightly", 0.3);
    assert_eq!(
        (record(&bench).failures, record(&bench).retry_at),
        (0, None)
    );
    let mut profile = bench.profile.clone();
    profile.jobs[0].retry_seconds.clear();
    let bench = Bench { profile, ..bench };
    assert_eq!(bench.fail("nightly", 0.5), None);
    assert_eq!(bench.due(1.0, true), []);
    assert_eq!(bench.due(1.2, false), [("nightly".to_owned(), Why::Hour)]);
}

#[test]
fn the_schedule_follows_the_profile() {
    let bench = Bench::new("graph");
    bench.run("daily", 1.0);
    let jobs = [
        JobSettings {
            name: "new".into(),
            steps: vec![JobStep::Rules],
            ..JobSettings::default()
        },
        bench.profile.jobs[1].clone(),
    ];
    bench
        .store
        .write(|txn| schedule_jobs(txn, bench.lane, &jobs, day(2.0)))
        .unwrap();
    let known = records(&bench.store.snapshot().unwrap(), bench.lane).unwrap();
    assert_eq!(known.keys().collect::<Vec<_>>(), ["daily", "new"]);
    assert_eq!(
        known["daily"].last.as_ref().map(|run| run.at),
        Some(day(1.0))
    );
    let missing = bench
        .store
        .write(|txn| begin(txn, bench.lane, "consolidation", day(3.0)));
    assert!(matches!(missing, Err(LifecycleError::NoJob { name }) if name == "consolidation"));
}
