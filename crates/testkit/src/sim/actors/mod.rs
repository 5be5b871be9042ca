//! Who else acts in the cluster. Each function makes one move, if there is one to make.

mod chaos;
mod cluster;
mod disturb;
mod user;

pub use chaos::make_trouble;
pub use cluster::{add_gate, bind, break_for_good, collect_garbage, lift_gate, run_pods};
pub use disturb::{disturb, leave};
pub use user::{User, act};
