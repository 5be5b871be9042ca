//! `capacity`: whether the gangs of a set fit on the nodes as they are, and the shortage if not.
//!
//! ```text
//! file ─▶ gangs ──┐
//!                 ├─▶ place ─▶ report ─▶ draw
//! cluster, or ────┘
//! dump: snapshot
//! ```

mod amounts;
mod args;
mod domains;
mod draw;
mod eligibility;
mod exclusion;
mod files;
mod gang;
mod gangs;
mod labels;
mod needs;
mod node_order;
mod notes;
mod objects;
mod place;
mod read;
mod report;
mod requests;
mod snapshot;
mod topology;

use std::path::Path;

use api::PodCliqueSet;
use domain::topology::has_constraints;

use crate::cluster::Cluster;
use crate::connection::ConnectionArgs;
use crate::exit::{Exit, Failure};
use crate::format::Format;
use crate::output;
use crate::plan::namespace_of;

pub(crate) use amounts::add_times;
pub use amounts::{Amounts, BadQuantity};
pub use args::CapacityArgs;
pub use domains::{Domain, DomainsOfGang, Holder, domains_of};
pub use draw::draw_report;
pub use eligibility::{Refusal, find_refusal};
pub use exclusion::{HostPort, Repulsion};
pub use files::{read_dump, read_sets};
pub use gang::{Gang, GangPart, Pack};
pub use gangs::{gangs_in, gangs_of};
pub use needs::PodNeeds;
pub use node_order::NodeOrder;
pub use notes::notes_on;
pub use place::{GangVerdict, Outcome, Placed, place_gangs};
pub(crate) use read::read_snapshot;
pub use report::{Count, GangReport, PlacedPods, Report, report};
pub use snapshot::{BoundPod, ClusterSnapshot, NodeSnapshot};

/// Runs the command.
pub async fn run(args: &CapacityArgs, connection: &ConnectionArgs) -> Result<Exit, Failure> {
    let file = args.file.display().to_string();
    let text = files::read_file(&args.file)?;
    let (sets, snapshot) = if let Some(dump) = &args.nodes {
        let sets = read_sets(&text, &file, &namespace_of(connection))?;
        (sets, load_dump(dump, &args.file)?)
    } else {
        let cluster = Cluster::connect(connection).await?;
        let sets = read_sets(&text, &file, &cluster.namespace)?;
        let with_topologies = sets.iter().any(|set| has_constraints(&set.spec.template));
        let snapshot = read::read_snapshot(&cluster, with_topologies).await?;
        (sets, snapshot)
    };
    let report = simulate(&sets, &snapshot, &file)?;
    let is_wide = args.output == Format::Wide;
    output::print_value(&report, args.output, |report| draw_report(report, is_wide))?;
    Ok(if report.fits { Exit::Ok } else { Exit::Finding })
}

fn load_dump(dump: &Path, manifest: &Path) -> Result<ClusterSnapshot, Failure> {
    let is_stdin = |path: &Path| path == Path::new("-");
    if is_stdin(dump) && is_stdin(manifest) {
        let both = "FILE and --nodes cannot both be standard input; write one to a file";
        return Err(Failure::BadInput(both.to_owned()));
    }
    read_dump(&files::read_file(dump)?, &dump.display().to_string())
}

/// Places the gangs of all sets, one set after the other.
pub fn simulate(
    sets: &[PodCliqueSet],
    snapshot: &ClusterSnapshot,
    file: &str,
) -> Result<Report, Failure> {
    let (mut gangs, mut notes) = (Vec::new(), Vec::new());
    for set in sets {
        let of_set = gangs_of(set, snapshot).map_err(|error| {
            let name = files::name_of(set);
            Failure::BadInput(format!("{file}: podcliqueset {name}: {error}"))
        })?;
        gangs.extend(of_set);
        notes.extend(notes_on(set, snapshot));
    }
    let verdicts = place_gangs(snapshot, &gangs);
    Ok(report(snapshot, &gangs, &verdicts, notes))
}
