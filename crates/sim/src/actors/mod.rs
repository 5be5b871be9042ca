//! The other actors in the cluster. Each function makes one move, if there is one to make.

mod autoscaler;
mod autoscaling;
mod chaos;
mod choice;
mod cluster;
mod constraints;
mod containers;
mod devices;
mod disturb;
mod driver;
mod gang_scheduler;
mod garbage;
mod idle;
mod job;
mod kubelet;
mod nodes;
mod nvlink;
mod placement;
mod queue;
mod restart;
mod sharing;
mod suspend;
mod update;
mod user;

pub use autoscaler::autoscale;
pub use chaos::{break_pod, heal, lose_node, make_trouble};
pub use cluster::{add_gate, bind, break_for_good, lift_gate};
pub use devices::free_devices;
pub use disturb::{delete_parent, disturb, leave, recreate};
pub use driver::run_driver;
pub use gang_scheduler::{let_groups_go, may_be_placed};
pub use garbage::{COLLECTOR, GarbageCollector};
pub use idle::{scale_down, scale_up};
pub use kubelet::{
    ENDLESS, Playing, end_containers, is_endless, next_due, played, recordings, run_pods,
};
pub use nodes::{close_domain, collect_pods, evict_from_closed, restore_nodes, trouble_nodes};
pub use placement::{place_gang, place_gang_in_domains, placed, preempt_gang};
pub use queue::{FlavorQuota, activate_all, evict_workload, preempt_workload, run_kueue};
pub use restart::ask_for_restart;
pub use suspend::{resume_all, suspend_all};
pub use update::{lose_unit, lower_partitions, roll_out, write_refused};
pub use user::{User, act, act_in_queue, act_with_suspensions, delete_alone};
