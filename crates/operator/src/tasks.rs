//! What the parts of the operator run in.

use futures::future::{BoxFuture, Shared};
use tokio::task::JoinSet;

/// Is ready once the operator was told to stop.
pub(crate) type Stop = Shared<BoxFuture<'static, ()>>;
/// Tasks that end only with the operator; each says what it was.
pub(crate) type Tasks = JoinSet<&'static str>;
