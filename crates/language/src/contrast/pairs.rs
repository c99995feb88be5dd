//! Pairs written by hand and judged by their meaning: those that are two memories, and those
//! that are one.

use super::{contrast, same_words};

/// Texts that a memory may not be swallowed by.
const APART: [(&str, &str); 151] = [
    // Doubled letters, spellings, tenses.
    (
        "I meet my boss in Paris on Mondays",
        "I met my boss in Paris on Mondays",
    ),
    (
        "I choose the red team at work",
        "I chose the red team at work",
    ),
    (
        "We eat at the diner near the station",
        "We eat at the dinner near the station",
    ),
    (
        "My favourite place is the desert near Cairo",
        "My favourite place is the dessert near Cairo",
    ),
    (
        "I am in the later class at school",
        "I am in the latter class at school",
    ),
    (
        "my friend anna lives in rome",
        "my friend ana lives in rome",
    ),
    ("Anna is my boss at the bank", "Ana is my boss at the bank"),
    (
        "We feed the neighbour's cat at noon",
        "We fed the neighbour's cat at noon",
    ),
    (
        "She is hoping to see the doctor",
        "She is hopping to see the doctor",
    ),
    (
        "he read the paper at breakfast",
        "he reads the paper at breakfast",
    ),
    (
        "The nurse filled the form in the morning",
        "The nurse filed the form in the morning",
    ),
    (
        "My landlord is Mr. Gray from London",
        "My landlord is Mr. Grey from London",
    ),
    (
        "We planned the trip with our parents",
        "We plan the trip with our parents",
    ),
    ("The sale is of my car", "The sale is off my car"),
    // Numbers as they are written.
    (
        "Take 1/2 tablet of the pill in the morning",
        "Take 1-2 tablet of the pill in the morning",
    ),
    (
        "Take 1 / 2 of the pill in the morning",
        "Take 1 - 2 of the pill in the morning",
    ),
    ("每天吃1/2片阿司匹林", "每天吃1-2片阿司匹林"),
    ("I won the chess match 3:5", "I won the chess match 3-5"),
    ("The door code is 05-10", "The door code is 5/10"),
    (
        "The entry code of the office door is 0042",
        "The entry code of the office door is 42",
    ),
    ("门禁密码后四位是0042", "门禁密码后四位是042"),
    ("my phone ends with 12-34", "my phone ends with 12.34"),
    ("Mix it 1:2 with water", "Mix it 1.2 with water"),
    ("The lesson is on page 3-4", "The lesson is on page 3/4"),
    ("I sleep ~6 hours a night", "I sleep 6 hours a night"),
    // Numbers that order, and numbers that count.
    (
        "We rent the second floor of the house",
        "We rent two floors of the house",
    ),
    ("My second son lives in Rome", "My two sons live in Rome"),
    (
        "Take two pills when the pain is bad",
        "Take the second pill when the pain is bad",
    ),
    (
        "My three sons play tennis at school",
        "My third son plays tennis at school",
    ),
    (
        "I live on the 3rd floor of the house",
        "I live on 3 floor of the house",
    ),
    ("我家第二套房子在海淀", "我家两套房子在海淀"),
    ("我们公司租了二楼", "我们公司租了两楼"),
    ("周末来了两三个朋友", "周末来了23个朋友"),
    ("他今年二十三四岁", "他今年二十四岁"),
    ("我家离公司七八公里", "我家离公司七十八公里"),
    // Times of day.
    (
        "My shift at the hospital starts at night",
        "My shift at the hospital starts at midnight",
    ),
    ("我今晚去健身房", "我晚上去健身房"),
    ("我今早跑步", "我早上跑步"),
    (
        "I call my mother tonight after work",
        "I call my mother in the evening after work",
    ),
    (
        "We meet on Monday at the office",
        "We meet on Mondays at the office",
    ),
    ("店里早上打扫卫生", "店里上午打扫卫生"),
    ("药是凌晨吃的", "药是晚上吃的"),
    // Particles that are parts of words, and 了.
    ("我周末最喜欢酒吧", "我周末最喜欢酒"),
    ("老板同意我请假", "老板同意了我请假"),
    ("我打算去北京出差", "我打算去了北京出差"),
    ("我妈妈吃了降压药", "我妈妈吃降压药"),
    ("我妹妹在网吧工作", "我妹妹在网工作"),
    ("我去年去过也门旅行", "我去年去过门旅行"),
    ("我打的士去公司", "我打士去公司"),
    ("我想就读这所大学", "我想读这所大学"),
    ("这家店味道一般", "这家店味道"),
    ("我喜欢穿毛呢", "我喜欢穿毛"),
    ("我去北京出差了", "我去北京出差"),
    ("他大概住在上海吧", "他大概住在上海"),
    ("我的画挂在客厅", "我画挂在客厅"),
    // Words that say how much, or how often.
    ("I am not very fond of dogs", "I am not fond of dogs"),
    ("我不是很喜欢猫", "我不是喜欢猫"),
    ("I just drink water at lunch", "I drink water at lunch"),
    ("I have a few friends in Rome", "I have few friends in Rome"),
    ("I ate a third of the cake", "I ate the third of the cake"),
    (
        "I usually take the pill at lunch",
        "I take the pill at lunch",
    ),
    ("现在是非常时期，我在家工作", "现在是时期，我在家工作"),
    ("我一般不吃早饭", "我不吃早饭"),
    ("我只喝热水", "我喝热水"),
    // Numbers of persons and things.
    ("I have a son in Rome", "I have sons in Rome"),
    ("My sister works at the bank", "My sisters work at the bank"),
    ("My brother lives in Rome", "My brothers live in Rome"),
    (
        "Adams is my landlord in London",
        "Adam is my landlord in London",
    ),
    ("the key is in my bag", "the keys is in my bag"),
    (
        "She lost the glass in the train",
        "She lost the glasses in the train",
    ),
    // Names.
    (
        "I like Turkey a lot and Greece",
        "I like turkey a lot and Greece",
    ),
    ("I love Anna from the office", "I like Anna from the office"),
    ("He loves her very much", "He likes her very much"),
    ("妈妈偏爱弟弟", "妈妈喜欢弟弟"),
    (
        "I was in Georgia with my aunt",
        "I was in Georgina with my aunt",
    ),
    ("My dog is called Rex", "My dog is called Max"),
    ("我爱人在医院工作", "我爱的人在医院工作"),
    // Words that are moved, added or replaced.
    (
        "My mother is older than my father",
        "My father is older than my mother",
    ),
    ("我借给小王五百块", "小王借给我五百块"),
    ("I will call the bank", "I called the bank"),
    ("I can swim in the sea", "I can't swim in the sea"),
    ("I work without my glasses", "I work with my glasses"),
    ("我对花生过敏", "我对花生不过敏"),
    ("我女儿怕狗", "我女儿不怕狗"),
    ("我想养猫", "我养猫"),
    ("我爸戒烟前每天抽一包", "我爸戒烟后每天抽一包"),
    ("他是我哥哥", "他是我弟弟"),
    ("我儿子上大班", "我儿子上小班"),
    ("my old flat is in Graz", "my new flat is in Graz"),
    ("I used to smoke at work", "I smoke at work"),
    (
        "The medicine goes in the fridge",
        "The medicine goes on the fridge",
    ),
    ("The meeting is before lunch", "The meeting is after lunch"),
    (
        "I owe Tom the money for the bike",
        "Tom owes me the money for the bike",
    ),
    ("Is the rent due on Friday?", "Is the rent due on Friday"),
    ("我丈夫喝咖啡，我喝茶", "我丈夫喝茶，我喝咖啡"),
    ("My wife drives, I don't", "I drive, my wife doesn't"),
    ("Everyone but me likes it", "Everyone and me likes it"),
    ("我可能搬去深圳", "我搬去深圳"),
    ("要是下雨我就不跑步", "下雨我就不跑步"),
    ("I prefer tea at work", "I enjoy tea at work"),
    ("I wear glasses", "I wear a glass"),
    ("我住北京", "我住上海"),
    // Signs.
    ("The script is in /tmp now", "The script is in tmp now"),
    (
        "The settings are in .env here",
        "The settings are in env here",
    ),
    ("My grade in maths is B+", "My grade in maths is B"),
    ("The limit is 20 kB", "The limit is 20 KB"),
    (
        "It is -5 outside at the door",
        "It is 5 outside at the door",
    ),
    ("我体温38.5度", "我体温38度"),
    ("密码提示是abc_1", "密码提示是abc-1"),
    ("The share fell by 5%", "The share fell by 5"),
    (
        "I work Monday–Friday in the office",
        "I work Monday, Friday in the office",
    ),
    ("我周一—周五上班", "我周一、周五上班"),
    // Words that look like others without their apostrophe, and capitals that both texts use.
    ("its colour is red", "it's colour is red"),
    ("I was well in Rome", "I was we'll in Rome"),
    ("My dog likes Rose and Tom", "My dog likes rose and Tom"),
    ("I use apple with Bob", "I use Apple with Bob"),
    ("I cant swim in Rome", "I can swim in Rome"),
    // Signs that carry the meaning.
    ("No, pets are allowed", "No pets are allowed"),
    ("No, I smoke", "No I smoke"),
    ("不，是我", "不是我"),
    ("没有，我结婚了", "没有我结婚了"),
    ("别，告诉他", "别告诉他"),
    (
        "Retry the job when status != ready",
        "Retry the job when status = ready",
    ),
    ("Show the tasks where !done", "Show the tasks where done"),
    ("use a && !b", "use a && b"),
    (
        "The config file is in ../conf",
        "The config file is in /conf",
    ),
    (
        "The config file is in ../conf",
        "The config file is in ./conf",
    ),
    ("Run make from ..", "Run make from ."),
    (
        "The shelf in the hall is 5' wide",
        "The shelf in the hall is 5\" wide",
    ),
    ("call f(x)", "call f[x]"),
    ("[0, 1)", "(0, 1]"),
    ("^a.$", "^a$"),
    ("a.*b", "a*b"),
    ("The balance is (500)", "The balance is 500"),
    ("The talk was :)", "The talk was :("),
    // Letters in codes.
    ("the door code is xKfQ", "the door code is XkFq"),
    ("the door code is xKfQ", "the door code is xkfq"),
    ("the field is called userID", "the field is called userId"),
    ("the line has 100 Mbps", "the line has 100 MBps"),
    // Endings and words that only seem to stress.
    ("药不多了", "药不多"),
    ("我不知道他吃药了", "我不知道他吃药"),
    ("我不喜欢他来了", "我不喜欢他来"),
    ("他不久就死了", "他不久就死"),
    ("我很少吃肉", "我少吃肉"),
    ("我教编程风格", "我教编程"),
    ("i do it weekend", "i do it weekends"),
    (
        "I don't think that it is very good",
        "I don't think that it is good",
    ),
    (
        "I really like my job at the bank",
        "I like my job at the bank",
    ),
    ("I love dark chocolate", "I like dark chocolate"),
    ("у меня нет аллергии на молоко", "у меня аллергия на молоко"),
    ("I live in Graz (Austria)", "I live in Graz, Austria"),
];

/// Texts that say the same.
const ONE: [(&str, &str); 22] = [
    ("我的生日是1990年05月01日", "我的生日是1990-5-1"),
    ("会议早上九点开始", "会议早上9点开始"),
    ("我家有三口人", "我家有３口人"),
    ("我家在十二楼", "我家在12楼"),
    ("My flat has three rooms", "My flat has 3 rooms"),
    ("The train leaves at 09:00", "The train leaves at 9"),
    ("The budget is 12,500 euros", "The budget is 12500 euros"),
    (
        "My birthday is on the 3rd of May",
        "My birthday is on the 3 of May",
    ),
    ("My name is Ｂｏｂ", "My name is Bob"),
    ("  I   live in Graz ", "I live in Graz"),
    ("我对花生过敏", "我对花生过敏。"),
    ("我对花生过敏", "我对花生过敏！！"),
    ("我今年30岁", "我今年三十岁"),
    ("I live in Berlin", "I live in Berlin."),
    ("I live in Berlin", "i live in berlin"),
    ("I live in Berlin", "I LIVE IN BERLIN!!"),
    ("My name is Bob", "my name is bob"),
    ("I like turkey", "i like Turkey"),
    ("I don’t eat meat", "I don't eat meat..."),
    ("I work Monday–Friday", "I work Monday-Friday"),
    ("У меня аллергия на орехи", "у меня аллергия на орехи."),
    ("나는 서울에 살아요", "나는 서울에 살아요!"),
];

#[test]
fn no_memory_is_swallowed_by_one_of_another_meaning() {
    let one = |one: &str, other: &str| !contrast(one, other) || same_words(one, other);
    let wrong = APART.iter().filter(|(a, b)| one(a, b) || one(b, a));
    assert_eq!(wrong.collect::<Vec<_>>(), [&("", ""); 0]);
}

#[test]
fn one_thing_said_twice_is_one() {
    let two = |one: &str, other: &str| contrast(one, other) || !same_words(one, other);
    let wrong = ONE.iter().filter(|(a, b)| two(a, b) || two(b, a));
    assert_eq!(wrong.collect::<Vec<_>>(), [&("", ""); 0]);
}

#[test]
fn texts_without_words_are_one_only_where_they_are_equal() {
    assert!(!same_words("...", "!!") && same_words("...", "...") && !same_words("", "。"));
}

#[test]
fn a_long_text_is_looked_through_once() {
    let numerals = "一".repeat(60_000);
    assert!(!contrast(&numerals, &numerals));
    assert!(contrast(&numerals, &format!("{numerals}一")));
}
