//! Arguments of `timeline`.

use api::GoDuration;
use clap::Args as ClapArgs;
use jiff::SignedDuration;

use crate::format::Format;

/// Arguments of `timeline`.
#[derive(Clone, Debug, ClapArgs)]
pub struct TimelineArgs {
    /// Name of the PodCliqueSet, or of an object of it, or TYPE/NAME
    pub name: String,

    /// Only moments within this time, such as 2h or 30m; by default all
    #[arg(long, value_name = "DURATION", value_parser = parse_since)]
    pub since: Option<SignedDuration>,

    /// Format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub output: Format,
}

fn parse_since(text: &str) -> Result<SignedDuration, String> {
    let given = GoDuration::from(text).parse();
    let given = given.map_err(|error| error.to_string())?;
    let is_positive = given.is_positive();
    is_positive
        .then_some(given)
        .ok_or_else(|| format!("{text:?} is not a positive duration: write for example 2h"))
}
