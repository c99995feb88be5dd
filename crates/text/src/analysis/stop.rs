//! Words that say nothing about the subject of a question.

/// English stop words after folding, without apostrophes, sorted by bytes.
const ENGLISH: &[&str] = &[
    "a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "are", "arent", "as",
    "at", "be", "because", "been", "before", "being", "but", "by", "can", "cant", "could",
    "couldnt", "did", "didnt", "do", "does", "doesnt", "doing", "don", "dont", "for", "from",
    "had", "hadnt", "has", "hasnt", "have", "havent", "having", "he", "her", "hers", "him", "his",
    "how", "i", "if", "im", "in", "into", "is", "isnt", "it", "its", "ive", "just", "me", "my",
    "no", "not", "of", "on", "once", "only", "or", "other", "our", "out", "over", "own", "same",
    "she", "should", "shouldnt", "so", "some", "such", "than", "that", "thats", "the", "their",
    "them", "then", "there", "these", "they", "theyre", "this", "those", "through", "to", "too",
    "under", "until", "up", "very", "was", "wasnt", "we", "were", "werent", "what", "whats",
    "when", "where", "which", "while", "who", "whom", "whose", "why", "will", "with", "wont",
    "would", "wouldnt", "you", "your", "youre", "yours", "youve",
];

pub(crate) fn is_stop(folded: &str) -> bool {
    ENGLISH.binary_search(&folded).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_unique() {
        assert!(ENGLISH.is_sorted_by(|a, b| a < b));
        assert!(is_stop("the") && is_stop("dont") && !is_stop("berlin"));
    }
}
