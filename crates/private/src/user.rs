//! The users of a machine.

#[cfg(unix)]
use nix::unistd::{Uid, User};

/// The number of the user that this process acts for.
#[cfg(unix)]
#[must_use]
pub fn own_user() -> u32 {
    Uid::effective().as_raw()
}

/// A user as a person knows it, such as `user ada (1000)`.
#[cfg(unix)]
#[must_use]
pub fn user_name(uid: u32) -> String {
    match User::from_uid(Uid::from_raw(uid)) {
        Ok(Some(user)) => format!("user {} ({uid})", user.name),
        _ => format!("user {uid}"),
    }
}

/// Whether files of a user are used as one's own: those of this user, and of the administrator, who
/// can do everything anyway.
#[cfg(unix)]
#[must_use]
pub fn is_trusted(uid: u32) -> bool {
    uid == 0 || uid == own_user()
}

/// Another user that something belongs to; none for what may be trusted.
#[cfg(unix)]
pub(crate) fn other_owner(found: &std::fs::Metadata) -> Option<String> {
    let uid = std::os::unix::fs::MetadataExt::uid(found);
    (!is_trusted(uid)).then(|| user_name(uid))
}

/// The owners of files of Windows are those of their folder.
#[cfg(not(unix))]
pub(crate) fn other_owner(_: &std::fs::Metadata) -> Option<String> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::user_name;

    #[test]
    fn a_user_has_a_name_and_a_number() {
        assert_eq!(user_name(0), "user root (0)");
        assert_eq!(user_name(3_999_999_999), "user 3999999999");
    }
}
