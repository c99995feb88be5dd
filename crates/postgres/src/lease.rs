//! Who may write. One owner at a time has the lease, under a number that grows with each owner: a
//! batch carries it, and the server applies none of an owner whose time was over.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use annals_storage::StorageError;
use parking_lot::{Condvar, Mutex};
use postgres::Config;

use crate::connection::{connect, failed};

const TAKE: &str = "
insert into annals_lease (token, owner, until)
values (1, $1, clock_timestamp() + $2 * interval '1 millisecond')
on conflict (id) do update
set token = annals_lease.token + 1, owner = excluded.owner, until = excluded.until
where annals_lease.until < clock_timestamp()
returning token";

const HELD: &str = "
select owner, ceil(extract(epoch from until - clock_timestamp()))::int8 from annals_lease";

const RENEW: &str = "
update annals_lease set until = clock_timestamp() + $2 * interval '1 millisecond' where token = $1";

const GIVE_BACK: &str = "update annals_lease set until = clock_timestamp() where token = $1";

/// Between two tries to take a lease that another one holds.
const PAUSE: Duration = Duration::from_millis(200);

pub(crate) struct Lease {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    config: Config,
    place: String,
    token: i64,
    life: Duration,
    /// Until when it is held for certain.
    until: Mutex<Instant>,
    fenced: AtomicBool,
    ended: Mutex<bool>,
    wake: Condvar,
}

fn millis(life: Duration) -> f64 {
    life.as_secs_f64() * 1000.0
}

impl Lease {
    /// Takes the lease, or waits until its owner lets it go.
    pub(crate) fn take(config: &Config, place: &str, life: Duration, wait: Duration) -> Result<Self, StorageError> {
        let doing = || format!("take over {place}");
        let owner = format!("{} (process {})", host(), std::process::id());
        let mut client = connect(config, place)?;
        let patience = Instant::now() + wait;
        let (token, asked) = loop {
            let asked = Instant::now();
            let taken = client.query_opt(TAKE, &[&owner, &millis(life)]).map_err(|error| failed(doing(), error))?;
            if let Some(row) = taken {
                break (row.get::<_, i64>(0), asked);
            }
            if Instant::now() >= patience {
                let held = client.query_opt(HELD, &[]).map_err(|error| failed(doing(), error))?;
                let (owner, seconds) = held.map_or((String::new(), 0), |row| (row.get(0), row.get::<_, i64>(1)));
                let seconds = u64::try_from(seconds).unwrap_or(0);
                return Err(StorageError::Leased { place: place.to_owned(), owner, seconds });
            }
            std::thread::sleep(PAUSE);
        };
        let shared = Arc::new(Shared {
            config: config.clone(),
            place: place.to_owned(),
            token,
            life,
            until: Mutex::new(asked + life),
            fenced: AtomicBool::new(false),
            ended: Mutex::new(false),
            wake: Condvar::new(),
        });
        let renewing = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("annals-lease".to_owned());
        let thread = thread.spawn(move || renewing.keep_renewing(client));
        let thread = thread.map_err(|source| StorageError::Server { doing: doing(), reason: source.to_string() })?;
        Ok(Self { shared, thread: Some(thread) })
    }

    pub(crate) fn token(&self) -> i64 {
        self.shared.token
    }

    /// Fails once another owner may have the lease.
    pub(crate) fn check(&self) -> Result<(), StorageError> {
        if self.is_held() { Ok(()) } else { Err(self.lost()) }
    }

    pub(crate) fn is_held(&self) -> bool {
        !self.shared.fenced.load(Ordering::Acquire) && Instant::now() < *self.shared.until.lock()
    }

    /// Notes that the server said so.
    pub(crate) fn lost(&self) -> StorageError {
        StorageError::Fenced { place: self.shared.place.clone() }
    }

    pub(crate) fn fence(&self) -> StorageError {
        self.shared.fenced.store(true, Ordering::Release);
        self.lost()
    }
}

impl Shared {
    fn keep_renewing(&self, client: postgres::Client) {
        let mut client = Some(client);
        let mut ended = self.ended.lock();
        while !*ended {
            self.wake.wait_for(&mut ended, self.life / 3);
            if *ended {
                break;
            }
            drop(ended);
            self.renew(&mut client);
            ended = self.ended.lock();
        }
        drop(ended);
        // The next owner need not wait. Where this fails, the lease ends by itself.
        if let Some(mut client) = client.or_else(|| connect(&self.config, &self.place).ok()) {
            let _ends_by_itself = client.execute(GIVE_BACK, &[&self.token]);
        }
    }

    /// Renews the lease, over a new connection where the last one is lost. While the server cannot be
    /// reached the time runs out.
    fn renew(&self, client: &mut Option<postgres::Client>) {
        if client.as_ref().is_none_or(postgres::Client::is_closed) {
            *client = connect(&self.config, &self.place).ok();
        }
        let Some(connected) = client else { return };
        let asked = Instant::now();
        match connected.execute(RENEW, &[&self.token, &millis(self.life)]) {
            Ok(1) => *self.until.lock() = asked + self.life,
            Ok(_) => self.fenced.store(true, Ordering::Release),
            Err(error) => {
                tracing::warn!(place = self.place, %error, "the lease could not be renewed");
                *client = None;
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
    let named = std::env::var("HOSTNAME").ok().or_else(|| std::fs::read_to_string("/etc/hostname").ok());
    named.map_or_else(|| "a machine without a name".to_owned(), |name| name.trim().to_owned())
}
