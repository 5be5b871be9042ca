//! Labels of pods are put right.

use api::labels;
use domain::workload::slots::pod_name;
use insta::assert_snapshot;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use testkit::builders::{after, pod, podclique};

use crate::situation::{operations, plan, situation, writes};

#[test]
fn puts_edited_labels_right_and_leaves_foreign_ones() {
    let clique = podclique("demo-0-worker").build();
    let edited = pod(&clique, 0).ready().with(|p| {
        let all = p.metadata.labels.as_mut().unwrap();
        all.insert("example.com/theirs".into(), "kept".into());
        all.insert(labels::POD_INDEX.into(), "7".into());
        all.insert(labels::BASE_POD_GANG.into(), "wrong".into());
        all.remove(labels::MANAGED_BY);
    });
    let plan = plan(&situation(&clique, vec![edited]));
    let operations = operations(&plan.waves[0][0]);
    assert_snapshot!(serde_json::to_string_pretty(operations).unwrap());
}

#[test]
fn never_repairs_the_labels_of_a_terminating_pod() {
    let clique = podclique("demo-0-worker").build();
    let detached = pod(&clique, 0).ready().terminating(59).with(|p| {
        p.metadata
            .labels
            .as_mut()
            .unwrap()
            .remove(labels::PCS_REPLICA_INDEX);
    });
    assert!(plan(&situation(&clique, vec![detached])).writes_nothing());
}

#[test]
fn relabels_the_pods_of_an_adopted_clique_without_a_restart() {
    let foreign = "64d9f5b87c";
    let clique = podclique("demo-0-worker")
        .size(2, 1)
        .with(|c| {
            let annotations = c.metadata.annotations.as_mut().unwrap();
            annotations.insert(labels::REBASED_FROM.into(), foreign.into());
        })
        .build();
    let adopted = pod(&clique, 0).ready().with(|p| {
        p.metadata
            .labels
            .as_mut()
            .unwrap()
            .insert(labels::POD_TEMPLATE_HASH.into(), foreign.into());
    });
    // An update was under way: this one was made from an older template.
    let older = pod(&clique, 1).ready().with(|p| {
        let all = p.metadata.labels.as_mut().unwrap();
        all.insert(labels::POD_TEMPLATE_HASH.into(), "5d7c9b86f4".into());
    });
    let plan = plan(&situation(&clique, vec![adopted, older]));
    assert_snapshot!(writes(&plan));
    assert_eq!(plan.status.unwrap().updated_replicas, 1);
}

#[test]
fn adopts_pods_that_nobody_controls_instead_of_replacing_them() {
    let clique = podclique("demo-0-worker").size(2, 1).build();
    let cut = pod(&clique, 0)
        .ready()
        .with(|p| p.metadata.owner_references = None);
    let plan = plan(&situation(&clique, vec![cut, pod(&clique, 1).ready()]));
    assert_eq!(plan.waves.len(), 1, "{plan}");
    let operations = operations(&plan.waves[0][0]);
    assert_snapshot!(serde_json::to_string_pretty(operations).unwrap());
}

/// A removed hash says nothing about the template: no update begins, and the pod gets the hash
/// back.
#[test]
fn puts_a_removed_hash_back() {
    let clique = podclique("demo-0-worker").build();
    let stripped = || {
        pod(&clique, 0).ready().with(|p| {
            let all = p.metadata.labels.as_mut().unwrap();
            all.remove(labels::POD_TEMPLATE_HASH);
        })
    };
    let built = stripped().build();
    assert!(!domain::update::is_outdated(
        &built.metadata,
        &clique.metadata
    ));
    let plan = plan(&situation(&clique, vec![stripped()]));
    let operations = operations(&plan.waves[0][0]);
    assert_eq!(
        operations[1]["path"],
        "/metadata/labels/grove.io~1pod-template-hash"
    );
}

/// A PodClique of a group is replaced for a new template, so a different hash was edited by hand.
#[rstest::rstest]
#[case::never_had_another(Some("r1bbbbbbbbbbbbbb"), 10, true)]
#[case::adopted_a_pod_of_its_predecessor(Some("r1bbbbbbbbbbbbbb"), -10, false)]
#[case::adopted_one_of_the_same_second(Some("r1bbbbbbbbbbbbbb"), 0, false)]
#[case::was_edited_in_place(Some("r1olderolderolde"), 10, false)]
#[case::of_an_earlier_operator(None, 10, false)]
fn puts_an_edited_hash_back_where_all_pods_are_of_one_template(
    #[case] made_with: Option<&str>,
    #[case] created: i64,
    #[case] is_put_back: bool,
) {
    let clique = podclique("demo-0-worker").with(|c| {
        let all = c.metadata.annotations.get_or_insert_default();
        all.extend(made_with.map(|hash| (labels::MADE_WITH_HASH.to_owned(), hash.to_owned())));
        c.metadata.creation_timestamp = Some(Time(after(0)));
    });
    let clique = clique.build();
    let edited = pod(&clique, 0).ready().created(created).with(|p| {
        let all = p.metadata.labels.as_mut().unwrap();
        all.insert(labels::POD_TEMPLATE_HASH.into(), "r1editededitedxx".into());
    });
    let writes = writes(&plan(&situation(&clique, vec![edited])));
    assert_eq!(writes.contains("patch Pod"), is_put_back, "{writes}");
}

/// Its first pods are as old as itself; their names distinguish them from adopted ones.
#[test]
fn puts_the_hash_of_its_first_pods_back() {
    let clique = podclique("demo-0-worker").with(|c| {
        let all = c.metadata.annotations.get_or_insert_default();
        all.insert(labels::MADE_WITH_HASH.into(), "r1bbbbbbbbbbbbbb".into());
        c.metadata.creation_timestamp = Some(Time(after(0)));
    });
    let clique = clique.build();
    let uid = clique.metadata.uid.as_deref().unwrap();
    let name = pod_name("demo-0-worker", uid, 0, "", 0);
    let edited = pod(&clique, 0).ready().created(0).with(|p| {
        p.metadata.name = Some(name.clone());
        let all = p.metadata.labels.as_mut().unwrap();
        all.insert(labels::POD_TEMPLATE_HASH.into(), "r1editededitedxx".into());
    });
    let writes = writes(&plan(&situation(&clique, vec![edited])));
    assert!(writes.contains("patch Pod"), "{writes}");
}
