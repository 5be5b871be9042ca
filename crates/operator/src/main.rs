//! The `grove-operator` binary.

use std::num::NonZero;
use std::process::ExitCode;

use clap::Parser;
use operator::args::{Args, Command};
use operator::{Exit, config, logging, probe, run};
use tokio::runtime;

#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

/// Threads that decide and decode. Creating a thousand pods takes a fifth of one; on a node of a
/// hundred cores, as many threads would mostly interrupt each other.
const MAX_THREADS: usize = 4;

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let _ = error.print();
            return exit(if error.use_stderr() {
                Exit::BadArguments
            } else {
                Exit::Ok
            });
        }
    };
    if let Some(Command::Probe { url }) = args.command {
        return exit(ask(&url));
    }
    let mut config = match config::load(args.config.as_deref()) {
        Ok(config) => config,
        Err(error) => {
            let file = args.config.unwrap_or_default();
            eprintln!("grove-operator: {}: {error}", file.display());
            return exit(Exit::BadConfig);
        }
    };
    config.process = args.process();
    config.init_container_image = args.init_container_image;
    let _logging = logging::start_logging(config.log_level, config.log_format);
    exit(run_on_threads(start_operator(config)))
}

fn run_on_threads(operator: impl Future<Output = Exit>) -> Exit {
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let mut runtime = runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(threads.min(MAX_THREADS));
    match runtime.enable_all().build() {
        Ok(runtime) => runtime.block_on(operator),
        Err(error) => {
            tracing::error!(%error, "cannot start threads");
            Exit::Failed
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn ask(url: &http::Uri) -> Exit {
    match probe::probe(url).await {
        Ok(body) => {
            println!("{body}");
            Exit::Ok
        }
        Err(error) => {
            eprintln!("grove-operator: {error:#}");
            Exit::Failed
        }
    }
}

async fn start_operator(config: config::Config) -> Exit {
    let config::Process {
        namespace,
        identity,
        ..
    } = &config.process;
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        namespace,
        identity,
        "grove-operator starts"
    );
    let client = match run::client(&config.process).await {
        Ok(client) => client,
        Err(error) => {
            tracing::error!(error = format!("{error:#}"), "cannot start");
            return Exit::NoClient;
        }
    };
    match run::run(config, client).await {
        Ok(()) => {
            tracing::info!("grove-operator stopped");
            Exit::Ok
        }
        Err(error) => {
            tracing::error!(
                error = format!("{error:#}"),
                "grove-operator stops because of an error"
            );
            Exit::Failed
        }
    }
}

fn exit(exit: Exit) -> ExitCode {
    ExitCode::from(exit as u8)
}
