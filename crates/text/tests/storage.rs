//! Damage, versions, isolation and conflicts.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test fails by panicking"
)]

use std::ops::ControlFlow;
use std::sync::Arc;

use annals_storage::{KeyRange, Keyspace, Reads, Store};
use annals_text::store::{self, FORWARD, MANIFEST, SEGMENT};
use annals_text::{Analyzer, Bm25, ChunkCache, Index, Settings, TextError};
use annals_types::{NamespaceId, Row};

const NS: NamespaceId = NamespaceId(1);

fn small() -> Settings {
    Settings {
        tail_rows: 4,
        fold_after: 10,
        merge_factor: 2,
        chunk_bytes: 100,
        ..Settings::default()
    }
}

fn cache() -> Arc<ChunkCache> {
    Arc::new(ChunkCache::new(1 << 20))
}

fn text(row: u32) -> String {
    format!(
        "common fruit{} colour{} entry{row}",
        ["apple", "pear", "plum"][row as usize % 3],
        row % 7
    )
}

fn append(file: &Store, index: &mut Index, namespace: NamespaceId, rows: std::ops::Range<u32>) {
    for row in rows {
        let forward = Arc::new(Analyzer.forward(&text(row), None));
        file.write::<_, TextError>(|tx| store::put(tx, namespace, Row(row), &forward))
            .unwrap();
        assert!(index.append(Row(row), forward));
    }
}

/// Folds and merges until nothing is due.
fn settle(file: &Store, index: &mut Index) {
    while let Some(plan) = store::plan(index, &file.snapshot().unwrap()).unwrap() {
        assert!(plan.documents() > 0 && plan.bytes() > 0);
        let (published, _) = file.write(|tx| store::publish(tx, &plan)).unwrap();
        assert!(index.apply_published(&published.unwrap()));
    }
}

fn remove(file: &Store, index: &mut Index, rows: &[Row]) -> usize {
    let (removed, _) = file
        .write::<_, TextError>(|tx| store::remove(tx, index.namespace(), rows))
        .unwrap();
    index.apply_removed(&removed).unwrap();
    removed.len()
}

fn open(file: &Store) -> store::Opened {
    store::open(&file.snapshot().unwrap(), NS, small(), cache()).unwrap()
}

fn rows(file: &Store, index: &Index, question: &str) -> Result<Vec<u32>, TextError> {
    let matches = index.matches(&file.snapshot()?, Analyzer.query(question), Bm25::default())?;
    let mut rows: Vec<u32> = matches
        .top(1000, |_| true)?
        .iter()
        .map(|hit| hit.row.0)
        .collect();
    rows.sort_unstable();
    Ok(rows)
}

fn keys(file: &Store, keyspace: Keyspace, namespace: NamespaceId) -> Vec<Vec<u8>> {
    let mut keys = Vec::new();
    let range = KeyRange::prefix(keyspace, &namespace.prefix());
    let mut visit = |_: usize, key: &[u8], _: u8, _: &[u8]| {
        keys.push(key.to_vec());
        Ok(ControlFlow::Continue(()))
    };
    file.snapshot().unwrap().scan(&[range], &mut visit).unwrap();
    keys
}

fn overwrite(file: &Store, keyspace: Keyspace, key: &[u8], version: u8, body: &[u8]) {
    file.write::<_, TextError>(|tx| Ok(tx.put(keyspace, key, version, body)?))
        .unwrap();
}

fn filled(count: u32) -> (Store, Index) {
    let (file, mut index) = (Store::in_memory(), Index::new(NS, small(), cache()));
    append(&file, &mut index, NS, 0..count);
    settle(&file, &mut index);
    (file, index)
}

#[test]
fn remembering_writes_one_value() {
    let (file, mut index) = (Store::in_memory(), Index::new(NS, small(), cache()));
    append(&file, &mut index, NS, 0..9);
    assert_eq!(keys(&file, FORWARD, NS).len(), 9);
    assert!(keys(&file, MANIFEST, NS).is_empty() && keys(&file, SEGMENT, NS).is_empty());
    settle(&file, &mut index);
    assert!(
        keys(&file, SEGMENT, NS).is_empty(),
        "below the threshold nothing is folded"
    );
    append(&file, &mut index, NS, 9..10);
    settle(&file, &mut index);
    assert_eq!(index.segments(), (1, 0));
    assert!(!keys(&file, SEGMENT, NS).is_empty());
}

#[test]
fn damaged_headers_and_manifests_are_noticed_on_opening() {
    for keyspace in [MANIFEST, SEGMENT] {
        for (version, body) in [(1, &[][..]), (1, b"nonsense"), (9, b"newer")] {
            let (file, index) = filled(50);
            let want = rows(&file, &index, "common plum").unwrap();
            let key = keys(&file, keyspace, NS).remove(0);
            overwrite(&file, keyspace, &key, version, body);
            let opened = open(&file);
            assert!(opened.lost);
            assert_eq!(rows(&file, &opened.index, "common plum").unwrap(), want);
            assert!(
                !store::validate(&file.snapshot().unwrap(), NS)
                    .unwrap()
                    .is_clean()
            );
            file.write::<_, TextError>(|tx| store::drop_derived(tx, NS))
                .unwrap();
            let mut opened = open(&file);
            assert!(!opened.lost);
            settle(&file, &mut opened.index);
            assert!(opened.index.segments().0 > 0);
            assert!(
                store::validate(&file.snapshot().unwrap(), NS)
                    .unwrap()
                    .is_clean()
            );
            assert_eq!(rows(&file, &opened.index, "common plum").unwrap(), want);
        }
    }
}

#[test]
fn damaged_and_missing_chunks_are_errors_never_answers() {
    let (file, _) = filled(50);
    for key in keys(&file, SEGMENT, NS)
        .into_iter()
        .filter(|key| key[8..] != [0; 4])
    {
        let (body, version) = {
            let stored = file
                .snapshot()
                .unwrap()
                .get(SEGMENT, &key)
                .unwrap()
                .unwrap();
            (stored.body, stored.version)
        };
        for damage in [&body[..body.len() / 2], &[0xFF; 64]] {
            overwrite(&file, SEGMENT, &key, version, damage);
            let opened = open(&file);
            let all = (0..50).map(text).collect::<Vec<_>>().join(" ");
            let error = rows(&file, &opened.index, &all).unwrap_err();
            assert!(matches!(error, TextError::DamagedSegment { .. }), "{error}");
            assert!(
                !store::validate(&file.snapshot().unwrap(), NS)
                    .unwrap()
                    .is_clean()
            );
        }
        file.write::<_, TextError>(|tx| Ok(tx.delete(SEGMENT, &key)?))
            .unwrap();
        let all = (0..50).map(text).collect::<Vec<_>>().join(" ");
        let error = rows(&file, &open(&file).index, &all).unwrap_err();
        assert!(matches!(error, TextError::DamagedSegment { .. }), "{error}");
        overwrite(&file, SEGMENT, &key, version, &body);
    }
    assert!(
        store::validate(&file.snapshot().unwrap(), NS)
            .unwrap()
            .is_clean()
    );
}

#[test]
fn validate_finds_what_does_not_fit() {
    let (file, _) = filled(30);
    let forward = Analyzer.forward("something else entirely", None);
    file.write::<_, TextError>(|tx| store::put(tx, NS, Row(4), &forward))
        .unwrap();
    let report = store::validate(&file.snapshot().unwrap(), NS).unwrap();
    assert!(report.count >= 4 + 3, "{report:?}");
    assert_eq!(report.documents, 30);
}

#[test]
fn lists_of_another_analyser_wait_for_renewal() {
    let (file, _) = filled(30);
    let old: Vec<Vec<u8>> = keys(&file, FORWARD, NS);
    for key in &old[..20] {
        let mut stored = file.snapshot().unwrap().get(FORWARD, key).unwrap().unwrap();
        stored.body[0] += 1;
        overwrite(&file, FORWARD, key, stored.version, &stored.body);
    }
    let manifest = &keys(&file, MANIFEST, NS)[0];
    let mut stored = file
        .snapshot()
        .unwrap()
        .get(MANIFEST, manifest)
        .unwrap()
        .unwrap();
    stored.body[0] += 1;
    overwrite(&file, MANIFEST, manifest, stored.version, &stored.body);

    let opened = open(&file);
    assert!(opened.lost);
    assert_eq!(opened.stale, (0..20).map(Row).collect::<Vec<_>>());
    assert_eq!(
        rows(&file, &opened.index, "common").unwrap(),
        (20..30).collect::<Vec<_>>()
    );
    assert!(
        store::plan(&opened.index, &file.snapshot().unwrap())
            .unwrap()
            .is_none(),
        "nothing is folded meanwhile"
    );
    for row in opened.stale {
        let forward = Analyzer.forward(&text(row.0), None);
        file.write::<_, TextError>(|tx| store::put(tx, NS, row, &forward))
            .unwrap();
    }
    file.write::<_, TextError>(|tx| store::drop_derived(tx, NS))
        .unwrap();
    let mut opened = open(&file);
    assert!(!opened.lost && opened.stale.is_empty());
    settle(&file, &mut opened.index);
    assert_eq!(
        rows(&file, &opened.index, "common").unwrap(),
        (0..30).collect::<Vec<_>>()
    );
    assert!(
        store::validate(&file.snapshot().unwrap(), NS)
            .unwrap()
            .is_clean()
    );
}

#[test]
fn a_damaged_forward_list_is_an_error_that_names_the_row() {
    let (file, _) = filled(5);
    overwrite(
        &file,
        FORWARD,
        &keys(&file, FORWARD, NS)[3],
        1,
        &[annals_text::ANALYZER_VERSION, 2, 3],
    );
    let error = store::open(&file.snapshot().unwrap(), NS, small(), cache()).unwrap_err();
    assert!(
        matches!(error, TextError::DamagedForward { row: 3, .. }),
        "{error}"
    );
}

#[test]
fn deletions_between_plan_and_publication_are_kept() {
    for count in [1, 30, 300] {
        let (file, mut index) = (Store::in_memory(), Index::new(NS, small(), cache()));
        append(&file, &mut index, NS, 0..400);
        let plan = store::plan(&index, &file.snapshot().unwrap())
            .unwrap()
            .unwrap();
        let gone: Vec<Row> = (0..count).map(|i| Row(i + 50)).collect();
        assert_eq!(remove(&file, &mut index, &gone), count as usize);
        append(&file, &mut index, NS, 400..431);
        match file.write(|tx| store::publish(tx, &plan)) {
            Ok((Some(published), _)) => assert!(count < 300 && index.apply_published(&published)),
            Err(TextError::StalePlan) => assert_eq!(count, 300),
            other => panic!("{other:?}"),
        }
        settle(&file, &mut index);
        let want: Vec<u32> = (0..431).filter(|row| !gone.contains(&Row(*row))).collect();
        assert_eq!(rows(&file, &index, "common").unwrap(), want);
        assert_eq!(rows(&file, &open(&file).index, "common").unwrap(), want);
        assert!(
            store::validate(&file.snapshot().unwrap(), NS)
                .unwrap()
                .is_clean()
        );
        assert_eq!(index.statistics(), open(&file).index.statistics());
    }
}

#[test]
fn a_second_plan_for_the_same_rows_is_dropped() {
    let (file, mut index) = (Store::in_memory(), Index::new(NS, small(), cache()));
    append(&file, &mut index, NS, 0..40);
    let plans = [(); 2].map(|()| {
        store::plan(&index, &file.snapshot().unwrap())
            .unwrap()
            .unwrap()
    });
    let (first, _) = file.write(|tx| store::publish(tx, &plans[0])).unwrap();
    let (second, _) = file.write(|tx| store::publish(tx, &plans[1])).unwrap();
    assert!(first.is_some_and(|published| index.apply_published(&published)));
    assert!(second.is_none());
}

#[test]
fn an_old_index_notices_that_segments_were_merged() {
    let (file, mut index) = (
        Store::in_memory(),
        Index::new(NS, small(), Arc::new(ChunkCache::new(0))),
    );
    append(&file, &mut index, NS, 0..10);
    settle(&file, &mut index);
    let (old, before) = (index.clone(), file.snapshot().unwrap());
    append(&file, &mut index, NS, 10..40);
    settle(&file, &mut index);
    assert!(matches!(
        rows(&file, &old, "common"),
        Err(TextError::Outdated)
    ));
    let asked = index.matches(&before, Analyzer.query("common"), Bm25::default());
    assert!(matches!(asked, Err(TextError::Outdated)));
    let matches = old
        .matches(&before, Analyzer.query("common"), Bm25::default())
        .unwrap();
    assert_eq!(matches.top(100, |_| true).unwrap().len(), 10);
}

#[test]
fn a_merge_refuses_a_state_older_than_the_index() {
    let (file, mut index) = (Store::in_memory(), Index::new(NS, small(), cache()));
    append(&file, &mut index, NS, 0..10);
    settle(&file, &mut index);
    let before = file.snapshot().unwrap();
    append(&file, &mut index, NS, 10..20);
    let plan = store::plan(&index, &before).unwrap().unwrap();
    assert!(plan.is_fold());
    let (published, _) = file.write(|tx| store::publish(tx, &plan)).unwrap();
    assert!(index.apply_published(&published.unwrap()));
    assert!(matches!(
        store::plan(&index, &before),
        Err(TextError::Outdated)
    ));
    assert!(
        store::plan(&index, &file.snapshot().unwrap())
            .unwrap()
            .is_some_and(|plan| !plan.is_fold())
    );
}

#[test]
fn namespaces_do_not_touch_each_other() {
    let (file, shared) = (Store::in_memory(), cache());
    let mut indexes = [NS, NamespaceId(2)].map(|ns| Index::new(ns, small(), Arc::clone(&shared)));
    append(&file, &mut indexes[0], NS, 0..40);
    append(&file, &mut indexes[1], NamespaceId(2), 0..25);
    indexes.iter_mut().for_each(|index| settle(&file, index));
    assert_eq!(rows(&file, &indexes[0], "common").unwrap().len(), 40);
    assert_eq!(rows(&file, &indexes[1], "common").unwrap().len(), 25);
    remove(&file, &mut indexes[1], &[Row(3), Row(30)]);
    assert_eq!(rows(&file, &indexes[0], "common").unwrap().len(), 40);
    assert_eq!(rows(&file, &indexes[1], "common").unwrap().len(), 24);
    loop {
        let (gone, _) = file.write(|tx| store::delete_namespace(tx, NS, 7)).unwrap();
        if gone < 7 {
            break;
        }
    }
    for keyspace in [FORWARD, MANIFEST, SEGMENT] {
        assert!(keys(&file, keyspace, NS).is_empty());
        assert!(!keys(&file, keyspace, NamespaceId(2)).is_empty());
    }
    assert_eq!(rows(&file, &indexes[1], "common").unwrap().len(), 24);
}

#[test]
fn readers_go_on_while_the_owner_changes_its_copy() {
    let (file, mut index) = (Store::in_memory(), Index::new(NS, small(), cache()));
    append(&file, &mut index, NS, 0..60);
    settle(&file, &mut index);
    let snapshot = file.snapshot().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let (index, snapshot) = (index.clone(), snapshot.clone());
            scope.spawn(move || {
                for _ in 0..50 {
                    let matches = index
                        .matches(&snapshot, Analyzer.query("common plum"), Bm25::default())
                        .unwrap();
                    assert_eq!(matches.top(100, |_| true).unwrap().len(), 60);
                }
            });
        }
        append(&file, &mut index, NS, 60..120);
        settle(&file, &mut index);
        remove(&file, &mut index, &[Row(0), Row(61)]);
    });
    assert_eq!(rows(&file, &index, "common").unwrap().len(), 118);
}
