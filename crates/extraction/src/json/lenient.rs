use serde_json::{Map, Number, Value};

const MAX_DEPTH: usize = 32;

/// Reads JSON that is nearly JSON: single and typographic quotes, quotes within strings, line
/// breaks in strings, missing or superfluous commas, full-width marks, comments, names without
/// quotes, Python's words, an end that is missing.
pub(super) struct Lenient<'a> {
    text: &'a str,
    at: usize,
    /// Whether the text ended before the value did.
    pub(super) cut: bool,
}

impl<'a> Lenient<'a> {
    pub(super) const fn new(text: &'a str, at: usize) -> Self {
        Self {
            text,
            at,
            cut: false,
        }
    }

    /// Where it has read to.
    pub(super) const fn place(&self) -> usize {
        self.at
    }

    /// The value at the place. Of one that is cut off, only a list keeps its whole elements.
    pub(super) fn value(&mut self, depth: usize) -> Option<Value> {
        self.blank();
        let Some(c) = self.peek() else {
            self.cut = true;
            return None;
        };
        match c {
            _ if depth > MAX_DEPTH => None,
            '[' | '【' => self.list(depth),
            '{' => self.object(depth),
            '"' | '\'' | '“' | '”' => self.string().map(Value::String),
            _ => self.word(),
        }
    }

    fn list(&mut self, depth: usize) -> Option<Value> {
        self.next();
        let mut items = Vec::new();
        loop {
            self.separators();
            match self.peek() {
                Some(']' | '】') => {
                    self.next();
                    return Some(Value::Array(items));
                }
                None => {
                    self.cut = true;
                    return Some(Value::Array(items));
                }
                Some(_) => {}
            }
            let value = self.value(depth + 1);
            if self.cut {
                return Some(Value::Array(items));
            }
            items.push(value?);
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.next();
        let mut fields = Map::new();
        loop {
            self.separators();
            match self.peek() {
                Some('}') => {
                    self.next();
                    return Some(Value::Object(fields));
                }
                None => {
                    self.cut = true;
                    return None;
                }
                Some(_) => {}
            }
            let name = self.name()?;
            self.blank();
            if !matches!(self.peek(), Some(':' | '：')) {
                self.cut = self.peek().is_none();
                return None;
            }
            self.next();
            let value = self.value(depth + 1);
            if self.cut {
                // Around a list that was cut off, its whole elements still count; half an element
                // does not.
                let list = value.filter(|value| {
                    depth == 0
                        && value
                            .as_array()
                            .is_some_and(|l| l.iter().all(Value::is_object))
                });
                fields.insert(name, list?);
                return Some(Value::Object(fields));
            }
            fields.insert(name, value?);
        }
    }

    fn name(&mut self) -> Option<String> {
        if matches!(self.peek(), Some('"' | '\'' | '“' | '”')) {
            return self.string();
        }
        let rest = self.rest();
        let end = rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'))
            .unwrap_or(rest.len());
        let name = rest.get(..end).filter(|name| !name.is_empty())?;
        self.at += end;
        Some(name.to_owned())
    }

    /// A string. A quote ends it only when what follows could follow a string.
    fn string(&mut self) -> Option<String> {
        let open = self.next()?;
        let closes = |c: char| match open {
            '"' => c == '"',
            '\'' => c == '\'',
            _ => c == '”' || c == '“' || c == '"',
        };
        let mut text = String::new();
        while let Some(c) = self.next() {
            match c {
                '\\' => text.push(self.escape()?),
                c if closes(c) && self.may_end() => return Some(text),
                c => text.push(c),
            }
        }
        self.cut = true;
        None
    }

    fn may_end(&self) -> bool {
        let next = self.rest().trim_start().chars().next();
        next.is_none_or(|c| matches!(c, ',' | '，' | ':' | '：' | ']' | '】' | '}' | '/' | '#'))
            || self.rest().starts_with(['\n', '\r'])
    }

    fn escape(&mut self) -> Option<char> {
        let Some(c) = self.next() else {
            self.cut = true;
            return None;
        };
        Some(match c {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' | 'f' => ' ',
            'u' => self.unicode(),
            other => other,
        })
    }

    /// Four hexadecimal digits, or two times four for what lies beyond them.
    fn unicode(&mut self) -> char {
        let high = self.hex();
        let code = match high {
            Some(high @ 0xD800..=0xDBFF) if self.rest().starts_with("\\u") => {
                self.at += 2;
                self.hex().and_then(|low| {
                    Some(0x10000 + ((high - 0xD800) << 10) + low.checked_sub(0xDC00)?)
                })
            }
            other => other,
        };
        code.and_then(char::from_u32)
            .unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.rest().get(..4)?;
        let code = u32::from_str_radix(digits, 16).ok()?;
        self.at += 4;
        Some(code)
    }

    /// A number, `true`, `false`, `null`, or one of Python's words for them.
    fn word(&mut self) -> Option<Value> {
        let rest = self.rest();
        let end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '_')))
            .unwrap_or(rest.len());
        let word = rest.get(..end).filter(|word| !word.is_empty())?;
        // Half a number is another number.
        self.cut = end == rest.len();
        self.at += end;
        match word {
            "true" | "True" => Some(Value::Bool(true)),
            "false" | "False" => Some(Value::Bool(false)),
            "null" | "None" | "NaN" | "undefined" => Some(Value::Null),
            number => {
                let whole = number.parse::<i64>().ok().map(Number::from);
                let known = whole.or_else(|| number.parse::<f64>().ok().and_then(Number::from_f64));
                // One that is too large for a number is kept as it was written.
                let written = || {
                    number
                        .parse::<f64>()
                        .is_ok()
                        .then(|| Value::String(number.to_owned()))
                };
                known.map(Value::Number).or_else(written)
            }
        }
    }

    fn separators(&mut self) {
        loop {
            self.blank();
            if !matches!(self.peek(), Some(',' | '，' | ';')) {
                return;
            }
            self.next();
        }
    }

    /// Skips white space and comments.
    fn blank(&mut self) {
        loop {
            let rest = self.rest();
            let text = rest.trim_start();
            self.at += rest.len() - text.len();
            let skipped = if text.starts_with("//") {
                // One without an end of its line ends where the value may go on: it would hide the
                // rest of it.
                text.find('\n')
                    .or_else(|| text.find(['{', '}', ']']))
                    .unwrap_or(text.len())
            } else if text.starts_with("/*") {
                text.find("*/").map_or(text.len(), |end| end + 2)
            } else {
                return;
            };
            self.at += skipped;
        }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }
}
