//! Addresses of servers as arguments.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use crate::texts::text;

/// A port of this machine, or an address with its port.
pub(crate) fn address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(port) = text.parse::<u16>() {
        return Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    }
    let named = text.replacen("localhost:", "127.0.0.1:", 1);
    named.parse().map_err(|_| text!("serve-port"))
}
