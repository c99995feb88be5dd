//! The ends of a look for an owner, and of a call over a connection.

use annals_engine::Error;

use crate::link::Link;
use crate::{Version, Welcome};

/// The result of looking for an owner.
pub(crate) enum Met {
    Owner(Link, Welcome),
    /// The owner speaks another protocol.
    Foreign(Link, Version, u32),
    /// No owner listens.
    Nobody,
    /// An owner listens or has ended just now, and takes no client at this moment.
    Busy,
    /// The owner gives the file up at this moment.
    Draining,
    /// An owner listens and does not answer; the number of its process, where it is known.
    Silent(Option<u32>),
    /// The owner can serve nobody else at this moment: why, where nobody is served later, either.
    Unable(Error),
    /// The owner serves another file, or another user.
    Refused(Error),
}

/// The result of a call over a connection.
pub(crate) enum Done {
    Answer(Vec<u8>),
    Failed(Error),
    /// The call ended in the middle of a message: the connection is of no more use.
    Broken(Error),
    /// The owner has ended, or gives the file up: the call may have been carried out.
    Lost,
}
