//! The cost of one event among few pods and among many.

use std::time::Duration;

use sim::Id;
use sim::service::Server;
use tokio::time::sleep;

use crate::cluster::{Cluster, Part, come_to_rest};
use crate::kubelet::{say_nothing_new, set_ready};
use crate::link::Speed;
use crate::meter::outside;
use crate::shape::Shape;
use crate::table::{Table, per};

/// Pods in the cluster.
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
/// Pods with an event.
const TOLD: usize = 1_000;
/// Time between two events.
const APART: Duration = Duration::from_millis(100);
/// A pod is Ready again after that many more events.
const AGAIN_AFTER: usize = 20;
/// All keys are decided again once within this.
const RESYNC: Duration = Duration::from_mins(10);

const COLUMNS: [&str; 8] = [
    "pods",
    "part",
    "CPU us",
    "ratio",
    "allocations",
    "decisions",
    "writes",
    "MiB, peak",
];

/// The table of one shape.
pub fn measure_all(shape: &Shape, most: usize) -> Table {
    let title = format!(
        "{}: each pod created, each event, each pod at rest",
        shape.title
    );
    let mut table = Table::new(&title, &COLUMNS);
    for pods in SIZES.into_iter().filter(|pods| *pods <= most) {
        measure_one(shape, pods, &mut table);
    }
    table
}

fn measure_one(shape: &Shape, pods: usize, table: &mut Table) {
    let cluster = Cluster::start(Speed::Endless);
    let mut held = 0;
    let sets = outside(|| shape.build(pods));
    let mut show = |name: &str, count: usize, part: &Part| {
        let peak = held + i64::try_from(part.cost.peak).unwrap();
        held += part.cost.bytes;
        table.add(name, pods, count, part, peak);
    };
    let created = cluster.measure(async |server| {
        cluster.create(&sets);
        come_to_rest(server, pods).await;
    });
    show("creation, per pod", pods, &created);
    let told = outside(|| cluster.read(|store| shape.pick(store, TOLD)));
    let changed = cluster.measure(async |server| tell_changes(server, &told, pods).await);
    show("change, per event", 2 * told.len(), &changed);
    let same = cluster.measure(async |server| tell_nothing(server, &told, pods).await);
    show("nothing new, per event", 2 * told.len(), &same);
    let rest = cluster.measure(async |_| sleep(RESYNC).await);
    show("10 minutes at rest, per pod", pods, &rest);
}

/// One pod after the other is not Ready for a while.
async fn tell_changes(server: &Server, pods: &[Id], all: usize) {
    for number in 0..pods.len() + AGAIN_AFTER {
        let again = number.checked_sub(AGAIN_AFTER).and_then(|n| pods.get(n));
        for (pod, is_ready) in [(pods.get(number), false), (again, true)] {
            if let Some(pod) = pod {
                outside(|| server.with_store(|store| set_ready(store, pod, is_ready)));
            }
            sleep(APART / 2).await;
        }
    }
    come_to_rest(server, all).await;
}

async fn tell_nothing(server: &Server, pods: &[Id], all: usize) {
    for number in 0..2 * pods.len() {
        let pod = &pods[number % pods.len()];
        outside(|| server.with_store(|store| say_nothing_new(store, pod, number)));
        sleep(APART / 2).await;
    }
    come_to_rest(server, all).await;
}

impl Table {
    fn add(&mut self, name: &str, pods: usize, count: usize, part: &Part, peak: i64) {
        let cpu = per(part.cost.cpu * 1e6, count);
        let ratio = self.ratio_to_first(name, cpu);
        self.row(vec![
            pods.to_string(),
            name.to_owned(),
            format!("{cpu:.1}"),
            format!("{ratio:.2}"),
            format!("{:.0}", per(part.cost.allocations, count)),
            format!("{:.2}", per(part.decided(), count)),
            format!("{:.2}", per(u32::try_from(part.writes).unwrap(), count)),
            (peak >> 20).to_string(),
        ]);
    }
}
