use annals_types::{Calibration, EmbedError, Embedder, Purpose};

/// Questions with a text that answers each.
const PAIRS: [(&str, &str); 24] = [
    ("Where do I live now?", "I moved to Lisbon last spring and rented a flat near the river."),
    ("What is my dog called?", "We named the puppy Biscuit because of his colour."),
    ("When is the dentist appointment?", "The dentist can see me on Thursday at half past nine."),
    ("Which language do I like to program in?", "I write most of my code in Rust these days."),
    ("What am I allergic to?", "Peanuts give me a rash, so I always read the label."),
    ("How long was the flight to Tokyo?", "We were in the air for thirteen hours before landing at Narita."),
    ("What did my sister study?", "My sister has a degree in marine biology."),
    ("Which car did we buy?", "In the end we chose the blue electric hatchback."),
    ("What do I play in the orchestra?", "I have been second cello in the city orchestra since autumn."),
    ("Why did the build fail?", "The compiler stopped because a header file was missing."),
    ("What was the rent of the first flat?", "For our first apartment we paid nine hundred a month."),
    ("Who fixed the roof?", "A carpenter named Olsen repaired the roof after the storm."),
    ("How do I take my coffee?", "Black coffee, no sugar, and only before noon."),
    ("Which book did she recommend?", "She told me to read a novel about lighthouse keepers."),
    ("When did I start running?", "I took up jogging two years ago after the operation."),
    ("What does the team use for deployment?", "Our services are rolled out with containers every Monday."),
    ("Where did we go on our honeymoon?", "After the wedding we spent ten days in Iceland."),
    ("What is my favourite dish?", "Nothing beats my grandmother's mushroom dumplings."),
    ("How tall is the tree in the garden?", "The old oak behind the house reaches twenty metres."),
    ("Which database stores the orders?", "Orders are kept in a PostgreSQL cluster with two replicas."),
    ("Who is my manager?", "I report to Priya, who leads the platform group."),
    ("What time does the shop close?", "The bakery shuts at six in the evening."),
    ("How much did the camera cost?", "I paid four hundred euros for the used camera."),
    ("What was the weather like at the match?", "It rained through the whole second half of the game."),
];

/// Measures how an embedder's cosines become scores, with short questions and answers about everyday life in English.
///
/// `low` is the mean cosine of a question and the answer to another one; `high` is two standard deviations above
/// the mean cosine of a question and its own answer. For all-MiniLM-L6-v2 (int8) that gives 0.07 and 0.76.
///
/// # Errors
/// [`EmbedError`] when the embedder fails, or [`EmbedError::BadAnswer`] when it does not tell related from unrelated.
pub fn calibrate(embedder: &dyn Embedder) -> Result<Calibration, EmbedError> {
    let queries = embedder.embed(&PAIRS.map(|(query, _)| query), Purpose::Query)?;
    let passages = embedder.embed(&PAIRS.map(|(_, passage)| passage), Purpose::Passage)?;
    let (mut own, mut others) = (Vec::new(), Vec::new());
    for (i, query) in queries.iter().enumerate() {
        for (j, passage) in passages.iter().enumerate() {
            let cosine = query.iter().zip(passage).map(|(a, b)| a * b).sum::<f32>();
            if i == j { own.push(cosine) } else { others.push(cosine) }
        }
    }
    let ((low, _), (mean, deviation)) = (moments(&others), moments(&own));
    let high = (mean + 2.0 * deviation).min(1.0);
    if mean <= low || !high.is_finite() {
        return Err(EmbedError::BadAnswer {
            what: "the embedder".to_owned(),
            expected: "higher cosines for answers to a question than for other texts".to_owned(),
            got: format!("{mean} and {low}"),
        });
    }
    Ok(Calibration { low, high })
}

fn moments(numbers: &[f32]) -> (f32, f32) {
    let count = numbers.iter().map(|_| 1.0_f32).sum::<f32>();
    let mean = numbers.iter().sum::<f32>() / count;
    let variance = numbers.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / count;
    (mean, variance.sqrt())
}

#[cfg(test)]
mod tests {
    use annals_types::Fingerprint;

    use super::{Calibration, EmbedError, Embedder, PAIRS, Purpose, calibrate};

    /// Knows the pairs: each has a direction of its own, beside one that all texts share.
    struct Knowing {
        shared: f32,
    }

    impl Embedder for Knowing {
        fn fingerprint(&self) -> Fingerprint {
            Fingerprint("knowing".to_owned())
        }

        fn dims(&self) -> usize {
            PAIRS.len() + 1
        }

        fn calibration(&self) -> Calibration {
            Calibration { low: 0.0, high: 1.0 }
        }

        fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
            let place = |text: &&str| PAIRS.iter().position(|(query, passage)| text == query || text == passage);
            let vector = |text: &&str| {
                let mut vector = vec![0.0; self.dims()];
                let place = place(text).unwrap();
                assert_eq!(purpose == Purpose::Query, PAIRS[place].0 == *text);
                vector[place] = (1.0 - self.shared * self.shared).sqrt();
                vector[PAIRS.len()] = self.shared;
                vector
            };
            Ok(texts.iter().map(vector).collect())
        }
    }

    #[test]
    fn the_range_lies_between_other_texts_and_answers() {
        let Calibration { low, high } = calibrate(&Knowing { shared: 0.5 }).unwrap();
        assert!((low - 0.25).abs() < 1e-4 && (high - 1.0).abs() < 1e-4, "{low} {high}");
    }

    #[test]
    fn an_embedder_that_sees_no_difference_is_refused() {
        let error = calibrate(&Knowing { shared: 1.0 }).unwrap_err();
        assert!(matches!(error, EmbedError::BadAnswer { .. }), "{error:?}");
    }
}
