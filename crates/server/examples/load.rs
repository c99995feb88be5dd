//! Loads a running server: 64 connections, four searches to one write, until so many requests are
//! answered. Then every write that was acknowledged is looked for.
//!
//! ```text
//! $ annals --db load.annals serve --listen 127.0.0.1:8080 &
//! $ TOKEN=$(annals --db load.annals token create load -n load -q)
//! $ cargo run -p annals-server --example load -- 127.0.0.1:8080 $TOKEN 200000 $!
//! ```
//!
//! With the number of the server's process the memory that it takes is told, too (Linux).

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a program to measure with ends where it fails; JSON without a field is null"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

const CONNECTIONS: usize = 64;
const SPACE: &str = "/v1/namespaces/load";
const PEOPLE: [&str; 8] = ["Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gus", "Hana"];
const THINGS: [&str; 8] = [
    "tea", "bees", "chess", "boats", "maps", "tulips", "trains", "clocks",
];

/// What all connections count together.
#[derive(Default)]
struct Counts {
    /// Requests that were begun.
    begun: AtomicU64,
    done: Mutex<Done>,
}

#[derive(Default)]
struct Done {
    statuses: BTreeMap<u16, u64>,
    errors: Vec<String>,
    reads: Vec<Duration>,
    writes: Vec<Duration>,
    stored: BTreeSet<String>,
}

/// A connection that stays open.
struct Client {
    address: String,
    token: String,
    stream: BufReader<TcpStream>,
}

impl Client {
    fn open(address: &str, token: &str) -> std::io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self {
            address: address.to_owned(),
            token: token.to_owned(),
            stream: BufReader::new(stream),
        })
    }

    /// The status and the body of an answer.
    fn call(&mut self, method: &str, path: &str, body: &str) -> std::io::Result<(u16, Value)> {
        let kind = if body.is_empty() {
            ""
        } else {
            "Content-Type: application/json\r\n"
        };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n{kind}\
             Content-Length: {}\r\n\r\n{body}",
            self.address,
            self.token,
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes())?;
        let bad = |why: &str| std::io::Error::other(why.to_owned());
        let (mut status, mut length) = (0, 0);
        loop {
            let mut line = String::new();
            if self.stream.read_line(&mut line)? == 0 {
                return Err(bad("the connection was closed"));
            }
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            if let Some(rest) = line.strip_prefix("HTTP/1.1 ") {
                status = rest
                    .get(..3)
                    .and_then(|word| word.parse().ok())
                    .ok_or_else(|| bad(line))?;
            }
            if let Some((_, value)) = line
                .split_once(':')
                .filter(|(name, _)| name.eq_ignore_ascii_case("content-length"))
            {
                length = value.trim().parse().map_err(|_| bad(line))?;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        let told = if body.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(&body)?
        };
        Ok((status, told))
    }
}

/// Sends requests until all of them were begun.
fn work(address: &str, token: &str, most: u64, counts: &Counts) {
    let mut client = Client::open(address, token).expect("a connection");
    loop {
        let number = counts.begun.fetch_add(1, Ordering::Relaxed);
        if number >= most {
            return;
        }
        let of = |words: &[&'static str; 8], by: u64| {
            let place = usize::try_from((number / by) % 8).unwrap_or_default();
            words.get(place).copied().unwrap_or_default()
        };
        let (person, thing) = (of(&PEOPLE, 5), of(&THINGS, 40));
        let is_write = number.is_multiple_of(5);
        let (path, body) = match is_write {
            true => (
                "/memories",
                format!(r#"{{"text": "{person} said in note {number} that {thing} matter"}}"#),
            ),
            false => (
                "/memories/search",
                format!(r#"{{"query": "What does {person} say of {thing}?", "top_k": 5}}"#),
            ),
        };
        let begin = Instant::now();
        let answered = client.call("POST", &format!("{SPACE}{path}"), &body);
        let took = begin.elapsed();
        let mut done = counts.done.lock().expect("nobody panicked");
        match answered {
            Ok((status, answer)) => {
                *done.statuses.entry(status).or_default() += 1;
                if is_write {
                    &mut done.writes
                } else {
                    &mut done.reads
                }
                .push(took);
                match answer["memory"]["id"].as_str() {
                    Some(id) if is_write => drop(done.stored.insert(id.to_owned())),
                    None if status >= 400 => done.errors.push(answer.to_string()),
                    _ => {}
                }
            }
            Err(error) => {
                done.errors.push(error.to_string());
                drop(done);
                client = Client::open(address, token).expect("another connection");
            }
        }
    }
}

/// The bytes that a process holds in memory, in MiB.
fn memory_of(process: Option<&str>) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process?)).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? / 1024)
}

fn percentile(times: &mut [Duration], percent: usize) -> f64 {
    times.sort();
    times
        .get(times.len().saturating_sub(1) * percent / 100)
        .map_or(0.0, |time| time.as_secs_f64() * 1000.0)
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [address, token, most, rest @ ..] = args.as_slice() else {
        println!("usage: load ADDRESS TOKEN REQUESTS [PROCESS]");
        return;
    };
    let (most, process) = (
        most.parse::<u64>().expect("a number of requests"),
        rest.first().map(String::as_str),
    );
    let (counts, begin) = (Counts::default(), Instant::now());
    std::thread::scope(|scope| {
        for _ in 0..CONNECTIONS {
            scope.spawn(|| work(address, token, most, &counts));
        }
        scope.spawn(|| {
            for tenth in 1..=10 {
                while counts.begun.load(Ordering::Relaxed) < most * tenth / 10 {
                    std::thread::sleep(Duration::from_millis(20));
                }
                let held =
                    memory_of(process).map_or_else(String::new, |held| format!(", {held} MiB"));
                println!(
                    "{} requests after {:.1} s{held}",
                    most * tenth / 10,
                    begin.elapsed().as_secs_f64()
                );
            }
        });
    });
    let took = begin.elapsed().as_secs_f64();
    let mut done = counts.done.into_inner().expect("nobody panicked");
    #[expect(clippy::cast_precision_loss, reason = "a rate to read")]
    let rate = most as f64 / took;
    println!(
        "{rate:.0} requests a second; by status: {:?}; errors: {}",
        done.statuses,
        done.errors.len()
    );
    for error in done.errors.iter().take(3) {
        println!("  {error}");
    }
    for (name, times) in [("searches", &mut done.reads), ("writes", &mut done.writes)] {
        let (half, most) = (percentile(times, 50), percentile(times, 99));
        println!("{} {name}: p50 {half:.2} ms, p99 {most:.2} ms", times.len());
    }
    let mut client = Client::open(address, token).expect("a connection");
    let (mut there, mut after) = (BTreeSet::new(), String::new());
    loop {
        let (_, page) = client
            .call("GET", &format!("{SPACE}/memories?limit=500{after}"), "")
            .expect("a page");
        let ids = page["memories"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|memory| memory["id"].as_str());
        there.extend(ids.map(str::to_owned));
        let Some(next) = page["next"].as_str() else {
            break;
        };
        after = format!("&after={next}");
    }
    let lost = done.stored.difference(&there).count();
    println!(
        "{} writes acknowledged, {} of them not there",
        done.stored.len(),
        lost
    );
    if lost > 0 || !done.errors.is_empty() {
        std::process::exit(1);
    }
}
