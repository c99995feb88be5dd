//! Finds the tests of a source file and the requirements they cite.

use super::tokens::{Token, Tokens};

/// A test may cite this many requirements.
const MOST: usize = 4;

/// A test with what it cites.
pub struct Test {
    /// The path in its file: `tests::deep::a_walk`.
    pub path: String,
    /// What it proves.
    pub cites: Vec<Cite>,
    /// What it shows a part of.
    pub parts: Vec<Cite>,
}

/// A requirement that a test cites.
#[derive(Debug, PartialEq, Eq)]
pub struct Cite {
    pub id: String,
    pub line: usize,
    /// What is missing of a proof, in the words of the test.
    pub missing: String,
}

/// What a file holds: its tests, and lines that break a rule, each with the reason.
#[derive(Default)]
pub struct Found {
    pub tests: Vec<Test>,
    pub problems: Vec<(usize, String)>,
}

/// Scans one source file.
pub fn scan(source: &str) -> Found {
    let mut scan = Scan {
        tokens: Tokens::new(source),
        found: Found::default(),
        open: Vec::new(),
        next: None,
    };
    scan.items();
    scan.found
}

/// An open bracket of any kind.
enum Open {
    Module(String),
    /// The body of a test, by its place among those found.
    Test(usize),
    Other,
}

/// What the next brace at a depth opens.
struct Next {
    depth: usize,
    opens: Opens,
}

enum Opens {
    /// An attribute of a test was read, its function not yet.
    Marked,
    Module(String),
    Test(String),
    Function,
}

struct Scan<'a> {
    tokens: Tokens<'a>,
    found: Found,
    open: Vec<Open>,
    next: Option<Next>,
}

impl Scan<'_> {
    /// The next token of code; comments on the way are looked at.
    fn code(&mut self) -> Option<Token> {
        loop {
            match self.tokens.next()? {
                (line, Token::Comment(text)) => self.comment(line, &text),
                (_, token) => return Some(token),
            }
        }
    }

    fn items(&mut self) {
        let mut ahead = self.code();
        while let Some(token) = ahead {
            ahead = self.code_after(&token);
        }
    }

    /// Takes in one token; answers the one that follows what it began.
    fn code_after(&mut self, token: &Token) -> Option<Token> {
        match token {
            Token::Word(word) if word == "mod" || word == "fn" => return self.named(word == "fn"),
            Token::Mark('#') => return self.attribute(),
            Token::Mark('{') => self.brace(),
            Token::Mark('(' | '[') => self.open.push(Open::Other),
            Token::Mark('}' | ')' | ']') => self.close(),
            Token::Mark(';') if self.here() => self.next = None,
            _ => {}
        }
        self.code()
    }

    /// Whether what was read last stands at the depth that something is waited for.
    fn here(&self) -> bool {
        self.next
            .as_ref()
            .is_some_and(|next| next.depth == self.open.len())
    }

    fn await_brace(&mut self, opens: Opens) {
        self.next = Some(Next {
            depth: self.open.len(),
            opens,
        });
    }

    /// The name of a module or function. A function's type and a macro's pattern have none.
    fn named(&mut self, function: bool) -> Option<Token> {
        let marked = self.here()
            && matches!(
                self.next,
                Some(Next {
                    opens: Opens::Marked,
                    ..
                })
            );
        let token = self.code()?;
        match (&token, function) {
            (Token::Word(name), false) => self.await_brace(Opens::Module(name.clone())),
            (Token::Word(name), true) if marked => self.await_brace(Opens::Test(name.clone())),
            // A macro makes the name up.
            (Token::Mark('$'), true) if marked => self.await_brace(Opens::Test("$".to_owned())),
            (Token::Word(_), true) => self.await_brace(Opens::Function),
            _ => return Some(token),
        }
        self.code()
    }

    /// The rest of an attribute; remembers when it is that of a test.
    fn attribute(&mut self) -> Option<Token> {
        let token = self.code()?;
        if token != Token::Mark('[') {
            return Some(token);
        }
        let (mut depth, mut path, mut last) = (1, true, String::new());
        while depth > 0 {
            match self.code()? {
                Token::Mark('[' | '(' | '{') => (depth, path) = (depth + 1, false),
                Token::Mark(']' | ')' | '}') => depth -= 1,
                Token::Mark(':') => {}
                Token::Mark(_) => path = false,
                Token::Word(word) if path => last = word,
                _ => {}
            }
        }
        if last == "test" {
            self.await_brace(Opens::Marked);
        }
        self.code()
    }

    fn brace(&mut self) {
        let opens = if self.here() {
            self.next.take().map(|next| next.opens)
        } else {
            None
        };
        let opened = match opens {
            Some(Opens::Module(name)) => Open::Module(name),
            Some(Opens::Test(name)) => Open::Test(self.test(&name)),
            Some(Opens::Function | Opens::Marked) | None => Open::Other,
        };
        self.open.push(opened);
    }

    fn close(&mut self) {
        self.open.pop();
        if self
            .next
            .as_ref()
            .is_some_and(|next| next.depth > self.open.len())
        {
            self.next = None;
        }
    }

    /// Begins a test in the modules that are open.
    fn test(&mut self, name: &str) -> usize {
        let modules = self.open.iter().filter_map(|open| match open {
            Open::Module(module) => Some(module.as_str()),
            _ => None,
        });
        let path = modules.chain([name]).collect::<Vec<_>>().join("::");
        self.found.tests.push(Test {
            path,
            cites: Vec::new(),
            parts: Vec::new(),
        });
        self.found.tests.len() - 1
    }

    fn comment(&mut self, line: usize, text: &str) {
        let Some((head, ids)) = text.split_once(':') else {
            return;
        };
        if !cites(head) {
            return;
        }
        if let Err(reason) = self.cite(head, ids, line) {
            self.found.problems.push((line, reason));
        }
    }

    fn cite(&mut self, head: &str, ids: &str, line: usize) -> Result<(), String> {
        checked(head, "//")?;
        let inside = self.open.iter().find_map(|open| match open {
            Open::Test(test) => Some(*test),
            _ => None,
        });
        let test = inside.and_then(|test| self.found.tests.get_mut(test));
        let test = test.ok_or_else(|| format!("{} cited outside a test", ids.trim()))?;
        if test.path.ends_with('$') {
            return Err(format!("{} cited by a test that a macro names", ids.trim()));
        }
        test.cite(head, ids, line)
    }
}

impl Test {
    /// Takes in what a comment of the test says.
    fn cite(&mut self, head: &str, ids: &str, line: usize) -> Result<(), String> {
        let (ids, missing) = if head == "part" {
            ids.split_once(';').unwrap_or((ids, ""))
        } else {
            (ids, "")
        };
        let cites = if head == "part" {
            &mut self.parts
        } else {
            &mut self.cites
        };
        for id in ids.split(',').map(str::trim) {
            if !is_id(id) {
                return Err(format!("`{id}` is no id of a requirement"));
            }
            if !cites.iter().any(|cite| cite.id == id) {
                cites.push(Cite {
                    id: id.to_owned(),
                    line,
                    missing: missing.trim().to_owned(),
                });
            }
        }
        if self.cites.len() > MOST {
            return Err(format!(
                "{} cites {} requirements, at most {MOST} may be",
                self.path,
                self.cites.len()
            ));
        }
        Ok(())
    }
}

/// Whether the beginning of a comment means to cite, however it is written.
fn cites(head: &str) -> bool {
    ["spec", "specs", "part", "parts"]
        .iter()
        .any(|word| head.trim().eq_ignore_ascii_case(word))
}

/// Refuses a beginning that means to cite and is not written as it must be.
fn checked(head: &str, mark: &str) -> Result<(), String> {
    if ["spec", "part"].contains(&head) {
        return Ok(());
    }
    Err(format!(
        "write `{mark} spec:` or `{mark} part:`, not `{head}:`"
    ))
}

/// Scans a Python source: methods of classes whose names begin with `test`.
pub fn scan_python(source: &str) -> Found {
    let (mut found, mut class, mut inside) = (Found::default(), None, false);
    for (place, line) in source.lines().enumerate() {
        let text = line.trim_start();
        let depth = line.len() - text.len();
        let name = |word: &str| {
            let rest = text.strip_prefix(word)?;
            Some(
                rest.split(|c: char| !c.is_alphanumeric() && c != '_')
                    .next()?
                    .to_owned(),
            )
        };
        if let (0, Some(named)) = (depth, name("class ")) {
            (class, inside) = (Some(named), false);
        } else if let (4, Some(named), Some(class)) = (depth, name("def "), &class) {
            inside = named.starts_with("test");
            if inside {
                let path = format!("{class}.{named}");
                found.tests.push(Test {
                    path,
                    cites: Vec::new(),
                    parts: Vec::new(),
                });
            }
        } else if depth == 0 && !text.is_empty() && !text.starts_with('#') {
            (class, inside) = (None, false);
        }
        let Some((head, ids)) = text
            .strip_prefix('#')
            .and_then(|comment| comment.split_once(':'))
        else {
            continue;
        };
        if !cites(head) {
            continue;
        }
        let test = if inside && depth > 4 {
            found.tests.last_mut()
        } else {
            None
        };
        let cited = checked(head.trim_start(), "#").and_then(|()| match test {
            Some(test) => test.cite(head.trim_start(), ids, place + 1),
            None => Err(format!("{} cited outside a test", ids.trim())),
        });
        found
            .problems
            .extend(cited.err().map(|reason| (place + 1, reason)));
    }
    found
}

/// A capital letter, a hyphen, two or three digits.
fn is_id(text: &str) -> bool {
    let mut chars = text.chars();
    let letter = chars.next().is_some_and(|c| c.is_ascii_uppercase());
    let digits = chars.as_str().strip_prefix('-').unwrap_or_default();
    letter && (2..=3).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests;
