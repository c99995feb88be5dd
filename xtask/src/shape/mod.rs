//! The shape of the workspace in numbers, held against limits: what grew is seen before it is a
//! knot.

mod edges;
mod limits;
mod methods;
mod source;
mod tables;
mod tuples;

use std::collections::BTreeMap;

use self::source::Crate;
use crate::shell::Done;
use crate::workspace;

/// Columns that a line may have.
const COLUMNS: usize = 120;

/// Numbers by measure, then by name.
type Numbers = BTreeMap<&'static str, BTreeMap<String, u64>>;

/// Where something counted stands, for whoever wants to make it fewer.
type Places = Vec<String>;

/// Measures the workspace, prints the numbers and fails where one is above its limit. `--list` adds
/// the places, `--set` writes the numbers as limits.
pub fn run(args: &[String]) -> Done {
    let flag = |name: &str| args.iter().any(|arg| arg == name);
    let crates: Vec<Crate> = workspace::packages()?
        .iter()
        .filter_map(|package| Crate::read(package).transpose())
        .collect::<Result<_, _>>()?;
    let (numbers, places) = measure(&crates);
    if flag("--set") {
        return limits::write(&numbers);
    }
    let limits = limits::read()?;
    for (measure, by_name) in &numbers {
        println!("{measure}, {} in all", by_name.values().sum::<u64>());
        for (name, number) in by_name {
            println!(
                "{number:9}  {}  {name}",
                limits::shown(&limits, measure, name)
            );
        }
    }
    if flag("--list") {
        places.iter().for_each(|place| println!("{place}"));
    }
    match limits::broken(&limits, &numbers).as_slice() {
        [] => Ok(()),
        broken => Err(format!(
            "above their limits in xtask/shape.toml:\n{}",
            broken.join("\n")
        )),
    }
}

fn measure(crates: &[Crate]) -> (Numbers, Places) {
    let (mut numbers, mut places) = (Numbers::new(), Places::new());
    let mut add = |measure, name: String, number: u64| {
        *numbers.entry(measure).or_default().entry(name).or_default() += number;
    };
    for one in crates {
        for source in &one.sources {
            add(
                "lines",
                one.name.clone(),
                count(source.text.lines().count()),
            );
            let long = source
                .text
                .lines()
                .enumerate()
                .filter(|(_, line)| line.chars().count() > COLUMNS);
            let long: Places = long
                .map(|(at, _)| format!("long line  {}:{}", source.path, at + 1))
                .collect();
            if !long.is_empty() {
                add(
                    "lines over 120 columns",
                    one.name.clone(),
                    count(long.len()),
                );
            }
            places.extend(long);
        }
        for table in tables::of(one) {
            add("tables", one.name.clone(), 1);
            places.push(format!("table  {}  {table}", one.name));
        }
        for table in tables::unlisted(one) {
            add("keyspaces without a table", one.name.clone(), 1);
            places.push(format!("keyspace  {}  {table}", one.name));
        }
        for place in tuples::of(one) {
            add("tuple parameters", one.name.clone(), 1);
            places.push(format!("tuple  {place}"));
        }
        for (name, number) in methods::of(one) {
            if number > methods::FEW {
                add("methods", format!("{} {name}", one.name), number);
            }
        }
        for (other, items) in edges::of(one, crates) {
            add(
                "items across an edge",
                format!("{} -> {other}", one.name),
                count(items.len()),
            );
            places.extend(
                items
                    .iter()
                    .map(|item| format!("edge  {} -> {other}  {item}", one.name)),
            );
        }
    }
    (numbers, places)
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
