//! Names of entities, and how they are compared.

use std::collections::BTreeSet;

use annals_language::names::normalise;
use annals_storage::{KeyRange, Reads};
use annals_types::{InvalidValue, NamespaceId};

use crate::tables::NAMES;
use crate::{EntityId, GraphError};

/// The longest name or alias of an entity in bytes.
pub const MAX_NAME_BYTES: usize = 1024;

/// Checks a name: it says something, is not too long even when normalised, and holds no control
/// characters.
pub(crate) fn check(name: &str) -> Result<(), GraphError> {
    let field = "entity name";
    let normal = normalise(name);
    if normal.is_empty() {
        return Err(InvalidValue::Empty { field }.into());
    }
    let bytes = name.len().max(normal.len());
    if bytes > MAX_NAME_BYTES {
        return Err(InvalidValue::TooLong {
            field,
            bytes,
            limit: MAX_NAME_BYTES,
        }
        .into());
    }
    if name.trim() != name || name.chars().chain(normal.chars()).any(char::is_control) {
        let value: String = name.chars().take(60).collect();
        return Err(InvalidValue::BadLabel { field, value }.into());
    }
    Ok(())
}

/// Those of some other names that are none of the others, nor the name itself, in another spelling.
pub(crate) fn others(name: &str, aliases: &[String]) -> Vec<String> {
    let mut known = BTreeSet::from([normalise(name)]);
    aliases
        .iter()
        .filter(|alias| known.insert(normalise(alias)))
        .cloned()
        .collect()
}

/// The entities that have some names, as they were born, whatever they were merged into. One round
/// of reads.
pub(crate) fn holders(
    reads: &dyn Reads,
    ns: NamespaceId,
    normal: &[String],
) -> Result<Vec<Vec<EntityId>>, GraphError> {
    let ranges: Vec<KeyRange> = normal
        .iter()
        .map(|name| NAMES.within((ns, name.as_str())).into())
        .collect();
    let mut found = vec![Vec::new(); normal.len()];
    NAMES.scan_many(reads, &ranges, |range, (_, _, holder), ()| {
        if let Some(found) = found.get_mut(range) {
            found.push(holder);
        }
        Ok::<_, GraphError>(std::ops::ControlFlow::Continue(()))
    })?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_something_and_holds_no_control_characters() {
        assert!(check("").is_err());
        assert!(check("a\u{0}b").is_err());
        assert!(check(" a").is_err());
        assert!(check(&"x".repeat(1025)).is_err());
        assert!(check("他说：“好”").is_ok());
    }

    #[test]
    fn another_name_is_none_of_the_others() {
        let aliases = ["Adda", "ADA", "Ａdda", "Ada L.", "Adda"].map(str::to_owned);
        assert_eq!(others("Ada", &aliases), ["Adda", "Ada L."]);
    }
}
