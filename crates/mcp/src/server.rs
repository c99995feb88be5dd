use std::path::Path;
use std::sync::Arc;

use annals::Error;
use annals::blocking::Memory;
use annals::messages::{FALLBACK, Messages};
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, DiscoverResult, ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse,
    Implementation, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig,
};
use rmcp::service::{Peer, RequestContext, RoleServer};
use tokio::sync::{OnceCell, Semaphore};

use crate::project::project_namespace;
use crate::reply::Refusal;
use crate::store::Store;
use crate::{Access, Reach, params, prompts, resources, roots, tools, words};

/// Calls that run at the same time; others wait. Each takes a thread.
const PARALLEL: usize = 8;

/// The memories of a database as a server of the Model Context Protocol. Cheap to clone: clones
/// share one handle, and any number of clients can be served at once.
#[derive(Clone)]
pub struct Server {
    store: Arc<Store>,
    running: Arc<Semaphore>,
    /// The store of the project that the client works on, once it was asked; `None` for a server
    /// that asks no client.
    located: Option<Arc<OnceCell<Arc<Store>>>>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server")
            .field("reach", &self.store.reach)
            .finish_non_exhaustive()
    }
}

impl Server {
    /// A server over an open memory, for the namespaces that it may reach. None of them needs to
    /// exist: each comes into being with its first memory.
    #[must_use]
    pub fn new(memory: Memory, reach: Reach) -> Self {
        let path = memory.stats().ok().and_then(|stats| stats.path);
        let name = path.map_or_else(
            || "the database".to_owned(),
            |path| path.display().to_string(),
        );
        let (temporary, language) = (Arc::new(|_: &str| Ok(false)), FALLBACK.to_owned());
        let access = Access::Write;
        let name_project = Arc::new(project_namespace);
        let store = Store {
            memory,
            reach,
            access,
            temporary,
            name_project,
            name,
            language,
            unavailable: None,
        };
        Self {
            store: Arc::new(store),
            running: Arc::new(Semaphore::new(PARALLEL)),
            located: None,
        }
    }

    /// A server for one client that was not started in its project: the first of the client's roots
    /// that lies in a repository is the project, and its namespace and the user's are reached. For
    /// a client without such a root nothing changes.
    #[must_use]
    pub fn by_roots(self) -> Self {
        Self {
            located: Some(Arc::default()),
            ..self
        }
    }

    /// A server over the memory of this one, for somebody who reaches these namespaces and may do
    /// this there.
    #[must_use]
    pub fn limited_to(&self, reach: Reach, access: Access) -> Self {
        let store = Store {
            reach,
            access,
            ..(*self.store).clone()
        };
        Self {
            store: Arc::new(store),
            running: Arc::clone(&self.running),
            located: None,
        }
    }

    /// Sets how the project of a folder is named; by
    /// [`project_namespace`](crate::project_namespace) without it.
    #[must_use]
    pub fn naming_projects(self, name: impl Fn(&Path) -> String + Send + Sync + 'static) -> Self {
        let store = Store {
            name_project: Arc::new(name),
            ..(*self.store).clone()
        };
        Self {
            store: Arc::new(store),
            ..self
        }
    }

    /// Sets the language for where neither namespace, nor call, nor memories say one; English
    /// without it. Tools and instructions of an empty memory are in it.
    #[must_use]
    pub fn in_language(self, language: &str) -> Self {
        let store = Store {
            language: language.to_owned(),
            ..(*self.store).clone()
        };
        Self {
            store: Arc::new(store),
            ..self
        }
    }

    /// The same server that asks, before every call, whether the session in its first namespace is
    /// temporary: as long as that is so, it neither recalls nor stores anything, and says so. A
    /// call fails with the error of the question.
    #[must_use]
    pub fn temporary_when(
        self,
        temporary: impl Fn(&str) -> Result<bool, Error> + Send + Sync + 'static,
    ) -> Self {
        let store = Store {
            temporary: Arc::new(temporary),
            ..(*self.store).clone()
        };
        Self {
            store: Arc::new(store),
            ..self
        }
    }

    /// A server whose memories cannot be reached, for this reason: it starts all the same, and
    /// answers every call with the reason and what to do. A client shows that, where it hides why
    /// a server did not start.
    ///
    /// # Errors
    /// When there is no room for an empty memory.
    pub fn unavailable(reach: Reach, reason: impl Into<String>) -> Result<Self, Error> {
        let empty = Self::new(annals::Options::new().in_memory()?, reach);
        let store = Store {
            unavailable: Some(reason.into()),
            ..(*empty.store).clone()
        };
        Ok(Self {
            store: Arc::new(store),
            ..empty
        })
    }

    /// Runs engine calls on a thread of their own. Work that has begun is finished, even if the
    /// client cancels the request or goes away meanwhile.
    async fn work<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Store) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let store = self.located(&context.peer).await;
        self.work_on(store, work).await
    }

    /// The store with the reach of the project that the client works on.
    async fn located(&self, peer: &Peer<RoleServer>) -> Arc<Store> {
        let Some(located) = &self.located else {
            return Arc::clone(&self.store);
        };
        let locate = async || match roots::reach(peer, &self.store.name_project).await {
            Some(reach) => Arc::new(Store {
                reach,
                ..(*self.store).clone()
            }),
            None => Arc::clone(&self.store),
        };
        Arc::clone(located.get_or_init(locate).await)
    }

    async fn work_on<T: Send + 'static>(
        &self,
        store: Arc<Store>,
        work: impl FnOnce(&Store) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let stopped = |_| ErrorData::internal_error("the server is ending; try again", None);
        let permit = Arc::clone(&self.running)
            .acquire_owned()
            .await
            .map_err(stopped)?;
        let done = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            work(&store)
        });
        // A call that panicked has poisoned the handle; the next one says why.
        done.await.map_err(|_| {
            ErrorData::internal_error("the call failed; this is a mistake in annals", None)
        })
    }

    /// The configuration with the instructions in the language of the namespace.
    async fn instructed(&self) -> ServerConfig {
        // A client names its roots only after it was told this.
        let store = Arc::clone(&self.store);
        let told = self.work_on(store, |store| {
            instructions(store).map_err(|refusal| refusal.text(&words::builtin(&store.language)))
        });
        let told = told.await;
        match told {
            Ok(Ok(text)) => self.get_info().with_instructions(text),
            // The first call of a tool tells the reason.
            Ok(Err(_)) | Err(_) => self.get_info(),
        }
    }
}

fn instructions(store: &Store) -> Result<String, Refusal> {
    if let Some(own) = tools::instruction(store)? {
        return Ok(own);
    }
    let messages = store.messages(&[])?;
    let place = match store.reach.scopes().is_empty() {
        true => messages.text(
            "mcp-where-one",
            &[("namespace", store.reach.first().into())],
        ),
        false => messages.text("mcp-where-project", &[]),
    };
    Ok(messages.text("mcp-instructions", &[("where", (&place).into())]))
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .build();
        let mut info = ServerConfig::new(capabilities);
        info.server_info = Implementation::new("annals", env!("CARGO_PKG_VERSION"));
        info
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut negotiated = self.negotiate_initialize(&request)?;
        context.peer.set_peer_info(request);
        negotiated.instructions = self.instructed().await.instructions;
        Ok(negotiated)
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(
            versions,
            self.instructed().await,
        ))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.work(&context, tools::list).await?;
        Ok(ListToolsResult::with_all_items(
            tools.map_err(|refusal| self.failed(&refusal))?,
        ))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (name, arguments) = (request.name.clone(), request.arguments.unwrap_or_default());
        let done = self
            .work(&context, move |store| tools::call(store, &name, arguments))
            .await;
        match done {
            Ok(Ok(result)) => Ok(result.into()),
            Ok(Err(unknown)) => {
                let name = crate::shown::line(&request.name, 80).0;
                let known = unknown.0.join(", ");
                let places = [("name", (&name).into()), ("known", (&known).into())];
                Err(ErrorData::invalid_params(
                    self.words().text("mcp-no-tool", &places),
                    None,
                ))
            }
            Err(error) => Ok(CallToolResult::error(vec![ContentBlock::text(error.message)]).into()),
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let listed = self.work(&context, resources::list).await?;
        Ok(ListResourcesResult::with_all_items(
            listed.map_err(|refusal| self.failed(&refusal))?,
        ))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let (uri, asked) = (request.uri.clone(), request.uri);
        match self
            .work(&context, move |store| resources::read(store, &asked))
            .await?
        {
            Ok(Some(result)) => Ok(result.into()),
            Ok(None) => {
                let uri = crate::shown::line(&uri, 200).0;
                let text = self
                    .words()
                    .text("mcp-no-resource", &[("uri", (&uri).into())]);
                Err(ErrorData::resource_not_found(text, None))
            }
            Err(refusal) => Err(self.failed(&refusal)),
        }
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let listed = self.work(&context, prompts::list).await?;
        Ok(ListPromptsResult::with_all_items(
            listed.map_err(|refusal| self.failed(&refusal))?,
        ))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let (name, arguments) = (request.name, request.arguments.unwrap_or_default());
        let done = self
            .work(&context, move |store| {
                prompts::get(store, &name, &arguments)
            })
            .await?;
        done.map(GetPromptResponse::from)
            .map_err(|refusal| self.failed(&refusal))
    }

    /// What the library reads as no request of the protocol: it has another method, or other
    /// parameters than the method takes.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = crate::shown::line(&request.method, 80).0;
        Err(match params::fault(&request.method, request.params) {
            Some(why) => ErrorData::invalid_params(format!("{method}: {why}"), None),
            None => ErrorData::new(
                ErrorCode::METHOD_NOT_FOUND,
                format!("there is no method {method}"),
                None,
            ),
        })
    }
}

impl Server {
    /// The messages in the language of the server.
    fn words(&self) -> Arc<Messages> {
        words::builtin(&self.store.language)
    }

    /// An error of a request that no model reads: what was wrong with it, or what the engine said.
    fn failed(&self, refusal: &Refusal) -> ErrorData {
        let text = refusal.text(&self.words());
        match refusal {
            Refusal::Engine(error) if !error.is_invalid() && !error.is_not_found() => {
                ErrorData::internal_error(text, None)
            }
            _ => ErrorData::invalid_params(text, None),
        }
    }
}
