//! A set that names a queue of Kueue: quota is scarce, is taken away and comes back, while there is
//! trouble, and at rest.

use domain::scheduling::Backend;
use sim::check::Violation;
use sim::{Rng, Store, actors, topology};

use super::{Run, TROUBLED};

/// In this many of a thousand seeds the scheduler gets PodGroups, and waits for gates.
const WITH_POD_GROUPS: usize = 333;
/// In this many of a thousand troubled steps something happens to the queue or the set.
const OFTEN: usize = 60;
/// In this many of a thousand such cases the queue gets another quota.
const OTHER_QUOTA: usize = 150;
/// The most pods for which a scarce queue has quota.
const SCARCE: i64 = 12;
/// More pods than a set has.
const AMPLE: i64 = 1_000;
/// Losses of quota at rest.
const LOSSES: usize = 3;
/// More than a loss takes.
const MOVES: usize = 300;

impl Run {
    pub(super) async fn wait_in_queue(&mut self, seed: u64) -> Result<(), Violation> {
        if has_pod_groups(seed) && !self.has_topology {
            self.use_pod_groups();
        }
        let mut dice = self.rng.fork();
        self.enter_queue(&mut dice).await;
        self.go_on_for(dice.below(MOVES)).await?;
        for _ in 0..TROUBLED {
            if dice.chance(OFTEN) {
                self.trouble_queue(&mut dice);
            }
            self.troubled_step().await?;
        }
        actors::resume_all(&mut self.store);
        self.calm_down();
        self.get_ample_quota().await?;
        for _ in 0..LOSSES {
            self.lose_quota(&mut dice).await?;
            self.get_ample_quota().await?;
        }
        self.stay_quiet().await
    }

    /// Kubernetes' scheduler places a gang by its PodGroups, and none of it while a pod of it has a gate.
    fn use_pod_groups(&mut self) {
        self.backend = Backend::Kubernetes;
        self.places_gangs = false;
        self.has_webhook = false;
        self.checker.waits_for_gates();
        self.coverage
            .saw("queue before a scheduler that waits for gates");
    }

    /// Users put the label on the set before any operator sees it.
    async fn enter_queue(&mut self, dice: &mut Rng) {
        self.user = self.user.clone().in_queue();
        self.store = Store::new(self.store.now);
        if self.has_topology {
            topology::install(&mut self.store);
        }
        self.user.create(&mut self.store);
        self.quota = Some(dice.between(0, SCARCE));
        self.restart().await;
    }

    fn trouble_queue(&mut self, dice: &mut Rng) {
        if dice.chance(OTHER_QUOTA) {
            self.quota = Some(dice.between(0, SCARCE));
        } else {
            actors::act_in_queue(&self.user, &mut self.store, dice);
        }
    }

    /// All gangs start, and everything is right.
    async fn get_ample_quota(&mut self) -> Result<(), Violation> {
        self.quota = Some(AMPLE);
        actors::activate_all(&mut self.store);
        self.converge().await?;
        self.verdict()
    }

    /// Workloads lose their quota while all is well: in half of the cases the rest waits for long.
    async fn lose_quota(&mut self, dice: &mut Rng) -> Result<(), Violation> {
        self.quota = Some(dice.between(0, SCARCE));
        for _ in 0..=dice.below(2) {
            if actors::preempt_workload(&mut self.store, dice) {
                self.coverage.saw("quota evicted at rest");
            }
        }
        if dice.chance(500) {
            self.converge().await
        } else {
            self.go_on_for(dice.below(MOVES)).await
        }
    }
}

/// A separate random source: it changes nothing about the other seeds. Sets with topology constraints have a
/// scheduler of their own.
fn has_pod_groups(seed: u64) -> bool {
    const APART: u64 = 0x6A7E_5017;
    Rng::new(seed ^ APART).chance(WITH_POD_GROUPS)
}
