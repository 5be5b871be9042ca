//! The start order: dependencies and dependents (docs/semantics.md §8.6).

use api::PodCliqueSet;
use api::WorkloadType::{self, Inference, Training};
use api::podcliqueset::CliqueStartupType::{self, AnyOrder, Explicit, InOrder};
use domain::workload::layout::{self, LayoutSlot, enumerate};
use domain::workload::start_order::{StartOrder, is_up, starts_after};
use insta::assert_snapshot;
use rstest::rstest;
use testkit::builders::{PodBuilder, SetBuilder, pod, podclique, set};

/// A router, a cache beside it, two groups. `decode` may have more replicas than its minimum:
/// replica 2 and those after it have gangs of their own. Names are chosen to be the ends and
/// beginnings of others.
fn demo(order: CliqueStartupType) -> PodCliqueSet {
    demo_with(|s| s, order)
}

fn demo_with(
    more: impl FnOnce(SetBuilder) -> SetBuilder,
    order: CliqueStartupType,
) -> PodCliqueSet {
    let after = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        move |c: testkit::builders::CliqueBuilder| c.with(|t| t.spec.starts_after = names)
    };
    let demo = set("demo")
        .clique("router", after(&[]))
        .clique("leader", after(&["router"]))
        .clique("worker", after(&["leader"]))
        .clique("prefill", after(&["router", "worker"]))
        .clique("cache", after(&["prefill", "leader"]))
        .group("decode", ["leader", "worker"], |g| g.replicas(3).min(2))
        .group("pre", ["prefill"], |g| g.replicas(2).min(1));
    more(demo)
        .with(|s| s.spec.template.clique_startup_type = Some(order))
        .build()
}

fn show(set: &PodCliqueSet, of: impl Fn(&LayoutSlot<'_>) -> Vec<String>) -> String {
    let layout = enumerate("demo", &set.spec.template, 1, |_, config| {
        config.replicas.unwrap_or(1)
    });
    let line = |part: &LayoutSlot<'_>| format!("{}: {}", part.name, of(part).join(" "));
    layout.slots().map(line).collect::<Vec<_>>().join("\n")
}

#[rstest]
#[case::any_order(AnyOrder)]
#[case::in_order(InOrder)]
#[case::explicit(Explicit)]
fn dependencies(#[case] order: CliqueStartupType) {
    let set = demo(order);
    let shown = show(&set, |part| starts_after("demo", &set.spec.template, part));
    assert_snapshot!(format!("dependencies_{order:?}"), shown);
}

/// The dependents of a PodClique are the PodCliques that list it.
#[rstest]
#[case::any_order(AnyOrder)]
#[case::in_order(InOrder)]
#[case::explicit(Explicit)]
fn dependents_are_those_that_name_it(#[case] order: CliqueStartupType) {
    let set = demo(order);
    let template = &set.spec.template;
    let layout = enumerate("demo", template, 2, |_, config| {
        config.replicas.unwrap_or(1)
    });
    let order = StartOrder {
        set: "demo",
        template,
        minimum: &|_, config| config.min_available.unwrap_or(1),
        in_base: &|_, config| config.min_available.unwrap_or(1),
    };
    for dependency in layout.slots() {
        let names = |parts: Vec<LayoutSlot<'_>>| -> Vec<String> {
            let mut names: Vec<_> = parts.into_iter().map(|p| p.name).collect();
            names.sort();
            names
        };
        let waits = |part: &&LayoutSlot<'_>| {
            starts_after("demo", template, part).contains(&dependency.name)
        };
        let naming = layout.slots().filter(waits).cloned().collect();
        assert_eq!(
            names(order.dependents(dependency)),
            names(naming),
            "{}",
            dependency.name
        );
    }
}

/// A group that was scaled below its minimum, or to 0, has fewer to wait for.
#[test]
fn groups_are_waited_for_by_their_live_replicas() {
    let set = demo(InOrder);
    let live = |replicas: i32| {
        let order = StartOrder {
            set: "demo",
            template: &set.spec.template,
            minimum: &|_, config| config.min_available.unwrap_or(1),
            in_base: &move |_, config| config.min_available.unwrap_or(1).min(replicas),
        };
        let prefill = layout::find("demo", &set.spec.template, "demo-0-pre-0-prefill").unwrap();
        let names = order.dependencies(&prefill).into_iter().map(|p| p.name);
        names.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(live(3), "demo-0-decode-0-worker demo-0-decode-1-worker");
    assert_eq!(live(1), "demo-0-decode-0-worker");
    assert_eq!(live(0), "");
}

/// A PodClique that is about to be scaled in is still of the base gang: its pods wait for those
/// outside of its group.
#[test]
fn a_surplus_replica_keeps_its_place() {
    let set = demo(InOrder);
    let order = StartOrder {
        set: "demo",
        template: &set.spec.template,
        minimum: &|_, config| config.min_available.unwrap_or(1),
        in_base: &|_, _| 0,
    };
    let leader = layout::find("demo", &set.spec.template, "demo-0-decode-0-leader").unwrap();
    let dependencies = order.dependencies(&leader).into_iter().map(|p| p.name);
    assert_eq!(dependencies.collect::<Vec<_>>(), ["demo-0-router"]);
}

/// An invalid dependency has no effect: the clique itself, unknown names.
#[test]
fn only_other_cliques_are_started_after() {
    let strange = |s: SetBuilder| {
        s.with(|s| {
            let names = ["router", "nobody", "worker", "router"];
            s.spec.template.cliques[0].spec.starts_after = names.map(str::to_owned).to_vec();
        })
    };
    let set = demo_with(strange, Explicit);
    let router = layout::find("demo", &set.spec.template, "demo-0-router").unwrap();
    let dependencies = starts_after("demo", &set.spec.template, &router);
    assert_eq!(
        dependencies,
        ["demo-0-decode-0-worker", "demo-0-decode-1-worker"]
    );
}

/// `min < replicas`, scaled below the minimum, to zero; slots that are done count once, and only in
/// a job.
#[rstest]
#[case::none_ready(Inference, (3, 2), "", &[], false)]
#[case::too_few(Inference, (3, 2), "", &[0], false)]
#[case::the_minimum(Inference, (3, 2), "", &[0, 2], true)]
#[case::scaled_below_its_minimum(Inference, (1, 2), "", &[0], true)]
#[case::idle(Inference, (0, 2), "", &[], true)]
#[case::nothing_is_done_here(Inference, (3, 2), "0-1", &[], false)]
#[case::all_that_count_are_done(Training, (4, 2), "0-1", &[], true)]
#[case::some_are_done(Training, (4, 3), "1,3", &[0], true)]
#[case::done_and_ready_counts_once(Training, (4, 3), "1,3", &[1], false)]
fn is_up_with_its_minimum_ready_or_done(
    #[case] type_: WorkloadType,
    #[case] (replicas, min): (i32, i32),
    #[case] completed: &str,
    #[case] ready: &[i32],
    #[case] expected: bool,
) {
    let dependency = podclique("demo-0-router").size(replicas, min).with(|c| {
        c.spec.workload_type = Some(type_);
        c.status.get_or_insert_default().completed_indices = Some(completed.to_owned());
    });
    let dependency = dependency.build();
    let pods: Vec<_> = (0..replicas)
        .map(|k| {
            let pod = pod(&dependency, k).bound();
            let pod = if ready.contains(&k) { pod.ready() } else { pod };
            pod.build()
        })
        .collect();
    let pods = pods.iter().map(AsRef::as_ref);
    assert_eq!(is_up(&dependency, pods), expected);
}

/// A pod that just succeeded counts before that is stored; a terminating pod does not.
#[test]
fn pods_that_end_count_if_they_end_well() {
    let dependency = podclique("demo-0-router").size(2, 2);
    let job = dependency
        .with(|c| c.spec.workload_type = Some(Training))
        .build();
    let up = |second: PodBuilder| {
        let pods = [pod(&job, 0).ready().build(), second.build()];
        is_up(&job, pods.iter().map(AsRef::as_ref))
    };
    assert!(up(pod(&job, 1).bound().phase("Succeeded")));
    assert!(!up(pod(&job, 1).bound().phase("Failed")));
    assert!(!up(pod(&job, 1).ready().terminating(30)));
    assert!(!up(pod(&job, 1).bound().phase("Succeeded").terminating(30)));
}
