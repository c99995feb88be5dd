use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::texts::text;

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Shared {
    /// The database [default: agent.annals in the data folder of the platform]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) db: Option<PathBuf>,
    /// The namespace; `recall` takes several [default: in a repository that of the project and, for
    /// `recall`, the user's; else the user's]
    #[arg(long, short, global = true, value_name = "NAME")]
    pub(crate) namespace: Vec<String>,
    /// What is true of the user everywhere, in a repository too
    #[arg(long, global = true, conflicts_with = "namespace")]
    pub(crate) global: bool,
    /// `builtin`, `small`, a model folder, the name of a pulled model, or URL#MODEL [default:
    /// builtin]
    #[arg(long, global = true, value_name = "WHICH")]
    pub(crate) embedder: Option<String>,
    /// The config file [default: annals/config.toml in the config folder of the platform]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// How long to wait for a database that another process has open
    #[arg(long, global = true, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    pub(crate) wait: Duration,
    /// Answer and complain in JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// No colours (also NO_COLOR=1)
    #[arg(long, global = true)]
    pub(crate) no_color: bool,
    /// No progress bars and notes
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
}

/// A number of seconds, such as 5 or 0.5.
fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| text!("common-seconds"))?;
    Duration::try_from_secs_f64(number).map_err(|error| error.to_string())
}
