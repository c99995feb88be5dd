use std::net::SocketAddr;
use std::path::PathBuf;

use annals_mcp::{DEFAULT_ADDRESS, Http, Reach, Server, USER_NAMESPACE, git_root, serve_stdio};
use serde_json::json;

use crate::address::address;
use crate::app::{Access, App};
use crate::clones::Clones;
use crate::ending;
use crate::failure::{Exit, Failure};
use crate::mcp_server;
use crate::paint::Paint;
use crate::port::Twin;
use crate::settings::Scope;
use crate::texts::{self, text};
use crate::token;
use crate::world::World;

/// The variable with the token that clients over HTTP must bring.
const TOKEN: &str = "ANNALS_MCP_TOKEN";

/// Arguments of `annals mcp`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "\
Examples:
  annals mcp
  annals mcp --namespace user:42
  annals mcp --http
  annals mcp token
  ANNALS_MCP_TOKEN=... annals mcp --http 0.0.0.0:19876 --allow-host memory.example.org

A client starts `annals mcp` and speaks with it over standard input and output. Without
--namespace, $ANNALS_NAMESPACE or `namespace` in the config file the memories are those of
the project, whose git root is looked for from the working folder upwards, and those of the
namespace `user`; both are recalled together. Outside of repositories it is `user` alone.
Where the profile of the namespace has tools of its own, these are offered.

Over HTTP clients bring a token: Authorization: Bearer TOKEN. It is $ANNALS_MCP_TOKEN, or the one
beside the database (agent.annals.token, for its user alone), which `annals mcp token` prints.",
    args_conflicts_with_subcommands = true
)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Serve over HTTP instead: PORT or ADDRESS:PORT [default: 127.0.0.1:19876]
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, value_parser = address)]
    http: Option<Option<SocketAddr>>,
    /// Answer to this host name as well; may be given several times
    #[arg(long, value_name = "NAME", requires = "http")]
    allow_host: Vec<String>,
    /// Ask clients of this machine for no token: every user of it can read and write the memories
    #[arg(long, requires = "http")]
    no_token: bool,
    /// The folder of the project, instead of the working folder
    #[arg(long, value_name = "FOLDER")]
    project: Option<PathBuf>,
    /// The session of the client: nothing is recalled or stored while it is temporary [default: the
    /// one in which a hook acted last]
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

#[derive(Debug, Clone, Copy, clap::Subcommand)]
enum What {
    /// Prints the token that clients over HTTP bring; makes it where there is none
    Token,
}

impl Args {
    /// Whether the client is at standard input and output.
    pub(crate) const fn is_piped(&self) -> bool {
        self.what.is_none() && self.http.is_none()
    }
}

/// Serves until the client goes, or the program is told to end.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    if let Some(What::Token) = args.what {
        let token = token(app)?;
        return if app.json {
            app.answer_json(&json!({ "token": token }))
        } else {
            app.say(&token)
        };
    }
    let reach = reach(args, app)?;
    app.counts_tokens = true;
    // The server itself ends when it is told to; work behind it, such as a job that waits for a
    // model, may not.
    ending::end_when_told(|| {}).map_err(|error| {
        Failure::new(
            Exit::Failed,
            text!("serve-no-signals", error = error.to_string()),
        )
    })?;
    let Some(address) = args.http else {
        let server = match server(args, reach.clone(), app) {
            Err(failure) => limited(args, reach, failure, app)?,
            server => server?,
        };
        return Ok(serve_stdio(server)?);
    };
    let mut http = Http::at(address.unwrap_or(DEFAULT_ADDRESS));
    for name in &args.allow_host {
        http = http.host(name.as_str());
    }
    http = if args.no_token {
        http.without_token()
    } else {
        http.token(token(app)?)
    };
    let listener = http.listen()?;
    let (_twin, taken) = Twin::of(listener.address());
    taken.map_or(Ok(()), |taken| app.note(&taken))?;
    let server = server(args, reach, app)?;
    app.note(&text!("serve-url", url = listener.url()))?;
    let access = match (args.no_token, app.world.var(TOKEN)) {
        (true, _) => text!("serve-no-token"),
        (false, Some(_)) => text!("serve-token-given", variable = TOKEN),
        (false, None) => {
            text!(
                "serve-token",
                path = token::file_of(&app.settings.db).display(),
                command = token_command(app)
            )
        }
    };
    app.note(&access)?;
    Ok(listener.serve(server)?)
}

/// The token that clients over HTTP bring.
fn token(app: &App<'_, '_>) -> Result<String, Failure> {
    match app.world.var(TOKEN) {
        Some(token) => Ok(token.to_owned()),
        None => token::find_or_make(&app.settings.db),
    }
}

/// The command that prints the token of this database.
fn token_command(app: &App<'_, '_>) -> String {
    match app.keeps {
        true => format!("annals mcp token --db {}", app.settings.db.display()),
        false => "annals mcp token".to_owned(),
    }
}

/// The server, which asks before each call whether the session is temporary.
fn server(args: &Args, reach: Reach, app: &mut App<'_, '_>) -> Result<Server, Failure> {
    let options = app.options()?.scheduler(true);
    let memory = app.open_with(options, Access::Create)?;
    let server = mcp_server::over(memory, reach, &app.settings.db, args.session.clone());
    let knows_place = app.settings.scope == Scope::Named
        || args.project.is_some()
        || workspace(app.world).is_some();
    Ok(if knows_place || args.http.is_some() {
        server
    } else {
        server.by_roots()
    })
}

/// A server over a database that cannot be opened as it should be: one that may only be read
/// answers questions, any other says in every answer why it cannot be reached. A client shows no
/// more than that a server ended.
fn limited(
    args: &Args,
    reach: Reach,
    failure: Failure,
    app: &mut App<'_, '_>,
) -> Result<Server, Failure> {
    let told = failure.text(Paint::PLAIN);
    app.world.errors.write_all(told.as_bytes())?;
    if failure.exit == Exit::Unwritable {
        app.reads_only = true;
        if let Ok(server) = server(args, reach.clone(), app) {
            return Ok(server);
        }
    }
    Ok(Server::unavailable(reach, told.trim())?.in_language(texts::language().tag()))
}

/// Serves where not even the settings can be read: each call is answered with the reason.
pub(crate) fn serve_without_settings(failure: &Failure) -> Result<(), Failure> {
    let server = Server::unavailable(
        Reach::one(USER_NAMESPACE)?,
        failure.text(Paint::PLAIN).trim(),
    )?;
    Ok(serve_stdio(server.in_language(texts::language().tag()))?)
}

/// The namespaces that are served.
fn reach(args: &Args, app: &App<'_, '_>) -> Result<Reach, Failure> {
    if app.settings.scope == Scope::Named {
        if args.project.is_some() {
            return Err(Failure::usage(text!("serve-project")));
        }
        return Ok(Reach::one(app.namespace_name()?)?);
    }
    let Some(folder) = args.project.clone().or_else(|| workspace(app.world)) else {
        return Ok(Reach::one(USER_NAMESPACE)?);
    };
    if !folder.is_dir() {
        return Err(Failure::new(
            Exit::NotFound,
            text!("install-no-folder", folder = folder.display()),
        ));
    }
    let place = Clones::of(&app.settings.db).note(&folder)?;
    Ok(Reach::project(&place.name, USER_NAMESPACE)?)
}

/// The repository that a client works on: the working directory, else the folder that the client
/// names by the variable that Cursor sets, a path or a JSON array of them.
fn workspace(world: &World<'_>) -> Option<PathBuf> {
    let named = world.var("WORKSPACE_FOLDER_PATHS").unwrap_or_default();
    let named = serde_json::from_str(named).unwrap_or_else(|_| vec![PathBuf::from(named)]);
    let named = named.into_iter().filter(|folder| folder.is_absolute());
    world
        .folder
        .iter()
        .cloned()
        .chain(named)
        .find(|folder| git_root(folder).is_some())
}
