//! The token that clients over HTTP bring. It stands beside the database, where its user alone can
//! read it.

use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use annals_private::OpenOwn;

use crate::failure::{Exit, Failure};
use crate::texts::text;

/// The random bytes of a token; it has two digits for each.
const BYTES: usize = 32;

/// A file that is longer holds something else.
const LONGEST: u64 = 1024;

/// The file with the token of a database.
pub(crate) fn file_of(database: &Path) -> PathBuf {
    annals::storage::beside(database, ".token")
}

/// The token of a database, which is made where there is none.
pub(crate) fn find_or_make(database: &Path) -> Result<String, Failure> {
    let file = file_of(database);
    if let Some(folder) = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        annals_private::make_folder(folder).map_err(|cause| {
            Failure::file(&text!("common-make-database-folder"), folder, &cause)
        })?;
    }
    match make(&file) {
        Ok(token) => Ok(token),
        // An earlier run has made it, or another process just now.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => read(&file),
        Err(error) => Err(Failure::file(&text!("serve-make-token"), &file, &error)),
    }
}

fn make(file: &Path) -> std::io::Result<String> {
    if file.symlink_metadata().is_ok() {
        return Err(ErrorKind::AlreadyExists.into());
    }
    let mut random = [0; BYTES];
    getrandom::fill(&mut random).map_err(std::io::Error::other)?;
    let token: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    // The file takes its place whole: another process may read it at once.
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let mut fresh = tempfile::Builder::new()
        .prefix(".annals-token")
        .tempfile_in(folder)?;
    writeln!(fresh, "{token}")?;
    fresh.as_file().sync_all()?;
    fresh.persist_noclobber(file).map_err(|error| error.error)?;
    Ok(token)
}

/// Reads a token, unless others can read it as well.
fn read(file: &Path) -> Result<String, Failure> {
    let failed = |cause: &std::io::Error| Failure::file(&text!("common-read"), file, cause);
    let opened = OpenOwn::new().open(file).map_err(|cause| failed(&cause))?;
    let refused = |why: String| Failure::new(Exit::Unwritable, why).at(file, None);
    let found = opened.metadata().map_err(|cause| failed(&cause))?;
    if annals_private::is_open_to_others(&found) {
        return Err(
            refused(text!("serve-token-not-private", path = file.display())).advice(text!(
                "serve-token-not-private-advice",
                path = file.display()
            )),
        );
    }
    let mut token = String::new();
    let found = opened
        .take(LONGEST)
        .read_to_string(&mut token)
        .map_err(|cause| failed(&cause))?;
    let token = token.trim();
    let fits = token.len() >= BYTES && token.bytes().all(|byte| byte.is_ascii_graphic());
    if !fits || u64::try_from(found).is_ok_and(|found| found >= LONGEST) {
        return Err(refused(text!("serve-token-damaged", path = file.display()))
            .advice(text!("serve-token-damaged-advice", path = file.display())));
    }
    Ok(token.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{file_of, find_or_make};

    #[test]
    fn a_token_is_made_once_for_a_database() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (
            folder.path().join("a.annals"),
            folder.path().join("b.annals"),
        );
        let token = find_or_make(&one).unwrap();
        assert_eq!(token.len(), 64);
        assert_eq!(find_or_make(&one).unwrap(), token);
        assert_ne!(find_or_make(&two).unwrap(), token);
    }

    #[test]
    fn a_token_that_was_cut_off_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("a.annals");
        find_or_make(&database).unwrap();
        std::fs::write(file_of(&database), "abc").unwrap();
        assert!(
            find_or_make(&database)
                .unwrap_err()
                .message
                .contains("a.annals.token")
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_token_that_another_user_made_lets_nobody_in() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("a.annals");
        find_or_make(&database).unwrap();
        if annals_private::own_user() != 0 {
            eprintln!("skipped: only the administrator can give a file to another user");
            return;
        }
        std::os::unix::fs::chown(file_of(&database), Some(65_534), None).unwrap();
        let failure = find_or_make(&database).unwrap_err();
        assert!(
            failure.message.contains("a.annals.token") && failure.message.contains("65534"),
            "{failure:?}"
        );
        assert!(failure.advice.unwrap().contains("remove"));
    }

    #[cfg(unix)]
    #[test]
    fn a_token_that_others_can_read_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("a.annals");
        find_or_make(&database).unwrap();
        let rights = |mode| {
            std::fs::set_permissions(file_of(&database), std::fs::Permissions::from_mode(mode))
                .unwrap()
        };
        assert_eq!(
            std::fs::metadata(file_of(&database))
                .unwrap()
                .permissions()
                .mode()
                & 0o777,
            0o600
        );
        rights(0o640);
        let failure = find_or_make(&database).unwrap_err();
        assert!(
            failure.message.contains("other users") && failure.advice.is_some(),
            "{failure:?}"
        );
    }
}
