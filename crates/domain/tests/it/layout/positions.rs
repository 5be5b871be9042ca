//! One index finds what a search for each name finds, ambiguous names among them.

use api::PodCliqueSet;
use api::podcliqueset::PodCliqueScalingGroupConfig;
use domain::workload::layout::{Positions, find};
use proptest::prelude::*;
use proptest::sample::select;
use testkit::builders::set;

/// Names of cliques and groups that are parts of each other's PodClique names.
const NAMES: &[&str] = &["a", "b", "g", "a-0-b", "g-0-a", "g-0-a-0-b", "0-a", "00"];

/// Cliques, and groups of them; a clique may be in several groups, in one, or in none.
fn any_set() -> impl Strategy<Value = PodCliqueSet> {
    let names = || prop::collection::vec(select(NAMES), 0..5);
    let groups = prop::collection::vec((select(NAMES), names()), 0..4);
    (names(), groups).prop_map(|(cliques, groups)| {
        let built = cliques
            .into_iter()
            .fold(set("s"), |s, c| s.clique(c, |c| c))
            .build();
        with_groups(built, groups)
    })
}

fn with_groups(mut set: PodCliqueSet, groups: Vec<(&str, Vec<&str>)>) -> PodCliqueSet {
    let configs = groups
        .into_iter()
        .map(|(name, members)| PodCliqueScalingGroupConfig {
            name: name.to_owned(),
            clique_names: members.into_iter().map(str::to_owned).collect(),
            ..PodCliqueScalingGroupConfig::default()
        });
    set.spec.template.scaling_groups = configs.collect();
    set
}

/// Names of PodCliques, of this set or not.
fn any_name() -> impl Strategy<Value = String> {
    let set = select(&["s", "s-0", "t"][..]);
    let index = select(&["0", "1", "01", "x", ""][..]);
    let tail = prop::collection::vec((select(&["0", "2", "02"][..]), select(NAMES)), 0..3);
    (set, index, select(NAMES), tail).prop_map(|(set, i, first, tail)| {
        let tail = tail.into_iter().map(|(j, name)| format!("-{j}-{name}"));
        format!("{set}-{i}-{first}{}", tail.collect::<String>())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn the_index_finds_the_position_that_a_search_finds(
        set in any_set(),
        names in prop::collection::vec(any_name(), 1..20),
    ) {
        let template = &set.spec.template;
        let positions = Positions::of("s", template);
        for name in names {
            let expected = find("s", template, &name)
                .map(|part| (part.replica, part.group.zip(part.group_replica)));
            let found = positions.find(&name).map(|found| (found.replica, found.group));
            prop_assert_eq!(found, expected, "{}", name);
        }
    }
}
