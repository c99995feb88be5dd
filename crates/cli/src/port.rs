//! The port of a server on this machine, before other users of it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use crate::texts::text;

/// Keeps the other loopback address of a port from everybody: a client that is told `localhost` may try it first, and
/// whoever listens there is given its token.
#[derive(Debug)]
pub(crate) struct Twin {
    /// Bound, and never listened at: who tries it is refused, and takes the address of the server.
    #[cfg(unix)]
    _socket: Option<rustix::fd::OwnedFd>,
}

impl Twin {
    /// Keeps the twin of an address of a server; answers what to say where somebody else has it.
    pub(crate) fn of(address: SocketAddr) -> (Self, Option<String>) {
        let Some(twin) = twin(address) else { return (Self::none(), None) };
        match Self::bind(twin) {
            Ok(held) => (held, None),
            Err(in_use) => {
                (Self::none(), in_use.then(|| text!("serve-twin-taken", address = twin)).map(|told| told + &by(twin)))
            }
        }
    }

    #[cfg(unix)]
    fn bind(address: SocketAddr) -> Result<Self, bool> {
        use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, socket_with, sockopt};
        let family = if address.is_ipv6() { AddressFamily::INET6 } else { AddressFamily::INET };
        let in_use = |error: rustix::io::Errno| error == rustix::io::Errno::ADDRINUSE;
        let flags = if cfg!(target_os = "linux") { SocketFlags::CLOEXEC } else { SocketFlags::empty() };
        let socket = socket_with(family, SocketType::STREAM, flags, None).map_err(in_use)?;
        if address.is_ipv6() {
            sockopt::set_ipv6_v6only(&socket, true).map_err(in_use)?;
        }
        bind(&socket, &address).map_err(in_use)?;
        Ok(Self { _socket: Some(socket) })
    }

    #[cfg(not(unix))]
    fn bind(_: SocketAddr) -> Result<Self, bool> {
        Ok(Self::none())
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

/// Who listens at an address, in words behind a sentence, if that is another user and the system tells it.
pub(crate) fn by(address: SocketAddr) -> String {
    match listener(address) {
        Some(user) => text!("serve-listens-there", user),
        None => String::new(),
    }
}

#[cfg(target_os = "linux")]
fn listener(address: SocketAddr) -> Option<String> {
    let table = if address.is_ipv6() { "/proc/net/tcp6" } else { "/proc/net/tcp" };
    let table = std::fs::read_to_string(table).ok()?;
    let user = table.lines().skip(1).find_map(|line| listens(line, address))?;
    (user != annals_private::own_user()).then(|| annals_private::user_name(user))
}

#[cfg(not(target_os = "linux"))]
fn listener(_: SocketAddr) -> Option<String> {
    None
}

/// The user of a line of the table of connections, if that listens at an address or at all of them.
#[cfg(target_os = "linux")]
fn listens(line: &str, address: SocketAddr) -> Option<u32> {
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
            let words = octets.chunks_exact(4).filter_map(|word| <[u8; 4]>::try_from(word).ok());
            words.map(|word| format!("{:08X}", u32::from_ne_bytes(word))).collect()
        }
    };
    (host == own || host.bytes().all(|digit| digit == b'0')).then(|| user.parse().ok())?
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_other_loopback_address_is_kept_while_a_server_runs() {
        let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        let twin = SocketAddr::new(Ipv6Addr::LOCALHOST.into(), address.port());
        let (held, told) = Twin::of(address);
        assert_eq!(told, None);
        assert!(std::net::TcpListener::bind(twin).is_err() && std::net::TcpStream::connect(twin).is_err());
        drop(held);
        let other = std::net::TcpListener::bind(twin).unwrap();
        assert!(Twin::of(address).1.is_some_and(|told| told.contains("[::1]")));
        drop(other);
        assert!(Twin::of("192.0.2.1:80".parse().unwrap()).1.is_none());
    }

    #[test]
    fn who_listens_is_read_from_the_table() {
        let line = "   1: 0100007F:4A2E 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1001        0 5 1 0";
        let at = |port: u16| SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port);
        assert_eq!(listens(line, at(0x4A2E)), Some(1001));
        assert_eq!(listens(line, at(0x4A2F)), None);
        assert_eq!(listens(&line.replace(" 0A ", " 01 "), at(0x4A2E)), None);
        assert_eq!(listens("", at(1)), None);
    }
}
