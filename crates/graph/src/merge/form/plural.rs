//! One and many.

/// Words that mean something else with an s, or end in one that makes no plural.
const ODD: [&str; 25] = [
    "atlas", "bias", "canvas", "chaos", "clothes", "contents", "corps", "customs", "electronics", "glasses", "goods",
    "headquarters", "jeans", "lens", "manners", "mathematics", "means", "news", "physics", "politics", "premises",
    "series", "shorts", "spectacles", "tropics",
];

/// Plurals without a rule.
const IRREGULAR: [(&str, &str); 34] = [
    ("aunties", "auntie"),
    ("brownies", "brownie"),
    ("buses", "bus"),
    ("caches", "cache"),
    ("calories", "calorie"),
    ("canoes", "canoe"),
    ("children", "child"),
    ("cookies", "cookie"),
    ("feet", "foot"),
    ("foodies", "foodie"),
    ("gases", "gas"),
    ("geese", "goose"),
    ("headaches", "headache"),
    ("hippies", "hippie"),
    ("hoodies", "hoodie"),
    ("knives", "knife"),
    ("loaves", "loaf"),
    ("men", "man"),
    ("mice", "mouse"),
    ("movies", "movie"),
    ("newbies", "newbie"),
    ("rookies", "rookie"),
    ("selfies", "selfie"),
    ("shelves", "shelf"),
    ("shoes", "shoe"),
    ("smoothies", "smoothie"),
    ("stomachaches", "stomachache"),
    ("teeth", "tooth"),
    ("toothaches", "toothache"),
    ("veggies", "veggie"),
    ("wives", "wife"),
    ("wolves", "wolf"),
    ("women", "woman"),
    ("zombies", "zombie"),
];

/// A word of small letters as one of a kind.
pub(super) fn singular(word: &str) -> String {
    if let Some((_, one)) = IRREGULAR.iter().find(|(many, _)| *many == word) {
        return (*one).to_owned();
    }
    let ends = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    if !word.is_ascii() || word.len() <= 3 || ODD.contains(&word) || ends(&["ss", "js"]) {
        return word.to_owned();
    }
    let stem = |ending: &str| word.strip_suffix(ending).unwrap_or(word).to_owned();
    match () {
        () if ends(&["sses", "xes", "ches", "shes"]) => stem("es"),
        () if word.len() > 5 && ends(&["toes", "roes"]) => stem("es"),
        () if word.len() > 4 && ends(&["ies"]) => stem("ies") + "y",
        // As "virus" without its s.
        () if word.len() > 6 && ends(&["uses"]) && !ends(&["ouses", "auses", "cuses"]) => stem("ses"),
        () => stem("s"),
    }
}

/// Whether a word is one with an s that is no plural of the other: glasses and a glass.
pub(super) fn is_odd_of(word: &str, other: &str) -> bool {
    ODD.contains(&word) && ["s", "es"].iter().any(|ending| word.strip_suffix(ending) == Some(other))
}
