//! Command lines for clients that hand the command of a hook to a shell.

use crate::Error;

/// For `sh`, `bash` and `zsh`.
///
/// # Errors
///
/// [`Error::Unquotable`] for a word with a null character.
pub(crate) fn posix(words: &[String]) -> Result<String, Error> {
    let quoted = words.iter().map(|word| {
        let unquotable = |_| Error::Unquotable {
            text: word.clone(),
            character: '\0',
        };
        shlex::try_quote(word).map_err(unquotable)
    });
    Ok(quoted.collect::<Result<Vec<_>, _>>()?.join(" "))
}

/// For PowerShell.
///
/// # Errors
///
/// [`Error::Unquotable`] for a word with a line break or a null character.
pub(crate) fn powershell(words: &[String]) -> Result<String, Error> {
    let mut line = String::new();
    for (at, word) in words.iter().enumerate() {
        refuse(word, &['\n', '\r', '\0'])?;
        if at > 0 {
            line.push(' ');
        }
        if plain(word) {
            line.push_str(word);
        } else {
            // A quoted word in front is a text and no command, unless it is called.
            line.push_str(if at == 0 { "& '" } else { "'" });
            for c in word.chars() {
                // PowerShell ends a text at typographic quotes, too.
                let quote = matches!(c, '\'' | '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}');
                line.extend(std::iter::repeat_n(c, if quote { 2 } else { 1 }));
            }
            line.push('\'');
        }
    }
    Ok(line)
}

/// For clients on Windows that use `cmd` or PowerShell, depending on their version and on how they
/// were started: a line that means the same in both.
///
/// Words that need no quotes stand as they are. Otherwise no quoting of a program in front is the
/// same for `cmd` and PowerShell, so PowerShell is named as the program, and what is quoted for it
/// stands in double quotes, in which the characters that are refused here would be replaced.
///
/// # Errors
///
/// [`Error::Unquotable`] for a word with a character that one of the two replaces in any quotes.
pub(crate) fn windows(words: &[String]) -> Result<String, Error> {
    if words.iter().all(|word| plain(word) && !word.contains('/')) {
        return Ok(words.join(" "));
    }
    for word in words {
        refuse(
            word,
            &['"', '%', '$', '`', '!', '\u{201c}', '\u{201d}', '\u{201e}'],
        )?;
    }
    Ok(format!(
        "powershell.exe -NoProfile -NonInteractive -Command \"{}\"",
        powershell(words)?
    ))
}

/// Whether every shell takes the word as it is. A backslash is an ordinary character on Windows,
/// where this is asked.
fn plain(word: &str) -> bool {
    let within =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '\\' | '/' | '~');
    !word.is_empty() && !word.starts_with('~') && word.chars().all(within)
}

fn refuse(word: &str, characters: &[char]) -> Result<(), Error> {
    match word.chars().find(|c| characters.contains(c)) {
        Some(character) => Err(Error::Unquotable {
            text: word.to_owned(),
            character,
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn words_without_special_characters_stand_as_they_are() {
        let line = words(&["/usr/bin/annals", "hook", "codex", "Stop"]);
        assert_eq!(posix(&line).unwrap(), "/usr/bin/annals hook codex Stop");
        let line = words(&["C:\\tools\\annals.exe", "hook", "codex", "Stop"]);
        assert_eq!(
            windows(&line).unwrap(),
            "C:\\tools\\annals.exe hook codex Stop"
        );
        assert_eq!(
            powershell(&line).unwrap(),
            "C:\\tools\\annals.exe hook codex Stop"
        );
    }

    #[test]
    fn a_program_in_a_folder_with_spaces_and_brackets_is_called() {
        let line = words(&[
            "C:\\Program Files (x86)\\Ada's\\annals.exe",
            "hook",
            "codex",
            "Stop",
        ]);
        let called = "& 'C:\\Program Files (x86)\\Ada''s\\annals.exe' hook codex Stop";
        assert_eq!(powershell(&line).unwrap(), called);
        assert_eq!(
            windows(&line).unwrap(),
            format!("powershell.exe -NoProfile -NonInteractive -Command \"{called}\"")
        );
        assert_eq!(
            posix(&words(&["/home/a b/annals", "it's"])).unwrap(),
            "'/home/a b/annals' \"it's\""
        );
    }

    #[test]
    fn what_a_shell_would_replace_in_any_quotes_is_refused() {
        for text in [
            "C:\\100%\\annals.exe",
            "C:\\$x y\\annals.exe",
            "C:\\a`b\\annals.exe",
        ] {
            let refused = windows(&words(&[text])).unwrap_err();
            assert!(
                matches!(&refused, Error::Unquotable { text: named, .. } if named == text),
                "{refused}"
            );
        }
        assert!(posix(&words(&["a\0b"])).is_err());
        assert!(powershell(&words(&["a\nb"])).is_err());
    }

    proptest! {
        #[test]
        fn fuzz_a_posix_line_is_read_back_as_the_same_words(line in prop::collection::vec("[^\0]{0,12}", 1..5)) {
            let quoted = posix(&line).unwrap();
            prop_assert_eq!(shlex::split(&quoted).unwrap(), line);
        }

        #[cfg(unix)]
        #[test]
        fn a_posix_line_is_read_by_a_shell_as_the_same_words(word in "[^\0]{0,12}") {
            let line = posix(std::slice::from_ref(&word)).unwrap();
            let said = std::process::Command::new("sh").arg("-c").arg(format!("printf %s {line}")).output().unwrap();
            prop_assert_eq!(said.stdout, word.into_bytes());
        }
    }
}
