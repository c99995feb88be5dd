//! Changes of TOML that leave everything else as it is written.

use similar::{Algorithm, DiffOp, capture_diff_slices};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike};

use crate::Problem;
use crate::command::{NAME, starts_annals};
use crate::edit::{Found, Presence, Wanted};
use crate::target::Target;
use crate::value::Value;

/// The entries of annals in a text.
///
/// # Errors
///
/// A [`Problem`] where the text cannot be read.
pub(crate) fn find(text: &str, target: &Target) -> Result<Found, Problem> {
    let document = parse(text)?;
    let Some(servers) = target.servers else {
        return Ok(Found::default());
    };
    let server = match entries(&document, servers.key)?.and_then(|entries| entries.get(NAME)) {
        None | Some(Item::None) => Presence::Absent,
        Some(entry) => Some(value_of(entry))
            .filter(starts_annals)
            .map_or(Presence::Foreign, Presence::Own),
    };
    Ok(Found {
        server,
        hooks: Vec::new(),
    })
}

/// The text with the wanted entry in it.
///
/// # Errors
///
/// A [`Problem`] where the text cannot be read or a key holds something else.
pub(crate) fn install(text: &str, target: &Target, wanted: &Wanted) -> Result<String, Problem> {
    match (target.servers, &wanted.server) {
        (Some(servers), Some(entry)) => {
            write(text, servers.key, &find(text, target)?.server, entry)
        }
        _ => Ok(text.to_owned()),
    }
}

/// The text with the entry that was found in another.
///
/// # Errors
///
/// A [`Problem`] where the text cannot be read or a key holds something else.
pub(crate) fn put(text: &str, target: &Target, found: &Found) -> Result<String, Problem> {
    match (target.servers, &found.server) {
        (Some(servers), Presence::Own(entry)) => write(text, servers.key, &Presence::Absent, entry),
        _ => Ok(text.to_owned()),
    }
}

fn write(text: &str, key: &str, standing: &Presence, entry: &Value) -> Result<String, Problem> {
    let mut document = parse(&unix(text))?;
    match standing {
        Presence::Foreign => {
            return Err(Problem::Taken {
                key: format!("{key}.{NAME}"),
            });
        }
        Presence::Own(own) => {
            let same = |member: &str| own.get(member) == entry.get(member);
            if same("command") && same("args") {
                return Ok(text.to_owned());
            }
            if let Some(entries) = entries_mut(&mut document, key)?
                && let Some(own) = entries.get_mut(NAME).and_then(Item::as_table_like_mut)
            {
                set(own, "command", entry);
                set(own, "args", entry);
            }
        }
        Presence::Absent => append(&mut document, key, entry)?,
    }
    Ok(with_endings_of(text, &document.to_string()))
}

/// Adds the entry: a table of its own, or one within braces where the others stand so.
fn append(document: &mut DocumentMut, key: &str, entry: &Value) -> Result<(), Problem> {
    let blank = document.to_string().trim().is_empty();
    let table = document.as_table_mut();
    if !table.contains_key(key) {
        let mut entries = Table::new();
        entries.set_implicit(true);
        table.insert(key, Item::Table(entries));
    }
    if let Some(Item::Table(entries)) = table.get_mut(key)
        && !entries.is_dotted()
    {
        let mut own = Table::new();
        fill(&mut own, entry);
        own.decor_mut().set_prefix(if blank { "" } else { "\n" });
        entries.insert(NAME, Item::Table(own));
        return Ok(());
    }
    let entries = entries_mut(document, key)?.ok_or(Problem::Entangled)?;
    let mut own = InlineTable::new();
    fill(&mut own, entry);
    entries.insert(NAME, toml_edit::value(own));
    Ok(())
}

fn fill(table: &mut dyn TableLike, entry: &Value) {
    for (name, member) in entry.members() {
        table.insert(name, toml_edit::value(toml_value(member)));
    }
}

/// Sets a member and keeps the blanks and comments around it.
fn set(table: &mut dyn TableLike, name: &str, entry: &Value) {
    let Some(wanted) = entry.get(name).map(toml_value) else {
        return;
    };
    match table.get_mut(name).and_then(Item::as_value_mut) {
        Some(standing) => {
            let decor = standing.decor().clone();
            *standing = wanted;
            *standing.decor_mut() = decor;
        }
        None => {
            table.insert(name, toml_edit::value(wanted));
        }
    }
}

/// The text without the entry of annals. Nothing is left where that was all.
///
/// # Errors
///
/// A [`Problem`] where the text cannot be read.
pub(crate) fn remove(
    text: &str,
    target: &Target,
    before: Option<&Value>,
) -> Result<Option<String>, Problem> {
    let Some(servers) = target.servers else {
        return Ok(Some(text.to_owned()));
    };
    let mut document = parse(&unix(text))?;
    if let Some(entries) = entries_mut(&mut document, servers.key)? {
        entries.remove(NAME);
        // An empty table with a header of its own was made by the user.
        let made = entries.is_empty()
            && document
                .get(servers.key)
                .is_some_and(|item| !has_header(item));
        if made && before.and_then(|before| before.get(servers.key)).is_none() {
            document.remove(servers.key);
        }
    }
    let after = with_endings_of(text, &document.to_string());
    Ok((before.is_some() || !after.trim().is_empty()).then_some(after))
}

fn has_header(item: &Item) -> bool {
    item.as_table().is_some_and(|table| !table.is_implicit())
}

/// The whole text as a value.
///
/// # Errors
///
/// A [`Problem`] where the text cannot be read.
pub(crate) fn value(text: &str) -> Result<Value, Problem> {
    Ok(value_of(parse(text)?.as_item()))
}

fn parse(text: &str) -> Result<DocumentMut, Problem> {
    text.parse::<DocumentMut>().map_err(|error| {
        let at = error.span().map_or(text.len(), |span| span.start);
        let before = text.get(..at).unwrap_or(text);
        let line = before.rsplit('\n').next().unwrap_or_default();
        Problem::Syntax {
            line: before.matches('\n').count() + 1,
            column: line.chars().count() + 1,
            reason: error.message().trim().replace('\n', ", "),
        }
    })
}

fn entries<'d>(document: &'d DocumentMut, key: &str) -> Result<Option<&'d dyn TableLike>, Problem> {
    match document.get(key) {
        None | Some(Item::None) => Ok(None),
        Some(item) => item
            .as_table_like()
            .map(Some)
            .ok_or_else(|| not_a_table(key)),
    }
}

fn entries_mut<'d>(
    document: &'d mut DocumentMut,
    key: &str,
) -> Result<Option<&'d mut dyn TableLike>, Problem> {
    match document.get_mut(key) {
        None | Some(Item::None) => Ok(None),
        Some(item) => item
            .as_table_like_mut()
            .map(Some)
            .ok_or_else(|| not_a_table(key)),
    }
}

fn not_a_table(key: &str) -> Problem {
    Problem::Shape {
        key: key.to_owned(),
        expected: "a table",
    }
}

fn value_of(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => of_value(value),
        Item::Table(table) => object(table),
        Item::ArrayOfTables(tables) => {
            Value::List(tables.iter().map(|table| object(table)).collect())
        }
    }
}

fn object(table: &dyn TableLike) -> Value {
    Value::Object(
        table
            .iter()
            .map(|(name, item)| (name.to_owned(), value_of(item)))
            .collect(),
    )
}

fn of_value(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => Value::text(text.value()),
        toml_edit::Value::Boolean(word) => Value::Bool(*word.value()),
        toml_edit::Value::Integer(number) => Value::Number(number.value().to_string()),
        toml_edit::Value::Float(number) => Value::Number(number.value().to_string()),
        toml_edit::Value::Datetime(time) => Value::Number(time.value().to_string()),
        toml_edit::Value::Array(elements) => Value::List(elements.iter().map(of_value).collect()),
        toml_edit::Value::InlineTable(table) => object(table),
    }
}

fn toml_value(value: &Value) -> toml_edit::Value {
    match value {
        Value::Null => toml_edit::Value::from(""),
        Value::Bool(word) => toml_edit::Value::from(*word),
        Value::Number(number) => match number.parse::<i64>() {
            Ok(whole) => toml_edit::Value::from(whole),
            Err(_) => toml_edit::Value::from(number.as_str()),
        },
        Value::Text(text) => toml_edit::Value::from(text.as_str()),
        Value::List(elements) => {
            toml_edit::Value::Array(elements.iter().map(toml_value).collect::<Array>())
        }
        Value::Object(members) => toml_edit::Value::InlineTable(
            members
                .iter()
                .map(|(name, member)| (name, toml_value(member)))
                .collect(),
        ),
    }
}

/// Line breaks are those of Unix while the text is changed.
fn unix(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// The changed text with the line breaks that its lines had; new lines get those of the first.
fn with_endings_of(text: &str, changed: &str) -> String {
    if !text.contains("\r\n") {
        return changed.to_owned();
    }
    let ending = if text
        .lines()
        .next()
        .is_some_and(|line| text.get(line.len()..).is_some_and(starts_with_cr))
    {
        "\r\n"
    } else {
        "\n"
    };
    let old: Vec<&str> = text.split_inclusive('\n').collect();
    let bare: Vec<String> = old.iter().map(|line| unix(line)).collect();
    let bare: Vec<&str> = bare.iter().map(String::as_str).collect();
    let new: Vec<&str> = changed.split_inclusive('\n').collect();
    let mut out = String::with_capacity(text.len());
    for op in capture_diff_slices(Algorithm::Myers, &bare, &new) {
        match op {
            DiffOp::Equal { old_index, len, .. } => {
                old.iter()
                    .skip(old_index)
                    .take(len)
                    .for_each(|line| out.push_str(line));
            }
            DiffOp::Delete { .. } => {}
            DiffOp::Insert {
                new_index, new_len, ..
            }
            | DiffOp::Replace {
                new_index, new_len, ..
            } => {
                for line in new.iter().skip(new_index).take(new_len) {
                    match line.strip_suffix('\n') {
                        Some(line) => out.extend([line, ending]),
                        None => out.push_str(line),
                    }
                }
            }
        }
    }
    out
}

fn starts_with_cr(rest: &str) -> bool {
    rest.starts_with("\r\n")
}
