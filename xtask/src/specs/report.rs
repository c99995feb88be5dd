//! The tables of `cargo xtask specs`.

use std::collections::BTreeMap;

use super::allowed::Way;
use super::list::{List, Requirement};

/// A test that proves a requirement, and where it says so.
pub struct Proof {
    pub test: String,
    pub place: String,
    /// What its requirement had to allow; nothing for the usual proof.
    pub ways: Vec<Way>,
}

/// A test that shows a part of a requirement, and what it lacks.
pub struct Part {
    pub test: String,
    pub why: String,
}

type Proofs = BTreeMap<String, Vec<Proof>>;
type Parts = BTreeMap<String, Vec<Part>>;

/// Prints what is proven, what is open if asked for, and the counts of each profile.
pub fn print(list: &List, proofs: &Proofs, parts: &Parts, open: bool) {
    println!("{:6} {:90} file", "id", "test");
    for requirement in list.requirements() {
        for proof in proofs.get(&requirement.id).into_iter().flatten() {
            let ways: String = proof.ways.iter().map(|way| format!("  {way:?}")).collect();
            println!(
                "{:6} {:90} {}{}",
                requirement.id,
                proof.test,
                proof.place,
                ways.to_lowercase()
            );
        }
    }
    if open {
        println!("\nopen");
        let is_open =
            |requirement: &&Requirement| Count::default().add(requirement, proofs).open == 1;
        for section in &list.sections {
            section
                .requirements
                .iter()
                .filter(is_open)
                .for_each(|one| print_open(one, &section.title, parts));
        }
    }
    let heads = [
        "all",
        "proven",
        "by cosine",
        "changed",
        "by layer",
        "open",
        "out of scope",
    ];
    println!(
        "\n{:12}{}",
        "profile",
        heads.map(|head| format!(" {head:>12}")).concat()
    );
    let counts = counts(list, proofs);
    for (profile, count) in &counts {
        row(profile, count);
    }
    let all = counts
        .iter()
        .fold(Count::default(), |all, (_, count)| all.plus(count));
    row("in all", &all);
}

/// An open requirement with what it asks for, and why each test that shows a part of it does not
/// prove it.
fn print_open(requirement: &Requirement, title: &str, parts: &Parts) {
    let told = if requirement.accept.is_empty() {
        title
    } else {
        &requirement.accept
    };
    println!("{:6} {told}", requirement.id);
    match parts.get(&requirement.id) {
        Some(parts) => parts
            .iter()
            .for_each(|part| println!("{:8} in part: {}: {}", "", part.test, part.why)),
        None => println!("{:8} no test", ""),
    }
}

fn row(name: &str, count: &Count) {
    let Count {
        proven,
        cosine,
        changed,
        layer,
        open,
        out,
    } = count;
    let all = proven + cosine + changed + layer + open + out;
    let numbers = [all, *proven, *cosine, *changed, *layer, *open, *out]
        .map(|number| format!(" {number:>12}"));
    println!("{name:12}{}", numbers.concat());
}

/// How many requirements are proven in the usual way, with what their words allow, open, and out of
/// scope without a proof.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    proven: usize,
    cosine: usize,
    changed: usize,
    layer: usize,
    open: usize,
    out: usize,
}

impl Count {
    fn add(mut self, requirement: &Requirement, proofs: &Proofs) -> Self {
        let proofs = proofs.get(&requirement.id).map_or(&[][..], Vec::as_slice);
        let counted = match proofs
            .iter()
            .map(|proof| &proof.ways[..])
            .min_by_key(|ways| ways.len())
        {
            Some([]) => &mut self.proven,
            Some([Way::Cosine, ..]) => &mut self.cosine,
            Some([Way::Changed, ..]) => &mut self.changed,
            Some([Way::Layer, ..]) => &mut self.layer,
            None if requirement.out_of_scope() => &mut self.out,
            None => &mut self.open,
        };
        *counted += 1;
        self
    }

    fn plus(self, other: &Self) -> Self {
        Self {
            proven: self.proven + other.proven,
            cosine: self.cosine + other.cosine,
            changed: self.changed + other.changed,
            layer: self.layer + other.layer,
            open: self.open + other.open,
            out: self.out + other.out,
        }
    }
}

/// The counts of each profile, in the list's order.
fn counts<'a>(list: &'a List, proofs: &Proofs) -> Vec<(&'a str, Count)> {
    let mut counts: Vec<(&str, Count)> = Vec::new();
    for section in &list.sections {
        if counts
            .last()
            .is_none_or(|(profile, _)| *profile != section.profile)
        {
            counts.push((&section.profile, Count::default()));
        }
        if let Some((_, count)) = counts.last_mut() {
            *count = section
                .requirements
                .iter()
                .fold(*count, |count, one| count.add(one, proofs));
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
        let proof = |ways| Proof {
            test: "annals-graph a_walk".to_owned(),
            place: "lib.rs:1".to_owned(),
            ways,
        };
        let proofs = [
            (
                "G-01".to_owned(),
                vec![proof(vec![Way::Cosine]), proof(vec![])],
            ),
            (
                "G-03".to_owned(),
                vec![
                    proof(vec![Way::Changed, Way::Cosine]),
                    proof(vec![Way::Layer]),
                ],
            ),
        ];
        let proofs = proofs.into();
        let graph = Count {
            proven: 1,
            layer: 1,
            open: 1,
            out: 1,
            ..Count::default()
        };
        let shared = Count {
            open: 1,
            ..Count::default()
        };
        assert_eq!(
            counts(&list, &proofs),
            [("graph", graph), ("shared", shared)]
        );
    }
}
