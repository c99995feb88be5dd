//! Prints how fast analysis, building and searching are, and how many bytes they need.
//!
//! `cargo run --release -p annals-text --example measure_text [documents]`
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    clippy::print_stdout,
    reason = "a measuring program"
)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time of this thread on a processor where the system tells it (Linux), so that other work does
/// not count; else time that passed.
struct Watch(Duration, Instant);

impl Watch {
    fn start() -> Self {
        Self(Self::on_processor().unwrap_or_default(), Instant::now())
    }

    fn on_processor() -> Option<Duration> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split(' ')
            .next()?
            .parse()
            .ok()
            .map(Duration::from_nanos)
    }

    fn elapsed(&self) -> Duration {
        Self::on_processor().map_or_else(|| self.1.elapsed(), |now| now - self.0)
    }
}

use annals_storage::Store;
use annals_text::{Analyzer, Bm25, ChunkCache, Forward, Index, Settings, TextError, store};
use annals_types::{NamespaceId, Row};

const NS: NamespaceId = NamespaceId(1);
const WORDS: usize = 30;
const VOCABULARY: f64 = 100_000.0;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A rank of Zipf's law with exponent 1: the logarithm is uniform.
    fn zipf(&mut self) -> u64 {
        let uniform = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        VOCABULARY.powf(uniform) as u64
    }

    fn text(&mut self, words: usize) -> String {
        (0..words)
            .map(|_| word(self.zipf()))
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// The word of a rank.
fn word(mut rank: u64) -> String {
    let mut word = String::from("q");
    while rank > 0 {
        word.push(char::from(b'a' + (rank % 20) as u8));
        rank /= 20;
    }
    word
}

fn analysis() {
    let english = "Last weekend I finally moved to Berlin with my two cats, and we started looking for a \
        bigger apartment near \
        the river because my sister's children visit us almost every month; \
        she says the old kitchen was always far too small for all of us.";
    let chinese = "去年春天我从上海搬到了北京，在一家做机器人的创业公司工作。每天早上坐地铁去上班大概要四十分钟，周末我喜欢和朋友们去爬山，\
        有时候也会去看电影或者在家做饭。我养了一只叫小白的猫，它今年三岁了，非常喜欢晒太阳和吃鱼。";
    for (name, text, unit) in [
        ("English, 40 words", english, 40.0),
        ("Chinese, 100 characters", chinese, 100.0),
    ] {
        let size = if unit < 50.0 {
            text.split_whitespace().count()
        } else {
            text.chars().count()
        };
        for (what, cached) in [("the same text again", true), ("distinct words", false)] {
            if !cached && unit > 50.0 {
                continue;
            }
            let mut random = Random(1);
            let texts: Vec<String> = (0..20_000)
                .map(|_| {
                    if cached {
                        text.to_owned()
                    } else {
                        random.text(40)
                    }
                })
                .collect();
            let start = Watch::start();
            let mut bytes = 0;
            for text in &texts {
                bytes += black_box(Analyzer.forward(text, None)).encode().len();
            }
            let each = start.elapsed().as_nanos() as f64 / texts.len() as f64 / 1000.0;
            println!(
                "analyse {name} ({size} here), {what}: {each:.1} us, forward list {} bytes",
                bytes / texts.len()
            );
        }
    }
}

fn percentile(times: &mut [Duration], at: f64) -> f64 {
    times.sort_unstable();
    times[((times.len() - 1) as f64 * at) as usize].as_nanos() as f64 / 1000.0
}

fn report(name: &str, mut times: Vec<Duration>) {
    let [p50, p95, p99] = [0.5, 0.95, 0.99].map(|at| percentile(&mut times, at));
    println!("  {name}: p50 {p50:.0} us, p95 {p95:.0} us, p99 {p99:.0} us");
}

fn searches(index: &Index, file: &Store, documents: u32) {
    let snapshot = file.snapshot().unwrap();
    let mut random = Random(99);
    for kind in [
        "warming up",
        "6 Zipf terms",
        "6 rare terms",
        "6 Zipf terms, one row in 50 wanted",
    ] {
        let every = if kind.ends_with("wanted") { 50 } else { 1 };
        let (mut load, mut top, mut look) = (Vec::new(), Vec::new(), Vec::new());
        let watch = Watch::start();
        for _ in 0..1000 {
            let question = match kind {
                "6 rare terms" => (0..6)
                    .map(|_| word(10_000 + random.next() % 90_000))
                    .collect::<Vec<_>>()
                    .join(" "),
                _ => random.text(6),
            };
            let start = Instant::now();
            let matches = index
                .matches(&snapshot, Analyzer.query(&question), Bm25::default())
                .unwrap();
            load.push(start.elapsed());
            let start = Instant::now();
            let hits = matches.top(200, |row| row.0.is_multiple_of(every)).unwrap();
            top.push(start.elapsed());
            let mut rows: Vec<Row> = hits
                .iter()
                .flat_map(|h| h.row.0.saturating_sub(4)..=(h.row.0 + 4).min(documents - 1))
                .map(Row)
                .collect();
            rows.sort_unstable();
            rows.dedup();
            let start = Instant::now();
            black_box(matches.occurrences(&rows).unwrap());
            look.push(start.elapsed());
        }
        let mean = watch.elapsed().as_nanos() as f64 / 1e6;
        let all = load
            .iter()
            .zip(&top)
            .zip(&look)
            .map(|((a, b), c)| *a + *b + *c)
            .collect();
        println!(" {kind}: {mean:.0} us of processor time on the average");
        report("collect postings", load);
        report("top 200", top);
        report("counts in 9-row windows of 200 hits", look);
        report("all three", all);
    }
}

fn main() {
    analysis();
    let documents: u32 = std::env::args()
        .nth(1)
        .and_then(|n| n.parse().ok())
        .unwrap_or(100_000);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("text");
    let file = Store::open(&path).unwrap();
    let cache = Arc::new(ChunkCache::new(128 << 20));
    let settings = Settings::default();
    let mut index = Index::new(NS, settings, Arc::clone(&cache));
    let mut random = Random(7);
    let (mut analyse, mut append, mut put, mut plan_time, mut publish) = Default::default();
    let (mut forward_bytes, mut folds, mut merges) = (0, 0, 0);
    for first in (0..documents).step_by(1000) {
        let texts: Vec<String> = (0..1000).map(|_| random.text(WORDS)).collect();
        let start = Watch::start();
        let forwards: Vec<Arc<Forward>> = texts
            .iter()
            .map(|t| Arc::new(Analyzer.forward(t, None)))
            .collect();
        analyse += start.elapsed();
        let start = Watch::start();
        file.write::<_, TextError>(|tx| {
            forwards
                .iter()
                .zip(first..)
                .try_for_each(|(f, row)| store::put(tx, NS, Row(row), f))
        })
        .unwrap();
        put += start.elapsed();
        forward_bytes += forwards.iter().map(|f| f.encode().len()).sum::<usize>();
        let start = Watch::start();
        for (forward, row) in forwards.into_iter().zip(first..) {
            index.append(Row(row), forward);
        }
        append += start.elapsed();
        loop {
            let start = Watch::start();
            let plan = store::plan(&index, &file.snapshot().unwrap()).unwrap();
            plan_time += start.elapsed();
            let Some(plan) = plan else { break };
            *(if plan.is_fold() {
                &mut folds
            } else {
                &mut merges
            }) += 1;
            let start = Watch::start();
            let (published, _) = file.write(|tx| store::publish(tx, &plan)).unwrap();
            index.apply_published(&published.unwrap());
            publish += start.elapsed();
        }
    }
    let each = |time: Duration| time.as_nanos() as f64 / 1000.0 / f64::from(documents);
    println!(
        "{documents} texts of {WORDS} words: analyse {:.1} us, put {:.1} us, append {:.1} us, plan {:.1} \
         us, publish {:.1} us each; {folds} folds, {merges} merges",
        each(analyse),
        each(put),
        each(append),
        each(plan_time),
        each(publish)
    );
    println!(
        "segments (stored, in memory): {:?}; index in memory {} bytes a text",
        index.segments(),
        index.memory() / documents as usize
    );
    println!(
        "forward lists {} bytes a text",
        forward_bytes / documents as usize
    );
    drop(index);
    let start = Instant::now();
    let opened = store::open(&file.snapshot().unwrap(), NS, settings, Arc::clone(&cache)).unwrap();
    println!("open: {:.2} ms", start.elapsed().as_secs_f64() * 1000.0);
    let index = opened.index;
    let start = Instant::now();
    let question = random.text(6);
    let snapshot = file.snapshot().unwrap();
    index
        .matches(&snapshot, Analyzer.query(&question), Bm25::default())
        .unwrap()
        .top(10, |_| true)
        .unwrap();
    println!(
        "first answer: {:.2} ms",
        start.elapsed().as_secs_f64() * 1000.0
    );
    drop(snapshot);
    searches(&index, &file, documents);
    println!(
        "chunk cache {:.1} MB, index {:.1} MB",
        cache.bytes() as f64 / 1e6,
        index.memory() as f64 / 1e6
    );
    let mut removal = Vec::new();
    let mut index = index;
    for i in 0..50 {
        let row = Row(documents / 50 * i);
        let start = Watch::start();
        let (removed, _) = file.write(|tx| store::remove(tx, NS, &[row])).unwrap();
        index.apply_removed(&removed).unwrap();
        removal.push(start.elapsed());
    }
    report("delete one", removal);
    let size = || std::fs::metadata(&path).unwrap().len() / u64::from(documents);
    let before = size();
    while file.compact().unwrap() {}
    println!("file {before} bytes a text, after compaction {}", size());
    assert!(
        documents > 200_000
            || store::validate(&file.snapshot().unwrap(), NS)
                .unwrap()
                .is_clean()
    );
}
