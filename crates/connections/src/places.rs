//! Places for connections. Whoever has not brought the token yet takes none from those who have.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::{Limits, peer};

/// The places of a server.
pub(super) struct Places {
    served: Arc<Semaphore>,
    /// How many connections of a user wait for their token; of all users that are not known
    /// together.
    newcomers: Mutex<HashMap<Option<u32>, usize>>,
    /// How many of them there may be of each.
    share: usize,
    asks_for_token: bool,
}

/// The place of a connection, until it is dropped.
pub(super) enum Place {
    /// Among those that are served.
    Served { _permit: OwnedSemaphorePermit },
    /// Among those of a user that have not brought the token yet.
    Newcomer {
        places: Arc<Places>,
        user: Option<u32>,
    },
}

/// Says that a request of a connection brought the token.
pub type Proof = CancellationToken;

impl Places {
    pub(super) fn new(limits: &Limits) -> Arc<Self> {
        let (share, asks_for_token) = (limits.newcomers, limits.asks_for_token);
        let served = Arc::new(Semaphore::new(limits.connections));
        Arc::new(Self {
            served,
            newcomers: Mutex::default(),
            share,
            asks_for_token,
        })
    }

    /// A place for a connection, if there is one. The user of the server needs no share.
    pub(super) fn take(self: &Arc<Self>, stream: &TcpStream) -> Option<Place> {
        if !self.asks_for_token {
            return self.serve();
        }
        let user = peer::user_of(stream);
        if peer::is_own(user) {
            return self.serve();
        }
        // Others have brought the token for all of them.
        if self.served.available_permits() == 0 {
            return None;
        }
        let mut newcomers = self
            .newcomers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let waiting = newcomers.entry(user).or_default();
        if *waiting >= self.share {
            return None;
        }
        *waiting += 1;
        Some(Place::Newcomer {
            places: Arc::clone(self),
            user,
        })
    }

    /// A place among those that are served.
    fn serve(&self) -> Option<Place> {
        Arc::clone(&self.served)
            .try_acquire_owned()
            .ok()
            .map(|permit| Place::Served { _permit: permit })
    }
}

impl Place {
    pub(super) fn is_newcomer(&self) -> bool {
        matches!(self, Self::Newcomer { .. })
    }

    /// The place of a connection that has brought the token; none where all are taken.
    pub(super) fn prove(&self) -> Option<Self> {
        match self {
            Self::Newcomer { places, .. } => places.serve(),
            Self::Served { .. } => None,
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Self::Newcomer { places, user } = self else {
            return;
        };
        let mut newcomers = places
            .newcomers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(waiting) = newcomers.get_mut(user) {
            *waiting -= 1;
            if *waiting == 0 {
                newcomers.remove(user);
            }
        }
    }
}
