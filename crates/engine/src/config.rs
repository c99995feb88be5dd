//! How an engine is opened.

use std::sync::Arc;
use std::time::Duration;

use annals_types::profile::Profile;
use annals_types::{Clock, Embedder, Redactor, SearchBackend, SystemClock};

/// The settings of an engine.
#[derive(Clone)]
pub struct Config {
    /// Where the time comes from.
    pub clock: Arc<dyn Clock>,
    /// The seed of ids; random ones without it.
    pub id_seed: Option<u64>,
    /// Embeds new memories; the built-in embedder without it.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// The profile of namespaces that name none.
    pub profile: Profile,
    /// The time zone of profiles that name none.
    pub zone: String,
    /// Searches in place of a built-in index.
    pub backend: Option<Arc<dyn SearchBackend>>,
    /// Masks texts beside the built-in rules of privacy.
    pub redactor: Option<Arc<dyn Redactor>>,
    /// File pages that are kept in memory, in bytes.
    pub cache_bytes: usize,
    /// Memory for open namespaces, in bytes.
    pub memory_bytes: u64,
    /// Whether a missing file is created.
    pub create: bool,
    /// How long another handle of the file is waited for.
    pub wait: Duration,
    /// Whether nothing is written.
    pub read_only: bool,
    /// Whether those that only read the file are not waited for.
    pub past_readers: bool,
    /// Whether the file may belong to another user.
    pub foreign: bool,
    /// Whether jobs run when they are due, on a thread of their own.
    pub scheduler: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            clock: Arc::new(SystemClock),
            id_seed: None,
            embedder: None,
            profile: Profile::default(),
            zone: "UTC".to_owned(),
            backend: None,
            redactor: None,
            cache_bytes: 32 << 20,
            memory_bytes: 1 << 30,
            create: true,
            wait: Duration::ZERO,
            read_only: false,
            past_readers: false,
            foreign: false,
            scheduler: false,
        }
    }
}
