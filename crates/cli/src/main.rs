//! The `kubectl-grove` binary: on PATH it is `kubectl grove`.

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
