//! The background work of the designs is the same whichever language a namespace has.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

use annals::llm::provider::{Provider, Replay, Reply};
use annals::{JobReport, Layer, ListQuery, NewMemory, NewTurn, Role, Status};

use crate::support::life::World;

/// A language of one's own.
const OWN: &str = "detected-as = deu\nheading-recalled = Was bekannt ist:\n";

/// What the steps of jobs counted, by profile, job, step and name.
type Counts = BTreeMap<String, u64>;

fn counts(reports: &[JobReport]) -> Counts {
    let mut all = Counts::new();
    for report in reports {
        for made in &report.steps {
            for (name, count) in made.counts.iter().filter(|(_, count)| **count > 0) {
                all.insert(
                    format!(
                        "{} {} {} {name}",
                        report.profile,
                        report.job,
                        made.step.as_str()
                    ),
                    *count,
                );
            }
        }
    }
    all
}

/// Plays a scenario in a namespace without a language, in English, in Chinese and in a language of
/// one's own; all four answer the same, which is returned with what the model, if there is one, was
/// asked in each.
fn in_each_language<T: Debug + PartialEq>(
    profile: &str,
    model: Option<&dyn Fn() -> Replay>,
    scenario: impl Fn(&World) -> T,
) -> (T, BTreeMap<&'static str, String>) {
    let mut first = None;
    let mut asked = BTreeMap::new();
    for language in ["auto", "en", "zh", "de"] {
        let own: Option<Arc<Replay>> = model.map(|model| Arc::new(model()));
        let given = own.clone();
        let world = World::with(profile, move |options| match &given {
            Some(model) => options.model(Arc::<Replay>::clone(model)),
            None => options,
        });
        world.memory().profiles().store_messages("de", OWN).unwrap();
        world
            .space()
            .admin()
            .set_language((language != "auto").then(|| language.to_owned()))
            .unwrap();
        let answer = scenario(&world);
        world.validate();
        let requests = own.map(|model| model.asked()).unwrap_or_default();
        let texts: Vec<String> = requests
            .iter()
            .flat_map(|request| request.messages.iter().map(|told| told.text.clone()))
            .collect();
        asked.insert(language, texts.join("\n"));
        match &first {
            None => first = Some(answer),
            Some(first) => assert_eq!(answer, *first, "{language}"),
        }
    }
    (first.unwrap(), asked)
}

fn round(world: &World, said: &str) {
    let turn = |role, text: &str| NewTurn::builder("s", text).role(role).build().unwrap();
    world
        .space()
        .sessions()
        .append(vec![
            turn(Role::User, said),
            turn(Role::Assistant, "All right."),
        ])
        .unwrap();
}

fn has_chinese(text: &str) -> bool {
    text.chars().any(|c| ('\u{4E00}'..='\u{9FFF}').contains(&c))
}

/// How many memories that are no turns have each status.
fn statuses(world: &World) -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    let listed = world
        .space()
        .list(&ListQuery {
            limit: 1000,
            ..ListQuery::default()
        })
        .unwrap()
        .memories;
    for memory in listed
        .into_iter()
        .filter(|memory| memory.body.layer != Layer::Turn)
    {
        *all.entry(memory.status.as_str().to_owned()).or_insert(0) += 1;
    }
    all
}

#[test]
fn a_graph_is_consolidated_in_every_language() {
    let (found, _) = in_each_language("graph", None, |world| {
        for text in ["I could not sleep", "I am tired"] {
            world.remember(
                NewMemory::builder(text)
                    .kind("事件")
                    .status(Status::Staged)
                    .build()
                    .unwrap(),
            );
        }
        world.at(1.0);
        (counts(&world.force()), statuses(world))
    });
    assert_eq!(
        found.0.get("graph consolidation consolidate consolidated"),
        Some(&2),
        "{found:?}"
    );
    assert_eq!(found.1, [("active".to_owned(), 2)].into());
}

#[test]
fn a_companion_extracts_again_finds_triples_and_hears_reviews_in_every_language() {
    let model = || {
        let model = Replay::default()
            .failure("extract", "busy")
            .reply("extract", "[ADD] The user moved to Berlin");
        (0..4).for_each(|_| model.push("triples", Ok(Reply::text("{\"triples\": []}"))));
        model.reply("review", "[KEEP]")
    };
    let (found, asked) = in_each_language("companion", Some(&model), |world| {
        world.scored("fact", 0.23, "The user likes tabs");
        round(world, "I moved to Berlin");
        let mut worked = vec![world.space().queue().work_off().unwrap()];
        world.at(1.0);
        worked.push(world.space().queue().work_off().unwrap());
        world.at(6.5);
        (
            worked,
            counts(&world.force()),
            world.space().queue().list(10).unwrap().len(),
        )
    });
    assert_eq!(found.0[0].get("failed"), Some(&1), "{found:?}");
    assert_eq!(
        (found.0[1].get("extracted"), found.2),
        (Some(&1), 0),
        "{found:?}"
    );
    assert_eq!(
        found.1.get("companion decay reviews kept"),
        Some(&1),
        "{found:?}"
    );
    assert!(
        has_chinese(&asked["zh"]) && !has_chinese(&asked["en"]) && !has_chinese(&asked["auto"]),
        "{asked:?}"
    );
}

#[test]
fn an_agent_extracts_and_unites_by_night_in_every_language() {
    let rule = r#"{"memories": [{"content":"Always answer in English","type":"RULE","duration":"permanent"}]}"#;
    let model = || Replay::default().reply("extract", rule);
    let (found, asked) = in_each_language("agent", Some(&model), |world| {
        for _ in 0..2 {
            world
                .space()
                .bulk()
                .remember(vec![told("The user works in Berlin")])
                .unwrap();
        }
        round(world, "From now on always answer in English.");
        world.at(1.0);
        (counts(&world.force()), statuses(world))
    });
    assert!(
        found.0.contains_key("agent nightly queue extracted"),
        "{found:?}"
    );
    assert!(
        found.0.contains_key("agent nightly dedup checked"),
        "{found:?}"
    );
    assert!(
        has_chinese(&asked["zh"]) && !has_chinese(&asked["en"]),
        "{asked:?}"
    );
}

fn told(text: &str) -> NewMemory {
    NewMemory::builder(text).kind("FACT").build().unwrap()
}

#[test]
fn studio_and_markdown_keep_their_nights_in_every_language() {
    for (profile, kind) in [("studio", "fact"), ("markdown", "todo")] {
        let (found, _) = in_each_language(profile, None, |world| {
            world.scored(kind, 0.12, "Water the plants");
            world.scored(kind, 0.9, "The user works in Berlin");
            let mut all = Counts::new();
            for days in [1.0, 20.0, 60.0, 200.0] {
                world.at(days);
                all.extend(counts(&world.force()));
            }
            (all, statuses(world))
        });
        let acted = |name: &str| {
            ["forgotten", "archived", "deleted"]
                .iter()
                .any(|word| name.ends_with(word))
        };
        assert!(
            found.0.keys().any(|name| acted(name)),
            "{profile}: {found:?}"
        );
    }
}

#[test]
fn a_language_that_is_given_while_work_waits_does_not_lose_it() {
    let answer = "[ADD] The user moved to Berlin\n{\"subject\": \"user\", \"predicate\": \"moved to\", \"object\": \"Berlin\"}";
    let model = Arc::new(Replay::default().reply("extract", answer));
    let own: Arc<dyn Provider> = Arc::clone(&model) as Arc<dyn Provider>;
    let world = World::with("companion", move |options| options.model(Arc::clone(&own)));
    round(&world, "I moved to Berlin");
    world
        .space()
        .admin()
        .set_language(Some("zh".to_owned()))
        .unwrap();
    assert_eq!(
        world.space().queue().work_off().unwrap().get("extracted"),
        Some(&1)
    );
    assert_eq!(
        (model.left(), world.space().queue().list(10).unwrap().len()),
        (0, 0)
    );
    world.validate();
}
