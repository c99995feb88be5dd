//! The variables that name the running test to a program with a cleared environment, so that it
//! tells `cargo xtask specs` under which profiles it worked.

pub(crate) fn witness() -> impl Iterator<Item = (String, String)> {
    let names = ["ANNALS_WITNESS", "NEXTEST_BINARY_ID", "NEXTEST_TEST_NAME"];
    std::env::vars().filter(move |(name, _)| names.contains(&name.as_str()))
}
