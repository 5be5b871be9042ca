//! `lint`: errors and warnings of the admission webhook, and bad practice, with the place in the
//! file.
//!
//! ```text
//! files ─▶ objects ─▶ definition: types, limits, names of fields    ─┐
//!                     set, binding: the rules of admission           ├─▶ remarks ─▶ findings
//!                     rules: bad practice                            │             with places
//!                     cluster: checks in a cluster (--cluster)       ─┘
//! ```

mod args;
mod assumed;
mod cluster;
mod coerced;
mod definition;
mod draw;
mod judged_files;
mod object;
mod operator;
mod parts;
mod remark;
mod report;
mod rules;
mod sarif;
mod stored_objects;

use std::path::{Path, PathBuf};

use crate::connection::ConnectionArgs;
use crate::exit::{Exit, Failure};
use crate::files::read_sources;
use crate::output;

pub use args::{LintArgs, LintFormat};
pub use cluster::{
    Answer, Answers, NamespaceQuota, Need, NeededKind, OfferedNodes, SamplePods, Wanted,
    build_pods, check_answers, check_nodes, choose_pods, judge_answer, needs_of,
};
pub(crate) use cluster::{devices_of, read_offered_nodes};
pub(crate) use definition::find_first_error;
pub use draw::draw_report;
pub use judged_files::{JudgedFiles, judge_by, judge_sources};
pub use operator::Operator;
pub use remark::{Remark, Rule, Severity};
pub use report::{Finding, Report};
pub use rules::ALL as RULES;
pub(crate) use rules::pod::check as check_pods;
pub(crate) use rules::pod::resource_names::nearest as nearest_resource;
pub use sarif::to_sarif;
pub use stored_objects::StoredObjects;

/// Files that a message names.
const MOST_NAMES: usize = 5;

/// Runs the command.
pub async fn run(args: &LintArgs, connection: &ConnectionArgs) -> Result<Exit, Failure> {
    args.check()?;
    let operator = Operator::read(args, connection)?;
    let stored = StoredObjects::read(&args.old)?;
    let sources = read_sources(&args.files)?;
    let mut judged = judge_by(&operator, &sources, &stored);
    if args.cluster {
        cluster::ask(&mut judged, connection).await?;
    }
    let report = judged.into_report(&args.ignore);
    print(&report, args.output)?;
    for broken in &report.unreadable {
        output::print_failure(&Failure::Unreadable(broken.clone()));
    }
    find_nothing_checked(&report, &args.files)?;
    Ok(exit_of(&report, args.strict))
}

/// Fails if no file has an object to check: in CI that would pass for a check.
pub fn find_nothing_checked(report: &Report, files: &[PathBuf]) -> Result<(), Failure> {
    if report.checked > 0 || !report.unreadable.is_empty() {
        return Ok(());
    }
    let mut names: Vec<String> = files.iter().map(|file| name_of(file)).collect();
    let more = names.len().saturating_sub(MOST_NAMES);
    names.truncate(MOST_NAMES);
    if more > 0 {
        names.push(format!("and {more} more"));
    }
    Err(Failure::BadInput(format!(
        "nothing to check in {}: no PodCliqueSet and no ClusterTopologyBinding; name a file or folder that \
         has one",
        names.join(", ")
    )))
}

fn name_of(file: &Path) -> String {
    if file == Path::new("-") {
        return "standard input".to_owned();
    }
    file.display().to_string()
}

fn print(report: &Report, format: LintFormat) -> Result<(), Failure> {
    match format.common() {
        Some(format) => output::print_value(report, format, |report| {
            draw_report(report, output::terminal_width())
        }),
        None => output::print_value(&to_sarif(report), crate::format::Format::Json, |_| {
            String::new()
        }),
    }
}

fn exit_of(report: &Report, is_strict: bool) -> Exit {
    let (errors, warnings) = (report.errors(), report.warnings());
    if !report.unreadable.is_empty() {
        Exit::BadInput
    } else if errors > 0 || (is_strict && warnings > 0) {
        Exit::Finding
    } else {
        Exit::Ok
    }
}
