//! A client's connection to the owner of a file.

use std::io;
use std::path::Path;
use std::time::Duration;

use annals_engine::{Error, ErrorKind, ErrorReport};
use serde_json::value::RawValue;

use crate::frame::{self, Kind};
use crate::message::{Hello, Refusal};
use crate::met::{Done, Met};
use crate::serve::Lent;
use crate::transport::{self, Connected, Stranger, Stream};
use crate::{Terms, carry};

/// How long an owner may take to introduce itself, at least and at most.
const INTRODUCTION: [Duration; 2] = [Duration::from_millis(50), Duration::from_secs(2)];

/// How long a call may be without a word before the owner is asked whether it still runs.
const SILENCE: Duration = Duration::from_secs(10);

/// A connection to an owner.
pub(crate) struct Link {
    stream: Stream,
}

impl Link {
    /// Introduces this process to the owner of a file.
    pub(crate) fn meet(file: &Path, terms: &Terms) -> io::Result<Met> {
        let stream = match transport::connect(file)? {
            Connected::Stream(stream) => stream,
            Connected::Nobody => return Ok(Met::Nobody),
            Connected::Busy => return Ok(Met::Busy),
            Connected::Stranger(who) => return Ok(Met::Refused(answered_by(file, &who))),
        };
        let [least, most] = INTRODUCTION;
        stream.set_read_timeout(Some(terms.wait.clamp(least, most)))?;
        stream.set_write_timeout(Some(SILENCE))?;
        let hello = serde_json::to_vec(&Hello {
            version: terms.version.clone(),
        })?;
        // A process that turns this one away has closed by now, maybe: what it said can be read.
        let _unheard = frame::write(&mut &stream, Kind::Hello, &hello);
        let (kind, body) = match frame::read(&mut &stream) {
            Ok(Some(found)) => found,
            Ok(None) => return Ok(Met::Nobody),
            Err(error) if is_timeout(&error) => return Ok(Met::Silent(stream.process())),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => return Err(error),
            Err(_) => return Ok(Met::Nobody),
        };
        stream.set_read_timeout(Some(SILENCE))?;
        let link = Self { stream };
        match kind {
            Kind::Welcome => Ok(Met::Owner(link, serde_json::from_slice(&body)?)),
            Kind::Refused => Ok(link.refused(serde_json::from_slice(&body)?, file)),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    fn refused(self, refusal: Refusal, file: &Path) -> Met {
        match refusal {
            Refusal::Draining | Refusal::Keeps { .. } => Met::Draining,
            Refusal::Protocol { version, pid } => Met::Foreign(self, version, pid),
            Refusal::Moved { pid } => Met::Refused(carry::moved(file, pid)),
            Refusal::Stranger => Met::Refused(stranger(file)),
            Refusal::Unable { pid, why } => Met::Unable(Error::other(
                ErrorKind::Locked,
                format!(
                    "{} is open in process {pid}, which can serve nobody else at this moment: {why}; try again, or \
                     end other programs that use it",
                    file.display()
                ),
            )),
        }
    }

    /// Asks the owner for the file. The parts for which it keeps the file, where it does.
    pub(crate) fn drain(&self) -> io::Result<Result<(), Vec<String>>> {
        frame::write(&mut &self.stream, Kind::Drain, &[])?;
        match frame::read(&mut &self.stream) {
            Ok(Some((Kind::Refused, body))) => match serde_json::from_slice(&body)? {
                Refusal::Keeps { own } => Ok(Err(own)),
                _ => Ok(Ok(())),
            },
            _ => Ok(Ok(())),
        }
    }

    /// Has a call carried out. `alive` is asked when the owner says nothing for a while.
    pub(crate) fn call(
        &self,
        body: &[u8],
        lent: &mut Lent<'_>,
        alive: &dyn Fn() -> Result<(), Error>,
    ) -> Done {
        match frame::write(&mut &self.stream, Kind::Call, body) {
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                return Done::Failed(Error::bad_input(error.to_string()));
            }
            Err(_) => return Done::Lost,
            Ok(()) => {}
        }
        loop {
            match frame::read(&mut &self.stream) {
                Ok(Some((kind, body))) => match self.take(kind, body, lent) {
                    Ok(None) => {}
                    Ok(Some(done)) => return done,
                    Err(error) => {
                        return Done::Broken(Error::io(
                            "carrying out a call in another process",
                            error,
                        ));
                    }
                },
                Err(error) if is_timeout(&error) => match alive() {
                    Ok(()) => {}
                    Err(error) => return Done::Broken(error),
                },
                _ => return Done::Lost,
            }
        }
    }

    /// Does what a frame of the owner says; the end of the call when it is one.
    fn take(&self, kind: Kind, body: Vec<u8>, lent: &mut Lent<'_>) -> io::Result<Option<Done>> {
        match kind {
            Kind::Answer => return Ok(Some(Done::Answer(body))),
            Kind::Failed => {
                let report: ErrorReport = serde_json::from_slice(&body)?;
                return Ok(Some(Done::Failed(report.into())));
            }
            Kind::Refused => return Ok(Some(Done::Lost)),
            Kind::Progress => lent.told(&serde_json::from_slice::<Box<RawValue>>(&body)?)?,
            Kind::Pull => {
                let most = body.try_into().map(u32::from_le_bytes).unwrap_or(0);
                let bytes = lent.read(most as usize)?;
                frame::write(&mut &self.stream, Kind::Input, &bytes)?;
            }
            Kind::Output => lent.write(&body)?,
            _ => return Err(io::ErrorKind::InvalidData.into()),
        }
        Ok(None)
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}

/// The error of a file for which a process of another user answers.
fn answered_by(file: &Path, who: &Stranger) -> Error {
    let (them, us) = users(who);
    let text = format!(
        "a process of {them} answers for {} at {}, and this process is {us}: nothing was sent to it; keep databases in \
         a folder that nobody else can write (chmod 700), and remove that socket if nobody was meant to share this one",
        file.display(),
        who.place.display()
    );
    Error::other(ErrorKind::Locked, text)
}

#[cfg(unix)]
fn users(who: &Stranger) -> (String, String) {
    use crate::user;
    (
        who.user
            .map_or_else(|| "another user".to_owned(), user::name),
        user::name(user::own()),
    )
}

#[cfg(not(unix))]
fn users(_: &Stranger) -> (String, String) {
    ("another user".to_owned(), "of this user".to_owned())
}

/// The error of a file whose owner belongs to another user.
fn stranger(file: &Path) -> Error {
    // On Windows a process with the rights of an administrator does not serve those without.
    let other = if cfg!(windows) {
        "of another user, or one with more rights,"
    } else {
        "of another user, who"
    };
    let text = format!(
        "{} is open in a process {other} alone may use it",
        file.display()
    );
    Error::other(ErrorKind::Locked, text)
}
