//! Variables that pods get, and variables that the operator reads.

use clap::CommandFactory;

use super::page::{code, fill, table};
use crate::output::Output;
use crate::source;

pub(super) fn page() -> anyhow::Result<Output> {
    let items = source::parse("crates/api/src/labels.rs")?;
    let of_pods = source::constants(source::module(&items, "env")?);
    let rows = of_pods.into_iter().map(|i| [code(&i.value), i.comment]);
    let pods = table(["Variable", "Value"], rows);
    let places = [("pods", pods), ("operator", operator())];
    fill("environment", include_str!("environment.md"), &places)
}

fn operator() -> String {
    let command = operator::args::Args::command();
    let rows = command.get_arguments().filter_map(|flag| {
        let variable = flag.get_env()?.to_string_lossy();
        let name = format!("`--{}`", flag.get_long().unwrap_or_default());
        let meaning = flag.get_help().map(ToString::to_string);
        Some([code(&variable), name, meaning.unwrap_or_default()])
    });
    table(["Variable", "Flag", "Meaning"], rows)
}
