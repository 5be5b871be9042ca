//! Runs rows: first those that share the cluster, then those that need it alone, one by one.

use std::cell::RefCell;
use std::env;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Conclusion, Failed, Trial};

use super::row::{Row, Test};
use super::site::Site;

/// Concurrent rows: most of the time they wait for kubelets. With 24 of them on two cores, the
/// kubelets run probes and report ends so late that rows judge the machine.
const TOGETHER: usize = 16;

/// Runs the rows that the arguments of `cargo test` select.
pub fn run(rows: Vec<Row>) -> ExitCode {
    keep_panics();
    let args = Arguments::from_args();
    let is_soak = env::var("NODE_ROWS").is_ok_and(|rows| rows == "all");
    let (alone, together): (Vec<Row>, Vec<Row>) = rows
        .into_iter()
        .filter(|row| (is_soak || row.is_in_short_list) && is_asked_for(&args, row))
        .partition(|row| row.is_alone);
    let is_wanted = !alone.is_empty() || !together.is_empty();
    let starts = is_wanted && !args.list;
    if starts && let Err(error) = Site::start() {
        eprintln!("the tests on real nodes cannot start: {error:#}");
        return ExitCode::FAILURE;
    }
    let first = run_some(&args, together, TOGETHER);
    let last = run_some(&args, alone, 1);
    let ended = if starts { Site::end() } else { Ok(()) };
    if let Err(error) = &ended {
        eprintln!("{error:#}");
    }
    let is_good = !first.has_failed() && !last.has_failed() && ended.is_ok();
    if is_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(101)
    }
}

/// Whether the filter of the arguments selects it: without rows no cluster is started.
fn is_asked_for(args: &Arguments, row: &Row) -> bool {
    let filter = args.filter.as_deref().unwrap_or_default();
    if args.exact {
        row.name == filter
    } else {
        row.name.contains(filter)
    }
}

fn run_some(args: &Arguments, rows: Vec<Row>, at_once: usize) -> Conclusion {
    let args = Arguments {
        test_threads: args
            .test_threads
            .map_or(Some(at_once), |given| Some(given.min(at_once))),
        ..args.clone()
    };
    let trial = |row: Row| Trial::test(row.name, || judged(row.test)).with_kind(row.finding);
    libtest_mimic::run(&args, rows.into_iter().map(trial).collect())
}

/// A panic is a failure: the following rows still run.
fn judged(test: Test) -> Result<(), Failed> {
    match panic::catch_unwind(AssertUnwindSafe(test)) {
        Ok(result) => result.map_err(Failed::from),
        Err(panic) => Err(said(&*panic).into()),
    }
}

thread_local! {
    /// The place of the thread's last panic.
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Panics are reported with their rows, not among those of others.
fn keep_panics() {
    panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        PLACE.with_borrow_mut(|kept| *kept = place.unwrap_or_default());
    }));
}

/// Text and place of this thread's panic.
pub fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
    let place = PLACE.with_borrow(String::clone);
    format!("{place}: {}", text.unwrap_or_default())
}
