//! Who may write. One owner at a time has the lease, under a number that nobody had before: a batch
//! carries it, and the server applies none under another number.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use annals_storage::StorageError;
use parking_lot::{Condvar, Mutex};
use postgres::Client;

use crate::connection::failed;
use crate::pool::Pool;

const HELD: &str = "
select owner, ceil(extract(epoch from until - clock_timestamp()))::int8 from annals_lease
where until >= clock_timestamp()";

const TAKE: &str = "
insert into annals_lease (token, owner, until)
values ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
on conflict (id) do update
set token = excluded.token, owner = excluded.owner, until = excluded.until
where annals_lease.until < clock_timestamp()
returning token";

const RENEW: &str = "
update annals_lease set until = clock_timestamp() + $2 * interval '1 millisecond' where token = $1";

/// The answer of an earlier try may have been lost.
const CHANGE: &str = "update annals_lease set token = $2 where token in ($1, $2)";

const GIVE_BACK: &str = "update annals_lease set until = clock_timestamp() where token = $1";

/// Between two tries to take a lease that another one holds.
const PAUSE: Duration = Duration::from_millis(500);

pub(crate) struct Lease {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    pool: Arc<Pool>,
    life: Duration,
    /// The number of this owner, which changes where the end of a batch is not known.
    token: AtomicI64,
    /// Whether the end of the last batch is known.
    settled: AtomicBool,
    /// The number that the lease gets where the end of a batch is not known: one call changes it, and
    /// the next tries it again where the answer is lost.
    proposed: Mutex<Option<i64>>,
    /// Until when the lease is held for certain.
    until: Mutex<Instant>,
    fenced: AtomicBool,
    ended: Mutex<bool>,
    wake: Condvar,
}

fn millis(life: Duration) -> f64 {
    life.as_secs_f64() * 1000.0
}

/// A number that no owner had before, also none that a restored backup forgot.
fn new_token() -> i64 {
    i64::from_ne_bytes(
        uuid::Uuid::new_v4().into_bytes()[..8]
            .try_into()
            .unwrap_or_default(),
    )
}

impl Lease {
    /// Takes the lease, or waits until its owner lets it go.
    pub(crate) fn take(
        pool: &Arc<Pool>,
        life: Duration,
        wait: Duration,
    ) -> Result<Self, StorageError> {
        let server = pool.server();
        let doing = || format!("take over {}", server.place());
        let owner = format!("{} (process {})", host(), std::process::id());
        let (token, began) = (new_token(), Instant::now());
        let mut client = server.connect()?;
        let asked = loop {
            let held = client
                .query_opt(HELD, &[])
                .map_err(|error| failed(doing(), error))?;
            let asked = Instant::now();
            if held.is_none() {
                let taken = client.query_opt(TAKE, &[&token, &owner, &millis(life)]);
                if taken.map_err(|error| failed(doing(), error))?.is_some() {
                    break asked;
                }
            } else if began.elapsed() >= wait {
                let (owner, seconds) =
                    held.map_or((String::new(), 0), |row| (row.get(0), row.get::<_, i64>(1)));
                let seconds = u64::try_from(seconds).unwrap_or(0);
                return Err(StorageError::Leased {
                    place: server.place().to_owned(),
                    owner,
                    seconds,
                });
            }
            std::thread::sleep(PAUSE);
        };
        let shared = Arc::new(Shared {
            pool: Arc::clone(pool),
            life,
            token: AtomicI64::new(token),
            settled: AtomicBool::new(true),
            proposed: Mutex::new(None),
            until: Mutex::new(asked + life),
            fenced: AtomicBool::new(false),
            ended: Mutex::new(false),
            wake: Condvar::new(),
        });
        let renewing = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("annals-lease".to_owned());
        let thread = thread.spawn(move || renewing.keep_renewing(client));
        let thread = thread.map_err(|error| StorageError::Server {
            doing: doing(),
            reason: error.to_string(),
        })?;
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    pub(crate) fn token(&self) -> i64 {
        self.shared.token.load(Ordering::Acquire)
    }

    /// Fails once another owner may have the lease; settles first what is unsettled.
    pub(crate) fn check(&self) -> Result<(), StorageError> {
        if self.is_fenced() || Instant::now() >= *self.shared.until.lock() {
            return Err(StorageError::Fenced {
                place: self.shared.pool.place().to_owned(),
            });
        }
        self.settle()
    }

    /// Whether another owner has the lease.
    pub(crate) fn is_fenced(&self) -> bool {
        self.shared.fenced.load(Ordering::Acquire)
    }

    /// Notes that another owner has the lease, as the server has said.
    pub(crate) fn fence(&self) -> StorageError {
        self.shared.fenced.store(true, Ordering::Release);
        StorageError::Fenced {
            place: self.shared.pool.place().to_owned(),
        }
    }

    pub(crate) fn is_settled(&self) -> bool {
        self.shared.settled.load(Ordering::Acquire)
    }

    /// Notes that the answer of a batch was lost.
    pub(crate) fn unsettle(&self) {
        self.shared.settled.store(false, Ordering::Release);
        // Where this fails the next call tries again.
        let _tried_again = self.settle();
    }

    /// Gives the lease another number. That waits for a batch under way, and keeps one that has not
    /// begun from being applied later: then a snapshot shows whether it was.
    fn settle(&self) -> Result<(), StorageError> {
        if self.is_settled() {
            return Ok(());
        }
        let mut proposed = self.shared.proposed.lock();
        if self.is_settled() {
            // Another call has settled it meanwhile.
            return Ok(());
        }
        let server = self.shared.pool.server();
        self.shared.pool.close_idle();
        let (old, new) = (self.token(), *proposed.get_or_insert_with(new_token));
        let changed = server.connect()?.execute(CHANGE, &[&old, &new]);
        match changed.map_err(|error| failed(format!("use {}", server.place()), error))? {
            0 => Err(self.fence()),
            _ => {
                self.shared.token.store(new, Ordering::Release);
                self.shared.settled.store(true, Ordering::Release);
                *proposed = None;
                Ok(())
            }
        }
    }
}

impl Shared {
    fn keep_renewing(&self, client: Client) {
        let mut client = Some(client);
        let mut ended = self.ended.lock();
        let mut renewed = Instant::now();
        while !*ended {
            self.wake
                .wait_for(&mut ended, (self.life / 3).min(Duration::from_secs(1)));
            if *ended {
                break;
            }
            drop(ended);
            self.pool.end_snapshots();
            if renewed.elapsed() >= self.life / 3
                && (self.renew(&mut client) || self.renew(&mut client))
            {
                renewed = Instant::now();
            }
            ended = self.ended.lock();
        }
        drop(ended);
        // The next owner need not wait. Where this fails, the lease ends by itself.
        let client = client.or_else(|| self.pool.server().connect().ok());
        if let (Some(mut client), false) = (client, self.fenced.load(Ordering::Acquire)) {
            let _ends_by_itself = client.execute(GIVE_BACK, &[&self.token.load(Ordering::Acquire)]);
        }
    }

    /// Renews the lease, over a new connection where the last one is lost; answers whether it was
    /// renewed. While the server cannot be reached the time runs out.
    fn renew(&self, client: &mut Option<Client>) -> bool {
        let mut connected = match client
            .take()
            .map_or_else(|| self.pool.server().connect(), Ok)
        {
            Ok(connected) => connected,
            Err(error) => {
                tracing::warn!(%error, "the lease could not be renewed");
                return false;
            }
        };
        let (token, asked) = (self.token.load(Ordering::Acquire), Instant::now());
        match connected.execute(RENEW, &[&token, &millis(self.life)]) {
            Ok(1) => {
                *self.until.lock() = asked + self.life;
                *client = Some(connected);
                true
            }
            Ok(_) => {
                // Unless the number was changed meanwhile, another owner has changed it. Whoever
                // settles stores the number first.
                let is_ours = !self.settled.load(Ordering::Acquire)
                    || self.token.load(Ordering::Acquire) != token;
                if !is_ours {
                    self.fenced.store(true, Ordering::Release);
                }
                *client = Some(connected);
                false
            }
            Err(error) => {
                tracing::warn!(place = self.pool.place(), %error, "the lease could not be renewed");
                false
            }
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        *self.shared.ended.lock() = true;
        self.shared.wake.notify_all();
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}

/// The name of this machine, as far as it says.
fn host() -> String {
    let named = std::env::var("HOSTNAME")
        .ok()
        .or_else(|| std::fs::read_to_string("/etc/hostname").ok());
    named.map_or_else(
        || "a machine without a name".to_owned(),
        |name| name.trim().to_owned(),
    )
}
