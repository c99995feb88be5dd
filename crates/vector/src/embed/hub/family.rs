/// A family of models by how its repositories are named, and the lines that its `annals.toml`
/// needs.
struct Family {
    name: &'static str,
    lines: &'static str,
}

/// Families whose files do not state the prefixes that their model cards ask for.
const FAMILIES: [Family; 6] = [
    Family {
        name: "e5-",
        lines: "query_prefix = 'query: '\npassage_prefix = 'passage: '\n",
    },
    Family {
        name: "bge-en",
        lines: "query_prefix = 'Represent this sentence for searching relevant passages: '\n",
    },
    Family {
        name: "bge-zh",
        lines: "query_prefix = '为这个句子生成表示以用于检索相关文章：'\n",
    },
    Family {
        name: "nomic-embed-text",
        lines: "query_prefix = 'search_query: '\npassage_prefix = 'search_document: '\n",
    },
    Family {
        name: "mxbai-embed",
        lines: "query_prefix = 'Represent this sentence for searching relevant passages: '\n",
    },
    Family {
        name: "snowflake-arctic-embed",
        lines: "query_prefix = 'Represent this sentence for searching relevant passages: '\n",
    },
];

/// The lines of `annals.toml` for a repository of a known family.
pub(super) fn settings(repo: &str) -> Option<String> {
    let name = repo.rsplit('/').next().unwrap_or(repo).to_ascii_lowercase();
    // bge-small-en-v1.5, bge-large-zh: the language stands inside; bge-m3 wants no prefix.
    let bge =
        |language: &str| name.starts_with("bge-") && name.split('-').any(|part| part == language);
    // multilingual-e5-small as well as e5-small; the instruct models want a task in the prefix.
    let e5 = (name.starts_with("e5-") || name.contains("-e5-")) && !name.contains("instruct");
    // Version 2.0 has another prefix, which its own files state.
    let arctic = name.starts_with("snowflake-arctic-embed") && !name.ends_with("-v2.0");
    let family = FAMILIES.iter().find(|family| match family.name {
        "e5-" => e5,
        "bge-en" => bge("en"),
        "bge-zh" => bge("zh"),
        "snowflake-arctic-embed" => arctic,
        other => name.starts_with(other),
    })?;
    Some(family.lines.to_owned())
}

#[cfg(test)]
mod tests {
    use super::settings;

    #[test]
    fn families_are_known_by_their_names() {
        for (repo, words) in [
            ("intfloat/e5-small-v2", "'query: '"),
            ("Xenova/multilingual-e5-base", "'passage: '"),
            ("BAAI/bge-small-en-v1.5", "Represent"),
            ("Xenova/bge-large-zh-v1.5", "检索"),
            ("nomic-ai/nomic-embed-text-v1.5", "search_document"),
            ("mixedbread-ai/mxbai-embed-large-v1", "Represent"),
            ("Snowflake/snowflake-arctic-embed-m", "Represent"),
        ] {
            let lines = settings(repo).unwrap();
            assert!(lines.contains(words), "{repo}: {lines}");
            toml::from_str::<toml::Table>(&lines).unwrap();
        }
        for repo in [
            "sentence-transformers/all-MiniLM-L6-v2",
            "BAAI/bge-m3",
            "intfloat/multilingual-e5-large-instruct",
            "Snowflake/snowflake-arctic-embed-l-v2.0",
            "e5-corp/something",
        ] {
            assert_eq!(settings(repo), None, "{repo}");
        }
    }
}
