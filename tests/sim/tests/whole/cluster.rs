//! The rest of the cluster: schedulers, kubelet, garbage collector and other controllers act as
//! time passes.

use std::time::Duration;

use sim::actors::{self, GarbageCollector, Playing};
use sim::service::Server;
use sim::{Resource, Rng, Store, topology};

/// Time between two moves.
pub const PACE: Duration = Duration::from_millis(20);

/// Acts for ever, with that time between two moves.
pub async fn act(server: Server, pace: Duration) {
    let mut rng = Rng::new(1);
    let mut collector = GarbageCollector::default();
    let mut changes = server.changes();
    loop {
        changes.mark_unchanged();
        if server.with_store(|store| has_moved(store, &mut collector, &mut rng)) {
            tokio::time::sleep(pace).await;
        } else if changes.changed().await.is_err() {
            return;
        }
    }
}

/// An actor makes a move, if there is one to make.
pub fn has_moved(store: &mut Store, collector: &mut GarbageCollector, rng: &mut Rng) -> bool {
    let first = rng.below(5);
    let has_moved = (0..5).any(|turn| match (first + turn) % 5 {
        0 if topology::is_installed(store) => actors::place_gang_in_domains(store, rng, usize::MAX),
        0 => actors::bind(store, rng, usize::MAX),
        1 => actors::run_pods(store, rng, Playing::Nothing),
        2 => actors::autoscale(store, rng, false),
        3 => actors::let_groups_go(store, rng),
        _ => collector.act(store, rng),
    });
    let has_claims = store.all(Resource::ResourceClaim).next().is_some();
    has_moved || has_claims && actors::free_devices(store, rng)
}
