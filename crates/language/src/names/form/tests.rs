use super::*;

fn group(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Forms with fillers.
fn filled() -> Forms {
    let fillers = group(&["the", "a", "of", "my", "我的", "的", "们"]);
    Forms::new(&MergeSettings {
        fillers,
        ..MergeSettings::default()
    })
}

#[test]
fn names_of_one_form_are_one_name() {
    let synonyms = vec![
        group(&["film", "movie"]),
        group(&["心情", "情绪"]),
        group(&["公交车", "公共汽车", "公交"]),
        group(&["妻子", "老婆", "太太"]),
        group(&["自行车", "单车"]),
        group(&["remote work", "home office"]),
    ];
    let fillers = group(&["the", "a", "my", "的"]);
    let forms = Forms::new(&MergeSettings {
        synonyms,
        fillers,
        ..MergeSettings::default()
    });
    for (one, other) in [
        ("Node.js", "NodeJS"),
        ("e-mail", "Email"),
        ("the road trip", "roadtrip"),
        ("gluten-free bread", "gluten free bread"),
        ("学习的计划", "学习计划"),
        ("Ｄｏｃｋｅｒ", "docker"),
        ("Café Luna", "cafe luna"),
        ("horror movie", "horror film"),
        ("我的情绪", "我的心情"),
        ("公交", "公交车"),
        ("公共汽车", "公交"),
        ("心情日记", "情绪日记"),
        ("home office", "remote work"),
        ("❤\u{FE0F}", "❤"),
        ("the Beatles", "Beatles"),
        ("Ångström", "angstrom"),
    ] {
        assert!(!forms.differ(one, other), "{one} | {other}");
    }
    for (one, other) in [
        ("C", "C++"),
        ("C#", "C"),
        ("The Who", "who"),
        ("Windows", "window"),
        ("yoga class", "yoga classes"),
        ("北京", "北京市"),
        ("的", ""),
        ("moviegoer", "filmgoer"),
        ("❤", "👍"),
        ("A-", "A"),
        ("AB-", "AB+"),
        ("-5°C", "5°C"),
        ("ข้าว", "ขาว"),
        ("目的", "目"),
        ("目的地", "目地"),
        ("My Little Pony", "little pony"),
        ("老太太", "老妻子"),
        ("简单车型", "简自行车型"),
        ("单车道", "自行车道"),
    ] {
        assert!(forms.differ(one, other), "{one} | {other}");
    }
}

#[test]
fn a_letter_that_stands_alone_at_the_end_makes_another_name() {
    for (one, other) in [
        ("blood type A", "blood type B"),
        ("vitamin C", "vitamins"),
        ("plan B", "plan"),
    ] {
        assert!(
            Forms::default().contrary(one, other) && Forms::default().contrary(other, one),
            "{one} | {other}"
        );
    }
    for (one, other) in [("A", "B"), ("vitamin C", "Vitamin C"), ("a b c", "a x c")] {
        assert!(!Forms::default().contrary(one, other), "{one} | {other}");
    }
}

#[test]
fn one_other_word_makes_another_name() {
    for (one, other) in [
        ("black tea", "green tea"),
        ("older sister", "younger sister"),
        ("South Korea", "North Korea"),
        ("Jane Smith", "Jake Smith"),
        ("John Lee", "Joan Lee"),
        ("Paris trip", "Parma trip"),
        ("morning run", "moving run"),
        ("红茶", "绿茶"),
        ("左手", "右手"),
        ("姐姐", "妹妹"),
        ("上海大学", "海南大学"),
        ("日记", "心情日记"),
        ("头疼", "头痛"),
        ("身体状况", "身体状态"),
        ("苹果手机", "苹果电脑"),
        ("Python 课", "Python 课程"),
        ("colour scheme", "color scheme"),
    ] {
        assert!(Forms::default().words_apart(one, other), "{one} | {other}");
    }
    for (one, other) in [
        ("tea", "coffee"),
        ("a b c", "a x y"),
        ("my tea", "tea"),
        ("孩子们", "孩子"),
        ("加班", "超时工作"),
        ("音乐课", "钢琴"),
    ] {
        assert!(!filled().words_apart(one, other), "{one} | {other}");
    }
}

#[test]
fn a_sign_more_makes_another_chinese_name() {
    for (one, other) in [
        ("公司", "新公司"),
        ("女儿", "小女儿"),
        ("姐姐", "表姐姐"),
        ("日本", "日本人"),
        ("女朋友", "女性朋友"),
        ("糖尿病", "糖尿病人"),
    ] {
        assert!(
            Forms::default().contrary(one, other) && Forms::default().contrary(other, one),
            "{one} | {other}"
        );
    }
    for (one, other) in [
        ("我的猫", "猫"),
        ("孩子们", "孩子"),
        ("红茶", "绿茶"),
        ("shoes", "running shoes"),
    ] {
        assert!(!filled().contrary(one, other), "{one} | {other}");
    }
}

#[test]
fn another_word_for_the_rest_is_the_same_word() {
    let synonyms = [["疼", "痛"], ["番茄", "西红柿"]]
        .map(|group| group.map(str::to_owned).to_vec())
        .to_vec();
    let forms = Forms::new(&MergeSettings {
        synonyms,
        ..MergeSettings::default()
    });
    assert!(forms.differ("番茄汤", "西红柿汤") && !forms.words_apart("番茄汤", "西红柿汤"));
    for (one, other) in [("肚子疼", "肚子痛"), ("头疼", "头痛"), ("牙痛", "牙疼")] {
        assert!(
            !forms.differ(one, other) && !forms.contrary(one, other),
            "{one} | {other}"
        );
    }
    assert!(forms.words_apart("头疼", "头晕") && forms.differ("疼爱", "痛爱"));
}

#[test]
fn a_synonym_hides_no_sign_that_makes_another_name() {
    let wives = vec![["妻子", "老婆", "太太"].map(str::to_owned).to_vec()];
    let forms = Forms::new(&MergeSettings {
        synonyms: wives,
        ..MergeSettings::default()
    });
    assert!(forms.contrary("太太", "老太太") && forms.contrary("老太太", "太太"));
    assert!(!forms.contrary("太太", "老婆") && !forms.differ("太太", "老婆"));
}

#[test]
fn names_run_together_are_two_where_their_capitals_are() {
    for (one, other) in [("Li Na", "Lina"), ("An Na", "Anna")] {
        assert!(
            Forms::default().contrary(one, other) && Forms::default().contrary(other, one),
            "{one} | {other}"
        );
    }
    for (one, other) in [
        ("New York", "NewYork"),
        ("PostgreSQL", "Postgre SQL"),
        ("road trip", "Roadtrip"),
    ] {
        assert!(!Forms::default().contrary(one, other), "{one} | {other}");
    }
}
