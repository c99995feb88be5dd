//! Whose memories: the namespace of an owner, and what marks those of an agent or a run in it.

use annals::{Filter, InvalidValue, Label, Layer, NamespaceName, Status, StoredMemory};

use crate::auth::{Caller, ends_in_star};
use crate::dto::mem0::{Item, Owner, ShownOwner};
use crate::problem::{Kind, Problem};

/// The beginnings of names of namespaces and of tags, in the order in which an owner is looked for.
const KINDS: [&str; 4] = ["user", "agent", "app", "run"];

/// The layers of memories that are shown.
const LISTED_LAYERS: [Layer; 4] = [Layer::Semantic, Layer::Episodic, Layer::Core, Layer::System];

/// The fields of the metadata that are shown by themselves.
pub(super) const ROLE: &str = "role";
pub(super) const ACTOR: &str = "actor_id";

/// The namespace of an owner, and the tags of its memories there.
pub(super) struct Place {
    pub(super) namespace: String,
    pub(super) tags: Vec<String>,
}

impl Place {
    /// The place of an owner, for a caller who reaches it.
    pub(super) fn of(owner: Owner, caller: &Caller) -> Result<Self, Problem> {
        let mut names = names(owner)?.into_iter();
        let Some(namespace) = names.next() else {
            let why =
                "at least one of user_id, agent_id, app_id, run_id says whose memories are meant";
            return Err(Problem::new(Kind::BadValue, why).at("user_id"));
        };
        NamespaceName::new(namespace.as_str())?;
        caller.reach(&namespace)?;
        Ok(Self {
            namespace,
            tags: names.collect(),
        })
    }

    /// Which memories of the namespace are meant: none of the turns of conversations.
    pub(super) fn filter(&self) -> Result<Filter, InvalidValue> {
        Ok(Filter {
            layers: LISTED_LAYERS.to_vec(),
            ..self.filter_with_turns()?
        })
    }

    /// The memories of the owner and the turns that they were made of: who deletes the one does not
    /// expect the other to stay.
    pub(super) fn filter_with_turns(&self) -> Result<Filter, InvalidValue> {
        let tags = self.tags.iter().map(|tag| Label::new("tag", tag.as_str()));
        Ok(Filter {
            tags: tags.collect::<Result<_, _>>()?,
            ..Filter::default()
        })
    }
}

/// The ids of an owner, each behind its kind. A blank one is refused: passed over, it would let a
/// wider owner be meant.
fn names(owner: Owner) -> Result<Vec<String>, Problem> {
    let Owner {
        user_id,
        agent_id,
        app_id,
        run_id,
    } = owner;
    let mut names = Vec::new();
    for (kind, id) in KINDS.into_iter().zip([user_id, agent_id, app_id, run_id]) {
        let Some(id) = id else { continue };
        let id = id.trim();
        if id.is_empty() {
            let field = format!("{kind}_id");
            let why = format!("{field} is blank: give an id, or leave {field} out");
            return Err(Problem::new(Kind::BadValue, why).at(field));
        }
        // The first one names the namespace.
        if names.is_empty() && id.ends_with('*') {
            return Err(ends_in_star(Kind::BadValue, format!("{kind}_id")));
        }
        names.push(format!("{kind}:{id}"));
    }
    Ok(names)
}

/// Whether a namespace is that of an owner, by its name.
pub(super) fn is_of_owner(namespace: &str) -> bool {
    let Some((kind, id)) = namespace.split_once(':') else {
        return false;
    };
    KINDS.contains(&kind) && !id.trim().is_empty()
}

/// Whether a memory is one that lists show: in use, replaced by no other one, and no turn.
pub(super) fn is_listed(memory: &StoredMemory) -> bool {
    matches!(memory.status, Status::Active | Status::Staged)
        && memory.superseded_by.is_none()
        && LISTED_LAYERS.contains(&memory.body.layer)
}

/// A memory as it is shown.
pub(super) fn item(namespace: &str, memory: StoredMemory, score: Option<f32>) -> Item {
    let tags = memory
        .body
        .tags
        .iter()
        .map(Label::as_str)
        .chain([namespace]);
    let mut owner = ShownOwner::default();
    for (kind, id) in tags.filter_map(|tag| tag.split_once(':')) {
        let field = match kind {
            "user" => &mut owner.user_id,
            "agent" => &mut owner.agent_id,
            "app" => &mut owner.app_id,
            "run" => &mut owner.run_id,
            _ => continue,
        };
        *field = Some(id.to_owned());
    }
    let mut metadata = memory.body.metadata;
    let mut own = |name: &str| match metadata.remove(name) {
        Some(annals::Value::Text(text)) => Some(text),
        _ => None,
    };
    let (role, actor_id) = (own(ROLE), own(ACTOR));
    Item {
        id: memory.id,
        memory: memory.body.text,
        metadata,
        score,
        created_at: memory.id.timestamp(),
        updated_at: memory.stored_at,
        owner,
        role,
        actor_id,
    }
}
