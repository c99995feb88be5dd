use crate::range::within;

/// How much of a list is shown.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct Limit {
    /// At most so many
    #[arg(long, value_name = "NUMBER", default_value_t = 50,
        value_parser = within::<u32>(1..=i64::MAX))]
    limit: u32,
}

impl Limit {
    /// The number.
    pub(crate) fn most(self) -> usize {
        usize::try_from(self.limit).unwrap_or(usize::MAX)
    }
}
