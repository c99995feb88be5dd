//! What somebody tries who is not meant to get in, and what a client does that means no harm and is
//! broken.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use annals_server::Limits;
use serde_json::{Value, json};

use crate::client::{Reply, Served};

const PATH: &str = "/v1/namespaces/mine/memories";

/// A request as its bytes: the head lines after the first, and the body.
struct Attack {
    name: &'static str,
    line: String,
    headers: Vec<String>,
    body: Vec<u8>,
    /// The statuses that are right.
    status: &'static [u16],
}

fn attack(
    name: &'static str,
    line: &str,
    headers: &[&str],
    body: &[u8],
    status: &'static [u16],
) -> Attack {
    let headers = headers.iter().map(|header| (*header).to_owned()).collect();
    Attack {
        name,
        line: line.to_owned(),
        headers,
        body: body.to_vec(),
        status,
    }
}

fn send(served: &Served, attack: &Attack) -> Reply {
    let mut bytes = format!("{} HTTP/1.1\r\n", attack.line).into_bytes();
    for header in &attack.headers {
        let header = header.replace("HOST", &served.address.to_string());
        let header = header.replace("TOKEN", &served.mine);
        bytes.extend_from_slice(format!("{header}\r\n").as_bytes());
    }
    if !attack.body.is_empty()
        && !attack
            .headers
            .iter()
            .any(|one| one.starts_with("Transfer-Encoding"))
    {
        bytes.extend_from_slice(format!("Content-Length: {}\r\n", attack.body.len()).as_bytes());
    }
    bytes.extend_from_slice(b"Connection: close\r\n\r\n");
    bytes.extend_from_slice(&attack.body);
    served.send(&bytes)
}

const JSON: &str = "Content-Type: application/json";
const HOST: &str = "Host: HOST";
const TOKEN: &str = "Authorization: Bearer TOKEN";

fn names_and_origins() -> Vec<Attack> {
    let get = format!("GET {PATH}");
    let post = format!("POST {PATH}");
    let body = br#"{"text":"x"}"#;
    vec![
        attack(
            "rebinding",
            &get,
            &["Host: evil.example", TOKEN],
            b"",
            &[403],
        ),
        attack(
            "rebinding with the port",
            &get,
            &["Host: evil.example:19876", TOKEN],
            b"",
            &[403],
        ),
        attack(
            "a name that begins as ours",
            &get,
            &["Host: 127.0.0.1.evil.example", TOKEN],
            b"",
            &[403],
        ),
        attack(
            "a name that ends as ours",
            &get,
            &["Host: evil-localhost", TOKEN],
            b"",
            &[403],
        ),
        attack("no host", &get, &[TOKEN], b"", &[400]),
        attack(
            "two hosts",
            &get,
            &[HOST, "Host: evil.example", TOKEN],
            b"",
            &[400, 403],
        ),
        attack(
            "a host in the request line",
            &format!("GET http://evil.example{PATH}"),
            &[HOST, TOKEN],
            b"",
            &[403],
        ),
        attack(
            "a page elsewhere",
            &post,
            &[HOST, TOKEN, JSON, "Origin: https://evil.example"],
            body,
            &[403],
        ),
        attack(
            "a page of nowhere",
            &post,
            &[HOST, TOKEN, JSON, "Origin: null"],
            body,
            &[403],
        ),
        attack(
            "a page of another port",
            &post,
            &[HOST, TOKEN, JSON, "Origin: http://127.0.0.1:9"],
            body,
            &[403],
        ),
        attack(
            "two origins",
            &post,
            &[HOST, TOKEN, JSON, "Origin: http://HOST", "Origin: x"],
            body,
            &[400],
        ),
        attack(
            "a preflight that was not asked for",
            &format!("OPTIONS {PATH}"),
            &[
                HOST,
                "Origin: https://evil.example",
                "Access-Control-Request-Method: POST",
            ],
            b"",
            &[403],
        ),
    ]
}

fn secrets() -> Vec<Attack> {
    let get = format!("GET {PATH}");
    vec![
        attack("no token", &get, &[HOST], b"", &[401]),
        attack(
            "an empty token",
            &get,
            &[HOST, "Authorization: Bearer "],
            b"",
            &[401],
        ),
        attack(
            "another scheme",
            &get,
            &[HOST, "Authorization: Basic TOKEN"],
            b"",
            &[401],
        ),
        attack(
            "two tokens",
            &get,
            &[HOST, TOKEN, "Authorization: Bearer x"],
            b"",
            &[400],
        ),
        attack(
            "the token in the path",
            &format!("{get}?token=TOKEN"),
            &[HOST],
            b"",
            &[401],
        ),
        attack(
            "a guessed session",
            &get,
            &[HOST, "Cookie: annals-0=00"],
            b"",
            &[401],
        ),
        attack(
            "a token as a cookie",
            &get,
            &[HOST, "Cookie: annals-19876=TOKEN"],
            b"",
            &[401],
        ),
        attack(
            "a guessed link",
            "GET /login?code=0000",
            &[HOST],
            b"",
            &[401],
        ),
        attack("a link without a code", "GET /login", &[HOST], b"", &[400]),
        attack(
            "the hash of a token",
            &get,
            &[
                HOST,
                "Authorization: Bearer e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            ],
            b"",
            &[401],
        ),
        attack(
            "another namespace",
            "GET /v1/namespaces/theirs/memories",
            &[HOST, TOKEN],
            b"",
            &[403],
        ),
        attack(
            "traversal",
            "GET /v1/namespaces/mine/../theirs/memories",
            &[HOST, TOKEN],
            b"",
            &[403, 404],
        ),
        attack(
            "encoded traversal",
            "GET /v1/namespaces/mine%2f..%2ftheirs/memories",
            &[HOST, TOKEN],
            b"",
            &[403],
        ),
        attack(
            "a file",
            "GET /../../etc/passwd",
            &[HOST, TOKEN],
            b"",
            &[404],
        ),
        attack(
            "an overridden method",
            &get,
            &[HOST, TOKEN, "X-HTTP-Method-Override: DELETE"],
            b"",
            &[200],
        ),
        attack(
            "an overridden host",
            &get,
            &["Host: evil.example", "X-Forwarded-Host: localhost", TOKEN],
            b"",
            &[403],
        ),
        attack(
            "more rights",
            "DELETE /v1/namespaces/mine",
            &[HOST, TOKEN],
            b"",
            &[403],
        ),
    ]
}

fn bodies() -> Vec<Attack> {
    let post = format!("POST {PATH}");
    let deep = format!(
        "{{\"text\":\"x\",\"metadata\":{{\"a\":{}{}}}}}",
        "[".repeat(5000),
        "]".repeat(5000)
    );
    let nested = format!(
        "{{\"text\":\"x\",\"metadata\":{{\"a\":{}{}}}}}",
        "[".repeat(40),
        "]".repeat(40)
    );
    let many: String = (0..300).map(|n| format!("\"k{n}\":1,")).collect();
    let many = format!("{{\"text\":\"x\",\"metadata\":{{{many}\"z\":1}}}}");
    vec![
        attack(
            "a form",
            &post,
            &[
                HOST,
                TOKEN,
                "Content-Type: application/x-www-form-urlencoded",
            ],
            b"text=x",
            &[415],
        ),
        attack(
            "plain text",
            &post,
            &[HOST, TOKEN, "Content-Type: text/plain"],
            br#"{"text":"x"}"#,
            &[415],
        ),
        attack("no type", &post, &[HOST, TOKEN], br#"{"text":"x"}"#, &[415]),
        attack(
            "a compressed body",
            &post,
            &[HOST, TOKEN, JSON, "Content-Encoding: gzip"],
            b"\x1f\x8b",
            &[415],
        ),
        attack(
            "deep JSON",
            &post,
            &[HOST, TOKEN, JSON],
            deep.as_bytes(),
            &[400],
        ),
        attack(
            "nested metadata",
            &post,
            &[HOST, TOKEN, JSON],
            nested.as_bytes(),
            &[400],
        ),
        attack(
            "many fields",
            &post,
            &[HOST, TOKEN, JSON],
            many.as_bytes(),
            &[400],
        ),
        attack(
            "two bodies",
            &post,
            &[HOST, TOKEN, JSON],
            br#"{"text":"x"}{"text":"y"}"#,
            &[400],
        ),
        attack(
            "a field twice",
            &post,
            &[HOST, TOKEN, JSON],
            br#"{"text":"x","text":"y"}"#,
            &[400],
        ),
        attack(
            "half a surrogate",
            &post,
            &[HOST, TOKEN, JSON],
            br#"{"text":"\ud800"}"#,
            &[400],
        ),
        attack(
            "no UTF-8",
            &post,
            &[HOST, TOKEN, JSON],
            b"{\"text\":\"\xff\"}",
            &[400],
        ),
        attack(
            "no number",
            &post,
            &[HOST, TOKEN, JSON],
            br#"{"text":"x","importance":1e999}"#,
            &[400],
        ),
        attack(
            "a smuggled field",
            &post,
            &[HOST, TOKEN, JSON],
            br#"{"text":"x","namespace":"theirs"}"#,
            &[400],
        ),
        attack(
            "a smuggled request",
            &post,
            &[
                HOST,
                TOKEN,
                JSON,
                "Transfer-Encoding: chunked",
                "Content-Length: 4",
            ],
            b"0\r\n\r\nGET / HTTP/1.1\r\n\r\n",
            &[400],
        ),
        attack(
            "a header that goes on",
            &format!("GET {PATH}"),
            &[HOST, TOKEN, "X: a\r\n b"],
            b"",
            &[400],
        ),
        attack(
            "a line break in a name",
            "GET /v1/namespaces/a%0d%0aX:%201/memories",
            &[HOST, TOKEN],
            b"",
            &[400, 403],
        ),
        attack(
            "an endless key",
            &format!("GET {PATH}?{}", "a".repeat(40_000)),
            &[HOST, TOKEN],
            b"",
            &[400, 414, 431],
        ),
    ]
}

#[test]
fn none_of_the_attacks_gets_in_or_takes_the_server_down() {
    let served = Served::start();
    served.add("theirs", "Eve keeps an accordion");
    served.add("mine", "Ada likes tea");
    let before = served.call("GET", "/v1/namespaces", None).json();
    let all: Vec<Attack> = [names_and_origins(), secrets(), bodies()]
        .into_iter()
        .flatten()
        .collect();
    assert!(all.len() >= 40, "{}", all.len());
    for attack in &all {
        let reply = send(&served, attack);
        assert!(
            attack.status.contains(&reply.status),
            "{}: {} {}",
            attack.name,
            reply.head,
            reply.body
        );
        assert!(
            !reply.body.contains("accordion"),
            "{}: {}",
            attack.name,
            reply.body
        );
        assert!(
            !reply.head.to_lowercase().contains("access-control-allow"),
            "{}: {}",
            attack.name,
            reply.head
        );
        if reply.status != 200 && !reply.body.is_empty() {
            reply.problem();
        }
    }
    assert_eq!(
        served.call("GET", "/v1/namespaces", None).json(),
        before,
        "nothing was changed"
    );
}

#[test]
fn script_in_every_field_comes_back_as_data() {
    let served = Served::start();
    let script = "<script>alert(1)</script>";
    let new = json!({
        "text": script, "kind": "fact", "source": script, "tags": [script], "metadata": { script: [script] }
    });
    let added = served.call("POST", PATH, Some(&new));
    assert_eq!(added.status, 201, "{}", added.body);
    for reply in [
        &added,
        &served.call("GET", PATH, None),
        &served.call("GET", &format!("/v1/{script}"), None),
    ] {
        let kind = reply.header("content-type").unwrap_or("");
        assert!(
            kind.starts_with("application/") && kind.contains("json") || reply.body.is_empty(),
            "{}",
            reply.head
        );
        if reply.status < 400 {
            assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
            assert!(
                reply
                    .header("content-security-policy")
                    .unwrap()
                    .contains("default-src 'none'")
            );
        }
    }
    assert_eq!(added.json()["memory"]["text"], json!(script));
}

#[test]
fn a_body_that_is_too_long_or_too_slow_is_refused_as_such() {
    let mut limits = Limits::default();
    (limits.body_bytes, limits.body, limits.head) =
        (1000, Duration::from_millis(300), Duration::from_millis(300));
    let served = Served::limited(limits);
    let long = served.call("POST", PATH, Some(&json!({ "text": "x".repeat(2000) })));
    assert_eq!((long.status, long.problem()), (413, "too-large".into()));
    let token = &served.token;
    let head = format!(
        "POST {PATH} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
         Content-Length: 20\r\n\r\n{{",
        served.address
    );
    let slow = served.send(head.as_bytes());
    assert_eq!((slow.status, slow.problem()), (408, "too-slow".into()));
    // A head that never ends closes the connection.
    let mut stream = TcpStream::connect(served.address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    stream
        .write_all(b"GET /healthz HTTP/1.1\r\nHost: ")
        .unwrap();
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap();
    assert_eq!(served.call_with(&[], "GET", "/healthz", None).status, 200);
}

#[test]
fn a_connection_too_many_is_told_so() {
    let mut limits = Limits::default();
    limits.connections = 1;
    let served = Served::limited(limits);
    let mut held = TcpStream::connect(served.address).unwrap();
    let head = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", served.address);
    held.write_all(head.as_bytes()).unwrap();
    let mut first = [0; 12];
    held.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    let crowded = served.call_with(&[], "GET", "/healthz", None);
    let problem: Value = crowded.json();
    assert_eq!(
        (crowded.status, &problem["code"]),
        (503, &json!("connections"))
    );
    assert!(crowded.header("retry-after").is_some());
}

#[test]
fn a_call_too_many_waits_and_then_is_told_so() {
    let mut limits = Limits::default();
    (limits.calls, limits.queue) = (0, Duration::from_millis(50));
    let served = Served::limited(limits);
    let reply = served.call("GET", PATH, None);
    assert_eq!((reply.status, reply.problem()), (503, "busy".into()));
    assert!(reply.header("retry-after").is_some());
}

#[test]
fn a_client_that_reads_nothing_loses_its_connection() {
    let mut limits = Limits::default();
    (limits.connections, limits.answer) = (1, Duration::from_millis(300));
    let served = Served::limited(limits);
    let space = served.memory.namespace("mine").unwrap();
    for n in 0..40 {
        space
            .remember(format!("note {n} {}", "tea and more of it ".repeat(20_000)))
            .unwrap();
    }
    let mut deaf = TcpStream::connect(served.address).unwrap();
    let head = format!(
        "GET {PATH} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
        served.address, served.token
    );
    deaf.write_all(head.as_bytes()).unwrap();
    // Its place is given to another client in the end.
    while served.call_with(&[], "GET", "/healthz", None).status != 200 {
        std::thread::yield_now();
    }
    drop(deaf);
}
