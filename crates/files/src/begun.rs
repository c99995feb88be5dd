//! Files that a person began stay theirs, and annals keeps one section of them.

use crate::markdown::{self, read_core};
use annals_types::profile::{MirrorDirection, MirrorFormat};

use crate::report::SyncedFile;
use crate::section::{Marks, Part, damaged};
use crate::{Target, disk};
use annals_engine::Error;

impl Target<'_> {
    /// The part of a file that annals keeps: all of a file that annals began, or that another
    /// memory of its form wrote; one section of any other. Who began it is noted, unless none of
    /// the text that annals wrote stands there any more.
    pub(super) fn part<'a>(&self, bytes: Option<&'a [u8]>) -> Result<Part<'a>, Error> {
        let Some(there) = bytes.filter(|bytes| !is_blank(bytes)) else {
            return Ok(Part::whole(bytes));
        };
        let written = self.record()?.written;
        match Marks::of(there) {
            Marks::Pair { outer, inner } => return Ok(Part::section(there, &outer, &inner)),
            Marks::Damaged(told) => return Err(damaged(&self.shown, &told)),
            Marks::None => {}
        }
        let own = match &written {
            Some(written) => {
                written.section.is_none() && (there.contains(&0) || written.wrote_some_of(there))
            }
            None => disk::text(there).map_or(Ok(false), |text| self.is_of_form(text))?,
        };
        match own {
            true => Ok(Part::whole(bytes)),
            false if there.contains(&0) => Err(Error::bad_input(format!(
                "{} is let alone: it is not in UTF-8, and a person began it; save it as UTF-8",
                self.shown.display()
            ))),
            false => Ok(Part::new(there)),
        }
    }

    /// Whether a text has the form of a file that annals writes: its title first, and then its
    /// sections; in a file of lines nothing else.
    fn is_of_form(&self, text: &str) -> Result<bool, Error> {
        let text = text.trim_start_matches('\u{FEFF}').trim_start();
        Ok(match self.file.format {
            MirrorFormat::Entries => markdown::is_file(text, &self.format()),
            MirrorFormat::Lines => {
                let format = self.core_format()?;
                let titled = text
                    .lines()
                    .next()
                    .is_some_and(|line| format.is_title(line));
                titled && read_core(text, &format, "").rejected.is_empty()
            }
            MirrorFormat::Turns | MirrorFormat::Daily => true,
        })
    }

    /// Reports that a file is a person's. A text of which entries can be made is offered to the
    /// extractor once, with a copy beside it.
    pub(super) fn welcome(&self, theirs: &[u8], report: &mut SyncedFile) -> Result<(), Error> {
        report.warnings = vec![
            "a person began it: their text stays as it is, and the memories are between the two marks of annals"
                .to_owned(),
        ];
        let entries = self.file.format == MirrorFormat::Entries
            && self.file.direction == MirrorDirection::Both;
        match disk::text(theirs).filter(|_| entries) {
            Some(text) => self.set_legacy_aside(text, report),
            None => Ok(()),
        }
    }
}

/// Whether nothing stands in a file.
fn is_blank(bytes: &[u8]) -> bool {
    disk::text(bytes).is_some_and(|text| text.trim_start_matches('\u{FEFF}').trim().is_empty())
}
