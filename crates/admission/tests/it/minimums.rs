//! `minAvailable` is fixed at creation.

use admission::defaults::DefaultsConfig;
use admission::minimums::{Minimums, keep_minimums};
use admission::validated_set::{self, ValidatedSet};
use api::{PodCliqueScalingGroup, PodCliqueSet};
use domain::object::ownership::controller_reference;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use testkit::builders::{podclique, set, stored};

/// A clique of 2 pods, both required, and a group of one clique with 3 replicas, 2 of them
/// required.
fn written() -> PodCliqueSet {
    set("demo")
        .clique("front", |c| c.replicas(2).min(2))
        .clique("work", |c| c.replicas(2).min(1))
        .group("g", ["work"], |g| g.replicas(3).min(2))
        .build()
}

/// Its existing objects, in two replicas.
fn existing() -> Minimums {
    let mut found = Minimums::default();
    for i in 0..2 {
        let mut group = PodCliqueScalingGroup {
            metadata: stored(&format!("demo-{i}-g")),
            ..PodCliqueScalingGroup::default()
        };
        group.spec.min_available = Some(2);
        found.add_group("demo", &group);
        let front = podclique(&format!("demo-{i}-front")).size(2, 2).build();
        found.add_clique("demo", &front);
        let owner: OwnerReference = controller_reference(&group);
        let work = podclique(&format!("demo-{i}-g-0-work")).size(2, 1);
        let work = work.with(|c| c.metadata.owner_references = Some(vec![owner]));
        found.add_clique("demo", &work.build());
    }
    found
}

fn taken(changed: &PodCliqueSet, existing: &Minimums) -> ValidatedSet {
    let mut validated = validated_set::validate_set(changed, &DefaultsConfig::default());
    keep_minimums(&mut validated, changed, existing);
    validated
}

/// The minimums of both cliques and of the group.
fn minimums(validated: &ValidatedSet) -> [Option<i32>; 3] {
    let template = &validated.set.spec.template;
    [
        template.cliques[0].spec.min_available,
        template.cliques[1].spec.min_available,
        template.scaling_groups[0].min_available,
    ]
}

#[test]
fn unchanged_minimums_are_not_reported() {
    let validated = taken(&written(), &existing());
    assert_eq!(minimums(&validated), [Some(2), Some(1), Some(2)]);
    assert_eq!(validated.not_acted_on, []);
}

#[test]
fn a_change_is_reported_and_not_acted_on_and_everything_else_is() {
    let mut changed = written();
    let template = &mut changed.spec.template;
    for clique in &mut template.cliques {
        (clique.spec.replicas, clique.spec.min_available) = (4, Some(4));
    }
    template.scaling_groups[0].min_available = Some(3);
    let validated = taken(&changed, &existing());
    assert!(validated.may_act());
    assert_eq!(minimums(&validated), [Some(2), Some(1), Some(2)]);
    assert_eq!(validated.set.spec.template.cliques[0].spec.replicas, 4);
    let messages: Vec<String> = validated
        .not_acted_on
        .iter()
        .map(ToString::to_string)
        .collect();
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn minimums_of_missing_objects_may_change() {
    let validated = taken(&written(), &Minimums::default());
    assert_eq!(minimums(&validated), [Some(2), Some(1), Some(2)]);
    assert_eq!(validated.not_acted_on, []);
}

/// The default follows the replicas, and the minimum stays as created.
#[test]
fn a_clique_without_a_written_minimum_may_be_resized() {
    let mut changed = written();
    let spec = &mut changed.spec.template.cliques[0].spec;
    (spec.replicas, spec.min_available) = (4, None);
    let validated = taken(&changed, &existing());
    assert_eq!(minimums(&validated)[0], Some(2));
    assert_eq!(validated.not_acted_on, []);
}

/// Unset means 1, whatever the number of replicas.
#[test]
fn a_group_without_its_former_minimum_is_reported() {
    let mut changed = written();
    changed.spec.template.scaling_groups[0].min_available = None;
    let validated = taken(&changed, &existing());
    assert_eq!(minimums(&validated)[2], Some(2));
    assert_eq!(validated.not_acted_on.len(), 1);
}
