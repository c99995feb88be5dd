//! `annals mcp` as a process of its own, as clients start it.

use crate::witness;

use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use witness::witness;

fn annals(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_annals"));
    command
        .env_clear()
        .envs(witness())
        .env("HOME", folder)
        .env("ANNALS_SHARE", "off")
        .current_dir(folder)
        .arg("--db")
        .arg(folder.join("agent.annals"));
    command
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A client that speaks in lines.
struct Client {
    process: Child,
    input: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
    next: u64,
}

impl Client {
    fn start(command: &mut Command) -> Self {
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let (input, output) = (process.stdin.take(), process.stdout.take().unwrap());
        let mut client = Self {
            process,
            input,
            lines: BufReader::new(output).lines(),
            next: 0,
        };
        let hello = client.ask(
            "initialize",
            &json!({ "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "test", "version": "0" } }),
        );
        assert_eq!(hello["serverInfo"]["name"], "annals");
        client.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn write(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    /// The result of a request. Every line of standard output is a message of the protocol.
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let line = self.lines.next().unwrap().unwrap();
            let message: Value =
                serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
            assert_eq!(message["jsonrpc"], "2.0", "{line}");
            if message["id"] == id {
                assert!(message["error"].is_null(), "{line}");
                return message["result"].clone();
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.ask(
            "tools/call",
            &json!({ "name": tool, "arguments": arguments }),
        );
        assert_ne!(answer["isError"], true, "{answer}");
        answer["structuredContent"].clone()
    }

    /// Closes standard input and answers the exit code.
    fn end(mut self) -> Option<i32> {
        drop(self.input.take());
        let rest: Vec<String> = self.lines.by_ref().map(Result::unwrap).collect();
        assert!(rest.is_empty(), "{rest:?}");
        wait(&mut self.process)
    }
}

/// The exit code of a process that ends soon.
fn wait(process: &mut Child) -> Option<i32> {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(20) {
        if let Some(status) = process.try_wait().unwrap() {
            return status.code();
        }
        std::thread::yield_now();
    }
    process.kill().unwrap();
    panic!("the process did not end");
}

#[test]
fn a_client_remembers_and_recalls_and_the_server_ends_with_its_input() {
    let folder = TempDir::new().unwrap();
    let mut client = Client::start(annals(folder.path()).args(["--namespace", "user:42", "mcp"]));
    let id = client.call("remember", &json!({ "text": "My cat is called Momo." }))["id"].clone();
    let found = client.call("recall", &json!({ "query": "What is my cat called?" }));
    assert_eq!(found["hits"][0]["id"], id);
    assert_eq!(client.end(), Some(0));
    let listed = annals(folder.path())
        .args(["--namespace", "user:42", "list", "--json"])
        .output()
        .unwrap();
    assert!(
        String::from_utf8_lossy(&listed.stdout).contains("Momo"),
        "{}",
        err(&listed)
    );
}

/// An answer that was given holds after a kill.
#[test]
fn a_server_that_is_killed_has_stored_what_it_said_it_had() {
    let folder = TempDir::new().unwrap();
    let mut client = Client::start(annals(folder.path()).args(["--namespace", "user:42", "mcp"]));
    for n in 0..20 {
        client.call(
            "remember",
            &json!({ "text": format!("House {n} has the number {}.", n * 7) }),
        );
    }
    client.process.kill().unwrap();
    client.process.wait().unwrap();
    let memory = annals::blocking::Memory::open(folder.path().join("agent.annals")).unwrap();
    assert_eq!(memory.stats().unwrap().memories, 20);
    assert_eq!(memory.validate().unwrap().problems, Vec::<String>::new());
}

/// Other processes switch the session while the server runs: the database has an owner.
#[test]
#[cfg(unix)]
fn a_session_that_becomes_temporary_is_shown_nothing() {
    let folder = TempDir::new().unwrap();
    std::fs::create_dir_all(folder.path().join("engine/.git")).unwrap();
    let project = folder.path().join("engine");
    let shared = || {
        let mut command = annals(folder.path());
        command.env("ANNALS_SHARE", "join").current_dir(&project);
        command
    };
    let switched = |words: &[&str]| {
        let output = shared().args(words).output().unwrap();
        assert!(output.status.success(), "{}", err(&output));
    };
    let hidden = |client: &mut Client| {
        let query = json!({ "name": "recall", "arguments": { "query": "Which port?" } });
        client.ask("tools/call", &query)["isError"] == true
    };
    let mut named = Client::start(shared().args(["mcp", "--session", "s1"]));
    named.call(
        "remember",
        &json!({ "text": "The relay listens on port 4711." }),
    );
    let namespace = annals_mcp::project_namespace(&project);
    let mut latest = Client::start(shared().arg("mcp"));
    assert!(!hidden(&mut named) && !hidden(&mut latest));

    switched(&[
        "--namespace",
        &namespace,
        "session",
        "temporary",
        "s1",
        "on",
    ]);
    assert!(
        hidden(&mut named) && !hidden(&mut latest),
        "no hook has told of a session"
    );
    switched(&["hook", "enable"]);
    let event = json!({ "hook_event_name": "SessionStart", "session_id": "s1", "cwd": project, "source": "startup" });
    let mut hook = shared()
        .args(["hook", "claude-code", "SessionStart"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    hook.stdin
        .take()
        .unwrap()
        .write_all(event.to_string().as_bytes())
        .unwrap();
    assert_eq!(wait(&mut hook), Some(0));
    assert!(hidden(&mut latest));

    switched(&["hook", "temporary", "off"]);
    assert!(!hidden(&mut named) && !hidden(&mut latest));
    assert_eq!((latest.end(), named.end()), (Some(0), Some(0)));
}

#[test]
fn the_project_of_the_working_folder_and_the_user_are_served() {
    let folder = TempDir::new().unwrap();
    let inside = folder.path().join("engine/src");
    std::fs::create_dir_all(&inside).unwrap();
    std::fs::create_dir_all(folder.path().join("engine/.git")).unwrap();
    let project = annals_mcp::project_namespace(&inside);
    let mut client = Client::start(annals(folder.path()).current_dir(&inside).arg("mcp"));
    assert_eq!(
        client.call(
            "remember",
            &json!({ "text": "The engine is written in Rust." })
        )["scope"],
        "project"
    );
    client.call(
        "remember",
        &json!({ "text": "I like short answers.", "scope": "user" }),
    );
    assert_eq!(client.end(), Some(0));
    // The same project, named from elsewhere.
    let elsewhere = ["mcp", "--project", "engine"];
    let mut client = Client::start(annals(folder.path()).args(elsewhere));
    let found = client.call(
        "recall",
        &json!({ "query": "What is the engine written in?" }),
    );
    assert_eq!(found["hits"][0]["scope"], "project");
    assert_eq!(client.end(), Some(0));
    let memory = annals::blocking::Memory::open(folder.path().join("agent.annals")).unwrap();
    let mut names: Vec<String> = memory
        .namespaces()
        .unwrap()
        .into_iter()
        .map(|space| space.name)
        .collect();
    names.sort();
    assert_eq!(names, [project, "user".to_owned()]);
}

#[test]
fn outside_of_repositories_it_is_the_user_and_a_named_namespace_counts_more() {
    let folder = TempDir::new().unwrap();
    let mut client = Client::start(annals(folder.path()).arg("mcp"));
    let done = client.call("remember", &json!({ "text": "I like short answers." }));
    assert!(done.get("scope").is_none(), "{done}");
    assert_eq!(client.end(), Some(0));
    let mut client = Client::start(
        annals(folder.path())
            .env("ANNALS_NAMESPACE", "named")
            .arg("mcp"),
    );
    client.call("remember", &json!({ "text": "I like long answers." }));
    assert_eq!(client.end(), Some(0));
    let memory = annals::blocking::Memory::open(folder.path().join("agent.annals")).unwrap();
    let mut names: Vec<String> = memory
        .namespaces()
        .unwrap()
        .into_iter()
        .map(|space| space.name)
        .collect();
    names.sort();
    assert_eq!(names, ["named", "user"]);
}

#[test]
fn what_cannot_be_served_says_why_and_writes_nothing_to_the_output() {
    let folder = TempDir::new().unwrap();
    for (args, code, says) in [
        (&["mcp", "--http", "nowhere"][..], 2, "ADDRESS:PORT"),
        (&["mcp", "--http", "0.0.0.0:0", "--no-token"], 1, "token"),
        (&["mcp", "--allow-host", "x"], 2, "--http"),
        (&["mcp", "--project", "missing"], 3, "missing"),
        (&["-n", "a", "mcp", "--project", "."], 2, "--project"),
        (&["-n", "a", "-n", "b", "mcp"], 2, "--namespace"),
        (&["-n", " a ", "mcp"], 4, "namespace"),
    ] {
        let output = annals(folder.path())
            .args(args)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(
            output.status.code(),
            Some(code),
            "{args:?}: {}",
            err(&output)
        );
        assert!(
            output.stdout.is_empty() && err(&output).contains(says),
            "{args:?}: {}",
            err(&output)
        );
    }
    assert!(
        !folder.path().join("agent.annals").exists(),
        "nothing was made"
    );
}

/// A client shows nothing of a server that does not start.
#[test]
fn a_server_without_its_database_starts_and_says_in_every_answer_what_to_do() {
    let folder = TempDir::new().unwrap();
    let answer = |more: &[&str]| {
        let mut client = Client::start(annals(folder.path()).arg("mcp").args(more));
        let answer = client.ask(
            "tools/call",
            &json!({ "name": "recall", "arguments": { "query": "Which port?" } }),
        );
        client.end();
        assert_eq!(answer["isError"], true, "{answer}");
        answer["content"][0]["text"].as_str().unwrap().to_owned()
    };
    std::fs::write(folder.path().join("bad.toml"), "nonsense = 1").unwrap();
    let config = folder.path().join("bad.toml").display().to_string();
    assert!(answer(&["--config", &config]).contains("nonsense"));
    std::fs::write(folder.path().join("agent.annals"), b"no database").unwrap();
    let told = answer(&[]);
    assert!(
        told.contains("agent.annals") && told.contains("started again"),
        "{told}"
    );
}

#[test]
fn a_database_in_use_elsewhere_is_told() {
    let folder = TempDir::new().unwrap();
    let memory = annals::blocking::Memory::open(folder.path().join("agent.annals")).unwrap();
    let mut client = Client::start(annals(folder.path()).args(["--wait", "0.01", "mcp"]));
    let answer = client
        .ask(
            "tools/call",
            &json!({ "name": "recall", "arguments": { "query": "Which port?" } }),
        )
        .to_string();
    assert!(answer.contains(&std::process::id().to_string()), "{answer}");
    client.end();
    drop(memory);
}

/// The end of the pipe stays open, because this test holds it.
#[test]
#[cfg(unix)]
fn a_server_whose_parent_died_ends() {
    let folder = TempDir::new().unwrap();
    let own = annals(folder.path());
    let mut parent = Command::new("/bin/sh");
    parent
        .args(["-c", "exec 3<&0; \"$@\" <&3 & wait", "sh"])
        .arg(own.get_program())
        .args(own.get_args())
        .arg("mcp");
    parent
        .env_clear()
        .env("ANNALS_SHARE", "off")
        .env("HOME", folder.path())
        .current_dir(folder.path());
    let mut client = Client::start(&mut parent);
    client.call("remember", &json!({ "text": "My cat is called Momo." }));
    client.process.kill().unwrap();
    client.process.wait().unwrap();
    // Standard output closes when the server has ended.
    let (done, ended) = std::sync::mpsc::channel();
    let lines = client.lines;
    std::thread::spawn(move || done.send(lines.count()));
    assert_eq!(ended.recv_timeout(Duration::from_secs(20)), Ok(0));
    drop(client.input);
}

#[test]
#[cfg(unix)]
fn a_server_over_http_is_reached_and_ends_when_it_is_told_to() {
    use std::io::Read;
    let folder = TempDir::new().unwrap();
    let mut command = annals(folder.path());
    let mut server = command
        .args(["mcp", "--http", "0"])
        .stderr(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut errors = BufReader::new(server.stderr.take().unwrap());
    let (mut line, mut told) = (String::new(), String::new());
    errors.read_line(&mut line).unwrap();
    errors.read_line(&mut told).unwrap();
    assert!(
        told.contains("agent.annals.token") && told.contains("annals mcp token --db"),
        "{told}"
    );
    let address = line
        .trim()
        .strip_prefix("serving http://")
        .unwrap()
        .strip_suffix("/mcp")
        .unwrap();
    let answer = |header: &str| {
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        write!(
            stream,
            "GET /other HTTP/1.1\r\nHost: {address}\r\n{header}Connection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    // Another user of this machine has no token.
    assert!(answer("").starts_with("HTTP/1.1 401"), "{}", answer(""));
    let token = annals(folder.path())
        .args(["mcp", "token"])
        .output()
        .unwrap();
    let token = String::from_utf8(token.stdout).unwrap();
    let header = format!("Authorization: Bearer {}\r\n", token.trim());
    assert!(
        answer(&header).starts_with("HTTP/1.1 404"),
        "{}",
        answer(&header)
    );
    let rights = std::os::unix::fs::PermissionsExt::mode(
        &std::fs::metadata(folder.path().join("agent.annals.token"))
            .unwrap()
            .permissions(),
    );
    assert_eq!(rights & 0o777, 0o600);
    let id = server.id().to_string();
    assert!(
        Command::new("/bin/kill")
            .args(["-TERM", &id])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(wait(&mut server), Some(0));
    let mut said = String::new();
    server
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    assert_eq!(said, "");
}

#[test]
#[cfg(unix)]
fn a_server_that_is_told_to_end_waits_for_no_model() {
    let folder = TempDir::new().unwrap();
    let model = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let ran = |args: &[&str]| assert!(annals(folder.path()).args(args).status().unwrap().success());
    ran(&["namespace", "create", "me", "--profile", "companion"]);
    for text in ["The flat has a green door.", "The cellar is damp."] {
        ran(&[
            "-n",
            "me",
            "remember",
            text,
            "--kind",
            "fact",
            "--importance",
            "0.15",
        ]);
    }
    let mut command = annals(folder.path());
    command.env(
        "ANNALS_LLM",
        format!("http://{}/v1#m", model.local_addr().unwrap()),
    );
    let mut client = Client::start(command.args(["-n", "me", "mcp"]));
    // The review of the memories asks the model, which takes the question and never answers.
    let _question = model.accept().unwrap();
    let id = client.process.id().to_string();
    assert!(
        Command::new("/bin/kill")
            .args(["-TERM", &id])
            .status()
            .unwrap()
            .success()
    );
    wait(&mut client.process);
}

/// Ports on which a process listens, as the kernel has them: address and port in hexadecimal
/// digits.
#[cfg(target_os = "linux")]
fn listening(process: u32) -> Vec<String> {
    let sockets = std::fs::read_dir(format!("/proc/{process}/fd"))
        .unwrap()
        .flatten();
    let sockets = sockets.filter_map(|file| std::fs::read_link(file.path()).ok());
    let sockets: Vec<String> = sockets
        .filter_map(|link| {
            Some(
                link.to_str()?
                    .strip_prefix("socket:[")?
                    .strip_suffix(']')?
                    .to_owned(),
            )
        })
        .collect();
    let tables =
        ["tcp", "tcp6"].map(|name| std::fs::read_to_string(format!("/proc/{process}/net/{name}")));
    let tables = tables.map(Result::unwrap_or_default).concat();
    let rows = tables
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    // A state of 0A is one that listens.
    let rows =
        rows.filter(|row| row.len() > 9 && row[3] == "0A" && sockets.contains(&row[9].to_owned()));
    rows.map(|row| row[1].to_owned()).collect()
}

#[test]
#[cfg(target_os = "linux")]
fn a_server_over_http_listens_at_its_port_of_this_machine_alone() {
    use std::io::Read as _;
    // spec: C-119
    let folder = TempDir::new().unwrap();
    let made = annals(folder.path())
        .args(["namespace", "create", "user", "--profile", "companion"])
        .output();
    assert!(made.unwrap().status.success());
    let mut server = annals(folder.path())
        .args(["mcp", "--http"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    // Kept open: a server that has more to say must not end for it.
    let mut said = BufReader::new(server.stderr.take().unwrap());
    said.read_line(&mut line).unwrap();
    assert_eq!(line, "serving http://127.0.0.1:19876/mcp\n");
    assert_eq!(listening(server.id()), [format!("0100007F:{:04X}", 19876)]);
    // Once it answers, it hears what it is told.
    let mut stream = std::net::TcpStream::connect("127.0.0.1:19876").unwrap();
    write!(
        stream,
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:19876\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
    assert!(
        Command::new("/bin/kill")
            .args(["-TERM", &server.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(wait(&mut server), Some(0));
    drop(said);
}
