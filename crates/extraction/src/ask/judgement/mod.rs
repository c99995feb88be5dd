//! What a reviewer decided.
//!
//! What is kept can be judged again, and a search changes nothing, so that the last of these decisions counts wherever it stands. What is deleted is
//! gone for good, and what is promoted fades no more and stands in every prompt: such a decision counts only where its shape leaves no doubt, and is
//! none otherwise. It stands alone, or behind words that choose and nothing else, and what follows is a reason and nothing else. To ask once more costs
//! little; what is gone does not come back.

mod mention;
mod reasons;
#[cfg(test)]
mod tests;
mod words;

use annals_types::Judgement;

use crate::reply::spoken;
use mention::{Mention, Shape, mentions};

/// The last decision of an answer. One that is taken back is none, and a list of what could be decided is none either.
pub(super) fn judgement(answer: &str) -> Judgement {
    let text = spoken(answer).replace('’', "'");
    let mentions = mentions(&text);
    let mut last = None;
    for (at, mention) in mentions.iter().enumerate() {
        if mention.listed {
            last = None;
        } else if !mention.is_denied() {
            last = Some((at, mention));
        }
    }
    let meant = last.filter(|(at, last)| !last.is_weighty() || is_clear(last, *at, &mentions));
    meant.map_or(Judgement::Undecided, |(_, mention)| mention.decided.clone())
}

/// Whether a deletion or a promotion is beyond doubt: brought in as the one that is meant, in another way than any other decision that the answer
/// names, not forbidden right before it, and with nothing behind it but a reason.
fn is_clear(meant: &Mention<'_>, at: usize, mentions: &[Mention<'_>]) -> bool {
    let others = mentions.iter().filter(|other| other.decided != meant.decided && !other.listed && !other.is_denied());
    // Behind the last that is not denied, the same one stands only where it is denied.
    let denied_later = mentions.iter().skip(at + 1).any(|later| later.decided == meant.decided);
    meant.shape != Shape::Loose
        && others.into_iter().all(|other| other.shape != meant.shape)
        && !denied_later
        && meant.stands()
}
