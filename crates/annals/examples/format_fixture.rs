//! Writes a small file with something of everything that the current format holds, and its export
//! beside it: `cargo run -p annals --example format_fixture -- crates/annals/tests/fixtures/v1`.
//!
//! The files of a released format stay as they are; a new format gets new ones.

#![expect(clippy::print_stdout, reason = "an example talks to its user")]

use std::error::Error;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use annals::blocking::{Memory, Namespace};
use annals::profile::Profile;
use annals::{
    Attachment, ImportFormat, ImportOptions, Layer, ManualClock, MemoryId, Mode, NewMemory,
    NewTurn, Role, Status, ToolCall,
};

type Done<T> = Result<T, Box<dyn Error>>;

const PHRASES: [&str; 12] = [
    "the ferry to Tromsø leaves at seven",
    "图书馆星期一不开门",
    "proxy-env listens on port 7890",
    "the red bicycle has a flat tyre",
    "我喜欢喝乌龙茶",
    "Nuxt 4 needs Node 22",
    "the backup lies in D:\\archive\\2026",
    "Mika's violin lesson moved to Thursday",
    "小满的生日是五月二十一日",
    "the grey cat is called Turing",
    "version 2.7.1 fixed the leak",
    "下个月我们搬到杭州",
];

fn main() -> Done<()> {
    let stem = PathBuf::from(
        std::env::args_os()
            .nth(1)
            .ok_or("name the files without their ending")?,
    );
    let path = stem.with_extension("annals");
    if path.exists() {
        return Err(format!("{} exists already", path.display()).into());
    }
    let clock = ManualClock::new("2026-03-01T09:00:00Z".parse()?);
    // Segments, merges, a graph with a tail and column blocks come into being at once.
    let mut profile = Profile::default();
    profile.records.column_block_rows = 8;
    (
        profile.text.fold_above_rows,
        profile.text.merge_factor,
        profile.text.chunk_bytes,
    ) = (0, 4, 1024);
    (
        profile.vector.exact_up_to_rows,
        profile.vector.tail_up_to_rows,
        profile.vector.degree,
    ) = (0, 16, 4);
    let memory = Memory::options()
        .clock(Arc::new(clock.clone()))
        .id_seed(42)
        .profile(profile)
        .open(&path)?;
    let user = memory.namespace("user:42")?;
    turns(&user, &memory, &clock)?;
    facts(&user, &clock)?;
    memory
        .namespace("团队 7")?
        .remember("The team meets on the first Tuesday.")?;
    memory
        .namespace("gone")?
        .remember("Nothing of this namespace is left.")?;
    memory.delete_namespace("gone", Mode::Commit)?;
    stopped_import(&user)?;
    memory.compact()?;
    user.transfer().export(
        &mut File::create(stem.with_extension("ndjson"))?,
        &mut |_| {},
    )?;
    println!(
        "{} bytes, {:?}",
        memory.stats()?.file_bytes,
        user.admin().stats()?
    );
    Ok(())
}

fn turns(user: &Namespace, memory: &Memory, clock: &ManualClock) -> Done<()> {
    for day in 0..4 {
        let session = format!("day {}", day % 3);
        for (number, phrase) in PHRASES.iter().enumerate() {
            let turn = NewTurn::builder(session.as_str(), format!("On day {day} {phrase}."));
            let turn = match number % 4 {
                0 => turn.speaker("Ada").reply("Noted."),
                1 => turn.speaker("林").tag("zh").time(clock_time(clock)),
                2 => turn.role(Role::Assistant).tool_call(ToolCall {
                    name: annals::Label::new("tool", "shell")?,
                    arguments: format!("{{\"day\": {day}}}"),
                    result: Some("ok".to_owned()),
                }),
                _ => turn.attachment(Attachment {
                    uri: format!("file:///photos/{day}-{number}.jpg"),
                    media_type: Some("image/jpeg".to_owned()),
                    caption: Some(format!("a photo of day {day}")),
                }),
            };
            user.sessions().append(vec![turn.build()?])?;
            clock.advance_millis(61_001);
        }
        memory.wait_idle()?;
    }
    Ok(())
}

fn clock_time(clock: &ManualClock) -> annals::Timestamp {
    annals::Clock::now(clock).plus_millis(-86_400_000)
}

fn facts(user: &Namespace, clock: &ManualClock) -> Done<()> {
    let full = NewMemory::builder("I live in Berlin and work for a robotics startup.")
        .layer(Layer::Core)
        .kind("address")
        .importance(0.875)
        .confidence(0.75)
        .verified(true)
        .source("a form")
        .tag("home")
        .tag("work")
        .metadata("count", 3)
        .metadata("share", 0.1)
        .event_time("2023-03-05T00:00:00Z".parse()?)
        .valid_from("2023-03-05T00:00:00Z".parse()?)
        .valid_until("2030-01-01T00:00:00Z".parse()?)
        .expires_at("2040-01-01T00:00:00Z".parse()?);
    let home = user.remember(full.build()?)?;
    let coffee = user.remember("I drink coffee.")?;
    let fact = |text: &str| -> Done<MemoryId> {
        Ok(user.remember(NewMemory::builder(text).derived_from(home).build()?)?)
    };
    let (forgotten, archived, erased) = (
        fact("An old phone number.")?,
        fact("An old address.")?,
        fact("A secret.")?,
    );
    user.remember(
        NewMemory::builder("Waits for review.")
            .status(Status::Staged)
            .build()?,
    )?;
    clock.advance_millis(86_400_000);
    user.update(coffee, "I drink tea.")?;
    clock.advance_millis(86_400_000);
    user.lifecycle().supersede(coffee, "I drink water.")?;
    user.forget(forgotten)?;
    user.archive(archived)?;
    user.touch(&[home, home, archived])?;
    user.delete(erased, Mode::Commit)?;
    let first = user.session("day 0").memories(0, 1)?;
    let ids: Vec<MemoryId> = first.iter().map(|turn| turn.id).collect();
    user.bulk().delete(&ids, Mode::Commit)?;
    Ok(())
}

/// Leaves the position of an import that did not come to its end.
fn stopped_import(user: &Namespace) -> Done<()> {
    let source = Some("notes.ndjson".to_owned());
    let options = ImportOptions {
        format: ImportFormat::Turns,
        source,
        ..ImportOptions::default()
    };
    let text = "{\"session\": \"import\", \"text\": \"One line came in.\"}\nThe next is none.\n";
    match user
        .transfer()
        .import(&mut text.as_bytes(), &options, &mut |_| {})
    {
        Err(error) if error.import_line() == Some(2) => Ok(()),
        other => Err(format!("the import should have stopped at line 2: {other:?}").into()),
    }
}
