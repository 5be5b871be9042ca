//! The rules of the operator's controllers, for the schedulers of the cluster.

use std::sync::Arc;

use domain::scheduling::{Backend, DEFAULT_SCHEDULER, Profiles};
use podclique::PodCliqueReconciler;
use podcliquescalinggroup::PodCliqueScalingGroupReconciler;
use podcliqueset::{PodCliqueSetReconciler, ScaledGangsWaitFor};
use podgang::PodGangReconciler;
use sim::topology;

use crate::sabotage::{Sabotage, Spoilt, SpoiltGangs, SpoiltGroups, SpoiltPodCliques};

/// The rules of all controllers.
pub struct Rules {
    /// Those of sets.
    pub sets: Spoilt,
    /// Those of scaling groups.
    pub groups: SpoiltGroups,
    /// Those of PodCliques.
    pub cliques: SpoiltPodCliques,
    /// Those of PodGangs.
    pub gangs: PodGangReconciler,
}

impl Rules {
    /// With this bug. Pods that name no scheduler have one with this backend.
    pub fn of(backend: Backend, sabotage: Option<Sabotage>) -> Self {
        let profiles = profiles(backend);
        let groups = PodCliqueScalingGroupReconciler {
            is_mnnvl_enabled: true,
            ..PodCliqueScalingGroupReconciler::default()
        };
        let cliques = PodCliqueReconciler {
            init_container_image: "grove-initc".to_owned(),
            profiles: profiles.clone(),
            is_mnnvl_enabled: true,
            ..PodCliqueReconciler::default()
        };
        Self {
            sets: sets(&profiles, sabotage),
            groups: SpoiltGroups {
                rules: groups,
                sabotage,
            },
            cliques: SpoiltPodCliques {
                rules: cliques,
                sabotage,
            },
            gangs: PodGangReconciler { profiles },
        }
    }

    /// Those of PodGangs with this bug.
    pub fn spoilt_gangs(&self, sabotage: Option<Sabotage>) -> SpoiltGangs {
        let rules = self.gangs.clone();
        SpoiltGangs { rules, sabotage }
    }
}

fn sets(profiles: &Arc<Profiles>, sabotage: Option<Sabotage>) -> Spoilt {
    let waits = if sabotage == Some(Sabotage::LooseScaledGangs) {
        ScaledGangsWaitFor::BaseScheduled
    } else {
        ScaledGangsWaitFor::BaseReady
    };
    let rules = PodCliqueSetReconciler {
        scaled_gangs_wait_for: waits,
        init_container_image: "grove-initc".to_owned(),
        profiles: profiles.clone(),
        is_topology_aware: true,
        is_mnnvl_enabled: true,
        ..PodCliqueSetReconciler::default()
    };
    Spoilt { rules, sabotage }
}

/// The scheduler of sets with topology constraints reads PodGangs, and that of other sets has this backend.
/// Sets that name a queue wait for quota.
fn profiles(backend: Backend) -> Arc<Profiles> {
    let kai = (topology::SCHEDULER.to_owned(), Backend::KaiPodGrouper);
    let other = (DEFAULT_SCHEDULER.to_owned(), backend);
    let others = (backend != Backend::default()).then_some(other);
    let all = [kai].into_iter().chain(others);
    Arc::new(Profiles::of(all).with_queueing(true))
}
