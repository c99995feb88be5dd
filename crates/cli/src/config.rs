use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use annals::language::Zone;
use annals::profile::Profile;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};

use crate::failure::{Failure, cause};
use crate::interface::Interface;
use crate::llm::LlmConfig;
use crate::paths;
use crate::texts::text;

/// The keys of a config file. Every key is optional.
#[derive(Debug, Default, PartialEq, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    /// The database; a relative path counts from the folder of the config file.
    pub(crate) db: Option<PathBuf>,
    pub(crate) namespace: Option<String>,
    pub(crate) embedder: Option<EmbedderConfig>,
    /// The ONNX Runtime library; a relative path counts from the folder of the config file.
    pub(crate) onnxruntime: Option<PathBuf>,
    /// The `tokenizer.json` of the language model; a relative path counts from the folder of the
    /// config file.
    pub(crate) tokenizer: Option<PathBuf>,
    /// The folder in which jobs keep mirrored files; `{name}` is the namespace, `~/` the home
    /// folder.
    pub(crate) mirrors: Option<String>,
    /// The language model: a table, or a word such as `URL#MODEL`.
    pub(crate) llm: Option<LlmConfig>,
    /// Another one that looks through conversations, such as a smaller one.
    pub(crate) llm_extract: Option<LlmConfig>,
    /// The time zone of profiles that name none, instead of the system's.
    pub(crate) zone: Option<String>,
    /// How the database is shared with other processes.
    pub(crate) share: Option<Share>,
    /// Whether the database may belong to another user.
    pub(crate) allow_foreign: Option<bool>,
    /// The language that the program speaks; that of a namespace is no setting of this file.
    pub(crate) interface_language: Option<Interface>,
    pub(crate) profile: Profile,
}

/// How a database is shared with other processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Share {
    /// Through an owner, which is started where there is none.
    Auto,
    /// Through an owner; where there is none, this process is the owner while it runs.
    Join,
    /// Not at all: one process at a time.
    Off,
}

impl Share {
    /// The word for it in a variable.
    pub(crate) fn of_word(word: &str) -> Option<Self> {
        match word {
            "auto" => Some(Self::Auto),
            "join" => Some(Self::Join),
            "off" => Some(Self::Off),
            _ => None,
        }
    }
}

/// `embedder = "builtin"`, `"small"`, `"<name of a model>"`, `"./<model folder>"` or a table
/// `[embedder.http]`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum EmbedderConfig {
    Word(String),
    Http(Http),
}

impl EmbedderConfig {
    fn is_path(&self) -> bool {
        matches!(self, Self::Word(word) if paths::is_path(word))
    }
}

/// A server with the embeddings call of OpenAI.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Http {
    pub(crate) base_url: String,
    pub(crate) model: String,
    /// The environment variable that holds the key.
    #[serde(default)]
    pub(crate) key_env: Option<String>,
    /// The file that holds the key and nothing else.
    #[serde(default)]
    pub(crate) key_file: Option<PathBuf>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct EmbedderTable {
    http: Http,
}

impl<'de> Deserialize<'de> for EmbedderConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = EmbedderConfig;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&text!("common-config-embedder-forms"))
            }

            fn visit_str<E: de::Error>(self, word: &str) -> Result<EmbedderConfig, E> {
                Ok(EmbedderConfig::Word(word.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<EmbedderConfig, A::Error> {
                EmbedderTable::deserialize(MapAccessDeserializer::new(map))
                    .map(|table| EmbedderConfig::Http(table.http))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

impl Config {
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let mut bytes = Vec::new();
        annals_private::open_named(path)
            .and_then(|mut file| file.read_to_end(&mut bytes))
            .map_err(|cause| Failure::file(&text!("common-config-read"), path, &cause))?;
        let text = crate::utf8::text(bytes, &text!("common-config-file"), Some(path))?;
        let mut config = Self::parse(&text, path)?;
        let folder = paths::absolute(path);
        let folder = folder.parent().unwrap_or(Path::new(""));
        let paths = [
            config.db.as_mut(),
            config.onnxruntime.as_mut(),
            config.tokenizer.as_mut(),
        ];
        for own in paths.into_iter().flatten() {
            *own = folder.join(&own);
        }
        if let Some(mirrors) = config
            .mirrors
            .as_mut()
            .filter(|mirrors| !mirrors.starts_with("~/"))
        {
            *mirrors = folder.join(&*mirrors).to_string_lossy().into_owned();
        }
        if let Some(EmbedderConfig::Word(word)) = config
            .embedder
            .as_mut()
            .filter(|embedder| embedder.is_path())
        {
            *word = folder.join(&*word).to_string_lossy().into_owned();
        }
        if let Some(EmbedderConfig::Http(Http {
            key_file: Some(key_file),
            ..
        })) = &mut config.embedder
        {
            *key_file = folder.join(&key_file);
        }
        for llm in [&mut config.llm, &mut config.llm_extract] {
            match llm {
                Some(LlmConfig::Table(table)) => table.in_folder(folder),
                Some(LlmConfig::Word(word)) => in_folder(word, folder),
                None => {}
            }
        }
        Ok(config)
    }

    fn parse(text: &str, path: &Path) -> Result<Self, Failure> {
        let config: Self = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let before = text.get(..at).unwrap_or(text);
            let line = 1 + before.matches('\n').count();
            let source = text.lines().nth(line - 1).unwrap_or_default().trim();
            let message = cause(&annals::profiles::toml_wording(error.message()))
                .unwrap_or_else(|| error.message().trim_end().replace('\n', " "));
            Failure::invalid(text!(
                "common-config-line",
                path = path.display(),
                line,
                message,
                source
            ))
            .advice(text!("common-config-correct"))
            .at(path, u64::try_from(line).ok())
        })?;
        let refused = |key: &str, reason: &str| {
            let line = line_of(key, text);
            let place = line.map_or(String::new(), |line| text!("common-config-place", line));
            Failure::invalid(format!("{}{place}: {key}: {reason}", path.display())).at(path, line)
        };
        config.profile.check().map_err(|error| {
            let key = format!("profile.{}", error.key);
            match cause(&error.wording()) {
                Some(reason) => refused(&key, &reason),
                None => refused(&key, &error.reason),
            }
        })?;
        for (name, llm) in [("llm", &config.llm), ("llm_extract", &config.llm_extract)] {
            if let Some(LlmConfig::Table(table)) = llm {
                table
                    .check()
                    .map_err(|(key, reason)| refused(&format!("{name}.{key}"), &reason))?;
            }
        }
        if let Some(zone) = &config.zone {
            Zone::named(zone).map_err(|error| refused("zone", &error.to_string()))?;
        }
        Ok(config)
    }
}

/// The file of `replay:FILE` counts from the folder of the config file.
fn in_folder(word: &mut String, folder: &Path) {
    if let Some(file) = word.strip_prefix("replay:") {
        *word = format!("replay:{}", folder.join(file).display());
    }
}

/// The line on which the last word of a key stands first.
fn line_of(key: &str, text: &str) -> Option<u64> {
    let word = key.rsplit('.').next()?;
    let at = text.lines().position(|line| {
        line.split('#')
            .next()
            .is_some_and(|code| code.contains(word))
    })?;
    u64::try_from(at + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> Failure {
        Config::parse(text, Path::new("c.toml")).unwrap_err()
    }

    #[test]
    fn every_form_of_embedder_is_read() {
        let parse = |text| {
            Config::parse(text, Path::new("c.toml"))
                .unwrap()
                .embedder
                .unwrap()
        };
        assert_eq!(
            parse("embedder = \"builtin\""),
            EmbedderConfig::Word("builtin".to_owned())
        );
        let EmbedderConfig::Http(http) =
            parse("[embedder.http]\nbase_url = \"http://x/v1\"\nmodel = \"m\"")
        else {
            panic!("a table is a server");
        };
        assert_eq!(
            (http.base_url.as_str(), http.model.as_str()),
            ("http://x/v1", "m")
        );
    }

    proptest::proptest! {
        #[test]
        fn fuzz_any_file_is_read_or_refused_with_a_line(lines in proptest::collection::vec(proptest::prop_oneof![
            ".*",
            "(db|namespace|llm|zone|embedder|onnxruntime|tokenizer) = (\"[a-z0-9:]{0,6}\"|[0-9]{1,3}|\\[\\]|true)",
            "\\[(llm|llm_extract|embedder\\.http|profile|profile\\.recall|profile\\.recall\\.weights\
             |profile\\.text|profile\\.vector)\\]",
            "(top_k|dense|k1|b|window_weight|degree|exact_up_to_rows|base_url|model|attempts|timeout_seconds\
             |price_input) = (-?[0-9]{1,12}|-?[0-9]\\.[0-9]|nan|inf|\"x\")",
        ], 0..6)) {
            match Config::parse(&lines.join("\n"), Path::new("c.toml")) {
                Ok(config) => proptest::prop_assert!(config.profile.check().is_ok()),
                Err(failure) => {
                    proptest::prop_assert_eq!(failure.exit, crate::failure::Exit::Invalid);
                    proptest::prop_assert!(failure.message.starts_with("c.toml"));
                }
            }
        }
    }

    #[test]
    fn an_unknown_key_is_named_with_its_line() {
        for (text, line, word) in [
            ("namespace = \"a\"\nnamspace = \"b\"\n", 2, "namspace"),
            (
                "[profile.recall]\ntop_k = 5\nminscore = 0.1\n",
                3,
                "minscore",
            ),
            (
                "[embedder.http]\nbase_url = \"x\"\nmodel = \"m\"\ntoken = \"t\"\n",
                4,
                "token",
            ),
            ("[profile.recall.weights]\ndense = \"much\"\n", 2, "dense"),
            (
                "[llm]\nbase_url = \"x\"\nmodel = \"m\"\ntoken = \"t\"\n",
                4,
                "token",
            ),
            (
                "[llm]\nbase_url = \"x\"\nmodel = \"m\"\ntimeout_seconds = 0\n",
                4,
                "timeout_seconds",
            ),
            (
                "[llm]\nbase_url = \"x\"\nmodel = \"m\"\nanswer_tokens = 0\n",
                4,
                "answer_tokens",
            ),
            (
                "[llm]\nbase_url = \"x\"\nmodel = \"m\"\nprotocol = \"soap\"\n",
                4,
                "soap",
            ),
            (
                "[llm_extract]\nbase_url = \"x\"\nmodel = \"\"\n",
                3,
                "llm_extract.model",
            ),
            (
                "[llm_extract]\nmodel = \"m\"\nprotocol = \"anthropic\"\nprice_input = -1.0\n",
                4,
                "price_input",
            ),
            ("zone = \"Mars/Olympus\"\n", 1, "Mars/Olympus"),
            ("db = [1]\n", 1, "db"),
            ("db = \n", 1, "db"),
            (
                "[profile.recall]\n# window_weight\nwindow_weight = 1.5\n",
                3,
                "window_weight",
            ),
            (
                "[profile.recall.weights]\ndense = -1.0\n",
                2,
                "weights.dense",
            ),
        ] {
            let failure = refused(text);
            assert_eq!(failure.line, Some(line), "{}", failure.message);
            assert!(failure.message.contains(word), "{}", failure.message);
        }
    }
}
