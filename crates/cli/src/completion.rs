//! `completion`: scripts by which a shell completes commands, flags and names.
//!
//! A script calls this program again, with [`VARIABLE`] set, for the candidates of the current
//! words.

mod kubectl;
mod names;
mod words;

use std::ffi::OsString;

use clap::{Args as ClapArgs, Command, ValueEnum};
use clap_complete::CompleteEnv;
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::{Bash, EnvCompleter, Fish, Powershell, Shells, Zsh};

use crate::connection::ConnectionArgs;
use crate::exit::{Exit, Failure};
use crate::output;
use kubectl::Kubectl;
use names::What;

pub use words::connection_of;

/// The variable by which a shell asks for completions.
pub const VARIABLE: &str = "KUBECTL_GROVE_COMPLETE";
/// Its name on PATH.
const PROGRAM: &str = "kubectl-grove";
const SHELLS: Shells<'_> = Shells(&[&Bash, &Zsh, &Fish, &Powershell, &Kubectl]);

/// Arguments of `completion`.
#[derive(Clone, Debug, ClapArgs)]
pub struct CompletionArgs {
    /// The shell of the script
    pub shell: Shell,
}

/// The shells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// For `kubectl-grove` in bash 4.4 or newer
    Bash,
    /// For `kubectl-grove` in zsh
    Zsh,
    /// For `kubectl-grove` in fish
    Fish,
    /// For `kubectl-grove` in PowerShell
    Powershell,
    /// For `kubectl grove` in every shell in which kubectl completes: the program
    /// kubectl_complete-grove
    Kubectl,
}

/// Prints the script.
pub fn run(args: &CompletionArgs) -> Result<Exit, Failure> {
    output::print_raw(&script(args.shell)?)?;
    Ok(Exit::Ok)
}

/// The script for a shell.
pub fn script(shell: Shell) -> Result<String, Failure> {
    let completer: &dyn EnvCompleter = match shell {
        Shell::Bash => &Bash,
        Shell::Zsh => &Zsh,
        Shell::Fish => &Fish,
        Shell::Powershell => &Powershell,
        Shell::Kubectl => &Kubectl,
    };
    let mut text = Vec::new();
    completer
        .write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut text)
        .map_err(|error| Failure::Other(format!("cannot write the script: {error}")))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Answers if a shell asks about this program, or returns false. Failures are silent, because an
/// error would end up in the line that the user types.
pub fn answer_shell(program: fn() -> Command) -> bool {
    let words: Vec<OsString> = std::env::args_os().skip_while(|w| w != "--").collect();
    let connection = connection_of(&words);
    let current = std::env::current_dir().ok();
    let env = CompleteEnv::with_factory(|| command(program(), &connection))
        .var(VARIABLE)
        .bin(PROGRAM)
        .completer(PROGRAM)
        .shells(SHELLS);
    let answered = env.try_complete(std::env::args_os(), current.as_deref());
    answered.unwrap_or(true)
}

/// The command line with completions of its arguments: names of sets for each `name`, namespaces,
/// and contexts.
fn command(program: Command, connection: &ConnectionArgs) -> Command {
    let of = |what: What| {
        let connection = connection.clone();
        ArgValueCandidates::new(move || {
            names::find(&connection, what)
                .into_iter()
                .map(CompletionCandidate::new)
                .collect()
        })
    };
    let command = program
        .mut_arg("namespace", |arg| arg.add(of(What::Namespaces)))
        .mut_arg("context", |arg| arg.add(of(What::Contexts)));
    command.mut_subcommands(|subcommand| {
        let has = |id: &str| subcommand.get_arguments().any(|arg| arg.get_id() == id);
        let (takes_name, takes_operator) = (has("name"), has("operator_namespace"));
        let mut subcommand = subcommand;
        if takes_name {
            subcommand = subcommand.mut_arg("name", |arg| arg.add(of(What::Sets)));
        }
        if takes_operator {
            let of = of(What::Namespaces);
            subcommand = subcommand.mut_arg("operator_namespace", |arg| arg.add(of));
        }
        subcommand
    })
}
