//! A small HTTP server on the loopback interface.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A request as it came: method and path, headers by lower-case name, body.
#[derive(Debug, Clone, Default)]
pub struct Request {
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Status, further headers and body of an answer.
pub type Reply = (u16, Vec<(&'static str, String)>, Vec<u8>);

/// Answers one request after the other until it is dropped.
pub struct Server {
    pub base: String,
    requests: Arc<Mutex<Vec<Request>>>,
    done: Arc<Mutex<bool>>,
}

impl Server {
    pub fn start(mut answer: impl FnMut(&Request) -> Reply + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let (requests, done) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(false)));
        let (seen, stop) = (Arc::clone(&requests), Arc::clone(&done));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if *stop.lock().unwrap() {
                    return;
                }
                // A client that hangs up is its own affair.
                let _ = serve(stream.unwrap(), &mut answer, &seen);
            }
        });
        Self { base, requests, done }
    }

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
    answer: &mut impl FnMut(&Request) -> Reply,
    seen: &Mutex<Vec<Request>>,
) -> std::io::Result<()> {
    let request = read(&mut BufReader::new(stream.try_clone()?))?;
    seen.lock().unwrap().push(request.clone());
    let (status, headers, body) = answer(&request);
    let mut head = format!("HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n").as_bytes())?;
    stream.write_all(&body)?;
    stream.flush()
}

fn read(stream: &mut impl BufRead) -> std::io::Result<Request> {
    let mut request = Request::default();
    let mut line = String::new();
    stream.read_line(&mut line)?;
    request.path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 || line == "\r\n" {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            request.headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    let length = request.header("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
    request.body = vec![0; length];
    stream.read_exact(&mut request.body)?;
    Ok(request)
}
