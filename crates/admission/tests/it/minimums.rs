//! `minAvailable` is fixed at creation.

use admission::defaults::DefaultsConfig;
use admission::minimums::{Minimums, keep_minimums};
use admission::validated_set::{self, ValidatedSet};
use api::{PodCliqueScalingGroup, PodCliqueSet};
use domain::object::ownership::controller_reference;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use testkit::builders::{podclique, set, stored};

/// A clique of 2 pods of which 2 are required, and a group of one clique with 3 replicas of which
/// 2 are required.
fn written() -> PodCliqueSet {
    set("demo")
        .clique("front", |c| c.replicas(2).min(2))
        .clique("work", |c| c.replicas(2).min(1))
        .group("g", ["work"], |g| g.replicas(3).min(2))
        .build()
}

/// What exists of it, in two replicas.
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
fn what_was_not_changed_is_not_reported() {
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
fn what_does_not_exist_yet_may_be_anything() {
    let validated = taken(&written(), &Minimums::default());
    assert_eq!(minimums(&validated), [Some(2), Some(1), Some(2)]);
    assert_eq!(validated.not_acted_on, []);
}

/// Its default follows its replicas, and the minimum that it was made with stays.
#[test]
fn a_clique_that_does_not_say_its_minimum_may_be_resized() {
    let mut changed = written();
    let spec = &mut changed.spec.template.cliques[0].spec;
    (spec.replicas, spec.min_available) = (4, None);
    let validated = taken(&changed, &existing());
    assert_eq!(minimums(&validated)[0], Some(2));
    assert_eq!(validated.not_acted_on, []);
}

/// Unset means 1, whatever the replicas are.
#[test]
fn a_group_whose_minimum_was_taken_away_is_reported() {
    let mut changed = written();
    changed.spec.template.scaling_groups[0].min_available = None;
    let validated = taken(&changed, &existing());
    assert_eq!(minimums(&validated)[2], Some(2));
    assert_eq!(validated.not_acted_on.len(), 1);
}
