use annals_types::Judgement::{Delete, Keep, Promote, Search, Undecided};

use super::judgement;

#[test]
fn the_last_decision_counts() {
    // spec: C-75
    for (answer, wanted) in [
        ("[PROMOTE]", Promote),
        ("[KEEP]", Keep),
        ("[DELETE]", Delete),
        ("生日是长期事实。\n[PROMOTE]", Promote),
        ("[SEARCH:拉面]", Search("拉面".into())),
        ("【SEARCH：拉面】", Search("拉面".into())),
        ("我先考虑 [DELETE]，但是它有用。\n[KEEP]", Keep),
        ("我想 [KEEP]，还是 [PROMOTE] 吧。", Promote),
        ("先 [KEEP]。\n已经过时了：[DELETE]，就这样。", Delete),
        ("不应该 [DELETE]，所以 [KEEP]。", Keep),
        ("[KEEP]，不要 [DELETE]。", Keep),
        ("[KEEP] rather than [DELETE]", Keep),
        ("[KEEP]，没有必要 [DELETE]。", Keep),
        ("[KEEP]，不需要 [DELETE]", Keep),
        ("[KEEP]. Do not choose [DELETE]", Keep),
        ("[KEEP]（无需 [DELETE]）", Keep),
        ("[KEEP]，未达到 [DELETE] 的标准", Keep),
        ("特别 [KEEP]", Keep),
        ("[PROMOTE]，不要 [DELETE]", Undecided),
        ("可选 [PROMOTE]/[KEEP]/[DELETE]，我选 KEEP", Undecided),
        ("[SEARCH:关键词]", Undecided),
        ("I must choose between [PROMOTE], [KEEP], or [DELETE].", Undecided),
        ("从 [PROMOTE]、[KEEP] 和 [DELETE] 中选择，我认为应当保留", Undecided),
        ("**[KEEP]** / **[DELETE]**", Undecided),
        ("`[KEEP]`/`[DELETE]`", Undecided),
        ("- [PROMOTE]\n- [KEEP]\n- [DELETE]\n我选保留", Undecided),
        ("- [PROMOTE]\n- [KEEP]\n- [DELETE]\n我选 [KEEP]", Keep),
        ("保留：[KEEP]\n删除：[DELETE]\n我还没想好", Undecided),
        ("[KEEP]: leave it\n[DELETE]: remove it", Undecided),
        ("[KEEP] was my first thought.\n**[DELETE]**", Delete),
        ("I considered [KEEP]. Final decision: [DELETE]", Delete),
        ("选项有 [PROMOTE]/[KEEP]/[DELETE]。我选 [DELETE]。", Delete),
        ("不是 [KEEP]，而是 [DELETE]", Delete),
        ("<think>[DELETE]</think>", Undecided),
        ("delete it", Undecided),
        ("", Undecided),
    ] {
        assert_eq!(judgement(answer), wanted, "{answer}");
    }
}

/// Answers in which `_` stands for a decision that cannot be judged again.
#[test]
fn what_cannot_be_judged_again_acts_when_its_shape_is_clear() {
    for answer in [
        "_",
        "【_】",
        "`_`",
        "- **_**",
        "1. _",
        "_。",
        "_ 吧。",
        "我的决定是 _。",
        "我选择_，因为这只是一次闲聊",
        "结论：_",
        "判定结果：**_**",
        "综上所述，建议 _",
        "最终决定如下：\n_",
        "这条记忆应该 _。",
        "所以 _",
        "Decision: _",
        "**Decision:** _",
        "Final answer: _.",
        "My decision for this memory is _ because the user said so.",
        "I choose _.",
        "Therefore, I recommend _",
        "My verdict:\n\n_",
        "{\"decision\": \"_\"}",
        "_ because it is no longer a chat of one day",
        "_ The memory speaks of the user's mother.",
        "_ 这条记忆说的是主人的妈妈。",
        "**_**\n\n理由：主人说过三次。",
        "_\n\nReason: it was said three times, not once.",
        "该记忆说了三次。\n\n_",
        "_ - said three times",
        "It was said three times. _",
    ] {
        for (decision, wanted) in [("DELETE", Delete), ("PROMOTE", Promote)] {
            let answer = if answer.contains('【') {
                answer.replace('_', decision)
            } else {
                answer.replace('_', &format!("[{decision}]"))
            };
            assert_eq!(judgement(&answer), wanted, "{answer}");
        }
    }
}

#[test]
fn what_cannot_be_judged_again_is_undecided_in_any_other_shape() {
    for answer in [
        "I would not **_** it.",
        "别 _",
        "I don’t recommend _",
        "I cannot _ this",
        "Neither [KEEP] nor _",
        "避免 _",
        "拒绝 _",
        "I am against _",
        "It is too early for _",
        "It's too early to _",
        "It does not yet deserve _",
        "也许可以 _",
        "还没有必要 _",
        "不建议 _",
        "还达不到 _ 的标准",
        "_？不，还不够重要",
        "_? Not sure.",
        "_ this? I'm not sure.",
        "_ is not warranted",
        "_ is premature",
        "_ would be wrong.",
        "_ is risky.",
        "_ 不合适",
        "_ 为时过早",
        "_，为时过早",
        "_ 太可惜了",
        "_，太可惜了",
        "_\n不对，这条不行",
        "_\nNo, that would be a mistake",
        "_. Actually, let me look again.",
        "_。等等，我再看看",
        "这条记忆仍然有用，_ 会造成损失。",
        "Choosing _ means losing her birthday, which matters.",
        "The user's note says “_ old files”",
        "用户写道：_",
        "Example: _",
        "Options:\n_",
        "> _",
        "如果没有用了，我选择 _",
        "If it is not used, _",
        "I would not choose:\n_",
        "_\n后来又想：不要 _",
        "类别 _",
        "_ = 处理",
        "是否 _",
    ] {
        for decision in ["[DELETE]", "[PROMOTE]"] {
            let answer = answer.replace('_', decision);
            let found = judgement(&answer);
            assert!(found == Undecided || found == Keep && answer.contains("[KEEP]"), "{answer}: {found:?}");
        }
    }
}

#[test]
fn what_follows_speaks_for_one_and_against_the_other() {
    for (answer, wanted) in [
        ("[DELETE]，没有保留价值", Delete),
        ("[DELETE]\n理由：保留价值低。", Delete),
        ("[DELETE]. There is no reason to keep it.", Delete),
        ("删除：[DELETE]", Delete),
        ("保留：[DELETE]", Undecided),
        ("[DELETE]？不，应该保留", Undecided),
        ("[DELETE]. Actually, keep it.", Undecided),
        ("[DELETE]\n这条还有用", Undecided),
        ("[PROMOTE]，应当长期保留", Promote),
        ("提升：[PROMOTE]", Promote),
        ("[PROMOTE]（不是临时信息）", Promote),
        ("[PROMOTE]。不过还不够重要", Undecided),
        ("[PROMOTE]\nIt is not important enough.", Undecided),
    ] {
        assert_eq!(judgement(answer), wanted, "{answer}");
    }
}
