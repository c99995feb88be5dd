//! The users of a machine: who stands at the other end of a socket.

use std::path::Path;

pub(crate) use annals_private::{own_user as own, user_name as name};

/// The owner and the mode of a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rights {
    pub(crate) owner: u32,
    pub(crate) mode: u32,
}

impl Rights {
    /// The owner and rights of a file itself, and not of what it links to.
    pub(crate) fn of(path: &Path) -> std::io::Result<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let found = std::fs::symlink_metadata(path)?;
        Ok(Self {
            owner: found.uid(),
            mode: found.mode(),
        })
    }
}

/// A user other than this one who may be at the other end; none where only this one can be.
///
/// The system says who it is, or else only the rights of the socket and its folder do: the socket
/// must be this user's, and nobody else may have put it there.
pub(crate) fn stranger(me: u32, peer: Option<u32>, socket: Rights, folder: Rights) -> Option<u32> {
    const STICKY: u32 = 0o1000;
    if let Some(peer) = peer {
        return (peer != me).then_some(peer);
    }
    if socket.owner != me || socket.mode & 0o077 != 0 {
        return Some(socket.owner);
    }
    // The administrator can do everything anyway.
    let others_write = folder.mode & 0o022 != 0 && folder.mode & STICKY == 0;
    ((folder.owner != me && folder.owner != 0) || others_write).then_some(folder.owner)
}

#[cfg(test)]
mod tests {
    use super::{Rights, stranger};

    const MINE: Rights = Rights {
        owner: 1000,
        mode: 0o600,
    };
    const HOME: Rights = Rights {
        owner: 1000,
        mode: 0o755,
    };

    #[test]
    fn the_system_says_who_is_at_the_other_end() {
        assert_eq!(stranger(1000, Some(1000), MINE, HOME), None);
        assert_eq!(stranger(1000, Some(1001), MINE, HOME), Some(1001));
        assert_eq!(stranger(1000, Some(0), MINE, HOME), Some(0));
        let theirs = Rights {
            owner: 1001,
            mode: 0o666,
        };
        assert_eq!(stranger(1000, Some(1000), theirs, theirs), None);
    }

    #[test]
    fn where_it_does_not_the_rights_of_socket_and_folder_do() {
        assert_eq!(stranger(1000, None, MINE, HOME), None);
        assert_eq!(
            stranger(
                1000,
                None,
                Rights {
                    owner: 1001,
                    ..MINE
                },
                HOME
            ),
            Some(1001)
        );
        assert_eq!(
            stranger(
                1000,
                None,
                Rights {
                    mode: 0o666,
                    ..MINE
                },
                HOME
            ),
            Some(1000)
        );
        assert_eq!(
            stranger(
                1000,
                None,
                MINE,
                Rights {
                    owner: 1001,
                    ..HOME
                }
            ),
            Some(1001)
        );
        assert_eq!(
            stranger(
                1000,
                None,
                MINE,
                Rights {
                    mode: 0o777,
                    ..HOME
                }
            ),
            Some(1000)
        );
        let tmp = Rights {
            owner: 0,
            mode: 0o1777,
        };
        assert_eq!(stranger(1000, None, MINE, tmp), None);
    }
}
