//! The cost per pod of a clique until all are Ready, in small cliques and in large ones.

use std::time::Duration;

use crate::cluster::{Cluster, come_to_rest};
use crate::link::Speed;
use crate::meter::outside;
use crate::shape::Shape;
use crate::table::{Table, per};

/// A gang may have 5,000 pods.
const SIZES: [usize; 4] = [300, 1_000, 3_000, 5_000];
/// The time of a write in a real API server on 2 cores, with everything that follows from it.
const WRITE: Duration = Duration::from_millis(4);

const COLUMNS: [&str; 8] = [
    "pods",
    "CPU us per pod",
    "ratio",
    "allocations per pod",
    "decisions",
    "of the clique",
    "writes per pod",
    "MiB, peak",
];

/// The table. Time is real here: the number of decisions about a growing clique depends on the time
/// of a decision.
pub fn measure_all(most: usize) -> Table {
    let mut table = Table::new("one clique from nothing", &COLUMNS);
    for pods in SIZES.into_iter().filter(|pods| *pods <= most) {
        measure_one(pods, &mut table);
    }
    table
}

fn measure_one(pods: usize, table: &mut Table) {
    let cluster = Cluster::start(Speed::PerWrite(WRITE));
    let sets = outside(|| Shape::clique(pods).build(pods));
    let part = cluster.measure(async |server| {
        cluster.create(&sets);
        come_to_rest(server, pods).await;
    });
    let cpu = per(part.cost.cpu * 1e6, pods);
    let ratio = table.ratio_to_first("", cpu);
    let of_clique = part.decisions.iter().find(|(name, _)| *name == "podclique");
    table.row(vec![
        pods.to_string(),
        format!("{cpu:.1}"),
        format!("{ratio:.2}"),
        format!("{:.0}", per(part.cost.allocations, pods)),
        part.decided().to_string(),
        of_clique.unwrap().1.to_string(),
        format!("{:.2}", per(u32::try_from(part.writes).unwrap(), pods)),
        (part.cost.peak >> 20).to_string(),
    ]);
}
