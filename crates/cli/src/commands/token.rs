use std::collections::BTreeSet;
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use annals::Timestamp;
use annals_server::{DEFAULT_ADDRESS, Grant, NewToken, Right, Scope, TokenInfo, TokenStore};
use serde_json::json;

use crate::address::address;
use crate::app::App;
use crate::failure::{Exit, Failure};
use crate::moment::time;
use crate::table::Table;
use crate::texts::text;
use crate::{card, visible};

/// Arguments of `annals token`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals token create bot -n user:42
  annals token create reader -n 'user:*' --right read --expires-at 2027-01-01
  annals token list
  annals token revoke 3f2a1b4c

A token is printed once; the file beside the database (agent.annals.tokens, for its user alone)
holds hashes.")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Makes a token, and prints it once
    Create(CreateArgs),
    /// Lists tokens, without their secrets
    List,
    /// Revokes a token
    Revoke {
        /// Its id
        id: String,
    },
    /// Prints a link that lets one browser in, once
    Link {
        /// The address of the server: PORT or ADDRESS:PORT [default: 127.0.0.1:19876]
        #[arg(long, value_name = "ADDRESS", value_parser = address)]
        listen: Option<SocketAddr>,
    },
}

#[derive(Debug, clap::Args)]
struct CreateArgs {
    /// What it is for
    name: String,
    /// What it allows: read, write, delete, admin; may be given several times
    #[arg(long, value_name = "RIGHT", default_values = ["read", "write"], value_parser = right)]
    right: Vec<Right>,
    /// Reach every namespace
    #[arg(long)]
    all_namespaces: bool,
    /// When it ends
    #[arg(long, value_name = "TIME", value_parser = time)]
    expires_at: Option<Timestamp>,
}

/// How long a server may take that a link is for.
const PATIENCE: Duration = Duration::from_millis(500);

fn right(word: &str) -> Result<Right, String> {
    word.parse().map_err(|_: annals_server::ServeError| {
        let known = Right::ALL.map(Right::as_str).join(&text!("common-comma"));
        text!("token-no-right", word, known)
    })
}

/// Obeys one of the actions.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let db = &app.settings.db;
    let store = TokenStore::beside(db).wait(app.wait());
    match &args.action {
        Action::Create(create) => make(create, &store, app),
        Action::List => list(&store, app),
        Action::Revoke { id } => {
            if !store.revoke(id)? {
                return Err(Failure::new(
                    Exit::NotFound,
                    text!("token-unknown", id = visible::line(id)),
                )
                .advice(text!("token-see-list")));
            }
            if app.json {
                return app.answer_json(&json!({ "id": id, "done": "revoked" }));
            }
            app.say(&text!("token-revoked", id))
        }
        Action::Link { listen } => {
            make_folder(app)?;
            let code = store.make_link(app.world.clock.now())?;
            let address = listen.unwrap_or(DEFAULT_ADDRESS);
            let link = format!("http://{address}/login?code={code}");
            if app.json {
                return app.answer_json(&json!({ "link": link }));
            }
            app.say(&link)?;
            match TcpStream::connect_timeout(&address, PATIENCE) {
                Ok(_) => Ok(()),
                Err(_) => app.note(&text!("token-nobody-listens", address)),
            }
        }
    }
}

/// The file of tokens stands beside the database, which may not be there yet.
fn make_folder(app: &App<'_, '_>) -> Result<(), Failure> {
    let Some(folder) = app
        .settings
        .db
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    else {
        return Ok(());
    };
    annals_private::make_folder(folder)
        .map_err(|cause| Failure::file(&text!("common-make-database-folder"), folder, &cause))
}

fn make(create: &CreateArgs, store: &TokenStore, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespaces: BTreeSet<Scope> = match create.all_namespaces {
        true => BTreeSet::from([Scope::all()]),
        false => app
            .settings
            .namespaces
            .iter()
            .map(|name| name.parse())
            .collect::<Result<_, _>>()?,
    };
    let now = app.world.clock.now();
    if let Some(at) = create.expires_at.filter(|at| *at <= now) {
        return Err(Failure::usage(text!("token-over", at)).advice(text!("token-over-advice")));
    }
    make_folder(app)?;
    let grant = Grant {
        namespaces,
        rights: create.right.iter().copied().collect(),
    };
    let new = NewToken {
        name: create.name.clone(),
        grant,
        expires_at: create.expires_at,
    };
    let (info, token) = store.create(new, now)?;
    if app.json {
        return app.answer_json(&json!({ "token": token, "id": info.id }));
    }
    app.say(&token)?;
    app.note(&text!("token-made", id = info.id))
}

fn list(store: &TokenStore, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let tokens = store.list()?;
    if app.json {
        return app.answer_json(&json!({ "tokens": tokens }));
    }
    if tokens.is_empty() {
        return app.say(&text!("token-none"));
    }
    let mut table = Table::new(&["id", "name", "rights", "namespaces", "made", "ends"]);
    for TokenInfo {
        id,
        name,
        grant,
        created_at,
        expires_at,
        ..
    } in &tokens
    {
        let joined = |words: Vec<String>| visible::line(&words.join(" ")).into_owned();
        table.row(vec![
            id.clone(),
            visible::line(name).into_owned(),
            joined(grant.rights.iter().map(ToString::to_string).collect()),
            joined(grant.namespaces.iter().map(ToString::to_string).collect()),
            card::minute(*created_at),
            expires_at.map_or_else(|| "-".to_owned(), card::minute),
        ]);
    }
    let text = table.render(app.paint, app.width());
    app.print(&text)
}
