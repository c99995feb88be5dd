//! Figures that are written in Chinese.

use super::ORDERS;

/// Words that name a day, a time of day or a stretch of time, the longer ones first.
const TIMES: [(&str, &[&str]); 40] = [
    ("大前天", &["d-3"]),
    ("大后天", &["d+3"]),
    ("上星期", &["k-1"]),
    ("下星期", &["k+1"]),
    ("这星期", &["k"]),
    ("上礼拜", &["k-1"]),
    ("下礼拜", &["k+1"]),
    ("这礼拜", &["k"]),
    ("上个月", &["m-1"]),
    ("这个月", &["m"]),
    ("下个月", &["m+1"]),
    ("昨晚", &["yesterday", "evening"]),
    ("今晚", &["today", "evening"]),
    ("明晚", &["tomorrow", "evening"]),
    ("今早", &["today", "early"]),
    ("明早", &["tomorrow", "early"]),
    ("今天", &["today"]),
    ("明天", &["tomorrow"]),
    ("昨天", &["yesterday"]),
    ("前天", &["d-2"]),
    ("后天", &["d+2"]),
    ("凌晨", &["small hours"]),
    ("早上", &["early"]),
    ("上午", &["am"]),
    ("中午", &["noon"]),
    ("下午", &["pm"]),
    ("晚上", &["evening"]),
    ("去年", &["y-1"]),
    ("今年", &["y"]),
    ("明年", &["y+1"]),
    ("前年", &["y-2"]),
    ("后年", &["y+2"]),
    ("上周", &["k-1"]),
    ("这周", &["k"]),
    ("本周", &["k"]),
    ("下周", &["k+1"]),
    ("上月", &["m-1"]),
    ("本月", &["m"]),
    ("下月", &["m+1"]),
    ("半", &["half"]),
];

/// Characters behind a number that counts something.
const MEASURES: &str = "年月日号点时分秒天周个只条次岁楼层元块斤克米公千里线版级季届名位本台辆张件份间栋杯瓶倍度折期章集遍套项组轮口颗双顿万亿百成人家门碗部页种场步段吨升毫厘平节支根盒包篇首钟角小隻個點两%％";

/// The figures of a numeral or a word of time, and its length; 0 when it is neither. `before` is
/// the character before it.
pub(super) fn at(rest: &[char], before: Option<char>) -> (usize, Vec<String>) {
    for (word, figures) in TIMES {
        let length = word.chars().count();
        if rest.len() >= length
            && rest
                .iter()
                .zip(word.chars())
                .all(|(c, wanted)| *c == wanted)
        {
            let told = word != "半" || is_half(rest, before);
            return (
                length,
                figures
                    .iter()
                    .filter(|_| told)
                    .map(|figure| (*figure).to_owned())
                    .collect(),
            );
        }
    }
    let length = rest
        .iter()
        .position(|c| numeral(*c).is_none())
        .unwrap_or(rest.len());
    let (numerals, behind) = (
        rest.get(..length).unwrap_or_default(),
        rest.get(length..).unwrap_or_default(),
    );
    (
        length,
        figure(numerals, behind, before).into_iter().collect(),
    )
}

/// 一半, 三点半, but not 半导体: a half stands behind something that is counted.
fn is_half(rest: &[char], before: Option<char>) -> bool {
    let timed = rest
        .get(1..3)
        .is_some_and(|next| next == ['小', '时'] || next.first() == Some(&'天'));
    timed || before.is_some_and(|c| "点年天个月小斤一".contains(c))
}

fn figure(numerals: &[char], behind: &[char], before: Option<char>) -> Option<String> {
    if numerals.is_empty() {
        return None;
    }
    let number = number(numerals);
    if let Some('周' | '期' | '拜') = before
        && ["1", "2", "3", "4", "5", "6"].contains(&number.as_str())
    {
        return Some(format!("w{number}"));
    }
    // 二楼 is a storey, and 两楼 are two.
    let storey = numerals == ['二'] && matches!(behind.first(), Some('楼' | '层'));
    if storey || before.is_some_and(|c| ORDERS.contains(&c)) {
        return Some(format!("#{number}"));
    }
    // 十分 is "very" where no minutes are meant.
    let very = numerals == ['十'] && behind.first() == Some(&'分') && behind.get(1) != Some(&'钟');
    let counts = !very && number != "1" && behind.first().is_some_and(|c| MEASURES.contains(*c));
    (counts || before == Some('版')).then_some(number)
}

/// The value of a numeral; those from ten on multiply.
fn numeral(c: char) -> Option<u64> {
    Some(match c {
        '零' | '〇' => 0,
        '一' => 1,
        '二' | '两' | '兩' => 2,
        '三' => 3,
        '四' => 4,
        '五' => 5,
        '六' => 6,
        '七' => 7,
        '八' => 8,
        '九' => 9,
        '十' => 10,
        '百' => 100,
        '千' => 1000,
        '万' | '萬' => 10_000,
        _ => return None,
    })
}

/// The number that numerals write: 二十五 by places, 二〇二五 by digits, 两三 as a span; any others
/// stay as they are: 二十三四, 三百五.
fn number(numerals: &[char]) -> String {
    let worth: Vec<u64> = numerals.iter().filter_map(|c| numeral(*c)).collect();
    match worth.as_slice() {
        [one @ 1..=9, other @ 1..=9] => return format!("{one}-{other}"),
        digits if digits.iter().all(|digit| *digit < 10) => {
            return digits.iter().map(u64::to_string).collect();
        }
        _ => {}
    }
    let loose = worth.windows(2).any(|two| matches!(two, [1..=9, 1..=9]))
        || matches!(worth.as_slice(), [.., tens, 1..=9] if *tens >= 100);
    if loose {
        numerals.iter().collect()
    } else {
        value(worth).to_string()
    }
}

fn value(worth: Vec<u64>) -> u64 {
    let (mut sum, mut digit) = (0_u64, None);
    for each in worth {
        if each < 10 {
            digit = Some(each);
        } else if each == 10_000 {
            sum = sum
                .saturating_add(digit.take().unwrap_or_default())
                .max(1)
                .saturating_mul(each);
        } else {
            sum = sum.saturating_add(digit.take().unwrap_or(1).saturating_mul(each));
        }
    }
    sum.saturating_add(digit.unwrap_or_default())
}
