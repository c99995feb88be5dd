//! A server in this process, and a client that sends what it is told.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;

use annals::blocking::Memory;
use annals::{Clock as _, SystemClock};
use annals_mcp::Reach;
use annals_server::{Grant, Http, Limits, NewToken, Right, ServeError, Stopper, TokenStore};
use serde_json::Value;

pub(crate) struct Served {
    pub(crate) memory: Memory,
    pub(crate) address: SocketAddr,
    pub(crate) link: String,
    /// A token with every right.
    pub(crate) token: String,
    /// A token to read and write the namespace `mine`.
    pub(crate) mine: String,
    stopper: Stopper,
    thread: Option<JoinHandle<Result<(), ServeError>>>,
}

pub(crate) fn grant(namespaces: &[&str], rights: &[Right]) -> Grant {
    Grant {
        namespaces: namespaces
            .iter()
            .map(|name| name.parse().unwrap())
            .collect(),
        rights: rights.iter().copied().collect(),
    }
}

impl Served {
    pub(crate) fn start() -> Self {
        Self::over(annals::Options::new().in_memory().unwrap(), |http| http)
    }

    pub(crate) fn limited(limits: Limits) -> Self {
        Self::over(annals::Options::new().in_memory().unwrap(), |http| {
            http.limits(limits)
        })
    }

    /// A token of these namespaces and rights.
    pub(crate) fn token_for(&self, namespaces: &[&str], rights: &[Right]) -> String {
        let new = serde_json::json!({ "name": "more", "namespaces": namespaces, "rights": rights });
        self.call("POST", "/v1/tokens", Some(&new)).json()["secret"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    pub(crate) fn over(memory: Memory, set: impl FnOnce(Http) -> Http) -> Self {
        let tokens = TokenStore::in_memory();
        let make = |name: &str, grant: Grant| {
            let new = NewToken {
                name: name.to_owned(),
                grant,
                expires_at: None,
            };
            tokens.create(new, SystemClock.now()).unwrap().1
        };
        let token = make("all", Grant::everything());
        let mine = make("mine", grant(&["mine"], &[Right::Read, Right::Write]));
        Self::with(memory, tokens, (token, mine), set)
    }

    pub(crate) fn with(
        memory: Memory,
        tokens: TokenStore,
        (token, mine): (String, String),
        set: impl FnOnce(Http) -> Http,
    ) -> Self {
        let mcp = annals_mcp::Server::new(memory.clone(), Reach::one("nobody").unwrap());
        let http = set(Http::at(([127, 0, 0, 1], 0).into()).mcp(mcp));
        let listener = http.listen(memory.clone(), tokens).unwrap();
        let address = listener
            .url()
            .strip_prefix("http://")
            .unwrap()
            .parse()
            .unwrap();
        let (link, stopper) = (listener.link().unwrap(), listener.stopper());
        let thread = Some(std::thread::spawn(move || listener.serve()));
        Self {
            memory,
            address,
            link,
            token,
            mine,
            stopper,
            thread,
        }
    }

    /// Has the server end.
    pub(crate) fn end(&self) {
        self.stopper.stop();
    }

    /// Ends the server, and waits for it.
    pub(crate) fn stop(&mut self) {
        self.stopper.stop();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap().unwrap();
        }
    }

    /// A request of the holder of every right.
    pub(crate) fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Reply {
        self.call_as(&self.token, method, path, body)
    }

    pub(crate) fn call_as(
        &self,
        token: &str,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Reply {
        self.call_with(
            &[("Authorization", &format!("Bearer {token}"))],
            method,
            path,
            body,
        )
    }

    /// A request of somebody who has no token.
    pub(crate) fn call_with(
        &self,
        headers: &[(&str, &str)],
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Reply {
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            text.push_str(&format!("Host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        let body = body.map(Value::to_string).unwrap_or_default();
        if !body.is_empty() {
            text.push_str(&format!(
                "Content-Type: application/json\r\nContent-Length: {}\r\n",
                body.len()
            ));
        }
        self.send(format!("{text}\r\n{body}").as_bytes())
    }

    /// Sends bytes as they are.
    pub(crate) fn send(&self, bytes: &[u8]) -> Reply {
        let Ok(mut stream) = TcpStream::connect(self.address) else {
            // The server has ended.
            return Reply {
                status: 0,
                head: String::new(),
                body: String::new(),
            };
        };
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        // A server that refuses a request may close before it has read all of it.
        let _refused = stream.write_all(bytes);
        Reply::read(&mut stream)
    }

    /// Adds a memory to a namespace, and answers its id.
    pub(crate) fn add(&self, namespace: &str, text: &str) -> String {
        let path = format!("/v1/namespaces/{namespace}/memories");
        let reply = self.call("POST", &path, Some(&serde_json::json!({ "text": text })));
        assert_eq!(reply.status, 201, "{}", reply.body);
        reply.json()["memory"]["id"].as_str().unwrap().to_owned()
    }
}

impl Drop for Served {
    /// Waits for the server, so that the memory is closed in the time of the test.
    fn drop(&mut self) {
        self.stopper.stop();
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(
                std::thread::panicking() || matches!(ended, Ok(Ok(()))),
                "the server fails as it ends"
            );
        }
    }
}

#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Reply {
    fn read(stream: &mut TcpStream) -> Self {
        let mut bytes = Vec::new();
        let mut piece = [0; 4096];
        while let Ok(length) = stream.read(&mut piece)
            && length > 0
        {
            bytes.extend_from_slice(&piece[..length]);
            // A stream of events has no end.
            if String::from_utf8_lossy(&bytes).contains("content-type: text/event-stream") {
                break;
            }
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|word| word.parse().ok())
            .unwrap_or(0);
        Self {
            status,
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {} {}", self.head, self.body))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    /// The code of a problem, which says what to do.
    #[track_caller]
    pub(crate) fn problem(&self) -> String {
        let problem = self.json();
        assert_eq!(
            self.header("content-type"),
            Some("application/problem+json"),
            "{}",
            self.head
        );
        assert_eq!(problem["status"], self.status, "{problem}");
        assert!(
            problem["action"]
                .as_str()
                .is_some_and(|action| !action.is_empty()),
            "{problem}"
        );
        problem["code"].as_str().unwrap().to_owned()
    }
}
