//! Carrying out a call as a request.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use annals_engine::{Error, ErrorKind};

use crate::{Call, Caller, Serve};

thread_local! {
    static SERVING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread carries out a call for an owner. An owner must not be dropped meanwhile: it
/// would wait for the call that drops it.
#[must_use]
pub fn is_serving() -> bool {
    SERVING.get()
}

/// The time in which a thread carries out a call.
struct Serving(bool);

impl Serving {
    fn begin() -> Self {
        Self(SERVING.replace(true))
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        SERVING.set(self.0);
    }
}

/// The error of a file whose path no longer leads to it.
pub(crate) fn moved(file: &Path, pid: u32) -> Error {
    let text = format!(
        "{} was moved or replaced while process {pid} has it open; end that process, then try again",
        file.display()
    );
    Error::other(ErrorKind::Conflict, text)
}

/// Carries a call out; none when the file is closed.
pub(crate) fn carry_out(
    server: &dyn Serve,
    call: &Call,
    caller: &dyn Caller,
) -> Option<Result<Vec<u8>, Error>> {
    let Some(request) = call.request() else {
        return Some(Err(Error::bad_input(
            "a request has a name of 32 hexadecimal digits",
        )));
    };
    let _serving = Serving::begin();
    let serve =
        AssertUnwindSafe(|| annals_storage::carry_out(request, || server.serve(call, caller)));
    catch_unwind(serve).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Some(Err(Error::internal(format!(
            "the call {} panicked: {}",
            call.name,
            text.unwrap_or_default()
        ))))
    })
}
