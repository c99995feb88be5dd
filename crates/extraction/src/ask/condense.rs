use annals_types::{JudgeError, Memory, Role};

use super::Analyst;
use crate::markdown::one_line;
use crate::prompt::{self, fill, lines, render};
use crate::provider::{Message, Request};
use crate::reply::{says_nothing, spoken};

/// Bytes of one result that a model is shown.
const SHOWN: usize = 8192;
/// How longer answers of this kind begin.
const NOTHINGS: [&str; 10] = [
    "没有有用",
    "没有可用",
    "没有相关",
    "没有需要",
    "没有什么",
    "无有用",
    "无相关",
    "nothing useful",
    "no useful",
    "no relevant",
];

impl Analyst {
    /// What the results of tools in a turn hold that helps in the next one, in a sentence or two; `None` when they hold nothing of use.
    /// `turns` are the messages of the turn, in which those of tools are the results.
    ///
    /// # Errors
    /// [`JudgeError`]; there is then nothing for the next turn.
    pub fn condense(&self, turns: &[Memory]) -> Result<Option<String>, JudgeError> {
        let conversation = render(&lines(turns, &self.settings));
        let results: Vec<String> = turns.iter().flat_map(results).collect();
        let mut values = self.names().to_vec();
        let results = results.join("\n");
        values.extend([("conversation", conversation.as_str()), ("tool_results", results.as_str())]);
        let persona = fill(&self.persona, &self.names());
        let messages = vec![Message::system(persona), Message::user(prompt::condense().render(&values))];
        let said = self.say(&Request::new("condense", messages))?;
        let text = one_line(&spoken(&said));
        let bare = text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let nothing = says_nothing(&bare) || NOTHINGS.iter().any(|word| bare.starts_with(word));
        Ok((!bare.is_empty() && !nothing).then_some(text))
    }
}

/// What tools said in a turn, each as `[tool] text`.
fn results(memory: &Memory) -> Vec<String> {
    let Some(turn) = &memory.body.turn else { return Vec::new() };
    let line = |tool: &str, text: &str| {
        let shown = text.get(..text.floor_char_boundary(SHOWN)).unwrap_or(text);
        format!("[{tool}] {}", one_line(shown))
    };
    let calls = turn.tool_calls.iter().filter_map(|call| Some(line(call.name.as_str(), call.result.as_ref()?)));
    let mut found: Vec<String> = calls.collect();
    if turn.role == Role::Tool {
        let tool = turn.speaker.as_ref().map_or("tool", |name| name.as_str());
        found.push(line(tool, &memory.body.text));
    }
    found
}
