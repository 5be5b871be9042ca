//! The manifest that users begin with.

use super::{expect_count, expect_signalled};
use crate::harness::Namespace;
use crate::harness::starts::Starts;
use crate::termination::runs;

#[test]
fn the_example_starts_in_its_order() {
    let ns = Namespace::new("order-example");
    let mut starts = Starts::of(&ns);
    ns.apply_file("examples/start-order.yaml");
    ns.until("it runs", |seen| {
        runs(seen, "start-order", 1)?;
        // The optional replica, too.
        seen.expect_ready_pods(11)?;
        let waited = [0, 1, 2].map(|j| format!("start-order-0-model-{j}-worker"));
        expect_signalled(seen, &["start-order-0-router"])?;
        waited
            .iter()
            .try_for_each(|name| expect_signalled(seen, &[name]))
    });
    expect_count(&mut starts, 8);
}
