/// Parts of words as the British and as Americans write them. None of them makes another word of one that is written the same otherwise.
const PARTS: [(&str, &str); 43] = [
    ("colour", "color"),
    ("favour", "favor"),
    ("flavour", "flavor"),
    ("behaviour", "behavior"),
    ("neighbour", "neighbor"),
    ("harbour", "harbor"),
    ("honour", "honor"),
    ("humour", "humor"),
    ("labour", "labor"),
    ("rumour", "rumor"),
    ("savour", "savor"),
    ("vapour", "vapor"),
    ("armour", "armor"),
    ("odour", "odor"),
    ("endeavour", "endeavor"),
    ("parlour", "parlor"),
    ("tumour", "tumor"),
    ("centre", "center"),
    ("theatre", "theater"),
    ("metre", "meter"),
    ("litre", "liter"),
    ("fibre", "fiber"),
    ("calibre", "caliber"),
    ("dialogue", "dialog"),
    ("catalogue", "catalog"),
    ("analogue", "analog"),
    ("defence", "defense"),
    ("offence", "offense"),
    ("licence", "license"),
    ("practise", "practice"),
    ("programme", "program"),
    ("pyjamas", "pajamas"),
    ("moustache", "mustache"),
    ("aluminium", "aluminum"),
    ("aeroplane", "airplane"),
    ("jewellery", "jewelry"),
    ("sceptic", "skeptic"),
    ("paediatric", "pediatric"),
    ("anaemi", "anemi"),
    ("diarrhoea", "diarrhea"),
    ("mould", "mold"),
    ("plough", "plow"),
    ("grey", "gray"),
];
/// Endings behind the `s` or `z` of a verb: organised, organization.
const ENDINGS: [&str; 8] = ["e", "ed", "es", "er", "ers", "ing", "ation", "ations"];
/// The fewest letters before such an ending: `prise` is no `prize`.
const STEM: usize = 4;

/// Whether two English words are two spellings of one: colour and color, organise and organize, centre and center, travelled and traveled, grey and
/// gray. Words that merely look alike are not: meet and met, dessert and desert.
///
/// ```
/// use annals_types::same_spelling;
///
/// assert!(same_spelling("favourite", "favorite"));
/// assert!(!same_spelling("employee", "employer"));
/// assert!(!same_spelling("dinner", "diner"));
/// ```
#[must_use]
pub fn same_spelling(one: &str, other: &str) -> bool {
    one == other || one.is_ascii() && other.is_ascii() && american(one) == american(other)
}

/// A word as Americans write it.
fn american(word: &str) -> String {
    if let Some((british, american)) = PARTS.iter().find(|(british, _)| word.contains(british)) {
        return word.replace(british, american);
    }
    for ending in ENDINGS {
        if let Some(stem) = word.strip_suffix(ending).and_then(|verb| verb.strip_suffix('s'))
            && stem.len() >= STEM
            && stem.ends_with(['i', 'y'])
        {
            return format!("{stem}z{ending}");
        }
    }
    for ending in ["ed", "ing", "er", "ers"] {
        if let Some(stem) = word.strip_suffix(ending).and_then(|verb| verb.strip_suffix("ll"))
            && stem.ends_with(['a', 'e'])
            && syllables(stem) >= 2
        {
            return format!("{stem}l{ending}");
        }
    }
    word.to_owned()
}

/// How many runs of vowels a word has: "travelled" is "traveled", but "filled" is not "filed".
fn syllables(word: &str) -> usize {
    word.split(|c| !"aeiouy".contains(c)).filter(|run| !run.is_empty()).count()
}
