//! What a Chinese name of a place says of its sort.

use super::apart::is_han;

/// What may stand behind the name of a place, the longer ones first. 区 alone is not among them: 工业区 is no 工业.
const OFFICES: [&str; 7] = ["特别行政区", "自治区", "自治州", "新区", "市", "省", "县"];

/// What the places are that everybody names without their sort: the provinces of China and their capitals, and the largest of the other cities. Of
/// other names nothing tells that they are places: 贫困县 is not 贫困, and 直辖市 is not 直辖.
const PLACES: [(&str, &str); 5] = [
    (
        "市",
        "北京|天津|上海|重庆|石家庄|太原|沈阳|长春|哈尔滨|南京|杭州|合肥|福州|南昌|济南|郑州|武汉|长沙|广州|海口|成都|贵阳|昆明|西安|兰州|西宁|\
         台北|呼和浩特|南宁|拉萨|银川|乌鲁木齐|深圳|大连|青岛|宁波|厦门|苏州|无锡|常州|温州|佛山|东莞|珠海|烟台|泉州|绍兴|嘉兴|徐州|南通|洛阳|桂林|\
         三亚",
    ),
    (
        "省",
        "河北|山西|辽宁|吉林|黑龙江|江苏|浙江|安徽|福建|江西|山东|河南|湖北|湖南|广东|海南|四川|贵州|云南|陕西|甘肃|青海|台湾",
    ),
    ("自治区", "内蒙古|广西|西藏|宁夏|新疆"),
    ("特别行政区", "香港|澳门"),
    ("新区", "浦东|雄安"),
];

/// The name of a known place without its sort: 上海 of 上海市, 浦东 of 浦东新区; 吉林市 is not what 吉林 is.
pub(super) fn without_office(word: &str) -> &str {
    split(word).filter(|(name, office)| known(name) == Some(*office)).map_or(word, |(name, _)| name)
}

/// Whether two names are of places of two sorts: 吉林省 or 吉林, and 吉林市.
pub(super) fn offices_apart(one: &str, other: &str) -> bool {
    sort(one.trim()).zip(sort(other.trim())).is_some_and(|(one, other)| one != other)
}

/// What a place is by its name.
fn sort(word: &str) -> Option<&str> {
    split(word).map(|(_, office)| office).or_else(|| known(word))
}

/// What a place is that everybody names without its sort.
fn known(name: &str) -> Option<&'static str> {
    let (office, _) = PLACES.iter().find(|(_, places)| places.split('|').any(|place| place == name))?;
    Some(office)
}

fn split(word: &str) -> Option<(&str, &str)> {
    let office = OFFICES.iter().find(|office| word.ends_with(**office))?;
    let name = word.strip_suffix(office)?;
    let is_name = name.chars().count() >= 2 && name.chars().all(is_han);
    is_name.then_some((name, *office))
}
