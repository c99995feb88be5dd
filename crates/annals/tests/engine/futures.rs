//! The answers of the asynchronous handles.

use annals::llm::provider::{Provider, Replay, Reply};
use annals::{HandledCommand, Memory, NewTurn, Options, Role};

#[test]
fn what_a_model_and_a_person_want_has_futures() {
    pollster::block_on(async {
        let model = std::sync::Arc::new(Replay::default());
        let options =
            Options::new().model(std::sync::Arc::clone(&model) as std::sync::Arc<dyn Provider>);
        let memory = Memory::from(options.in_memory().unwrap());
        let space = memory.create_namespace("u", "agent").await.unwrap();
        let HandledCommand::Remembered { id, text } = space
            .session("s")
            .handle_command("记住：我住在上海")
            .await
            .unwrap()
        else {
            panic!("handled")
        };
        assert_eq!(
            (
                text.as_str(),
                space.designs().agent().memories([id]).await.unwrap().len()
            ),
            ("我住在上海", 1)
        );
        assert_eq!(
            space
                .designs()
                .studio()
                .cards(vec![id])
                .await
                .unwrap()
                .len(),
            1
        );
        let names: Vec<String> = space
            .tools()
            .list()
            .await
            .unwrap()
            .into_iter()
            .map(|tool| tool.name)
            .collect();
        assert_eq!(names, ["search_memory", "search_conversation_traces"]);
        let reply = space
            .tools()
            .call("search_memory", r#"{"query":"上海"}"#)
            .await
            .unwrap();
        assert!(
            reply.is_success() && reply.as_json().contains("上海"),
            "{}",
            reply.as_json()
        );
        assert!(
            space
                .designs()
                .markdown()
                .prompt_memories(5)
                .await
                .unwrap()
                .contains("上海")
        );
        let turns = vec![
            NewTurn::builder("t", "我搬到了柏林")
                .role(Role::User)
                .build()
                .unwrap(),
        ];
        assert_eq!(
            space
                .designs()
                .agent()
                .on_context_compressed("t", turns)
                .await
                .unwrap(),
            1
        );
        assert_eq!(space.session("t").turns(0, 10).await.unwrap().len(), 1);
        assert_eq!(
            space.session("t").extract_before(1).await.unwrap(),
            0,
            "it is queued"
        );
        model.push("extract", Ok(Reply::text("[]")));
        space
            .designs()
            .markdown()
            .process_session_end(Vec::new(), "t")
            .await
            .unwrap();
        assert!(space.session("t").turns(0, 10).await.unwrap()[0].extracted);
        let report = space
            .transfer()
            .reembed(|step| assert!(step.done <= step.total))
            .await
            .unwrap();
        assert_eq!(report.embedded, 0, "all vectors are of this embedder");
        let talk = space.session("w").working().await.unwrap();
        talk.round("早", "早上好").await.unwrap();
        assert_eq!(
            (talk.session(), talk.messages().len(), talk.asides().len()),
            ("w", 2, 0)
        );
        assert_eq!(talk.prepared_context().await, None);
        let snapshot = space.snapshot().await.unwrap();
        assert!(
            snapshot
                .answer("上海")
                .await
                .unwrap()
                .hits
                .iter()
                .any(|hit| hit.id == id)
        );
    });
}
