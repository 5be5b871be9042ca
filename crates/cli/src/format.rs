//! How results are printed, for all commands.

use clap::ValueEnum;

/// How a result is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people, in the width of the terminal, or 80 columns.
    #[default]
    Text,
    /// For people, with more columns.
    Wide,
    /// For programs.
    Json,
    /// For programs and people.
    Yaml,
}
