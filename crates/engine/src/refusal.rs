//! Requests that are understood and not carried out.

use annals_types::{MemoryId, Wording};

use crate::{ErrorKind, Missing};

/// Declares the refusals: their data, the kind of error, the name by which programs say them in
/// their own language, and the English words.
macro_rules! refusals {
    ($(
        $(#[$doc:meta])*
        $name:ident { $($place:ident: $type:ty),* }, $class:expr, $word:literal, $english:literal;
    )+) => {
        /// Why a request is not carried out, with what it is about.
        #[derive(Debug, Clone, PartialEq, thiserror::Error)]
        #[non_exhaustive]
        #[doc(hidden)]
        pub enum Refusal {
            $($(#[$doc])* #[error($english)] $name { $($place: $type),* },)+
        }

        impl Refusal {
            /// The names of all wordings.
            pub const NAMES: &[&str] = &[$(concat!("refusal-", $word)),+];

            /// What it says, apart from its words.
            #[must_use]
            pub fn wording(&self) -> Wording {
                match self {
                    $(Self::$name { $($place),* } => {
                        Wording::new(concat!("refusal-", $word), &[$((stringify!($place), $place)),*])
                    })+
                }
            }

            const fn class(&self) -> Class {
                match self {
                    $(Self::$name { .. } => $class,)+
                }
            }
        }
    };
}

/// What is wrong with a request.
enum Class {
    /// It names something that does not exist.
    Missing(Missing),
    /// It is not allowed.
    Invalid,
    /// It contradicts what is stored.
    Conflict,
}

refusals! {
    /// No decision has this number.
    NoDecision { number: u64 }, Class::Missing(Missing::Decision), "no-decision",
        "there is no decision {number}; it went with a memory, or is too old";
    /// It was taken back before.
    DecisionTakenBack { number: u64 }, Class::Conflict, "decision-taken-back",
        "decision {number} was taken back already";
    /// It has no effect that could be taken back.
    DecisionWithoutEffect { number: u64 }, Class::Invalid, "decision-without-effect",
        "decision {number} changed nothing; there is nothing to take back";
    /// It deleted a memory for good.
    DecisionDeleted { number: u64 }, Class::Invalid, "decision-deleted",
        "decision {number} deleted the memory for good; with `review.delete_after_days` \
         above 0 a profile keeps such for so many days";
    /// The status is no longer the one that was given.
    StatusChangedSince { id: String }, Class::Conflict, "status-changed-since",
        "memory {id} got another status since; say by hand which";
    /// The text that would come back was deleted.
    EarlierTextGone { id: MemoryId }, Class::Conflict, "earlier-text-gone",
        "the earlier text of memory {id} no longer exists";
    /// Something else changed the memory.
    ChangedSince { id: MemoryId }, Class::Conflict, "changed-since",
        "memory {id} was changed since; say by hand what it is to be";
    /// The last change was a deletion.
    DeletedForGood {}, Class::Invalid, "deleted-for-good",
        "the last change deleted memories for good; nothing brings them back, and nothing was changed now. \
         Name a memory to take back its own last change";
    /// The last change took a link away.
    LinkTakenAway {}, Class::Invalid, "link-taken-away",
        "the last change took a link away, which is not kept; link the two again";
    /// The last change was about too many memories.
    ChangedTooMany { change: String, limit: usize }, Class::Invalid, "changed-too-many",
        "the last change ({change}) was about more than {limit} memories and is not kept; \
         list them and change them by hand";
    /// There is no change to take back.
    NothingToUndo { minutes: f64 }, Class::Invalid, "nothing-to-undo",
        "there is no change left to take back: what was stored {minutes} minutes ago or earlier stays";
    /// The last change was an import.
    LastWasImport {}, Class::Invalid, "last-was-import",
        "the last change brought memories in from elsewhere; name a memory to take back its own last change";
    /// The last change stored turns.
    LastWasTurns {}, Class::Invalid, "last-was-turns",
        "the last change stored turns of a conversation; name a turn or a memory to take back its own last change";
    /// The time in which storing is taken back is over.
    StoredTooLongAgo { id: MemoryId, minutes: f64 }, Class::Invalid, "stored-too-long-ago",
        "memory {id} was stored {minutes} minutes ago or earlier and is not taken back; \
         delete it, or restore what it replaced";
    /// The memory that it replaced was deleted.
    ReplacedOneGone { id: MemoryId }, Class::Invalid, "replaced-one-gone",
        "memory {id} took the place of another one, which is not there any more; say its text again";
    /// The memory has changes of which nothing is kept.
    ChangedAfterStoring { id: MemoryId }, Class::Conflict, "changed-after-storing",
        "memory {id} was changed since it was stored, and how is not kept; change it by hand, or delete it";
    /// No profile has this name.
    NoProfile { name: String, known: String }, Class::Missing(Missing::Profile), "no-profile",
        "there is no profile {name:?}: it must be {known}, or one stored in this file";
    /// The profile comes along.
    BuiltinProfile { name: String }, Class::Conflict, "builtin-profile",
        "profile {name:?} comes with annals and cannot be replaced; choose another name";
    /// Memories are of kinds that a profile lacks.
    UnknownKinds { profile: String, namespace: String, kinds: String, allowed: String },
        Class::Invalid, "unknown-kinds",
        "profile {profile:?} does not know the kinds of memories in namespace {namespace:?}: {kinds}; \
         give them one of {allowed} first, or delete them";
    /// The profile mirrors nothing.
    NoMirrors { profile: String }, Class::Invalid, "no-mirrors",
        "profile {profile:?} mirrors memories in no files; use `markdown` or `agent`, or give yours [[mirrors.files]]";
    /// The profile keeps nothing for good.
    NoPromotion {}, Class::Invalid, "no-promotion",
        "the profile names no class of what is kept for good (review.promoted_class): keep it";
    /// The memory is not asked about.
    NoSuchReview { id: MemoryId }, Class::Missing(Missing::Review), "no-such-review",
        "memory {id} does not wait for a verdict of this kind";
    /// The profile refuses what the text holds.
    Sensitive { kind_of_secret: String, profile: String }, Class::Invalid, "sensitive",
        "the text holds something of the kind {kind_of_secret:?}, which profile {profile:?} refuses; \
         leave it out, or let [privacy] of the profile mask that kind";
    /// No messages are in this language.
    NoLanguage { code: String, known: String }, Class::Missing(Missing::Language), "no-language",
        "there are no messages in {code:?}: it must be {known}, or one that is added";
    /// No file of messages has this name.
    NoMessages { name: String }, Class::Missing(Missing::Language), "no-messages",
        "there are no messages {name:?}";
    /// A page does not begin there.
    NoPage {}, Class::Invalid, "no-page",
        "the place to go on from is none that a page ended with; use its `next`";
    /// Nobody suspects that the two contradict each other.
    NoSuspicion { newer: MemoryId, older: MemoryId }, Class::Missing(Missing::Suspicion), "no-suspicion",
        "no suspicion says that {newer} contradicts {older}";
    /// The proposal does not wait.
    NoProposal { id: MemoryId }, Class::Missing(Missing::Proposal), "no-proposal",
        "no proposal {id} waits; it was accepted or rejected already";
    /// A proposal would delete what an application keeps.
    KeptByApplication { id: MemoryId }, Class::Invalid, "kept-by-application",
        "memory {id} is kept by the application and is not deleted at a proposal; reject it";
    /// A memory would be linked to itself.
    SelfLink { id: MemoryId }, Class::Invalid, "self-link",
        "memory {id} cannot be linked to itself; name another one";
    /// No namespace has such a job.
    NoJob { profile: String, job: String }, Class::Missing(Missing::Job), "no-job",
        "no namespace has a profile {profile:?} with a job {job:?}";
    /// No background work has this number.
    NoTask { number: u64 }, Class::Missing(Missing::Task), "no-task",
        "there is no background work with number {number}";
    /// No line of a file is of the transcript that it should be.
    NoTranscript { format: String }, Class::Invalid, "no-transcript",
        "no line of it is of a transcript of {format}";
}

impl Refusal {
    pub(crate) const fn kind(&self) -> ErrorKind {
        match self.class() {
            Class::Missing(_) => ErrorKind::NotFound,
            Class::Invalid => ErrorKind::Invalid,
            Class::Conflict => ErrorKind::Conflict,
        }
    }

    pub(crate) const fn missing(&self) -> Option<Missing> {
        match self.class() {
            Class::Missing(what) => Some(what),
            Class::Invalid | Class::Conflict => None,
        }
    }
}
