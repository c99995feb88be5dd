//! Behaviour of a process of its own: exit codes, locks, rights, pipes.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
#[cfg(unix)]
use std::time::Duration;

use tempfile::TempDir;

fn annals(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_annals"));
    command
        .env_clear()
        .env("HOME", folder)
        .env("ANNALS_SHARE", "off")
        .current_dir(folder)
        .arg("--db")
        .arg(folder.join("agent.annals"));
    command
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn remembers_and_recalls_across_processes() {
    let folder = TempDir::new().unwrap();
    let mut child = annals(folder.path())
        .args(["remember", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all("Die Katze heißt Turing.\n".as_bytes())
        .unwrap();
    let stored = child.wait_with_output().unwrap();
    assert!(stored.status.success());
    let found = annals(folder.path())
        .args(["recall", "Katze", "--json"])
        .output()
        .unwrap();
    assert!(
        String::from_utf8_lossy(&found.stdout).contains("Turing"),
        "{}",
        err(&found)
    );
    assert_eq!(
        annals(folder.path())
            .args(["list", "--nope"])
            .output()
            .unwrap()
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn a_file_in_use_elsewhere_is_code_5_and_says_by_whom() {
    let folder = TempDir::new().unwrap();
    let memory = annals::blocking::Memory::open(folder.path().join("agent.annals")).unwrap();
    for command in [&["remember", "x"][..], &["list"]] {
        let output = annals(folder.path())
            .args(["--wait", "0.01"])
            .args(command)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(5), "{}", err(&output));
        assert!(
            err(&output).contains(&std::process::id().to_string()),
            "{}",
            err(&output)
        );
    }
    let output = annals(folder.path())
        .args(["--wait", "soon", "list"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
    drop(memory);
    assert!(
        annals(folder.path())
            .args(["remember", "x"])
            .output()
            .unwrap()
            .status
            .success()
    );
}

#[test]
fn processes_that_remember_together_wait_for_each_other() {
    const PROCESSES: usize = 60;
    let folder = TempDir::new().unwrap();
    let start = |n: usize| {
        let mut command = annals(folder.path());
        command
            .args(["--wait", "600", "remember"])
            .arg(format!("fact {n}"));
        command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let all: Vec<Child> = (0..PROCESSES).map(start).collect();
    for child in all {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", err(&output));
    }
    let memory = annals::blocking::Memory::open(folder.path().join("agent.annals")).unwrap();
    assert_eq!(memory.stats().unwrap().memories, PROCESSES as u64);
    assert_eq!(memory.validate().unwrap().problems, Vec::<String>::new());
}

/// The copy of a file that is in use is what a killed process leaves: there is something to repair.
#[test]
fn commands_that_read_write_nothing_and_go_on_side_by_side() {
    let folder = TempDir::new().unwrap();
    let other = folder.path().join("other.annals");
    let memory = annals::blocking::Memory::open(&other).unwrap();
    let space = memory.namespace("user").unwrap();
    let ids: Vec<_> = (0..30)
        .map(|n| {
            space
                .remember(format!("The cat of neighbour {n} is grey."))
                .unwrap()
        })
        .collect();
    let file = folder.path().join("agent.annals");
    std::fs::copy(&other, &file).unwrap();
    drop((space, memory));
    std::fs::remove_file(&other).unwrap();
    let bytes = std::fs::read(&file).unwrap();
    let reader = annals::Options::new().read_only(true).open(&file).unwrap();
    let id = ids[0].to_string();
    let commands: [&[&str]; 13] = [
        &["recall", "which cat is grey?"],
        &["list"],
        &["show", &id],
        &["db", "stats"],
        &["doctor"],
        &["export"],
        &["show", "--explain", &id],
        &["review", "decisions"],
        &["db", "usage"],
        &["db", "verify"],
        &["graph", "triples", "--json"],
        &["graph", "entities", "--json"],
        &["graph", "merges", "--json"],
    ];
    for command in commands {
        let output = annals(folder.path())
            .args(["--wait", "0"])
            .args(command)
            .output()
            .unwrap();
        assert!(
            output.status.success() && !output.stdout.is_empty(),
            "{command:?} {}",
            err(&output)
        );
        assert_eq!(std::fs::read(&file).unwrap(), bytes, "{command:?} wrote");
    }
    let names: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["agent.annals"]);
    let output = annals(folder.path())
        .args(["--wait", "0", "remember", "x"])
        .output()
        .unwrap();
    assert_eq!(
        output.status.code(),
        Some(5),
        "a writer waits for readers: {}",
        err(&output)
    );
    drop(reader);
    assert!(
        annals(folder.path())
            .args(["remember", "x"])
            .output()
            .unwrap()
            .status
            .success()
    );
}

#[test]
fn a_slow_reader_of_the_output_keeps_nobody_from_writing() {
    let folder = TempDir::new().unwrap();
    let text = "A memory that is long enough to fill a pipe many times over. ".repeat(4000);
    let mut child = annals(folder.path())
        .args(["remember", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    assert!(child.wait().unwrap().success());
    for command in [
        &["export"][..],
        &["list", "--json"],
        &["recall", "pipe", "--json"],
    ] {
        let mut child = annals(folder.path())
            .args(command)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = child.stdout.take().unwrap();
        std::io::Read::read_exact(&mut output, &mut [0; 10]).unwrap();
        let stored = annals(folder.path())
            .args(["--wait", "0", "remember", "meanwhile"])
            .output()
            .unwrap();
        assert!(stored.status.success(), "{command:?} {}", err(&stored));
        assert!(
            child.try_wait().unwrap().is_none(),
            "{command:?} still waits for its reader"
        );
        std::io::Read::read_to_end(&mut output, &mut Vec::new()).unwrap();
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn a_file_that_is_no_database_is_code_6_and_stays_as_it_is() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("agent.annals");
    let mut noise = vec![0_u8; 100_000];
    noise
        .iter_mut()
        .zip(0_u32..)
        .for_each(|(byte, n)| *byte = n.wrapping_mul(2_654_435_761).to_be_bytes()[0]);
    for bytes in [
        b"# My notes\n".to_vec(),
        noise,
        b"SQLite format 3\0".to_vec(),
    ] {
        std::fs::write(&file, &bytes).unwrap();
        for command in [
            &["remember", "x"][..],
            &["list"],
            &["doctor"],
            &["db", "verify"],
        ] {
            let output = annals(folder.path()).args(command).output().unwrap();
            assert_eq!(
                output.status.code(),
                Some(6),
                "{command:?} {}",
                err(&output)
            );
            assert!(err(&output).contains("agent.annals"), "{}", err(&output));
        }
        assert_eq!(
            std::fs::read(&file).unwrap(),
            bytes,
            "not a byte was changed"
        );
    }
}

#[test]
fn a_folder_in_the_place_of_the_database_is_named() {
    let folder = TempDir::new().unwrap();
    std::fs::create_dir(folder.path().join("agent.annals")).unwrap();
    let output = annals(folder.path())
        .args(["remember", "x"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(4), "{}", err(&output));
    assert!(
        err(&output).contains("agent.annals: not a regular file"),
        "{}",
        err(&output)
    );
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_is_code_8() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().unwrap();
    let closed = folder.path().join("closed");
    std::fs::create_dir(&closed).unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o555)).unwrap();
    let allowed = std::fs::write(closed.join("probe"), b"").is_ok();
    if !allowed {
        let output = annals(&closed).args(["remember", "x"]).output().unwrap();
        assert_eq!(output.status.code(), Some(8), "{}", err(&output));
        assert!(err(&output).contains("closed"), "{}", err(&output));
    }
    // The administrator may write anywhere; then at least the file system of the system refuses.
    let output = annals(Path::new("/proc"))
        .args(["remember", "x"])
        .output()
        .unwrap();
    assert!(
        matches!(output.status.code(), Some(1 | 3 | 8)),
        "{:?} {}",
        output.status,
        err(&output)
    );
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(unix)]
#[test]
fn a_text_that_is_not_utf_8_is_refused_as_an_argument() {
    use std::os::unix::ffi::OsStrExt;
    let folder = TempDir::new().unwrap();
    let output = annals(folder.path())
        .arg("remember")
        .arg(std::ffi::OsStr::from_bytes(b"caf\xe9"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(4), "{}", err(&output));
    assert!(err(&output).contains("byte 3"), "{}", err(&output));
    assert!(!folder.path().join("agent.annals").exists());
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = TempDir::new().unwrap();
    let text = "A memory that is long enough to fill a pipe many times over. ".repeat(4000);
    for _ in 0..3 {
        let mut child = annals(folder.path())
            .args(["remember", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(text.as_bytes())
            .unwrap();
        assert!(child.wait().unwrap().success());
    }
    for command in [&["export"][..], &["list", "--json"]] {
        let mut child = annals(folder.path())
            .args(command)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = [0_u8; 10];
        std::io::Read::read_exact(&mut child.stdout.take().unwrap(), &mut first).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(
            output.status.success(),
            "{command:?} {:?} {}",
            output.status,
            err(&output)
        );
        assert_eq!(err(&output), "", "{command:?}");
    }
}

#[test]
fn an_import_reads_a_pipe() {
    let folder = TempDir::new().unwrap();
    let other = TempDir::new().unwrap();
    assert!(
        annals(folder.path())
            .args(["remember", "one"])
            .output()
            .unwrap()
            .status
            .success()
    );
    let exported = annals(folder.path()).arg("export").output().unwrap();
    let mut child = annals(other.path())
        .args(["import", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(&exported.stdout)
        .unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut first)
        .unwrap();
    assert_eq!(first, "stored 1 memory\n");
    assert!(child.wait().unwrap().success());
}

/// Kills imports at moments that only depend on what they have read, and goes on each time.
#[cfg(unix)]
#[test]
fn an_import_that_is_killed_goes_on_without_a_gap_or_a_double() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("chat.ndjson");
    let line = |n: usize| {
        format!(
            "{{\"session\": \"s\", \"text\": \"turn {n} {}\"}}\n",
            "and so on ".repeat(20)
        )
    };
    let text: String = (0..4000).map(line).collect();
    for (round, fifths) in [2, 3, 4].into_iter().enumerate() {
        assert!(
            Command::new("mkfifo")
                .arg(&file)
                .status()
                .unwrap()
                .success()
        );
        let mut command = annals(folder.path());
        command.arg("import").arg(&file).args(["--format", "turns"]);
        if round > 0 {
            command.arg("--resume");
        }
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut pipe = std::fs::OpenOptions::new().write(true).open(&file).unwrap();
        // Pipe and reader hold back less than a fifth.
        pipe.write_all(&text.as_bytes()[..text.len() * fifths / 5])
            .unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        drop(pipe);
        std::fs::remove_file(&file).unwrap();
    }
    std::fs::write(&file, &text).unwrap();
    let output = annals(folder.path())
        .arg("import")
        .arg(&file)
        .args(["--format", "turns", "--resume"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", err(&output));
    let memory = annals::blocking::Memory::open(folder.path().join("agent.annals")).unwrap();
    let namespace = memory.namespace("user").unwrap();
    let turns = namespace.session("s").memories(0, 10_000).unwrap();
    let numbers: Vec<String> = turns
        .iter()
        .map(|turn| turn.body.text.split(' ').nth(1).unwrap().to_owned())
        .collect();
    assert_eq!(
        numbers,
        (0..4000).map(|n| n.to_string()).collect::<Vec<_>>()
    );
    assert_eq!(namespace.transfer().unfinished().unwrap(), []);
    assert_eq!(memory.validate().unwrap().problems, Vec::<String>::new());
}

#[test]
fn a_damaged_file_is_code_6_without_a_backtrace() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("agent.annals");
    let text = "Something to remember, again and again. ".repeat(1000);
    for _ in 0..4 {
        let mut child = annals(folder.path())
            .args(["remember", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(text.as_bytes())
            .unwrap();
        assert!(child.wait().unwrap().success());
    }
    let mut bytes = std::fs::read(&file).unwrap();
    let needle = b"again and again";
    let places: Vec<usize> = bytes
        .windows(needle.len())
        .enumerate()
        .filter(|(_, window)| window == needle)
        .map(|(at, _)| at)
        .collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at] ^= 1;
    }
    std::fs::write(&file, bytes).unwrap();
    for command in [&["doctor"][..], &["list"], &["export"]] {
        let output = annals(folder.path()).args(command).output().unwrap();
        assert_eq!(
            output.status.code(),
            Some(6),
            "{command:?} {}",
            err(&output)
        );
        assert!(
            err(&output).starts_with("error:") && !err(&output).contains("panicked"),
            "{}",
            err(&output)
        );
    }
}

/// CRC-32C bit by bit, as docs/format.md names it for the head of a file.
fn crc32c(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            crc >> 1 ^ if crc & 1 == 1 { 0x82F6_3B78 } else { 0 }
        })
    })
}

#[test]
fn a_file_of_another_version_is_code_7_and_stays_as_it_is() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("agent.annals");
    assert!(
        annals(folder.path())
            .args(["remember", "x"])
            .output()
            .unwrap()
            .status
            .success()
    );
    let mut bytes = std::fs::read(&file).unwrap();
    assert_eq!(bytes[8..12], 2_u32.to_be_bytes());
    assert_eq!(bytes[24..28], crc32c(&bytes[..24]).to_be_bytes());
    bytes[8..12].copy_from_slice(&3_u32.to_be_bytes());
    let crc = crc32c(&bytes[..24]);
    bytes[24..28].copy_from_slice(&crc.to_be_bytes());
    std::fs::write(&file, &bytes).unwrap();
    for command in [
        &["remember", "x"][..],
        &["recall", "x"],
        &["list"],
        &["doctor"],
        &["import", "-"],
        &["db", "compact"],
    ] {
        let output = annals(folder.path())
            .args(command)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(
            output.status.code(),
            Some(7),
            "{command:?} {}",
            err(&output)
        );
        assert!(
            err(&output).contains("agent.annals") && err(&output).contains("newer"),
            "{}",
            err(&output)
        );
    }
    assert_eq!(
        std::fs::read(&file).unwrap(),
        bytes,
        "not a byte was changed"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_finds_no_room_is_code_8() {
    let folder = TempDir::new().unwrap();
    assert!(
        annals(folder.path())
            .args(["remember", "x"])
            .output()
            .unwrap()
            .status
            .success()
    );
    for command in [
        &["export"][..],
        &["list"],
        &["list", "--json"],
        &["completions", "bash"],
    ] {
        let full = std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = annals(folder.path())
            .args(command)
            .stdout(full)
            .output()
            .unwrap();
        assert_eq!(
            output.status.code(),
            Some(8),
            "{command:?} {}",
            err(&output)
        );
        assert!(err(&output).contains("No space left"), "{}", err(&output));
    }
}

/// Fills a file system of 32 MiB around a database. Runs as a shell script, because the file system
/// is mounted in a namespace of its own that ends with it; prints the exit codes.
#[cfg(target_os = "linux")]
const FULL_DISK: &str = r#"
mount -t tmpfs -o size=32m tmpfs "$DIR" || exit 99
cd "$DIR"
run() { "$ANNALS" --db agent.annals "$@" >> ../out 2>> ../all; echo "$1 $?" >> ../codes; }
run remember "The first memory."
dd if=/dev/zero of=filler bs=1M count=30 2> /dev/null
run import ../turns.ndjson
cp ../all ../err
cat /dev/zero > rest 2> /dev/null
run list
run recall "turn"
run doctor
rm filler rest
run doctor
run import ../turns.ndjson --resume
run doctor
"$ANNALS" --db agent.annals export > ../export
"#;

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_code_8_and_nothing_is_lost() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir(path("disk")).unwrap();
    let words = "every word of it takes some room on the disk ".repeat(8);
    let lines: String = (0..4000)
        .map(|n| format!("{{\"session\": \"s\", \"text\": \"turn {n} {words}\"}}\n"))
        .collect();
    std::fs::write(path("turns.ndjson"), lines).unwrap();
    let mut script = Command::new("unshare");
    script.args([
        "--user",
        "--map-root-user",
        "--mount",
        "sh",
        "-c",
        FULL_DISK,
    ]);
    script
        .env("ANNALS_SHARE", "off")
        .env("ANNALS", env!("CARGO_BIN_EXE_annals"))
        .env("DIR", path("disk"))
        .env("HOME", folder.path());
    let output = script.output();
    if !output.is_ok_and(|output| output.status.success()) {
        // Containers and some systems allow no mounts; then nothing can be tried here.
        assert!(
            std::env::var_os("CI").is_none(),
            "this machine lets nobody mount a file system"
        );
        eprintln!("not run: this machine lets nobody mount a file system");
        return;
    }
    let codes = std::fs::read_to_string(path("codes")).unwrap();
    let said = std::fs::read_to_string(path("err")).unwrap();
    assert_eq!(
        codes, "remember 0\nimport 8\nlist 0\nrecall 0\ndoctor 0\ndoctor 0\nimport 0\ndoctor 0\n",
        "{said}"
    );
    assert!(
        said.contains("no space is left") && said.contains("--resume"),
        "{said}"
    );
    let exported = std::fs::read_to_string(path("export")).unwrap();
    let numbers: Vec<&str> = exported
        .lines()
        .filter_map(|line| line.split("\"turn ").nth(1)?.split(' ').next())
        .collect();
    assert_eq!(
        numbers,
        (0..4000).map(|n| n.to_string()).collect::<Vec<_>>()
    );
    assert_eq!(exported.lines().count(), 4001);
}

/// A program that goes on until it is stopped, and does not outlive its test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_watched_folder_is_kept_in_step_and_the_database_stays_free() {
    let folder = TempDir::new().unwrap();
    let ok = |args: &[&str]| {
        // The watch may have the file at this moment.
        loop {
            let output = annals(folder.path()).args(args).output().unwrap();
            if output.status.code() != Some(5) {
                assert!(output.status.success(), "{}", err(&output));
                return String::from_utf8_lossy(&output.stdout).into_owned();
            }
        }
    };
    ok(&["namespace", "create", "user", "--profile", "markdown"]);
    ok(&["remember", "The user likes tea."]);
    let files = folder.path().join("files");
    let mut watch = annals(folder.path());
    watch
        .args(["sync", "--watch", "--create", "--every", "0.01"])
        .arg(&files)
        .stdout(Stdio::piped());
    let mut watch = Running(watch.spawn().unwrap());
    let mut said = BufReader::new(watch.0.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap);
    let mut heard = |word: &str| said.by_ref().find(|line| line.contains(word)).unwrap();
    heard("written");
    let path = files.join("MEMORY.md");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("The user likes tea."));
    // At once, as editors do: a file that was emptied and not written yet is written anew.
    let draft = folder.path().join("draft");
    std::fs::write(&draft, text + "\n- The user plays chess.\n").unwrap();
    std::fs::rename(&draft, &path).unwrap();
    heard("written");
    assert!(ok(&["list"]).contains("The user plays chess."));
    ok(&["remember", "The user lives in Lisbon."]);
    heard("written");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("chess") && text.contains("Lisbon"), "{text}");
}

/// What comes is taken, a bad file is named, and the end comes when it is asked for.
#[cfg(unix)]
#[test]
fn a_watched_folder_is_taken_as_it_comes() {
    let folder = TempDir::new().unwrap();
    let watched = folder.path().join("exports");
    std::fs::create_dir(&watched).unwrap();
    let file = watched.join("facts.jsonl");
    std::fs::write(&file, "{\"text\":\"The boiler is in the cellar.\"}\n").unwrap();
    let mut child = annals(folder.path())
        .args(["import", "--watch"])
        .arg(&watched)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || told.next().unwrap().unwrap();
    assert!(next().ends_with("facts.jsonl: stored 1 memory (fields)"));
    std::fs::write(watched.join("bad.json"), "[{\"colour\":\"red\"}]").unwrap();
    let grown = "{\"text\":\"The boiler is in the cellar.\"}\n{\"text\":\n{\"text\":\"The meter is in the hall.\"}\n";
    std::fs::write(&file, grown).unwrap();
    assert!(next().ends_with("facts.jsonl: stored 1 memory (fields)"));
    let killed = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    assert_eq!(next(), "stored 2 memories from 1 file");
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", err(&output));
    let said = err(&output);
    assert!(said.contains("facts.jsonl: line 2 was left out"), "{said}");
    assert!(
        said.contains("bad.json: it is JSON, but of no form that is known"),
        "{said}"
    );
    let output = annals(folder.path())
        .args(["import", "--watch", "--dry-run"])
        .arg(&watched)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_watched_leaves_the_database_free_until_something_comes() {
    let folder = TempDir::new().unwrap();
    let (watched, database) = (
        folder.path().join("exports"),
        folder.path().join("agent.annals"),
    );
    std::fs::create_dir(&watched).unwrap();
    let put = |name: &str, text: &str| {
        let line = format!("{{\"text\":{text:?}}}\n");
        std::fs::write(watched.join(name), line).unwrap();
    };
    put("first.jsonl", "The boiler is in the cellar.");
    let mut command = annals(folder.path());
    command
        .args(["--wait", "0.1", "import", "--watch"])
        .arg(&watched)
        .stdout(Stdio::piped());
    let mut watch = Running(command.spawn().unwrap());
    let mut told = BufReader::new(watch.0.stdout.take().unwrap()).lines();
    let mut next = || told.next().unwrap().unwrap();
    assert!(next().ends_with("first.jsonl: stored 1 memory (fields)"));

    // It may hold the database a moment longer.
    let memory = annals::Options::new()
        .wait(Duration::from_secs(30))
        .open(&database)
        .unwrap();
    put("second.jsonl", "The meter is in the hall.");
    memory
        .namespace("user")
        .unwrap()
        .remember("The key is under the mat.")
        .unwrap();
    drop(memory);
    assert!(next().ends_with("second.jsonl: stored 1 memory (fields)"));
    let killed = Command::new("kill")
        .args(["-TERM", &watch.0.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success() && watch.0.wait().unwrap().success());
    let memory = annals::blocking::Memory::open(&database).unwrap();
    assert_eq!(memory.stats().unwrap().memories, 3);
}
