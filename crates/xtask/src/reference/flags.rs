//! Flags of the programs.

use anyhow::Context;
use clap::{Arg, Command, CommandFactory};
use syn::Item as Node;

use super::page::{code, fill, table};
use crate::output::Output;
use crate::source;

pub(super) fn page() -> anyhow::Result<Output> {
    let operator = operator::args::Args::command();
    let plugin = cli::args::Args::command();
    let of_operator = format!("{}\n{}", flags(&operator), commands(&operator));
    let places = [
        ("operator", of_operator),
        ("everywhere", flags(&plugin)),
        ("commands", commands(&plugin)),
        ("initc", initc()?),
    ];
    fill("flags", include_str!("flags.md"), &places)
}

fn commands(program: &Command) -> String {
    let shown = program.get_subcommands().filter(|c| !c.is_hide_set());
    let commands: Vec<String> = shown.map(command).collect();
    commands.join("\n")
}

fn command(command: &Command) -> String {
    let about = command.get_about().map(ToString::to_string);
    let (name, about) = (command.get_name(), about.unwrap_or_default());
    format!("### {name}\n\n{about}.\n\n{}", flags(command))
}

fn flags(command: &Command) -> String {
    let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
    table(["Flag", "Default", "Meaning"], shown.map(describe))
}

fn describe(arg: &Arg) -> [String; 3] {
    let defaults: Vec<_> = arg.get_default_values().iter().collect();
    let default = defaults.first().map(|value| code(&value.to_string_lossy()));
    let default = default.filter(|_| arg.get_action().takes_values());
    let help = arg.get_help().map(ToString::to_string);
    let values: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set() && arg.get_action().takes_values())
        .map(|value| code(value.get_name()))
        .collect();
    let mut meaning = help.unwrap_or_default();
    if !values.is_empty() {
        meaning = format!("{meaning}: {}", values.join(", "));
    }
    [code(&name(arg)), default.unwrap_or_default(), meaning]
}

/// The argument as it is written: `-n, --namespace NAME`, or `NAME`.
fn name(arg: &Arg) -> String {
    let values = arg.get_value_names().unwrap_or_default().iter();
    let value = values
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(" ");
    let Some(long) = arg.get_long() else {
        return value;
    };
    let short = arg.get_short().map(|short| format!("-{short}, "));
    let flag = format!("{}--{long}", short.unwrap_or_default());
    if arg.get_action().takes_values() {
        format!("{flag} {value}")
    } else {
        flag
    }
}

/// The help of `grove-initc`; its arguments are parsed without a library.
fn initc() -> anyhow::Result<String> {
    let items = source::parse("crates/initc/src/args.rs")?;
    let text = |name: &str| {
        let found = items.iter().find_map(|item| match item {
            Node::Const(constant) if constant.ident == name => source::text_of(&constant.expr),
            _ => None,
        });
        found.with_context(|| format!("crates/initc/src/args.rs has no {name}"))
    };
    Ok(text("HELP")?.replace("DEFAULT", &text("DIRECTORY")?))
}
