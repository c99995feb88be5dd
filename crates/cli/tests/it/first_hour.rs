//! The commands of docs/first-hour.md and its Chinese twin, run one after the other in a home as
//! the pages assume it; what they answer stands there.

use std::io::Write as _;

use serde_json::json;

use crate::samples::talk_of_chatgpt;
use crate::stage::Stage;

/// A home with an export of ChatGPT, notes and a transcript of Claude Code.
fn home() -> Stage {
    let stage = Stage::new();
    // As on any machine, the database is where the program puts it.
    stage.env.borrow_mut().remove("ANNALS_DB");
    for folder in [
        "Downloads",
        "notes",
        "wrong",
        "work/shop/.git",
        ".claude/projects/-home-work-shop",
    ] {
        std::fs::create_dir_all(stage.path("home").join(folder)).unwrap();
    }
    let bike = [
        "The chain of my blue bike slips when I climb.",
        "Measure its wear: above 0.75 % replace it.",
        "It is at 0.9, so I ordered a new one.",
    ];
    let bread = [
        "I am allergic to walnuts, which bread can I buy?",
        "Rye bread without nuts; read the label.",
    ];
    let talks = json!([
        talk_of_chatgpt("c1", 1_767_254_400, &bike),
        talk_of_chatgpt("c2", 1_768_254_400, &bread)
    ]);
    let mut zip = zip::ZipWriter::new(
        std::fs::File::create(stage.path("home/Downloads/chatgpt-export.zip")).unwrap(),
    );
    for (name, text) in [
        ("conversations.json", talks.to_string()),
        ("chat.html", "<!DOCTYPE html><html></html>".to_owned()),
        (
            "user.json",
            json!({ "id": "u", "email": "x@example.org" }).to_string(),
        ),
    ] {
        zip.start_file(name, zip::write::SimpleFileOptions::default())
            .unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap();
    stage.file(
        "home/notes/heat-pump.md",
        "---\ntitle: Heat pump\ntags: [house]\n---\n- [fact] Runs at night only #energy\n\
         - depends_on [[Buffer tank]]\n\n## Service\nAnders services it every October.\n",
    );
    stage.file(
        "home/notes/people.md",
        "# People\n\n## Ada\nAda is my sister. Her birthday is 3 May.\n",
    );
    stage.file("home/wrong/list.md", "# Groceries\n\nMilk and rye bread.\n");
    let shop = stage.path("home/work/shop");
    let said = [
        "Prices are in cents, never in floats.",
        "Integers of cents everywhere, then.",
        "Deploy only from the release branch.",
    ];
    let lines: Vec<String> = said
        .iter()
        .enumerate()
        .map(|(place, words)| {
            let role = ["user", "assistant"][place % 2];
            json!({ "type": role, "uuid": format!("u{place}"), "sessionId": "s1", "cwd": shop,
                "timestamp": format!("2026-02-01T10:0{place}:00.000Z"),
                "message": { "role": role, "content": words } })
            .to_string()
        })
        .collect();
    stage.file(
        "home/.claude/projects/-home-work-shop/s1.jsonl",
        lines.join("\n"),
    );
    let prompt = json!({ "session_id": "s2", "hook_event_name": "UserPromptSubmit", "cwd": shop,
        "prompt": "How do we store prices?" });
    stage.file("home/prompt.json", prompt.to_string());
    stage
}

/// The words of a command line, with quotes around some.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (place, part) in line.split('"').enumerate() {
        if place % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// Whether a text is a pattern, in which `...` stands for anything.
fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split("...");
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        let Some((_, behind)) = rest.split_once(part) else {
            return false;
        };
        rest = behind;
    }
    rest.ends_with(last)
}

/// Runs the commands of a page; answers how many there were.
fn walk(page: &str, stage: &mut Stage) -> usize {
    let blocks = page
        .split("```console\n")
        .skip(1)
        .map(|block| block.split("```").next().unwrap());
    let mut count = 0;
    for step in blocks.flat_map(|block| block.split("$ ").skip(1)) {
        let (command, told) = step.split_once('\n').unwrap();
        count += 1;
        let home = stage.path("home").to_str().unwrap().to_owned();
        let line = command.replace("~/", &format!("{home}/"));
        if let Some(folder) = line.strip_prefix("cd ") {
            let folder = if folder == "~" { home.as_str() } else { folder };
            stage.working_folder = Some(folder.into());
            continue;
        }
        let (line, input) = match line.split_once(" < ") {
            Some((line, file)) => (line.to_owned(), std::fs::read(file).unwrap()),
            None => (line, Vec::new()),
        };
        let args = words(line.strip_prefix("annals ").unwrap());
        let said = stage.run_with(&args.iter().map(String::as_str).collect::<Vec<_>>(), &input);
        assert_eq!(said.code, 0, "{command}: {}", said.all());
        // A page may leave out the notes beside an answer.
        let shown = |text: String| text.replace("<folder>/home", "~").trim_end().to_owned();
        let (answer, all) = (
            shown(said.out.clone()),
            shown(format!("{}{}", said.out, said.err)),
        );
        let told = told.trim_end();
        let same = fits(told, &answer) || fits(told, &all);
        assert!(
            same,
            "{command}\n--- the page\n{told}\n--- the program\n{all}"
        );
    }
    count
}

#[test]
fn every_command_of_the_first_hour_answers_as_the_page_says() {
    let count = walk(include_str!("../../../../docs/first-hour.md"), &mut home());
    let mut stage = home();
    stage
        .env
        .borrow_mut()
        .insert("ANNALS_LANG".to_owned(), "zh".into());
    let twin = walk(
        include_str!("../../../../docs/first-hour.zh.md"),
        &mut stage,
    );
    assert!(count > 12 && count == twin, "{count} and {twin} commands");
}
