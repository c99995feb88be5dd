use annals_types::{JudgeError, Memory, Role};

use super::Analyst;
use crate::prompt::{Line, lines, render};
use crate::provider::{Message, Request};
use crate::reply::is_left_out;
use crate::window::recent;
use annals_language::one_line;

impl Analyst {
    /// The results of tools in a turn that help in the next one, in a sentence or two; `None` when
    /// none is of use. `turns` are the messages of the turn, in which those of tools are the
    /// results.
    ///
    /// # Errors
    /// [`JudgeError`]; there is then nothing for the next turn.
    pub fn condense(&self, turns: &[Memory]) -> Result<Option<String>, JudgeError> {
        let limit = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        let (said, each, all) = (
            limit(self.condense.max_tokens),
            limit(self.condense.result_tokens),
            limit(self.condense.results_tokens),
        );
        let voice = self.voice_of(turns);
        let conversation = render(&recent(&lines(turns, &voice), 0, said, &*self.count));
        // Each by itself first, so that one that is long does not take the room of the others.
        let results: Vec<Line> = turns
            .iter()
            .flat_map(results)
            .flat_map(|result| recent(&[result], 0, each, &*self.count))
            .collect();
        let results: Vec<String> = recent(&results, 0, all, &*self.count)
            .iter()
            .map(shown)
            .collect();
        let results = results.join("\n");
        let values = [
            ("conversation", conversation.as_str()),
            ("tool_results", results.as_str()),
        ];
        let persona = voice.wording(&self.condense.persona);
        let messages = vec![
            Message::system(persona.trim()),
            Message::user(voice.say("condense", &values)),
        ];
        let said = self.say(Request::new("condense", messages))?;
        let text = said.sentences();
        if said.is_cut() && text.is_empty() {
            return Err(self.misunderstood(&said));
        }
        Ok((!is_left_out(&text)).then_some(text))
    }
}

/// The results of tools in a turn, with the names of the tools.
fn results(memory: &Memory) -> Vec<Line> {
    let Some(turn) = &memory.body.turn else {
        return Vec::new();
    };
    let line = |tool: &str, text: &str| Line {
        role: Role::Tool,
        speaker: tool.to_owned(),
        text: one_line(text),
    };
    let calls = turn
        .tool_calls
        .iter()
        .filter_map(|call| Some(line(call.name.as_str(), call.result.as_ref()?)));
    let mut found: Vec<Line> = calls.collect();
    if turn.role == Role::Tool {
        let tool = turn.speaker.as_ref().map_or("tool", |name| name.as_str());
        found.push(line(tool, &memory.body.text));
    }
    found
}

fn shown(result: &Line) -> String {
    format!("[{}] {}", result.speaker, result.text)
}
