/// Groups texts, given by their token counts, into batches of similar length.
///
/// A batch is padded to its longest text; `longest x texts` stays within `max_tokens` and the
/// number of texts within `max_texts`, except that each batch has at least one text. Each index
/// occurs exactly once.
pub(super) fn plan(lengths: &[usize], max_tokens: usize, max_texts: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<(usize, usize)> = lengths.iter().copied().zip(0..).collect();
    order.sort_unstable();
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut current: Vec<usize> = Vec::new();
    // Shortest first: the newest text is the longest of its batch.
    for (length, row) in order {
        let full = current.len() >= max_texts.max(1)
            || length.saturating_mul(current.len() + 1) > max_tokens;
        if full && !current.is_empty() {
            batches.push(std::mem::take(&mut current));
        }
        current.push(row);
    }
    if !current.is_empty() {
        batches.push(current);
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::plan;

    #[test]
    fn similar_lengths_share_a_batch() {
        assert_eq!(
            plan(&[100, 3, 4, 101, 5], 202, 32),
            [vec![1, 2, 4], vec![0, 3]]
        );
    }

    #[test]
    fn limits_hold_and_no_text_is_lost() {
        let lengths: Vec<usize> = (0..200).map(|i| i * 37 % 256 + 1).collect();
        let batches = plan(&lengths, 500, 7);
        for batch in &batches {
            let longest = batch.iter().map(|&row| lengths[row]).max().unwrap();
            assert!(batch.len() == 1 || longest * batch.len() <= 500);
            assert!(batch.len() <= 7);
        }
        let mut rows = batches.concat();
        rows.sort_unstable();
        assert_eq!(rows, (0..200).collect::<Vec<_>>());
    }

    #[test]
    fn a_text_beyond_the_limit_is_a_batch_of_its_own() {
        assert_eq!(plan(&[9, 900], 100, 0), [vec![0], vec![1]]);
        assert!(plan(&[], 100, 8).is_empty());
    }
}
