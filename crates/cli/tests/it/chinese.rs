//! The program in Chinese: its main screens word for word, and no English sentence beside them.

use crate::stage;

use insta::assert_snapshot;
use stage::{Said, Stage, shape};

fn stage() -> Stage {
    let stage = Stage::new();
    stage.set("ANNALS_LANG", "zh");
    stage
}

fn is_word(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| c.is_ascii_punctuation() && c != '-');
    bare.len() > 1 && bare.chars().all(|c| c.is_ascii_alphabetic() || c == '\'')
}

/// Runs of three words that are no command, text of a memory or message of a library.
fn english(said: &Said, data: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let all = data.iter().fold(said.out.clone() + &said.err, |all, data| {
        all.replace(data, "。")
    });
    // Causes are the words of libraries, and JSON is for programs.
    let told = |line: &&str| {
        !["  原因：", "  用法：", "{", "第 "]
            .iter()
            .any(|start| line.starts_with(start))
    };
    for line in all.lines().filter(told) {
        // What stands between backticks can be pasted.
        let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("。");
        for part in prose.replace("  ", "。").split(|c: char| !c.is_ascii()) {
            let words: Vec<&str> = part.split_whitespace().collect();
            let runs = words
                .windows(3)
                .filter(|run| run.iter().all(|word| is_word(word)));
            found.extend(runs.map(|run| format!("{}: {line}", run.join(" "))));
        }
    }
    found
}

#[test]
fn help() {
    assert_snapshot!("help", stage().ok(&["--help"]));
    assert_snapshot!("help_recall", stage().ok(&["recall", "--help"]));
    assert_snapshot!("help_graph", stage().ok(&["graph"]));
    assert_snapshot!("help_ingest", stage().ok(&["ingest", "--help"]));
}

/// The commands below a heading of a page.
fn listed(page: &str) -> Vec<String> {
    let lines = page
        .lines()
        .skip_while(|line| *line != "命令：")
        .skip(1)
        .take_while(|line| !line.is_empty());
    lines
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_page_begins_with_a_chinese_sentence_and_names_its_command() {
    let stage = stage();
    let groups = [
        "namespace",
        "profile",
        "language",
        "session",
        "graph",
        "review",
        "queue",
        "jobs",
        "model",
        "db",
        "hook",
        "eval",
    ];
    for group in groups {
        let names = listed(&stage.ok(&[group]));
        assert!(names.len() > 1, "{group}: {names:?}");
        for name in names {
            let page = stage.ok(&[group, &name, "--help"]);
            assert!(
                !page.lines().next().unwrap().is_ascii(),
                "{group} {name}: {page}"
            );
            assert!(
                page.contains(&format!("用法：annals {group} {name}")),
                "{group} {name}: {page}"
            );
        }
    }
}

#[test]
fn memories() {
    let stage = stage();
    let ids = stage.with_memories();
    assert_snapshot!("list", stage.ok(&["list"]));
    assert_snapshot!(
        "recall",
        shape(
            &stage
                .run(&["recall", "Berlin", "--explain", "--top-k", "2"])
                .all()
        )
    );
    assert_snapshot!(
        "why_not",
        shape(
            &stage
                .run(&["recall", "Berlin", "--top-k", "1", "--why-not", &ids[3]])
                .all()
        )
    );
    assert_snapshot!("show", stage.ok(&["show", &ids[2]]));
    stage.ok(&["edit", &ids[1], "--text", "Never deploy on a Friday."]);
    let steps = stage.ok(&["show", &ids[1], "--explain"]);
    assert!(
        steps.contains("类型 rule，第 2 版") && !steps.contains("revision"),
        "{steps}"
    );
    assert_snapshot!("show_history", stage.ok(&["show", &ids[1], "--history"]));
    assert_snapshot!("stats", stage.ok(&["db", "stats"]));
    assert_snapshot!("undo", stage.ok(&["undo"]));
    stage.ok(&["graph", "add", &ids[0], "Ada", "lives in", "Berlin"]);
    stage.ok(&["graph", "link", &ids[0], "related", &ids[1]]);
    assert_snapshot!("delete_dry", stage.ok(&["delete", &ids[0]]));
    assert_snapshot!("delete_done", stage.ok(&["delete", &ids[0], "--yes"]));
    assert_snapshot!(
        "doctor",
        shape(
            &stage
                .run(&["doctor"])
                .out
                .lines()
                .filter(sure)
                .collect::<Vec<_>>()
                .join("\n")
        )
    );
}

/// Whether a line of `doctor` is the same on every machine.
fn sure(line: &&str) -> bool {
    !line.contains("onnx") && !line.contains("ONNX") && !line.contains("数据库")
}

#[test]
fn errors() {
    let stage = stage();
    let said = |args: &[&str]| stage.run(args).all();
    let mut all = said(&["list"]);
    stage.with_memories();
    for args in [
        &["show", "0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e"][..],
        &["lst"],
        &["list", "--foo"],
        &["list", "--limit"],
        &["list", "--limit", "x"],
        &["recall"],
        &["remember", "--file", "a", "b"],
        &["remember", ""],
        &["-n", "nobody", "list"],
        &["list", "--wait", "soon"],
        &["list", "--since", "yesterday"],
        &["recall", "x", "-k", "0"],
        &["remember", "x", "--confidence", "2"],
        &["graph", "delete", "9"],
    ] {
        all.push_str(&said(args));
    }
    assert_snapshot!("errors", all);
}

#[test]
fn an_unknown_language_is_refused_and_json_is_the_same_in_every_language() {
    let stage = stage();
    stage.with_memories();
    let (list, error) = (
        stage.ok(&["list", "--json"]),
        stage.run(&["show", "x", "--json"]).error(),
    );
    let missing = stage
        .run(&["show", "0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e", "--json"])
        .error();
    stage.set("ANNALS_LANG", "en");
    assert_eq!(list, stage.ok(&["list", "--json"]));
    assert_eq!(error, stage.run(&["show", "x", "--json"]).error());
    assert_eq!(
        missing,
        stage
            .run(&["show", "0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e", "--json"])
            .error()
    );
    stage.set("ANNALS_LANG", "de");
    let said = stage.run(&["list"]);
    assert_eq!(
        (said.code, said.err.contains("ANNALS_LANG is \"de\"")),
        (4, true),
        "{}",
        said.all()
    );
}

#[test]
fn the_language_of_the_program_is_not_that_of_a_namespace() {
    let stage = Stage::new();
    let config = stage.file("c.toml", "interface_language = \"zh\"\n");
    stage.ok(&["remember", "I like tea."]);
    stage.ok(&["language", "use", "user", "en"]);
    assert!(stage.ok(&["--config", &config, "list"]).contains("编号"));
    assert!(stage.ok(&["list"]).contains("id"));
    let context = stage.ok(&["--config", &config, "context", "tea?"]);
    assert_eq!(context, stage.ok(&["context", "tea?"]));
}

/// A small database with something of everything, and commands that show it.
#[test]
fn no_screen_holds_an_english_sentence() {
    let stage = stage();
    let ids = stage.with_memories();
    let profile = stage.file("mine.toml", annals::profiles::builtin("agent").unwrap());
    let turns = stage.file(
        "turns.ndjson",
        "{\"session\":\"s\",\"text\":\"早上好\",\"mood\":\"x\"}\n{\"session\":\"s\"}\n",
    );
    let bad = stage.path("bad.ndjson").to_str().unwrap().to_owned();
    let chat = stage.file(
        "chat.txt",
        "[13.01.26, 18:05:09] 李雷: 早上好\n[13.01.26, 18:06] 韩梅梅: \u{200e}<附件: 1.jpg>\n",
    );
    let unknown = stage.file("unknown.json", "[{\"颜色\": 1}]");
    let picture = stage.file("picture.png", b"\x89PNG");
    let dates = stage.file("dates.csv", "内容,时间\n早,3/4/2026\n");
    let export = stage.path("out.ndjson").to_str().unwrap().to_owned();
    let graph = stage.path("graph.json").to_str().unwrap().to_owned();
    let folder = stage.path("files").to_str().unwrap().to_owned();
    let missing = "0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e";
    let (one, two, three) = (ids[0].as_str(), ids[1].as_str(), ids[3].as_str());
    let commands: &[&[&str]] = &[
        &["recall", "Berlin", "--explain"],
        &["recall", "Berlin", "--min-score", "0.999"],
        &["recall", "Berlin", "--why-not", three],
        &["recall", "Berlin", "--why-not", missing],
        &["recall", "Berlin", "--mode", "deep", "--explain"],
        &["list", "--limit", "1"],
        &["list", "--tag", "nothing"],
        &["remember", "--for", "never", "x"],
        &["remember", "--for", "2w", "喝茶"],
        &["remember", "--meta", "x", "y"],
        &["edit", one],
        &["edit", one, "--untag", "none"],
        &["used", one],
        &["used", one],
        &["forget"],
        &["forget", "--tag", "work"],
        &["forget", two],
        &["forget", two],
        &["restore", two],
        &["archive", two],
        &["undo"],
        &["delete"],
        &["delete", "--tag", "work"],
        &["delete", "--all", "--background"],
        &["queue", "list"],
        &["queue", "drop", "1"],
        &["queue", "retry", "--all"],
        &["queue", "retry", "99"],
        &["graph", "add", one, "Ada", "住在", "Berlin"],
        &["graph", "triples"],
        &["graph", "triples", "--subject", "nobody"],
        &["graph", "explain", "1"],
        &["graph", "explain", "99"],
        &["graph", "entities"],
        &["graph", "add-entity", "Lyon"],
        &["graph", "edit-entity", "Lyon"],
        &["graph", "delete-entity", "Lyon"],
        &["graph", "delete-entity", "Ada"],
        &["graph", "neighbours", "Ada"],
        &["graph", "neighbours", "Lyon"],
        &["graph", "paths", "Ada", "Lyon"],
        &["graph", "paths", "Ada", "Berlin"],
        &["graph", "duplicates"],
        &["graph", "thresholds"],
        &["graph", "merge", "Lyon", "Berlin"],
        &["graph", "merges"],
        &["graph", "unmerge", "1"],
        &["graph", "link", one, "related", two],
        &["graph", "links", one],
        &["graph", "unlink", one, "related", two],
        &["graph", "unlink", one, "related", two],
        &["graph", "show", one],
        &["graph", "show", two],
        &["graph", "clashes", one],
        &["graph", "stats"],
        &["graph", "export", &graph],
        &["graph", "export", &graph],
        &["graph", "delete", "1"],
        &["graph", "delete", "1", "--yes"],
        &["review", "list"],
        &["review", "proposals"],
        &["review", "contradictions"],
        &["review", "decisions"],
        &["review", "doubtful"],
        &["review", "keep", one],
        &["review", "undo", "7"],
        &["jobs", "list"],
        &["namespace", "create", "dev", "--profile", "agent"],
        &["jobs", "list"],
        &["jobs", "run", "--dry-run"],
        &["jobs", "run", "--all"],
        &["jobs", "stop", "agent", "nothing"],
        &["namespace", "list"],
        &["namespace", "stats", "user"],
        &["namespace", "rename", "dev", "work"],
        &["namespace", "use-profile", "work", "studio"],
        &["namespace", "delete", "work"],
        &["namespace", "delete", "work", "--yes"],
        &["profile", "list"],
        &["profile", "store", "mine", &profile],
        &["profile", "show", "nothing"],
        &["language", "list"],
        &["language", "use", "user"],
        &["session", "end", "monday"],
        &["session", "scratchpad"],
        &["session", "temporary", "monday"],
        &["session", "temporary", "monday", "on"],
        &["import", &turns],
        &["import", &turns, "--skip-bad", &bad],
        &["import", &turns, "--conversation", "x"],
        &["import", &turns, "--resume"],
        &["export", &export],
        &["export", &export],
        &["import", &chat, "--dry-run"],
        &["import", &chat],
        &["import", &chat, &turns],
        &["import", &unknown],
        &["import", &picture],
        &["import", &dates],
        &["import"],
        &["import", "--undo", "--dry-run"],
        &["import", "--undo"],
        &["import", "--agents"],
        &["import", "--agents", "x"],
        &["export", "--form", "notes"],
        &["export", &folder, "--form", "notes"],
        &["export", &folder, "--form", "notes"],
        &["sync"],
        &["sync", &folder],
        &["sync", &folder, "--every", "0"],
        &["ingest", &turns],
        &["chat"],
        &["chat", "--llm", "nothing"],
        &["model", "list"],
        &["model", "call", "nothing", "{}"],
        &["list", "--embedder", "nothing"],
        &["recall", "x", "--embedder", "nothing"],
        &["recall", "x", "--embedder", "http://localhost:1/v1"],
        &["hook", "status"],
        &["hook", "enable"],
        &["hook", "enable"],
        &["hook", "status"],
        &["hook", "temporary", "on"],
        &["hook", "disable"],
        &["install"],
        &["install", "--hooks"],
        &["install", "--all"],
        &["install", "claude-code", "--hooks", "--dry-run"],
        &["install", "claude-code", "--hooks"],
        &["uninstall", "claude-code"],
        &["uninstall"],
        &["db", "stats"],
        &["db", "usage"],
        &["db", "verify"],
        &["db", "compact"],
        &["db", "reembed"],
        &["doctor"],
        &["eval", "nodes"],
        &["eval", "extraction", "--labels"],
        &["mcp", "--http", "x"],
        &["nothing"],
        &["graph", "nothing"],
    ];
    let memories = [
        "I moved to Berlin in March 2023 for a job at a robotics startup.",
        "Never deploy on Friday.",
        "The demo is at ten.",
        "pairs of entities",
        "talks of two people, English and Chinese",
    ];
    let mut found = Vec::new();
    for args in commands {
        let said = stage.run(args);
        found.extend(
            english(&said, &memories)
                .into_iter()
                .map(|line| format!("{args:?}: {line}")),
        );
        let told = said.out.clone() + &said.err;
        if told.contains(|c: char| c.is_ascii_alphabetic()) && !uuid(told.trim()) && told.is_ascii()
        {
            found.push(format!("{args:?}: {told}"));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

fn uuid(text: &str) -> bool {
    text.len() == 36 && text.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
}

#[test]
fn errors_of_models_servers_and_hubs_are_in_chinese() {
    let stage = stage();
    let model = stage.path("model");
    std::fs::create_dir_all(&model).unwrap();
    std::fs::write(model.join("model.onnx"), "").unwrap();
    stage.set("HF_ENDPOINT", "http://127.0.0.1:1");
    let model = model.to_str().unwrap();
    for (args, words) in [
        (
            &["model", "pull", "ada/minilm"][..],
            "没有应答（连接被拒绝）；请检查网络",
        ),
        (&["model", "pull", "min ilm"], "不是模型库里的模型"),
        (
            &["model", "import", "/nowhere", "--name", "x"],
            "缺少 /nowhere",
        ),
        (&["model", "import", model, "--name", "x"], "文件是空的"),
        (&["model", "remove", "nowhere"], "缺少"),
        (
            &["--embedder", "http://127.0.0.1:1/v1#e5", "remember", "x"],
            "嵌入服务器（http://127.0.0.1:1/v1）不可用",
        ),
        (&["chat", "--llm", "htp:/x#y"], "不是服务器的地址"),
    ] {
        let said = stage.run(args);
        let all = said.err.replace("原因：", "");
        assert!(
            said.code != 0 && all.contains(words),
            "{args:?}: {}",
            said.all()
        );
        assert!(
            !all.contains("; ") && !all.contains(" is "),
            "{args:?}: {}",
            said.all()
        );
    }
    let chat = stage.run_with(
        &["chat", "--llm", "http://127.0.0.1:1/v1#qwen"],
        "你好\n".as_bytes(),
    );
    assert!(
        chat.err
            .contains("语言模型（http://127.0.0.1:1/v1）不可用：连接被拒绝；请启动服务器"),
        "{}",
        chat.all()
    );
}

#[test]
fn comments_of_profiles_are_in_chinese_and_change_no_value() {
    for name in [
        "agent",
        "coding",
        "companion",
        "graph",
        "markdown",
        "studio",
    ] {
        let shown = stage().ok(&["profile", "show", name]);
        let known = annals::profiles::builtin(name).unwrap();
        assert_eq!(
            annals::profiles::parse(&shown).unwrap(),
            annals::profiles::parse(known).unwrap(),
            "{name}"
        );
        for comment in shown
            .lines()
            .filter_map(|line| line.split_once("# ").map(|(_, said)| said))
        {
            let ids_alone = comment
                .split([',', ';', ' '])
                .all(|part| part.is_empty() || part.contains('-') || part == "to");
            assert!(
                ids_alone || comment.chars().any(|c| c > '\u{2E80}'),
                "{name}: {comment}"
            );
        }
    }
}
