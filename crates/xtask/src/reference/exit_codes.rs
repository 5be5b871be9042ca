//! How programs end.

use cli::exit::Exit;

use super::page::{code, fill, table};
use crate::output::Output;
use crate::source;

pub(super) fn page() -> anyhow::Result<Output> {
    let items = source::parse("crates/operator/src/lib.rs")?;
    let exits = source::variants(&items, "Exit")?;
    let rows = exits
        .into_iter()
        .map(|exit| [code(&exit.value), exit.comment]);
    let operator = table(["Code", "Meaning"], rows);
    let rows = Exit::ALL.map(|exit| [code(&(exit as u8).to_string()), exit.meaning().to_owned()]);
    let plugin = table(["Code", "Meaning"], rows);
    let places = [("operator", operator), ("plugin", plugin)];
    fill("exit-codes", include_str!("exit_codes.md"), &places)
}
