//! A companion whose store is used by several processes: the same calls, here and through an owner.

#![cfg(any(unix, windows))]

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use annals::blocking::{Memory, Namespace};
use annals::embed::BuiltinEmbedder;
use annals::llm::provider::{Provider, ProviderError, Reply, Request};
use annals::{
    Adjustment, Cancel, EmbedError, Embedder, ErrorKind, Kind, ListQuery, MemoryId, Mode,
    NewMemory, Options, Query,
};

fn companion(memory: &Memory) -> Namespace {
    memory.create_namespace("companion", "companion").unwrap()
}

fn found(space: &Namespace, query: &str, limit: u32) -> Vec<MemoryId> {
    space
        .recall(Query::new(query).top_k(limit))
        .unwrap()
        .iter()
        .map(|hit| hit.id)
        .collect()
}

/// Every operation of a client, as the design names them.
fn operations(space: &Namespace) {
    let add = |text: &str| {
        let memory = NewMemory::builder(text)
            .kind(Kind::new("fact").unwrap())
            .metadata("category", "fact");
        space.remember(memory.build().unwrap()).unwrap()
    };
    let ramen = add("主人喜欢拉面");
    let trip = add("主人去过京都");
    assert_eq!(
        space.get(ramen).unwrap().unwrap().body.metadata["category"],
        "fact".into()
    );
    assert_eq!(found(space, "拉面", 3)[0], ramen);
    assert_eq!(found(space, "拉面", 1).len(), 1);

    assert_eq!(
        space.update(ramen, "主人养了一只叫团子的猫").unwrap(),
        ramen
    );
    assert_eq!(
        space.get(ramen).unwrap().unwrap().body.text,
        "主人养了一只叫团子的猫"
    );
    let other = add("京都的拉面很有名");
    assert_eq!(found(space, "团子是什么猫", 3)[0], ramen);
    assert_ne!(found(space, "拉面", 3).first(), Some(&ramen));

    let (before, after) = space
        .lifecycle()
        .adjust(ramen, Adjustment::by(0.3))
        .unwrap();
    assert!((after - before - 0.3).abs() < 1e-9, "{before} {after}");
    let all = space.list(&ListQuery::default()).unwrap();
    assert_eq!(all.total, 3);
    for id in [trip, other] {
        assert_eq!(space.delete(id, Mode::Commit).unwrap().memories.len(), 1);
    }
    assert!(space.get(trip).unwrap().is_none());
    assert!(space.get(MemoryId::from_bytes([7; 16])).unwrap().is_none());
    assert!(space.forget(trip).unwrap_err().is_not_found());
    assert_eq!(
        space.list(&ListQuery::default()).unwrap().memories[0].id,
        ramen
    );
}

#[test]
fn a_store_and_its_proxy_pass_the_same_suite() {
    // spec: C-123, C-124, C-125
    let folder = tempfile::tempdir().unwrap();
    let embedded = Memory::open(folder.path().join("embedded.annals")).unwrap();
    operations(&companion(&embedded));

    let path = folder.path().join("shared.annals");
    let share = || Options::new().share(true).open(&path).unwrap();
    let (owner, proxy) = (
        Options::new().share(true).keep(true).open(&path).unwrap(),
        share(),
    );
    assert_eq!(proxy.owner().unwrap(), owner.owner().unwrap());
    assert_eq!(proxy.owner().unwrap().unwrap().own, ["handles"]);
    assert!(proxy.namespace("companion").unwrap().snapshot().is_err());
    operations(&companion(&proxy));

    // The next process takes over, and finds what the last one left.
    drop(owner);
    let space = proxy.namespace("companion").unwrap();
    assert_eq!(space.list(&ListQuery::default()).unwrap().total, 1);
    assert!(proxy.owner().unwrap().unwrap().own.is_empty());
    assert!(proxy.validate().unwrap().problems.is_empty());
}

/// The files of a process that uses the store of another: the store, and the record of who loaded
/// the embedder.
const STORE: &str = "ANNALS_TOGETHER_STORE";
const LOADED: &str = "ANNALS_TOGETHER_LOADED";

/// A store whose embedder leaves a line when a process loads it.
fn with_loads(store: &Path, loaded: &Path) -> Memory {
    let loaded = loaded.to_owned();
    let load = move || {
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&loaded)
            .unwrap();
        writeln!(file, "{}", std::process::id()).unwrap();
        Ok(Arc::new(BuiltinEmbedder::new()) as Arc<dyn Embedder>)
    };
    Options::new()
        .share(true)
        .embedder_from("the built-in one", load)
        .open(store)
        .unwrap()
}

#[test]
fn an_embedder_is_loaded_once_for_all_processes() {
    // spec: C-118
    if let (Some(store), Some(loaded)) = (std::env::var_os(STORE), std::env::var_os(LOADED)) {
        let memory = with_loads(Path::new(&store), Path::new(&loaded));
        let space = memory.namespace("companion").unwrap();
        assert!(!found(&space, "主人喜欢吃什么", 3).is_empty());
        space
            .remember(format!("主人的第{}张照片", std::process::id()))
            .unwrap();
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (store, loaded) = (
        folder.path().join("shared.annals"),
        folder.path().join("loaded"),
    );
    let service = with_loads(&store, &loaded);
    companion(&service).remember("主人喜欢吃拉面").unwrap();
    for _ in 0..2 {
        let mut client = Command::new(std::env::current_exe().unwrap());
        client.args([
            "--exact",
            "together::an_embedder_is_loaded_once_for_all_processes",
        ]);
        let output = client
            .env(STORE, &store)
            .env(LOADED, &loaded)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );
    }
    assert_eq!(
        service
            .namespace("companion")
            .unwrap()
            .list(&ListQuery::default())
            .unwrap()
            .total,
        3
    );
    assert_eq!(
        std::fs::read_to_string(&loaded).unwrap(),
        format!("{}\n", std::process::id())
    );
}

#[test]
fn an_owner_under_another_name_is_compared_by_its_embedder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shared.annals");
    let owner = Options::new().share(true).keep(true).open(&path).unwrap();
    let loads = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&loads);
    let load = move || {
        count.fetch_add(1, Ordering::Relaxed);
        Ok(Arc::new(BuiltinEmbedder::new()) as Arc<dyn Embedder>)
    };
    let client = Options::new()
        .share(true)
        .embedder_from("mine", load)
        .open(&path)
        .unwrap();
    assert_eq!(client.owner().unwrap(), owner.owner().unwrap());
    assert_eq!(
        (loads.load(Ordering::Relaxed), client.embedder()),
        (1, BuiltinEmbedder::new().fingerprint())
    );

    let broken = || Err(EmbedError::Unopened("no such folder".into()));
    let refused = Options::new()
        .share(true)
        .embedder_from("broken", broken)
        .open(&path)
        .map(|_| ())
        .unwrap_err();
    assert_eq!(
        (refused.kind(), refused.to_string()),
        (ErrorKind::Embedder, "no such folder".to_owned())
    );
}

#[test]
fn a_model_is_a_setting_that_its_owner_has_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shared.annals");
    let with = |name: &'static str| {
        let model: Arc<dyn Provider> = Arc::new(Named(name));
        Options::new().share(true).model(model).open(&path).unwrap()
    };
    let owner = with("small");
    let (same, plain) = (
        with("small"),
        Options::new().share(true).open(&path).unwrap(),
    );
    companion(&same).remember("主人喜欢拉面").unwrap();
    assert_eq!(plain.namespaces().unwrap().len(), 1);
    assert_eq!(owner.namespaces().unwrap().len(), 1);
    assert_eq!(same.model().unwrap().name(), "small");
    // A process with another model gets the file, and the others go on through it.
    let other = with("large");
    assert_eq!(other.namespaces().unwrap().len(), 1);
    assert_eq!(plain.namespaces().unwrap().len(), 1);
    assert_eq!(owner.namespaces().unwrap().len(), 1);
}

/// A model that is not asked.
struct Named(&'static str);

impl Provider for Named {
    fn name(&self) -> String {
        self.0.to_owned()
    }

    fn chat(&self, _: &Request, _: &Cancel) -> Result<Reply, ProviderError> {
        panic!("nobody asks it")
    }
}

#[test]
fn a_client_connects_to_a_warm_owner_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shared.annals");
    let owner = Options::new().share(true).keep(true).open(&path).unwrap();
    companion(&owner).remember("主人喜欢拉面").unwrap();
    let connect = || {
        let began = Instant::now();
        let client = Options::new().share(true).open(&path).unwrap();
        assert_eq!(
            client
                .namespace("companion")
                .unwrap()
                .recall("拉面")
                .unwrap()
                .len(),
            1
        );
        began.elapsed()
    };
    let quickest = (0..20).map(|_| connect()).min().unwrap();
    // The figure is that of docs/measurements.md; here it only must not wait for anything.
    assert!(quickest < Duration::from_secs(1), "{quickest:?}");
}
