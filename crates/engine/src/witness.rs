//! Tells `cargo xtask specs` under which profiles a test worked and with which embedder. Compiled
//! with the feature `witness` only.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, process};

use annals_vector::embed::BuiltinEmbedder;

use crate::Engine;
use crate::{Error, profiles};

/// The folder of the records. Nothing is written without it.
const FOLDER: &str = "ANNALS_WITNESS";

/// How many files of memories this process has closed.
static CLOSED: AtomicUsize = AtomicUsize::new(0);

impl Engine {
    /// Writes a line for each namespace: the test, its profile, and the embedder. A file that
    /// cannot be read or written leaves none, so that its test proves nothing.
    pub(crate) fn testify(&self) {
        let (Some(folder), Ok(binary), Ok(test)) = (
            env::var_os(FOLDER),
            env::var("NEXTEST_BINARY_ID"),
            env::var("NEXTEST_TEST_NAME"),
        ) else {
            return;
        };
        if let Ok(lines) = self.testimony(&format!("{binary} {test}")) {
            let number = CLOSED.fetch_add(1, Ordering::Relaxed);
            let file = PathBuf::from(folder).join(format!("{}-{number}.txt", process::id()));
            let _ = fs::File::create(file).and_then(|mut file| file.write_all(lines.as_bytes()));
        }
    }

    fn testimony(&self, test: &str) -> Result<String, Error> {
        let snapshot = self.store.snapshot()?;
        let shipped =
            self.fingerprint == annals_types::Embedder::fingerprint(&BuiltinEmbedder::new());
        let embedder = if shipped { "shipped" } else { "other" };
        let mut lines = String::new();
        for (namespace, _) in annals_records::namespace::list(&snapshot)? {
            let stock = namespace.profile == profiles::DEFAULT
                || profiles::builtin(&namespace.profile).is_some();
            let profile = if stock {
                namespace.profile.as_str()
            } else {
                "own"
            };
            let _ = writeln!(lines, "{test}\t{profile}\t{embedder}");
        }
        Ok(lines)
    }
}
