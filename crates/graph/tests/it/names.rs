//! Which names are one entity: fresh pairs, judged by hand.

use crate::world;

use annals_graph::{Assertion, EntityId, GraphError, MergeSearch, NewEntity, Similarity};

use annals_types::profile::Unify;
use world::{NS, World};

/// Other spellings of one name, and other words for one thing.
const ONE: [(&str, &str); 38] = [
    ("wi-fi", "WiFi"),
    ("strawberries", "strawberry"),
    ("hobbies", "hobby"),
    ("tomatoes", "tomato"),
    ("headaches", "headache"),
    ("dishes", "dish"),
    ("children", "child"),
    ("The Rolling Stones", "Rolling Stones"),
    ("the dentist appointment", "dentist appointment"),
    ("The garden party", "garden party"),
    ("my violin", "violin"),
    ("PostgreSQL", "postgre sql"),
    ("Yahoo!", "yahoo"),
    ("rock & roll", "rock and roll"),
    ("M*A*S*H", "MASH"),
    ("*sourdough*", "sourdough"),
    ("#gardening", "gardening"),
    ("chapter #3", "chapter 3"),
    ("São Paulo", "Sao Paulo"),
    ("jalapeño", "jalapeno"),
    ("x-ray", "xray"),
    ("re-entry", "reentry"),
    ("co-worker", "coworker"),
    ("sugar-free gum", "sugarfree gum"),
    ("theatre tickets", "theatre ticket"),
    ("Vue.js", "vuejs"),
    ("McDonald's", "McDonalds"),
    ("snake_case", "snake case"),
    ("film festival", "movie festival"),
    ("Ｐｙｔｈｏｎ 课", "python 课"),
    ("我的咖啡机", "咖啡机"),
    ("睡眠的质量", "睡眠质量"),
    ("番茄炒蛋", "西红柿炒蛋"),
    ("ＡＢ型血", "AB型血"),
    ("《三体》", "三体"),
    ("“双十一”", "双十一"),
    ("北京市", "北京"),
    ("肚子疼", "肚子痛"),
];

/// Names that a sign, a capital, an ending, a number or a no makes two, however similar an embedder
/// finds them.
const NEVER_ONE: [(&str, &str); 42] = [
    ("blood type A", "blood type B"),
    ("The Who", "who"),
    ("The Office", "office"),
    (".NET", "net"),
    ("> 5", "< 5"),
    ("> 5", "5"),
    ("!important", "important"),
    ("re-sign", "resign"),
    ("re-cover", "recover"),
    ("co-op", "coop"),
    ("glasses", "glass"),
    ("customs", "custom"),
    ("news", "new"),
    ("A*", "A"),
    ("Apple", "apples"),
    ("Disney+", "Disney"),
    ("C++ course", "C# course"),
    ("C++", "C"),
    ("$5", "€5"),
    ("Python 2", "Python 3"),
    ("wife", "ex-wife"),
    ("president", "vice president"),
    ("marathon", "half marathon"),
    ("gluten", "gluten-free"),
    ("smoking", "no smoking"),
    ("女友", "前女友"),
    ("经理", "副经理"),
    ("朋友", "男朋友"),
    ("胆固醇", "好胆固醇"),
    ("加班", "不加班"),
    ("含糖", "无糖"),
    ("三楼", "五楼"),
    ("第一志愿", "第二志愿"),
    ("血型A+", "血型A-"),
    ("早上跑步", "晚上跑步"),
    ("心情日记", "日记"),
    ("公司", "新公司"),
    ("女儿", "大女儿"),
    ("弟弟", "表弟弟"),
    ("上海", "上海人"),
    ("糖尿病", "糖尿病人"),
    ("Li Na", "Lina"),
];

/// Names that have a word more, or another one in its place: two, where nothing but their
/// surroundings speaks for one.
const NOT_FOR_CONTEXT: [(&str, &str); 20] = [
    ("shoes", "running shoes"),
    ("coffee", "iced coffee"),
    ("laptop", "work laptop"),
    ("tea", "tea time"),
    ("mother", "mother-in-law"),
    ("React", "React Native"),
    ("bass", "bass guitar"),
    ("email", "e-mail list"),
    ("the museum", "museum of modern art"),
    ("vitamin B", "vitamin D"),
    ("left knee", "right knee"),
    ("piano teacher", "guitar teacher"),
    ("白酒", "红酒"),
    ("北京大学", "南京大学"),
    ("左耳", "右耳"),
    ("姐夫", "妹夫"),
    ("高血压", "低血压"),
    ("英语老师", "数学老师"),
    ("大舅", "小舅"),
    ("早餐", "午餐"),
];

/// Pairs of `ONE` that stay two: nothing but a rule about their language makes them one. A synonym
/// of the settings does.
const LEFT_TWO: [(&str, &str); 5] = [
    ("The Rolling Stones", "Rolling Stones"),
    ("The garden party", "garden party"),
    ("rock & roll", "rock and roll"),
    ("theatre tickets", "theatre ticket"),
    ("北京市", "北京"),
];

/// Pairs of `NEVER_ONE` that are one where an embedder finds them as like as this: the embedder
/// judges.
const LEFT_TO_LIKENESS: [(&str, &str); 13] = [
    ("The Who", "who"),
    ("The Office", "office"),
    ("re-sign", "resign"),
    ("re-cover", "recover"),
    ("co-op", "coop"),
    ("glasses", "glass"),
    ("customs", "custom"),
    ("news", "new"),
    ("Apple", "apples"),
    ("wife", "ex-wife"),
    ("president", "vice president"),
    ("marathon", "half marathon"),
    ("gluten", "gluten-free"),
];

/// Two entities that are so similar.
struct Alike([EntityId; 2], f64);

impl Similarity for Alike {
    fn nearest(&self, entity: EntityId, _: usize) -> Result<Vec<(EntityId, f64)>, GraphError> {
        Ok(self
            .0
            .into_iter()
            .filter(|other| *other != entity)
            .map(|other| (other, self.1))
            .collect())
    }

    fn between(&self, _: EntityId, _: EntityId) -> Result<Option<f64>, GraphError> {
        Ok(Some(self.1))
    }
}

/// Whether two topics that are spoken of with one thing are proposed as one.
fn are_one((one, other): (&str, &str), similarity: f64) -> bool {
    let mut world = World::new();
    world.settings.unify = Unify::Consolidation;
    let merge = &mut world.settings.merge;
    (merge.by_form, merge.one_word_apart) = (true, false);
    merge.synonyms = [["film", "movie"], ["番茄", "西红柿"], ["疼", "痛"]]
        .map(|group| group.map(str::to_owned).to_vec())
        .to_vec();
    merge.fillers = ["the", "a", "an", "of", "my", "我的", "我", "对", "的", "们"]
        .map(str::to_owned)
        .to_vec();
    let said = |row: u32, topic: &str, object: &str| {
        let topic = NewEntity::new(topic).kind("主题");
        world
            .says(
                row,
                &[Assertion::new(
                    topic,
                    "是",
                    NewEntity::new(object).kind("值"),
                )],
            )
            .ends
    };
    let (first, second) = (said(1, one, "Nike")[0], said(2, other, "here")[0]);
    world.says(3, &[Assertion::new(second.0, "是", first.1)]);
    let (reads, alike) = (world.snapshot(), Alike([first.0, second.0], similarity));
    let mut search = MergeSearch::new(&reads, NS, &world.settings, &alike);
    search.alike(&world.settings, &[first.0, second.0]).unwrap();
    !search.finish().unwrap().merges.is_empty()
}

fn wrong(
    pairs: &[(&'static str, &'static str)],
    similarity: f64,
    wanted: bool,
) -> Vec<(&'static str, &'static str)> {
    let both_ways = |(one, other): &(&'static str, &'static str)| {
        are_one((one, other), similarity) != wanted || are_one((other, one), similarity) != wanted
    };
    pairs.iter().copied().filter(both_ways).collect()
}

#[test]
fn names_are_one_or_two_as_a_person_says() {
    // In the second tier, with a neighbour in common.
    assert_eq!(wrong(&ONE, 0.94, true), LEFT_TWO);
    assert_eq!(wrong(&NEVER_ONE, 0.94, false), LEFT_TO_LIKENESS[2..9]);
    assert_eq!(wrong(&NOT_FOR_CONTEXT, 0.94, false), []);
}

#[test]
fn no_likeness_unites_names_that_a_sign_or_a_no_tells_apart() {
    assert_eq!(wrong(&NEVER_ONE, 0.99, false), LEFT_TO_LIKENESS);
    assert_eq!(wrong(&ONE, 0.99, true), [("北京市", "北京")]);
}

#[test]
fn spelling_alone_unites() {
    let by_form: Vec<_> = ONE.into_iter().filter(|pair| are_one(*pair, 0.0)).collect();
    let by_likeness = [
        "strawberries",
        "hobbies",
        "tomatoes",
        "headaches",
        "dishes",
        "children",
        "The Rolling Stones",
        "The garden party",
        "rock & roll",
        "theatre tickets",
        "我的咖啡机",
        "北京市",
    ];
    assert_eq!(wrong(&by_form, 0.0, true), []);
    assert_eq!(ONE.len() - by_form.len(), by_likeness.len());
    assert!(
        by_form.iter().all(|(one, _)| !by_likeness.contains(one)),
        "{by_form:?}"
    );
}
