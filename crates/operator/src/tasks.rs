//! Types for the tasks of the operator.

use futures::future::{BoxFuture, Shared};
use tokio::task::JoinSet;

/// Is ready once the operator has to stop.
pub(crate) type Stop = Shared<BoxFuture<'static, ()>>;
/// Tasks that end only with the operator; each returns its name.
pub(crate) type Tasks = JoinSet<&'static str>;
