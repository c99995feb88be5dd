//! Turns about nothing, for measuring recall in large namespaces: words of both languages by Zipf's
//! law, in sessions of their own. The same seed makes the same turns.

use annals::{Conversation, InvalidValue, NewMemory, NewTurn, TURN_ID, Timestamp, Value};

const TURNS_PER_SESSION: usize = 20;
/// Made-up words beyond those of the sample, so that most words are rare as in real text.
const INVENTED_WORDS: usize = 20_000;
const SPEAKERS: [&str; 8] = [
    "Ivo", "Marta", "Kenji", "Noor", "Tomas", "阿明", "小芳", "老周",
];
const SYLLABLES: [&str; 20] = [
    "ba", "ko", "ri", "ten", "mu", "sal", "vo", "pi", "gran", "lo", "de", "fim", "ur", "ka", "ne",
    "shi", "tor", "wa", "zel", "hy",
];

/// Makes turns one after the other.
pub(crate) struct Noise {
    random: u64,
    latin: Vocabulary,
    han: Vocabulary,
    made: usize,
    start: Timestamp,
    /// Milliseconds that the sessions are spread over.
    span: u64,
}

impl Noise {
    /// Turns that happen between the first and the last turn of `conversation`, with the words of
    /// `sample` and others.
    pub(crate) fn new(seed: u64, sample: &[Conversation], conversation: &Conversation) -> Self {
        let mut random = seed ^ 0x5EED_0FA1_1A15;
        let (mut latin, han) = words(sample);
        latin.extend((0..INVENTED_WORDS).map(|_| invented(&mut random)));
        let (start, end) = (conversation.start(), conversation.end());
        let span = u64::try_from(end.millis_since(start)).unwrap_or(0).max(1);
        Self {
            random,
            latin: Vocabulary::new(latin),
            han: Vocabulary::new(han),
            made: 0,
            start,
            span,
        }
    }

    /// The next turn.
    pub(crate) fn turn(&mut self) -> Result<NewMemory, InvalidValue> {
        let name = format!("noise-{}", self.made);
        let session = self.made / TURNS_PER_SESSION;
        let place = self.made % TURNS_PER_SESSION;
        self.made += 1;
        // A session has one moment and one pair of speakers, whatever was drawn before it.
        let mut of_session = 0x9E37_79B9 ^ u64::try_from(session).unwrap_or(0);
        let offset = draw(&mut of_session) % self.span;
        let pair = draw(&mut of_session);
        let minutes = i64::try_from(place).unwrap_or(0) * 60_000;
        let time = self
            .start
            .plus_millis(i64::try_from(offset).unwrap_or(0) + minutes);
        let speaker = pick(
            &SPEAKERS,
            pair.wrapping_add(u64::try_from(place % 2).unwrap_or(0)),
        );
        let text = self.text();
        let turn = NewTurn::builder(format!("noise-{session}"), text)
            .speaker(speaker)
            .time(time)
            .build()?;
        let mut body = NewMemory::from(turn).into_body();
        body.metadata.insert(TURN_ID.to_owned(), Value::Text(name));
        NewMemory::from_body(body)
    }

    fn text(&mut self) -> String {
        let length = 6 + draw(&mut self.random) % 30;
        let han = draw(&mut self.random).is_multiple_of(3);
        let mut text = String::new();
        for word in 0..length {
            let vocabulary = if han { &self.han } else { &self.latin };
            let next = vocabulary.draw(&mut self.random);
            if word > 0 && !han {
                text.push(' ');
            }
            text.push_str(next);
        }
        text.push(if han { '。' } else { '.' });
        text
    }
}

/// Words in the order of their rank, drawn so that the word of rank r comes up in proportion to 1 /
/// r.
struct Vocabulary {
    words: Vec<String>,
    /// The sum of 1 / r up to each rank, in millionths.
    sums: Vec<u64>,
}

impl Vocabulary {
    fn new(words: Vec<String>) -> Self {
        let mut sum = 0;
        let sums = (1_u64..)
            .take(words.len())
            .map(|rank| {
                sum += 1_000_000_u64.div_ceil(rank);
                sum
            })
            .collect();
        Self { words, sums }
    }

    fn draw(&self, random: &mut u64) -> &str {
        let at = draw(random) % self.sums.last().copied().unwrap_or(1).max(1);
        let rank = self.sums.partition_point(|sum| *sum <= at);
        self.words.get(rank).map_or("", String::as_str)
    }
}

/// The Latin words and the pairs of Chinese characters of a sample, most frequent first.
fn words(sample: &[Conversation]) -> (Vec<String>, Vec<String>) {
    let mut latin = std::collections::BTreeMap::<String, usize>::new();
    let mut han = std::collections::BTreeMap::<String, usize>::new();
    let turns = sample.iter().flat_map(|conversation| &conversation.turns);
    for text in turns
        .flat_map(|turn| [Some(turn.text.as_str()), turn.reply.as_deref()])
        .flatten()
    {
        for word in text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
        {
            if word.is_ascii() {
                *latin.entry(word.to_lowercase()).or_default() += 1;
            } else {
                let characters: Vec<char> = word.chars().collect();
                for pair in characters.chunks(2) {
                    *han.entry(pair.iter().collect()).or_default() += 1;
                }
            }
        }
    }
    (by_frequency(latin), by_frequency(han))
}

fn by_frequency(counts: std::collections::BTreeMap<String, usize>) -> Vec<String> {
    let mut words: Vec<_> = counts.into_iter().collect();
    words.sort_by(|(a, a_count), (b, b_count)| b_count.cmp(a_count).then(a.cmp(b)));
    words.into_iter().map(|(word, _)| word).collect()
}

fn invented(random: &mut u64) -> String {
    let syllables = 2 + draw(random) % 3;
    (0..syllables)
        .map(|_| pick(&SYLLABLES, draw(random)))
        .collect()
}

fn pick<'a>(from: &[&'a str], number: u64) -> &'a str {
    let places = u64::try_from(from.len()).unwrap_or(1).max(1);
    usize::try_from(number % places)
        .ok()
        .and_then(|at| from.get(at).copied())
        .unwrap_or_default()
}

/// One step of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
/// 2014).
fn draw(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation;

    #[test]
    fn the_same_seed_makes_the_same_turns_in_both_languages() {
        let sample = conversation::sample().unwrap().conversations;
        let make = |seed| {
            let mut noise = Noise::new(seed, &sample, &sample[0]);
            (0..200).map(|_| noise.turn().unwrap()).collect::<Vec<_>>()
        };
        let turns = make(1);
        assert_eq!(turns, make(1));
        assert_ne!(turns, make(2));
        assert!(
            turns.iter().any(|turn| turn.text().is_ascii())
                && turns.iter().any(|turn| !turn.text().is_ascii())
        );
        let sessions: std::collections::BTreeSet<_> = turns
            .iter()
            .filter_map(|turn| turn.body().turn.as_ref())
            .map(|turn| turn.session.clone())
            .collect();
        assert_eq!(sessions.len(), 10);
    }
}
