use serde_json::{Value, json};

use super::{Form, bounds};
use crate::prompt::Voice;

/// A field of a candidate: its name and schema, and the message that tells a model what it holds.
pub(super) struct Field {
    pub(super) name: String,
    pub(super) schema: Value,
    message: &'static str,
}

pub(super) fn text(most: usize) -> Value {
    json!({"type": "string", "maxLength": most})
}

pub(super) fn list(item: &Value, most: usize) -> Value {
    json!({"type": "array", "items": item, "maxItems": most})
}

fn one_of(words: &[String]) -> Value {
    json!({"type": "string", "enum": words})
}

impl Form {
    /// The fields of a candidate. Prompt and schema are both made of them.
    pub(super) fn fields(&self) -> Vec<Field> {
        let field = |name: &str, schema: Value, message| Field {
            name: name.to_owned(),
            schema,
            message,
        };
        let kind = if self.keep_kinds {
            text(bounds::WORD)
        } else {
            one_of(&self.kinds)
        };
        let mut fields = vec![
            field("content", text(bounds::TEXT), "field-content"),
            field(&self.kind_field, kind, "field-kind"),
        ];
        let (min, max) = self.importance;
        fields.push(if self.levels.is_empty() {
            field(
                "importance",
                json!({"type": "number", "minimum": min, "maximum": max}),
                "field-importance",
            )
        } else {
            field("importance", one_of(&self.levels), "field-level")
        });
        if !self.durations.is_empty() {
            fields.push(field(
                "confidence",
                json!({"type": "number", "minimum": 0, "maximum": 1}),
                "field-confidence",
            ));
            fields.push(field("duration", one_of(&self.durations), "field-duration"));
            fields.push(field(
                "rule_scope",
                json!({"type": "string", "enum": ["task", "behavior"]}),
                "field-rule-scope",
            ));
        }
        if !self.durations.is_empty() || self.triples {
            fields.push(field("subject", text(bounds::PART), "field-subject"));
            fields.push(field("predicate", text(bounds::PART), "field-predicate"));
        }
        if !self.levels.is_empty() {
            fields.push(field("expires_at", text(bounds::WORD), "field-expires-at"));
        }
        if self.triples {
            let triple =
                json!({"type": "array", "items": text(bounds::PART), "minItems": 3, "maxItems": 3});
            fields.push(field(
                "triples",
                list(&triple, bounds::TRIPLES),
                "field-triples",
            ));
        }
        if self.known {
            fields.push(field(
                "contradicts",
                list(&text(bounds::WORD), bounds::NAMES),
                "field-contradicts",
            ));
        }
        fields.push(field(
            "sensitive",
            json!({"type": "boolean"}),
            "field-sensitive",
        ));
        fields
    }

    /// The fields as a model is told them, one a line, and how a memory that is merely repeated is
    /// named.
    pub(crate) fn described(&self, voice: &Voice) -> String {
        let (min, max) = self.importance;
        let (min, max) = (min.to_string(), max.to_string());
        let (kinds, levels, durations) = (
            self.kinds.join(" / "),
            self.levels.join(" / "),
            self.durations.join("|"),
        );
        let values = [
            ("kinds", kinds.as_str()),
            ("levels", &levels),
            ("durations", &durations),
            ("min", &min),
            ("max", &max),
        ];
        let line =
            |field: &Field| format!("- {}: {}", field.name, voice.say(field.message, &values));
        let mut lines: Vec<String> = self.fields().iter().map(line).collect();
        lines.extend(self.known.then(|| voice.say("extract-repeated", &[])));
        lines.join("\n")
    }
}
