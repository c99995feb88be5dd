//! The companion's store: in this process, and through the server, by one suite.

use annals::blocking::{Memory, Namespace};
use annals::{Adjustment, ListQuery, Mode, NewMemory, Options, Query};
use annals_server::{DEFAULT_ADDRESS, Http, TokenStore};
use serde_json::{Value, json};

use crate::client::Served;

/// The six operations.
trait Knowledge {
    fn add(&self, text: &str, category: &str) -> String;
    /// The ids of the results.
    fn search(&self, query: &str, n_results: u32) -> Vec<String>;
    fn delete(&self, id: &str);
    fn update_text(&self, id: &str, text: &str) -> String;
    /// The importance before and after.
    fn update_importance(&self, id: &str, delta: f64) -> (f64, f64);
    /// The ids, texts and categories.
    fn get_all(&self) -> Vec<(String, String, String)>;
}

struct Embedded(Namespace);

impl Knowledge for Embedded {
    fn add(&self, text: &str, category: &str) -> String {
        self.0
            .remember(NewMemory::builder(text).kind(category).build().unwrap())
            .unwrap()
            .to_string()
    }

    fn search(&self, query: &str, n_results: u32) -> Vec<String> {
        let hits = self.0.recall(Query::new(query).top_k(n_results)).unwrap();
        hits.iter().map(|hit| hit.id.to_string()).collect()
    }

    fn delete(&self, id: &str) {
        self.0.delete(id.parse().unwrap(), Mode::Commit).unwrap();
    }

    fn update_text(&self, id: &str, text: &str) -> String {
        self.0
            .update(id.parse().unwrap(), text)
            .unwrap()
            .to_string()
    }

    fn update_importance(&self, id: &str, delta: f64) -> (f64, f64) {
        self.0
            .lifecycle()
            .adjust(id.parse().unwrap(), Adjustment::by(delta))
            .unwrap()
    }

    fn get_all(&self) -> Vec<(String, String, String)> {
        let page = self
            .0
            .list(&ListQuery {
                limit: 100,
                ..ListQuery::default()
            })
            .unwrap();
        let row = |memory: annals::StoredMemory| {
            (
                memory.id.to_string(),
                memory.body.text,
                memory.body.kind.as_str().to_owned(),
            )
        };
        page.memories.into_iter().map(row).collect()
    }
}

struct Proxy(Served);

impl Proxy {
    fn call(&self, operation: &str, arguments: Value) -> Value {
        let path = format!("/v1/namespaces/companion/knowledge/{operation}");
        let reply = self.0.call("POST", &path, Some(&arguments));
        assert_eq!(reply.status, 200, "{operation}: {}", reply.body);
        reply.json()
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

impl Knowledge for Proxy {
    fn add(&self, words: &str, category: &str) -> String {
        text(
            &self.call(
                "add",
                json!({"text": words, "metadata": {"category": category}}),
            )["id"],
        )
    }

    fn search(&self, query: &str, n_results: u32) -> Vec<String> {
        let found = self.call("search", json!({"query": query, "n_results": n_results}));
        found["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|record| text(&record["id"]))
            .collect()
    }

    fn delete(&self, id: &str) {
        self.call("delete", json!({ "id": id }));
    }

    fn update_text(&self, id: &str, words: &str) -> String {
        text(&self.call("update_text", json!({"id": id, "text": words}))["id"])
    }

    fn update_importance(&self, id: &str, delta: f64) -> (f64, f64) {
        let changed = self.call("update_importance", json!({"id": id, "delta": delta}));
        (
            changed["before"].as_f64().unwrap(),
            changed["importance"].as_f64().unwrap(),
        )
    }

    fn get_all(&self) -> Vec<(String, String, String)> {
        let all = self.call("get_all", json!({}));
        let row = |record: &Value| {
            (
                text(&record["id"]),
                text(&record["text"]),
                text(&record["category"]),
            )
        };
        all["results"].as_array().unwrap().iter().map(row).collect()
    }
}

fn companion() -> Memory {
    let memory = Options::new().in_memory().unwrap();
    memory.create_namespace("companion", "companion").unwrap();
    memory
}

fn suite(store: &dyn Knowledge) {
    let ramen = store.add("主人喜欢拉面", "fact");
    let trip = store.add("主人去年春天去了京都旅行", "fact");
    assert_eq!(store.search("主人喜欢吃什么", 1), [ramen.as_str()]);
    assert_eq!(store.search("主人去哪里旅行了", 1), [trip.as_str()]);
    assert_eq!(store.update_text(&ramen, "主人养了一只叫团子的猫"), ramen);
    assert_eq!(store.search("团子是什么猫", 3)[0], ramen);
    let other = store.add("京都的拉面很有名", "fact");
    assert_ne!(store.search("拉面", 3).first(), Some(&ramen));
    let (before, after) = store.update_importance(&ramen, 0.3);
    assert!((after - before - 0.3).abs() < 1e-6, "{before} {after}");
    assert_eq!(store.get_all().len(), 3);
    store.delete(&trip);
    store.delete(&other);
    assert_eq!(
        store.get_all(),
        [(
            ramen,
            "主人养了一只叫团子的猫".to_owned(),
            "fact".to_owned()
        )]
    );
}

#[test]
fn the_store_and_its_proxy_pass_the_same_suite() {
    // spec: C-123, C-125
    suite(&Embedded(companion().namespace("companion").unwrap()));
    suite(&Proxy(Served::over(companion(), |http| http)));
}

#[test]
fn the_default_address_is_port_19876_of_this_machine_alone() {
    // spec: C-119
    assert_eq!(DEFAULT_ADDRESS.to_string(), "127.0.0.1:19876");
    let listener = Http::default()
        .listen(companion(), TokenStore::in_memory())
        .unwrap();
    assert_eq!(listener.url(), "http://127.0.0.1:19876");
    // The same port of another address of this machine is still free.
    #[cfg(target_os = "linux")]
    std::net::TcpListener::bind("127.0.0.2:19876").unwrap();
}
