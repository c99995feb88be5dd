//! A file of JSON, value by value: what stands around the records of a format is entered, and each
//! record comes whole. So a gigabyte in one line needs no more memory than its largest record.

use std::io::BufRead;

use annals_engine::Error;
use serde_json::Value;

use super::repair::parse;
use super::scan::Bytes;
pub(super) use super::scan::{Place, unreadable};
use crate::json::{self, JsonFault};

/// How far lists and objects around records go into each other.
const MAX_ENTERED: usize = 16;

/// A part of a file.
#[derive(Debug)]
pub(super) struct Item {
    /// The names of the fields around it, `[]` for a list: `chats.list[].messages[]`.
    pub(super) path: String,
    pub(super) place: Place,
    pub(super) part: Part,
}

#[derive(Debug)]
pub(super) enum Part {
    /// A list or an object that is entered begins.
    Begin,
    /// It ends.
    End,
    /// A value as it is written.
    Whole(Vec<u8>),
    /// What is no JSON; reading goes on behind it.
    Broken { bytes: Vec<u8>, fault: JsonFault },
}

impl Item {
    /// Its value.
    ///
    /// # Errors
    /// Where it is no JSON, with the place of the fault.
    pub(super) fn value(&self) -> Result<Value, (Place, JsonFault)> {
        let bytes = match &self.part {
            Part::Whole(bytes) => bytes,
            Part::Broken { fault, .. } => return Err((self.place, fault.clone())),
            Part::Begin | Part::End => return Ok(Value::Null),
        };
        parse(bytes).map_err(|error| {
            let line = u64::try_from(error.line()).unwrap_or(1).max(1);
            let column = u64::try_from(error.column()).unwrap_or(0);
            let first = line == 1;
            let place = Place {
                line: self.place.line + line - 1,
                column: if first {
                    self.place.column + column.saturating_sub(1)
                } else {
                    column
                },
            };
            (place, json::fault_of_text(&error))
        })
    }
}

/// A list or an object around what is read.
struct Around {
    is_list: bool,
    /// The length of the path of what holds it.
    above: usize,
    /// Nothing of it was read.
    fresh: bool,
}

/// The parts of a file, in order.
pub(super) struct Items<'a> {
    bytes: Bytes<'a>,
    entered: &'a [&'a str],
    around: Vec<Around>,
    path: String,
    ended: bool,
    /// The end of what was entered that comes next.
    closing: bool,
}

impl<'a> Items<'a> {
    /// Of a file; `entered` are the paths of records.
    pub(super) fn new(input: &'a mut dyn BufRead, entered: &'a [&'a str]) -> Self {
        let bytes = Bytes::new(input);
        Self {
            bytes,
            entered,
            around: Vec::new(),
            path: String::new(),
            ended: false,
            closing: false,
        }
    }

    /// The next part; `None` behind the last one.
    ///
    /// # Errors
    /// Where the file cannot be read, or not be understood from here on.
    pub(super) fn next(&mut self) -> Result<Option<Item>, Error> {
        loop {
            if self.ended {
                return Ok(None);
            }
            if std::mem::take(&mut self.closing) {
                return Ok(Some(self.leave()));
            }
            self.bytes.skip_blank()?;
            let Some(byte) = self.bytes.peek()? else {
                self.ended = true;
                if self.around.is_empty() {
                    return Ok(None);
                }
                let place = self.bytes.place;
                let part = Part::Broken {
                    bytes: Vec::new(),
                    fault: JsonFault::Ends,
                };
                return Ok(Some(Item {
                    path: self.path.clone(),
                    place,
                    part,
                }));
            };
            let Some(around) = self.around.last_mut() else {
                // Commas between the lines of a file that was meant to be a list.
                if byte == b',' {
                    self.bytes.take()?;
                    continue;
                }
                return self.value().map(Some);
            };
            let (is_list, fresh) = (around.is_list, std::mem::replace(&mut around.fresh, false));
            if byte == if is_list { b']' } else { b'}' } {
                self.bytes.take()?;
                self.closing = true;
                continue;
            }
            if !fresh {
                if byte != b',' {
                    return Ok(Some(self.give_up()));
                }
                self.bytes.take()?;
                self.bytes.skip_blank()?;
                // A comma before the end.
                if matches!(self.bytes.peek()?, Some(b']' | b'}') | None) {
                    continue;
                }
            }
            if is_list {
                return self.value().map(Some);
            }
            match self.field()? {
                Some(name) => {
                    let above = self.path.len();
                    if above > 0 {
                        self.path.push('.');
                    }
                    self.path.push_str(&name);
                    let item = self.value();
                    if !matches!(
                        item,
                        Ok(Item {
                            part: Part::Begin,
                            ..
                        })
                    ) {
                        self.path.truncate(above);
                    } else if let Some(around) = self.around.last_mut() {
                        around.above = above;
                    }
                    return item.map(Some);
                }
                None => return Ok(Some(self.give_up())),
            }
        }
    }

    /// The name of a field, and the colon behind it.
    fn field(&mut self) -> Result<Option<String>, Error> {
        if self.bytes.peek()? != Some(b'"') {
            return Ok(None);
        }
        let mut name = Vec::new();
        self.bytes.capture(&mut name, false)?;
        self.bytes.skip_blank()?;
        if self.bytes.peek()? != Some(b':') {
            return Ok(None);
        }
        self.bytes.take()?;
        self.bytes.skip_blank()?;
        Ok(parse(&name)
            .ok()
            .and_then(|name| name.as_str().map(str::to_owned)))
    }

    /// The rest cannot be told apart.
    fn give_up(&mut self) -> Item {
        self.ended = true;
        let column = usize::try_from(self.bytes.place.column).unwrap_or(usize::MAX);
        let part = Part::Broken {
            bytes: Vec::new(),
            fault: JsonFault::Syntax { column },
        };
        Item {
            path: self.path.clone(),
            place: self.bytes.place,
            part,
        }
    }

    fn leave(&mut self) -> Item {
        let item = Item {
            path: self.path.clone(),
            place: self.bytes.place,
            part: Part::End,
        };
        if let Some(around) = self.around.pop() {
            self.path.truncate(around.above);
        }
        item
    }

    /// Whether records stand in what has this path.
    fn is_entered(&self, path: &str) -> bool {
        self.around.len() < MAX_ENTERED
            && self.entered.iter().any(|entered| {
                let rest = entered.strip_prefix(path).unwrap_or_default();
                !rest.is_empty() && (path.is_empty() || rest.starts_with(['.', '[']))
            })
    }

    fn value(&mut self) -> Result<Item, Error> {
        let place = self.bytes.place;
        let first = self.bytes.peek()?;
        let above = self.path.len();
        let opened = match first {
            Some(b'[') => {
                let path = format!("{}[]", self.path);
                // A list of records is entered, whatever the path of a single record is.
                let entered = self.entered.contains(&path.as_str()) || self.is_entered(&path);
                entered.then_some((true, path))
            }
            Some(b'{') => {
                let fields = self.entered.iter().any(|entered| {
                    let rest = entered.strip_prefix(self.path.as_str()).unwrap_or_default();
                    let rest = if self.path.is_empty() {
                        rest
                    } else {
                        rest.strip_prefix('.').unwrap_or_default()
                    };
                    !rest.is_empty() && !rest.starts_with('[')
                });
                (fields && self.around.len() < MAX_ENTERED).then(|| (false, self.path.clone()))
            }
            _ => None,
        };
        if let Some((is_list, path)) = opened {
            self.bytes.take()?;
            self.around.push(Around {
                is_list,
                above,
                fresh: true,
            });
            self.path = path;
            return Ok(Item {
                path: self.path.clone(),
                place,
                part: Part::Begin,
            });
        }
        let mut bytes = Vec::new();
        let outermost = self.around.is_empty();
        let whole = self.bytes.capture(&mut bytes, outermost)?;
        let part = if outermost {
            self.outermost(bytes, whole)
        } else {
            inner(bytes, whole)
        };
        self.ended |= !outermost && matches!(part, Part::Broken { .. });
        Ok(Item {
            path: self.path.clone(),
            place,
            part,
        })
    }

    /// A value of no list: where it is over several lines and no JSON, its first line is what is
    /// broken, and the next ones are read again.
    fn outermost(&mut self, mut bytes: Vec<u8>, whole: bool) -> Part {
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let fault = match (whole, end) {
            (true, None) => return Part::Whole(bytes),
            (true, Some(_)) => match parse(&bytes) {
                Ok(_) => return Part::Whole(bytes),
                Err(error) => json::fault_of_text(&error),
            },
            (false, _) => JsonFault::Ends,
        };
        if let Some(end) = end {
            let rest = bytes.split_off(end);
            self.bytes.push_back(rest);
        }
        Part::Broken { bytes, fault }
    }
}

fn inner(bytes: Vec<u8>, whole: bool) -> Part {
    if whole {
        Part::Whole(bytes)
    } else {
        Part::Broken {
            bytes,
            fault: JsonFault::Ends,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    /// The parts of a text, read through a small buffer.
    fn parts(text: &str, entered: &[&str]) -> Vec<String> {
        let mut input = BufReader::with_capacity(3, text.as_bytes());
        let mut items = Items::new(&mut input, entered);
        let mut told = Vec::new();
        while let Some(item) = items.next().unwrap() {
            let (Place { line, column }, path) = (item.place, item.path);
            told.push(match item.part {
                Part::Begin => format!("({path}"),
                Part::End => format!("{path})"),
                Part::Whole(bytes) => format!("{path}={}", String::from_utf8(bytes).unwrap()),
                Part::Broken { bytes, fault } => {
                    format!(
                        "{line}:{column} {path}! {} {fault}",
                        String::from_utf8(bytes).unwrap()
                    )
                }
            });
        }
        told
    }

    #[test]
    fn records_come_whole_and_what_stands_around_them_is_entered() {
        assert_eq!(
            parts("[{\"a\":[1]}, {\"b\":\"]\\\"\"}]", &["[]"]),
            ["([]", "[]={\"a\":[1]}", "[]={\"b\":\"]\\\"\"}", "[])"]
        );
        let chats =
            r#"{"about":"x","chats":{"list":[{"name":"Ada","messages":[{"id":1},{"id":2}]}]}}"#;
        assert_eq!(
            parts(chats, &["messages[]", "chats.list[].messages[]"]),
            [
                "(",
                "about=\"x\"",
                "(chats",
                "(chats.list[]",
                "(chats.list[]",
                "chats.list[].name=\"Ada\"",
                "(chats.list[].messages[]",
                "chats.list[].messages[]={\"id\":1}",
                "chats.list[].messages[]={\"id\":2}",
                "chats.list[].messages[])",
                "chats.list[])",
                "chats.list[])",
                "chats)",
                ")"
            ]
        );
    }

    #[test]
    fn objects_of_one_line_and_values_over_several_are_told_apart() {
        assert_eq!(
            parts("{\"a\":1}{\"b\":2}\n{\n\"c\": 3}\n", &["[]"]),
            ["={\"a\":1}", "={\"b\":2}", "={\n\"c\": 3}"]
        );
        assert_eq!(
            parts("\u{feff}1 \"two\" true\n", &[]),
            ["=1", "=\"two\"", "=true"]
        );
    }

    #[test]
    fn a_broken_line_takes_no_other_one_along() {
        for (text, told) in [
            (
                "{\"a\":1}\n{\"b\":\"cut\n{\"c\":3}",
                vec![
                    "={\"a\":1}",
                    "2:1 ! {\"b\":\"cut no JSON: it ends in the middle",
                    "={\"c\":3}",
                ],
            ),
            (
                "{\"b\":\n{\"c\":3}\n{\"d\":4}",
                vec![
                    "1:1 ! {\"b\": no JSON: it ends in the middle",
                    "={\"c\":3}",
                    "={\"d\":4}",
                ],
            ),
            (
                "{\"a\":1",
                vec!["1:1 ! {\"a\":1 no JSON: it ends in the middle"],
            ),
        ] {
            assert_eq!(parts(text, &["[]"]), told, "{text}");
        }
        assert_eq!(parts("[{\"a\":1},{\"b\"", &["[]"]).len(), 3);
        assert_eq!(
            parts("[1 2]", &["[]"]),
            [
                "([]",
                "[]=1",
                "1:4 []!  no JSON: character 4 has no place there"
            ]
        );
    }

    proptest::proptest! {
        #[test]
        fn fuzz_any_bytes_end(text in "[\\[\\]{},:\"\\\\a1 \n]{0,60}") {
            let count = parts(&text, &["[]", "a[]", "a.a[].a[]"]).len();
            proptest::prop_assert!(count <= 4 * text.len() + 4);
        }
    }
}
