//! What the program says where somebody met words that mislead, or two languages in one sentence.

use crate::stage::Stage;

fn chinese() -> Stage {
    let stage = Stage::new();
    stage.set("ANNALS_LANG", "zh");
    stage
}

#[test]
fn what_libraries_say_is_in_chinese_as_well() {
    let stage = chinese();
    let ids = stage.with_memories();
    let table = stage.file("table.json", "{\"文本\": \"a\"}");
    let config = stage.file("c.toml", "interface_language = \"xx\"\n");
    let messages = stage.file("bad.ftl", "hello\n");
    let answers = stage.file("answers.ndjson", "{\"reply\": {\"text\":\"x\"}}\n");
    let model = format!("replay:{answers}");
    stage.ok(&["delete", &ids[3], "--yes"]);
    for (args, words) in [
        (
            &["import", &table, "--column", "文本=文本"][..],
            "--column 不能指定“文本”；可以指定：text",
        ),
        (
            &["list", "--config", &config],
            "不能是“xx”；可以是：auto, en, zh",
        ),
        (
            &["language", "store", "de", &messages],
            "消息文件“de”的第 1 行不符合 Fluent 格式",
        ),
        (
            &["token", "create", "bot", "--right", "fly"],
            "没有权限“fly”；可以是：read、write、delete、admin",
        ),
        (&["chat", "--llm", &model], "缺少字段 `purpose`"),
        (&["list", "-n", "nobody"], "没有命名空间“nobody”"),
        (
            &["recall", "x", "--embedder", "foo"],
            "嵌入模型“foo”既不是文件夹",
        ),
        (
            &["undo"],
            "错误：无法撤回：最近一次改动是彻底删除，不能恢复",
        ),
        (&["list", "--foo"], "不认识参数“--foo”"),
    ] {
        let said = stage.run_with(args, "你好\n".as_bytes());
        assert!(
            said.code != 0 && said.err.contains(words),
            "{args:?}: {}",
            said.all()
        );
    }
}

#[test]
fn failures_of_hooks_and_origins_of_memories_are_in_chinese() {
    let stage = chinese();
    let ids = stage.with_memories();
    let folder = stage.path("relay");
    std::fs::create_dir_all(folder.join(".git")).unwrap();
    let folder = folder.to_str().unwrap();
    stage.ok(&["hook", "enable", folder]);
    stage.run_with(&["hook", "claude-code", "Stop"], b"");
    stage.run_with(&["hook", "claude-code", "Stop"], b"{\"a\": 1}");
    stage.run_with(&["hook", "claude-code", "Foo"], b"{}");
    let status = stage.ok(&["hook", "status", folder]);
    for words in [
        "标准输入是空的",
        "JSON 里没有写明会话",
        "claude-code 没有事件 \"Foo\"",
    ] {
        assert!(status.contains(words), "{words}: {status}");
    }
    assert_eq!(
        stage.ok(&["graph", "add", &ids[0], "Ada", "lives in", "Berlin"]),
        "0"
    );
    let explained = stage.ok(&["graph", "explain", "0"]);
    assert!(
        explained.contains("有效") && !explained.contains("active"),
        "{explained}"
    );
}

#[test]
fn a_slip_is_answered_with_what_was_meant() {
    let stage = Stage::new();
    let ids = stage.with_memories();
    let empty = stage.path("empty");
    std::fs::create_dir_all(&empty).unwrap();
    let empty = empty.to_str().unwrap();
    for (args, code, words) in [
        (&["show", &ids[0][..8]][..], 2, "give the whole id"),
        (&["import", empty], 4, "there is no file in <folder>/empty"),
        (
            &["import", "--agents", "-n", "x"],
            2,
            "leave out --namespace",
        ),
        (
            &["install", "cursor", "--hooks", "--project"],
            2,
            "leave out --hooks",
        ),
        (
            &["language", "use", "fr"],
            2,
            "annals language use NAMESPACE fr",
        ),
        (&["namespace", "delete", "nope"], 3, "annals namespace list"),
        (&["token", "revoke", "nope"], 3, "annals token list"),
        (
            &["token", "create", "x", "--expires-at", "2020-01-01"],
            2,
            "is over",
        ),
        (&["hook", "enable", "--foo"], 2, "--foo"),
        (&["hook", "foo", "bar"], 1, "hook foo"),
    ] {
        let said = stage.run(args);
        assert_eq!(said.code, code, "{args:?}: {}", said.all());
        assert!(said.err.contains(words), "{args:?}: {}", said.all());
    }
    let said = stage.run(&["edit", &ids[0], "--for", "3w"]);
    assert!(
        said.err.contains("'--for'") && !said.err.contains("tip"),
        "{}",
        said.all()
    );
    assert_eq!(stage.ok(&["help", "help"]), stage.ok(&["--help"]));
}

#[test]
fn dates_and_kinds_are_read_as_people_write_them() {
    let stage = Stage::new();
    for date in ["2026/02/01", "2026年2月1日"] {
        let id = stage.ok(&["remember", &format!("I moved ({date})."), "--at", date]);
        assert!(
            stage.ok(&["show", &id]).contains("2026-02-01 00:00"),
            "{date}"
        );
    }
    stage.ok(&["namespace", "create", "me", "--profile", "agent"]);
    let remember = ["-n", "me", "remember", "Tea, not coffee.", "--kind"];
    let said = stage.run(&[&remember[..], &["preference"]].concat());
    assert_eq!(
        (said.code, said.err.contains("is no kind")),
        (0, false),
        "{}",
        said.all()
    );
    let id = said.out.trim();
    assert!(stage.ok(&["-n", "me", "show", id]).contains("/PREFERENCE"));
    stage.ok(&["-n", "me", "edit", id, "--kind", "Fact"]);
    assert!(stage.ok(&["-n", "me", "show", id]).contains("/FACT"));
}

#[test]
fn sessions_are_listed_and_an_ended_one_is_said_to_have_ended() {
    let stage = Stage::new();
    stage.ok(&["remember", "I like tea."]);
    assert!(stage.run(&["session", "list"]).err.contains("no session"));
    stage.with_memories();
    let list = stage.ok(&["session", "list"]);
    let line = list.lines().nth(1).unwrap_or_default();
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(words[..2], ["monday", "2"], "{list}");
    assert!(
        line.ends_with("2026-02-02 10:00  2026-02-02 10:01"),
        "{list}"
    );
    let json = stage.run(&["session", "list", "--json"]).json();
    assert_eq!(json["sessions"][0]["name"], "monday");
    let ended = stage.ok(&["session", "end", "monday"]);
    assert!(ended.starts_with("monday has ended"), "{ended}");
}

#[test]
fn a_form_that_leaves_memories_out_says_how_many() {
    let stage = Stage::new();
    let ids = stage.with_memories();
    let file = stage.path("out.json").to_str().unwrap().to_owned();
    let said = stage.run(&["export", &file, "--form", "mem0"]);
    assert!(
        said.code == 0 && said.err.contains("2 memories left out"),
        "{}",
        said.all()
    );
    stage.ok(&["edit", &ids[0], "--text", "I live in Rome.", "--supersede"]);
    let would = stage.ok(&["delete", &ids[0]]);
    assert!(would.contains("superseded"), "{would}");
    assert!(stage.ok(&["db", "verify"]).contains("no damage found"));
}
