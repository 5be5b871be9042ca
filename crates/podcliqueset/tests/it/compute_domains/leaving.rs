//! The ComputeDomains of a set that is being deleted, and of a job that is over.

use api::podcliqueset::PodCliqueSetPhase;
use podcliqueset::observe::Children;

use super::*;

#[test]
fn deletion_takes_the_domains_after_the_podcliques() {
    let going = |mut snapshot: Snapshot| {
        let meta = &mut Arc::make_mut(&mut snapshot.stored).metadata;
        meta.deletion_timestamp = Some(Time(after(59)));
        snapshot
    };
    let whole = going(begun(1));
    assert_eq!(writes(&whole), Vec::<String>::new());
    let mut rest = going(enabled(alone(&rack(1).build())));
    rest.domains.found = begun(1).domains.found;
    assert_eq!(
        writes(&rest),
        [format!("patch ComputeDomain demo-0-rack: {RELEASED}")]
    );
    change(&mut rest, "demo-0-rack", release);
    assert_eq!(
        writes(&rest),
        ["delete ComputeDomain demo-0-rack at version 1: PodCliqueSet is deleted"]
    );
    // The driver may hold it for a while.
    change(&mut rest, "demo-0-rack", end);
    rest.domains.may_have_more = true;
    assert!(plan(&rest).writes_nothing(), "one may exist unseen");
    rest.domains.may_have_more = false;
    let last = plan(&rest).to_string();
    assert!(last.contains("finalizers PodCliqueSet demo []"), "{last}");
}

/// A PodClique without its owner reference stays with the user, with the domain that its pods use.
#[test]
fn the_domain_of_a_podclique_that_is_not_the_sets_stays_with_it() {
    let mut snapshot = begun(1);
    let meta = &mut Arc::make_mut(&mut snapshot.stored).metadata;
    meta.deletion_timestamp = Some(Time(after(59)));
    snapshot.children = Children::default();
    for clique in snapshot.podcliques.values_mut() {
        let meta = &mut Arc::make_mut(&mut clique.podclique).metadata;
        meta.owner_references = None;
    }
    let first = writes(&snapshot);
    assert!(
        first.len() == 1 && first[0].starts_with("merge") && first[0].contains("left-by"),
        "{first:?}"
    );
    leave(&mut snapshot);
    let unheld = ["patch ComputeDomain demo-0-rack: stays without its set: loses its finalizer"];
    assert_eq!(writes(&snapshot), unheld);
}

/// The domain has no owner any more.
fn leave(snapshot: &mut Snapshot) {
    change(snapshot, "demo-0-rack", |domain| {
        domain.metadata.owner_references = None;
        let left = ("grove.io/left-by".to_owned(), "uid-demo".to_owned());
        domain.metadata.annotations = Some([left].into());
    });
}

/// Nobody would let them go later.
#[test]
fn domains_that_stay_without_their_set_lose_the_finalizer() {
    let mut snapshot = begun(1);
    let meta = &mut Arc::make_mut(&mut snapshot.stored).metadata;
    meta.deletion_timestamp = Some(Time(after(59)));
    let asked = (labels::ORPHAN_ASKED.to_owned(), "uid-demo".to_owned());
    meta.annotations.get_or_insert_default().extend([asked]);
    snapshot.view.is_orphaning = true;
    let first = writes(&snapshot);
    assert!(
        first.len() == 1 && first[0].contains("ownerReferences"),
        "{first:?}"
    );
    leave(&mut snapshot);
    snapshot.podcliques.clear();
    snapshot.children = Children::default();
    let unheld = ["patch ComputeDomain demo-0-rack: stays without its set: loses its finalizer"];
    assert_eq!(writes(&snapshot), unheld);
    // Somebody has deleted it meanwhile.
    change(&mut snapshot, "demo-0-rack", end);
    assert_eq!(writes(&snapshot), unheld);
    change(&mut snapshot, "demo-0-rack", release);
    let last = plan(&snapshot).to_string();
    assert!(last.contains("finalizers PodCliqueSet demo []"), "{last}");
}

/// No pod of it starts again, so nothing else would ever let the domain go.
#[test]
fn a_job_that_is_over_lets_a_domain_go_that_somebody_deletes() {
    let mut snapshot = begun(1);
    let status = &mut Arc::make_mut(&mut snapshot.stored).status;
    status.get_or_insert_default().phase = Some(PodCliqueSetPhase::Succeeded);
    assert_eq!(writes(&snapshot), Vec::<String>::new(), "it stays");
    change(&mut snapshot, "demo-0-rack", end);
    use_by(&mut snapshot, "demo-0-rack");
    assert_eq!(writes(&snapshot), Vec::<String>::new(), "a pod runs out");
    snapshot.domains.users.clear();
    assert_eq!(
        writes(&snapshot),
        [format!("patch ComputeDomain demo-0-rack: {RELEASED}")]
    );
    snapshot.domains.found.clear();
    assert_eq!(
        writes(&snapshot),
        Vec::<String>::new(),
        "it is not made again"
    );
}
