//! The numbers of the replica in turn, in words.

use domain::update::{Component, Limits, Remainder, describe_remainders};
use rstest::rstest;

/// 20 units of which 10 are required; as many ran.
fn component(old: i32, available: i32) -> Component {
    Component {
        desired: 20,
        minimum: 10,
        old,
        available,
        reached: Some(20),
        limits: Limits {
            max_unavailable: 4,
            max_surge: 0,
        },
        ..Component::default()
    }
}

/// 4 of 20 units are new.
fn decode(numbers: Component) -> Remainder<'static> {
    Remainder {
        name: "decode",
        new: 4,
        wanted: 20,
        unplaced: 0,
        numbers,
        trouble: None,
    }
}

fn starting(trouble: Option<&'static str>) -> Remainder<'static> {
    Remainder {
        trouble,
        ..decode(Component {
            starting: 1,
            ..component(16, 19)
        })
    }
}

#[rstest]
#[case::begins(
    Remainder { new: 0, ..decode(Component { reached: None, ..component(20, 20) }) },
    "decode 0/20 new; 20 available"
)]
#[case::one_starts(
    starting(None),
    "decode 4/20 new, 1 starting; 19 available, at least 16 stay"
)]
#[case::one_fails(
    starting(Some("decode-17: ErrImagePull")),
    "decode 4/20 new, 1 starting (decode-17: ErrImagePull); 19 available, at least 16 stay"
)]
#[case::one_finds_no_node(
    Remainder { unplaced: 1, ..decode(component(16, 19)) },
    "decode 4/20 new, 1 without a node; 19 available, at least 16 stay"
)]
#[case::none_is_old(
    Remainder { new: 20, ..decode(Component { starting: 3, ..component(0, 17) }) },
    "decode 20/20 new, 3 starting; 17 available, at least 16 stay"
)]
#[case::surge_takes_the_place_of_the_missing(
    decode(Component {
        surge: 2,
        limits: Limits { max_unavailable: 4, max_surge: 2 },
        ..component(16, 22)
    }),
    "decode 4/20 new, 2 surge; 22 available, at least 20 stay"
)]
#[case::it_does_not_exist(
    Remainder { new: 0, wanted: 0, ..decode(Component::default()) },
    "decode is not updated yet"
)]
fn a_clique_or_group_is_described(#[case] remainder: Remainder<'_>, #[case] expected: &str) {
    assert_eq!(describe_remainders(&[remainder]).as_deref(), Some(expected));
}

#[test]
fn of_many_those_with_a_trouble_come_first_and_the_rest_is_counted() {
    let named = |name: &'static str, trouble| Remainder {
        name,
        ..starting(trouble)
    };
    let clause = |name: &str, trouble: &str| {
        format!("{name} 4/20 new, 1 starting{trouble}; 19 available, at least 16 stay")
    };
    let all = [
        named("a", None),
        named("b", None),
        named("c", Some("c-0: ErrImagePull")),
        named("d", None),
        named("e", None),
    ];
    let expected = [
        clause("c", " (c-0: ErrImagePull)"),
        clause("a", ""),
        clause("b", ""),
        "and 2 more".to_owned(),
    ];
    assert_eq!(describe_remainders(&all), Some(expected.join("; ")));
}

#[test]
fn nothing_is_left() {
    assert_eq!(describe_remainders(&[]), None);
}
