use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use annals::blocking::Memory;
use annals::{ManualClock, SystemClock};
use annals_mcp::{Reach, USER_NAMESPACE};
use annals_server::{DEFAULT_ADDRESS, Grant, Http, Listener, NewToken, Stopper, TokenStore};
use serde_json::json;

use crate::app::{Access, App};
use crate::conversation::{fill, sample};
use crate::ending;
use crate::failure::{Exit, Failure};
use crate::mcp_server;
use crate::port::Twin;
use crate::store::{self, Opening};
use crate::texts::text;

/// Arguments of `annals serve`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A browser gets in with the link that is printed, once; programs bring a token of `annals token
create`. The routes are told at /openapi.json.

Commands, editors and agents that use the same database go through this process, which answers them
at once: it keeps the embedder and the indexes in memory, and runs the jobs that are due. They start
one by themselves where there is none, on no address; $ANNALS_SHARE or `share` in the config file
says whether (auto), not (join: the first process is the owner while it runs), or that they take
turns (off).

Examples:
  annals serve
  annals serve --demo
  annals serve --listen 8080 --allow-origin https://app.example.org
  annals serve --compat mem0
  annals serve --no-http --idle 600 --db team.annals")]
pub(crate) struct Args {
    /// The address: PORT or ADDRESS:PORT [default: 127.0.0.1:19876]
    #[arg(long, value_name = "ADDRESS", value_parser = crate::address::address)]
    listen: Option<SocketAddr>,
    /// Serve the conversation that comes with the program, and keep nothing
    #[arg(long)]
    demo: bool,
    /// Answer to this host name as well; may be given several times
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// Let pages of this origin read answers with a token; may be given several times
    #[arg(long, value_name = "ORIGIN")]
    allow_origin: Vec<String>,
    /// Keep the memories in the PostgreSQL database at this address, and not in a file [env:
    /// ANNALS_STORE]
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["demo", "no_http"])]
    store: Option<String>,
    /// Serve the routes of this program as well: its clients bring a token as their key
    #[arg(long, value_name = "PROGRAM")]
    compat: Option<Compat>,
    /// Take no address: only own the database for other processes
    #[arg(long, conflicts_with_all = ["listen", "demo", "allow_host", "allow_origin", "compat"])]
    no_http: bool,
    /// End when nobody has called or been connected for so long
    #[arg(long, value_name = "SECONDS", requires = "no_http")]
    idle: Option<u64>,
}

impl Args {
    /// The address of the database server that keeps the memories, where one does.
    fn store_of(&self, app: &App<'_, '_>) -> Option<String> {
        if self.demo {
            return None;
        }
        self.store
            .as_deref()
            .or_else(|| app.world.var("ANNALS_STORE"))
            .map(str::to_owned)
    }
}

/// A program whose clients are served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Compat {
    /// The server of mem0: `/memories`, `/search`, and what its Python client calls
    Mem0,
}

/// Serves until the process is told to end.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    if args.no_http {
        return own(args, app);
    }
    if args.demo {
        return demo(args, app);
    }
    app.counts_tokens = true;
    // The file of tokens stands beside the database: in a folder for its user alone, where it is
    // made.
    let db = app.settings.db.clone();
    if let Some(folder) = db.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        annals_private::make_folder(folder).map_err(|cause| {
            Failure::file(&text!("common-make-database-folder"), folder, &cause)
        })?;
    }
    let (memory, path) = opened(args, app)?;
    // What clients reach, their tokens say.
    let mcp = mcp_server::over(memory.clone(), Reach::one(USER_NAMESPACE)?, &db, None);
    let listener = listener(args, (memory.clone(), mcp), TokenStore::beside(&db))?;
    let page = companion_page(&memory, &db, app)?;
    let link = listener.link()?;
    let owner = memory.owner()?;
    if app.json {
        let pid = owner.map_or_else(std::process::id, |owner| owner.pid);
        let here = pid == std::process::id();
        app.answer_json(
            &json!({ "db": path, "pid": pid, "here": here, "url": listener.url(), "link": link }),
        )?;
    } else {
        match owner {
            Some(owner) if owner.pid != std::process::id() => {
                app.say(&text!("serve-owned", pid = owner.pid, path))?;
            }
            _ => app.say(&text!("serve-owning", path, pid = std::process::id()))?,
        }
        app.say(&text!("serve-http", url = listener.url()))?;
        app.say(&text!("serve-link", link))?;
        app.say(&text!("serve-programs", namespace = app.namespace_name()?))?;
        app.say(&text!("serve-mcp", url = format!("{}/mcp", listener.url())))?;
    }
    serve(args, (listener, page), &memory, app)
}

/// The memory that is served, and where it is kept: at the address of `--store`, or in the file.
fn opened(args: &Args, app: &mut App<'_, '_>) -> Result<(Memory, String), Failure> {
    let Some(address) = args.store_of(app) else {
        app.owns = true;
        let options = app.options()?.scheduler(true);
        return Ok((
            app.open_with(options, Access::Create)?,
            app.settings.db.display().to_string(),
        ));
    };
    let address = store::resolve(&address, app.world)?;
    if !store::is_address(&address) {
        return Err(Failure::usage(text!("serve-no-store")));
    }
    let engine = store::connect(&address, &Opening::Own(app.wait()))?;
    let place = engine.place();
    Ok((app.options()?.scheduler(true).open_on(engine)?, place))
}

/// Serves the sample conversation, on the evening after its last turn.
fn demo(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let sample = sample()?;
    let conversation = sample
        .conversations
        .first()
        .ok_or_else(|| Failure::new(Exit::Failed, text!("demo-no-conversation")))?;
    app.world.clock = std::sync::Arc::new(ManualClock::new(conversation.end()));
    let clock = std::sync::Arc::clone(&app.world.clock);
    let memory = app.options()?.clock(clock).in_memory()?;
    fill(&memory, conversation)?;
    let tokens = TokenStore::in_memory();
    let new = NewToken {
        name: "demo".to_owned(),
        grant: Grant::everything(),
        expires_at: None,
    };
    let (_, token) = tokens.create(new, annals::Clock::now(&SystemClock))?;
    let mcp = annals_mcp::Server::new(memory.clone(), Reach::one(&conversation.id)?);
    let listener = listener(args, (memory.clone(), mcp), tokens)?;
    let (url, link) = (listener.url(), listener.link()?);
    if app.json {
        app.answer_json(
            &json!({ "url": url, "link": link, "token": token, "namespace": conversation.id }),
        )?;
    } else {
        app.say(&text!("serve-demo", namespace = conversation.id))?;
        app.say(&text!("serve-http", url))?;
        app.say(&text!("serve-link", link))?;
        app.say(&text!("serve-demo-token", token))?;
        app.say(&text!(
            "serve-mcp",
            url = format!("{url}/mcp?namespace={}", conversation.id)
        ))?;
    }
    serve(args, (listener, None), &memory, app)
}

/// The address at which the companion design has its page.
const COMPANION_PAGE: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7861);

/// The page at the address of the companion design, where a namespace lives by it. One that is
/// taken is told of, and not needed: the page is at the other address as well.
fn companion_page(
    memory: &Memory,
    db: &Path,
    app: &mut App<'_, '_>,
) -> Result<Option<Listener>, Failure> {
    if !memory
        .namespaces()?
        .iter()
        .any(|space| space.profile == "companion")
    {
        return Ok(None);
    }
    match Http::at(COMPANION_PAGE).listen(memory.clone(), TokenStore::beside(db)) {
        Ok(page) => {
            app.note(&text!("serve-companion", link = page.link()?))?;
            Ok(Some(page))
        }
        Err(error) => {
            let address = COMPANION_PAGE;
            let told = if is_taken(&error) {
                text!("serve-companion-taken", address)
            } else {
                text!("serve-companion-failed", address, error)
            };
            app.note(&told)?;
            Ok(None)
        }
    }
}

/// Whether another program listens at the address.
fn is_taken(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(inner) = cause {
        let io = inner.downcast_ref::<std::io::Error>();
        if io.is_some_and(|io| io.kind() == std::io::ErrorKind::AddrInUse) {
            return true;
        }
        cause = inner.source();
    }
    false
}

fn listener(
    args: &Args,
    (memory, mcp): (Memory, annals_mcp::Server),
    tokens: TokenStore,
) -> Result<Listener, Failure> {
    let mut http = Http::at(args.listen.unwrap_or(DEFAULT_ADDRESS)).mcp(mcp);
    for name in &args.allow_host {
        http = http.host(name.as_str());
    }
    for origin in &args.allow_origin {
        http = http.origin(origin.as_str());
    }
    if args.compat == Some(Compat::Mem0) {
        http = http.like_mem0();
    }
    Ok(http.listen(memory, tokens)?)
}

/// Serves at the address, and at that of the companion's page where there is one.
fn serve(
    args: &Args,
    (listener, page): (Listener, Option<Listener>),
    memory: &Memory,
    app: &mut App<'_, '_>,
) -> Result<(), Failure> {
    if args
        .listen
        .is_some_and(|address| !address.ip().is_loopback())
    {
        app.note(&text!("serve-open"))?;
    }
    // Held until the end: both addresses may be told as `localhost`.
    let mut twins = Vec::new();
    for listener in page.iter().chain([&listener]) {
        let (twin, taken) = Twin::of(listener.address());
        twins.push(twin);
        taken.map_or(Ok(()), |taken| app.note(&taken))?;
    }
    app.world.output.flush()?;
    let stoppers: Vec<Stopper> = page
        .iter()
        .chain([&listener])
        .map(Listener::stopper)
        .collect();
    if args.store_of(app).is_some() {
        end_when_overtaken(memory.clone(), stoppers.clone());
    }
    end_when_told(move || stoppers.iter().for_each(Stopper::stop))?;
    let page = page.map(|page| std::thread::spawn(move || page.serve()));
    let shared = memory.clone();
    let others = std::thread::spawn(move || shared.wait_unused(Duration::MAX));
    let served = listener.serve();
    if let Some(page) = page {
        // It ends with the other one; why it ended before was its own matter.
        drop(page.join());
    }
    // Requests over HTTP are answered; now the other processes go to the next owner.
    memory.stop_serving();
    if others.join().is_err() {
        return Err(Failure::new(Exit::Failed, text!("serve-cut-off")));
    }
    served?;
    match memory.is_in_place() {
        Ok(false) if args.store_of(app).is_some() => {
            Err(Failure::new(Exit::Locked, text!("serve-overtaken")))
        }
        _ => Ok(()),
    }
}

/// Ends the listeners once another process owns the database server's data: whoever starts this one
/// anew waits for it, or finds another.
fn end_when_overtaken(memory: Memory, stoppers: Vec<Stopper>) {
    const PAUSE: Duration = Duration::from_secs(1);
    std::thread::spawn(move || {
        while memory.is_in_place().unwrap_or(true) {
            std::thread::sleep(PAUSE);
        }
        stoppers.iter().for_each(Stopper::stop);
    });
}

/// Owns the database for other processes, on no address.
fn own(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    app.owns = true;
    app.counts_tokens = true;
    let options = app.options()?.scheduler(true);
    let memory = app.open_with(options, Access::Create)?;
    let Some(owner) = memory.owner()? else {
        return Err(Failure::usage(text!("serve-not-shared")));
    };
    let here = owner.pid == std::process::id();
    let path = app.settings.db.display().to_string();
    if app.json {
        app.answer_json(&json!({ "db": path, "pid": owner.pid, "here": here }))?;
    } else if here {
        app.say(&text!("serve-owning", path, pid = owner.pid))?;
    } else {
        app.say(&text!("serve-owned", pid = owner.pid, path))?;
    }
    if here {
        let served = memory.clone();
        end_when_told(move || served.stop_serving())?;
        memory.wait_unused(args.idle.map_or(Duration::MAX, Duration::from_secs));
    }
    Ok(())
}

fn end_when_told(stop: impl Fn() + Send + 'static) -> Result<(), Failure> {
    ending::end_when_told(stop).map_err(|error| {
        Failure::new(
            Exit::Failed,
            text!("serve-no-signals", error = error.to_string()),
        )
    })
}
