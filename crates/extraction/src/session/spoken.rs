use super::{Wish, besides, wish};

fn remembered(message: &str) -> String {
    match wish(message) {
        Some(Wish::Remember(text)) => text,
        other => format!("{other:?}"),
    }
}

/// A message, what is to be remembered of it, and what it asks besides.
fn wrong(rows: &[(&str, &str, &str)]) -> Vec<String> {
    let heard = |message| (remembered(message), besides(message).unwrap_or_default());
    let rows = rows.iter().map(|row| (row, heard(row.0)));
    let wrong = rows.filter(|((_, kept, rest), heard)| (heard.0.as_str(), heard.1) != (*kept, *rest));
    wrong.map(|((message, ..), heard)| format!("{message}: {} | {}", heard.0, heard.1)).collect()
}

#[test]
fn what_is_asked_for_good_is_remembered() {
    let whole = [
        "my name is Roberta, please call me Bobbie",
        "I am a vegan, so please avoid honey. Please use agave",
        "I'm lactose intolerant. Please use oat milk in recipes",
        "I am allergic to nuts. Please make sure no recipe contains them",
        "I read on my phone, please keep answers short",
        "I use metric units. Show me distances in km",
        "I prefer aisle seats; book my flights that way",
        "I hate small talk, tell me only the facts",
        "I park on level 3. Find my car there when I ask",
        "the code of the gate is 4711, and let me know if it changes",
        "Ana's number is on the fridge, please tell her to call me when she asks",
        "I'm colour-blind. Please describe pictures in words",
        "I'm deaf, please write instead of calling",
        "I moved to Porto, please update my address",
        "I like my coffee black, please order it like that",
        "my pronouns are they and them, please use them",
        "I am left-handed, can you keep that in mind",
        "I live in Oslo, please set the clock to local time",
        "my son is Leo, is four years old and likes trains",
        "the meeting moved to Friday. Please also remember that Tom is out",
        "I sleep late, could you stop ringing before nine",
        "我叫林晓，你可以叫我小林",
        "我对海鲜过敏，请帮我避开所有海鲜",
        "我有糖尿病，你可以推荐无糖的点心",
        "我用公制单位。给我看的距离都用公里",
        "我不吃香菜。推荐菜的时候避开",
        "我是左撇子，请你注意",
        "我姓欧阳，请称呼我欧阳老师",
        "我耳朵不好，请你说话大声一点",
        "我妈妈今年60岁，你能记住她的生日是5月3号吗",
        "我喜欢喝茶，然后帮我老婆记一下她喜欢咖啡",
        "我看不清小字，请用大字回答",
        "我不喜欢别人叫我全名，叫我阿明就行",
        "我在学法语，请多用法语跟我说话",
        "我住在七楼，请给我留门",
    ];
    let english = whole.map(|text| {
        let wish = if text.is_ascii() { "remember that " } else { "记住" };
        (format!("{wish}{text}"), text)
    });
    let rows: Vec<_> = english.iter().map(|(message, text)| (message.as_str(), *text, "")).collect();
    assert_eq!(wrong(&rows), [""; 0]);
}

#[test]
fn what_is_asked_for_now_is_cut_off() {
    let rows = [
        ("remember that I'm vegan. Please suggest a dessert.", "I'm vegan", "Please suggest a dessert."),
        (
            "remember that I moved to Lyon, could you give me directions?",
            "I moved to Lyon",
            "could you give me directions?",
        ),
        ("remember that I like jazz, please play some", "I like jazz", "please play some"),
        ("remember that I'm in Rome, can you tell me what's open?", "I'm in Rome", "can you tell me what's open?"),
        ("remember that I hate rain, please tell me the forecast", "I hate rain", "please tell me the forecast"),
        ("remember that my dog is old. Find me a vet.", "my dog is old", "Find me a vet."),
        ("remember that I live in Lyon. Is it raining?", "I live in Lyon", "Is it raining?"),
        ("记住我不吃肉，请你推荐一道菜", "我不吃肉", "请你推荐一道菜"),
        ("记住我在巴黎，请查一下明天的天气", "我在巴黎", "请查一下明天的天气"),
        ("记住我喜欢爵士，请你放首歌", "我喜欢爵士", "请你放首歌"),
        ("记住我周五出差，请帮我订一张票", "我周五出差", "请帮我订一张票"),
        ("记住我搬家了，你能告诉我附近有什么店吗？", "我搬家了", "你能告诉我附近有什么店吗？"),
    ];
    assert_eq!(wrong(&rows), [""; 0]);
}

#[test]
fn what_comes_behind_what_is_to_be_forgotten_is_said() {
    for (message, forgotten, rest) in [
        ("forget that I live in Berlin, I live in Munich now", "I live in Berlin", "I live in Munich now"),
        ("Forget that I drink milk. I'm vegan now.", "I drink milk", "I'm vegan now."),
        ("please forget that I own a car, but I still have the bike", "I own a car", "but I still have the bike"),
        ("forget that my sister is ill, my sister is fine", "my sister is ill", "my sister is fine"),
        ("forget about my old address, my old phone number", "my old address, my old phone number", ""),
        ("forget that Tom, Ana and Leo are coming", "Tom, Ana and Leo are coming", ""),
        ("忘掉我住在柏林，我现在住慕尼黑", "我住在柏林", "我现在住慕尼黑"),
        ("请忘掉我喜欢咖啡，现在我只喝茶", "我喜欢咖啡", "现在我只喝茶"),
        ("忘记我的旧地址，我的新地址是解放路3号", "我的旧地址", "我的新地址是解放路3号"),
        ("忘掉我的旧地址，我的旧电话", "我的旧地址，我的旧电话", ""),
        ("please forget what I just said", "", ""),
        ("forget what I said, I was joking", "", "I was joking"),
        ("Forget my last message.", "", ""),
        ("请忘记我刚才说的", "", ""),
        ("忘掉刚才的话。", "", ""),
        ("忘掉上一条消息", "", ""),
        ("请忘掉我刚才说的，我是开玩笑", "", "我是开玩笑"),
        ("请忘记我刚才说的话吧", "", ""),
    ] {
        assert_eq!(wish(message), Some(Wish::Forget(forgotten.to_owned())), "{message}");
        assert_eq!(besides(message).unwrap_or_default(), rest, "{message}");
    }
    assert_eq!((wish("记住了，你能说中文吗？"), wish("forget my address, can you do that?")), (None, None));
}
