//! Which columns of a table, or which fields of JSON objects, hold what.

use std::collections::BTreeMap;

use annals_engine::Error;
use annals_types::{Role, Timestamp, Wording};

use super::clock::FileZone;
use super::dates::{self, Numbers, OrderVotes};
use super::reading::{Fact, Reading, Said};
use super::record::DateOrder;

/// What a record may say, and the names by which columns are known that say it.
const NAMES: [(&str, &[&str]); 10] = [
    (
        "text",
        &[
            "text", "content", "contents", "message", "memory", "fact", "note", "body", "value",
            "内容", "文本", "正文", "消息", "记忆",
        ],
    ),
    (
        "time",
        &[
            "time",
            "timestamp",
            "date",
            "created_at",
            "created",
            "datetime",
            "createdat",
            "时间",
            "日期",
            "创建时间",
        ],
    ),
    (
        "speaker",
        &[
            "speaker",
            "author",
            "sender",
            "from",
            "name",
            "user",
            "username",
            "说话人",
            "发送者",
            "作者",
            "发言人",
        ],
    ),
    ("role", &["role", "角色"]),
    (
        "session",
        &[
            "session",
            "session_id",
            "conversation",
            "conversation_id",
            "chat",
            "channel",
            "thread",
            "会话",
            "对话",
        ],
    ),
    (
        "tags",
        &[
            "tags",
            "tag",
            "labels",
            "categories",
            "category",
            "标签",
            "分类",
        ],
    ),
    ("id", &["id", "uuid", "key", "编号"]),
    ("kind", &["kind", "类型"]),
    ("valid_from", &["valid_from"]),
    ("valid_until", &["valid_until"]),
];

/// The columns of a file, by what they hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Columns(BTreeMap<&'static str, String>);

impl Columns {
    /// Of those that there are, with what was said of them.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](annals_engine::ErrorKind::Invalid) for a mapping of what records do
    /// not have, or to a column that is not there, and where no column holds the text.
    pub(super) fn of(there: &[String], mapped: &BTreeMap<String, String>) -> Result<Self, Error> {
        let mut found = BTreeMap::new();
        for (what, column) in mapped {
            let Some((known, _)) = NAMES.iter().find(|(known, _)| known == what) else {
                let known = NAMES.map(|(known, _)| known).join(", ");
                return Err(Error::bad_input(format!(
                    "there is no `{what}` to map a column to; there are {known}"
                )));
            };
            if !there.contains(column) {
                let all = there.join(", ");
                let reason = format!("there is no column {column:?}; there are {all}");
                let wording =
                    Wording::new("import-no-column", &[("column", column), ("all", &all)]);
                return Err(Error::bad_input_worded(reason, Some(wording)));
            }
            found.insert(*known, column.clone());
        }
        for (what, names) in NAMES {
            let is_free = |column: &&String| !mapped.values().any(|taken| taken == *column);
            let of_name = |name: &&str| {
                there
                    .iter()
                    .filter(is_free)
                    .find(|column| column.trim().to_lowercase() == **name)
            };
            if let Some(column) = names.iter().find_map(of_name)
                && !found.contains_key(what)
            {
                found.insert(what, column.clone());
            }
        }
        if !found.contains_key("text") {
            let all = there.join(", ");
            let reason = format!(
                "no column holds the text; name it with `--column text=NAME`: there are {all}"
            );
            return Err(Error::bad_input_worded(
                reason,
                Some(Wording::new("import-no-text-column", &[("all", &all)])),
            ));
        }
        Ok(Self(found))
    }

    /// The same for objects, of which each has fields of its own: what the first does not say
    /// others say in fields that are called so.
    pub(super) fn or_named(mut self) -> Self {
        for (what, _) in NAMES {
            self.0.entry(what).or_insert_with(|| what.to_owned());
        }
        self
    }

    pub(super) fn column(&self, what: &str) -> Option<&str> {
        self.0.get(what).map(String::as_str)
    }

    /// Whether a column holds what is read from it.
    pub(super) fn takes(&self, column: &str) -> bool {
        self.0.values().any(|taken| taken == column)
    }
}

/// The values of a record, by what they are.
pub(super) type Values<'v> = BTreeMap<&'static str, &'v str>;

/// The values of a record whose columns are asked one by one.
pub(super) fn values<'v>(columns: &Columns, of: impl Fn(&str) -> Option<&'v str>) -> Values<'v> {
    let value = |(what, column): (&&'static str, &String)| {
        Some((*what, of(column)?.trim())).filter(|(_, text)| !text.is_empty())
    };
    columns.0.iter().filter_map(value).collect()
}

/// The time of a record, in any form.
pub(super) fn moment(text: &str, zone: &FileZone, order: DateOrder) -> Option<Timestamp> {
    zone.read(text)
        .or_else(|| zone.moment(dates::written(text, order)?))
}

/// Takes note of a time of which the order of day and month is not known.
pub(super) fn count_order(votes: &mut OrderVotes, zone: &FileZone, text: &str) {
    if zone.read(text).is_none()
        && let Some((numbers, _)) = Numbers::parse(text.trim())
    {
        votes.count(numbers);
    }
}

/// Takes a record as a turn, where a speaker, a role or a session is told, or as a memory; `others`
/// are the values of all other columns.
pub(super) fn take(
    reading: &mut Reading<'_>,
    (values, others): (&Values<'_>, BTreeMap<String, annals_types::Value>),
    time: Option<Timestamp>,
) -> Result<(), Error> {
    let words = values.get("text").copied().unwrap_or_default();
    let tags = values.get("tags").copied().unwrap_or_default();
    let tags = tags
        .split([',', ';', '|'])
        .map(str::trim)
        .filter(|tag| !tag.is_empty())
        .map(str::to_owned);
    let id = values.get("id").map(|id| (*id).to_owned());
    if !["speaker", "role", "session"]
        .iter()
        .any(|what| values.contains_key(what))
    {
        let mut fact = Fact::new(words);
        let moment = |what: &str| values.get(what).and_then(|text| reading.zone.read(text));
        (fact.valid_from, fact.valid_until) = (moment("valid_from"), moment("valid_until"));
        fact.kind = values.get("kind").map(|kind| (*kind).to_owned());
        (fact.id, fact.time, fact.tags, fact.metadata) = (id, time, tags.collect(), others);
        return reading.memory(fact);
    }
    let name = values
        .get("session")
        .map_or_else(|| reading.session_name(), |name| (*name).to_owned());
    let told = values
        .get("role")
        .copied()
        .unwrap_or_default()
        .to_lowercase();
    let role = match told.as_str() {
        "assistant" | "ai" | "bot" | "model" | "gpt" | "助手" => Role::Assistant,
        "system" | "系统" => Role::System,
        "tool" | "function" | "工具" => Role::Tool,
        _ => Role::User,
    };
    let mut said = Said::by(&name, role, words);
    said.speaker = values.get("speaker").map(|name| (*name).to_owned());
    (said.id, said.time, said.tags, said.metadata) = (id, time, tags.collect(), others);
    reading.turn(said);
    reading.pause()
}
