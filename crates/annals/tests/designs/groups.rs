//! Groups of entries in `MEMORY.md`.

use std::sync::Arc;

use annals::{Filter, ListQuery, ManualClock, NewMemory, Options};

use crate::support::life::day;

#[test]
fn entries_belong_to_groups_and_are_found_by_them() {
    // spec: M-94
    let (folder, clock) = (tempfile::tempdir().unwrap(), ManualClock::new(day(0.0)));
    let memory = Options::new()
        .clock(Arc::new(clock.clone()))
        .id_seed(1)
        .in_memory()
        .unwrap();
    let space = memory.create_namespace("u", "markdown").unwrap();
    for (text, group) in [
        ("周报周五交", Some("工作")),
        ("周末去爬山", Some("生活")),
        ("喜欢喝茶", None),
    ] {
        let memory = NewMemory::builder(text).kind("fact");
        let memory = group.map_or(memory.clone(), |group| memory.group(group));
        space.remember(memory.build().unwrap()).unwrap();
    }
    let of = |group: &str| -> Vec<String> {
        let filter = Filter::default().group(group).unwrap();
        let listed = space
            .list(&ListQuery {
                filter: filter.clone(),
                ..ListQuery::default()
            })
            .unwrap()
            .memories;
        let mut texts: Vec<String> = listed.into_iter().map(|memory| memory.body.text).collect();
        let question = annals::Query::new("周报 周末 喝茶 代码").filter(filter);
        let mut found: Vec<String> = space
            .recall(question)
            .unwrap()
            .into_iter()
            .map(|hit| hit.text)
            .collect();
        texts.sort_unstable();
        found.sort_unstable();
        assert_eq!(texts, found);
        texts
    };
    assert_eq!(
        (of("工作"), of("生活")),
        (vec!["周报周五交".to_owned()], vec!["周末去爬山".to_owned()])
    );
    let path = folder.path().join("MEMORY.md");
    space.files().sync(folder.path()).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(
        text.contains("group: 工作") && text.contains("group: 生活"),
        "{text}"
    );
    assert_eq!(text.matches("group:").count(), 2);
    // Nothing was edited, so nothing is taken for an edit.
    clock.set(day(1.0));
    let report = space.files().sync(folder.path()).unwrap();
    assert_eq!(
        (
            report.files[0].updated,
            report.files[0].added,
            report.files[0].warnings.len()
        ),
        (0, 0, 0)
    );
    // A person moves an entry into another group, one into none, and writes a new one.
    let text = std::fs::read_to_string(&path).unwrap();
    let moved =
        text.replace("group: 生活", "group: 工作")
            .replacen("group: 工作", "group: 爱好", 1);
    let moved = moved.replace(
        "## Archived Memories",
        "### fact\n写代码用 Rust\n<!-- group: 工作 -->\n\n## Archived Memories",
    );
    std::fs::write(&path, moved).unwrap();
    space.files().sync(folder.path()).unwrap();
    let (work, hobby) = (of("工作"), of("爱好"));
    assert_eq!(
        (work.len(), hobby.len(), of("生活").len()),
        (2, 1, 0),
        "{work:?} {hobby:?}"
    );
    assert!(work.contains(&"写代码用 Rust".to_owned()));
    let none = std::fs::read_to_string(&path)
        .unwrap()
        .replace("group: 爱好", "");
    std::fs::write(&path, none).unwrap();
    space.files().sync(folder.path()).unwrap();
    assert_eq!(of("爱好"), [""; 0]);
    assert_eq!(memory.validate().unwrap().problems, [""; 0]);
    assert!(Filter::default().group(" ").is_err());
}
