use super::contrast;

#[test]
fn one_word_makes_the_difference() {
    for (one, other) in [
        ("My blood type is A positive", "My blood type is B positive"),
        ("我的血型是A型，请记住", "我的血型是B型，请记住"),
        (
            "take 5 mg of the pill every day",
            "take 5 g of the pill every day",
        ),
        ("每天跑步5分钟", "每天跑步5小时"),
        (
            "Turn left at the second crossing",
            "Turn right at the second crossing",
        ),
        (
            "I never drink coffee after lunch",
            "I always drink coffee after lunch",
        ),
        (
            "My sister likes horror movies very much",
            "My sister does not like horror movies very much",
        ),
        ("我非常喜欢吃香菜", "我非常不喜欢吃香菜"),
        ("gate A12 is closed", "gate B12 is closed"),
        ("每天睡六小时", "每天睡八小时"),
        (
            "The team meeting starts at 9 a.m.",
            "The team meeting starts at 9 p.m.",
        ),
        (
            "My flight to Rome is on Nov 24",
            "My flight to Rome is on Dec 24",
        ),
        ("I moved to Berlin last year", "I moved to Berlin next year"),
        ("下星期三去体检", "上星期三去体检"),
        ("我每天喝两杯红茶", "我每天喝两杯绿茶"),
        ("I don’t eat meat", "I eat meat"),
        ("My birthday is 2001-05-11", "My birthday is 2001-11-05"),
        ("I have 3 cats and 2 dogs", "I have 2 cats and 3 dogs"),
        ("The offset is -5 degrees", "The offset is 5 degrees"),
        ("三点一刻开会", "三点三刻开会"),
        ("他身高一米八", "他身高一米七"),
        ("我今年读大二", "我今年读大三"),
        // Signs.
        (
            "My blood type is A+, please remember it",
            "My blood type is A-, please remember it",
        ),
        (
            "I write my services in C++ at work",
            "I write my services in C# at work",
        ),
        (
            "The monthly rent is $1200 in all",
            "The monthly rent is €1200 in all",
        ),
        (
            "The alarm fires when it is > 30 degrees",
            "The alarm fires when it is < 30 degrees",
        ),
        (
            "The file has 5 MB and is old",
            "The file has 5 Mb and is old",
        ),
        // Noes, wherever they stand.
        ("我不同意把房子卖掉", "我同意把房子卖掉"),
        ("点菜的时候我要不辣的面", "点菜的时候我要辣的面"),
        ("我需要不含乳糖的牛奶，请记住", "我需要含乳糖的牛奶，请记住"),
        ("我不过生日，也不办聚会", "我过生日，也不办聚会"),
        (
            "I don't like tea but I like coffee a lot",
            "I like tea but I don't like coffee a lot",
        ),
        // Words that are moved or added, and more than one of them.
        (
            "I parked the car on level B near gate C",
            "I parked the car on level D near gate E",
        ),
        (
            "I take the night train from Berlin to Paris",
            "I take the night train from Paris to Berlin",
        ),
        (
            "Alice is the manager of Bob at the bank",
            "Bob is the manager of Alice at the bank",
        ),
        (
            "I paid Tom 50 dollars for the bike",
            "Tom paid me 50 dollars for the bike",
        ),
        (
            "I have three cats and two dogs at home",
            "I have two cats and three dogs at home",
        ),
        (
            "I used to live in Berlin near the river",
            "I live in Berlin near the river",
        ),
        ("我以前住在北京的朝阳区", "我住在北京的朝阳区"),
        (
            "My ex-wife is called Sarah and lives here",
            "My wife is called Sarah and lives here",
        ),
        ("我前女友叫小红，在银行工作", "我女友叫小红，在银行工作"),
        (
            "My sister's birthday party is in Paris",
            "My birthday party is in Paris",
        ),
        (
            "I am allergic to pine nuts and bees",
            "I am allergic to nuts and bees",
        ),
        ("我每个月的房租是1200元", "我每个月的房租是1200美元"),
        ("I might move to Berlin", "I move to Berlin"),
        ("I almost finished the marathon", "I finished the marathon"),
        ("他喜欢我做的红烧肉", "我喜欢他做的红烧肉"),
        ("I lived in Berlin with Tom", "I live in Berlin with Tom"),
        ("喜欢茶", "喜欢酒"),
        // Words with one beginning.
        (
            "I went to Iran with my parents last summer",
            "I went to Iraq with my parents last summer",
        ),
        (
            "I like talking to Maria at work",
            "I like talking to Marie at work",
        ),
        (
            "the employee asked me to sign by Friday",
            "the employer asked me to sign by Friday",
        ),
        (
            "The page is served by http here",
            "The page is served by https here",
        ),
        (
            "I visited the Adam family in Rome",
            "I visited the Adams family in Rome",
        ),
        // Dates of the same numbers.
        (
            "My flight leaves on July 6 from Berlin",
            "My flight leaves on June 7 from Berlin",
        ),
        ("会议定在2026年10月12日", "会议定在2026年12月10日"),
        // Few words in common, and one text denies.
        (
            "I eat meat most days of the week",
            "never any beef or pork for me",
        ),
    ] {
        assert!(
            contrast(one, other) && contrast(other, one),
            "{one} | {other}"
        );
    }
}

#[test]
fn what_is_only_typed_in_another_way_is_no_contrast() {
    for (one, other) in [
        ("the same", "the same"),
        ("one thing entirely", "something else altogether"),
        ("I am twenty-five years old", "I am 25 years old"),
        ("We meet at 9:00", "We meet at 9"),
        ("我的生日是2001-05-11", "我的生日是2001年5月11日"),
        ("The rent is 1,200 €", "The rent is 1200 €"),
        ("My birthday is March 3rd", "My birthday is March 3"),
        ("我常写函数式代码", "我喜欢函数式编程"),
        ("", ""),
    ] {
        assert!(!contrast(one, other), "{one} | {other}");
    }
}
