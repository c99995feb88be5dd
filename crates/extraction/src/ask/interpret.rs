use annals_types::{Interpreter, JudgeError, Shown, Statement};

use super::Analyst;
use super::plan::{apart, together};
use crate::candidates;
use crate::markdown::one_line;
use crate::prompt;
use crate::provider::{Message, Request};

impl Interpreter for Analyst {
    fn statements(&self, memory: &Shown) -> Result<Vec<Statement>, JudgeError> {
        let told = prompt::triples().render(&self.names());
        let memory = apart(&one_line(&memory.text));
        let input = prompt::triples_input().render(&[("memory", &memory)]);
        let messages = vec![Message::system(told), Message::user(input)];
        let request = Request { schema: Some(candidates::statements_schema()), ..Request::new("triples", messages) };
        let said = self.say(&request)?;
        let mut said = candidates::parse_statements(&said).ok_or_else(|| self.misunderstood(&said))?;
        if memory.contains('‹') {
            // The model was shown another sign.
            for one in &mut said {
                let parts = [&mut one.subject, &mut one.predicate, &mut one.object].into_iter();
                parts.chain(&mut one.condition).chain(&mut one.degree).for_each(|part| *part = together(part));
            }
        }
        Ok(said)
    }
}
