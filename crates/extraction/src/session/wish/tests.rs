use super::*;

#[test]
fn wishes_are_heard_when_they_are_meant() {
    let remember = |text: &str| Some(Wish::Remember(text.to_owned()));
    let forget = |text: &str| Some(Wish::Forget(text.to_owned()));
    for (message, wanted) in [
        ("记住：我对花生过敏", remember("我对花生过敏")),
        ("请记住我住在上海。", remember("我住在上海")),
        ("记住这个", remember("")),
        ("记住这个：下周三开会", remember("下周三开会")),
        ("Remember that I'm vegetarian", remember("I'm vegetarian")),
        ("remember this!", remember("")),
        ("忘掉那个", forget("")),
        ("忘记我的旧地址", forget("我的旧地址")),
        ("Forget that I live in Berlin", forget("I live in Berlin")),
        ("你还记住了吗？", None),
        ("记住了吗", None),
        ("I remember that day", None),
        ("remember thistles", None),
        ("我忘记带伞了", None),
        ("忘记带伞了", None),
    ] {
        assert_eq!(wish(message), wanted, "{message}");
    }
}

/// Messages, what is to be remembered or forgotten of each ("-" where it is no wish), and what is to be answered besides ("*" for all of it).
fn wrong(rows: &[(&str, &str, &str)]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (message, wanted, rest) in rows {
        let heard = match wish(message) {
            Some(Wish::Remember(text) | Wish::Forget(text)) => text,
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
fn all_that_is_told_is_remembered_up_to_a_question() {
    let rows = [
        ("remember that I like tea and that I hate coffee", "I like tea and that I hate coffee", "*"),
        ("remember that my friends visit me, and then we cook", "my friends visit me, and then we cook", "*"),
        ("Remember that I moved to Bonn in May. It's near Cologne.", "I moved to Bonn in May. It's near Cologne", "*"),
        (
            "remember that I'm in Tokyo. Please give the times in JST.",
            "I'm in Tokyo. Please give the times in JST",
            "*",
        ),
        ("remember that Dr. Smith is my dentist", "Dr. Smith is my dentist", ""),
        ("remember that we meet at 5 p.m. on Friday.", "we meet at 5 p.m. on Friday", ""),
        ("remember that we meet at 5 p.m.", "we meet at 5 p.m.", ""),
        ("remember that it costs 3.5 euros!", "it costs 3.5 euros", ""),
        ("remember that it is at https://a.example/?q=1 now", "it is at https://a.example/?q=1 now", ""),
        ("记住我喜欢喝茶，也喜欢咖啡", "我喜欢喝茶，也喜欢咖啡", "*"),
        ("记住：我对花生过敏。以后都要提醒我。", "我对花生过敏。以后都要提醒我", "*"),
        ("remember that I like jazz, play some jazz", "I like jazz, play some jazz", "*"),
        ("remember that I'm vegan, so find me a recipe", "I'm vegan, so find me a recipe", "*"),
        ("remember that my name is Bo, please call me so", "my name is Bo, please call me so", "*"),
        ("记住我对花生过敏，帮我订个餐厅", "我对花生过敏，帮我订个餐厅", "*"),
        ("remember that I live in Lyon. Is it raining?", "I live in Lyon", "*"),
        ("remember that I live in Lyon. I bike. Is it raining?", "I live in Lyon. I bike", "*"),
        ("remember that I'm 40, what is a good sport for me?", "I'm 40", "*"),
        ("remember that I ski, I bike, and what else is there?", "I ski, I bike", "*"),
        ("remember that I moved, and is it raining there?", "I moved", "*"),
        ("记住我叫小林，今天天气怎么样？", "我叫小林", "*"),
        ("remember this. Tell me a joke.", "", "*"),
        ("remember this, and tell me a joke", "", "*"),
        ("记住这个，然后告诉我明天的安排", "", "*"),
        ("记住这个，下周三开会", "下周三开会", "*"),
        ("记住\n我对花生过敏\n我不吃辣", "我对花生过敏\n我不吃辣", "*"),
        // Said to be polite.
        ("remember that I like tea, okay?", "I like tea", ""),
        ("记住我对花生过敏，好吗？", "我对花生过敏", ""),
        // Questions.
        ("remember this?", "-", ""),
        ("remember that day in Rome?", "-", ""),
        ("remember that Tom, is he here?", "-", ""),
        ("记住了，明天开会吗？", "-", ""),
        ("do you remember that I like tea, and what tea?", "-", ""),
    ];
    assert_eq!(wrong(&rows), [""; 0]);
}

#[test]
fn however_it_is_put_a_wish_is_heard() {
    let rows = [
        ("Remember I'm allergic to nuts", "I'm allergic to nuts", ""),
        ("remember my birthday is May 3", "my birthday is May 3", ""),
        ("remember, I’m vegan", "I’m vegan", ""),
        ("Can you remember that I'm vegan?", "I'm vegan", ""),
        ("could you please remember I'm vegan? Thanks!", "I'm vegan", "*"),
        ("please remember: the door code changes in May", "the door code changes in May", ""),
        ("Note that I'm vegan", "I'm vegan", ""),
        ("make a note: I'm vegan", "I'm vegan", ""),
        ("Please make a note of my new address: Elm Street 3", "my new address: Elm Street 3", ""),
        ("Don’t forget that I hate olives", "I hate olives", ""),
        ("And keep in mind that we moved", "we moved", ""),
        ("I want you to remember that we moved", "we moved", ""),
        ("记得我对花生过敏", "我对花生过敏", ""),
        ("请你记得我不吃辣", "我不吃辣", ""),
        ("请你记住我不吃辣", "我不吃辣", ""),
        ("帮我记着，周三要开会", "周三要开会", ""),
        ("麻烦记一下我的新地址是解放路3号", "我的新地址是解放路3号", ""),
        ("千万别忘了我对花生过敏！", "我对花生过敏", ""),
        ("记住哦，我不吃辣", "我不吃辣", ""),
        ("记住啊我不吃辣", "啊我不吃辣", ""),
        ("记住了，我不吃辣", "我不吃辣", ""),
        ("记住", "", ""),
        ("Please remember to buy milk", "buy milk", ""),
        ("remember to call mom", "call mom", ""),
        ("Could you remember to call me Bo?", "call me Bo", ""),
        ("Can you remember my dog's name is Rex?", "my dog's name is Rex", ""),
        ("Can you remember she lives in Rome?", "she lives in Rome", ""),
        ("你能记住我住在上海吗？", "我住在上海", ""),
        ("你能记住我的狗叫旺财吗", "我的狗叫旺财", ""),
        ("能不能帮我记住我对花生过敏？", "我对花生过敏", ""),
        ("请问可以帮我记一下明天三点开会吗", "明天三点开会", ""),
        ("能不能帮我记住：我不吃辣", "我不吃辣", ""),
        ("你能记住我住在上海吗？今天天气怎么样？", "我住在上海", "*"),
        ("能帮我记住这个吗", "", ""),
        ("Remember.", "", ""),
        ("remember that", "", ""),
        ("Can you please remember this?", "", ""),
        ("Could you remember that?", "", ""),
        ("把它忘了吧", "", ""),
        ("忘掉它", "", ""),
        ("Forget what I told you about Tom", "what I told you about Tom", ""),
        ("Forget my old address", "my old address", ""),
        ("Can you forget my old address?", "my old address", ""),
        ("把我的旧地址忘了吧", "我的旧地址", ""),
        ("请帮我把旧地址忘掉。我搬家了", "旧地址", "我搬家了"),
        ("忘掉我的旧地址吧", "我的旧地址", ""),
        ("忘了我的旧地址吧", "我的旧地址", ""),
    ];
    assert_eq!(wrong(&rows), [""; 0]);
}

#[test]
fn what_only_speaks_of_remembering_is_no_wish() {
    for message in [
        "Do you remember my birthday?",
        "Can you remember my name?",
        "Can you remember my name? It is Bo.",
        "Can you remember what my name is?",
        "Can you remember my sister and where she is?",
        "Note to self: buy milk",
        "note to everyone",
        "Will you remember me?",
        "remember when we went to Rome?",
        "Remember when we went to Rome",
        "Remember the milk",
        "I remember that day",
        "I'll always remember you",
        "noted",
        "Forget it",
        "please forget it",
        "please forget about it",
        "Forget about it, I moved",
        "forget to buy milk",
        "Forget her",
        "你记得我的生日吗",
        "你能记住我的生日吗",
        "你能记住我是谁吗",
        "你能记住我上次说的话吗",
        "能记住吗",
        "你能记住我住在上海真好",
        "你能记住这首歌吗",
        "你会记住我吗",
        "你能忘记我的生日吗",
        "你记得我上次说的话",
        "还记得我们去罗马吗",
        "我记得他说过",
        "记得买牛奶",
        "千万别忘了我",
        "记得",
        "记住了",
        "忘了我要说什么",
        "你忘了我的生日吧",
        "你把我的生日忘了吧",
        "我把钥匙忘了",
        "把钥匙忘在家里了",
    ] {
        assert_eq!(wish(message), None, "{message}");
    }
}

#[test]
fn what_is_to_be_forgotten_ends_with_its_clause() {
    let rows = [
        ("forget that I live in Berlin, I live in Munich now", "I live in Berlin", "I live in Munich now"),
        ("Forget that I drink milk. I'm vegan now.", "I drink milk", "I'm vegan now."),
        ("forget that I like tea, and what is the weather?", "I like tea", "and what is the weather?"),
        ("forget that I ski, I fell. I swim now.", "I ski", "I fell. I swim now."),
        ("forget that Tom, Ana and Leo are coming", "Tom, Ana and Leo are coming", ""),
        ("忘掉我住在柏林，我现在住慕尼黑", "我住在柏林", "我现在住慕尼黑"),
        ("忘记我的旧地址，我的新地址是解放路3号", "我的旧地址", "我的新地址是解放路3号"),
        ("please forget what I just said", "", ""),
        ("forget what I said, I was joking", "", "I was joking"),
        ("Forget my last message.", "", ""),
        ("忘掉上一条消息", "", ""),
        ("请忘掉我刚才说的，我是开玩笑", "", "我是开玩笑"),
        ("请忘记我刚才说的话吧", "", ""),
        ("please forget my address?", "-", ""),
    ];
    assert_eq!(wrong(&rows), [""; 0]);
}

proptest::proptest! {
    #[test]
    fn fuzz_any_message_is_survived(message in "(remember that |记住|forget that )?.{0,40}(, and |，然后|. |。)?(tell me|帮我|what)?.{0,20}") {
        let (wish, rest) = (wish(&message), besides(&message));
        proptest::prop_assert!(rest.is_none() || wish.is_some());
        proptest::prop_assert!(rest.is_none_or(|rest| message.contains(rest) && rest.contains(char::is_alphanumeric)), "{rest:?}");
    }
}
