/// How the hidden states of a text's tokens become one vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Pooling {
    /// Their mean; padding does not count.
    Mean,
    /// The state of the first token.
    Cls,
    /// The state of the last token that is no padding.
    Last,
    /// The largest value of each dimension; padding does not count.
    Max,
}

impl Pooling {
    /// The name as model folders write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Cls => "cls",
            Self::Last => "last",
            Self::Max => "max",
        }
    }

    /// The pooling of a name, in the spellings that model folders use.
    ///
    /// `mean_sqrt_len_tokens` is a mean too: it differs by a factor, which normalisation removes.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "mean" | "mean_tokens" | "mean_sqrt_len_tokens" => Some(Self::Mean),
            "cls" | "cls_token" => Some(Self::Cls),
            "last" | "lasttoken" => Some(Self::Last),
            "max" | "max_tokens" => Some(Self::Max),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Pooling;

    #[test]
    fn each_name_is_read_back() {
        for pooling in [Pooling::Mean, Pooling::Cls, Pooling::Last, Pooling::Max] {
            assert_eq!(Pooling::parse(pooling.name()), Some(pooling));
        }
        assert_eq!(Pooling::parse("lasttoken"), Some(Pooling::Last));
        assert_eq!(Pooling::parse("median"), None);
    }
}
