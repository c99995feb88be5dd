//! What a Chinese name of a place says of its sort.

use super::apart::is_han;

/// What may stand behind the name of a place, the longer ones first. 区 alone is not among them: 工业区 is no 工业.
const OFFICES: [&str; 7] = ["特别行政区", "自治区", "自治州", "新区", "市", "省", "县"];

/// A word without its sort of place, where two signs or more are left: 上海市, 浦东新区, and not 超市.
pub(super) fn without_office(word: &str) -> &str {
    split(word).map_or(word, |(name, _)| name)
}

/// Whether two names say that they are places of two sorts: 吉林省 and 吉林市.
pub(super) fn offices_apart(one: &str, other: &str) -> bool {
    split(one.trim()).zip(split(other.trim())).is_some_and(|((_, one), (_, other))| one != other)
}

fn split(word: &str) -> Option<(&str, &str)> {
    let office = OFFICES.iter().find(|office| word.ends_with(**office))?;
    let name = word.strip_suffix(office)?;
    // 大城市 is no place called 大城.
    let is_name = name.chars().count() >= 2 && name.chars().all(is_han) && !name.ends_with('城');
    is_name.then_some((name, *office))
}
