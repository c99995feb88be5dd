//! A process that uses a file with others: through the owner, or as the owner.

use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use annals_engine::{Error, ErrorKind};
use parking_lot::Mutex;
use serde_json::value::RawValue;

use crate::link::Link;
use crate::met::{Done, Met};
use crate::owner::Owner;
use crate::serve::{Caller, Lent, Serve};
use crate::{Call, Settings, Version, Welcome};

/// How many connections an owner serves at once, unless its terms say otherwise.
const CLIENTS: usize = 512;

/// How often a call is begun anew when owners end in the middle of it.
const ATTEMPTS: usize = 16;

/// The pauses between two looks for an owner, in milliseconds; the last one repeats.
const PAUSES: [u64; 6] = [1, 2, 4, 8, 16, 25];

/// Opens the file where this process is to own it.
pub trait Open: Send + Sync + 'static {
    /// Opens it in this process. Those that only read the file are waited for while there is
    /// patience; then it is opened without them.
    ///
    /// # Errors
    /// [`ErrorKind::Locked`] when another process has it open; others when it cannot be opened.
    fn open(&self, patient: bool) -> Result<Arc<dyn Serve>, Error>;

    /// The settings of this process that change answers.
    fn settings(&self) -> Settings;

    /// A setting that an owner has otherwise, if there is one.
    ///
    /// # Errors
    /// When one cannot be compared.
    fn difference(&self, owner: &Welcome) -> Result<Option<Difference>, Error>;

    /// The parts of this process that no other one has.
    fn own(&self) -> Vec<String>;
}

/// A setting in which an owner differs from another process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The name of the setting.
    pub name: String,
    /// The owner's value.
    pub theirs: String,
    /// The value of the other process.
    pub ours: String,
}

/// Starts a process that owns the file for others.
pub type Start = Box<dyn Fn() -> io::Result<Child> + Send + Sync>;

/// The terms on which a process shares a file.
#[non_exhaustive]
pub struct Terms {
    /// How long to wait for an owner that starts, ends or takes over.
    pub wait: Duration,
    /// Starts an owner where there is none; without it this process becomes the owner.
    pub start: Option<Start>,
    /// Where an owner that is started says what goes wrong: errors name it.
    pub log: Option<PathBuf>,
    /// How many connections this process serves at once as the owner of the file.
    pub clients: usize,
    /// The version that this process says it has.
    pub version: Version,
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            wait: Duration::from_secs(5),
            start: None,
            log: None,
            clients: CLIENTS,
            version: Version::own(),
        }
    }
}

/// A file that is used together with other processes.
pub struct Client {
    file: PathBuf,
    opener: Box<dyn Open>,
    terms: Terms,
    state: Mutex<Way>,
    started: Mutex<Vec<Child>>,
    /// The thread that gives the file up, where this process owns it.
    keeper: Mutex<Option<JoinHandle<()>>>,
    me: Weak<Client>,
}

/// How calls get to the file.
#[derive(Clone)]
enum Way {
    Unknown,
    Here(Arc<Owner>),
    There(Arc<Route>),
}

/// The way to an owner in another process.
struct Route {
    welcome: Welcome,
    /// Connections that are not in use.
    idle: Mutex<Vec<Link>>,
}

impl Client {
    /// Reaches a file: through its owner, or as its owner where it has none.
    ///
    /// # Errors
    /// Those of [`Open::open`]; [`ErrorKind::Locked`] when a process has the file open that does
    /// not share it, or does not answer; [`ErrorKind::NotShared`] when this process has parts or
    /// settings of its own and the owner keeps the file.
    pub fn connect(file: &Path, opener: Box<dyn Open>, terms: Terms) -> Result<Arc<Self>, Error> {
        let client = Self::unconnected(file, opener, terms);
        client.reach()?;
        Ok(client)
    }

    fn unconnected(file: &Path, opener: Box<dyn Open>, terms: Terms) -> Arc<Self> {
        Arc::new_cyclic(|me| Self {
            file: file.to_owned(),
            opener,
            terms,
            state: Mutex::new(Way::Unknown),
            started: Mutex::default(),
            keeper: Mutex::default(),
            me: me.clone(),
        })
    }

    /// Goes through the owner of a file where there is one with the same settings. Another one is
    /// asked for the file: then, and where there is none, this is none, and the file can be opened
    /// soon.
    ///
    /// # Errors
    /// [`ErrorKind::Locked`] when the owner does not answer; [`ErrorKind::Conflict`] when the file
    /// was moved; [`ErrorKind::NotShared`] when the owner has other settings and keeps the file.
    pub fn join(
        file: &Path,
        opener: Box<dyn Open>,
        terms: Terms,
    ) -> Result<Option<Arc<Self>>, Error> {
        let client = Self::unconnected(file, opener, terms);
        let Some(way) = client.follow(client.meet()?)? else {
            return Ok(None);
        };
        *client.state.lock() = way;
        Ok(Some(client))
    }

    /// The owner, as it introduces itself; this process, where it is the owner.
    ///
    /// # Errors
    /// As [`connect`](Self::connect).
    pub fn owner(&self) -> Result<Welcome, Error> {
        Ok(match self.reach()? {
            Way::There(route) => route.welcome.clone(),
            Way::Here(owner) => owner.welcome(),
            Way::Unknown => return Err(self.locked(None)),
        })
    }

    /// Waits, as the owner, until nobody has called and no process was connected for a while, or
    /// another one asks for the file.
    pub fn wait_idle(&self, idle: Duration) {
        let way = self.state.lock().clone();
        if let Way::Here(owner) = way {
            owner.own_for_others();
            owner.gate().close_when_idle(idle);
            drop(owner);
            // The file is closed when this returns: its process may end then.
            let keeper = self.keeper.lock().take();
            if keeper.is_some_and(|keeper| keeper.join().is_err()) {
                tracing::error!("the thread that gives the file up had panicked");
            }
        }
    }

    /// Lets no more calls in, as the owner: [`wait_idle`](Self::wait_idle) returns when those under
    /// way have ended.
    pub fn shut(&self) {
        if let Way::Here(owner) = &*self.state.lock() {
            owner.gate().shut();
        }
    }

    /// Has a call carried out; the answer is JSON. It is carried out once, whatever becomes of
    /// the owner meanwhile.
    ///
    /// # Errors
    /// Those of the call, and of [`connect`](Self::connect).
    pub fn call(&self, call: &Call, mut lent: Lent<'_>) -> Result<Vec<u8>, Error> {
        let mut body = Vec::new();
        for _ in 0..ATTEMPTS {
            match self.reach()? {
                Way::Here(owner) => {
                    let caller = SameProcess(RefCell::new(&mut lent));
                    match owner.call(call, &caller) {
                        Some(answer) => return answer,
                        None => self.forget(&Way::Here(owner)),
                    }
                }
                Way::There(route) => {
                    if body.is_empty() {
                        body = serde_json::to_vec(call)
                            .map_err(|error| Error::bad_input(error.to_string()))?;
                    }
                    match self.call_there(&route, &body, &mut lent) {
                        Some(answer) => return answer,
                        None => self.forget(&Way::There(route)),
                    }
                    if lent.used {
                        return Err(Error::other(ErrorKind::Io, self.cut_off()));
                    }
                }
                Way::Unknown => break,
            }
        }
        Err(Error::other(ErrorKind::Io, self.cut_off()))
    }

    /// Has a call carried out by another process; none when that has ended.
    fn call_there(
        &self,
        route: &Route,
        body: &[u8],
        lent: &mut Lent<'_>,
    ) -> Option<Result<Vec<u8>, Error>> {
        let idle = route.idle.lock().pop();
        let link = match idle {
            Some(link) => link,
            None => match Link::meet(&self.file, &self.terms) {
                Ok(Met::Owner(link, welcome)) if welcome.pid == route.welcome.pid => link,
                Ok(Met::Refused(error)) => return Some(Err(error)),
                _ => return None,
            },
        };
        let alive = || match Link::meet(&self.file, &self.terms) {
            Ok(Met::Silent(pid)) => Err(self.silent(pid.or(Some(route.welcome.pid)))),
            _ => Ok(()),
        };
        match link.call(body, lent, &alive) {
            Done::Answer(answer) => {
                route.idle.lock().push(link);
                Some(Ok(answer))
            }
            Done::Failed(error) => {
                route.idle.lock().push(link);
                Some(Err(error))
            }
            Done::Broken(error) => Some(Err(error)),
            Done::Lost => None,
        }
    }

    /// Gives up a way that leads nowhere any more.
    fn forget(&self, lost: &Way) {
        let mut state = self.state.lock();
        let same = match (&*state, lost) {
            (Way::Here(now), Way::Here(lost)) => Arc::ptr_eq(now, lost),
            (Way::There(now), Way::There(lost)) => Arc::ptr_eq(now, lost),
            _ => false,
        };
        if same {
            let way = std::mem::replace(&mut *state, Way::Unknown);
            drop(state);
            // An owner ends here, which waits for its calls.
            drop(way);
        }
    }

    /// The way to the file; it is looked for where none is known.
    fn reach(&self) -> Result<Way, Error> {
        let mut state = self.state.lock();
        match &*state {
            Way::Unknown => {}
            Way::Here(owner) if owner.gate().is_closed() => *state = Way::Unknown,
            known => return Ok(known.clone()),
        }
        let found = self.look()?;
        *state = found.clone();
        Ok(found)
    }

    /// Looks for the owner, or becomes it.
    fn look(&self) -> Result<Way, Error> {
        let (until, mut pauses) = (Instant::now() + self.terms.wait, PAUSES.iter().copied());
        let mut pause = 1;
        let mut start = self
            .terms
            .start
            .as_ref()
            .filter(|_| self.opener.own().is_empty());
        loop {
            let late = Instant::now() >= until;
            let (mut busy, mut unable) = (false, None);
            match self.meet()? {
                Met::Busy => busy = true,
                Met::Unable(error) => unable = Some(error),
                met => {
                    if let Some(way) = self.follow(met)? {
                        return Ok(way);
                    }
                }
            }
            let failure = match unable {
                // The owner is there.
                Some(error) => Some(error),
                None => match start.take() {
                    Some(begin) => self.begin(begin),
                    None if self.is_starting() => None,
                    None => match self.become_owner(!late) {
                        Ok(way) => return Ok(way),
                        Err(error) if error.is_locked() => Some(self.locked(Some(error))),
                        Err(error) => return Err(error),
                    },
                },
            };
            if late {
                return Err(match failure {
                    _ if busy => self.silent(None),
                    Some(error) => error,
                    None => self.locked(None),
                });
            }
            pause = pauses.next().unwrap_or(pause);
            std::thread::sleep(Duration::from_millis(pause));
        }
    }

    /// Starts an owner; why that failed, if it did.
    fn begin(&self, start: &Start) -> Option<Error> {
        match start() {
            Ok(child) => {
                self.started.lock().push(child);
                None
            }
            Err(error) => Some(Error::io("starting an owner of the file", error)),
        }
    }

    /// Whether an owner that this process started may still come up.
    fn is_starting(&self) -> bool {
        let mut started = self.started.lock();
        started.retain_mut(|child| matches!(child.try_wait(), Ok(None)));
        !started.is_empty()
    }

    /// Introduces this process to the owner.
    fn meet(&self) -> Result<Met, Error> {
        let met = Link::meet(&self.file, &self.terms);
        met.map_err(|error| {
            Error::io(
                format!("asking the owner of {}", self.file.display()),
                error,
            )
        })
    }

    /// The way to the owner that was met; none where there is none, or where it ends.
    fn follow(&self, met: Met) -> Result<Option<Way>, Error> {
        match met {
            Met::Owner(link, welcome) => self.agree(link, welcome),
            Met::Foreign(link, version, pid) if self.terms.version.is_newer_than(&version) => {
                match link.drain() {
                    Ok(Err(own)) => {
                        Err(self.not_shared(pid, &format!("it speaks only {version}"), &own))
                    }
                    _ => Ok(None),
                }
            }
            Met::Foreign(_, version, pid) => Err(Error::other(
                ErrorKind::TooNew,
                format!(
                    "{} is open in process {pid}, which is {version}; this is {}: update this one, or end that process",
                    self.file.display(),
                    self.terms.version
                ),
            )),
            Met::Nobody | Met::Busy | Met::Draining => Ok(None),
            Met::Silent(pid) => Err(self.silent(pid)),
            Met::Unable(error) | Met::Refused(error) => Err(error),
        }
    }

    /// Uses an owner as it is, or asks it for the file.
    fn agree(&self, link: Link, welcome: Welcome) -> Result<Option<Way>, Error> {
        let wish = self.wish(&welcome)?;
        let newer = self.terms.version.is_newer_than(&welcome.version);
        if wish.is_some() || newer {
            match (link.drain(), wish) {
                (Ok(Err(own)), Some(wish)) => {
                    return Err(self.not_shared(welcome.pid, &wish, &own));
                }
                (Ok(Err(_)), None) => {}
                _ => return Ok(None),
            }
        }
        Ok(Some(Way::There(Arc::new(Route {
            welcome,
            idle: Mutex::new(vec![link]),
        }))))
    }

    /// Why this process needs the file for itself, if it does.
    fn wish(&self, welcome: &Welcome) -> Result<Option<String>, Error> {
        let own = self.opener.own();
        if !own.is_empty() {
            return Ok(Some(format!("this process has its own {}", own.join(", "))));
        }
        let difference = self.opener.difference(welcome)?;
        Ok(difference.map(|Difference { name, theirs, ours }| {
            format!("its {name} is {theirs:?}, and here it is {ours:?}")
        }))
    }

    fn become_owner(&self, patient: bool) -> Result<Way, Error> {
        let server = self.opener.open(patient)?;
        let (settings, own) = (self.opener.settings(), self.opener.own());
        let terms = (self.terms.version.clone(), self.terms.clients);
        let owner = Owner::bind(&self.file, server, settings, own, terms);
        let owner = Arc::new(owner.map_err(|error| {
            Error::io(
                format!(
                    "listening beside {} for other processes",
                    self.file.display()
                ),
                error,
            )
        })?);
        self.keep(&owner)?;
        Ok(Way::Here(owner))
    }

    /// Gives the file up when another process asks for it.
    fn keep(&self, owner: &Arc<Owner>) -> Result<(), Error> {
        let (client, gate, owner) = (self.me.clone(), owner.gate(), Arc::downgrade(owner));
        let keeper = std::thread::Builder::new()
            .name("annals-keeper".to_owned())
            .spawn(move || {
                gate.wait_shut();
                if let (Some(client), Some(owner)) = (client.upgrade(), owner.upgrade()) {
                    client.forget(&Way::Here(owner));
                }
            });
        *self.keeper.lock() = Some(keeper.map_err(|error| Error::io("starting a thread", error))?);
        Ok(())
    }

    fn cut_off(&self) -> String {
        format!(
            "the process that had {} open ended before it answered; look at what was done, then try again{}",
            self.file.display(),
            self.logged()
        )
    }

    /// Where a process that was started has said why it ended; nothing where it said nothing.
    fn logged(&self) -> String {
        let said = |log: &&PathBuf| std::fs::metadata(log).is_ok_and(|found| found.len() > 0);
        self.terms
            .log
            .as_ref()
            .filter(said)
            .map_or_else(String::new, |log| format!(" (its log: {})", log.display()))
    }

    fn silent(&self, pid: Option<u32>) -> Error {
        let process = pid.map_or_else(|| "a process".to_owned(), |pid| format!("process {pid}"));
        let advice = if cfg!(windows) {
            "wait for it"
        } else {
            "it may be stopped: let it go on (kill -CONT)"
        };
        let text = format!(
            "{process} has {} open and does not answer; {advice}, or end it",
            self.file.display()
        );
        Error::other(ErrorKind::Locked, text)
    }

    fn not_shared(&self, pid: u32, wish: &str, own: &[String]) -> Error {
        let text = format!(
            "{} is open in process {pid}, which keeps it for its own {}; {wish}: end that process, or ask without",
            self.file.display(),
            own.join(", ")
        );
        Error::other(ErrorKind::NotShared, text)
    }

    fn locked(&self, failure: Option<Error>) -> Error {
        let text = match failure {
            Some(error) => format!(
                "{error}; it does not share the file with other processes, or not under this path"
            ),
            None => format!(
                "no process that shares {} came up in time; try again",
                self.file.display()
            ),
        } + &self.logged();
        Error::other(ErrorKind::Locked, text)
    }
}

/// The caller of a call that is carried out in its own process.
struct SameProcess<'a, 'l>(RefCell<&'a mut Lent<'l>>);

impl Caller for SameProcess<'_, '_> {
    fn progress(&self, progress: &RawValue) -> io::Result<()> {
        self.0.borrow_mut().told(progress)
    }

    fn input(&self, most: usize) -> io::Result<Vec<u8>> {
        self.0.borrow_mut().read(most)
    }

    fn output(&self, bytes: &[u8]) -> io::Result<()> {
        self.0.borrow_mut().write(bytes)
    }
}
