//! A client that started this process, over standard input and output.

use rmcp::ServiceExt;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::lines::Lines;
use crate::{ServeError, Server, parent};

/// Serves the client at standard input and output, until it closes standard input, the process
/// that started this one ends, or this one is told to end. Nothing but the protocol is written to
/// standard output.
///
/// # Errors
/// [`ServeError`] when the server cannot start, or the client does not speak the protocol.
pub fn serve_stdio(server: Server) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(ServeError::Runtime)?;
    let served = runtime.block_on(async {
        let (input, output) = rmcp::transport::stdio();
        tokio::select! {
            served = serve_io(server, input, output) => served,
            () = parent::died() => Ok(()),
            () = told_to_end() => Ok(()),
        }
    });
    // A thread may wait at standard input for ever.
    runtime.shutdown_background();
    served
}

/// Serves one client over a stream of input and one of output, until the input ends.
///
/// # Errors
/// [`ServeError::Protocol`] when the client does not speak the protocol.
pub async fn serve_io<R, W>(server: Server, input: R, output: W) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    use rmcp::service::ServerInitializeError;
    let running = match server.serve(Lines::new(input, output)).await {
        Ok(running) => running,
        // A client that left before it said anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(ServeError::Protocol(error.to_string())),
    };
    running
        .waiting()
        .await
        .map(drop)
        .map_err(|error| ServeError::Protocol(error.to_string()))
}

/// Ends when the process is asked to end: an interrupt, and on Unix SIGTERM.
pub(crate) async fn told_to_end() {
    let interrupted = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let Ok(mut terminated) = signal(SignalKind::terminate()) else {
            return interrupted.await;
        };
        tokio::select! {
            () = interrupted => {}
            _ = terminated.recv() => {}
        }
    }
    #[cfg(not(unix))]
    interrupted.await;
}
