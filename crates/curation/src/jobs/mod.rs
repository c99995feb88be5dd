//! Steps of jobs that compare memories with each other.

pub(crate) mod conflicts;
pub(crate) mod nodes;
mod relations;
mod report;
mod suspected;
pub(crate) mod twins;

use annals_types::{JudgeError, Reasoned};

use annals_engine::Error;

/// The name of the count of pairs for which the judge gave an answer that cannot be understood.
pub(crate) const NOT_UNDERSTOOD: &str = "not understood";

/// The answer of a judge about a pair. An answer that cannot be understood is none: it must not
/// hold up the other pairs, and asked again at once it would be the same. A judge that gives no
/// answer at all is an error, and the pair waits.
pub(crate) fn understood<T>(
    said: Result<Reasoned<T>, JudgeError>,
) -> Result<Option<Reasoned<T>>, Error> {
    match said {
        Ok(said) => Ok(Some(said)),
        Err(JudgeError::BadAnswer { what, .. }) => {
            tracing::warn!(
                what,
                "an answer is not understood; the pair of memories counts as not judged"
            );
            Ok(None)
        }
        Err(error) => Err(Error::judge(&error)),
    }
}
