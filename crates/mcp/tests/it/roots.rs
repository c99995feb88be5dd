//! A client names the folders that it works on.

#![expect(
    deprecated,
    reason = "clients of the older protocol name their folders so"
)]

use annals_mcp::{Reach, Server, USER_NAMESPACE, project_namespace};
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, ErrorData, ListRootsResult, Root,
};
use rmcp::service::{RequestContext, RoleClient};
use rmcp::{ClientHandler, ServiceExt};
use serde_json::{Value, json};

use crate::support::memory;

/// A client that works on some folders.
#[derive(Clone)]
struct Editor(Vec<String>);

impl ClientHandler for Editor {
    fn get_info(&self) -> ClientConfig {
        let mut info = ClientConfig::default();
        info.capabilities = ClientCapabilities::builder().enable_roots().build();
        info
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(self.0.iter().map(Root::new).collect()))
    }
}

/// The namespace in which a client's first memory is stored.
async fn namespace_for(roots: Vec<String>) -> String {
    let memory = memory();
    let server = Server::new(memory.clone(), Reach::one(USER_NAMESPACE).unwrap()).by_roots();
    let (near, far) = tokio::io::duplex(1 << 16);
    let (input, output) = tokio::io::split(far);
    tokio::spawn(annals_mcp::serve_io(server, input, output));
    let client = Editor(roots).serve(near).await.unwrap();
    let Value::Object(text) = json!({ "text": "The parser lives in parse.rs." }) else {
        unreachable!()
    };
    client
        .call_tool(CallToolRequestParams::new("remember").with_arguments(text))
        .await
        .unwrap();
    memory
        .namespaces()
        .unwrap()
        .into_iter()
        .map(|known| known.name)
        .collect::<Vec<_>>()
        .join(" ")
}

#[tokio::test]
async fn the_first_root_that_lies_in_a_repository_is_the_project() {
    let folder = tempfile::tempdir().unwrap();
    let (plain, project) = (folder.path().join("notes"), folder.path().join("relay"));
    std::fs::create_dir_all(&plain).unwrap();
    std::fs::create_dir_all(project.join(".git")).unwrap();
    let uri = |path: &std::path::Path| format!("file://{}", path.display());
    let named = namespace_for(vec![uri(&plain), uri(&project)]).await;
    assert_eq!(named, project_namespace(&project));
    assert_eq!(
        namespace_for(vec![uri(&plain), "https://example.com".to_owned()]).await,
        USER_NAMESPACE
    );
    assert_eq!(namespace_for(Vec::new()).await, USER_NAMESPACE);
}
