//! Whose connection it is.

use tokio::net::TcpStream;

/// The user at the other end of a connection of this machine; none where the system does not tell.
#[cfg(target_os = "linux")]
pub(super) fn user_of(stream: &TcpStream) -> Option<u32> {
    let (peer, own) = (stream.peer_addr().ok()?, stream.local_addr().ok()?);
    if !peer.ip().to_canonical().is_loopback() && peer.ip() != own.ip() {
        return None;
    }
    linux::user_of(peer, own)
}

/// Other systems tell it to nobody but the administrator.
#[cfg(not(target_os = "linux"))]
pub(super) fn user_of(_: &TcpStream) -> Option<u32> {
    None
}

/// Whether a user is the one that this server works for.
pub(super) fn is_own(user: Option<u32>) -> bool {
    #[cfg(unix)]
    return user == Some(annals_private::own_user());
    #[cfg(not(unix))]
    {
        let _ = user;
        false
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fmt::Write as _;
    use std::net::{IpAddr, SocketAddr};

    /// Looks for the other end among the sockets of this machine.
    pub(super) fn user_of(peer: SocketAddr, own: SocketAddr) -> Option<u32> {
        // A socket of version 6 serves clients of version 4, which have sockets of their own kind.
        let canonical =
            |address: SocketAddr| SocketAddr::new(address.ip().to_canonical(), address.port());
        find("/proc/net/tcp", canonical(peer), canonical(own))
            .or_else(|| find("/proc/net/tcp6", peer, own))
    }

    fn find(table: &str, peer: SocketAddr, own: SocketAddr) -> Option<u32> {
        user_in(
            &std::fs::read_to_string(table).ok()?,
            &shown(peer),
            &shown(own),
        )
    }

    /// The owner of the socket that leads from `peer` to `own`, in a table of sockets.
    pub(super) fn user_in(table: &str, peer: &str, own: &str) -> Option<u32> {
        table.lines().skip(1).find_map(|line| {
            let mut fields = line.split_whitespace().skip(1);
            let ends = (fields.next()?, fields.next()?);
            if ends != (peer, own) {
                return None;
            }
            fields.nth(4)?.parse().ok()
        })
    }

    /// An address as the tables show it: words of four bytes in the order of the machine.
    pub(super) fn shown(address: SocketAddr) -> String {
        let mut shown = String::new();
        let bytes = match address.ip() {
            IpAddr::V4(ip) => ip.octets().to_vec(),
            IpAddr::V6(ip) => ip.octets().to_vec(),
        };
        for word in bytes.as_chunks::<4>().0 {
            let _text_takes_it = write!(shown, "{:08X}", u32::from_ne_bytes(*word));
        }
        let _text_takes_it = write!(shown, ":{:04X}", address.port());
        shown
    }

    #[cfg(all(test, target_endian = "little"))]
    mod tests {
        use super::{shown, user_in};

        const TABLE: &str = "\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:4DA4 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 9 1
   1: 0100007F:D2F0 0100007F:4DA4 01 00000000:00000000 00:00000000 00000000  1001        0 9 1
";

        #[test]
        fn the_user_of_the_other_end_stands_in_the_table() {
            let (peer, own) = (
                "127.0.0.1:54000".parse().unwrap(),
                "127.0.0.1:19876".parse().unwrap(),
            );
            assert_eq!(user_in(TABLE, &shown(peer), &shown(own)), Some(1001));
            assert_eq!(user_in(TABLE, &shown(own), &shown(peer)), None);
            assert_eq!(user_in("", &shown(peer), &shown(own)), None);
            assert_eq!(
                shown("[::1]:80".parse().unwrap()),
                "00000000000000000000000001000000:0050"
            );
        }
    }
}
