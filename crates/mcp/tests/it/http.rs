//! Over HTTP: what a program may, and a page of the web may not.

use crate::support;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use annals_mcp::{Http, Limits, Reach, ServeError, Server};
use rmcp::ServiceExt;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::json;
use support::{call, ids, memory, remember};

const LOCAL: ([u8; 4], u16) = ([127, 0, 0, 1], 0);

/// Begins to serve, and answers the address.
fn serve(http: Http) -> (String, SocketAddr) {
    let listener = http.listen().unwrap();
    let url = listener.url();
    let address = url
        .trim_start_matches("http://")
        .trim_end_matches("/mcp")
        .parse()
        .unwrap();
    let server = Server::new(memory(), Reach::one("user:42").unwrap());
    tokio::spawn(listener.serve_until(server, std::future::pending()));
    (url, address)
}

/// The status of a request to list tools, with these headers.
async fn status(address: SocketAddr, headers: &[(&str, &str)]) -> u16 {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "protocolVersion": "2025-06-18",
        "capabilities": {}, "clientInfo": { "name": "x", "version": "0" } } })
    .to_string();
    let host = headers.iter().any(|(name, _)| *name == "Host");
    let mut head = format!(
        "POST /mcp HTTP/1.1\r\nContent-Length: {}\r\nConnection: close\r\n",
        body.len()
    );
    head += "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
    if !host {
        head += &format!("Host: {address}\r\n");
    }
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    let request = format!("{head}\r\n{body}");
    let asked = tokio::task::spawn_blocking(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(10)))
            .unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).unwrap();
        String::from_utf8_lossy(&answer[9..12]).parse().unwrap()
    });
    asked.await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_of_the_web_does_not_reach_the_memories() {
    let (_, address) = serve(Http::at(LOCAL.into()).without_token());
    assert_eq!(status(address, &[]).await, 200);
    assert_eq!(status(address, &[("Host", "localhost")]).await, 200);
    for headers in [
        &[("Host", "evil.example")][..],
        &[("Host", "127.0.0.1.evil.example")],
        &[("Origin", "https://evil.example")],
        &[("Origin", "null")],
        &[("Origin", "http://localhost:3000")],
        &[("Host", "localhost"), ("Origin", "https://evil.example")],
    ] {
        assert_eq!(status(address, headers).await, 403, "{headers:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_names_are_answered_when_they_are_allowed() {
    let (_, address) = serve(
        Http::at(LOCAL.into())
            .without_token()
            .host("memory.example.org"),
    );
    assert_eq!(
        status(address, &[("Host", "memory.example.org")]).await,
        200
    );
    assert_eq!(status(address, &[("Host", "evil.example")]).await, 403);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_is_asked_for_where_there_is_one() {
    let (url, address) = serve(Http::at(LOCAL.into()).token("open sesame"));
    assert_eq!(
        status(address, &[("Authorization", "Bearer open sesame")]).await,
        200
    );
    for wrong in [
        "Bearer open sesam",
        "Bearer open sesame!",
        "Basic open sesame",
        "Bearer ",
        "x",
    ] {
        assert_eq!(
            status(address, &[("Authorization", wrong)]).await,
            401,
            "{wrong}"
        );
    }
    assert_eq!(status(address, &[]).await, 401);
    let config = StreamableHttpClientTransportConfig::with_uri(url).auth_header("open sesame");
    let client = ().serve(StreamableHttpClientTransport::from_config(config)).await.unwrap();
    assert_eq!(client.list_all_tools().await.unwrap().len(), 7);
}

#[test]
fn an_address_that_others_reach_needs_a_token() {
    for address in [
        SocketAddr::from(([0, 0, 0, 0], 0)),
        SocketAddr::from(([0_u16; 8], 0)),
    ] {
        assert!(matches!(
            Http::at(address).listen(),
            Err(ServeError::NoToken { .. })
        ));
        assert!(matches!(
            Http::at(address).without_token().listen(),
            Err(ServeError::NoToken { .. })
        ));
    }
    assert!(matches!(
        Http::at(([0, 0, 0, 0], 0).into()).token("").listen(),
        Err(ServeError::NoToken { .. })
    ));
    let taken = Http::at(LOCAL.into()).without_token().listen().unwrap();
    let address: SocketAddr = taken
        .url()
        .trim_start_matches("http://")
        .trim_end_matches("/mcp")
        .parse()
        .unwrap();
    assert!(matches!(
        Http::at(address).without_token().listen(),
        Err(ServeError::Listen { .. })
    ));
}

#[test]
fn that_no_token_is_asked_for_must_be_said() {
    assert!(matches!(
        Http::at(LOCAL.into()).listen(),
        Err(ServeError::NoLocalToken { .. })
    ));
    assert!(matches!(
        Http::at(LOCAL.into()).token("").listen(),
        Err(ServeError::NoLocalToken { .. })
    ));
    assert!(!format!("{:?}", Http::at(LOCAL.into()).token("open sesame")).contains("sesame"));
}

/// What a server answers to bytes, until it closes the connection.
async fn answer(address: SocketAddr, request: Vec<u8>) -> String {
    let asked = tokio::task::spawn_blocking(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        stream.write_all(&request).unwrap();
        let (mut answer, mut piece) = (Vec::new(), [0; 1024]);
        // What was not read of a request resets the connection, behind the answer.
        while let Some(read) = stream.read(&mut piece).ok().filter(|read| *read > 0) {
            answer.extend_from_slice(&piece[..read]);
        }
        String::from_utf8_lossy(&answer).into_owned()
    });
    asked.await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_asks_nothing_or_does_not_end_is_let_go() {
    let limits = Limits::default().patience(Duration::from_millis(300));
    let (_, address) = serve(Http::at(LOCAL.into()).without_token().limits(limits));
    // Without a word, in the middle of a head, and after a request that was answered.
    assert_eq!(answer(address, Vec::new()).await, "");
    answer(address, b"POST /mcp HTTP/1.1\r\nHost: loc".to_vec()).await;
    let whole = format!("GET /other HTTP/1.1\r\nHost: {address}\r\n\r\n").into_bytes();
    let said = answer(address, whole).await;
    assert!(said.starts_with("HTTP/1.1 404"), "{said}");
    let half = format!("POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Length: 10\r\n\r\n{{");
    let said = answer(address, half.into_bytes()).await;
    assert!(
        said.starts_with("HTTP/1.1 408") && said.contains("not whole"),
        "{said}"
    );
    assert_eq!(status(address, &[]).await, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_is_too_long_is_told_so() {
    let (_, address) = serve(Http::at(LOCAL.into()).without_token());
    let long = vec![b' '; Limits::default().body_bytes + 1];
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        long.len()
    );
    let said = answer(address, [head.into_bytes(), long].concat()).await;
    assert!(
        said.starts_with("HTTP/1.1 413") && said.contains("bytes"),
        "{said}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_connections_than_are_served_are_told_so() {
    let (_, address) = serve(
        Http::at(LOCAL.into())
            .without_token()
            .limits(Limits::default().connections(2)),
    );
    let (one, two) = (
        TcpStream::connect(address).unwrap(),
        TcpStream::connect(address).unwrap(),
    );
    let said = answer(address, b"GET /mcp HTTP/1.1\r\n\r\n".to_vec()).await;
    assert!(
        said.starts_with("HTTP/1.1 503") && said.contains("2 connections"),
        "{said}"
    );
    drop((one, two));
    while status(address, &[]).await != 200 {
        tokio::task::yield_now().await;
    }
}

/// Runs a shell as another user of the machine; none where this one may not.
#[cfg(target_os = "linux")]
fn as_nobody(script: &str) -> Option<std::process::Child> {
    use std::os::unix::process::CommandExt as _;
    let mut shell = std::process::Command::new("/bin/bash");
    shell
        .args(["-c", script])
        .uid(65_534)
        .gid(65_534)
        .current_dir("/");
    shell
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped());
    match shell.spawn() {
        Ok(child) => Some(child),
        Err(error) => {
            eprintln!(
                "skipped: only the administrator can act as another user, in a shell ({error})"
            );
            None
        }
    }
}

/// The first line that a process prints.
#[cfg(target_os = "linux")]
async fn first_line(child: &mut std::process::Child) -> String {
    use std::io::BufRead as _;
    let output = child.stdout.take().unwrap();
    let read = move || {
        std::io::BufReader::new(output)
            .lines()
            .next()
            .unwrap()
            .unwrap()
    };
    tokio::task::spawn_blocking(read).await.unwrap()
}

#[cfg(target_os = "linux")]
const BEARER: (&str, &str) = ("Authorization", "Bearer a-token-for-this-test");

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_user_without_the_token_takes_no_place_of_those_who_have_it() {
    let limits = Limits::default()
        .connections(4)
        .newcomers(3, Duration::from_secs(3600));
    let (_, address) = serve(
        Http::at(LOCAL.into())
            .token("a-token-for-this-test")
            .limits(limits),
    );
    let port = address.port();
    let opened = "for i in 1 2 3 4 5 6 7; do exec {f}<>/dev/tcp/127.0.0.1/$PORT; done; cat <&$f | head -1; read x";
    let Some(mut nobody) = as_nobody(&format!("PORT={port}; {opened}")) else {
        return;
    };
    // The last of its connections is turned away, and no other user's.
    assert!(first_line(&mut nobody).await.starts_with("HTTP/1.1 503"));
    assert_eq!(status(address, &[BEARER]).await, 200);
    nobody.kill().unwrap();
    nobody.wait().unwrap();
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_stays_with_the_token_and_ends_without() {
    let limits = Limits::default()
        .newcomers(3, Duration::from_millis(300))
        .patience(Duration::from_secs(3600));
    let (_, address) = serve(
        Http::at(LOCAL.into())
            .token("a-token-for-this-test")
            .limits(limits),
    );
    let open = format!("exec 3<>/dev/tcp/127.0.0.1/{}", address.port());
    let Some(mut nobody) = as_nobody(&format!("{open}; cat <&3; echo closed")) else {
        return;
    };
    assert_eq!(first_line(&mut nobody).await, "closed");
    nobody.wait().unwrap();
    let request = format!(
        "printf 'GET /other HTTP/1.1\\r\\nHost: localhost\\r\\n{}: {}\\r\\n\\r\\n' >&3; read -r line <&3",
        BEARER.0, BEARER.1
    );
    let twice = format!(
        "{open}; {request}; sleep 1; while read -r -t 0.1 skipped <&3; do :; done; {request}; echo $line"
    );
    let mut nobody = as_nobody(&twice).unwrap();
    let said = first_line(&mut nobody).await;
    assert!(said.starts_with("HTTP/1.1 404"), "{said}");
    nobody.wait().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_sessions_than_are_served_are_told_so() {
    let (_, address) = serve(
        Http::at(LOCAL.into())
            .without_token()
            .limits(Limits::default().sessions(2)),
    );
    assert_eq!(
        [status(address, &[]).await, status(address, &[]).await],
        [200, 200]
    );
    assert_eq!(status(address, &[]).await, 503);
    assert_eq!(status(address, &[("Host", "localhost")]).await, 503);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_clients_share_the_memories() {
    let (url, _) = serve(Http::at(LOCAL.into()).without_token());
    let mut clients = Vec::new();
    for _ in 0..3 {
        clients.push(
            ().serve(StreamableHttpClientTransport::from_uri(url.clone()))
                .await
                .unwrap(),
        );
    }
    let id = remember(&clients[0], "My cat is called Momo.").await;
    drop(clients.remove(0));
    for client in &clients {
        assert_eq!(
            ids(&call(
                client,
                "recall",
                json!({ "query": "What is my cat called?" })
            )
            .await),
            std::slice::from_ref(&id)
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_server_ends_when_it_is_told_to_even_with_a_client() {
    let listener = Http::at(LOCAL.into()).without_token().listen().unwrap();
    let url = listener.url();
    let address = url
        .trim_start_matches("http://")
        .trim_end_matches("/mcp")
        .to_owned();
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let server = Server::new(memory(), Reach::one("user:42").unwrap());
    let served = tokio::spawn(listener.serve_until(server, async { drop(ended.await) }));
    let client = ().serve(StreamableHttpClientTransport::from_uri(url)).await.unwrap();
    remember(&client, "My cat is called Momo.").await;
    let mut half = TcpStream::connect(&address).unwrap();
    half.write_all(b"POST /mcp HTTP/1.1\r\n").unwrap();
    // The connection of the half request is accepted by the time a later one is answered.
    let later = ()
        .serve(StreamableHttpClientTransport::from_uri(format!(
            "http://{address}/mcp"
        )))
        .await
        .unwrap();
    remember(&later, "My dog is called Bello.").await;
    end.send(()).unwrap();
    tokio::time::timeout(Duration::from_secs(10), served)
        .await
        .unwrap()
        .unwrap()
        .unwrap();
}
