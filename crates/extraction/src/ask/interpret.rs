use annals_types::{Interpreted, Interpreter, JudgeError, Shown};

use super::Analyst;
use crate::candidates;
use crate::context::unmarked;
use crate::provider::{Message, Request};
use annals_language::one_line;

impl Interpreter for Analyst {
    fn interpret(&self, memory: &Shown) -> Result<Interpreted, JudgeError> {
        let told = self.voice([memory.text.as_str()]).say("triples", &[]);
        let input = format!("<memory>\n{}\n</memory>", unmarked(&one_line(&memory.text)));
        let messages = vec![Message::system(told), Message::user(input)];
        let request = Request {
            schema: Some(candidates::statements_schema()),
            ..Request::new("triples", messages)
        };
        let answer = self.say_json(request)?;
        let told = candidates::parse_statements(answer.text())
            .filter(|said| !answer.is_cut() || !said.is_empty());
        let statements = told.ok_or_else(|| self.misunderstood(&answer))?;
        let left_out = answer.warning().iter().map(ToString::to_string).collect();
        Ok(Interpreted {
            statements,
            left_out,
        })
    }
}
