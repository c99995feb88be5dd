//! Single requests, for a listener of somebody else.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use crate::Server;

impl Server {
    /// Answers one request over streamable HTTP, without a session: whoever lets requests in has
    /// looked at their host, their origin and their token, and has set a limit to their body.
    /// `ending` ends what is under way.
    pub async fn answer(&self, request: Request, ending: CancellationToken) -> Response {
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_max_request_body_bytes(usize::MAX)
            .with_cancellation_token(ending);
        let server = self.clone();
        let service = StreamableHttpService::new(
            move || Ok(server.clone()),
            Arc::new(NeverSessionManager::default()),
            config,
        );
        service.handle(request).await.map(Body::new)
    }
}
