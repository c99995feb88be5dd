use super::tokens::{Kind, Sink};
use super::{Analyzer, tokenize};
use crate::term::Term;

/// Tokens as text: stop words in `<>`, wholes in `{}`.
fn tokens(text: &str) -> String {
    struct Shown(Vec<String>);
    impl Sink for Shown {
        fn token(&mut self, _term: Term, kind: Kind, surface: &[u8]) {
            let surface = std::str::from_utf8(surface).unwrap();
            self.0.push(match kind {
                Kind::Plain => surface.to_owned(),
                Kind::Stop => format!("<{surface}>"),
                Kind::Whole => format!("{{{surface}}}"),
                Kind::Stem => format!("({surface})"),
            });
        }
    }
    let mut shown = Shown(Vec::new());
    tokenize(text, &mut shown);
    shown.0.join(" ")
}

/// Whether every term of the question is in the text.
fn finds(question: &str, text: &str) -> bool {
    let (query, forward) = (Analyzer.query(question), Analyzer.forward(text, None));
    !query.is_empty()
        && query
            .terms()
            .iter()
            .all(|t| !forward.counts(t.term).is_zero())
}

#[test]
fn english_words() {
    assert_eq!(
        tokens("I moved to Berlin, in March 2023."),
        "<i> moved <to> berlin <in> march 2023"
    );
    assert_eq!(
        tokens("Caroline's dog doesn't like O'Brien’s cats"),
        "caroline dog <doesnt> like o brien {obrien} cats"
    );
    assert_eq!(
        tokens("We'll meet; they're late -- I'd say so..."),
        "<we> meet <they> late <i> say <so>"
    );
    assert_eq!(tokens("\"Hello\" (world)! NASA"), "hello world nasa");
    assert_eq!(tokens("wait...what"), "wait <what>");
    assert!(finds("running cats", "The cat runs"));
    assert!(finds("CAFÉ", "a cafe"));
}

#[test]
fn identifiers_and_numbers() {
    assert_eq!(tokens("proxy-env"), "proxy env {proxy-env}");
    assert_eq!(tokens("Nuxt 4"), "nuxt 4");
    assert_eq!(tokens(r"D:\code"), "d code {d:/code}");
    assert_eq!(
        tokens(r"D:\code\annals-text\src.rs."),
        "d code annals text {annals-text} src rs {src.rs} {d:/code/annals-text/src.rs}"
    );
    assert_eq!(tokens("v1.2.3"), "v 1 {v1} 2 3 {1.2.3}");
    assert_eq!(
        tokens("snake_case camelCase HTTPServer iPhone"),
        "snake case {snake_case} camel case {camelcase} http server {httpserver} <i> phone {iphone}"
    );
    assert_eq!(
        tokens("bob.smith@example.com"),
        "bob smith {bob.smith} example com {example.com} {bob.smith@example.com}"
    );
    assert_eq!(
        tokens("https://example.com/a-b?x=1"),
        "https example com {example.com} <a> b {a-b} {https://example.com/a-b} x 1 {x=1}"
    );
    assert_eq!(
        tokens("1,000,000 yes,no 3.14 2023-05-08 10:30"),
        "1000000 yes <no> 3 14 {3.14} 2023 5 {05} 8 {08} {2023-05-08} 10 30 {10:30}"
    );
    assert_eq!(tokens("C++, C# F#. x+"), "c {c++} c {c#} f {f#} x");
    assert_eq!(tokens("gpt4 3f2a1b4c5d6e"), "gpt 4 {gpt4} 3f2a1b4c5d6e");
    for id in [
        "proxy-env",
        "Nuxt 4",
        r"D:\code",
        "v1.2.3",
        "1.2.3",
        "snake_case",
        "iphone",
        "D:/code",
        "C++",
        "10am",
    ] {
        assert!(
            finds(
                id,
                r"use proxy-env with Nuxt 4 in D:\code, v1.2.3 of snake_case; my iPhone, C++ at 10am"
            ),
            "{id}"
        );
    }
    assert!(!finds("C++", "a plain C"));
    assert!(finds("iphones", "two iPhones"));
}

#[test]
fn scripts_without_spaces() {
    assert_eq!(tokens("我搬到北京。"), "我 搬 到 北 京 我搬 搬到 到北 北京");
    assert_eq!(tokens("猫"), "猫");
    assert_eq!(
        tokens("用Rust写代码，2023年5月"),
        "用 rust 写 代 码 写代 代码 2023 年 5 月"
    );
    assert_eq!(tokens("食べる"), "食 べ る 食べ べる");
    assert_eq!(tokens("한국어 책"), "한 국 어 한국 국어 책");
    assert_eq!(tokens("ＡＩ助手"), "ai 助 手 助手");
    assert!(finds("北京", "我去年搬到北京工作"));
    assert!(finds("猫", "我养猫"));
}

#[test]
fn other_alphabets() {
    assert_eq!(tokens("Привет, мир! Άλφα"), "привет мир αλφα");
    assert_eq!(tokens("שָׁלוֹם مُحَمَّد"), "שלום محمد");
    assert_eq!(tokens("हिन्दी में"), "हिन्दी में");
    assert_eq!(tokens("Straße façade naïve"), "strasse facade naive");
}

#[test]
fn words_are_found_by_other_forms_of_their_language() {
    let pairs = [
        ("собака", "Вчера мы гуляли с собаками"),
        ("синий диван", "я купил синюю лампу и синие диваны"),
        ("книги", "он читает книгу"),
        ("كتاب", "قرأت الكتاب أمس"),
        ("المدرسة", "ذهبت الى مدرسة قريبة"),
        ("قطتي", "القطة نائمة"),
        ("كتاب", "والكتاب"),
        ("בית", "אני גר בבית גדול"),
        ("הספרים", "קראתי ספר"),
        ("שולחן", "ישבנו ליד השולחנות"),
        ("γάτα", "δύο γάτες"),
        ("kitap", "Kitaplarımızı rafa koydum"),
        ("kedilerim çok şişman", "bugün kedim bahçede uyuyor"),
        ("ŞİŞMAN BALIKLAR NEREDE", "küçük bir balık ırmağa düştü"),
        (
            "où sont mes chats noirs ?",
            "mon chat noir est tombé malade hier",
        ),
        ("Schuhgrößen", "Die Schuhgröße ist neu, sagte er"),
        ("könyv", "könyveim az asztalon"),
        (
            "o\u{300}u sont mes chats noirs ? cafe\u{301} tombe\u{301}",
            "mon chat noir est tombé malade hier",
        ),
    ];
    for (question, text) in pairs {
        assert!(
            found_by_form(question, text),
            "{question:?} in {text:?}: {} / {}",
            tokens(question),
            tokens(text)
        );
    }
    for (question, text) in [
        ("собака", "он читает книгу"),
        ("كتاب", "القطة نائمة"),
        ("ספר", "אני גר בבית גדול"),
    ] {
        assert!(!found_by_form(question, text), "{question:?} in {text:?}");
    }
}

/// Whether a term of the question that says something is in the text.
fn found_by_form(question: &str, text: &str) -> bool {
    let (query, forward) = (Analyzer.query(question), Analyzer.forward(text, None));
    query
        .terms()
        .iter()
        .any(|term| !forward.counts(term.term).is_zero())
}

/// Words of one script, of Latin letters with accents and of apostrophes.
const WORDS: &str = "([а-яё]{0,12}|[ء-ي]{0,12}|[א-ת]{0,12}|[α-ω]{0,12}|[\u{b80}-\u{bff}]{0,12}\
    |[a-zığşçöüéèñß']{0,12}| ){0,8}";

proptest::proptest! {
    #[test]
    fn any_word_of_a_script_with_stems_is_analysed(text in WORDS) {
        let forward = Analyzer.forward(&text, None);
        proptest::prop_assert!(Analyzer.query(&text).terms().iter().all(|t| !forward.counts(t.term).is_zero()));
    }
}

#[test]
fn texts_in_english_have_no_other_stems() {
    for text in [
        "kitaplar",
        "the cats sat",
        "I met Erdogan in Berlin",
        "我喜欢咖啡",
        "Die Katzen",
    ] {
        assert!(!tokens(text).contains('('), "{}", tokens(text));
    }
    // Nor has a text in a language without a stemmer, though it looks like one that has one.
    for text in [
        "Můj pes se jmenuje Rex a bydlíme v Brně",
        "Mój kot śpi na łóżku w sypialni",
        "Tôi thích uống cà phê sữa đá",
    ] {
        assert!(!tokens(text).contains('('), "{}", tokens(text));
    }
    // The length of a text is that of its words.
    let forward = Analyzer.forward("Kitaplarımızı rafa koydum", None);
    assert_eq!(forward.lengths().text, 3);
}

#[test]
fn short_i_is_a_letter_however_it_is_written() {
    assert!(finds("новый", "нови\u{306} новыи\u{306}"));
    assert_eq!(tokens("Йод"), tokens("И\u{306}од"));
}

#[test]
fn odd_input() {
    assert_eq!(tokens(""), "");
    assert_eq!(tokens(" \u{0}\u{7}\t\n...---'''\"\" "), "");
    assert_eq!(tokens("a\u{200F}b \u{202E}cd\u{202C}"), "ab cd");
    assert_eq!(tokens("party 🎉🎉👍🏽 👨‍👩‍👧"), "party 🎉 🎉 👍 👨 👩 👧");
    assert_eq!(tokens("️\u{FE0F}\u{301}"), "");
    let long = "x".repeat(1 << 20);
    assert_eq!(tokens(&long), long);
    let many = "ab1 ".repeat(1 << 18);
    assert_eq!(Analyzer.forward(&many, None).entries().len(), 3);
    let path = "a/".repeat(1 << 19);
    assert_eq!(Analyzer.forward(&path, None).lengths().text, 0);
}

#[test]
fn replies_are_counted_apart() {
    let forward = Analyzer.forward("the red house", Some("red car in a red garage"));
    let red = forward.counts(Analyzer.query("red").terms()[0].term);
    assert_eq!((red.text, red.reply), (1, 2));
    assert_eq!((forward.lengths().text, forward.lengths().reply), (2, 4));
}

#[test]
fn a_question_has_each_term_once() {
    let query = Analyzer.query("Cat, cats and CATS in the house");
    let shown: Vec<_> = query
        .terms()
        .iter()
        .map(|t| (t.surface.as_str(), t.weight))
        .collect();
    assert_eq!(shown, [("cat", 1.0), ("house", 1.0)]);
}
