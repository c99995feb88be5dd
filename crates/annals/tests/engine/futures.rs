//! The asynchronous handles have every call of the blocking ones, read from the sources of both.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use annals::llm::provider::{Provider, Replay, Reply};
use annals::{HandledCommand, Memory, NewTurn, Options, Role};

/// Handles that are asynchronous.
const HANDLES: [&str; 4] = ["Memory", "Namespace", "Snapshot", "WorkingMemory"];

/// Calls that have no future, and why.
const BLOCKING_ONLY: [(&str, &str, &str); 1] =
    [("Namespace", "work_off_until", "dropping the future of work_off is what cancels it")];

fn sources(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_file() {
        return found.push(path.to_owned());
    }
    for entry in std::fs::read_dir(path).into_iter().flatten() {
        sources(&entry.unwrap().path(), found);
    }
}

/// The name at the beginning of a text that goes on with a bracket.
fn name(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit() && c != '_')?;
    let (name, rest) = text.split_at(end);
    (!name.is_empty() && rest.starts_with(['(', '<'])).then_some(name)
}

/// The public calls of each type, as its inherent `impl` blocks say; those that a macro makes stand in them as `name(...) -> ...;`.
fn calls(paths: &[&str]) -> BTreeMap<String, BTreeSet<String>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    paths.iter().for_each(|path| sources(&source.join(path), &mut files));
    let mut calls: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files {
        let mut owner = None;
        for line in std::fs::read_to_string(file).unwrap().lines() {
            if line.starts_with("impl") || line.starts_with('}') {
                let named = line.strip_prefix("impl ").and_then(|rest| rest.strip_suffix(" {"));
                owner = named.filter(|name| name.chars().all(char::is_alphanumeric)).map(str::to_owned);
            }
            let line = line.trim_start();
            let public =
                line.strip_prefix("pub ").map(|rest| rest.trim_start_matches("const ").trim_start_matches("async "));
            let made = (line.contains(") -> ") && line.ends_with(';')).then_some(line);
            let call = public.and_then(|rest| rest.strip_prefix("fn ")).or(made).and_then(name);
            if let (Some(owner), Some(call)) = (&owner, call) {
                calls.entry(owner.clone()).or_default().insert(call.to_owned());
            }
        }
    }
    calls
}

#[test]
fn every_blocking_call_has_a_future() {
    let blocking = calls(&["blocking"]);
    let asynchronous = calls(&["asynchronous", "asynchronous.rs"]);
    let known: usize = HANDLES.iter().map(|handle| blocking[*handle].len()).sum();
    assert!(known > 130 && blocking["Namespace"].contains("remember"), "the sources are read: {known}");
    let excused = |handle: &str, call: &str| BLOCKING_ONLY.iter().any(|(of, name, _)| (*of, *name) == (handle, call));
    let missing = |handle: &str| -> Vec<String> {
        let lacks = blocking[handle].difference(&asynchronous[handle]);
        lacks.filter(|call| !excused(handle, call)).map(|call| format!("{handle}::{call}")).collect()
    };
    let missing: Vec<String> = HANDLES.iter().flat_map(|handle| missing(handle)).collect();
    assert_eq!(missing, [""; 0], "calls without a future; add them to src/asynchronous, or say above why not");
    for (handle, call, why) in BLOCKING_ONLY {
        assert!(blocking[handle].contains(call) && !asynchronous[handle].contains(call), "{handle}::{call}: {why}");
    }
}

#[test]
fn what_a_model_and_a_person_want_has_futures() {
    pollster::block_on(async {
        let model = std::sync::Arc::new(Replay::default());
        let options = Options::new().model(std::sync::Arc::clone(&model) as std::sync::Arc<dyn Provider>);
        let memory = Memory::from(options.in_memory().unwrap());
        let space = memory.create_namespace("u", "agent").await.unwrap();
        let HandledCommand::Remembered { id, text } = space.handle_command("s", "记住：我住在上海").await.unwrap()
        else {
            panic!("handled")
        };
        assert_eq!((text.as_str(), space.agent_memories([id]).await.unwrap().len()), ("我住在上海", 1));
        assert_eq!(space.cards(vec![id]).await.unwrap().len(), 1);
        let names: Vec<String> = space.tools().await.unwrap().into_iter().map(|tool| tool.name).collect();
        assert_eq!(names, ["search_memory", "search_conversation_traces"]);
        let reply = space.call_tool("search_memory", r#"{"query":"上海"}"#).await.unwrap();
        assert!(reply.is_success() && reply.as_json().contains("上海"), "{}", reply.as_json());
        assert!(space.prompt_memories(5).await.unwrap().contains("上海"));
        let turns = vec![NewTurn::builder("t", "我搬到了柏林").role(Role::User).build().unwrap()];
        assert_eq!(space.on_context_compressed("t", turns).await.unwrap(), 1);
        assert_eq!(space.turns("t", 0, 10).await.unwrap().len(), 1);
        assert_eq!(space.extract_before("t", 1).await.unwrap(), 0, "it is queued");
        model.push("extract", Ok(Reply::text("[]")));
        space.process_session_end(Vec::new(), "t").await.unwrap();
        assert!(space.turns("t", 0, 10).await.unwrap()[0].extracted);
        let report = space.reembed(|step| assert!(step.done <= step.total)).await.unwrap();
        assert_eq!(report.embedded, 0, "all vectors are of this embedder");
        let talk = space.working("w").unwrap();
        talk.round("早", "早上好").await.unwrap();
        assert_eq!((talk.session(), talk.messages().len(), talk.asides().len()), ("w", 2, 0));
        assert_eq!(talk.prepared_context().await, None);
        let snapshot = space.snapshot().await.unwrap();
        assert!(snapshot.answer("上海").await.unwrap().hits.iter().any(|hit| hit.id == id));
    });
}
