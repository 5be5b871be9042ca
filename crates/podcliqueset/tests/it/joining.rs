//! A part scaled to zero is out of its gang; a part that is scaled up or recreated joins it as a
//! whole.

mod invalid_sets;

use std::sync::Arc;

use api::podgang::PodGroup;
use api::{LastError, PodClique, PodCliqueStatus, PodGang, labels};
use domain::plan::{Action, Plan};
use insta::assert_snapshot;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliqueset::Snapshot;
use testkit::builders::{PodBuilder, after, set};

use crate::situation::{
    carry_out, demo, fill, fill_all, laid_out, make_group_replicas, plan, writes,
};

const FRONT: &str = "demo-0-frontend";

/// The base gang as the plan writes it: each part with the pods that are listed.
fn base(plan: &Plan<api::PodCliqueSetStatus>) -> Option<String> {
    let part = |g: &PodGroup| {
        let pods = g.pod_references.iter().map(|r| r.name.as_str());
        let pods: Vec<&str> = pods.collect();
        format!("{} {}: {}", g.name, g.min_replicas, pods.join(" "))
    };
    let actions = plan.waves.iter().flatten();
    let mut gangs = actions.filter_map(|action| action.written::<PodGang>());
    let gang = gangs.find(|g| g.metadata.name.as_deref() == Some("demo-0"))?;
    let parts: Vec<String> = gang.spec.pod_groups.iter().map(part).collect();
    Some(parts.join("\n"))
}

fn adapt(snapshot: &mut Snapshot, name: &str, change: impl FnOnce(&mut PodClique)) {
    let seen = snapshot.podcliques.get_mut(name).unwrap();
    change(Arc::make_mut(&mut seen.podclique));
}

fn set_status(snapshot: &mut Snapshot, name: &str, change: impl FnOnce(&mut PodCliqueStatus)) {
    adapt(snapshot, name, |c| {
        change(c.status.get_or_insert_default());
    });
}

/// Its PodClique was available once.
fn establish(snapshot: &mut Snapshot, name: &str) {
    set_status(snapshot, name, |s| s.was_available = true);
}

/// Carries out plans, deletions of gangs among them, until nothing is left to do.
fn settle(snapshot: &mut Snapshot) {
    for _ in 0..4 {
        let next = plan(snapshot);
        carry_out(snapshot, &next);
        for action in next.waves.iter().flatten() {
            if let Action::Delete { .. } = action {
                let name = action.key().name;
                let is_it = |g: &Arc<PodGang>| g.metadata.name.as_ref() == Some(&name);
                snapshot.children.gangs.retain(|g| !is_it(g));
            }
        }
    }
    assert!(plan(snapshot).writes_nothing(), "{}", plan(snapshot));
}

/// All of `demo` runs, and was available.
fn running() -> Snapshot {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, PodBuilder::ready);
    let names: Vec<String> = snapshot.podcliques.keys().cloned().collect();
    for name in names {
        establish(&mut snapshot, &name);
    }
    settle(&mut snapshot);
    snapshot
}

/// The group is scaled, its PodCliques are gone or made, without pods.
fn scale_group(snapshot: &mut Snapshot, replicas: i32) {
    Arc::make_mut(&mut snapshot.children.groups[0])
        .spec
        .replicas = replicas;
    let is_kept = |name: &str| (0..replicas).any(|j| name.contains(&format!("-g-{j}-")));
    snapshot
        .podcliques
        .retain(|name, _| !name.contains("-g-") || is_kept(name));
    make_group_replicas(snapshot);
}

/// The group was scaled to 0, and the resulting plans were carried out.
fn idle() -> Snapshot {
    let mut snapshot = running();
    scale_group(&mut snapshot, 0);
    settle(&mut snapshot);
    snapshot
}

fn fill_group(snapshot: &mut Snapshot, adapt: impl Fn(PodBuilder) -> PodBuilder + Copy) {
    for j in 0..snapshot.children.groups[0].spec.replicas {
        fill(snapshot, &format!("demo-0-g-{j}-leader"), 1, adapt);
        fill(snapshot, &format!("demo-0-g-{j}-worker"), 2, adapt);
    }
}

/// The last POST of a pod was refused.
fn refuse(snapshot: &mut Snapshot, name: &str) {
    let refused = LastError {
        code: "ERR_CREATE_POD".into(),
        description: "exceeded quota".into(),
        observed_at: Time(after(1)),
    };
    set_status(snapshot, name, |s| s.last_errors = vec![refused]);
}

#[test]
fn a_group_that_is_idle_leaves_the_gang_and_nothing_else_changes() {
    let mut snapshot = running();
    scale_group(&mut snapshot, 0);
    assert_snapshot!(writes(&plan(&snapshot)), @"
    wave 1
      delete PodGang demo-0-g-0: gang scaled in
    wave 2
      replace PodGang demo-0
    ");
    assert_snapshot!(base(&plan(&snapshot)).unwrap(), @"demo-0-frontend 1: demo-0-frontend-p0 demo-0-frontend-p1");
}

#[test]
fn a_group_scaled_up_joins_in_one_request_when_all_its_pods_exist() {
    let mut snapshot = idle();
    scale_group(&mut snapshot, 3);
    assert_eq!(base(&plan(&snapshot)), None);
    fill_group(&mut snapshot, |p| p);
    fill(&mut snapshot, "demo-0-g-1-worker", 1, |p| p);
    assert_eq!(base(&plan(&snapshot)), None, "half of it was listed");
    snapshot.podcliques.remove("demo-0-g-0-leader");
    fill(&mut snapshot, "demo-0-g-1-worker", 2, |p| p);
    assert_eq!(base(&plan(&snapshot)), None, "half of it was listed");
    make_group_replicas(&mut snapshot);
    fill(&mut snapshot, "demo-0-g-0-leader", 1, |p| p);
    assert_snapshot!(base(&plan(&snapshot)).unwrap(), @"
    demo-0-frontend 1: demo-0-frontend-p0 demo-0-frontend-p1
    demo-0-g-0-leader 1: demo-0-g-0-leader-p0
    demo-0-g-0-worker 2: demo-0-g-0-worker-p0 demo-0-g-0-worker-p1
    demo-0-g-1-leader 1: demo-0-g-1-leader-p0
    demo-0-g-1-worker 2: demo-0-g-1-worker-p0 demo-0-g-1-worker-p1
    ");
}

#[test]
fn replicas_beyond_the_minimum_wait_for_the_base_scaled_up_with_them() {
    let mut snapshot = idle();
    scale_group(&mut snapshot, 3);
    fill_group(&mut snapshot, |p| p);
    assert!(!writes(&plan(&snapshot)).contains("demo-0-g-0\n"));
    settle(&mut snapshot);
    assert_eq!(snapshot.children.gangs.len(), 1, "its base is not Ready");
    fill_group(&mut snapshot, PodBuilder::ready);
    fill(&mut snapshot, "demo-0-g-2-leader", 1, |p| p);
    fill(&mut snapshot, "demo-0-g-2-worker", 2, |p| p);
    assert!(writes(&plan(&snapshot)).contains("create PodGang demo-0-g-0\n"));
}

/// Scaled to 0 and up again before the group has deleted its PodCliques: the set sees one after the
/// other go.
#[test]
fn a_group_scaled_up_before_it_was_gone_joins_in_one_request() {
    let mut snapshot = running();
    Arc::make_mut(&mut snapshot.children.groups[0])
        .spec
        .replicas = 0;
    settle(&mut snapshot);
    Arc::make_mut(&mut snapshot.children.groups[0])
        .spec
        .replicas = 3;
    let parts = [
        ("demo-0-g-0-leader", 1),
        ("demo-0-g-1-worker", 2),
        ("demo-0-g-1-leader", 1),
        ("demo-0-g-0-worker", 2),
    ];
    for (name, _) in parts {
        adapt(&mut snapshot, name, |c| {
            c.metadata.deletion_timestamp = Some(Time(after(1)));
        });
        assert_eq!(base(&plan(&snapshot)), None, "terminating pods were listed");
    }
    for (name, pods) in parts {
        snapshot.podcliques.remove(name);
        make_group_replicas(&mut snapshot);
        assert_eq!(base(&plan(&snapshot)), None, "half of it was listed");
        replace_pods(&mut snapshot, name, pods);
    }
    assert_snapshot!(base(&plan(&snapshot)).unwrap(), @"
    demo-0-frontend 1: demo-0-frontend-p0 demo-0-frontend-p1
    demo-0-g-0-leader 1: demo-0-g-0-leader-p0x
    demo-0-g-0-worker 2: demo-0-g-0-worker-p0x demo-0-g-0-worker-p1x
    demo-0-g-1-leader 1: demo-0-g-1-leader-p0x
    demo-0-g-1-worker 2: demo-0-g-1-worker-p0x demo-0-g-1-worker-p1x
    ");
}

/// The group has not deleted anything yet: running pods are listed again at once.
#[test]
fn a_group_scaled_up_before_any_deletion_is_listed_as_it_runs() {
    let mut snapshot = running();
    let listed = |s: &Snapshot| s.children.gangs[0].spec.clone();
    let before = listed(&snapshot);
    Arc::make_mut(&mut snapshot.children.groups[0])
        .spec
        .replicas = 0;
    settle(&mut snapshot);
    assert_ne!(listed(&snapshot), before);
    Arc::make_mut(&mut snapshot.children.groups[0])
        .spec
        .replicas = 3;
    settle(&mut snapshot);
    assert_eq!(listed(&snapshot), before);
}

#[test]
fn the_minimum_is_enough_where_the_rest_is_refused() {
    let mut snapshot = running();
    adapt(&mut snapshot, FRONT, |c| c.spec.replicas = 0);
    fill(&mut snapshot, FRONT, 0, |p| p);
    set_status(&mut snapshot, FRONT, |s| s.was_idle = Some(true));
    settle(&mut snapshot);
    assert!(!format!("{:?}", snapshot.children.gangs[0].spec).contains(FRONT));
    adapt(&mut snapshot, FRONT, |c| c.spec.replicas = 2);
    fill(&mut snapshot, FRONT, 1, |p| p);
    assert_eq!(base(&plan(&snapshot)), None);
    refuse(&mut snapshot, FRONT);
    let listed = base(&plan(&snapshot)).unwrap();
    assert!(listed.starts_with("demo-0-frontend 1: demo-0-frontend-p0\n"));
}

/// The list may not have been written while the clique had no pods.
#[test]
fn a_clique_that_was_idle_unnoticed_joins_as_a_whole() {
    let mut snapshot = running();
    adapt(&mut snapshot, FRONT, |c| c.spec.replicas = 3);
    set_status(&mut snapshot, FRONT, |s| s.was_idle = Some(true));
    let renamed =
        |p: PodBuilder| p.with(|p| p.metadata.name = p.metadata.name.take().map(|n| n + "x"));
    fill(&mut snapshot, FRONT, 2, renamed);
    let listed = base(&plan(&snapshot)).unwrap();
    assert!(listed.starts_with("demo-0-frontend 1: \n"), "{listed}");
    fill(&mut snapshot, FRONT, 3, renamed);
    let listed = base(&plan(&snapshot)).unwrap();
    assert!(listed.contains("frontend-p0x demo-0-frontend-p1x demo-0-frontend-p2x"));
}

/// A frontend of one pod, beside a group that is scaled to zero.
fn lone_frontend() -> Snapshot {
    let set = set("demo")
        .clique("frontend", |c| c)
        .clique("leader", |c| c)
        .clique("worker", |c| c.replicas(2))
        .group("g", ["leader", "worker"], |g| g.replicas(1).min(1));
    let mut snapshot = laid_out(&set.build());
    fill_all(&mut snapshot, PodBuilder::ready);
    establish(&mut snapshot, FRONT);
    settle(&mut snapshot);
    scale_group(&mut snapshot, 0);
    settle(&mut snapshot);
    snapshot
}

fn replace_pods(snapshot: &mut Snapshot, name: &str, pods: i32) {
    fill(snapshot, name, pods, |p| {
        p.with(|p| p.metadata.name = p.metadata.name.take().map(|n| n + "x"))
    });
}

#[test]
fn the_only_pod_of_a_frontend_is_replaced_while_scaled_up_workers_find_no_room() {
    let mut snapshot = lone_frontend();
    scale_group(&mut snapshot, 1);
    refuse(&mut snapshot, "demo-0-g-0-worker");
    fill(&mut snapshot, FRONT, 0, |p| p);
    assert_eq!(base(&plan(&snapshot)), None, "an empty list was written");
    replace_pods(&mut snapshot, FRONT, 1);
    assert_snapshot!(base(&plan(&snapshot)).unwrap(), @"demo-0-frontend 1: demo-0-frontend-p0x");
}

/// The last pod of a clique that was available is listed as soon as it exists, whatever holds the
/// slots of the others.
#[test]
fn a_clique_that_lost_its_pods_gets_them_back_one_by_one() {
    let mut snapshot = running();
    fill(&mut snapshot, FRONT, 0, |p| p);
    replace_pods(&mut snapshot, FRONT, 1);
    let listed = base(&plan(&snapshot)).unwrap();
    assert!(listed.starts_with("demo-0-frontend 1: demo-0-frontend-p0x\n"));
}

/// One group replica was terminated while workers of another group find no room.
#[test]
fn a_recreated_podclique_joins_with_its_group_and_waits_for_nothing_else() {
    let mut snapshot = running();
    adapt(&mut snapshot, FRONT, |c| c.spec.replicas = 0);
    fill(&mut snapshot, FRONT, 0, |p| p);
    set_status(&mut snapshot, FRONT, |s| s.was_idle = Some(true));
    settle(&mut snapshot);
    adapt(&mut snapshot, FRONT, |c| c.spec.replicas = 2);
    refuse(&mut snapshot, FRONT);
    snapshot.podcliques.remove("demo-0-g-1-leader");
    snapshot.podcliques.remove("demo-0-g-1-worker");
    settle(&mut snapshot);
    make_group_replicas(&mut snapshot);
    fill(&mut snapshot, "demo-0-g-1-leader", 1, |p| p);
    assert!(plan(&snapshot).writes_nothing(), "half of it was listed");
    fill(&mut snapshot, "demo-0-g-1-worker", 2, |p| p);
    assert_snapshot!(base(&plan(&snapshot)).unwrap(), @"
    demo-0-g-0-leader 1: demo-0-g-0-leader-p0
    demo-0-g-0-worker 2: demo-0-g-0-worker-p0 demo-0-g-0-worker-p1
    demo-0-g-1-leader 1: demo-0-g-1-leader-p0
    demo-0-g-1-worker 2: demo-0-g-1-worker-p0 demo-0-g-1-worker-p1
    ");
}

/// A member that a user scaled to 0 by hand, and all of a gang.
#[test]
fn a_member_that_is_scaled_to_zero_by_hand_leaves_its_gang() {
    let mut snapshot = running();
    for clique in [
        "demo-0-g-0-leader",
        "demo-0-g-2-leader",
        "demo-0-g-2-worker",
    ] {
        adapt(&mut snapshot, clique, |c| c.spec.replicas = 0);
        fill(&mut snapshot, clique, 0, |p| p);
    }
    assert_snapshot!(writes(&plan(&snapshot)), @"
    wave 1
      delete PodGang demo-0-g-0: gang scaled in
    wave 2
      replace PodGang demo-0
    ");
    let listed = base(&plan(&snapshot)).unwrap();
    assert!(!listed.contains("demo-0-g-0-leader"), "{listed}");
}

#[test]
fn a_clique_that_the_template_leaves_idle_is_not_waited_for() {
    let set = demo()
        .with(|s| s.spec.template.cliques[0].spec.replicas = 0)
        .build();
    let mut snapshot = laid_out(&set);
    snapshot.podcliques.remove(FRONT);
    for j in 0..3 {
        fill(&mut snapshot, &format!("demo-0-g-{j}-leader"), 1, |p| p);
        fill(&mut snapshot, &format!("demo-0-g-{j}-worker"), 2, |p| p);
    }
    assert!(!base(&plan(&snapshot)).unwrap().contains(FRONT));
}

/// Of the Go operator: its list names pods that wait behind their gates.
#[test]
fn a_list_of_another_implementation_behind_gates_joins_as_a_whole() {
    let mut snapshot = running();
    for gang in &mut snapshot.children.gangs {
        let annotations = Arc::make_mut(gang).metadata.annotations.as_mut().unwrap();
        annotations.remove(labels::GATES_RELEASED_BY_LIST).unwrap();
    }
    for clique in ["demo-0-g-1-leader", "demo-0-g-1-worker"] {
        set_status(&mut snapshot, clique, |s| s.was_available = false);
        fill(&mut snapshot, clique, 1, |p| p);
    }
    let listed = base(&plan(&snapshot)).unwrap();
    assert!(
        listed.ends_with("demo-0-g-1-leader 1: \ndemo-0-g-1-worker 2: "),
        "{listed}"
    );
    fill(&mut snapshot, "demo-0-g-1-worker", 2, |p| p);
    let listed = base(&plan(&snapshot)).unwrap();
    assert!(
        listed.ends_with("demo-0-g-1-worker-p0 demo-0-g-1-worker-p1"),
        "{listed}"
    );
}
