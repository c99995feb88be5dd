use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use ring::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY, SHA256};

/// The checksum that a hub states for the content of a file, in lower-case hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Checksum {
    /// SHA-256 of the content: files in large file storage.
    Sha256(String),
    /// SHA-1 of `blob <length>\0` and the content: files in Git itself.
    Git(String),
}

impl Checksum {
    /// None when the file has this checksum, else what was expected and what it has.
    pub(super) fn differs(&self, path: &Path) -> io::Result<Option<(String, String)>> {
        let mut file = File::open(path)?;
        let (mut context, expected) = match self {
            Self::Sha256(expected) => (Context::new(&SHA256), expected),
            Self::Git(expected) => {
                let mut context = Context::new(&SHA1_FOR_LEGACY_USE_ONLY);
                context.update(format!("blob {}\0", file.metadata()?.len()).as_bytes());
                (context, expected)
            }
        };
        let mut buffer = vec![0; 1 << 18];
        loop {
            let got = file.read(&mut buffer)?;
            if got == 0 {
                break;
            }
            context.update(buffer.get(..got).unwrap_or_default());
        }
        let got: String = context
            .finish()
            .as_ref()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let name = if matches!(self, Self::Sha256(_)) {
            "SHA-256"
        } else {
            "Git hash"
        };
        Ok((got != *expected).then(|| (format!("{name} {expected}"), format!("{name} {got}"))))
    }
}

#[cfg(test)]
mod tests {
    use super::Checksum;

    #[test]
    fn known_files_have_their_known_hashes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hello");
        std::fs::write(&path, "hello\n").unwrap();
        // `sha256sum` and `git hash-object`.
        let sha = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03";
        let git = "ce013625030ba8dba906f756967f9e9ca394464a";
        assert_eq!(
            Checksum::Sha256(sha.to_owned()).differs(&path).unwrap(),
            None
        );
        assert_eq!(Checksum::Git(git.to_owned()).differs(&path).unwrap(), None);
        let (expected, got) = Checksum::Sha256("00".to_owned())
            .differs(&path)
            .unwrap()
            .unwrap();
        assert_eq!(
            (expected.as_str(), got),
            ("SHA-256 00", format!("SHA-256 {sha}"))
        );
    }
}
