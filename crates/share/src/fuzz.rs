//! Frames that nobody would send: of a client to an owner, and of an owner to a client.

use std::io::{Cursor, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Duration;

use annals_engine::{Error, ErrorKind, ErrorReport};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::json;
use serde_json::value::RawValue;

use crate::frame::{self, KINDS, Kind};
use crate::link::Link;
use crate::message::{Call, Hello, Refusal, Step, Welcome};
use crate::met::{Done, Met};
use crate::tests::{Opener, call};
use crate::{Lent, Terms, Version};

/// Texts that a side of the protocol might send, whole.
fn messages() -> Vec<Vec<u8>> {
    let nothing = || RawValue::from_string("[]".to_owned()).unwrap();
    let step = Step {
        name: "namespace".to_owned(),
        args: nothing(),
    };
    let own = || vec!["clock".to_owned()];
    let welcome = Welcome {
        version: Version::own(),
        features: Vec::new(),
        host: String::new(),
        pid: 1,
        settings: [("a".to_owned(), "b".to_owned())].into(),
        own: own(),
        facts: json!({ "x": [1, null] }),
    };
    let failed = ErrorReport::from(&Error::other(ErrorKind::Locked, "no"));
    let unable = Refusal::Unable {
        pid: 7,
        why: "\u{202e}".to_owned(),
    };
    let foreign = Refusal::Protocol {
        version: Version {
            protocol: 9,
            annals: "9.9.9".to_owned(),
        },
        pid: 7,
    };
    let json = [
        serde_json::to_vec(&Hello {
            version: Version::own(),
        }),
        serde_json::to_vec(&Call::new(vec![step], "count", nothing())),
        serde_json::to_vec(&Call::new(Vec::new(), "copy", nothing())),
        serde_json::to_vec(&Call::new(Vec::new(), "pour", nothing())),
        serde_json::to_vec(&welcome),
        serde_json::to_vec(&[Refusal::Draining, Refusal::Stranger]),
        serde_json::to_vec(&Refusal::Draining),
        serde_json::to_vec(&Refusal::Keeps { own: own() }),
        serde_json::to_vec(&foreign),
        serde_json::to_vec(&Refusal::Moved { pid: 7 }),
        serde_json::to_vec(&unable),
        serde_json::to_vec(&failed),
        serde_json::to_vec(&json!([["deep"], 1e300, "half"])),
    ];
    let mut all: Vec<Vec<u8>> = json.into_iter().map(Result::unwrap).collect();
    all.extend([0, 1, u32::MAX].map(|most| most.to_le_bytes().to_vec()));
    all
}

/// The body of a frame: a message, whole, cut off or with a byte changed, or any bytes.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let message = || proptest::sample::select(messages());
    let cut = (message(), any::<proptest::sample::Index>()).prop_map(|(mut text, at)| {
        text.truncate(at.index(text.len()));
        text
    });
    let changed = (message(), any::<proptest::sample::Index>(), any::<u8>()).prop_map(
        |(mut text, at, byte)| {
            let at = at.index(text.len());
            text[at] = byte;
            text
        },
    );
    prop_oneof![4 => message(), 2 => cut, 2 => changed, 1 => proptest::collection::vec(any::<u8>(), 0..64)]
}

/// A frame, the length and kind of which may be wrong.
fn a_frame() -> impl Strategy<Value = Vec<u8>> {
    let kinds: Vec<u8> = KINDS.map(|kind| kind as u8).to_vec();
    let kind = prop_oneof![8 => proptest::sample::select(kinds), 1 => any::<u8>()];
    let lengths = vec![0, 1, 3, 1 << 16, 1 << 28, u32::MAX];
    let length =
        prop_oneof![8 => Just(None), 1 => proptest::sample::select(lengths).prop_map(Some)];
    (kind, body(), length).prop_map(|(kind, body, length)| {
        let length = length.unwrap_or_else(|| u32::try_from(body.len()).unwrap());
        [&length.to_le_bytes()[..], &[kind], &body].concat()
    })
}

fn frames(most: usize) -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(a_frame(), 0..most).prop_map(|frames| frames.concat())
}

/// As usual, but for connections, each of which takes the time of a hundred texts.
fn with_connections() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig {
        cases: usual.cases.div_ceil(16),
        failure_persistence: None,
        ..usual
    }
}

proptest! {
    #[test]
    fn fuzz_any_bytes_are_frames_or_an_error(
        bytes in prop_oneof![frames(6), proptest::collection::vec(any::<u8>(), 0..64)],
        piece in 1_usize..9,
    ) {
        let mut whole = bytes.as_slice();
        // As a socket may deliver them.
        let mut pieces = Pieces(Cursor::new(&bytes), piece);
        loop {
            let rest = whole;
            let (one, other) = (frame::read(&mut whole), frame::read(&mut pieces));
            match (one, other) {
                (Ok(Some((kind, body))), Ok(Some(same))) => {
                    prop_assert_eq!(&(kind, body.clone()), &same);
                    let mut again = Vec::new();
                    frame::write(&mut again, kind, &body).unwrap();
                    prop_assert_eq!(rest.get(..again.len()), Some(again.as_slice()));
                }
                (Ok(None), Ok(None)) => {
                    prop_assert!(rest.is_empty());
                    break;
                }
                (Err(one), Err(other)) => {
                    prop_assert_eq!(one.kind(), other.kind());
                    break;
                }
                (one, other) => prop_assert!(false, "{:?} in one piece, {:?} in several", one, other),
            }
        }
    }

    #[test]
    fn fuzz_any_message_is_read_or_refused(body in body()) {
        if let Ok(call) = serde_json::from_slice::<Call>(&body) {
            prop_assert!(call.request().is_none_or(|_| call.request.len() == 32));
        }
        if let Ok(welcome) = serde_json::from_slice::<Welcome>(&body) {
            prop_assert!(!welcome.version.is_newer_than(&welcome.version));
        }
        let _refusal = serde_json::from_slice::<Refusal>(&body).map(|refusal| serde_json::to_vec(&refusal).unwrap());
        let _failed = serde_json::from_slice::<ErrorReport>(&body).map(Error::from);
    }
}

/// A reader that gives few bytes at a time.
struct Pieces<'a>(Cursor<&'a Vec<u8>>, usize);

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let most = into.len().min(self.1);
        self.0.read(&mut into[..most])
    }
}

fn socket(folder: &Path) -> std::path::PathBuf {
    folder.join("a.annals.socket")
}

/// Sends bytes, and reads what comes back as far as anybody cares.
fn send(mut stream: UnixStream, bytes: &[u8]) {
    // The other side may have hung up at the first of them.
    let _unheard = stream
        .write_all(bytes)
        .and_then(|()| stream.shutdown(Shutdown::Write));
    let _unread = std::io::copy(&mut stream.take(1 << 20), &mut std::io::sink());
}

#[test]
fn fuzz_an_owner_outlives_any_client() {
    let folder = tempfile::tempdir().unwrap();
    // It has a part of its own, and so does not give the file up because a client asks for it.
    let opener = Opener::new(folder.path()).with_own("clock");
    let owner = opener.client().unwrap();
    let proper = Opener::new(folder.path()).client().unwrap();
    let mut calls = 0;
    let case = (any::<bool>(), frames(5));
    let outlives = |(introduced, mut bytes): (bool, Vec<u8>)| {
        if introduced {
            let mut first = Vec::new();
            let hello = serde_json::to_vec(&Hello {
                version: Version::own(),
            })
            .unwrap();
            frame::write(&mut first, Kind::Hello, &hello).unwrap();
            bytes.splice(0..0, first);
        }
        send(UnixStream::connect(socket(folder.path())).unwrap(), &bytes);
        let count: u64 = call(&proper, "count").unwrap().parse().unwrap();
        // Those of the case count as well, at most each frame of it.
        prop_assert!(count >= calls, "{} calls after {}", count, calls);
        calls = count;
        Ok(())
    };
    let outlives = std::cell::RefCell::new(outlives);
    TestRunner::new(with_connections())
        .run(&case, |case| (outlives.borrow_mut())(case))
        .unwrap();
    drop((owner, proper));
    assert_eq!(opener.opened(), 1);
}

#[test]
fn fuzz_a_client_ends_whatever_an_owner_says() {
    let folder = tempfile::tempdir().unwrap();
    let file = Opener::new(folder.path()).file().to_owned();
    let listener = UnixListener::bind(socket(folder.path())).unwrap();
    let mut welcome = Vec::new();
    let first = messages()
        .into_iter()
        .find(|text| text.starts_with(b"{\"version\"") && text.len() > 80)
        .unwrap();
    frame::write(&mut welcome, Kind::Welcome, &first).unwrap();
    let case = (any::<bool>(), frames(5));
    let ends = |(introduced, bytes): (bool, Vec<u8>)| {
        let bytes = if introduced {
            [welcome.clone(), bytes].concat()
        } else {
            bytes
        };
        std::thread::scope(|threads| {
            threads.spawn(|| send(listener.accept().unwrap().0, &bytes));
            let terms = Terms {
                wait: Duration::from_secs(2),
                ..Terms::default()
            };
            let Ok(Met::Owner(link, _)) = Link::meet(&file, &terms) else {
                return;
            };
            let (mut input, mut output) = (Cursor::new(b"words".to_vec()), Vec::new());
            let mut told = |_: &RawValue| Ok(());
            let mut lent = Lent {
                input: Some(&mut input),
                output: Some(&mut output),
                progress: Some(&mut told),
                used: false,
            };
            let done = link.call(b"{}", &mut lent, &|| {
                Err(Error::other(ErrorKind::Locked, "it has ended"))
            });
            if let Done::Answer(answer) = done {
                assert!(
                    bytes
                        .windows(answer.len().max(1))
                        .any(|part| part == answer)
                        || answer.is_empty()
                );
            }
            assert!(output.len() <= bytes.len());
        });
        Ok(())
    };
    TestRunner::new(with_connections())
        .run(&case, ends)
        .unwrap();
}
