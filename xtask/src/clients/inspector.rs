//! The command line of the inspector: one process for each request.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::fetch::Npm;
use super::server::Server;
use crate::shell::{Done, capture};

const NAMESPACE: &str = "user:42";

/// A server as the inspector reaches it.
struct Session<'a> {
    npm: &'a Npm,
    /// The file that names the server.
    config: PathBuf,
    called: BTreeSet<String>,
}

/// Runs everything over both transports.
pub fn run(npm: &Npm, annals: &Path, work: &Path) -> Done {
    let db = work.join("inspector-stdio.annals");
    let args = json!(["--db", db, "--namespace", NAMESPACE, "mcp"]);
    everything(
        npm,
        work,
        "stdio",
        &json!({ "type": "stdio", "command": annals, "args": args }),
    )?;
    let server = Server::start(annals, &work.join("inspector-http.annals"), NAMESPACE)?;
    let http =
        json!({ "type": "streamable-http", "url": server.url, "headers": Server::headers() });
    everything(npm, work, "http", &http)
}

fn everything(npm: &Npm, work: &Path, name: &str, server: &Value) -> Done {
    let config = work.join(format!("inspector-{name}.json"));
    fs::write(
        &config,
        json!({ "mcpServers": { "annals": server } }).to_string(),
    )
    .map_err(|e| format!("cannot write {}: {e}", config.display()))?;
    let mut session = Session {
        npm,
        config,
        called: BTreeSet::new(),
    };
    let done = session
        .all()
        .map_err(|reason| format!("the inspector over {name}: {reason}"))?;
    println!(
        "inspector, {name}: {} tools, {} resources, {} prompts",
        done.0, done.1, done.2
    );
    Ok(())
}

impl Session<'_> {
    fn all(&mut self) -> Result<(usize, usize, usize), String> {
        Ok((self.tools()?, self.resources()?, self.prompts()?))
    }

    /// A request; the answer as JSON.
    fn ask(&self, method: &str, args: &[String]) -> Result<Value, String> {
        let mut command = Command::new(&self.npm.node);
        command
            .arg(&self.npm.inspector)
            .args(["--cli", "--config"])
            .arg(&self.config);
        command
            .args(["--server", "annals", "--method", method])
            .args(args);
        if let Some(home) = self.config.parent() {
            command.env("HOME", home);
        }
        let said = capture(&mut command)?;
        let begin = said.find('{').unwrap_or_default();
        serde_json::from_str(said.get(begin..).unwrap_or_default())
            .map_err(|e| format!("{method}: {e}: {said}"))
    }

    fn call(&mut self, tool: &str, arguments: &[(&str, Value)]) -> Result<Value, String> {
        self.called.insert(tool.to_owned());
        let mut args = vec!["--tool-name".to_owned(), tool.to_owned()];
        for (name, value) in arguments {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            args.extend(["--tool-arg".to_owned(), format!("{name}={value}")]);
        }
        let answer = self.ask("tools/call", &args)?;
        if answer["isError"] == json!(true) || answer["content"][0]["text"].as_str().is_none() {
            return Err(format!("{tool}: {answer}"));
        }
        Ok(answer["structuredContent"].clone())
    }

    fn tools(&mut self) -> Result<usize, String> {
        let id = |answer: &Value| answer["id"].clone();
        let cat = id(&self.call(
            "remember",
            &[("text", json!("The cat of the user is called Momo."))],
        )?);
        let fish = id(&self.call("remember", &[("text", json!("Momo eats only fish."))])?);
        let hits = self.call(
            "recall",
            &[
                ("query", json!("What is the cat called?")),
                ("limit", json!(3)),
            ],
        )?;
        holds(&hits["hits"], &cat, "recall finds what was stored")?;
        let both = self.call("get", &[("ids", json!([cat, fish]))])?;
        holds(&both["memories"], &fish, "get returns both")?;
        let cat = id(&self.call(
            "update",
            &[
                ("id", cat),
                ("text", json!("The cat of the user is called Mimi.")),
            ],
        )?);
        self.call(
            "link",
            &[
                ("from", cat),
                ("relation", json!("related")),
                ("to", fish.clone()),
            ],
        )?;
        self.call("forget", &[("ids", json!([fish]))])?;
        self.call(
            "forget",
            &[("ids", json!([fish])), ("restore", json!(true))],
        )?;
        let context = self.call("context", &[("message", json!("What is the cat called?"))])?;
        if !context["text"]
            .as_str()
            .is_some_and(|text| text.contains("Mimi"))
        {
            return Err(format!("the context does not speak of the cat: {context}"));
        }
        let listed = self.ask("tools/list", &[])?;
        let listed: BTreeSet<String> = names(&listed["tools"], "name").into_iter().collect();
        if listed == self.called {
            Ok(listed.len())
        } else {
            Err(format!("called {:?} of {listed:?}", self.called))
        }
    }

    fn resources(&self) -> Result<usize, String> {
        let listed = names(&self.ask("resources/list", &[])?["resources"], "uri");
        for uri in &listed {
            let read = self.ask("resources/read", &["--uri".to_owned(), uri.clone()])?;
            if read["contents"][0]["text"]
                .as_str()
                .is_none_or(str::is_empty)
            {
                return Err(format!("{uri} is empty: {read}"));
            }
        }
        if listed.len() == 3 {
            Ok(3)
        } else {
            Err(format!("not three resources: {listed:?}"))
        }
    }

    fn prompts(&self) -> Result<usize, String> {
        let listed = self.ask("prompts/list", &[])?;
        for prompt in listed["prompts"].as_array().into_iter().flatten() {
            let name = prompt["name"].as_str().unwrap_or_default();
            let mut args = vec!["--prompt-name".to_owned(), name.to_owned()];
            for argument in names(&prompt["arguments"], "name") {
                args.extend([
                    "--prompt-args".to_owned(),
                    format!("{argument}=What is the cat called?"),
                ]);
            }
            let got = self.ask("prompts/get", &args)?;
            if got["messages"][0]["content"]["text"]
                .as_str()
                .is_none_or(str::is_empty)
            {
                return Err(format!("{name} is empty: {got}"));
            }
        }
        let count = names(&listed["prompts"], "name").len();
        if count == 3 {
            Ok(3)
        } else {
            Err(format!("not three prompts: {listed}"))
        }
    }
}

/// A field of each element of a list.
fn names(list: &Value, field: &str) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    items
        .filter_map(|item| item[field].as_str().map(str::to_owned))
        .collect()
}

/// Whether one of a list has an id.
fn holds(list: &Value, id: &Value, what: &str) -> Done {
    let found = list
        .as_array()
        .into_iter()
        .flatten()
        .any(|item| item["id"] == *id);
    if found {
        Ok(())
    } else {
        Err(format!("{what}: {list}"))
    }
}
