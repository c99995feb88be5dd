//! Pages that are counted from 1, as the protocols of other programs have them.

use crate::problem::{Kind, Problem};

/// The memories before a page that are passed over at most.
const FAR: usize = 100_000;

/// A page of a list of memories, by its number.
#[derive(Debug, Clone, Copy)]
pub(super) struct NumberedPage {
    /// Its number, counted from 1.
    pub(super) number: usize,
    /// The memories of a page.
    pub(super) size: usize,
    /// The memories of the pages before.
    pub(super) before: usize,
}

impl NumberedPage {
    /// A page of at most `most` memories; a size that is refused is named by its `field`.
    pub(super) fn new(
        number: usize,
        size: usize,
        most: usize,
        field: &str,
    ) -> Result<Self, Problem> {
        if size == 0 || size > most {
            return Err(
                Problem::new(Kind::BadQuery, format!("a page has 1 to {most} memories")).at(field),
            );
        }
        let before = number
            .checked_sub(1)
            .and_then(|pages| pages.checked_mul(size));
        let Some(before) = before.filter(|before| *before <= FAR) else {
            let why = format!("pages are counted from 1, and begin behind {FAR} memories at most");
            return Err(Problem::new(Kind::BadQuery, why).at("page"));
        };
        Ok(Self {
            number,
            size,
            before,
        })
    }

    /// The memories of this page and of those before.
    pub(super) const fn end(&self) -> usize {
        self.before + self.size
    }
}

#[cfg(test)]
mod tests {
    use super::{FAR, NumberedPage};
    use crate::problem::Kind;

    #[test]
    fn a_page_begins_behind_those_before_it() {
        let page = NumberedPage::new(3, 20, 500, "size").unwrap();
        assert_eq!(
            (page.number, page.size, page.before, page.end()),
            (3, 20, 40, 60)
        );
        assert_eq!(
            NumberedPage::new(FAR / 500 + 1, 500, 500, "size")
                .unwrap()
                .before,
            FAR
        );
        for (number, size) in [
            (0, 20),
            (usize::MAX, 20),
            (FAR / 500 + 2, 500),
            (1, 0),
            (1, 501),
        ] {
            let refused = NumberedPage::new(number, size, 500, "size").unwrap_err();
            assert_eq!(refused.kind(), Kind::BadQuery, "{number} {size}");
        }
    }
}
