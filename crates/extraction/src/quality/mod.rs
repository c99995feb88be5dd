//! How good an extraction is: labelled conversations, and the five numbers of what an extractor
//! and a store made of them.
//!
//! A labelled set is a JSON document of talks. Each talk has turns, the facts that are said in it
//! for the first time, and those of earlier talks that are said again in other words:
//!
//! ```json
//! {"name": "mine",
//!  "talks": [{"id": "t1",
//!    "turns": [{"role": "user", "text": "I moved to Berlin in March 2023.", "time": "2026-03-01T09:00:00Z"}],
//!    "facts": [{"id": "berlin", "text": "lives in Berlin since March 2023", "kinds": ["fact"],
//!               "says": [["Berlin"], ["move", "live"]], "not": ["left"], "details": ["Berlin", "2023"]}],
//!    "again": [{"id": "known-fact", "text": "the same in other words"}]}],
//!  "apart": [["berlin", "munich"]],
//!  "questions": [{"q": "where do I live", "facts": ["berlin"]}]}
//! ```
//!
//! A text says a fact when it holds one word of each group of `says` and none of `not`, case and
//! white space aside; without `says` it has to hold all `details`. `details` are what must survive
//! word for word: names, numbers, versions. `apart` names facts that are much alike and still two.
//!
//! ```
//! use annals_extraction::quality::{Labelled, Made, Stored};
//!
//! let set = Labelled::parse(br#"{"name": "one", "talks": [{"id": "t", "turns": [{"text": "I use Nuxt 4."}],
//!     "facts": [{"id": "f", "text": "uses Nuxt 4", "kinds": ["fact"], "details": ["Nuxt 4"]}]}]}"#)?;
//! let found = Stored { text: "The user works with Nuxt 4".into(), kind: "fact".into() };
//! let marks = set.marks(&Made { found: vec![found.clone()], stored: vec![found], answers: vec![] });
//! assert_eq!((marks.f1(), marks.details, marks.kinds), (Some(1.0), Some(1.0), Some(1.0)));
//! # Ok::<(), annals_extraction::quality::BadSet>(())
//! ```

mod marks;
mod set;

pub use marks::{Made, Marks, Stored};
pub use set::{Again, BadSet, Fact, Labelled, Question, Said, Talk};
