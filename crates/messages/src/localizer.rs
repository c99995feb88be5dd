use std::sync::Arc;

use annals_types::profile::{AUTO, LanguageSettings};

use crate::{Catalogue, FALLBACK, Messages};

/// Chooses the messages of one profile: those of its language, or, where that is `auto`, of the
/// language of texts.
#[derive(Debug, Clone)]
pub struct Localizer {
    catalogue: Arc<Catalogue>,
    settings: LanguageSettings,
}

impl Default for Localizer {
    fn default() -> Self {
        Self::new(Catalogue::shared(), LanguageSettings::default())
    }
}

impl Localizer {
    /// One for the language of a profile.
    #[must_use]
    pub const fn new(catalogue: Arc<Catalogue>, settings: LanguageSettings) -> Self {
        Self {
            catalogue,
            settings,
        }
    }

    /// The messages in the language of the profile, or in that of some texts; English when they
    /// tell nothing.
    #[must_use]
    pub fn of<'a>(&self, texts: impl IntoIterator<Item = &'a str>) -> Arc<Messages> {
        let design = self.settings.messages.as_str();
        match self.settings.code.as_str() {
            AUTO => {
                let spoken = self.catalogue.spoken(texts);
                self.catalogue
                    .messages(design, spoken.as_deref().unwrap_or(FALLBACK))
            }
            code => self.catalogue.messages(design, code),
        }
    }

    /// The messages in the language of some texts; `None` when they tell nothing.
    #[must_use]
    pub fn spoken<'a>(&self, texts: impl IntoIterator<Item = &'a str>) -> Option<Arc<Messages>> {
        let spoken = self.catalogue.spoken(texts)?;
        Some(self.catalogue.messages(&self.settings.messages, &spoken))
    }

    /// The messages in every language, such as for reading what may have been written in any of
    /// them.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<Messages>> {
        let of = |language: &String| self.catalogue.messages(&self.settings.messages, language);
        self.catalogue.languages().iter().map(of).collect()
    }

    /// Whether the language depends on what is said.
    #[must_use]
    pub fn is_auto(&self) -> bool {
        self.settings.code == AUTO
    }
}
