use crate::app::App;
use crate::failure::Failure;

/// What `annals doctor` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args, _app: &mut App<'_, '_>) -> Result<(), Failure> {
    Ok(())
}
