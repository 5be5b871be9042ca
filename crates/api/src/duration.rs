//! Durations as Go writes them: `10s`, `4h`, `1h30m`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A duration as the user wrote it. It is kept as text so that a stored value that cannot be
/// parsed makes one condition, not an undecodable object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct GoDuration(pub String);
