use crate::Figures;

/// Words that turn what is said into its contrary.
const NOES: [&str; 20] = [
    "not", "no", "never", "without", "cannot", "neither", "nor", "none", "hardly", "hate", "hates", "hated", "dislike",
    "dislikes", "disliked", "stop", "stopped", "quit", "non", "anti",
];
/// The same in Chinese, with what holds one of them and is none.
const CHINESE_NOES: [&str; 9] = ["不", "没", "別", "别", "无", "無", "未", "非", "讨厌"];
const NONE_OF_THEM: [&str; 22] = [
    "不但",
    "不过",
    "不仅",
    "不错",
    "不同",
    "不断",
    "不久",
    "不管",
    "不论",
    "不少",
    "差不多",
    "对不起",
    "非常",
    "非洲",
    "特别",
    "别人",
    "区别",
    "级别",
    "类别",
    "性别",
    "无论",
    "要不",
];
/// The most words, or Chinese characters, that may stand in the place of others.
const MOST_WORDS: usize = 2;
const MOST_CHARACTERS: usize = 3;
/// Words that may stand in each other's place and say the same.
const ALIKE: [&[&str]; 4] = [
    &["喜欢", "喜欢用", "爱", "爱用", "偏爱", "偏爱用", "偏好", "偏好用", "喜爱"],
    &["用", "使用", "在用", "会用"],
    &["住在", "居住在", "现居"],
    &["like", "likes", "love", "loves", "enjoy", "enjoys", "prefer", "prefers", "is fond of", "am fond of"],
];

/// Whether two texts that are alike in most of their words say different things all the same.
///
/// They do when they name different [`Figures`], when one denies what the other says, or when they are the same but for a word or two in whose
/// place others stand: "blood type A" and "blood type B", 5 mg and 5 g, "always" and "never". Words that are only added change nothing, nor does
/// another order of the whole. Embedders see next to nothing of all this; whoever takes texts for one by their likeness asks here first, and errs by
/// keeping two where one would do.
///
/// ```
/// use annals_types::contrast;
///
/// assert!(contrast("My blood type is A", "My blood type is B"));
/// assert!(contrast("她喜欢香菜", "她不喜欢香菜"));
/// assert!(!contrast("Caroline loves hiking", "Caroline really loves hiking"));
/// ```
#[must_use]
pub fn contrast(one: &str, other: &str) -> bool {
    if Figures::of(one) != Figures::of(other) {
        return true;
    }
    let (one, other) = (Words::of(one), Words::of(other));
    one.denies() != other.denies() || one.replaces(&other) || one.reorders(&other)
}

/// The words of a text in lower case, Chinese ones by character.
struct Words(Vec<String>);

impl Words {
    fn of(text: &str) -> Self {
        let mut words: Vec<String> = Vec::new();
        let mut open = false;
        for c in text.replace('’', "'").to_lowercase().chars() {
            let alone = !c.is_ascii() && c.is_alphabetic() && u32::from(c) >= 0x2E80;
            if alone {
                words.push(c.to_string());
            } else if c.is_alphanumeric() || c == '\'' {
                match words.last_mut().filter(|_| open) {
                    Some(word) => word.push(c),
                    None => words.push(c.to_string()),
                }
            }
            open = !alone && (c.is_alphanumeric() || c == '\'');
        }
        Self(words)
    }

    /// Whether it says no an odd number of times.
    fn denies(&self) -> bool {
        let latin = self.0.iter().filter(|word| NOES.contains(&word.as_str()) || word.ends_with("n't")).count();
        let mut text = self.0.concat();
        for word in NONE_OF_THEM {
            text = text.replace(word, "");
        }
        let chinese: usize = CHINESE_NOES.iter().map(|no| text.matches(no).count()).sum();
        (latin + chinese) % 2 == 1
    }

    /// Whether both are the same but for the order of their numbers: "3 cats and 2 dogs".
    fn reorders(&self, other: &Self) -> bool {
        let plain = |words: &Self| words.0.iter().filter(|word| !is_number(word)).cloned().collect::<Vec<_>>();
        let numbers = |words: &Self| words.0.iter().filter(|word| is_number(word)).cloned().collect::<Vec<_>>();
        let (one, another) = (numbers(self), numbers(other));
        one.len() == another.len() && one != another && plain(self) == plain(other)
    }

    /// Whether a few words of one stand where the other has others, and all before and behind them is the same.
    fn replaces(&self, other: &Self) -> bool {
        let before = self.0.iter().zip(&other.0).take_while(|(a, b)| a == b).count();
        let (rest, others) = (self.0.get(before..).unwrap_or_default(), other.0.get(before..).unwrap_or_default());
        let behind = rest.iter().rev().zip(others.iter().rev()).take_while(|(a, b)| a == b).count();
        let short = |words: &[String]| {
            let words = words.get(..words.len() - behind).unwrap_or_default();
            let single = words.iter().filter(|word| word.chars().next().is_some_and(|c| !c.is_ascii())).count();
            !words.is_empty() && single <= MOST_CHARACTERS && words.len() - single <= MOST_WORDS
        };
        before + behind > 0
            && short(rest)
            && short(others)
            && !inflected(rest, others, behind)
            && !are_one_number(rest, others, behind)
            && !are_alike(rest, others, behind)
    }
}

/// Whether a word is a number.
fn is_number(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_digit() || "零〇一二两三四五六七八九十百千万".contains(c))
}

/// Whether what stands at one place are two ways to write one number: "twenty-five" and 25.
fn are_one_number(one: &[String], other: &[String], behind: usize) -> bool {
    let of = |words: &[String]| words.get(..words.len() - behind).unwrap_or_default().join(" ");
    let (one, other) = (of(one), of(other));
    // A12 is a name and no number.
    let named = |text: &str| {
        text.split(' ')
            .any(|word| word.contains(|c: char| c.is_ascii_digit()) && word.contains(|c: char| c.is_ascii_alphabetic()))
    };
    let figures = Figures::of(&one);
    !named(&one) && !named(&other) && !figures.is_empty() && figures == Figures::of(&other)
}

/// Whether what stands at one place are words that say the same.
fn are_alike(one: &[String], other: &[String], behind: usize) -> bool {
    let of = |words: &[String]| {
        let words = words.get(..words.len() - behind).unwrap_or_default();
        words.join(if words.iter().all(|word| word.is_ascii()) { " " } else { "" })
    };
    let (one, other) = (of(one), of(other));
    ALIKE.iter().any(|group| group.contains(&one.as_str()) && group.contains(&other.as_str()))
}

/// Whether what stands at one place is the same word in another form: "run" and "runs", "colour" and "color".
fn inflected(one: &[String], other: &[String], behind: usize) -> bool {
    let [word] = one.get(..one.len() - behind).unwrap_or_default() else { return false };
    let [form] = other.get(..other.len() - behind).unwrap_or_default() else { return false };
    let stem = word.chars().zip(form.chars()).take_while(|(a, b)| a == b).count();
    let longest = word.chars().count().max(form.chars().count());
    word.is_ascii() && stem >= 3 && longest - stem <= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word_makes_the_difference() {
        for (one, other) in [
            ("My blood type is A positive", "My blood type is B positive"),
            ("我的血型是A型，请记住", "我的血型是B型，请记住"),
            ("take 5 mg of the pill every day", "take 5 g of the pill every day"),
            ("每天跑步5分钟", "每天跑步5小时"),
            ("Turn left at the second crossing", "Turn right at the second crossing"),
            ("I never drink coffee after lunch", "I always drink coffee after lunch"),
            ("My sister likes horror movies very much", "My sister does not like horror movies very much"),
            ("我非常喜欢吃香菜", "我非常不喜欢吃香菜"),
            ("gate A12 is closed", "gate B12 is closed"),
            ("每天睡六小时", "每天睡八小时"),
            ("The team meeting starts at 9 a.m.", "The team meeting starts at 9 p.m."),
            ("My flight to Rome is on Nov 24", "My flight to Rome is on Dec 24"),
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
        ] {
            assert!(contrast(one, other) && contrast(other, one), "{one} | {other}");
        }
    }

    #[test]
    fn other_words_for_the_same_are_no_contrast() {
        for (one, other) in [
            ("Caroline loves hiking", "Caroline really loves hiking"),
            ("我喜欢用 Vue", "我很喜欢用 Vue"),
            ("She runs every day", "She run every day"),
            ("李雷平时喜欢喝龙井茶", "李雷喜欢喝龙井茶"),
            ("the same", "the same"),
            ("one thing entirely", "something else altogether"),
            ("I am twenty-five years old", "I am 25 years old"),
            ("非常喜欢", "喜欢"),
            ("We meet at 9:00", "We meet at 9"),
            ("用户喜欢用 Python", "用户爱用 Python"),
            ("用户偏爱 Python", "用户喜欢用 Python"),
            ("I love green tea", "I like green tea"),
            ("", ""),
        ] {
            assert!(!contrast(one, other), "{one} | {other}");
        }
    }
}
