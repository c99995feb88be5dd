//! A small HTTP server on the loopback interface, for tests, that misbehaves on demand.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    reason = "only tests use it, and a test fails by panicking"
)]

use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A request as it came.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The method.
    pub method: String,
    /// The path.
    pub path: String,
    /// The headers, by name.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Request {
    /// The value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }
}

/// The reply to a request.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The headers, by name.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// Hang up after so many bytes of the body.
    pub cut: Option<usize>,
}

impl Reply {
    /// An answer.
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: body.into(),
            cut: None,
        }
    }

    /// The answer with a header.
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// The answer, broken off after so many bytes of its body.
    pub fn cut(mut self, bytes: usize) -> Self {
        self.cut = Some(bytes);
        self
    }
}

type Handler = Box<dyn FnMut(&Request) -> Option<Reply> + Send>;

/// Answers until it is dropped. A handler that gives nothing hangs up without a word.
pub struct Server {
    /// Its address.
    pub base: String,
    requests: Arc<Mutex<Vec<Request>>>,
    done: Arc<Mutex<bool>>,
}

impl Server {
    /// Starts it; the handler answers one request at a time.
    pub fn start(handler: impl FnMut(&Request) -> Option<Reply> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let (requests, done) = (
            Arc::new(Mutex::new(Vec::new())),
            Arc::new(Mutex::new(false)),
        );
        let (seen, stop) = (Arc::clone(&requests), Arc::clone(&done));
        thread::spawn(move || {
            let mut handler: Handler = Box::new(handler);
            for stream in listener.incoming() {
                if *stop.lock().unwrap() {
                    return;
                }
                // A client that hangs up is its own affair.
                let _ = serve(stream.unwrap(), &mut handler, &seen);
            }
        });
        Self {
            base,
            requests,
            done,
        }
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        *self.done.lock().unwrap() = true;
        // Wakes the thread that waits for a connection.
        let _ = TcpStream::connect(self.base.trim_start_matches("http://"));
    }
}

fn serve(
    mut stream: TcpStream,
    handler: &mut Handler,
    seen: &Mutex<Vec<Request>>,
) -> std::io::Result<()> {
    let request = read(&mut BufReader::new(stream.try_clone()?))?;
    seen.lock().unwrap().push(request.clone());
    let Some(reply) = handler(&request) else {
        return stream.shutdown(Shutdown::Both);
    };
    let mut head = format!("HTTP/1.1 {} X\r\nconnection: close\r\n", reply.status);
    if !reply
        .headers
        .iter()
        .any(|(name, _)| name == "content-length")
    {
        head.push_str(&format!("content-length: {}\r\n", reply.body.len()));
    }
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n").as_bytes())?;
    stream.write_all(&reply.body[..reply.cut.unwrap_or(reply.body.len())])?;
    stream.flush()?;
    stream.shutdown(Shutdown::Write)
}

fn read(stream: &mut impl BufRead) -> std::io::Result<Request> {
    let mut request = Request::default();
    let mut line = String::new();
    stream.read_line(&mut line)?;
    let mut parts = line.split(' ');
    request.method = parts.next().unwrap_or_default().to_owned();
    request.path = parts.next().unwrap_or_default().to_owned();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 || line == "\r\n" {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            request
                .headers
                .push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    let length = request
        .header("content-length")
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    request.body = vec![0; length];
    stream.read_exact(&mut request.body)?;
    Ok(request)
}
