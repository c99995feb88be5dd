use annals_types::Filter;

/// Which memories are listed, and in what order.
#[derive(Debug, Clone, PartialEq)]
pub struct ListQuery {
    /// Which memories.
    pub filter: Filter,
    /// Of one of these classes of the profile, such as `core`; any class when empty.
    pub classes: Vec<String>,
    /// Only memories that lost one of their sources and have not been derived again.
    pub stale: bool,
    /// Also what has expired, and memories that another one took the place of; not in a list by default.
    pub past: bool,
    /// At most so many; 50 by default.
    pub limit: usize,
    /// Go on after the page that ended here: [`Page::next`](crate::Page::next).
    pub after: Option<String>,
    /// The newest first (the default), or the oldest.
    pub newest_first: bool,
}

impl Default for ListQuery {
    fn default() -> Self {
        Self {
            filter: Filter::default(),
            classes: Vec::new(),
            stale: false,
            past: false,
            limit: 50,
            after: None,
            newest_first: true,
        }
    }
}
