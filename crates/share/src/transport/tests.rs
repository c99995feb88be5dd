use std::io::{ErrorKind, Read as _, Write as _};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::{Accepted, Connected, Listener, Stream, connect};

/// The two ends of a connection, and what keeps it.
struct Ends {
    listener: Listener,
    owner: Stream,
    client: Stream,
    file: PathBuf,
    _folder: tempfile::TempDir,
}

fn ends() -> Ends {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.annals");
    std::fs::write(&file, b"").unwrap();
    let listener = Listener::bind(&file).unwrap();
    let Connected::Stream(client) = connect(&file).unwrap() else {
        panic!("nobody listens")
    };
    let owner = accept(&listener);
    Ends {
        listener,
        owner,
        client,
        file,
        _folder: folder,
    }
}

fn accept(listener: &Listener) -> Stream {
    loop {
        match listener.accept().unwrap().unwrap() {
            Accepted::Client(stream) => return stream,
            Accepted::Unserved(_, error) => panic!("{error}"),
            Accepted::Nobody => {}
        }
    }
}

#[test]
fn bytes_go_both_ways_and_end_with_the_other_side() {
    let Ends { owner, client, .. } = ends();
    let bytes: Vec<u8> = (0..3_000_000_u32)
        .map(|number| number.to_le_bytes()[1])
        .collect();
    let mut back = Vec::new();
    std::thread::scope(|threads| {
        threads.spawn(|| {
            let mut taken = vec![0; bytes.len()];
            (&owner).read_exact(&mut taken).unwrap();
            (&owner).write_all(&taken).unwrap();
        });
        (&client).write_all(&bytes).unwrap();
        back.resize(bytes.len(), 0);
        (&client).read_exact(&mut back).unwrap();
    });
    assert!(back == bytes);
    (&owner).write_all(b"last").unwrap();
    drop(owner);
    let mut last = String::new();
    (&client).read_to_string(&mut last).unwrap();
    assert_eq!(last, "last");
}

#[test]
fn a_read_ends_at_its_limit_and_loses_nothing() {
    let Ends { owner, client, .. } = ends();
    client
        .set_read_timeout(Some(Duration::from_millis(30)))
        .unwrap();
    let (began, mut bytes) = (Instant::now(), [0; 4]);
    let error = (&client).read(&mut bytes).unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
        "{error}"
    );
    assert!(began.elapsed() >= Duration::from_millis(20));
    (&owner).write_all(b"late").unwrap();
    client.set_read_timeout(None).unwrap();
    (&client).read_exact(&mut bytes).unwrap();
    assert_eq!(&bytes, b"late");
}

#[test]
fn a_stream_that_is_shut_down_ends_the_read_that_waits() {
    let Ends { owner, client, .. } = ends();
    std::thread::scope(|threads| {
        let read = threads.spawn(|| (&owner).read(&mut [0; 4]).unwrap());
        std::thread::sleep(Duration::from_millis(30));
        owner.shutdown();
        assert_eq!(read.join().unwrap(), 0);
    });
    drop(owner);
    assert_eq!((&client).read(&mut [0; 4]).unwrap(), 0);
}

#[test]
fn nobody_listens_when_the_listener_is_closed() {
    let Ends {
        listener,
        owner,
        client,
        file,
        _folder,
    } = ends();
    listener.close();
    assert!(listener.accept().unwrap().is_none());
    drop((owner, client, listener));
    // Windows closes a pipe when its last read has been given up.
    let until = Instant::now() + Duration::from_secs(10);
    while !matches!(connect(&file).unwrap(), Connected::Nobody) {
        assert!(Instant::now() < until);
    }
}

#[test]
fn the_other_side_is_known() {
    let Ends { owner, client, .. } = ends();
    assert!(!owner.is_stranger() && !client.is_stranger());
    if cfg!(any(target_os = "linux", windows)) {
        assert_eq!(client.process(), Some(std::process::id()));
    }
}

/// A socket beside a file, that takes nobody and has no more room in its queue.
#[cfg(target_os = "linux")]
fn full_socket(
    file: &std::path::Path,
) -> (std::os::unix::net::UnixListener, Vec<std::os::fd::OwnedFd>) {
    use rustix::net::{
        AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, listen, socket_with,
    };
    let place = file.with_file_name("a.annals.socket");
    let listener = std::os::unix::net::UnixListener::bind(&place).unwrap();
    listen(&listener, 0).unwrap();
    let address = SocketAddrUnix::new(&place).unwrap();
    let client = || {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).unwrap();
        connect(&socket, &address).map(|()| socket)
    };
    let waiting = std::iter::from_fn(|| client().ok()).take(100).collect();
    (listener, waiting)
}

#[cfg(target_os = "linux")]
#[test]
fn a_socket_that_takes_nobody_is_not_waited_for_without_end() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().canonicalize().unwrap().join("a.annals");
    std::fs::write(&file, b"").unwrap();
    let _full = full_socket(&file);
    assert!(matches!(connect(&file).unwrap(), Connected::Busy));
    if crate::user::own() != 0 {
        eprintln!("skipped: only the administrator can give the socket to another user");
        return;
    }
    std::os::unix::fs::chown(folder.path().join("a.annals.socket"), Some(65_534), None).unwrap();
    assert!(
        matches!(connect(&file).unwrap(), Connected::Stranger(who) if who.user == Some(65_534))
    );
}

#[cfg(windows)]
#[test]
fn many_clients_come_at_once() {
    let ends = ends();
    let insist = || loop {
        if let Connected::Stream(stream) = connect(&ends.file).unwrap() {
            return stream;
        }
    };
    std::thread::scope(|threads| {
        let clients: Vec<_> = (0..40).map(|_| threads.spawn(insist)).collect();
        for _ in 0..40 {
            (&accept(&ends.listener)).write_all(b"let in").unwrap();
        }
        for client in clients {
            let mut said = String::new();
            (&client.join().unwrap()).read_to_string(&mut said).unwrap();
            assert_eq!(said, "let in");
        }
    });
}
