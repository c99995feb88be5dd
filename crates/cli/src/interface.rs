//! The language that the program speaks with a person. That of a namespace (`annals language`) is
//! another thing.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::failure::Failure;
use crate::folders;
use crate::texts::{Language, text};
use crate::world::World;

/// The variable that names the language; it counts more than the config file.
const VARIABLE: &str = "ANNALS_LANG";

/// The language of the program, as a setting names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(try_from = "String")]
pub(crate) enum Interface {
    /// That of the locale.
    Auto,
    En,
    Zh,
}

impl TryFrom<String> for Interface {
    type Error = String;

    fn try_from(word: String) -> Result<Self, String> {
        // In the words of the other settings that are one of several.
        Self::of_word(&word)
            .ok_or_else(|| format!("unknown variant `{word}`, expected one of `auto`, `en`, `zh`"))
    }
}

/// What is said of a word that names no language.
fn bad(word: &str) -> String {
    text!("common-interface-bad", word = format!("{word:?}"))
}

/// The language of a locale or a tag, such as `zh` of `zh_CN.UTF-8` and `zh-Hans`.
fn code(locale: &str) -> String {
    locale
        .split(['_', '-', '.', '@'])
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase()
}

impl Interface {
    fn of_word(word: &str) -> Option<Self> {
        match code(word).as_str() {
            "auto" => Some(Self::Auto),
            "en" => Some(Self::En),
            "zh" => Some(Self::Zh),
            _ => None,
        }
    }

    fn language(self, world: &World<'_>) -> Language {
        match self {
            Self::Auto => of_locale(world),
            Self::En => Language::English,
            Self::Zh => Language::Chinese,
        }
    }
}

/// The language of a run: by the variable, the config file, then the locale. Answers with `--json`
/// are the same in every language.
pub(crate) fn choose(args: &[OsString], json: bool, world: &World<'_>) -> Language {
    if json {
        return Language::English;
    }
    let named = match world.var(VARIABLE) {
        Some(word) => Interface::of_word(word),
        None => configured(args, world),
    };
    named.unwrap_or(Interface::Auto).language(world)
}

/// Refuses a word that names no language.
pub(crate) fn check(world: &World<'_>) -> Result<(), Failure> {
    match world
        .var(VARIABLE)
        .filter(|word| Interface::of_word(word).is_none())
    {
        None => Ok(()),
        Some(word) => Err(Failure::invalid(bad(word)).advice(text!("common-interface-words"))),
    }
}

/// `LC_ALL` counts more than `LC_MESSAGES`, that more than `LANG`.
fn of_locale(world: &World<'_>) -> Language {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"]
        .iter()
        .find_map(|name| world.var(name))
        .unwrap_or_default();
    if code(locale) == "zh" {
        Language::Chinese
    } else {
        Language::English
    }
}

/// What the config file says. It is read before the arguments are understood, because complaints
/// about these have a language, too; mistakes in it are told when its settings are read.
fn configured(args: &[OsString], world: &World<'_>) -> Option<Interface> {
    #[derive(serde::Deserialize)]
    struct Key {
        interface_language: Option<Interface>,
    }
    let path = config_of(args)
        .or_else(|| world.var_os("ANNALS_CONFIG").map(PathBuf::from))
        .or_else(|| folders::config(world).map(|folder| folder.join("config.toml")))?;
    let text = std::fs::read_to_string(path).ok()?;
    toml::from_str::<Key>(&text).ok()?.interface_language
}

/// The value of `--config`.
fn config_of(args: &[OsString]) -> Option<PathBuf> {
    let mut args = args.iter().skip(1).take_while(|arg| *arg != "--");
    while let Some(arg) = args.next() {
        if arg == "--config" {
            return args.next().map(PathBuf::from);
        }
        if let Some(path) = arg.to_str().and_then(|arg| arg.strip_prefix("--config=")) {
            return Some(path.into());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(args: &[&str], env: &[(&str, &str)]) -> Language {
        let (mut input, mut out, mut err) = (std::io::empty(), Vec::new(), Vec::new());
        let mut world = World::new(&mut input, &mut out, &mut err);
        world.env = env
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.into()))
            .collect();
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        choose(&args, args.iter().any(|arg| arg == "--json"), &world)
    }

    #[test]
    fn the_variable_counts_more_than_the_config_file_and_that_more_than_the_locale() {
        use Language::{Chinese, English};
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("config.toml");
        std::fs::write(&config, "namespace = \"a\"\ninterface_language = \"zh\"\n").unwrap();
        let config = config.to_str().unwrap();
        assert_eq!(chosen(&["annals"], &[]), English);
        for locale in ["zh_CN.UTF-8", "zh", "zh-Hant-TW", "ZH_TW"] {
            assert_eq!(
                chosen(&["annals"], &[("LANG", locale)]),
                Chinese,
                "{locale}"
            );
        }
        assert_eq!(
            chosen(&["annals"], &[("LANG", "zh_CN.UTF-8"), ("LC_ALL", "C")]),
            English
        );
        assert_eq!(
            chosen(
                &["annals"],
                &[("LANG", "en_US.UTF-8"), ("LC_MESSAGES", "zh_CN.UTF-8")]
            ),
            Chinese
        );
        assert_eq!(chosen(&["annals", "--config", config], &[]), Chinese);
        assert_eq!(
            chosen(&["annals", &format!("--config={config}")], &[]),
            Chinese
        );
        assert_eq!(chosen(&["annals"], &[("ANNALS_CONFIG", config)]), Chinese);
        assert_eq!(
            chosen(
                &["annals"],
                &[("ANNALS_CONFIG", config), ("ANNALS_LANG", "en")]
            ),
            English
        );
        assert_eq!(
            chosen(&["annals"], &[("ANNALS_LANG", "auto"), ("LANG", "zh_CN")]),
            Chinese
        );
        assert_eq!(
            chosen(&["annals"], &[("ANNALS_LANG", "de"), ("LANG", "zh_CN")]),
            Chinese
        );
        for word in ["zh-CN", "zh_CN.UTF-8", "zh-Hans", "ZH"] {
            assert_eq!(
                chosen(
                    &["annals"],
                    &[("ANNALS_LANG", word), ("LANG", "en_US.UTF-8")]
                ),
                Chinese,
                "{word}"
            );
        }
        assert_eq!(
            chosen(&["annals"], &[("ANNALS_LANG", "en_GB"), ("LANG", "zh_CN")]),
            English
        );
        assert_eq!(
            chosen(&["annals", "list", "--json"], &[("ANNALS_LANG", "zh")]),
            English
        );
        assert_eq!(
            chosen(&["annals", "remember", "--", "--config", config], &[]),
            English
        );
    }
}
