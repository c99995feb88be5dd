//! Conversations, work that waits, decisions, and what is known as a graph.

use std::collections::BTreeMap;

use annals::profile::{JobStep, ReviewKind};
use annals::{
    Counted, DecisionQuestion, InvalidValue, MemoryId, NewTurn, ProposalAction, QueueState, Role,
    Status, Timestamp,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::search::FilterBody;
use super::{HoldsTexts, IdText, RoleWord, StatusWord};

/// Declares an answer that has the fields of a type of `annals`.
macro_rules! view {
    (
        $(#[$doc:meta])*
        $name:ident of $of:path as $title:ident {
            $( $(#[$field_doc:meta])* $field:ident: $kind:ty, )+
        }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Serialize, ToSchema)]
        #[schema(as = $title)]
        pub(crate) struct $name {
            $( $(#[$field_doc])* $field: $kind, )+
        }

        impl From<$of> for $name {
            fn from(of: $of) -> Self {
                Self { $( $field: of.$field.into(), )+ }
            }
        }
    };
}

/// The serde name of a word of `annals`.
fn word<T: Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(text)) => text,
        _ => String::new(),
    }
}

macro_rules! as_word {
    ($($(#[$doc:meta])* $name:ident of $of:ty;)+) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Serialize, ToSchema)]
            #[serde(transparent)]
            pub(crate) struct $name(String);

            impl From<$of> for $name {
                fn from(of: $of) -> Self {
                    Self(word(&of))
                }
            }
        )+
    };
}

as_word! {
    /// The state of a piece of work: `waiting`, `running` or `dead` (given up).
    QueueStateWord of QueueState;
    /// What a model or a person was asked.
    QuestionWord of DecisionQuestion;
    /// What a proposal would do.
    ProposalWord of ProposalAction;
    /// Why a memory is looked at: `decay` or `promote`.
    ReviewWord of ReviewKind;
    /// Whether a use counted, and if not, why.
    CountedWord of Counted;
    /// A step of a job.
    StepWord of JobStep;
}

/// A turn of a conversation to be stored.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NewTurn)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewTurnBody {
    /// The conversation.
    session: String,
    /// What was said.
    text: String,
    /// Who said it.
    speaker: Option<String>,
    /// The part that they have in it; `user` without it.
    #[schema(value_type = Option<RoleWord>)]
    role: Option<Role>,
    /// What the assistant answered.
    reply: Option<String>,
    /// When it was said.
    #[schema(value_type = Option<String>, format = DateTime)]
    time: Option<Timestamp>,
    /// Tags.
    #[serde(default)]
    tags: Vec<String>,
}

impl TryFrom<NewTurnBody> for NewTurn {
    type Error = InvalidValue;

    fn try_from(body: NewTurnBody) -> Result<Self, InvalidValue> {
        let mut turn = Self::builder(body.session, body.text);
        if let Some(speaker) = body.speaker {
            turn = turn.speaker(speaker);
        }
        if let Some(role) = body.role {
            turn = turn.role(role);
        }
        if let Some(reply) = body.reply {
            turn = turn.reply(reply);
        }
        if let Some(time) = body.time {
            turn = turn.time(time);
        }
        body.tags
            .into_iter()
            .fold(turn, annals::NewTurnBuilder::tag)
            .build()
    }
}

/// Turns to be stored, in one transaction.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewTurns {
    /// In the order in which they were said.
    pub(crate) turns: Vec<NewTurnBody>,
}

/// Memories by their ids.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ids {
    /// Their ids.
    #[schema(value_type = Vec<IdText>)]
    pub(crate) ids: Vec<MemoryId>,
}

view! {
    /// A conversation.
    SessionView of annals::SessionInfo as Session {
        /// Its name.
        name: String,
        /// Its turns.
        turns: u32,
        /// When its first turn was said.
        #[schema(value_type = Option<String>, format = DateTime)]
        first: Option<Timestamp>,
        /// When its last turn was said.
        #[schema(value_type = Option<String>, format = DateTime)]
        last: Option<Timestamp>,
    }
}

/// The conversations of a namespace.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Sessions {
    /// By name.
    pub(crate) sessions: Vec<SessionView>,
}

/// Which turns.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct TurnParams {
    /// The place of the first turn, from 0 on.
    #[serde(default)]
    pub(crate) from: u32,
    /// The most turns; 50 without it.
    #[param(minimum = 1, maximum = 500)]
    pub(crate) limit: Option<usize>,
}

/// Whether something was begun.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Begun {
    /// Whether there was anything to do.
    pub(crate) begun: bool,
}

/// What is asked for a prompt.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContextBody {
    /// The message that is to be answered; without one nothing is recalled.
    pub(crate) message: Option<String>,
    /// Messages before it, oldest first.
    #[serde(default)]
    pub(crate) earlier: Vec<String>,
    /// The conversation that is going on.
    pub(crate) session: Option<String>,
    /// The moment of the message.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub(crate) at: Option<Timestamp>,
    /// Count no use of the memories, and note nothing. So it is for a token that may not write.
    #[serde(default)]
    pub(crate) peek: bool,
    /// Tokens at most, in place of what the profile says; 0 is no limit.
    pub(crate) max_tokens: Option<u32>,
    /// The program that the prompt is for, as `injections` shows it.
    pub(crate) agent: Option<String>,
}

view! {
    /// What of the memory belongs in a prompt.
    ContextView of annals::Context as Context {
        /// The text for the prompt; empty where nothing belongs in it.
        text: String,
        /// The memories in it.
        #[schema(value_type = Vec<IdText>)]
        ids: Vec<MemoryId>,
        /// Its tokens, as they are counted.
        tokens: usize,
        /// Memories that had no room.
        left_out: usize,
        /// Why it was searched by words only, when it was.
        without_vectors: Option<String>,
    }
}

view! {
    /// What a use made of a memory.
    UsedView of annals::Reinforced as Used {
        /// Its score before.
        before: f64,
        /// Its score now.
        after: f64,
        /// Whether it counted.
        counted: CountedWord,
    }
}

/// What uses made of memories.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Uses {
    /// In the order asked.
    pub(crate) used: Vec<UsedView>,
}

/// Memories that pass a filter, of any status where it names none.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BulkBody {
    /// Which memories.
    pub(crate) filter: FilterBody,
    /// Only tell which they are.
    #[serde(default)]
    pub(crate) dry_run: bool,
}

/// The number of a piece of work.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TaskNumber {
    /// By which the queue lists it.
    pub(crate) number: u64,
}

/// How many.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Number {
    /// Their number.
    pub(crate) count: u64,
}

view! {
    /// A piece of background work.
    TaskView of annals::QueuedTask as Task {
        /// Its number.
        number: u64,
        /// What it is.
        kind: String,
        /// The memory that it is about.
        #[schema(value_type = Option<IdText>)]
        memory: Option<MemoryId>,
        /// Its state.
        state: QueueStateWord,
        /// When it is tried next.
        #[schema(value_type = Option<String>, format = DateTime)]
        next: Option<Timestamp>,
        /// When it was queued.
        #[schema(value_type = String, format = DateTime)]
        queued_at: Timestamp,
        /// How often it was tried.
        attempts: u32,
        /// Why it failed last.
        last_error: String,
    }
}

/// Background work of a namespace.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Queue {
    /// The oldest first.
    pub(crate) tasks: Vec<TaskView>,
}

view! {
    /// What a step of a job did.
    StepView of annals::StepOutcome as Step {
        /// The step.
        step: StepWord,
        /// What it counted.
        counts: BTreeMap<String, u64>,
        /// Why it failed.
        error: Option<String>,
    }
}

/// A job of a profile.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Job)]
pub(crate) struct JobView {
    /// The profile.
    profile: String,
    /// Its name.
    job: String,
    /// Whether it was stopped.
    stopped: bool,
    /// Whether it is due.
    due: bool,
    /// When it runs next.
    #[schema(value_type = Option<String>, format = DateTime)]
    next: Option<Timestamp>,
    /// How often it failed in a row.
    failures: u32,
    /// When it ran last.
    #[schema(value_type = Option<String>, format = DateTime)]
    last_run: Option<Timestamp>,
    /// What its steps did then.
    steps: Vec<StepView>,
}

impl From<annals::JobInfo> for JobView {
    fn from(job: annals::JobInfo) -> Self {
        Self {
            profile: job.profile,
            job: job.job,
            stopped: job.stopped,
            due: job.due,
            next: job.next,
            failures: job.failures,
            last_run: job.last.as_ref().map(|last| last.at),
            steps: job
                .last
                .map(|last| last.steps)
                .unwrap_or_default()
                .into_iter()
                .map(StepView::from)
                .collect(),
        }
    }
}

/// The jobs of the profiles.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Jobs {
    /// By profile and name.
    pub(crate) jobs: Vec<JobView>,
}

view! {
    /// A memory that waits for a verdict.
    ReviewView of annals::PendingReview as Review {
        /// The memory.
        #[schema(value_type = IdText)]
        id: MemoryId,
        /// Why it is looked at.
        kind: ReviewWord,
        /// What it is worth.
        score: f64,
        /// Its status.
        #[schema(value_type = StatusWord)]
        status: Status,
        /// What it says.
        text: String,
        /// How often a model was asked.
        attempts: u32,
    }
}

view! {
    /// Something that a model proposes.
    ProposalView of annals::Proposal as Proposal {
        /// Its id.
        #[schema(value_type = IdText)]
        id: MemoryId,
        /// What it would do.
        action: ProposalWord,
        /// The memory that it is about.
        #[schema(value_type = Option<IdText>)]
        about: Option<MemoryId>,
        /// What the memory would say.
        text: String,
        /// Its kind.
        kind: Option<String>,
        /// The turns that it was made of.
        #[schema(value_type = Vec<IdText>)]
        sources: Vec<MemoryId>,
        /// When it was made.
        #[schema(value_type = String, format = DateTime)]
        found_at: Timestamp,
    }
}

view! {
    /// Two memories that may contradict each other.
    SuspicionView of annals::Suspicion as Suspicion {
        /// The newer one.
        #[schema(value_type = IdText)]
        newer: MemoryId,
        /// What it says.
        newer_text: String,
        /// The older one.
        #[schema(value_type = IdText)]
        older: MemoryId,
        /// What it says.
        older_text: String,
        /// How much they are alike.
        similarity: f64,
        /// When they were found.
        #[schema(value_type = String, format = DateTime)]
        at: Timestamp,
    }
}

/// What waits for a person.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Reviews {
    /// Memories that wait for a verdict.
    pub(crate) pending: Vec<ReviewView>,
    /// What models propose.
    pub(crate) proposals: Vec<ProposalView>,
    /// What may contradict each other.
    pub(crate) suspicions: Vec<SuspicionView>,
}

/// A verdict on a memory.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum VerdictWord {
    /// It becomes one that lasts.
    Promote,
    /// It stays.
    Keep,
    /// It goes for good.
    Delete,
}

/// Why a memory is looked at.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ReviewReason {
    /// It is worth little.
    Decay,
    /// It is worth much.
    Promote,
}

/// A verdict.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VerdictBody {
    /// Why the memory is looked at.
    pub(crate) kind: ReviewReason,
    /// What becomes of it.
    pub(crate) verdict: VerdictWord,
}

/// Whether two memories contradict each other.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SettleBody {
    /// The newer one.
    #[schema(value_type = IdText)]
    pub(crate) newer: MemoryId,
    /// The older one.
    #[schema(value_type = IdText)]
    pub(crate) older: MemoryId,
    /// Whether they do.
    pub(crate) contradicts: bool,
}

view! {
    /// A decision about memories.
    DecisionView of annals::Decision as Decision {
        /// Its number.
        number: u64,
        /// When.
        #[schema(value_type = String, format = DateTime)]
        at: Timestamp,
        /// What was asked.
        question: QuestionWord,
        /// The memories.
        #[schema(value_type = Vec<IdText>)]
        memories: Vec<MemoryId>,
        /// The answer.
        answer: String,
        /// Why.
        reason: String,
        /// Who decided.
        by: String,
        /// What it changed.
        changes: Vec<String>,
        /// Whether it can be taken back.
        can_be_undone: bool,
        /// When it was taken back.
        #[schema(value_type = Option<String>, format = DateTime)]
        undone_at: Option<Timestamp>,
    }
}

impl HoldsTexts for DecisionView {
    fn without_texts(mut self) -> Self {
        self.reason.clear();
        self
    }
}

/// Decisions.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Decisions {
    /// The newest first.
    pub(crate) decisions: Vec<DecisionView>,
}

/// Which decisions.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct DecisionParams {
    /// About this memory.
    #[param(value_type = Option<String>)]
    pub(crate) memory: Option<MemoryId>,
    /// The most; 50 without it.
    #[param(minimum = 1, maximum = 500)]
    pub(crate) limit: Option<usize>,
}

view! {
    /// What calls of a model cost on a day.
    CostView of annals::Spent as Cost {
        /// The day.
        #[schema(value_type = String, format = DateTime)]
        day: Timestamp,
        /// What it was asked for.
        purpose: String,
        /// The model.
        model: String,
        /// Its calls.
        calls: u64,
        /// Those that failed.
        failed: u64,
        /// Tokens that it read.
        input_tokens: u64,
        /// Tokens that it wrote.
        output_tokens: u64,
        /// Whether the tokens are estimated.
        estimated: bool,
        /// What it cost, in the currency of the prices; 0 without any.
        cost: f64,
    }
}

/// What language models cost.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Costs {
    /// The oldest day first.
    pub(crate) costs: Vec<CostView>,
}

/// A profile, or a language.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProfileName {
    /// Its name.
    pub(crate) profile: String,
}

/// The language of prompts and labels.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LanguageName {
    /// A tag such as `en`, or `auto`; `null` for that of the profile.
    pub(crate) language: Option<String>,
}

/// What an import did.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Imported {
    /// Lines that are done.
    lines: u64,
    /// Memories that were stored.
    stored: u64,
    /// Memories that were there already.
    already_there: u64,
    /// Lines of an export that are taken only with the rights `admin` and `delete`, by their kind,
    /// such as `decision`: they were left out.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    withheld: BTreeMap<String, u64>,
    /// Lines that were left out, by the number of the line, with the reason.
    bad: Vec<BadLineView>,
}

/// A line that was left out.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BadLine)]
pub(crate) struct BadLineView {
    /// Its number, from 1 on.
    line: u64,
    /// Why.
    reason: String,
}

impl From<annals::ImportReport> for Imported {
    fn from(report: annals::ImportReport) -> Self {
        let bad = |bad: annals::BadLine| BadLineView {
            line: bad.line,
            reason: bad.reason,
        };
        Self {
            lines: report.lines_done,
            stored: report.stored,
            already_there: report.already_there,
            withheld: report.withheld,
            bad: report.bad.into_iter().map(bad).collect(),
        }
    }
}

/// How an import reads its lines.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ImportParams {
    /// `export`: lines as an export writes them; `turns`: a turn of a conversation each.
    #[serde(default)]
    #[param(inline)]
    pub(crate) format: LineFormat,
    /// Leave lines out that cannot be stored, instead of stopping there.
    #[serde(default)]
    pub(crate) skip_bad: bool,
}

/// The form of lines.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LineFormat {
    /// As an export writes them.
    #[default]
    Export,
    /// Turns of conversations.
    Turns,
}

/// A thing that memories speak of.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Entity)]
pub(crate) struct EntityView {
    /// Its number.
    id: u64,
    /// Its name.
    name: String,
    /// Its kind.
    kind: Option<String>,
    /// Its other names.
    aliases: Vec<String>,
    /// Its triples.
    degree: u32,
}

impl From<annals::graph::Entity> for EntityView {
    fn from(entity: annals::graph::Entity) -> Self {
        Self {
            id: entity.id.0.into(),
            name: entity.name,
            kind: entity.kind,
            aliases: entity.aliases,
            degree: entity.visible_degree,
        }
    }
}

/// Things that memories speak of.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Entities {
    /// By number.
    pub(crate) entities: Vec<EntityView>,
}

/// What memories say of two things.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Triple)]
pub(crate) struct TripleView {
    /// Its number.
    id: u64,
    /// Of what.
    subject: String,
    /// What.
    predicate: String,
    /// About what.
    object: String,
    /// Whether it says that it is not so.
    negated: bool,
}

/// A thing beside another one.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Neighbour)]
pub(crate) struct NeighbourView {
    /// The thing.
    entity: EntityView,
    /// What joins them.
    triple: TripleView,
    /// Whether the triple leads to it.
    outgoing: bool,
}

impl From<annals::graph::Neighbour> for NeighbourView {
    fn from(neighbour: annals::graph::Neighbour) -> Self {
        let triple = neighbour.triple;
        Self {
            entity: neighbour.entity.into(),
            triple: TripleView {
                id: triple.id.0.into(),
                subject: triple.subject,
                predicate: triple.predicate,
                object: triple.object,
                negated: triple.negated,
            },
            outgoing: neighbour.outgoing,
        }
    }
}

/// The neighbours of a thing.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Neighbours {
    /// The nearest.
    pub(crate) neighbours: Vec<NeighbourView>,
}

/// Which things.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct EntityParams {
    /// Of this name, or with it as another name.
    pub(crate) name: Option<String>,
    /// The most; 50 without it.
    #[param(minimum = 1, maximum = 500)]
    pub(crate) limit: Option<usize>,
}
