//! The words behind a decision that cannot be judged again; all texts in lower case. A bare decision acts, and one with a reason: what else may follow
//! is open, so that what acts is listed, and whatever could tie the decision to something is no reason.

use annals_types::Judgement;

use super::words::{denies, is_stop, says_something};
use crate::denial::{self, is_among, names};

/// What ends an answer and says nothing.
const CLOSINGS: &str =
    "以上|这是我的决定|this is my decision|that is my decision|就这样|完毕|谢谢|that's all|done|thanks";
/// What brings a reason in.
const MARKERS: &str = "因|由于|理由|原因|鉴于|毕竟|because|since|due to|reason|reasons|reasoning|rationale";
/// What else a sentence begins with that gives a reason: what is judged, or what it is.
const SUBJECTS: &str = "这|该|此|它|记忆|内容|信息|已|早已|过时|过期|重复|冗余|无用|失效|没有|没什么|不再|主人|用户|应|值得|长期|\
     重要|稳定|不是|并非|不属于|属于|the|this|it|it's|its|no longer|outdated|obsolete|redundant|duplicate|\
     expired|irrelevant|stale|trivial|superseded|temporary|not needed|not useful|not relevant|not important|\
     there|memory|user|said|mentioned|only|just|a|an|long-term|stable|core|as";
/// What a memory says is a reason as well.
const REPORTS: &str = "说|提到|提过|says|speaks|mentions|about";
/// What is a ground to delete something.
const USELESS: &str = "过时|过期|失效|无效|无用|没用|重复|冗余|临时|一次性|闲聊|琐碎|不再|取代|替代|已完成|结束|陈旧|价值低|\
     价值很低|价值较低|价值有限|outdated|obsolete|redundant|duplicate|duplicates|duplicated|expired|irrelevant|\
     stale|trivial|superseded|replaced|temporary|transient|ephemeral|short-lived|no longer|one-off|one-time|\
     small talk|casual chat|unimportant|useless";
/// What is a ground to promote something, and speaks against deleting it.
const WORTH: &str = "重要|有用|价值|需要|用到|会用|要用|有效|意义|关键|安全|必要|救命|珍贵|宝贵|离不开|依赖|依靠|值得|useful|\
     important|valuable|value|vital|crucial|critical|essential|matters|matter|relevant|valid|needed|needs|need|\
     necessary|helpful|significant|meaningful|relies|rely|depends";
/// What else is a ground to promote something.
const LASTING: &str = "长期|稳定|核心|姓名|名字|生日|喜好|偏好|约定|事实|反复|多次|经常|一直|身份|过敏|健康|\
     long-term|long term|lasting|stable|core|name|birthday|preference|promise|agreement|recurring|repeatedly|often|identity|permanent|\
     enduring";
/// What holds for good, though it holds a no.
const NOT_PASSING: &str = "不会变|不会改变|不会过期|不会过时|\
     not change|won't change|never changes|不是临时|\
     不是短期|不是闲聊|并非临时|不属于临时|not temporary|not a chat|not passing";
/// What ties a decision to something, turns from it, or leaves it open.
const TIES: &str = "但|不过|然而|可是|或者|要么|否则|除非|如果|假如|要是|若|前提|条件|一旦|万一|只要|只有|直到|等待|等到|等主人|\
     等用户|有待|待确认|待定|待主人|待用户|确认|同意|批准|许可|允许|征求|询问|归档|存档|备份|恢复|撤销|可能|也许|\
     或许|大概|恐怕|只是建议|仅供参考|假设|假定|暂且|暂定|先别|信心|把握|更多信息|更多资料|信息不足|资料不足|\
     再议|商量|核实|核对|检查|改为|虽然|尽管|仍|还|but|however|although|though|yet|still|nevertheless|\
     nonetheless|except|otherwise|alternatively|alternative|instead|unless|if|when|whenever|until|till|provided|\
     providing|assuming|suppose|pending|subject to|depends|depending|conditional|tentative|tentatively|\
     provisional|provisionally|for now|suggestion|proposal|draft|would|could|may|might|maybe|perhaps|possibly|\
     probably|presumably|confirm|confirms|confirmed|confirmation|confirming|approve|approves|approved|approval|\
     permission|consent|agree|agrees|agreed|ask|asks|check|verify|wait|waiting|as soon as|as long as|archive|\
     archived|archiving|backup|back up|restore|undo|mistaken|unsure|uncertain|confidence|more information|\
     more context|more data";
/// Second thoughts, as a whole clause or at its beginning.
const WHOLE: &str = "no|nope|not|否|不|不行|不可以|不能|不该|不应该|不好|不是";
const SECOND_THOUGHTS: &str = "不要|别|请勿|勿|do not|don't|never|不对|等等|等一下|且慢|算了|其实|我错|抱歉|更正|再想|再考虑|wait|actually|hold on|on second thought|sorry|\
     correction|never mind|hmm|or|or else|only if|not before";
/// What speaks against either decision, whatever stands beside it.
const AGAINST_BOTH: &str = "不确定|没想好|选择不对|这不对|这样不对|这是错|不合适|不太合适|不妥|不可取|不合理|不明智|不建议|not sure|\
     unsure|undecided|not appropriate|not advisable|not recommended|not warranted|not justified|not right|\
     not yet|unwise|that's wrong|this is wrong";
/// The same, where no no stands beside it.
const REGRETS: &str =
    "过早|太早|尚早|可惜|损失|后悔|风险|premature|too early|too soon|risk|risky|loss|lose|losing|regret|a mistake";
/// How a thing is taken away.
const REMOVALS: &str = "删|移除|清除|清理|去掉|去除|除去|丢|抹|扔|忘|delete|deleted|deleting|deletion|remove|removed|removing|\
     removal|erase|erased|erasing|drop|dropped|dropping|discard|discarded|discarding|lose|lost|losing|forget|\
     forgotten|purge|purged|wipe|wiped|destroy|destroyed|throw away|thrown away|get rid|go|gone";
/// A no beside it that says that nothing is lost.
const HARMLESS: &str = "不会让|不会造成|不会影响|不影响|没有影响|无影响|no harm|without harm|no loss|without loss";
const KEPT: &str = "保留|留下|留着|留存|keep|keeps|kept|keeping|retain|retained|stay|stays|remain|remains|preserve|preserved|\
     save|saved|protect|protects";
const RAISES: &str = "升|晋|达|标准|promote|promoted|promotion|criteria";

/// Whether what stands behind a decision is nothing, or a reason for it and nothing else.
pub(super) fn is_reason_or_nothing(behind: &str, decided: &Judgement) -> bool {
    let behind = behind.to_lowercase();
    let behind = ["吧", "即可", "了"].iter().find_map(|word| behind.strip_prefix(word)).unwrap_or(&behind);
    if behind.contains(['?', '？']) {
        return false;
    }
    for sentence in sentences(behind) {
        let body = without_bullet(sentence);
        if !body.chars().any(char::is_alphanumeric) || is_among(bare(body), CLOSINGS) {
            continue;
        }
        let marked = begins(body, MARKERS);
        let fits = marked || begins(body, SUBJECTS) && is_ground(body, decided);
        if !fits || body.split(is_stop).any(|clause| speaks_against(clause, decided)) {
            return false;
        }
    }
    true
}

/// Whether a clause says that what was decided is not to be done, or is open.
pub(super) fn forbids(clause: &str, decided: &Judgement) -> bool {
    let harmless = *decided == Judgement::Delete && names(clause, HARMLESS);
    names(clause, AGAINST_BOTH) || !harmless && is_forbidden(clause, decided)
}

/// Whether a no stands right before a verb of what was decided: "must not be removed", 不该清除.
fn is_forbidden(clause: &str, decided: &Judgement) -> bool {
    const BETWEEN: &str = "be|to|get|have|been|ever|just|simply|let|it|this|that|should|reason|need|ought";
    const LETTERS: &str = "能要应该可以宜必需得被会再把将直接随便轻易就它这条有理由";
    let done = if *decided == Judgement::Delete { REMOVALS } else { RAISES };
    let mut since_no = None;
    for word in denial::english(clause) {
        if since_no.is_some() && is_among(word, done) {
            return true;
        }
        since_no = if denial::is_no(word) { Some(()) } else { since_no.filter(|()| is_among(word, BETWEEN)) };
    }
    let chinese = done.split('|').filter(|word| !word.is_ascii());
    chinese.flat_map(|word| clause.match_indices(word)).any(|(at, _)| {
        let before = clause.get(..at).unwrap_or_default().trim_end_matches(|c| LETTERS.contains(c));
        before.ends_with(['不', '没', '勿', '别', '非', '未', '无'])
    })
}

/// Whether a clause of what stands behind a decision speaks against it, or ties it to something.
fn speaks_against(clause: &str, decided: &Judgement) -> bool {
    let bare = bare(clause);
    if is_among(bare, WHOLE) || begins(bare, SECOND_THOUGHTS) {
        return true;
    }
    let either = names(clause, TIES) || names(clause, AGAINST_BOTH) || names(clause, REGRETS) && !denies(clause);
    either || clause.split(" and ").any(|part| speaks_against_one(part, decided))
}

fn speaks_against_one(part: &str, decided: &Judgement) -> bool {
    const LITTLE: &str = "little|low|minor|limited|lacks|价值低|价值很低|价值较低|价值有限";
    let denied = denies(part);
    if *decided == Judgement::Delete {
        let removal = denied && names(part, REMOVALS) && !names(part, HARMLESS);
        let spared = (names(part, WORTH) || names(part, KEPT)) && !denied && !names(part, LITTLE);
        removal || spared
    } else {
        let raised = names(part, RAISES) || names(part, WORTH) || names(part, LASTING) || part.contains("够");
        denied && raised && !names(part, NOT_PASSING) || names(part, "临时|短期|temporary") && !denied
    }
}

/// Whether a sentence holds a ground for a decision, or tells what the memory says.
fn is_ground(sentence: &str, decided: &Judgement) -> bool {
    let own = if *decided == Judgement::Delete {
        names(sentence, USELESS) || denies(sentence) && (names(sentence, WORTH) || names(sentence, KEPT))
    } else {
        names(sentence, WORTH) || names(sentence, LASTING) || names(sentence, NOT_PASSING)
    };
    let told = names(sentence, "memory|记忆|内容") && names(sentence, REPORTS);
    own || told || begins(sentence, "said|mentioned|it was said|it was mentioned")
}

/// Whether a text begins with one of some words, English ones as whole words.
fn begins(text: &str, words: &str) -> bool {
    words.split('|').any(|word| {
        text.strip_prefix(word)
            .is_some_and(|rest| !word.is_ascii() || !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '\''))
    })
}

fn bare(text: &str) -> &str {
    text.trim_matches(|c: char| !c.is_alphanumeric())
}

/// A sentence without the bullet, number or mark before it.
fn without_bullet(sentence: &str) -> &str {
    let text = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
    let behind = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = behind.len() < text.len() && behind.starts_with(['.', ')', '、', '）']);
    if numbered { behind.trim_start_matches(|c: char| !c.is_alphanumeric()) } else { text }
}

/// The sentences of a text; the point of 3.5 ends none, nor does that of a number before what it counts.
fn sentences(text: &str) -> Vec<&str> {
    let (mut found, mut start) = (Vec::new(), 0);
    for (at, c) in text.char_indices().filter(|(_, c)| super::words::ENDS.contains(c) || *c == '…') {
        let end = at + c.len_utf8();
        let counts = text.get(start..at).is_some_and(|before| before.trim_start().chars().all(|c| c.is_ascii_digit()));
        let within = text.get(end..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()));
        if c == '.' && (within || counts) {
            continue;
        }
        found.extend(text.get(start..at));
        start = end;
    }
    found.extend(text.get(start..));
    found.retain(|sentence| says_something(sentence) || sentence.chars().any(char::is_alphanumeric));
    found
}
