use annals_types::{Interpreted, Interpreter, JudgeError, Shown};

use super::Analyst;
use super::plan::{apart, together};
use crate::candidates;
use crate::markdown::one_line;
use crate::prompt;
use crate::provider::{Message, Request};

impl Interpreter for Analyst {
    fn interpret(&self, memory: &Shown) -> Result<Interpreted, JudgeError> {
        let told = prompt::triples().render(&self.names());
        let memory = apart(&one_line(&memory.text));
        let input = prompt::triples_input().render(&[("memory", &memory)]);
        let messages = vec![Message::system(told), Message::user(input)];
        let request = Request { schema: Some(candidates::statements_schema()), ..Request::new("triples", messages) };
        let answer = self.say_json(request)?;
        let told = candidates::parse_statements(answer.text()).filter(|said| !answer.is_cut() || !said.is_empty());
        let mut statements = told.ok_or_else(|| self.misunderstood(&answer))?;
        if memory.contains('‹') {
            // The model was shown another sign.
            for one in &mut statements {
                let parts = [&mut one.subject, &mut one.predicate, &mut one.object].into_iter();
                parts.chain(&mut one.condition).chain(&mut one.degree).for_each(|part| *part = together(part));
            }
        }
        let left_out = answer.warning().iter().map(ToString::to_string).collect();
        Ok(Interpreted { statements, left_out })
    }
}
