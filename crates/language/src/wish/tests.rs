use super::*;

/// Messages with the text of the wish ("-" for no wish), and the part that is to be answered
/// besides ("*" for all of it).
fn wrong(rows: &[(&str, &str, &str)]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (message, wanted, rest) in rows {
        let heard = match wish(message) {
            Some(Wish::Remember(text) | Wish::Forget(text)) => text,
            Some(Wish::ForgetAll) => "all".to_owned(),
            None => "-".to_owned(),
        };
        let asked = besides(message).unwrap_or_default();
        if heard != *wanted || asked != if *rest == "*" { message } else { *rest } {
            wrong.push(format!("{message}: {heard} | {asked}"));
        }
    }
    wrong
}

#[test]
fn wishes_are_told_apart_by_their_verb() {
    let remember = |text: &str| Some(Wish::Remember(text.to_owned()));
    let forget = |text: &str| Some(Wish::Forget(text.to_owned()));
    for (message, wanted) in [
        ("记住：我对花生过敏", remember("我对花生过敏")),
        ("请记住我住在上海。", remember("我住在上海")),
        ("记住这个", remember("")),
        ("Remember that I'm vegetarian", remember("I'm vegetarian")),
        ("remember this!", remember("")),
        ("忘掉那个", forget("")),
        ("忘记我的旧地址", forget("我的旧地址")),
        ("Forget that I live in Berlin", forget("I live in Berlin")),
        ("please forget what I just said", forget("")),
        ("forget that", forget("")),
        ("forget everything", Some(Wish::ForgetAll)),
        (
            "Please forget everything you know about me!",
            Some(Wish::ForgetAll),
        ),
        ("请忘记关于我的一切。", Some(Wish::ForgetAll)),
        ("forget everything I said about Tom", None),
        ("你还记住了吗？", None),
        ("记住了吗", None),
    ] {
        assert_eq!(wish(message), wanted, "{message}");
    }
}

#[test]
fn the_text_behind_an_opening_is_kept_as_it_was_said() {
    let rows = [
        (
            "remember that I like tea and that I hate coffee",
            "I like tea and that I hate coffee",
            "*",
        ),
        (
            "remember that my friends visit me, and then we cook",
            "my friends visit me, and then we cook",
            "*",
        ),
        (
            "Remember that I moved to Bonn in May. It's near Cologne.",
            "I moved to Bonn in May. It's near Cologne",
            "*",
        ),
        ("remember that we meet at 5 p.m.", "we meet at 5 p.m.", ""),
        (
            "remember that it costs 3.5 euros!",
            "it costs 3.5 euros",
            "",
        ),
        (
            "remember that it is at https://a.example/?q=1 now",
            "it is at https://a.example/?q=1 now",
            "",
        ),
        ("记住我喜欢喝茶，也喜欢咖啡", "我喜欢喝茶，也喜欢咖啡", "*"),
        (
            "记住：我对花生过敏。以后都要提醒我。",
            "我对花生过敏。以后都要提醒我",
            "*",
        ),
        (
            "remember that my name is Bo, please call me so",
            "my name is Bo, please call me so",
            "*",
        ),
        (
            "记住\n我对花生过敏\n我不吃辣",
            "我对花生过敏\n我不吃辣",
            "*",
        ),
        ("记住这个：下周三开会", "下周三开会", ""),
        ("remember this city", "this city", ""),
        ("Remember I'm allergic to nuts", "I'm allergic to nuts", ""),
        ("remember my birthday is May 3", "my birthday is May 3", ""),
        ("remember, I’m vegan", "I’m vegan", ""),
        (
            "please remember: the door code changes in May",
            "the door code changes in May",
            "",
        ),
        ("Note that I'm vegan", "I'm vegan", ""),
        ("make a note: I'm vegan", "I'm vegan", ""),
        ("Don’t forget that I hate olives", "I hate olives", ""),
        ("记得我对花生过敏", "我对花生过敏", ""),
        ("请你记住我不吃辣", "我不吃辣", ""),
        ("帮我记着，周三要开会", "周三要开会", ""),
        (
            "麻烦记一下我的新地址是解放路3号",
            "我的新地址是解放路3号",
            "",
        ),
        ("记住", "", ""),
        ("Remember.", "", ""),
        ("remember that", "", ""),
        ("Please remember to buy milk", "buy milk", ""),
        (
            "Forget what I told you about Tom",
            "what I told you about Tom",
            "",
        ),
        (
            "Please forget where in Berlin I live",
            "where in Berlin I live",
            "",
        ),
        ("忘掉它", "", ""),
    ];
    assert_eq!(wrong(&rows), [""; 0]);
}

#[test]
fn a_message_that_only_speaks_of_remembering_is_no_wish() {
    for message in [
        "Do you remember my birthday?",
        "Note to self: buy milk",
        "remember thistles",
        "Remember when we went to Rome",
        "Remember the milk",
        "remember my",
        "I remember that day",
        "I'll always remember you",
        "noted",
        "Forget it",
        "please forget about it",
        "forget to buy milk",
        "Forget her",
        "我忘记带伞了",
        "忘记带伞了",
        "你记得我的生日吗",
        "你能忘记我的生日吗",
        "你记得我上次说的话",
        "还记得我们去罗马吗",
        "我记得他说过",
        "记得买牛奶",
        "千万别忘了我",
        "别忘了我",
        "记得",
        "记住了",
        "忘了我要说什么",
        "我把钥匙忘了",
    ] {
        assert_eq!(wish(message), None, "{message}");
    }
}

#[test]
fn a_wish_with_a_question_or_more_to_forget_is_left_to_the_model() {
    for message in [
        "Can you remember that I'm vegan?",
        "remember that I live in Lyon. Is it raining?",
        "remember this, and tell me a joke",
        "remember this. Tell me a joke.",
        "记住我叫小林，今天天气怎么样？",
        "你能记住我住在上海吗",
        "remember that day in Rome?",
        "forget that I live in Berlin, I live in Munich now",
        "Forget that I drink milk. I'm vegan now.",
        "忘掉我住在柏林，我现在住慕尼黑",
        "把我的旧地址忘了吧",
    ] {
        assert_eq!((wish(message), besides(message)), (None, None), "{message}");
    }
}

proptest::proptest! {
    #[test]
    fn fuzz_any_message_is_survived(
        message in "(remember that |记住|forget that )?.{0,40}(, and |，然后|. |。)?(tell me|帮我|what)?.{0,20}",
    ) {
        let (wish, rest) = (wish(&message), besides(&message));
        proptest::prop_assert!(rest.is_none() || wish.is_some());
        let is_part = |rest: &str| message.contains(rest) && rest.contains(char::is_alphanumeric);
        proptest::prop_assert!(rest.is_none_or(is_part), "{rest:?}");
    }
}
