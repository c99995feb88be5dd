//! The format of a file that is imported.

use annals::FileFormat;
use clap::builder::PossibleValue;

/// The formats that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Of(FileFormat),
    LastChat,
}

impl clap::ValueEnum for Format {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: std::sync::LazyLock<Vec<Format>> = std::sync::LazyLock::new(|| {
            let mut all: Vec<Format> = FileFormat::all().map(Format::Of).collect();
            all.push(Format::LastChat);
            all
        });
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            Self::Of(format) => (format.name(), format.about()),
            Self::LastChat => (
                "last-chat",
                "One summary of the last talk, as `last_chat.json` holds it: becomes an episode of the \
                 time of the file",
            ),
        };
        Some(PossibleValue::new(name).help(help))
    }
}
