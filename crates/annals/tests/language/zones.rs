//! The zone in which days begin: that of the profile, or else of whoever opens the file.

use crate::support::life::World;

#[test]
fn days_begin_where_whoever_opens_the_file_is() {
    // The evening of January 1 in London is the morning of January 2 in Shanghai.
    let world = World::with("companion", |options| options.zone("Asia/Shanghai"));
    world.at(0.9);
    let told = world.space().context("你好").unwrap().text;
    assert!(told.contains("2026-01-02 05:36"), "{told}");
    // A profile that names a zone keeps it, wherever the file is opened.
    let own = annals::profiles::builtin("companion").unwrap().to_owned()
        + "\n[time]\nzone = \"Europe/Berlin\"\n";
    world.memory().profiles().store("here", &own).unwrap();
    world.memory().create_namespace("berlin", "here").unwrap();
    let told = world
        .memory()
        .namespace("berlin")
        .unwrap()
        .context("你好")
        .unwrap()
        .text;
    assert!(told.contains("2026-01-01 22:36"), "{told}");
    let unknown = annals::Options::new()
        .zone("Mars/Olympus")
        .in_memory()
        .unwrap_err();
    assert!(
        unknown.is_invalid() && unknown.to_string().contains("Mars/Olympus"),
        "{unknown}"
    );
}
