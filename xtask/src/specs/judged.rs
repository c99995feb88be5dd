//! Whether a test proves what it cites: by the profiles that it worked under, and the embedder.

use std::collections::BTreeSet;

use super::allowed::{Allowed, Way};
use crate::witness::Seen;

/// The profile of requirements that all designs share.
const SHARED: &str = "shared";
const DEFAULT: &str = "default";
const OWN: &str = "own";

/// How a test proves a requirement of a design: in the usual way, or in others that its words must
/// allow.
pub fn judge(
    id: &str,
    design: &str,
    seen: &BTreeSet<Seen>,
    allowed: &Allowed,
) -> Result<Vec<Way>, &'static str> {
    let may = |way: Way| allowed.contains_key(&(id.to_owned(), way));
    let of_design = |one: &&Seen| {
        one.profile == design || design == SHARED && ![DEFAULT, OWN].contains(&&*one.profile)
    };
    if seen.is_empty() {
        return if may(Way::Layer) {
            Ok(vec![Way::Layer])
        } else {
            Err("no memories under a profile")
        };
    }
    if seen.iter().filter(of_design).any(|one| one.shipped) {
        return Ok(Vec::new());
    }
    if seen.iter().any(|one| of_design(&one)) {
        return if may(Way::Cosine) {
            Ok(vec![Way::Cosine])
        } else {
            Err("scripted likeness")
        };
    }
    let changed: Vec<&Seen> = seen.iter().filter(|one| one.profile == OWN).collect();
    if changed.is_empty() {
        let default = seen.iter().any(|one| one.profile == DEFAULT);
        return Err(if default {
            "the default profile"
        } else {
            "the profile of another design"
        });
    }
    let scripted = changed.iter().all(|one| !one.shipped);
    match (may(Way::Changed), scripted, may(Way::Cosine)) {
        (false, ..) => Err("a changed profile"),
        (true, false, _) => Ok(vec![Way::Changed]),
        (true, true, true) => Ok(vec![Way::Changed, Way::Cosine]),
        (true, true, false) => Err("scripted likeness under a changed profile"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(all: &[(&str, bool)]) -> BTreeSet<Seen> {
        all.iter()
            .map(|(profile, shipped)| Seen {
                profile: (*profile).to_owned(),
                shipped: *shipped,
            })
            .collect()
    }

    fn judged(id: &str, all: &[(&str, bool)]) -> Result<Vec<Way>, &'static str> {
        let ways = [
            ("S-02", Way::Cosine),
            ("S-03", Way::Changed),
            ("S-04", Way::Layer),
        ];
        let both = [("S-05", Way::Changed), ("S-05", Way::Cosine)];
        let allowed = ways
            .into_iter()
            .chain(both)
            .map(|(id, way)| ((id.to_owned(), way), "0.5".to_owned()))
            .collect();
        judge(id, "studio", &seen(all), &allowed)
    }

    #[test]
    fn the_own_profile_of_the_design_proves() {
        assert_eq!(judged("S-01", &[("studio", true)]), Ok(vec![]));
        assert_eq!(
            judged(
                "S-01",
                &[("default", true), ("studio", true), ("studio", false)]
            ),
            Ok(vec![])
        );
        assert_eq!(
            judged("S-01", &[("default", true)]),
            Err("the default profile")
        );
        assert_eq!(
            judged("S-01", &[("graph", true)]),
            Err("the profile of another design")
        );
    }

    #[test]
    fn other_ways_need_words_that_allow_them() {
        assert_eq!(
            judged("S-01", &[("studio", false), ("default", true)]),
            Err("scripted likeness")
        );
        assert_eq!(judged("S-02", &[("studio", false)]), Ok(vec![Way::Cosine]));
        assert_eq!(judged("S-01", &[("own", true)]), Err("a changed profile"));
        assert_eq!(judged("S-03", &[("own", true)]), Ok(vec![Way::Changed]));
        assert_eq!(
            judged("S-03", &[("own", false)]),
            Err("scripted likeness under a changed profile")
        );
        assert_eq!(
            judged("S-05", &[("own", false)]),
            Ok(vec![Way::Changed, Way::Cosine])
        );
        assert_eq!(judged("S-01", &[]), Err("no memories under a profile"));
        assert_eq!(judged("S-04", &[]), Ok(vec![Way::Layer]));
    }

    #[test]
    fn shared_rules_hold_under_any_design() {
        let judged =
            |profile: &str| judge("X-01", SHARED, &seen(&[(profile, true)]), &Allowed::new());
        assert_eq!(judged("agent"), Ok(vec![]));
        assert_eq!(
            (judged("default").is_err(), judged("own").is_err()),
            (true, true)
        );
    }
}
