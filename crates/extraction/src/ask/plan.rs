use std::collections::BTreeMap;

use annals_types::JudgeError;

use super::Analyst;
use crate::context::unmarked;
use crate::json::find;
use crate::provider::{Message, Request};
use annals_language::one_line;

impl Analyst {
    /// How a question is to be searched for: the JSON object that a model answers, with
    /// `semantic_query`, `memory_types`, `subject_includes`, `expand_depth`, `relation_filters`
    /// and `search_mode`, as far as it names them. `context` is what is known of the conversation,
    /// by name; `date` is today.
    ///
    /// # Errors
    /// [`JudgeError`], also when the answer holds no object.
    pub fn plan(
        &self,
        question: &str,
        context: &BTreeMap<String, String>,
        (date, max_depth): (&str, u32),
    ) -> Result<String, JudgeError> {
        let kinds = self.form.kinds.join(" / ");
        let places = [
            ("date", date),
            ("kinds", &kinds),
            ("max_depth", &max_depth.to_string()),
        ];
        let told = self.voice([question]).say("plan-query", &places);
        let most = match self.plan_chars {
            0 => usize::MAX,
            chars => usize::try_from(chars).unwrap_or(usize::MAX),
        };
        let shown = |text: &str| one_line(text).chars().take(most).collect::<String>();
        let line = |(name, text): (&String, &String)| format!("{}: {}", shown(name), shown(text));
        let context: Vec<String> = context.iter().map(line).collect();
        let (context, query) = (unmarked(&context.join("\n")), unmarked(&shown(question)));
        let input = format!("<context>\n{context}\n</context>\n<query>\n{query}\n</query>");
        let said = self.say_json(Request::new(
            "plan",
            vec![Message::system(told), Message::user(input)],
        ))?;
        match find(said.text()) {
            Some(object @ serde_json::Value::Object(_)) => Ok(object.to_string()),
            _ => Err(self.misunderstood(&said)),
        }
    }
}
