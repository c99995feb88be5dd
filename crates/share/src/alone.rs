//! Owners and connections on systems where processes cannot share a file yet: an owner serves its
//! own process alone, and nobody is met.

pub(crate) mod owner {
    use std::io;
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    use annals_engine::Error;

    use crate::gate::Gate;
    use crate::{Call, Caller, Serve, Settings, Version, Welcome, carry};

    pub(crate) struct Owner {
        file: PathBuf,
        server: Arc<dyn Serve>,
        gate: Arc<Gate>,
        welcome: Welcome,
    }

    impl Owner {
        #[expect(clippy::unnecessary_wraps, reason = "a socket may fail elsewhere")]
        pub(crate) fn bind(
            file: &Path,
            server: Arc<dyn Serve>,
            settings: Settings,
            own: Vec<String>,
            version: Version,
        ) -> io::Result<Self> {
            let facts = server.facts();
            let (features, host, pid) = (Vec::new(), String::new(), std::process::id());
            Ok(Self {
                file: file.to_owned(),
                server,
                gate: Gate::new(),
                welcome: Welcome { version, features, host, pid, settings, own, facts },
            })
        }

        pub(crate) fn call(&self, call: &Call, caller: &dyn Caller) -> Option<Result<Vec<u8>, Error>> {
            let _inside = self.gate.enter()?;
            if !self.server.is_in_place() {
                return Some(Err(carry::moved(&self.file, std::process::id())));
            }
            carry::carry_out(&*self.server, call, caller)
        }

        pub(crate) fn welcome(&self) -> Welcome {
            self.welcome.clone()
        }

        pub(crate) fn gate(&self) -> Arc<Gate> {
            Arc::clone(&self.gate)
        }
    }
}

pub(crate) mod link {
    use std::convert::Infallible;
    use std::io;
    use std::path::Path;

    use annals_engine::Error;

    use crate::met::{Done, Met};
    use crate::{Lent, Terms};

    pub(crate) struct Link(Infallible);

    impl Link {
        #[expect(clippy::unnecessary_wraps, reason = "a socket may fail elsewhere")]
        pub(crate) fn meet(_: &Path, _: &Terms) -> io::Result<Met> {
            Ok(Met::Nobody)
        }

        pub(crate) fn drain(&self) -> io::Result<Result<(), Vec<String>>> {
            match self.0 {}
        }

        pub(crate) fn call(&self, _: &[u8], _: &mut Lent<'_>, _: &dyn Fn() -> Result<(), Error>) -> Done {
            match self.0 {}
        }
    }
}
