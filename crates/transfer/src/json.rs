//! JSON read into values, and what is wrong with it in words of the reader.

use std::fmt::{self, Display};

use annals_engine::Error;
use annals_types::Wording;
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, Expected, IntoDeserializer, MapAccess,
    SeqAccess, Unexpected, Visitor,
};
use serde_json::Value;

/// The most characters of a value that are shown.
const SHOWN: usize = 60;

/// What is wrong with a text that should be JSON of some form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum JsonFault {
    /// It ends in the middle.
    Ends,
    /// A character has no place there.
    Syntax { column: usize },
    /// A field is not there that must be.
    Missing { field: String },
    /// There is no such field.
    Unknown { field: String, known: String },
    /// A value is of another kind.
    Kind {
        field: String,
        given: String,
        kind: Kind,
    },
    /// A word is none of those that are allowed.
    Word {
        field: String,
        given: String,
        allowed: String,
    },
    /// A value cannot be used, for a reason that its own type gives.
    Other { field: String, reason: String },
}

/// A kind of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Whole,
    Number,
    Boolean,
    List,
    Object,
    Time,
    Id,
    Any,
}

impl Kind {
    const ALL: [Self; 9] = [
        Self::Text,
        Self::Whole,
        Self::Number,
        Self::Boolean,
        Self::List,
        Self::Object,
        Self::Time,
        Self::Id,
        Self::Any,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Whole => "whole",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::List => "list",
            Self::Object => "object",
            Self::Time => "time",
            Self::Id => "id",
            Self::Any => "any",
        }
    }
}

impl Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "a text",
            Self::Whole => "a whole number",
            Self::Number => "a number",
            Self::Boolean => "true or false",
            Self::List => "a list",
            Self::Object => "an object",
            Self::Time => {
                "a time like \"2026-01-31T18:00:00Z\", or seconds or milliseconds since 1970"
            }
            Self::Id => "a text or a number",
            Self::Any => "a value of another kind",
        })
    }
}

impl Expected for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

/// Reads a value.
///
/// # Errors
/// The first fault.
pub(super) fn read<T: DeserializeOwned>(text: &str) -> Result<T, JsonFault> {
    serde_json::from_str(text).map_err(|error| fault::<T>(text, &error))
}

/// Reads a whole document.
///
/// # Errors
/// A bad line: that of the first fault.
pub(super) fn read_document<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(bytes).map_err(|error| {
        let line = u64::try_from(error.line()).unwrap_or(u64::MAX);
        let fault = std::str::from_utf8(bytes)
            .map_or_else(|_| fault_of_text(&error), |text| fault::<T>(text, &error));
        Error::bad_line_worded(line, &fault, Some(fault.wording()))
    })
}

/// Makes a value of another one.
///
/// # Errors
/// The first fault.
pub(super) fn read_value<T: DeserializeOwned>(value: Value) -> Result<T, JsonFault> {
    T::deserialize(Reader {
        value: &value,
        path: String::new(),
        kind: Kind::Any,
    })
    .map_err(|met| met.fault)
}

/// What the error of a text is in words of its reader.
fn fault<T: DeserializeOwned>(text: &str, error: &serde_json::Error) -> JsonFault {
    match serde_json::from_str::<Value>(text) {
        Err(error) => fault_of_text(&error),
        // What a value of a text hides, such as a field that stands there twice, has the words of
        // the error.
        Ok(value) => match read_value::<T>(value) {
            Ok(_) => JsonFault::Other {
                field: String::new(),
                reason: error.to_string(),
            },
            Err(fault) => fault,
        },
    }
}

/// What is wrong with a text that is no JSON of any form.
pub(super) fn fault_of_text(error: &serde_json::Error) -> JsonFault {
    match error.classify() {
        serde_json::error::Category::Eof => JsonFault::Ends,
        _ => JsonFault::Syntax {
            column: error.column(),
        },
    }
}

impl JsonFault {
    /// A value of another kind.
    pub(super) fn of_kind(field: &str, value: &Value, kind: Kind) -> Self {
        Self::Kind {
            field: field.to_owned(),
            given: shown(value),
            kind,
        }
    }

    /// What it says, apart from its words.
    pub(super) fn wording(&self) -> Wording {
        match self {
            Self::Ends => Wording::new("json-ends", &[]),
            Self::Syntax { column } => Wording::new("json-syntax", &[("column", column)]),
            Self::Missing { field } => Wording::new("json-missing", &[("field", field)]),
            Self::Unknown { field, known } => {
                Wording::new("json-unknown", &[("field", field), ("known", known)])
            }
            Self::Kind { field, given, kind } => {
                let name = format!("json-kind-{}", kind.name());
                Wording::new(&name, &[("field", field), ("given", given)])
            }
            Self::Word {
                field,
                given,
                allowed,
            } => Wording::new(
                "json-word",
                &[("field", field), ("given", given), ("allowed", allowed)],
            ),
            Self::Other { field, reason } => {
                Wording::new("json-other", &[("field", field), ("reason", reason)])
            }
        }
    }

    /// The fault, below a field.
    fn below(mut self, above: &str) -> Self {
        let joined = |field: &str| match (above.is_empty(), field.is_empty()) {
            (true, _) => field.to_owned(),
            (_, true) => above.to_owned(),
            _ => format!("{above}.{field}"),
        };
        match &mut self {
            Self::Missing { field }
            | Self::Unknown { field, .. }
            | Self::Kind { field, .. }
            | Self::Word { field, .. }
            | Self::Other { field, .. } => *field = joined(field),
            Self::Ends | Self::Syntax { .. } => {}
        }
        self
    }
}

/// A field between backticks, or the whole.
fn named(field: &str) -> String {
    if field.is_empty() {
        "the value".to_owned()
    } else {
        format!("`{field}`")
    }
}

impl Display for JsonFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ends => f.write_str("no JSON: it ends in the middle"),
            Self::Syntax { column } => write!(f, "no JSON: character {column} has no place there"),
            Self::Missing { field } => write!(f, "`{field}` is missing"),
            Self::Unknown { field, known } => {
                write!(f, "there is no field `{field}`; there are {known}")
            }
            Self::Kind { field, given, kind } => {
                write!(f, "{} is {given}; it must be {kind}", named(field))
            }
            Self::Word {
                field,
                given,
                allowed,
            } => {
                write!(
                    f,
                    "{} is {given}; it must be one of {allowed}",
                    named(field)
                )
            }
            Self::Other { field, reason } if field.is_empty() => f.write_str(reason),
            Self::Other { field, reason } => write!(f, "`{field}`: {reason}"),
        }
    }
}

/// A fault on its way out of the values in which it was met.
#[derive(Debug)]
struct Met {
    fault: JsonFault,
    /// Whether it names its field with all of those above it.
    placed: bool,
}

impl Met {
    const fn new(fault: JsonFault) -> Self {
        Self {
            fault,
            placed: false,
        }
    }
}

impl Display for Met {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fault.fmt(f)
    }
}

impl std::error::Error for Met {}

impl de::Error for Met {
    fn custom<T: Display>(reason: T) -> Self {
        Self::new(JsonFault::Other {
            field: String::new(),
            reason: reason.to_string(),
        })
    }

    fn invalid_type(given: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let told = expected.to_string();
        let kind = Kind::ALL
            .into_iter()
            .find(|kind| kind.to_string() == told)
            .unwrap_or(Kind::Any);
        Self::new(JsonFault::Kind {
            field: String::new(),
            given: given.to_string(),
            kind,
        })
    }

    fn invalid_value(given: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(given, expected)
    }

    fn unknown_variant(given: &str, allowed: &'static [&'static str]) -> Self {
        let given = shown(&Value::from(given));
        Self::new(JsonFault::Word {
            field: String::new(),
            given,
            allowed: allowed.join(", "),
        })
    }

    fn unknown_field(field: &str, known: &'static [&'static str]) -> Self {
        Self::new(JsonFault::Unknown {
            field: field.to_owned(),
            known: known.join(", "),
        })
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(JsonFault::Missing {
            field: field.to_owned(),
        })
    }
}

/// The beginning of a value as it is written.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    let mut shown: String = text.chars().take(SHOWN).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

/// A value that is read, with its place.
struct Reader<'v> {
    value: &'v Value,
    path: String,
    /// What is read for.
    kind: Kind,
}

impl<'v> Reader<'v> {
    fn member(&self, name: &str, value: &'v Value) -> Self {
        let path = if self.path.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.path)
        };
        Self {
            value,
            path,
            kind: Kind::Any,
        }
    }

    fn element(&self, at: usize, value: &'v Value) -> Self {
        Self {
            value,
            path: format!("{}[{at}]", self.path),
            kind: Kind::Any,
        }
    }

    fn members<'r>(&'r self, members: &'v serde_json::Map<String, Value>) -> Members<'r, 'v> {
        Members {
            of: self,
            rest: members.iter(),
            next: None,
        }
    }

    /// What a visitor met here, unless it was met further inside.
    fn place(&self, met: Met) -> Met {
        if met.placed {
            return met;
        }
        let fault = match met.fault {
            JsonFault::Kind { field, kind, .. } => {
                let kind = if kind == Kind::Any { self.kind } else { kind };
                JsonFault::Kind {
                    field,
                    given: shown(self.value),
                    kind,
                }
            }
            other => other,
        };
        Met {
            fault: fault.below(&self.path),
            placed: true,
        }
    }

    fn visit<V: Visitor<'v>>(self, visitor: V, kind: Kind) -> Result<V::Value, Met> {
        let own = Self { kind, ..self };
        let read = match own.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(number), _, _) => visitor.visit_u64(number),
                (_, Some(number), _) => visitor.visit_i64(number),
                (_, _, number) => visitor.visit_f64(number.unwrap_or(f64::NAN)),
            },
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(elements) => visitor.visit_seq(Elements {
                of: &own,
                rest: elements.iter().enumerate(),
            }),
            Value::Object(members) => visitor.visit_map(own.members(members)),
        };
        read.map_err(|met| own.place(met))
    }
}

/// Reads with a seed; what that met belongs to the place of the reader.
fn read_with<'v, S: DeserializeSeed<'v>>(reader: Reader<'v>, seed: S) -> Result<S::Value, Met> {
    let Reader {
        value,
        ref path,
        kind,
    } = reader;
    let place = Reader {
        value,
        path: path.clone(),
        kind,
    };
    seed.deserialize(reader).map_err(|met| place.place(met))
}

/// The elements of a list.
struct Elements<'r, 'v> {
    of: &'r Reader<'v>,
    rest: std::iter::Enumerate<std::slice::Iter<'v, Value>>,
}

impl<'v> SeqAccess<'v> for Elements<'_, 'v> {
    type Error = Met;

    fn next_element_seed<S: DeserializeSeed<'v>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Met> {
        let Some((at, value)) = self.rest.next() else {
            return Ok(None);
        };
        read_with(self.of.element(at, value), seed).map(Some)
    }
}

/// The members of an object.
struct Members<'r, 'v> {
    of: &'r Reader<'v>,
    rest: serde_json::map::Iter<'v>,
    next: Option<Reader<'v>>,
}

impl<'v> MapAccess<'v> for Members<'_, 'v> {
    type Error = Met;

    fn next_key_seed<S: DeserializeSeed<'v>>(&mut self, seed: S) -> Result<Option<S::Value>, Met> {
        let Some((name, value)) = self.rest.next() else {
            return Ok(None);
        };
        self.next = Some(self.of.member(name, value));
        let name: StrDeserializer<'v, Met> = name.as_str().into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'v>>(&mut self, seed: S) -> Result<S::Value, Met> {
        match self.next.take() {
            Some(reader) => read_with(reader, seed),
            None => Err(de::Error::custom("a value before its name")),
        }
    }
}

/// The methods that read a value for a kind.
macro_rules! reads {
    ($($kind:ident: $($method:ident)+;)+) => {
        $($(fn $method<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Met> {
            self.visit(visitor, Kind::$kind)
        })+)+
    };
}

impl<'v> Deserializer<'v> for Reader<'v> {
    type Error = Met;

    reads! {
        Any: deserialize_any deserialize_ignored_any deserialize_unit;
        Boolean: deserialize_bool;
        Whole: deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8 deserialize_u16
            deserialize_u32 deserialize_u64 deserialize_i128 deserialize_u128;
        Number: deserialize_f32 deserialize_f64;
        Text: deserialize_char deserialize_str deserialize_string deserialize_identifier;
        List: deserialize_seq deserialize_bytes deserialize_byte_buf;
        Object: deserialize_map;
    }

    fn deserialize_option<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Met> {
        match self.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'v>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Met> {
        self.visit(visitor, Kind::Any)
    }

    fn deserialize_newtype_struct<V: Visitor<'v>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Met> {
        let (value, path, kind) = (self.value, self.path.clone(), self.kind);
        let place = |met| Reader { value, path, kind }.place(met);
        visitor.visit_newtype_struct(self).map_err(place)
    }

    fn deserialize_tuple<V: Visitor<'v>>(self, _: usize, visitor: V) -> Result<V::Value, Met> {
        self.visit(visitor, Kind::List)
    }

    fn deserialize_tuple_struct<V: Visitor<'v>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Met> {
        self.visit(visitor, Kind::List)
    }

    fn deserialize_struct<V: Visitor<'v>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Met> {
        match self.value {
            Value::Object(_) => self.visit(visitor, Kind::Object),
            _ => Err(self.place(de::Error::invalid_type(
                Unexpected::Other("a value"),
                &Kind::Object,
            ))),
        }
    }

    fn deserialize_enum<V: Visitor<'v>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Met> {
        let own = Self {
            kind: Kind::Text,
            ..self
        };
        let read = match own.value {
            Value::String(text) => visitor.visit_enum(text.as_str().into_deserializer()),
            Value::Object(members) => {
                visitor.visit_enum(MapAccessDeserializer::new(own.members(members)))
            }
            _ => Err(de::Error::invalid_type(
                Unexpected::Other("a value"),
                &Kind::Text,
            )),
        };
        read.map_err(|met| own.place(met))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;

    use super::{JsonFault, read};

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "snake_case")]
    enum Colour {
        Red,
        Blue,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        number: i64,
        #[serde(default)]
        colour: Option<Colour>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    struct Outer {
        name: String,
        #[serde(default)]
        list: Vec<Inner>,
        #[serde(default)]
        map: BTreeMap<String, f64>,
    }

    #[test]
    fn a_fault_names_the_field_what_was_given_and_what_is_allowed() {
        for (text, says) in [
            (r#"{"name": 7}"#, "`name` is 7; it must be a text"),
            (r#"{"list": []}"#, "`name` is missing"),
            (
                r#"{"name": "a", "list": [{"number": 1}, {}]}"#,
                "`list[1].number` is missing",
            ),
            (
                r#"{"name": "a", "list": [{"number": "x"}]}"#,
                "`list[0].number` is \"x\"; it must be a whole number",
            ),
            (
                r#"{"name": "a", "list": [{"number": 1.5}]}"#,
                "`list[0].number` is 1.5; it must be a whole number",
            ),
            (
                r#"{"name": "a", "list": {}}"#,
                "`list` is {}; it must be a list",
            ),
            (
                r#"{"name": "a", "map": {"k": "v"}}"#,
                "`map.k` is \"v\"; it must be a number",
            ),
            (
                r#"{"name": "a", "list": [{"number": 1, "colour": "green"}]}"#,
                "`list[0].colour` is \"green\"; it must be one of red, blue",
            ),
            (
                r#"{"name": "a", "list": [{"number": 1, "x": 2}]}"#,
                "there is no field `list[0].x`; there are number, colour",
            ),
            ("[]", "the value is []; it must be an object"),
            (r#"{"name": "a""#, "no JSON: it ends in the middle"),
            (r#"{"name": a}"#, "no JSON: character 10 has no place there"),
        ] {
            let fault: JsonFault = read::<Outer>(text).unwrap_err();
            assert_eq!(fault.to_string(), says, "{text}");
        }
        let read: Outer =
            read(r#"{"name": "a", "list": [{"number": 1, "colour": "red"}], "map": {"k": 1}}"#)
                .unwrap();
        assert_eq!(
            read.list,
            [Inner {
                number: 1,
                colour: Some(Colour::Red)
            }]
        );
    }
}
