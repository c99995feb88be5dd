//! `annals serve` and `annals token` as a user runs them.

#![cfg(any(target_os = "linux", windows))]

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::witness::witness;

fn annals(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_annals"));
    command
        .env_clear()
        .envs(witness())
        .env("HOME", folder)
        .env("ANNALS_SHARE", "join");
    command
        .arg("--db")
        .arg(folder.join("agent.annals"))
        .current_dir(folder);
    #[cfg(windows)]
    {
        let system = ["SystemRoot", "TEMP", "TMP", "COMPUTERNAME"]
            .map(|name| (name, std::env::var_os(name)));
        command.envs(
            system
                .into_iter()
                .filter_map(|(name, value)| Some((name, value?))),
        );
        command
            .env("USERPROFILE", folder)
            .env("APPDATA", folder)
            .env("LOCALAPPDATA", folder);
    }
    command
}

fn ok(folder: &Path, args: &[&str]) -> String {
    let output = annals(folder).args(args).output().unwrap();
    assert!(
        output.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// A server, and the address of it.
struct Server {
    child: Child,
    address: String,
    said: Value,
}

impl Server {
    fn start(folder: &Path, args: &[&str]) -> Self {
        let mut command = annals(folder);
        command
            .args(["serve", "--json", "--listen", "127.0.0.1:0"])
            .args(args)
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
        let mut text = String::new();
        while !text.ends_with("}\n") {
            text.push_str(&lines.next().unwrap().unwrap());
            text.push('\n');
        }
        let said: Value = serde_json::from_str(&text).unwrap();
        let address = said["url"]
            .as_str()
            .unwrap()
            .strip_prefix("http://")
            .unwrap()
            .to_owned();
        Self {
            child,
            address,
            said,
        }
    }

    fn call(&self, token: &str, method: &str, path: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}

const MEMORIES: &str = "/v1/namespaces/user/memories";

#[test]
fn what_is_stored_over_http_is_there_for_commands_and_after_the_end() {
    let folder = TempDir::new().unwrap();
    let mut server = Server::start(folder.path(), &[]);
    let token = ok(folder.path(), &["token", "create", "bot", "-q"])
        .trim()
        .to_owned();
    let added = server.call(
        &token,
        "POST",
        MEMORIES,
        r#"{"text": "Ada was born on May 3rd"}"#,
    );
    assert!(added.starts_with("HTTP/1.1 201"), "{added}");
    assert!(ok(folder.path(), &["recall", "When was Ada born?"]).contains("May 3rd"));
    ok(folder.path(), &["remember", "Ben likes coffee"]);
    let found = server.call(
        &token,
        "POST",
        &format!("{MEMORIES}/search"),
        r#"{"query": "What does Ben like?"}"#,
    );
    assert!(found.contains("coffee"), "{found}");

    let listed: Value =
        serde_json::from_str(&ok(folder.path(), &["token", "list", "--json"])).unwrap();
    let id = listed["tokens"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(
        listed["tokens"][0]["rights"],
        serde_json::json!(["read", "write"])
    );
    ok(folder.path(), &["token", "revoke", &id]);
    assert!(
        server
            .call(&token, "GET", MEMORIES, "")
            .starts_with("HTTP/1.1 401")
    );
    for text in [
        ok(folder.path(), &["export"]),
        std::fs::read_to_string(folder.path().join("agent.annals.tokens")).unwrap(),
    ] {
        assert!(
            !text.contains(token.strip_prefix("annals_").unwrap()),
            "{text}"
        );
    }

    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let rights = |name: &str| {
            std::fs::metadata(folder.path().join(name))
                .unwrap()
                .permissions()
                .mode()
                & 0o777
        };
        assert_eq!(rights("agent.annals.tokens"), 0o600);
        let pid = server.child.id().to_string();
        assert!(
            Command::new("/bin/kill")
                .args(["-TERM", &pid])
                .status()
                .unwrap()
                .success()
        );
        assert!(server.child.wait().unwrap().success());
        assert_eq!(
            ok(folder.path(), &["list", "--json"])
                .matches("\"text\"")
                .count(),
            2
        );
    }
    drop(server);
}

#[test]
fn the_link_and_the_address_are_printed_and_a_new_link_can_be_had() {
    let folder = TempDir::new().unwrap();
    let server = Server::start(folder.path(), &[]);
    let link = server.said["link"].as_str().unwrap();
    let path = link.split_once(&server.address).unwrap().1;
    assert!(server.call("", "GET", path, "").starts_with("HTTP/1.1 303"));
    assert!(server.call("", "GET", path, "").starts_with("HTTP/1.1 401"));
    let link = ok(
        folder.path(),
        &["token", "link", "--listen", &server.address],
    );
    let path = link.trim().split_once(&server.address).unwrap().1;
    assert!(server.call("", "GET", path, "").starts_with("HTTP/1.1 303"));
}

#[test]
fn the_demo_serves_the_sample_and_keeps_nothing() {
    let folder = TempDir::new().unwrap();
    let server = Server::start(folder.path(), &["--demo"]);
    let (token, namespace) = (
        server.said["token"].as_str().unwrap(),
        server.said["namespace"].as_str().unwrap(),
    );
    let path = format!(
        "/v1/namespaces/{}/memories?limit=1",
        namespace.replace(':', "%3A")
    );
    let listed = server.call(token, "GET", &path, "");
    assert!(
        listed.starts_with("HTTP/1.1 200") && !listed.contains("\"total\":0"),
        "{listed}"
    );
    assert!(
        !folder.path().join("agent.annals").exists()
            && !folder.path().join("agent.annals.tokens").exists()
    );
}

#[test]
fn a_port_that_is_taken_is_named() {
    let folder = TempDir::new().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = annals(folder.path())
        .args(["serve", "--listen", &address])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        !output.status.success() && said.contains(&address),
        "{said}"
    );
}

/// The page of the companion is at a fixed port, which another program of this machine may have.
#[cfg(target_os = "linux")]
#[test]
fn the_other_loopback_address_of_the_companion_page_is_kept_as_well() {
    use std::net::TcpListener;
    const PAGE: [&str; 2] = ["127.0.0.1:7861", "[::1]:7861"];
    if PAGE
        .iter()
        .any(|address| TcpListener::bind(address).is_err())
    {
        eprintln!("skipped: port 7861 is taken, or there is no IPv6");
        return;
    }
    let folder = TempDir::new().unwrap();
    ok(
        folder.path(),
        &["namespace", "create", "me", "--profile", "companion"],
    );
    let server = Server::start(folder.path(), &[]);
    // Once it answers, it keeps what it keeps.
    assert!(
        server
            .call("", "GET", "/healthz", "")
            .starts_with("HTTP/1.1 200")
    );
    assert!(TcpStream::connect(PAGE[0]).is_ok());
    assert!(TcpListener::bind(PAGE[1]).is_err() && TcpStream::connect(PAGE[1]).is_err());
}

/// The commands of a document in the blocks that call the server, without those that start it.
#[cfg(unix)]
fn commands(document: &str) -> Vec<String> {
    let blocks = document
        .split("```text\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next());
    let calling: Vec<&str> = blocks.filter(|block| block.contains("$ curl ")).collect();
    let whole = calling.concat().replace("\\\n", "");
    let commands = whole.lines().filter_map(|line| line.strip_prefix("$ "));
    commands
        .filter(|line| !line.starts_with("annals serve"))
        .map(str::to_owned)
        .collect()
}

/// Runs the commands of a document in a shell, and answers what each call of curl printed.
#[cfg(unix)]
fn calls(document: &str) -> Vec<Value> {
    let has_curl = Command::new("curl")
        .arg("--version")
        .output()
        .is_ok_and(|said| said.status.success());
    assert!(
        has_curl,
        "curl is missing, and the documents call it: install it (apt-get install curl)"
    );
    let folder = TempDir::new().unwrap();
    let server = Server::start(folder.path(), &[]);
    let commands = commands(document)
        .join("\necho\n")
        .replace("localhost:19876", &server.address);
    let programs = Path::new(env!("CARGO_BIN_EXE_annals")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell
        .args(["-euc", &commands])
        .env_clear()
        .envs(witness())
        .env("HOME", folder.path())
        .env("PATH", path);
    let output = shell
        .env("ANNALS_DB", folder.path().join("agent.annals"))
        .output()
        .unwrap();
    let (said, errors) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{commands}: {said} {errors}");
    let answers = said.lines().filter(|line| !line.is_empty());
    answers
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

#[cfg(unix)]
#[test]
fn the_calls_of_curl_in_the_documents_do_what_they_say() {
    for document in [
        include_str!("../../../../README.md"),
        include_str!("../../../../docs/http.md"),
    ] {
        let answers = calls(document);
        let [added, found, listed] = answers.as_slice() else {
            panic!("not three calls: {answers:?}")
        };
        assert_eq!(added["admission"], "new", "{added}");
        assert_eq!(
            found["hits"][0]["memory"]["id"], added["memory"]["id"],
            "{found}"
        );
        assert_eq!(found["answered"]["likely"], true, "{found}");
        assert_eq!(
            (&listed["total"], &listed["memories"][0]),
            (&Value::from(1), &added["memory"]),
            "{listed}"
        );
    }
}
