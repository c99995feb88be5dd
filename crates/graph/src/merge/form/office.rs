//! What a Chinese name of a place says of its sort.

use super::apart::is_han;

/// What may stand behind the name of a place, the longer ones first. 区 alone is not among them: 工业区 is no 工业.
const OFFICES: [&str; 7] = ["特别行政区", "自治区", "自治州", "新区", "市", "省", "县"];

/// The provinces of China and their capitals, and the largest of the other cities: places that everybody names without their sort. Of other names
/// nothing tells that they are places: 贫困县 is not 贫困, and 直辖市 is not 直辖.
const PLACES: &str = "北京|天津|上海|重庆|河北|山西|辽宁|吉林|黑龙江|江苏|浙江|安徽|福建|江西|山东|河南|湖北|湖南|广东|海南|四川|贵州|云南|\
    陕西|甘肃|青海|台湾|内蒙古|广西|西藏|宁夏|新疆|香港|澳门|石家庄|太原|沈阳|长春|哈尔滨|南京|杭州|合肥|福州|南昌|济南|郑州|武汉|长沙|\
    广州|海口|成都|贵阳|昆明|西安|兰州|西宁|台北|呼和浩特|南宁|拉萨|银川|乌鲁木齐|深圳|大连|青岛|宁波|厦门|苏州|无锡|常州|温州|佛山|东莞|\
    珠海|烟台|泉州|绍兴|嘉兴|徐州|南通|洛阳|桂林|三亚|浦东|雄安";

/// The name of a known place without its sort: 上海 of 上海市, 浦东 of 浦东新区.
pub(super) fn without_office(word: &str) -> &str {
    split(word).map(|(name, _)| name).filter(|name| PLACES.split('|').any(|place| place == *name)).unwrap_or(word)
}

/// Whether two names say that they are places of two sorts: 吉林省 and 吉林市.
pub(super) fn offices_apart(one: &str, other: &str) -> bool {
    split(one.trim()).zip(split(other.trim())).is_some_and(|((_, one), (_, other))| one != other)
}

fn split(word: &str) -> Option<(&str, &str)> {
    let office = OFFICES.iter().find(|office| word.ends_with(**office))?;
    let name = word.strip_suffix(office)?;
    let is_name = name.chars().count() >= 2 && name.chars().all(is_han);
    is_name.then_some((name, *office))
}
