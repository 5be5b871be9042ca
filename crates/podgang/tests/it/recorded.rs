//! Statuses of PodGangs, for the tests of other tools that read them.

use podgang::Snapshot;
use testkit::builders::PodBuilder;
use testkit::recorded::assert_recorded;

use crate::{gang, pods, status};

fn record(name: &str, snapshot: &Snapshot) {
    let mut gang = (*snapshot.gang).clone();
    gang.status = Some(status(snapshot));
    assert_recorded(&format!("podgang-{name}"), &gang);
}

#[test]
fn of_gangs() {
    record("waiting", &gang(None, pods(PodBuilder::ungated)));
    record("ready", &gang(None, pods(PodBuilder::ready)));
}
