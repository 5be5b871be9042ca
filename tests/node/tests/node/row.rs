//! A row of the list.

use serde_json::{Value, json};

use super::namespace::Namespace;
use super::site::Site;

/// The test of a row. `Err` or a panic is its failure.
pub type Test = Box<dyn FnOnce() -> Result<(), String> + Send>;

/// A row: a test, the finding that it guards, and how to run it.
pub struct Row {
    /// Theme and name, as in `cargo test`.
    pub name: String,
    /// The finding of the reviews that it guards: `1` to `10` and `R1` to `R8` of those on real nodes,
    /// a letter and a number of others, or `-` for behaviour that was right.
    pub finding: &'static str,
    /// Whether `make test-node` runs it; `make soak-node` runs all.
    pub is_in_short_list: bool,
    /// Whether it takes a node or the operators away from others, or judges times: such rows run
    /// last, one by one.
    pub is_alone: bool,
    /// The test.
    pub test: Test,
}

/// A row with a namespace.
pub fn row(
    name: &str,
    finding: &'static str,
    test: impl FnOnce(&Namespace) + Send + 'static,
) -> Row {
    row_with_labels(name, finding, json!({}), test)
}

/// A row whose namespace has these labels.
pub fn row_with_labels(
    name: &str,
    finding: &'static str,
    labels: Value,
    test: impl FnOnce(&Namespace) + Send + 'static,
) -> Row {
    let purpose = name.replace("::", "-").replace('_', "-");
    Row {
        name: name.to_owned(),
        finding,
        is_in_short_list: true,
        is_alone: false,
        test: Box::new(move || Namespace::with(&purpose, &labels, test)),
    }
}

/// A row that takes a node or the operators away.
pub fn row_alone(
    name: &str,
    finding: &'static str,
    test: impl FnOnce(&'static Site) -> Result<(), String> + Send + 'static,
) -> Row {
    Row {
        name: name.to_owned(),
        finding,
        is_in_short_list: true,
        is_alone: true,
        test: Box::new(move || test(Site::shared())),
    }
}

impl Row {
    /// It runs when no other row does: it judges times, and on a busy machine a kubelet reports the
    /// end of a container ten seconds late.
    pub fn alone(mut self) -> Self {
        self.is_alone = true;
        self
    }

    /// Only `make soak-node` runs it: it takes long, or a faster row guards the same kind of
    /// finding.
    pub fn of_soak(mut self) -> Self {
        self.is_in_short_list = false;
        self
    }
}
