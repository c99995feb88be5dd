//! Whether what is thought above a decision goes with it.
//!
//! In how many words a decision can be taken back no list could say: "a shame to delete it", 删除不妥. What goes with it is said in few. So a thought may
//! speak of deleting, keeping and promoting in these few words alone, and with the noes that the decision asks for: "it can be deleted", "no need to
//! keep it". Whatever else it says of them is asked about once more.

use annals_types::Judgement;

use crate::denial::{english, is_no, names};

/// How words begin that speak of deleting, of keeping and of promoting, or of any of them, with `|` between them. A space ends the word.
const DELETING: &str = "delet|remov|discard|erase|erasing|purge|throw|threw|rid |删|移除|清除|丢弃|丢|扔";
const KEEPING: &str = "keep|kept|retain|preserv|保留|保存|留";
const PROMOTING: &str = "promot|upgrad|升|晋";
const CHOOSING: &str = "choos|chose";
const STEMS: [&str; 4] = [DELETING, KEEPING, PROMOTING, CHOOSING];
/// What may stand beside them. Chinese words are taken out in this order.
const PLAIN: &str = "a|an|any|the|this|that|it|it's|memory|entry|one|core|there|i|we|be|being|is|are|do|does|has|should|can|must|will|would|\
     let's|to|for|of|as|so|therefore|now|simply|also|best|better|safe|safely|fine|ok|decide|decided|decision|verdict|conclusion|\
     answer|recommend|suggest|propose|need|needs|reason|worth|further|value|in|use|point|longer|more|anymore|away|get|getting";
const PLAIN_HAN: &str = "记忆|核心|可以|应该|应当|能够|予以|直接|安全|建议|决定|选择|认为|觉得|结论|判断|最好|现在|需要|值得|必要|价值|意义|\
     理由|继续|长期|适合|合理|这|该|此|条|它|我|们|的|了|掉|除|可|应|能|会|要|将|把|被|是|为|成|到|提|级|已|再|需|须|必|用|有|\
     吧|即|就|更|好|大";
const NOES_HAN: [char; 7] = ['不', '没', '无', '未', '别', '勿', '非'];
/// What a clause that only forbids may hold beside its no: "do not", 千万不要.
const BARE: &str = "do|please|ever|should|must|can|could|may|might|would|shall|i|we|you|one|it|this|that|so|by|means|way|under|\
     circumstances|any|at|all|better|rather|just|really|absolutely|definitely";
const BARE_HAN: &str = "千万|绝对|可以|应该|应当|这样|这么|做|可|应|该|绝|决|切|得|准|许|要|能|请|行|我|你|们|再";
/// What turns round what was said before it.
const TURNS: &str = "but|however|although|though|yet|unless|if|except|wait|但|不过|然而|可是|除非|如果|等等";
/// What follows from a no is not under it: "not important, so delete it".
const THEREFORE: [&str; 6] = [" so ", " therefore ", " thus ", " hence ", "所以", "因此"];
/// What joins clauses of one sentence.
const JOINTS: [&str; 3] = [" and ", " because ", " since "];

/// What ends a sentence.
const ENDS: [char; 11] = ['.', ';', ':', '!', '?', '。', '；', '：', '！', '？', '\n'];

/// Whether the lines of a thought say nothing against a decision.
pub(super) fn agrees(lines: &[&str], decision: &Judgement) -> bool {
    let (own, contrary) = match decision {
        Judgement::Delete => (DELETING, KEEPING),
        // What is worth keeping may be worth more.
        _ => (PROMOTING, DELETING),
    };
    let text = lines.join("\n").to_lowercase().replace('’', "'");
    let text = THEREFORE.iter().fold(text, |text, word| text.replace(word, ". "));
    let text = JOINTS.iter().fold(text, |text, word| text.replace(word, ", "));
    let mut decided = false;
    text.split_inclusive(ENDS).all(|sentence| {
        sentence.split([',', '，', '、']).enumerate().all(|(at, clause)| {
            let own = speaks_of(clause, own) || speaks_of(clause, CHOOSING);
            let contrary = speaks_of(clause, contrary);
            if !own && !contrary {
                return !(forbids(clause) || decided && names(clause, TURNS));
            }
            decided = true;
            let plain = own != contrary && noes(clause, (PLAIN, PLAIN_HAN)) == Some(usize::from(contrary));
            plain && !(at > 0 && hangs(clause)) && !sentence.ends_with(['?', '？'])
        })
    })
}

/// Whether a clause forbids and does not say what, so that it may be what another clause speaks of: "Do not, as it matters. It is to be deleted".
fn forbids(clause: &str) -> bool {
    noes(clause, (BARE, BARE_HAN)).is_some_and(|noes| noes > 0)
}

/// Whether a clause goes on with what stands before a comma: "I would not, on balance, delete it".
fn hangs(clause: &str) -> bool {
    words(clause).next().is_some_and(|word| {
        matches!(word, "to" | "be" | "been" | "being") || STEMS.iter().any(|stems| begins(word, stems))
    })
}

/// The noes of a clause; `None` where it holds any word that speaks of no decision and is none of these.
fn noes(clause: &str, (plain, plain_han): (&str, &str)) -> Option<usize> {
    let mut noes: usize = 0;
    for word in words(clause) {
        match is_no(word) {
            true => noes = noes.saturating_add(1),
            false if plain.split('|').any(|plain| plain == word) => {}
            false if STEMS.iter().any(|stems| begins(word, stems)) => {}
            false => return None,
        }
    }
    let rest: String = clause.chars().filter(|c| !c.is_ascii() && c.is_alphanumeric()).collect();
    let known = STEMS.iter().flat_map(|stems| stems.split('|')).chain(plain_han.split('|'));
    let rest = known.filter(|word| !word.is_ascii()).fold(rest, |rest, word| rest.replace(word, ""));
    rest.chars().all(|c| NOES_HAN.contains(&c)).then(|| noes.saturating_add(rest.chars().count()))
}

fn speaks_of(clause: &str, stems: &str) -> bool {
    words(clause).any(|word| begins(word, stems))
        || stems.split('|').any(|stem| !stem.is_ascii() && clause.contains(stem))
}

/// The English words of a clause, without quotes around them.
fn words(clause: &str) -> impl Iterator<Item = &str> {
    english(clause).map(|word| word.trim_matches('\''))
}

fn begins(word: &str, stems: &str) -> bool {
    let begins = |stem: &str| stem.strip_suffix(' ').map_or_else(|| word.starts_with(stem), |whole| word == whole);
    stems.split('|').any(begins)
}

#[cfg(test)]
mod tests {
    use annals_types::Judgement::{Delete, Promote};

    use super::*;

    #[test]
    fn a_deletion_is_sure_where_the_thought_speaks_of_it_in_plain_words() {
        for thought in [
            "The user no longer lives there. It is of no use.",
            "It is not important so delete it.",
            "It is not a preference and should be deleted.",
            "This memory is outdated, so it can be deleted.",
            "It can be deleted because it is not important.",
            "Since the trip is over, I would delete it.",
            "There is no need to keep it.",
            "It isn't worth keeping.\nI recommend to delete this memory.",
            "It's safe to delete.",
            "There is no further value in keeping this memory.",
            "她以前喜欢，但现在不喜欢了，可以删除。",
            "它不重要，可以删除。",
            "面试已经过去了，没有必要再保留这条记忆。",
            "没有保留价值。\n建议删除。",
            "保留它没有意义，所以应该直接删除。",
            "It is of no use.",
            "它没有用，可以删除",
            "Her bike ride is over. It is safe to get rid of it.",
            "It can be thrown away.",
            "没有用了，可以扔掉它。",
            "She lives there no more, it's not so any longer, and it can be deleted.",
            "不需要了，可以删除。",
        ] {
            assert!(agrees(&thought.lines().collect::<Vec<_>>(), &Delete), "{thought}");
        }
    }

    #[test]
    fn a_deletion_is_unsure_where_the_thought_says_anything_else_of_it() {
        for thought in [
            "I would keep it.",
            "I'd keep it",
            "It would be a mistake to remove this.",
            "It would be a mistake not to keep it.",
            "Better not delete.",
            "This must not be deleted.",
            "I wouldn’t remove it.",
            "I would not, on balance, delete it.",
            "I would not go ahead and delete it.",
            "What a shame to delete it.",
            "Deleting it would be wrong.",
            "It could be deleted.",
            "It can be deleted, but that would be a loss.",
            "It can be deleted.\nHowever, it still holds.",
            "Should it be deleted? I think so.",
            "I am not sure it should be deleted.",
            "It should be deleted or kept.",
            "I would not choose it.",
            "There is no reason at all that I know of to delete it.",
            "保留更好。",
            "应当保留。",
            "不能删除，它很重要。",
            "不应该把这条记忆删除。",
            "没有理由删除。",
            "删除它太可惜了。",
            "不保留太可惜。",
            "不能不保留。",
            "不要因为过时而删除。",
            "是否应该删除，很难说。",
            "可以删除，不过它还有用。",
            "Under no circumstances should this, her allergy, be deleted.",
            "Never should this have, as she says, been deleted.",
            "千万不要，因为很重要，删掉它。",
            "不可以，删掉它。",
            "请别这样，它很重要，可以删除。",
            "绝对不行，删掉它。",
            "Do not, because it matters, and delete it",
            "Do not, because it matters, and it should be deleted.",
            "Please don't, it matters. It should be deleted.",
            "You must never, by any means. It can be deleted.",
            "不行。\n可以删除。",
            "Don't throw it away.",
            "It must not be thrown away.",
            "I would not get rid of it.",
            "别扔掉它。",
            "别丢了它。",
        ] {
            assert!(!agrees(&thought.lines().collect::<Vec<_>>(), &Delete), "{thought}");
        }
    }

    #[test]
    fn what_is_worth_keeping_may_be_promoted() {
        for (thought, wanted) in [
            ("生日是长期事实，值得长期保留，应该升级为核心记忆。", true),
            ("It must not be deleted. It can be promoted.", true),
            ("不建议升级。", false),
            ("It should not be promoted.", false),
            ("可以删除。", false),
        ] {
            assert_eq!(agrees(&[thought], &Promote), wanted, "{thought}");
        }
    }
}
