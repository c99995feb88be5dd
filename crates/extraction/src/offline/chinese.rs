use super::clause::Clause;
use super::{Claim, Topic};
use crate::time::{Grain, Said, phrases};

/// Who speaks.
pub(super) const ME: &str = "我";

/// What a clause says of who said it.
pub(super) fn claim(clause: &Clause, said: &Said) -> Option<Claim> {
    let text = clause.text.as_str();
    let about = |topic| Claim { topic, text: text.to_owned(), correction: clause.correction };
    name(text)
        .or_else(|| birthday(text, said))
        .or_else(|| place(text))
        .or_else(|| work(text))
        .or_else(|| family(text))
        .or_else(|| health(text))
        .or_else(|| preference(text))
        .or_else(|| plan(text, said))
        .or_else(|| habit(text))
        .or_else(|| instruction(text))
        .or_else(|| lesson(text))
        .map(about)
}

/// Whether a clause without a subject, behind a claim, is still about who said that. Behind what somebody likes it may be about that (我喜欢李健，住在北京), so
/// that it goes on there only with what is not liked.
pub(super) fn goes_on(before: &Claim, clause: &str) -> bool {
    let mine = before.text.starts_with(ME);
    match before.topic {
        Topic::Name | Topic::Birthday | Topic::Place | Topic::Work | Topic::Health => mine,
        Topic::Preference => mine && says_the_contrary(&before.text, clause),
        _ => false,
    }
}

/// Whether a clause says of the same verb that it is not so: 不喜欢冬天 beside 我喜欢夏天.
fn says_the_contrary(before: &str, clause: &str) -> bool {
    let Some(denied) = clause.strip_prefix('不') else { return false };
    let verb = ["喜欢", "爱"].into_iter().find(|verb| denied.starts_with(verb));
    verb.and_then(|verb| before.split_once(verb)).is_some_and(|(start, _)| !start.ends_with('不'))
}

/// Whether what stands before the one who speaks is what somebody thinks or wants of him: 老师以为我喜欢数学.
fn is_of_others(before: &str) -> bool {
    const OTHERS: [&str; 24] = [
        "以为", "觉得", "希望", "知道", "认为", "相信", "怀疑", "担心", "要求", "建议", "误会", "发现", "记得", "让",
        "叫", "说", "问", "猜", "盼", "怕", "夸", "逼", "骂", "嫌",
    ];
    // 小说 and 访问 hold the letters of what people say and ask.
    const NONE: [&str; 10] = ["说实话", "老实说", "小说", "学说", "传说", "解说", "访问", "问题", "叫好", "说唱"];
    let before = NONE.iter().fold(before.to_owned(), |text, word| text.replace(word, ""));
    OTHERS.iter().any(|word| before.contains(word))
}

/// The rest behind the first of several beginnings, the longest of them first.
fn behind<'a>(text: &'a str, beginnings: &[&str]) -> Option<&'a str> {
    let fitting = beginnings.iter().filter_map(|beginning| text.strip_prefix(beginning));
    fitting.min_by_key(|rest| rest.len()).map(str::trim)
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

/// A short text without particles: a name or a place.
fn is_short(text: &str, most: usize) -> bool {
    const LOOSE: [&str; 14] = ["的", "了", "是", "在", "我", "你", "他", "她", "这", "那", "不", "去", "来", "就"];
    (1..=most).contains(&chars(text)) && !LOOSE.iter().any(|word| text.contains(word))
}

fn name(text: &str) -> Option<Topic> {
    let rest = behind(text, &["我叫", "我的名字是", "我的名字叫", "我名字叫", "叫我", "你可以叫我", "我姓"])?;
    let latin = rest.chars().next().is_some_and(|c| c.is_ascii_uppercase());
    let fits =
        if latin { chars(rest) <= 20 } else { is_short(rest, 6) && !rest.contains("一声") && !rest.contains('做') };
    fits.then_some(Topic::Name)
}

fn birthday(text: &str, said: &Said) -> Option<Topic> {
    let born = behind(text, &["我的生日是", "我生日是", "我的生日在", "我出生于", "我出生在"]);
    let of_year =
        text.starts_with("我是") && (text.ends_with("出生的") || text.ends_with('生') || text.ends_with("生的"));
    let rest = born.or_else(|| of_year.then_some(text))?;
    (!phrases(rest, said).is_empty()).then_some(Topic::Birthday)
}

fn place(text: &str) -> Option<Topic> {
    let beginnings = [
        "我住在", "我现在住在", "我家在", "我搬到了", "我搬到", "我搬去了", "我来自", "我老家在", "我老家是",
        "我的老家在", "我的家乡是", "我住",
    ];
    if let Some(rest) = behind(text, &beginnings) {
        return (is_short(rest.trim_end_matches("了"), 14) && !rest.starts_with(['院', '校', '宿', '下', '进', '这']))
            .then_some(Topic::Place);
    }
    // 我是四川人, but not 我是好人.
    let people = text.strip_prefix("我是")?.strip_suffix('人')?;
    let other = [
        "本地", "外地", "好", "坏", "男", "女", "老", "年轻", "普通", "成年", "中年", "单身", "北方的", "个", "一",
        "内向", "外向", "主持", "负责", "主",
    ];
    ((2..=5).contains(&chars(people)) && is_short(people, 5) && !other.iter().any(|word| people.contains(word)))
        .then_some(Topic::Place)
}

fn work(text: &str) -> Option<Topic> {
    const TRADES: [&str; 36] = [
        "程序员", "工程师", "老师", "教师", "医生", "护士", "律师", "会计", "司机", "经理", "学生", "设计师", "作家",
        "记者", "画家", "歌手", "演员", "厨师", "研究员", "科学家", "教授", "警察", "军人", "农民", "翻译", "编辑",
        "摄影师", "咨询师", "分析师", "销售", "公务员", "飞行员", "开发者", "研究生", "大学生", "博士生",
    ];
    if let Some(rest) = behind(text, &["我的职业是", "我的工作是", "我从事", "我的专业是", "我学的是"])
    {
        return (chars(rest) >= 2).then_some(Topic::Work);
    }
    if let Some((place, done)) = text.strip_prefix("我在").and_then(|rest| rest.split_once('做')) {
        const DONE: [&str; 12] =
            ["开发", "设计", "运维", "测试", "销售", "运营", "研究", "翻译", "编辑", "产品", "实习", "前端"];
        let trade = DONE.iter().chain(&TRADES).any(|trade| done.ends_with(trade));
        return ((2..=12).contains(&chars(place)) && chars(done) <= 10 && trade).then_some(Topic::Work);
    }
    if let Some(rest) = text.strip_prefix("我在") {
        let place = ["工作", "上班", "任职", "读书", "上学", "实习"].iter().find_map(|word| rest.strip_suffix(word))?;
        let fits = (2..=16).contains(&chars(place))
            && place != "家里"
            && !["努力", "认真", "考虑", "找", "忙"].iter().any(|w| place.contains(w));
        return fits.then_some(Topic::Work);
    }
    let rest = behind(text, &["我是", "我是一名", "我是一个", "我是一位", "我是个", "我是名"])?;
    (chars(rest) <= 14 && TRADES.iter().any(|trade| rest.ends_with(trade))).then_some(Topic::Work)
}

fn preference(text: &str) -> Option<Topic> {
    const SAID: [&str; 9] = ["喜欢", "热爱", "讨厌", "不喜欢", "受不了", "偏爱", "偏好", "爱吃", "爱喝"];
    // 代码评审我偏好小的提交: what it is about may stand first.
    const OTHERS: [&str; 7] = ["你", "他", "她", "它", "时候", "以前", "小时"];
    let (about, rest) = text.split_once(ME)?;
    if chars(about) > 8 || is_of_others(about) || OTHERS.iter().any(|word| about.contains(word)) {
        return None;
    }
    let mut rest = rest;
    for _ in 0..3 {
        let adverbs = [
            "平时", "一直", "特别", "非常", "比较", "真的", "从小", "最", "很", "也", "还", "都", "超", "更", "挺",
            "就", "不太",
        ];
        match adverbs.iter().find_map(|word| rest.strip_prefix(word)) {
            Some(tail) => rest = tail,
            None => break,
        }
    }
    let object = SAID.iter().find_map(|word| rest.strip_prefix(word))?;
    // 我喜欢你, 我喜欢上了, 我喜欢的 go on with something else.
    let pointing = ["你", "他", "她", "它", "这", "那", "上", "过", "得", "和你", "跟你", "您", "自己"];
    let asks_back = object.starts_with("的是") || (object.starts_with('的') && !object.contains('是'));
    let fits = chars(object) >= 1 && !pointing.iter().any(|word| object.starts_with(word)) && !asks_back;
    fits.then_some(Topic::Preference)
}

fn family(text: &str) -> Option<Topic> {
    const RELATIVES: [&str; 24] = [
        "妻子", "老婆", "丈夫", "老公", "儿子", "女儿", "爸爸", "妈妈", "父亲", "母亲", "哥哥", "弟弟", "姐姐", "妹妹",
        "狗", "猫", "女朋友", "男朋友", "爷爷", "奶奶", "外公", "外婆", "孩子", "宠物",
    ];
    if let Some(rest) = behind(text, &["我养了", "我家养了"]) {
        return (chars(rest) >= 2).then_some(Topic::Family);
    }
    let rest = behind(text, &["我", "我的", "我家"])?;
    let rest = behind(rest, &["的", "养的", ""]).unwrap_or(rest);
    let behind_relative = RELATIVES.iter().find_map(|who| rest.strip_prefix(who))?;
    let name = behind(behind_relative, &["叫", "的名字是", "的名字叫", "名叫"])?;
    is_short(name, 6).then_some(Topic::Family)
}

fn health(text: &str) -> Option<Topic> {
    let allergic =
        text.strip_prefix("我对").and_then(|rest| rest.strip_suffix("过敏").or_else(|| rest.strip_suffix("严重过敏")));
    if allergic.is_some_and(|what| (1..=10).contains(&chars(what))) {
        return Some(Topic::Health);
    }
    let exact =
        ["我吃素", "我是素食者", "我不吃肉", "我不吃辣", "我不喝酒", "我有糖尿病", "我有高血压", "我乳糖不耐受"];
    // 咖啡喝多了我会失眠.
    let follows = text.split_once("我会").filter(|(when, _)| !is_of_others(when)).is_some_and(|(when, what)| {
        ["吃", "喝", "闻", "碰", "熬夜"].iter().any(|done| when.contains(done))
            && ["失眠", "过敏", "拉肚子", "胃痛", "胃疼", "头疼", "头痛", "头晕", "起疹子"]
                .iter()
                .any(|ill| what.starts_with(ill))
    });
    (follows || exact.contains(&text)).then_some(Topic::Health)
}

fn plan(text: &str, said: &Said) -> Option<Topic> {
    const INTENDED: [&str; 7] = ["要", "打算", "准备", "计划", "会去", "得去", "约了"];
    let me = text.find('我').filter(|at| *at <= 24 && !text.get(..*at).is_some_and(is_of_others))?;
    let found = phrases(text, said);
    let ahead = found.iter().find(|phrase| {
        phrase.interval.start > said.at || (phrase.interval.end > said.at && phrase.grain > Grain::Minute)
    })?;
    // 我明天要 or 明天我要: the intention follows both.
    let after = me.max(ahead.range.end.min(text.len()));
    let rest = text.get(after..)?.trim_start_matches(['我', '就', '还', '也', '上', '午', '下', '晚', '早']);
    let intended = INTENDED.iter().any(|word| rest.starts_with(word));
    let unsure = ["不要", "要不", "需要", "主要", "重要", "只要", "快要"].iter().any(|word| text.contains(word));
    (intended && !unsure).then_some(Topic::Plan)
}

/// 我每天早上跑3公里.
fn habit(text: &str) -> Option<Topic> {
    const OFTEN: [&str; 12] = [
        "每天", "每晚", "每周", "每个周末", "每个月", "每星期", "每年", "每隔", "平时都", "周末都", "一般都",
        "每个工作日",
    ];
    const OTHERS: [&str; 16] = [
        "你", "他", "她", "它", "想", "觉得", "感觉", "过得", "很", "都在", "担心", "心情", "压力", "期待", "好像",
        "发呆",
    ];
    let rest = text.strip_prefix(ME)?;
    let doing = OFTEN.iter().find_map(|often| rest.strip_prefix(often))?;
    (chars(doing) >= 2 && !OTHERS.iter().any(|word| doing.contains(word))).then_some(Topic::Habit)
}

/// 以后回答请简短一点: how the assistant is to answer, not what is asked for once.
fn instruction(text: &str) -> Option<Topic> {
    const ALWAYS: [&str; 12] = [
        "以后", "今后", "从现在起", "从今以后", "请始终", "请一直", "请总是", "永远不要", "请不要再", "不要再", "别再",
        "请尽量",
    ];
    const TALK: [&str; 8] = ["回答", "回复", "跟我说话", "和我说话", "解释", "表情", "叫我", "称呼我"];
    let begins =
        ALWAYS.iter().any(|word| text.starts_with(word)) || text.starts_with("回答请") || text.starts_with("回答要");
    let once = ["这个问题", "这道题", "今天", "刚才", "上面"].iter().any(|word| text.contains(word));
    (begins && !once && TALK.iter().any(|word| text.contains(word))).then_some(Topic::Preference)
}

/// 以后改配置一定要先灰度, KEYS 不要在生产环境用, 上次直接改配置，结果服务挂了.
fn lesson(text: &str) -> Option<Topic> {
    const PERSONS: [&str; 7] = ["我", "你", "他", "她", "咱", "大家", "您"];
    let nobody = !PERSONS.iter().any(|word| text.contains(word));
    let resolved = (text.starts_with("以后") || text.starts_with("下次"))
        && ["一定要", "必须", "千万别", "千万不要", "不能再", "不要再", "记得先"]
            .iter()
            .any(|word| text.contains(word));
    let live = ["不要在", "别在", "不能在", "禁止在"].iter().any(|word| text.contains(word))
        && ["生产环境", "线上", "生产库"].iter().any(|word| text.contains(word));
    let failed = text.split_once("，结果").is_some_and(|(_, end)| {
        ["挂了", "崩了", "失败", "出错", "丢了", "回滚", "炸了", "宕机", "超时"].iter().any(|word| end.contains(word))
    });
    (nobody && chars(text) <= 60 && (resolved || live || failed)).then_some(Topic::Lesson)
}
