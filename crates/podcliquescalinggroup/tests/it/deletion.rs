//! How a group goes.

use std::sync::Arc;

use insta::assert_snapshot;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliquescalinggroup::Snapshot;
use testkit::builders::after;

use crate::situation::{complete, demo, plan, situation, writes};

fn going(mut snapshot: Snapshot) -> Snapshot {
    Arc::make_mut(&mut snapshot.group)
        .metadata
        .deletion_timestamp = Some(Time(after(59)));
    snapshot
}

#[test]
fn deletes_its_cliques_and_then_goes() {
    let set = demo().build();
    let first = plan(&going(situation(&set, 1, complete(&set, 1))));
    let then = plan(&going(situation(&set, 1, vec![])));
    assert_snapshot!(format!("{}then\n{}", writes(&first), writes(&then)));
}
