//! The tables of `cargo xtask specs`.

use std::collections::BTreeMap;

use super::list::{List, Requirement};

/// A test that proves a requirement, and where it says so.
pub struct Proof {
    pub test: String,
    pub place: String,
}

type Proofs = BTreeMap<String, Vec<Proof>>;

/// Prints what is proven, what is open if asked for, and the counts of each profile.
pub fn print(list: &List, proofs: &Proofs, open: bool) {
    println!("{:6} {:90} file", "id", "test");
    for requirement in list.requirements() {
        for proof in proofs.get(&requirement.id).into_iter().flatten() {
            println!("{:6} {:90} {}", requirement.id, proof.test, proof.place);
        }
    }
    if open {
        println!("\nopen");
        for section in &list.sections {
            let title = &section.title;
            for requirement in section.requirements.iter().filter(|one| Count::default().add(one, proofs).open == 1) {
                let told = if requirement.accept.is_empty() { title } else { &requirement.accept };
                println!("{:6} {told}", requirement.id);
            }
        }
    }
    println!("\n{:12} {:>6} {:>8} {:>6} {:>14}", "profile", "all", "proven", "open", "out of scope");
    let counts = counts(list, proofs);
    for (profile, count) in &counts {
        row(profile, count);
    }
    let all = counts.iter().fold(Count::default(), |all, (_, count)| all.plus(count));
    row("in all", &all);
}

fn row(name: &str, count: &Count) {
    let Count { proven, open, out } = count;
    println!("{name:12} {:>6} {proven:>8} {open:>6} {out:>14}", proven + open + out);
}

/// How many requirements are proven, open, and out of scope without a proof.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    proven: usize,
    open: usize,
    out: usize,
}

impl Count {
    fn add(mut self, requirement: &Requirement, proofs: &Proofs) -> Self {
        if proofs.contains_key(&requirement.id) {
            self.proven += 1;
        } else if requirement.out_of_scope() {
            self.out += 1;
        } else {
            self.open += 1;
        }
        self
    }

    fn plus(self, other: &Self) -> Self {
        Self { proven: self.proven + other.proven, open: self.open + other.open, out: self.out + other.out }
    }
}

/// The counts of each profile, in the list's order.
fn counts<'a>(list: &'a List, proofs: &Proofs) -> Vec<(&'a str, Count)> {
    let mut counts: Vec<(&str, Count)> = Vec::new();
    for section in &list.sections {
        if counts.last().is_none_or(|(profile, _)| *profile != section.profile) {
            counts.push((&section.profile, Count::default()));
        }
        if let Some((_, count)) = counts.last_mut() {
            *count = section.requirements.iter().fold(*count, |count, one| count.add(one, proofs));
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_counts_before_a_tag() {
        let list = List::parse(
            "[[section]]\nprofile = \"graph\"\ntitle = \"a\"\nids = [\"G-01\", \"G-02\"]\ndeferred = [\"G-02\"]\n\
             [[section]]\nprofile = \"graph\"\ntitle = \"b\"\nids = [\"G-03\", \"G-04\"]\nsubstitution = [\"G-03\"]\n\
             [[section]]\nprofile = \"shared\"\ntitle = \"c\"\nids = [\"X-01\"]\n",
        )
        .expect("a list");
        let proof = || vec![Proof { test: "annals-graph a_walk".to_owned(), place: "lib.rs:1".to_owned() }];
        let proofs = [("G-01".to_owned(), proof()), ("G-03".to_owned(), proof())].into();
        let graph = Count { proven: 2, open: 1, out: 1 };
        let shared = Count { proven: 0, open: 1, out: 0 };
        assert_eq!(counts(&list, &proofs), [("graph", graph), ("shared", shared)]);
    }
}
