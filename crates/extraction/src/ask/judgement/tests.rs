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

/// Behind a decision a reason may stand, and nothing that ties it to something.
#[test]
fn a_reason_acts_and_a_tie_does_not() {
    const ACTS: [&str; 26] = [
        "[DELETE]",
        "[DELETE].",
        "[DELETE] — the shop has closed since, so it is outdated",
        "[DELETE] because the concert is over.",
        "[DELETE]. The memory is outdated and can be dropped.",
        "[DELETE]\nReason: the trip was last spring.",
        "[DELETE]\nReason:\n- Outdated\n- It duplicates another memory",
        "[DELETE]\n1. Superseded by the move to Porto.\n2. It is no longer of use.",
        "[DELETE]. It is redundant; the memory says the same as the one of March 3.5 days ago.",
        "[DELETE]. This was small talk of no lasting value.",
        "[DELETE]. Not relevant anymore.",
        "[DELETE] since it is trivial, and no harm is done by deleting it",
        "[DELETE]\n该记忆已经过时。",
        "[DELETE]，已经被新的地址取代",
        "[DELETE]\n原因：这只是一次闲聊，没有长期价值。",
        "[DELETE]\n理由：\n- 内容重复\n- 信息已失效",
        "[DELETE]，因为主人早已搬家",
        "[DELETE]。不再需要。",
        "[DELETE]\n这条是临时信息，不重要。",
        "[DELETE]\n理由：删除它不会造成损失。",
        "这条已经没有用了，可以删除。\n[DELETE]",
        "The user no longer lives there. It is of no use.\n\n[DELETE]",
        "这条记忆应该清理，没有保留的必要。\n[DELETE]，就这样。",
        "There is no need to keep it.\n**Decision:** [DELETE]",
        "- It is only about a lunch\n- It was mentioned once\n\n[DELETE]",
        "If it were newer I would keep it. It is not.\n[DELETE]",
    ];
    const OPEN: [&str; 73] = [
        "[DELETE]. Do not remove it.",
        "[DELETE]. It must not be erased.",
        "[DELETE]. This should never be dropped.",
        "[DELETE]\nThe user would be sad to lose it.",
        "[DELETE]. Please don't throw away her letters.",
        "[DELETE]. It can't be let go.",
        "[DELETE]. The memory says he must never forget it.",
        "[DELETE]\n这条不能移除。",
        "[DELETE]\n这条记忆不该被清除。",
        "[DELETE]\n这不应当丢掉。",
        "[DELETE]\n此信息不宜抹去。",
        "[DELETE]\n主人要求不能丢。",
        "[DELETE]，该内容别去掉",
        "[DELETE] (if the owner is fine with it)",
        "[DELETE]（如果主人同意的话）",
        "[DELETE], as long as nobody needs it",
        "[DELETE] once the user has said so",
        "[DELETE] provided it is outdated",
        "[DELETE]. But only if it has been confirmed.",
        "[DELETE] — pending confirmation by the user",
        "[DELETE], subject to her approval",
        "[DELETE] unless it is about his health",
        "[DELETE] after asking him",
        "[DELETE]\n前提是主人确认过不再需要。",
        "[DELETE]，只要主人不反对",
        "[DELETE]，待主人确认",
        "[DELETE]\n这需要先征求用户的意见。",
        "[DELETE]，除非它和健康有关",
        "[DELETE]\nHowever, it holds her allergy.",
        "[DELETE]. It is outdated, but it is dear to her.",
        "[DELETE]\n但这条记忆包含主人的过敏信息。",
        "[DELETE]。不过它记着妈妈的电话。",
        "[DELETE]. Alternatively, archive it.",
        "[DELETE]. Or mark it as stale.",
        "[DELETE]\n或者先归档。",
        "[DELETE]\nConfidence: low.",
        "[DELETE]\nI need more information.",
        "[DELETE]. I could be mistaken.",
        "[DELETE]. It might be of use one day.",
        "[DELETE]\n这条记忆以后可能还会用到。",
        "[DELETE]. The user relies on this.",
        "[DELETE]. This matters to him.",
        "[DELETE]. It is old and important.",
        "[DELETE]\n这是主人的救命信息。",
        "[DELETE]\n该记忆说的是过敏，对安全很关键。",
        "[DELETE]. This is only a suggestion.",
        "[DELETE]\n这只是建议，仅供参考。",
        "[DELETE]. Is that right?",
        "[DELETE]，对吗？",
        "[DELETE]. The user decides.",
        "[DELETE]. Let it stay for a week.",
        "[DELETE] tomorrow",
        "[DELETE]\n三天后再处理",
        "[DELETE: if she agrees]",
        "[DELETE：主人同意]",
        "If she no longer lives there,\n[DELETE]",
        "前提是主人同意\n[DELETE]",
        "只有在确认之后，\n[DELETE]",
        "I would not choose\n\n[DELETE]",
        "It must not be deleted.\n[DELETE]",
        "不应该移除这条记忆。\n[DELETE]",
        "Do not remove it. [DELETE]",
        "I am not sure.\n[DELETE]",
        "Provided he agrees, I choose [DELETE]",
        "只要主人同意，我选择 [DELETE]",
        "Once it is outdated: [DELETE]",
        "[DELETE]. It is outdated. The user wants it back.",
        "[DELETE]\n重复一遍：不要执行。",
        "[DELETE]\nIt is the old photo that her mother left.",
        "[DELETE]\n该决定需由主人拍板。",
        "[DELETE] because [1] must not be erased",
        "[DELETE] because it is outdated, not [KEEP] if he agrees",
        "Only if the owner agrees,\nmy decision is [DELETE]",
    ];
    let wrong = |answers: &[&str], wanted: &annals_types::Judgement| -> Vec<String> {
        let read = answers.iter().filter(|answer| judgement(answer) != *wanted);
        read.map(|answer| format!("{answer:?}: {:?}", judgement(answer))).collect()
    };
    let (acts, open) = (wrong(&ACTS, &Delete), wrong(&OPEN, &Undecided));
    assert!(acts.is_empty() && open.is_empty(), "wanted to act: {acts:#?}\nwanted to stay open: {open:#?}");
}

#[test]
fn a_promotion_is_tied_to_nothing_either() {
    const ACTS: [&str; 9] = [
        "[PROMOTE]\nIt is her birthday.",
        "[PROMOTE]. This is a lasting preference, said three times.",
        "[PROMOTE]，主人的姓名属于核心信息",
        "[PROMOTE]\n理由：主人多次提到，长期稳定。",
        "[PROMOTE] because it is an agreement, not small talk",
        "[PROMOTE]（不是短期计划）",
        "[PROMOTE]\n理由：主人的生日不会变。",
        "[PROMOTE]\nReason: it is his name.",
        "这是重要约定。\n[PROMOTE]",
    ];
    const OPEN: [&str; 12] = [
        "[PROMOTE] if he says it again",
        "[PROMOTE]，如果主人再次提到",
        "[PROMOTE]\n但这只是短期计划。",
        "[PROMOTE]. It is not stable.",
        "[PROMOTE]\n这不属于核心记忆。",
        "[PROMOTE]. It does not meet the criteria, which ask for a lasting fact.",
        "[PROMOTE]\n理由：它达不到标准。",
        "[PROMOTE]. Or keep it as it is.",
        "[PROMOTE] later",
        "[PROMOTE]\n这是临时状态。",
        "不该升级为核心记忆。\n[PROMOTE]",
        "[PROMOTE: maybe]",
    ];
    for (answers, wanted) in [(ACTS.as_slice(), Promote), (OPEN.as_slice(), Undecided)] {
        for answer in answers {
            assert_eq!(judgement(answer), wanted, "{answer}");
        }
    }
}
