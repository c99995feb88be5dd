//! The lines of a client, looked at before they are read as messages: what is no message is
//! answered, as JSON-RPC 2.0 says, where the transport of the library passes it over in silence.

use std::io;
use std::pin::Pin;

use rmcp::model::{ErrorData, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::{AsyncRwTransport, DEFAULT_MAX_LINE_LENGTH};
use serde_json::Value;
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader,
    DuplexStream,
};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// The bytes of messages that wait to be read.
const AHEAD: usize = 64 << 10;

/// The lines that wait to be refused: a client that sends no messages and reads no answers is not
/// read any further.
const WAITING: usize = 16;

/// A line that is no message: the answer to it, and the request that it belongs to where that can
/// be told.
struct Refused {
    id: Option<RequestId>,
    error: ErrorData,
}

impl Refused {
    fn invalid(id: Option<RequestId>, why: &'static str) -> Self {
        Self {
            id,
            error: ErrorData::invalid_request(why, None),
        }
    }
}

type Sending = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

/// The transport of the library, behind which a task reads the lines first.
pub(crate) struct Lines<W: AsyncWrite> {
    inner: AsyncRwTransport<RoleServer, DuplexStream, W>,
    refused: mpsc::Receiver<Refused>,
    /// A refusal on its way. It stays here when whoever waits for a message waits no longer.
    sending: Option<Sending>,
    /// The task ends with the transport.
    _reader: JoinSet<()>,
}

impl<W: AsyncWrite + Send + Unpin + 'static> Lines<W> {
    pub(crate) fn new<R: AsyncRead + Send + Unpin + 'static>(input: R, output: W) -> Self {
        let (near, far) = tokio::io::duplex(AHEAD);
        let (refuse, refused) = mpsc::channel(WAITING);
        let mut reader = JoinSet::new();
        reader.spawn(pass(BufReader::new(input), near, refuse));
        Self {
            inner: AsyncRwTransport::new(far, output),
            refused,
            sending: None,
            _reader: reader,
        }
    }

    fn refuse(&mut self, Refused { id, error }: Refused) {
        let answer = TxJsonRpcMessage::<RoleServer>::error(error, id);
        self.sending = Some(Box::pin(self.inner.send(answer)));
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Transport<RoleServer> for Lines<W> {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(sending) = &mut self.sending {
                let sent = sending.await;
                self.sending = None;
                sent.ok()?;
            }
            tokio::select! {
                biased;
                Some(refused) = self.refused.recv() => self.refuse(refused),
                message = self.inner.receive() => {
                    if message.is_some() {
                        return message;
                    }
                    // The input has ended; what stood there last is still answered.
                    let refused = self.refused.try_recv().ok()?;
                    self.refuse(refused);
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.inner.close().await
    }
}

/// Passes lines on that may be messages, until the input ends or nobody takes them.
async fn pass(
    mut input: impl AsyncBufRead + Unpin,
    mut on: DuplexStream,
    refuse: mpsc::Sender<Refused>,
) {
    let mut line = Vec::new();
    loop {
        let fault = match read_line(&mut input, &mut line).await {
            Ok(Some(true)) => fault(&line),
            Ok(Some(false)) => Some(Refused::invalid(None, "the message is too long")),
            Ok(None) | Err(_) => return,
        };
        let passed = match fault {
            Some(refused) => refuse.send(refused).await.is_ok(),
            None => on.write_all(&line).await.is_ok(),
        };
        if !passed {
            return;
        }
    }
}

/// Reads a line with its end; answers whether it fits, and none at the end of the input.
async fn read_line(
    input: &mut (impl AsyncBufRead + Unpin),
    line: &mut Vec<u8>,
) -> io::Result<Option<bool>> {
    line.clear();
    let mut fits = true;
    loop {
        let part = input.fill_buf().await?;
        if part.is_empty() {
            if line.is_empty() && fits {
                return Ok(None);
            }
            // The last line may have no end of its own.
            line.push(b'\n');
            return Ok(Some(fits));
        }
        let end = part.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(part.len(), |at| at + 1);
        fits &= line.len() + taken <= DEFAULT_MAX_LINE_LENGTH;
        if fits {
            line.extend_from_slice(part.get(..taken).unwrap_or_default());
        } else {
            line.clear();
        }
        input.consume(taken);
        if end.is_some() {
            return Ok(Some(fits));
        }
    }
}

/// Why a line is no message; none for one that the library reads, and for an empty one.
fn fault(line: &[u8]) -> Option<Refused> {
    let text = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let text = text.trim_ascii();
    if text.is_empty() {
        return None;
    }
    let message: Value = match serde_json::from_slice(text) {
        Ok(message) => message,
        Err(error) => {
            let why = format!("the line is no JSON: {error}");
            let error = ErrorData::parse_error(why, None);
            return Some(Refused { id: None, error });
        }
    };
    let Value::Object(message) = message else {
        let why = "a message is an object, and each stands in a line of its own";
        return Some(Refused::invalid(None, why));
    };
    let id = match message.get("id") {
        Some(Value::String(text)) => Some(RequestId::String(text.as_str().into())),
        Some(Value::Number(number)) => number.as_i64().map(RequestId::Number),
        _ => None,
    };
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Some(Refused::invalid(id, "jsonrpc must be \"2.0\""));
    }
    let is_answer = message.contains_key("result") || message.contains_key("error");
    if !is_answer && !message.get("method").is_some_and(Value::is_string) {
        return Some(Refused::invalid(id, "a request names a method"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(line: &str) -> Option<(i32, Option<RequestId>)> {
        fault(line.as_bytes()).map(|refused| (refused.error.code.0, refused.id))
    }

    #[test]
    fn what_is_no_message_is_told_apart_from_what_is() {
        assert_eq!(refused("{"), Some((-32700, None)));
        assert_eq!(refused("\u{0}nonsense"), Some((-32700, None)));
        assert_eq!(refused("[]"), Some((-32600, None)));
        let number = Some(RequestId::Number(98));
        let text = Some(RequestId::String("a".into()));
        for (line, id) in [
            (r#"{"jsonrpc":"2.0","id":98}"#, number.clone()),
            (r#"{"jsonrpc":"2.0","id":"a","method":5}"#, text),
            (r#"{"id":98,"method":"ping"}"#, number),
            (r#"{"jsonrpc":"2.0"}"#, None),
        ] {
            assert_eq!(refused(line), Some((-32600, id)), "{line}");
        }
        for line in [
            "",
            " \r\n",
            "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        ] {
            assert_eq!(refused(line), None, "{line}");
        }
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_passed_over_whole() {
        let long = "x".repeat(DEFAULT_MAX_LINE_LENGTH);
        let text = format!("{long}\nnext\nrest");
        let (mut input, mut line) = (BufReader::new(text.as_bytes()), Vec::new());
        assert_eq!(read_line(&mut input, &mut line).await.unwrap(), Some(false));
        assert_eq!(read_line(&mut input, &mut line).await.unwrap(), Some(true));
        assert_eq!(line, b"next\n");
        assert_eq!(read_line(&mut input, &mut line).await.unwrap(), Some(true));
        assert_eq!(line, b"rest\n");
        assert_eq!(read_line(&mut input, &mut line).await.unwrap(), None);
    }
}
