//! The folders that a client works on: they name the project where the server was started
//! elsewhere.

use std::path::{Path, PathBuf};
use std::time::Duration;

use percent_encoding::percent_decode_str;
use rmcp::service::{Peer, RoleServer};

use crate::store::NameProject;
use crate::{Reach, USER_NAMESPACE, git_root};

/// How long a client may take to name its folders. One that does not answer is served without.
const ANSWER: Duration = Duration::from_secs(2);

/// The reach of the first folder of a client that lies in a repository.
#[expect(
    deprecated,
    reason = "clients of the older protocol have no other way to name their folders"
)]
pub(crate) async fn reach(peer: &Peer<RoleServer>, project: &NameProject) -> Option<Reach> {
    let names_roots = peer
        .peer_info()
        .is_some_and(|client| client.capabilities.roots.is_some());
    if !names_roots {
        return None;
    }
    let roots = tokio::time::timeout(ANSWER, peer.list_roots())
        .await
        .ok()?
        .ok()?
        .roots;
    let folder = roots
        .iter()
        .filter_map(|root| path(&root.uri))
        .find(|folder| git_root(folder).is_some())?;
    Reach::project(&project(&folder), USER_NAMESPACE).ok()
}

/// The path of a `file:` address of this machine.
fn path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = percent_decode_str(rest).decode_utf8().ok()?;
    // "/C:/work" is a path of Windows with a slash before it.
    let path = if cfg!(windows) {
        path.strip_prefix('/').unwrap_or(&path)
    } else {
        &path
    };
    Some(Path::new(path).to_owned()).filter(|path| path.is_absolute())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_this_machine_have_a_path() {
        assert_eq!(
            path("file:///home/ada/my%20notes"),
            Some(PathBuf::from("/home/ada/my notes"))
        );
        assert_eq!(
            path("file://localhost/home/ada"),
            Some(PathBuf::from("/home/ada"))
        );
        assert_eq!(path("file://server/share"), None);
        assert_eq!(path("https://example.com/home"), None);
        assert_eq!(path("file:///%ff"), None);
    }
}
