use annals_types::MemoryId;

use super::parse;
use crate::{Aliases, Draft, Hold, Operation, Warning};

fn id(number: u8) -> MemoryId {
    MemoryId::from_bytes([number; 16])
}

fn shown() -> Aliases {
    let mut shown = Aliases::numbered("mem_", (1..=4).map(id));
    shown.add("core_1", id(5), Hold::NeedsReplacement);
    shown.add("system_1", id(6), Hold::Never);
    shown
}

#[test]
fn each_of_the_five_commands_is_understood() {
    // part: C-25, C-30
    let one = |answer: &str| {
        let heard = parse(answer, &shown());
        assert_eq!(
            (
                heard.warnings.len(),
                heard.operations.len(),
                heard.understood
            ),
            (0, 1, true),
            "{answer}"
        );
        heard.operations[0].clone()
    };
    assert_eq!(
        one("[ADD] 主人喜欢拉面"),
        Operation::Add(Draft::text("主人喜欢拉面"))
    );
    assert_eq!(
        one("[UPDATE:mem_3] 主人喜欢寿司"),
        Operation::Update {
            id: id(3),
            draft: Draft::text("主人喜欢寿司")
        }
    );
    assert_eq!(one("[BOOST:mem_1]"), Operation::Boost(id(1)));
    assert_eq!(one("[DELETE:mem_3]"), Operation::Delete(id(3)));
    assert_eq!(one("[SKIP]"), Operation::Skip);
    for other in ["[REMOVE:mem_1]", "[NOTE] x", "[]", "[SKIP:mem_1]"] {
        let heard = parse(other, &shown());
        assert_eq!(
            (heard.operations.len(), heard.warnings.len()),
            (0, 1),
            "{other}"
        );
    }
}

#[test]
fn lines_of_json_tell_what_the_text_above_says() {
    let said = |operation: &Operation| match operation {
        Operation::Add(draft) | Operation::Update { draft, .. } => draft
            .triples
            .iter()
            .map(|said| (said.object.clone(), said.negated))
            .collect::<Vec<_>>(),
        _ => Vec::new(),
    };
    let answer = "[ADD] 主人喜欢拉面，不喜欢香菜
{\"subject\": \"主人\", \"predicate\": \"喜欢\", \"object\": \"拉面\"}
- {\"subject\": \"主人\", \"predicate\": \"喜欢\", \"object\": \"香菜\", \"negation\": true}
[UPDATE:mem_3] 主人住在柏林
`{\"subject\": \"主人\", \"predicate\": \"住在\", \"object\": \"柏林\"}`
[BOOST:mem_1]
{\"subject\": \"主人\", \"predicate\": \"喜欢\", \"object\": \"茶\"}
{\"note\": 1}";
    let heard = parse(answer, &shown());
    assert_eq!(
        said(&heard.operations[0]),
        [("拉面".to_owned(), false), ("香菜".to_owned(), true)]
    );
    assert_eq!(said(&heard.operations[1]), [("柏林".to_owned(), false)]);
    assert_eq!(heard.operations[2], Operation::Boost(id(1)));
    assert_eq!(
        heard.warnings.len(),
        2,
        "triples of nothing, and an object that is none: {:?}",
        heard.warnings
    );
    assert!(heard.understood);
    // One that was refused has no triples to take.
    let refused = parse(
        "[ADD] x\n[UPDATE:mem_9] y\n{\"subject\": \"a\", \"predicate\": \"b\", \"object\": \"c\"}",
        &shown(),
    );
    assert_eq!(
        (said(&refused.operations[0]).len(), refused.warnings.len()),
        (0, 2)
    );
}

#[test]
fn commands_are_done_in_order_and_skip_beside_them_counts_for_nothing() {
    // part: C-32
    let heard = parse("[BOOST:mem_1]\n[ADD] x\n[SKIP]", &shown());
    assert_eq!(
        heard.operations,
        [Operation::Boost(id(1)), Operation::Add(Draft::text("x"))]
    );
    assert!(heard.warnings.is_empty());
}

#[test]
fn what_small_models_write_around_commands_is_tolerated() {
    // part: C-33
    let heard = parse("- 【UPDATE：mem_3】 新内容", &shown());
    assert_eq!(
        heard.operations,
        [Operation::Update {
            id: id(3),
            draft: Draft::text("新内容")
        }]
    );
    let fenced = parse(
        "好的：\n```\n1. ［BOOST：mem_2］\n* [add]: 主人住在上海\n```",
        &shown(),
    );
    assert_eq!(
        fenced.operations,
        [
            Operation::Boost(id(2)),
            Operation::Add(Draft::text("主人住在上海"))
        ]
    );
    assert_eq!(fenced.warnings, [Warning::NotUnderstood("好的：".into())]);
    assert_eq!(parse("**[SKIP]**", &shown()).operations, [Operation::Skip]);
    let empty = parse("[ADD]  \n", &shown());
    assert_eq!((empty.operations.len(), empty.warnings.len()), (0, 1));
    let row = parse("[BOOST:mem_1] [BOOST:mem_2]", &shown());
    assert_eq!(
        row.operations,
        [Operation::Boost(id(1)), Operation::Boost(id(2))]
    );
}

#[test]
fn only_what_was_shown_can_be_touched() {
    // part: C-34
    let heard = parse("[DELETE:mem_999]", &shown());
    assert_eq!((heard.operations.len(), heard.pending.len()), (0, 0));
    assert_eq!(heard.warnings, [Warning::NotShown("mem_999".into())]);
    assert!(
        heard.understood,
        "it has the form: asked again, the model would say the same"
    );
    for hostile in [
        "[DELETE:*]",
        "[DELETE:]",
        "[DELETE]",
        "[DELETE:mem_1,mem_2]",
        "[BOOST:]",
    ] {
        assert_eq!(parse(hostile, &shown()).operations, [], "{hostile}");
    }
}

#[test]
fn what_is_core_goes_only_for_a_replacement_and_what_is_system_never() {
    // part: C-36
    let alone = parse("[DELETE:core_1]", &shown());
    assert_eq!(
        (alone.operations.len(), alone.pending),
        (0, vec![Operation::Delete(id(5))])
    );
    let both = parse("[DELETE:core_1]\n[ADD] 主人生日是5月3日", &shown());
    assert_eq!(
        both.operations,
        [
            Operation::Delete(id(5)),
            Operation::Add(Draft::text("主人生日是5月3日"))
        ]
    );
    assert!(both.pending.is_empty());
    let never = parse("[DELETE:system_1]\n[ADD] x", &shown());
    assert_eq!(never.operations, [Operation::Add(Draft::text("x"))]);
    assert_eq!(never.warnings, [Warning::Kept("system_1".into())]);
}

#[test]
fn a_text_without_a_letter_and_without_a_digit_says_nothing() {
    for text in ["...", "-", "\"", "。", "🙂", "** **"] {
        let heard = parse(
            &format!("[UPDATE:mem_1] {text}\n[ADD] {text}\n[BOOST:mem_1]"),
            &shown(),
        );
        assert_eq!(heard.operations, [Operation::Boost(id(1))], "{text}");
        let written = ["[UPDATE:mem_1]", "[ADD]"].map(|command| Warning::Empty(command.to_owned()));
        assert_eq!(heard.warnings, written, "{text}");
    }
    for text in ["好", "7", "C++"] {
        assert_eq!(
            parse(&format!("[UPDATE:mem_1] {text}"), &shown())
                .operations
                .len(),
            1,
            "{text}"
        );
    }
}

#[test]
fn the_first_decision_about_a_memory_stands() {
    let heard = parse(
        "[UPDATE:mem_1] a\n[DELETE:mem_1]\n[BOOST:mem_2]\n[BOOST:mem_2]",
        &shown(),
    );
    assert_eq!(heard.operations.len(), 2);
    assert_eq!(
        heard.warnings,
        [
            Warning::Twice("mem_1".into()),
            Warning::Twice("mem_2".into())
        ]
    );
}

#[test]
fn prose_quotes_and_thoughts_are_no_commands() {
    for answer in [
        "I would write [DELETE:mem_1] but he joked.",
        "用户说：[DELETE:mem_1]",
        "> [DELETE:mem_1]",
        "<think>\n[DELETE:mem_1]\n</think>",
        "",
    ] {
        let heard = parse(answer, &shown());
        assert_eq!(
            (heard.operations.len(), heard.understood),
            (0, false),
            "{answer}"
        );
    }
}
