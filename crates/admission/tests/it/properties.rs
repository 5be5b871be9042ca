//! Properties of any set: names and start order, and that a stored set stays editable.

use std::collections::BTreeSet;

use admission::{Rules, validate};
use api::{PodCliqueSet, names as generated};
use proptest::prelude::*;
use serde_json::json;
use testkit::good_set::{CLIQUES, GROUPS};

use crate::cases::{changes_of, lines, set};

/// A set in which only names and start order matter: name, group and dependencies of each clique.
fn named(cliques: &[(String, Option<String>, Vec<String>)]) -> PodCliqueSet {
    let list = cliques.iter().map(|(name, _, after)| {
        json!({"name": name, "spec": {
            "roleName": "", "replicas": 1, "startsAfter": after,
            "podSpec": {"containers": [{"name": "main"}]}
        }})
    });
    let groups: BTreeSet<_> = cliques
        .iter()
        .filter_map(|(_, group, _)| group.as_ref())
        .collect();
    let groups = groups.into_iter().map(|group| {
        let members = cliques
            .iter()
            .filter(|clique| clique.1.as_ref() == Some(group));
        json!({"name": group, "cliqueNames": members.map(|clique| &clique.0).collect::<Vec<_>>()})
    });
    set(&[
        (CLIQUES, list.collect()),
        (GROUPS, groups.collect()),
        (
            "/spec/template/cliqueStartupType",
            json!("CliqueStartupTypeExplicit"),
        ),
    ])
}

/// Sets that are valid except, often, for clashing names and cliques in circles.
fn sets_of_likely_names() -> impl Strategy<Value = PodCliqueSet> {
    let names = proptest::collection::btree_set("[ab](-[01]){0,2}(-[ab])?", 1..5);
    let groups = proptest::collection::vec(proptest::option::of("[ab](-[01])?"), 4);
    let parents =
        proptest::collection::vec(proptest::sample::subsequence(vec![0, 1, 2, 3], 0..2), 4);
    (names, groups, parents).prop_map(|(names, groups, parents)| {
        let names = Vec::from_iter(names);
        let known = |own: &String, after: &[usize]| {
            let after = after.iter().filter_map(|i| names.get(*i));
            after.filter(|name| *name != own).cloned().collect()
        };
        let each = names.iter().zip(groups).zip(&parents);
        let cliques = each.map(|((name, group), after)| (name.clone(), group, known(name, after)));
        named(&cliques.collect::<Vec<_>>())
    })
}

/// Sets that no schema would accept.
fn odd_sets() -> impl Strategy<Value = PodCliqueSet> {
    let name = || "([ab01](-[ab01]){0,3}|-|é|)";
    let parents = proptest::collection::vec(name(), 0..3);
    let clique = (name(), proptest::option::of(name()), parents);
    proptest::collection::vec(clique, 0..5).prop_map(|cliques| named(&cliques))
}

/// Whether two objects of the set have the same name.
fn has_equal_names(pcs: &PodCliqueSet) -> bool {
    let template = &pcs.spec.template;
    let groups = template.scaling_groups.iter().map(|group| {
        (
            generated::scaling_group("serve", 0, &group.name),
            &group.clique_names,
        )
    });
    let mut names = Vec::new();
    for (group, members) in groups {
        let of_group = |j| members.iter().map(move |member| (j, member));
        names.extend(
            (0..=1)
                .flat_map(of_group)
                .map(|(j, c)| generated::grouped_clique(&group, j, c)),
        );
        names.push(group);
    }
    let is_grouped = |name| {
        template
            .scaling_groups
            .iter()
            .any(|g| g.clique_names.contains(name))
    };
    let alone = template
        .cliques
        .iter()
        .filter(|clique| !is_grouped(&clique.name));
    names.extend(alone.map(|clique| generated::standalone_clique("serve", 0, &clique.name)));
    names.iter().collect::<BTreeSet<_>>().len() < names.len()
}

/// Whether the cliques can be started one after the other.
fn has_order(pcs: &PodCliqueSet) -> bool {
    let cliques = &pcs.spec.template.cliques;
    let mut started = BTreeSet::new();
    for _ in cliques {
        let ready = |after: &[String]| after.iter().all(|name| started.contains(name));
        let next: Vec<_> = cliques
            .iter()
            .filter(|c| ready(&c.spec.starts_after))
            .collect();
        started.extend(next.into_iter().map(|clique| clique.name.clone()));
    }
    started.len() == cliques.len()
}

proptest! {
    #[test]
    fn names_and_order_are_refused_exactly_when_they_do_not_work(pcs in sets_of_likely_names()) {
        let errors = validate(&pcs, &Rules::default());
        let has_error = |problem: &str| errors.iter().any(|error| error.problem.starts_with(problem));
        prop_assert_eq!(has_error("objects of this one"), has_equal_names(&pcs), "{}", lines(&errors));
        prop_assert_eq!(has_error("circular dependencies"), !has_order(&pcs), "{}", lines(&errors));
    }

    #[test]
    fn every_unchanged_set_is_accepted(pcs in odd_sets()) {
        prop_assert_eq!(changes_of(&pcs, &pcs), "");
    }
}
