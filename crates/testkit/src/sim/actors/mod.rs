//! Who else acts in the cluster. Each function makes one move, if there is one to make.

mod chaos;
mod cluster;
mod user;

pub use chaos::{disturb, leave, make_trouble};
pub use cluster::{add_gate, bind, collect_garbage, lift_gate, run_pods};
pub use user::{User, act};
