//! Any user can edit a label: a controller that reads an object by its owner or its name is
//! triggered all the same.

use super::*;

const GANGS: ControllerName = ControllerName("podgang");

/// A set `demo` with the standalone PodClique `demo-0-a` and `demo-0-g-1-b`, which is in the scaled
/// gang `demo-0-g-0`; no object has a label.
fn caches() -> Caches {
    let caches = Caches::default();
    let metadata = meta("demo-0-g", "PodCliqueSet", "demo");
    caches
        .of::<PodCliqueScalingGroup>()
        .apply(PodCliqueScalingGroup {
            metadata,
            ..Default::default()
        });
    for podclique in [standalone(), grouped()] {
        caches.of::<PodClique>().apply(podclique);
    }
    caches
}

fn standalone() -> PodClique {
    PodClique {
        metadata: meta("demo-0-a", "PodCliqueSet", "demo"),
        ..PodClique::default()
    }
}

fn grouped() -> PodClique {
    PodClique {
        metadata: meta("demo-0-g-1-b", "PodCliqueScalingGroup", "demo-0-g"),
        ..PodClique::default()
    }
}

fn pod_of(podclique: &str) -> Pod {
    Pod {
        metadata: meta(&format!("{podclique}-x"), "PodClique", podclique),
        ..Pod::default()
    }
}

fn assert_triggers(found: &[(ControllerName, Key)], controller: ControllerName, name: &str) {
    let wanted = (controller, Key::new("default", name));
    assert!(found.contains(&wanted), "{wanted:?} is not in {found:?}");
}

/// The simulator found this: a gang passed for complete after its last pod was gone.
#[test]
fn a_pod_without_labels_triggers_its_gang_and_its_set() {
    for (podclique, gang) in [("demo-0-a", "demo-0"), ("demo-0-g-1-b", "demo-0-g-0")] {
        let found = triggered_by(&gone(pod_of(podclique)), &caches());
        assert_triggers(&found, GANGS, gang);
        assert_triggers(&found, SETS, "demo");
    }
}

#[test]
fn a_podclique_without_labels_triggers_its_gang() {
    for (podclique, gang) in [(standalone(), "demo-0"), (grouped(), "demo-0-g-0")] {
        assert_triggers(&triggered_by(&gone(podclique), &caches()), GANGS, gang);
    }
}
