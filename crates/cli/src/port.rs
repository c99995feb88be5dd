//! The port of a server on this machine, before other users of it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use crate::texts::text;

/// Keeps the other loopback address of a port from everybody: a client that is told `localhost` may
/// try it first, and whoever listens there is given its token.
#[derive(Debug)]
pub(crate) struct Twin {
    /// Bound, and never listened at: who tries it is refused, and takes the address of the server.
    #[cfg(unix)]
    _socket: Option<rustix::fd::OwnedFd>,
}

impl Twin {
    /// Keeps the twin of an address of a server; answers what to say where somebody else has it.
    pub(crate) fn of(address: SocketAddr) -> (Self, Option<String>) {
        let Some(twin) = twin(address) else {
            return (Self::none(), None);
        };
        match Self::bind(twin) {
            Ok(held) => (held, None),
            Err(in_use) => {
                let told = || text!("serve-twin-taken", address = twin, by = by(twin));
                (Self::none(), in_use.then(told))
            }
        }
    }

    #[cfg(unix)]
    fn bind(address: SocketAddr) -> Result<Self, bool> {
        use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, socket_with, sockopt};
        let family = if address.is_ipv6() {
            AddressFamily::INET6
        } else {
            AddressFamily::INET
        };
        let in_use = |error: rustix::io::Errno| error == rustix::io::Errno::ADDRINUSE;
        let flags = if cfg!(target_os = "linux") {
            SocketFlags::CLOEXEC
        } else {
            SocketFlags::empty()
        };
        let socket = socket_with(family, SocketType::STREAM, flags, None).map_err(in_use)?;
        if address.is_ipv6() {
            sockopt::set_ipv6_v6only(&socket, true).map_err(in_use)?;
        }
        bind(&socket, &address).map_err(in_use)?;
        Ok(Self {
            _socket: Some(socket),
        })
    }

    /// Looks only whether somebody has the address. Held by the standard library it would be
    /// listened at, and who tries it would wait there instead of being refused.
    #[cfg(not(unix))]
    fn bind(address: SocketAddr) -> Result<Self, bool> {
        use std::io::ErrorKind;
        match std::net::TcpListener::bind(address) {
            Ok(_) => Ok(Self::none()),
            // Windows denies an address whose owner wants it for himself alone.
            Err(error) => Err(matches!(
                error.kind(),
                ErrorKind::AddrInUse | ErrorKind::PermissionDenied
            )),
        }
    }

    const fn none() -> Self {
        Self {
            #[cfg(unix)]
            _socket: None,
        }
    }
}

/// The other loopback address of a port.
fn twin(address: SocketAddr) -> Option<SocketAddr> {
    let other = match address.ip() {
        IpAddr::V4(Ipv4Addr::LOCALHOST) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        IpAddr::V6(Ipv6Addr::LOCALHOST) => IpAddr::V4(Ipv4Addr::LOCALHOST),
        _ => return None,
    };
    Some(SocketAddr::new(other, address.port()))
}

/// Who listens at an address, in words behind a sentence, if that is another user and the system
/// tells it.
pub(crate) fn by(address: SocketAddr) -> String {
    match listener(address) {
        Some(user) => text!("serve-listens-there", user),
        None => String::new(),
    }
}

#[cfg(target_os = "linux")]
fn listener(address: SocketAddr) -> Option<String> {
    let read = |table: &str| std::fs::read_to_string(table).unwrap_or_default();
    let user = listening_user(address, &read("/proc/net/tcp"), &read("/proc/net/tcp6"))?;
    if user == annals_private::own_user() {
        return None;
    }
    let name = annals_private::user_name(user);
    Some(name.strip_prefix("user ").unwrap_or(&name).to_owned())
}

#[cfg(not(target_os = "linux"))]
fn listener(_: SocketAddr) -> Option<String> {
    None
}

/// The user who listens at an address, by the tables of connections of IPv4 and IPv6.
#[cfg(target_os = "linux")]
fn listening_user(address: SocketAddr, tcp: &str, tcp6: &str) -> Option<u32> {
    let found = |table: &str, address| {
        table
            .lines()
            .skip(1)
            .find_map(|line| user_of_line(line, address))
    };
    match address.ip() {
        IpAddr::V6(_) => found(tcp6, address),
        // A socket of IPv6 takes the address as well, unless it was made for IPv6 alone.
        IpAddr::V4(ip) => {
            let mapped = SocketAddr::new(ip.to_ipv6_mapped().into(), address.port());
            found(tcp, address).or_else(|| found(tcp6, mapped))
        }
    }
}

/// The user of a line of the table of connections, if that listens at an address or at all of them.
#[cfg(target_os = "linux")]
fn user_of_line(line: &str, address: SocketAddr) -> Option<u32> {
    const LISTEN: &str = "0A";
    let fields: Vec<&str> = line.split_whitespace().collect();
    let (local, state, user) = (*fields.get(1)?, *fields.get(3)?, *fields.get(7)?);
    let (host, port) = local.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    if state != LISTEN || port != address.port() {
        return None;
    }
    let own = match address.ip() {
        IpAddr::V4(ip) => format!("{:08X}", u32::from_ne_bytes(ip.octets())),
        IpAddr::V6(ip) => {
            let octets = ip.octets();
            let words = octets
                .chunks_exact(4)
                .filter_map(|word| <[u8; 4]>::try_from(word).ok());
            words
                .map(|word| format!("{:08X}", u32::from_ne_bytes(word)))
                .collect()
        }
    };
    let is_any = host.bytes().all(|digit| digit == b'0');
    if host == own || is_any {
        user.parse().ok()
    } else {
        None
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::texts::{Language, speaking};

    #[test]
    fn the_other_loopback_address_is_kept_while_a_server_runs() {
        let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        let twin = SocketAddr::new(Ipv6Addr::LOCALHOST.into(), address.port());
        let (held, told) = Twin::of(address);
        assert_eq!(told, None);
        assert!(
            std::net::TcpListener::bind(twin).is_err()
                && std::net::TcpStream::connect(twin).is_err()
        );
        drop(held);
        let other = std::net::TcpListener::bind(twin).unwrap();
        assert!(
            Twin::of(address)
                .1
                .is_some_and(|told| told.contains("[::1]"))
        );
        drop(other);
        assert!(Twin::of("192.0.2.1:80".parse().unwrap()).1.is_none());
    }

    const HEAD: &str =
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid";

    /// A table with one line, in which user 1001 listens.
    fn table(local: &str) -> String {
        format!("{HEAD}\n   1: {local} 0:0000 0A 00000000:00000000 00:00000000 00000000  1001  0\n")
    }

    #[test]
    fn who_listens_is_read_from_the_table() {
        let tcp = table("0100007F:4A2E");
        let at = |port: u16| SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port);
        assert_eq!(listening_user(at(0x4A2E), &tcp, HEAD), Some(1001));
        assert_eq!(listening_user(at(0x4A2F), &tcp, HEAD), None);
        assert_eq!(
            listening_user(at(0x4A2E), &tcp.replace(" 0A ", " 01 "), HEAD),
            None
        );
        assert_eq!(listening_user(at(0x4A2E), "", ""), None);
    }

    #[test]
    fn who_listens_at_all_addresses_of_ipv6_listens_at_those_of_ipv4() {
        let four = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 0x4A2E);
        let six = SocketAddr::new(Ipv6Addr::LOCALHOST.into(), 0x4A2E);
        let any = table("00000000000000000000000000000000:4A2E");
        assert_eq!(listening_user(four, HEAD, &any), Some(1001));
        assert_eq!(listening_user(six, HEAD, &any), Some(1001));
        let mapped = table("0000000000000000FFFF00000100007F:4A2E");
        assert_eq!(listening_user(four, HEAD, &mapped), Some(1001));
        assert_eq!(listening_user(six, HEAD, &mapped), None);
        let own = table("00000000000000000000000001000000:4A2E");
        assert_eq!(
            (
                listening_user(four, HEAD, &own),
                listening_user(six, HEAD, &own)
            ),
            (None, Some(1001))
        );
    }

    #[test]
    fn it_is_said_in_both_languages_that_another_user_listens() {
        let [english, chinese] = [Language::English, Language::Chinese].map(|language| {
            speaking(language, || {
                let by = text!("serve-listens-there", user = "ada (1001)");
                text!("serve-token-told", by)
            })
        });
        assert!(
            english.starts_with("another user (user ada (1001)) listens there:"),
            "{english}"
        );
        assert!(
            chinese.starts_with("另一个用户（用户 ada (1001)）在那里监听："),
            "{chinese}"
        );
    }
}
