use annals::blocking::{Namespace, WorkingMemory};
use annals::llm::provider::{Message, Provider, Reply, Request, Stop, Tool, ToolUse};
use annals::messages::Catalogue;
use annals::profile::{AUTO, ExtractTrigger, Overflow, PartSource};
use annals::{
    Cancel, HandledCommand, Label, MemoryId, NewTurn, Role, SessionEnd, ToolCall, ToolSetting,
    TurnBefore,
};

use crate::failure::{Exit, Failure};
use crate::texts::{Language, language, speaking, text};

/// How often a model may call tools before it has to answer.
const ROUNDS: usize = 8;

/// The latest messages that a search planned by a model is shown.
const RECENT: usize = 20;

/// A conversation that is going on.
pub(super) struct Talk<'a> {
    pub(super) namespace: &'a Namespace,
    model: &'a dyn Provider,
    pub(super) session: &'a str,
    /// The tools of the model; none where memories stand in its prompt.
    tools: Vec<Tool>,
    /// What the model is told about its tools.
    about_tools: Option<String>,
    /// The language of the namespace.
    language: String,
    /// The messages so far. The model sees results of tools only in the turn in which it asked for
    /// them.
    working: WorkingMemory,
    /// Whether the profile shows in prompts what is being worked on.
    has_scratchpad: bool,
    /// Whether anything was said.
    pub(super) begun: bool,
    /// The memories to forget when the next line says yes.
    pub(super) to_forget: Option<HandledCommand>,
    /// Whether what the message asked to be remembered is.
    pub(super) remembered: bool,
}

/// The answer of the model, and its calls before.
pub(super) struct ModelAnswer {
    pub(super) text: String,
    calls: Vec<ToolCall>,
    /// The tokens at which it was cut off.
    pub(super) cut: Option<u32>,
}

/// The language in which a model is spoken to about a message: that of the namespace, or that of
/// the message, in which the memories of the prompt have their headings; else that of the program.
pub(super) fn spoken(namespace: &str, message: &str) -> Language {
    let of_message = || Catalogue::shared().spoken([message]);
    let tag = if namespace == AUTO {
        of_message()
    } else {
        Some(namespace.to_owned())
    };
    match tag.as_deref() {
        Some(tag) if tag == Language::Chinese.tag() => Language::Chinese,
        Some(_) => Language::English,
        None => language(),
    }
}

impl<'a> Talk<'a> {
    pub(super) fn begin(
        namespace: &'a Namespace,
        model: &'a dyn Provider,
        session: &'a str,
    ) -> Result<Self, Failure> {
        let tools = namespace.tools().list()?;
        let about_tools = namespace
            .tools()
            .instruction()?
            .filter(|_| !tools.is_empty());
        let language = namespace.admin().language()?;
        let working = namespace.session(session).working()?;
        let parts = namespace.admin().settings()?.inject.parts;
        let has_scratchpad = parts
            .iter()
            .any(|part| part.source == PartSource::Scratchpad);
        Ok(Self {
            namespace,
            model,
            session,
            tools,
            about_tools,
            language,
            working,
            has_scratchpad,
            begun: false,
            to_forget: None,
            remembered: false,
        })
    }

    /// The answer of the model to a message, with the memories about it or with tools to look for
    /// them. A message without an answer is dropped.
    pub(super) fn answer(&self, text: &str) -> Result<ModelAnswer, Failure> {
        let language = spoken(&self.language, text);
        let mut instruction = vec![speaking(language, || text!("chat-instruction"))];
        instruction.extend(self.about_tools.clone());
        if self.remembered {
            instruction.push(speaking(language, || text!("chat-remembered")));
        }
        let mut prompt = self
            .working
            .prompt(&instruction.join("\n\n"), text)?
            .messages;
        let mut done: Vec<ToolCall> = Vec::new();
        for round in 0..=ROUNDS {
            let last = round == ROUNDS;
            if last {
                prompt.push(Message::system(speaking(language, || {
                    text!("chat-answer-now")
                })));
            }
            let with_done = |failure: Failure| match done.len() {
                0 => failure,
                _ => Failure::new(
                    failure.exit,
                    text!("chat-tools-stay", message = failure.message),
                ),
            };
            let (reply, cut) = ask(self.model, prompt.clone(), &self.tools).map_err(with_done)?;
            if last && reply.text.trim().is_empty() {
                let failure = Failure::new(
                    Exit::Failed,
                    text!("chat-only-tools", name = self.model.name()),
                );
                return Err(with_done(failure));
            }
            if reply.calls.is_empty() || last {
                return Ok(ModelAnswer {
                    text: reply.text,
                    calls: done,
                    cut,
                });
            }
            prompt.push(Message::assistant(reply.text, reply.calls.clone()));
            for call in &reply.calls {
                let (result, kept) = self.call(call, text)?;
                prompt.push(result);
                done.extend(kept);
            }
        }
        Ok(ModelAnswer {
            text: String::new(),
            calls: done,
            cut: None,
        })
    }

    /// Does what the model calls for: what it is answered, and the call as it is kept, if it can
    /// be.
    fn call(&self, call: &ToolUse, message: &str) -> Result<(Message, Option<ToolCall>), Failure> {
        let said = self.working.messages();
        let before = said
            .iter()
            .skip(said.len().saturating_sub(RECENT))
            .map(|said| said.body.text.as_str());
        let recent: Vec<&str> = before.chain([message]).collect();
        let setting = ToolSetting {
            context: [("recent".to_owned(), recent.join("\n"))].into(),
            conversation: Some(self.session.to_owned()),
            ..ToolSetting::default()
        };
        let reply = self
            .namespace
            .tools()
            .call_in(&call.name, &call.arguments, &setting)?;
        let result = Message::result(call.id.as_str(), reply.as_json());
        let kept = |name| ToolCall {
            name,
            arguments: call.arguments.clone(),
            result: Some(reply.as_json().to_owned()),
        };
        Ok((
            result,
            Label::new("tool", call.name.as_str()).ok().map(kept),
        ))
    }

    /// Sets a message as the current task, where the profile shows that in prompts; returns the
    /// state before.
    pub(super) fn turns_to(&self, text: &str) -> Result<Option<TurnBefore>, Failure> {
        if !self.has_scratchpad {
            return Ok(None);
        }
        let before = self.namespace.designs().agent().turn_before(self.session)?;
        self.namespace
            .designs()
            .agent()
            .on_turn_start(self.session, text)?;
        Ok(Some(before))
    }

    /// Nothing came of the message: it is not what is being worked on.
    pub(super) fn turns_back(&self, before: &TurnBefore) -> Result<(), Failure> {
        Ok(self
            .namespace
            .designs()
            .agent()
            .on_turn_cancelled(self.session, before)?)
    }

    /// Stores the round at once.
    pub(super) fn keep(&mut self, text: &str, answer: ModelAnswer) -> Result<Round, Failure> {
        let said = NewTurn::builder(self.session, text).build()?;
        let turn = NewTurn::builder(self.session, answer.text).role(Role::Assistant);
        let answered = answer
            .calls
            .into_iter()
            .fold(turn, |turn, call| turn.tool_call(call))
            .build()?;
        let turns = vec![said, answered];
        let ids = self.namespace.sessions().append(turns.clone())?;
        self.begun = true;
        Ok(ids.into_iter().zip(turns).collect())
    }

    /// Takes a stored round to what is at hand; answers why older messages are not summed up yet,
    /// if they should be.
    pub(super) fn hold(&self, round: Round) -> Result<Option<String>, Failure> {
        let mut put_off = None;
        for (id, turn) in round {
            put_off = put_off.or(self.working.say_stored(id, turn)?.put_off);
        }
        self.working.end_turn()?;
        Ok(put_off)
    }

    /// The last messages are said: what is stored is to be looked through, as the profile says, and
    /// what is at hand is summed up; answers why it is not yet, if it should be.
    pub(super) fn over(&self) -> Result<Option<String>, Failure> {
        match self.working.window().overflow {
            // Its messages are stored.
            Overflow::Extract => {
                self.namespace
                    .session(self.session)
                    .extract_at(ExtractTrigger::SessionEnd)?;
                Ok(None)
            }
            _ => Ok(self.working.close()?.put_off),
        }
    }

    /// The conversation is over: what lives as long as it goes, its episode is made, and the jobs
    /// run that the profile wants run then. Nothing where nothing was said.
    pub(super) fn end(&self) -> Result<Option<SessionEnd>, Failure> {
        if !self.begun {
            return Ok(None);
        }
        Ok(Some(self.namespace.session(self.session).end()?))
    }
}

/// The answer of a model to a prompt, and at how many tokens it was cut off, if it was.
pub(super) fn ask(
    model: &dyn Provider,
    prompt: Vec<Message>,
    tools: &[Tool],
) -> Result<(Reply, Option<u32>), Failure> {
    let max_tokens = model.answer_tokens().first;
    let request = Request {
        tools: tools.to_vec(),
        max_tokens,
        ..Request::new("chat", prompt)
    };
    match model.chat(&request, &Cancel::new()) {
        Ok(reply) if reply.calls.is_empty() && reply.text.trim().is_empty() => Err(Failure::new(
            Exit::Failed,
            text!("chat-empty", name = model.name()),
        )),
        Ok(reply) => {
            let cut = (reply.stop == Stop::Length).then_some(max_tokens);
            Ok((reply, cut))
        }
        Err(error) => Err(Failure::new(Exit::Failed, error.to_string())),
    }
}

/// The stored messages of a round.
pub(super) type Round = Vec<(MemoryId, NewTurn)>;
