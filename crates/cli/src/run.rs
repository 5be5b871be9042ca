//! From the command line to the exit code.

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use crate::args::{Args, Command};
use crate::exit::{Exit, Failure};
use crate::suspend::Wish;
use crate::{
    bundle, capacity, completion, explain, history, lint, logs, man, output, pause, plan, restart,
    status, suspend, timeline, tree, undo,
};

/// Runs the command of the arguments.
pub fn main() -> ExitCode {
    if completion::answer_shell(Args::command) {
        return exit(Exit::Ok);
    }
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let _ = error.print();
            let is_error = error.use_stderr();
            return exit(if is_error { Exit::BadInput } else { Exit::Ok });
        }
    };
    output::fit_terminal();
    match run_to_end(&args) {
        Ok(code) => exit(code),
        Err(failure) => {
            output::print_failure(&failure);
            exit(failure.exit())
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn run_to_end(args: &Args) -> Result<Exit, Failure> {
    match &args.command {
        Command::Tree(tree) => tree::run(tree, &args.connection).await,
        Command::Explain(explain) => explain::run(explain, &args.connection).await,
        Command::Timeline(timeline) => timeline::run(timeline, &args.connection).await,
        Command::Logs(logs) => logs::run(logs, &args.connection).await,
        Command::History(history) => history::run(history, &args.connection).await,
        Command::Undo(undo) => undo::run(undo, &args.connection).await,
        Command::Suspend(set) => suspend::run(set, Wish::Suspend, &args.connection).await,
        Command::Resume(set) => suspend::run(set, Wish::Resume, &args.connection).await,
        Command::Restart(restart) => restart::run(restart, &args.connection).await,
        Command::Pause(pause) => pause::run(pause, &args.connection, true).await,
        Command::Unpause(pause) => pause::run(pause, &args.connection, false).await,
        Command::Lint(lint) => lint::run(lint, &args.connection).await,
        Command::Plan(plan) => Box::pin(plan::run(plan, &args.connection)).await,
        Command::Capacity(capacity) => capacity::run(capacity, &args.connection).await,
        Command::Status(status) => status::run(status, &args.connection).await,
        Command::Bundle(bundle) => bundle::run(bundle, &args.connection).await,
        Command::Completion(completion) => completion::run(completion),
        Command::Man(man) => man::run(man, Args::command()),
    }
}

fn exit(exit: Exit) -> ExitCode {
    ExitCode::from(exit as u8)
}
