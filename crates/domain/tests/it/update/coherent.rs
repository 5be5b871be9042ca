//! Steps of a coherent update: the examples of the documentation, and a model in which the children
//! follow the stored targets.

mod model;

use domain::update::{self, Component, Limits, Part};
use proptest::prelude::*;
use rstest::rstest;

use model::{Model, index};

/// Stores the next targets; returns how many units of each part the step adds.
fn step(parts: &mut [Model]) -> Vec<i32> {
    let all: Vec<Part> = parts.iter().enumerate().map(|(i, m)| m.part(i)).collect();
    let before: Vec<i32> = parts.iter().map(Model::old_by_target).collect();
    let next = update::next_step(&all);
    for (i, model) in parts.iter_mut().enumerate() {
        let name = format!("part-{i}");
        if let Some(target) = next.targets.iter().find(|t| t.component == name) {
            assert!(
                target.from <= model.from.unwrap_or(i32::MAX),
                "targets only fall"
            );
            model.from = Some(target.from);
        }
    }
    let after = parts.iter().map(Model::old_by_target);
    before.into_iter().zip(after).map(|(b, a)| b - a).collect()
}

/// Runs to the end; returns the batches, each with its units of every part.
fn run(parts: &mut [Model], check: impl Fn(&[Model])) -> Vec<Vec<i32>> {
    let mut batches = Vec::new();
    for _ in 0..2_000 {
        let batch = step(parts);
        check(parts);
        if batch.iter().any(|share| *share > 0) {
            batches.push(batch);
        }
        for (i, part) in parts.iter_mut().enumerate() {
            part.delete(i);
        }
        for part in parts.iter_mut() {
            part.create();
            part.up.fill(true);
        }
        if parts
            .iter()
            .all(|part| part.indexes(Some(false)).is_empty())
        {
            return batches;
        }
    }
    panic!("it does not end: {parts:?}");
}

/// The units of each part in each step: batches up to the next whole version.
fn by_step(parts: &[Model], batches: &[Vec<i32>], steps: i32) -> Vec<Vec<i32>> {
    let goal = |total: i32, step: i32| total - total * (steps - step) / steps;
    let mut sums = vec![vec![0; parts.len()]];
    let mut have = vec![0; parts.len()];
    let mut step = 1;
    for batch in batches {
        for (i, share) in batch.iter().enumerate() {
            have[i] += share;
            let last = sums.len() - 1;
            sums[last][i] += share;
        }
        let totals = parts.iter().map(|m| i32::try_from(m.units.len()).unwrap());
        if totals
            .zip(&have)
            .all(|(total, have)| *have >= goal(total, step))
            && step < steps
        {
            sums.push(vec![0; parts.len()]);
            step += 1;
        }
    }
    sums
}

#[rstest]
#[case::of_the_documentation(&[(10, 2), (10, 3), (20, 3)], &[vec![4, 4, 7], vec![3, 3, 7], vec![3, 3, 6]])]
#[case::one_step(&[(2, 2), (5, 3)], &[vec![2, 5]])]
#[case::minimums_only(&[(4, 2), (6, 3)], &[vec![2, 3], vec![2, 3]])]
fn each_step_has_its_share(#[case] sizes: &[(i32, i32)], #[case] expected: &[Vec<i32>]) {
    let mut parts: Vec<Model> = sizes
        .iter()
        .map(|(total, minimum)| Model::new(*total, *minimum, *minimum))
        .collect();
    let batches = run(&mut parts, |_| ());
    let steps = i32::try_from(expected.len()).unwrap();
    assert_eq!(by_step(&parts, &batches, steps), expected, "{batches:?}");
    let first: Vec<i32> = sizes.iter().map(|(_, minimum)| *minimum).collect();
    assert_eq!(batches[0], first, "the first batch makes a whole version");
}

/// A quota refuses one unit for good: it counts on the new side, and holds no step up.
#[test]
fn a_unit_that_cannot_be_created_holds_nothing_up() {
    let mut part = Model::new(3, 1, 1);
    part.reached = 2;
    part.units[2] = None;
    let mut parts = [part, Model::new(6, 2, 2)];
    for _ in 0..100 {
        step(&mut parts);
        for (i, part) in parts.iter_mut().enumerate() {
            part.delete(i);
            part.create();
            part.up.fill(true);
        }
        parts[0].units[2] = None;
    }
    for part in &parts {
        assert!(part.indexes(Some(false)).is_empty(), "{parts:?}");
    }
}

/// Scaled gangs start once the base gang is up, and the base gang comes last in the steps.
#[rstest]
#[case::up(false, 2)]
#[case::down(true, 0)]
fn there_are_no_steps_while_the_base_gang_is_down(#[case] is_base_down: bool, #[case] from: i32) {
    let mut model = Model::new(3, 1, 1);
    (model.reached, model.up[0]) = (2, false);
    let part = Part {
        is_base_down,
        ..model.part(0)
    };
    let next = update::next_step(&[part]);
    assert_eq!(next.targets[0].from, from);
}

/// Surge is the first whole new version: nothing goes before that of all parts is up. Surge of the template
/// before is a part of the old version.
#[rstest]
#[case::up_in_both(1, 0, 1)]
#[case::without_a_node_in_one(0, 0, i32::MAX)]
#[case::of_the_template_before(1, 1, i32::MAX)]
fn no_unit_goes_before_the_surge_of_all_parts_is_up(
    #[case] second: i32,
    #[case] surge_old: i32,
    #[case] from: i32,
) {
    let model = Model::new(2, 1, 1);
    let with_surge = |name: usize, serving: i32, surge_old: i32| {
        let part = model.part(name);
        let numbers = Component {
            available: part.numbers.available + serving,
            surge: 1,
            surge_available: serving,
            surge_old,
            limits: Limits {
                max_unavailable: 1,
                max_surge: 1,
            },
            ..part.numbers
        };
        Part { numbers, ..part }
    };
    let next = update::next_step(&[with_surge(0, 1, 0), with_surge(1, second, surge_old)]);
    let targets: Vec<i32> = next.targets.iter().map(|target| target.from).collect();
    assert_eq!(targets, [from; 2]);
    let waits_for = (second == surge_old).then_some("the surge of part-1 is not up yet");
    assert_eq!(next.waits_for.as_deref(), waits_for);
}

/// By the stored targets each version has a minimum of every part, or nothing of any.
fn assert_whole(parts: &[Model]) {
    let old: Vec<i32> = parts.iter().map(Model::old_by_target).collect();
    let is_left = old.iter().any(|count| *count > 0);
    let is_begun = parts
        .iter()
        .zip(&old)
        .any(|(part, old)| i32::try_from(part.units.len()).unwrap() > *old);
    for (part, old) in parts.iter().zip(&old) {
        let new = i32::try_from(part.units.len()).unwrap() - old;
        assert!(
            !is_left || *old >= part.minimum,
            "the old version is not whole: {parts:?}"
        );
        assert!(
            !is_begun || new >= part.minimum,
            "the new version is not whole: {parts:?}"
        );
    }
}

proptest! {
    /// Each update ends, and with twice its minimum of each part no version is ever in pieces.
    #[test]
    fn every_update_ends(
        sizes in prop::collection::vec((1..4_i32, 1..8_i32, 0..9_i32, 0..4_i32), 1..5)
    ) {
        let mut parts: Vec<Model> = sizes
            .iter()
            .map(|(minimum, times, rest, more)| {
                let total = (minimum * times + rest % minimum).max(1);
                Model::new(total, *minimum, (minimum + more).min(total))
            })
            .collect();
        let is_divisible = sizes.iter().all(|(_, times, _, _)| *times >= 2);
        run(&mut parts, |parts| if is_divisible { assert_whole(parts) });
    }

    /// Units that were down before, and do not come up, hold nothing up.
    #[test]
    fn those_that_were_down_are_not_waited_for(
        total in 2..12_i32, minimum in 1..3_i32, down in 1..6_i32
    ) {
        let down = down.min(total - 1);
        let mut part = Model::new(total, minimum.min(total), minimum.min(total));
        part.reached = total - down;
        let mut parts = [part, Model::new(6, 2, 2)];
        for _ in 0..500 {
            let count = parts[0].up.len();
            parts[0].up[count - index(down)..].fill(false);
            step(&mut parts);
            for (i, part) in parts.iter_mut().enumerate() {
                part.delete(i);
                part.create();
            }
            parts[0].up.fill(true);
            parts[1].up.fill(true);
        }
        for part in &parts {
            prop_assert!(part.indexes(Some(false)).is_empty(), "{parts:?}");
        }
    }

    /// A batch that needs a minimum of each part waits until no unit that ran is away.
    #[test]
    fn a_whole_version_goes_at_once(total in 2..5_i32) {
        let minimum = 1;
        let mut parts = [
            Model::new(total * minimum, minimum, minimum),
            Model::new(total * minimum, minimum, minimum),
        ];
        parts[0].up[0] = false;
        let before: Vec<Option<i32>> = parts.iter().map(|part| part.from).collect();
        step(&mut parts);
        let held: Vec<Option<i32>> = parts.iter().map(|part| part.from).collect();
        prop_assert!(held.iter().zip(before).all(|(a, b)| a.unwrap() == b.unwrap_or(i32::MAX)));
        parts[0].up[0] = true;
        let batch = step(&mut parts);
        prop_assert_eq!(batch, vec![minimum, minimum]);
    }

    /// A part that is new throughout keeps nothing: its lost units come back new.
    #[test]
    fn a_part_that_is_new_has_no_old_side(total in 1..9_i32) {
        let mut new = Model::new(total, 1, 1);
        new.units.fill(Some(true));
        let mut parts = [new, Model::new(6, 2, 2)];
        step(&mut parts);
        prop_assert_eq!(parts[0].from, Some(0));
        parts[0].units[0] = None;
        step(&mut parts);
        prop_assert_eq!(parts[0].from, Some(0));
    }

    /// A new version that does not come up costs no more than `maxUnavailable` of each part.
    #[test]
    fn a_bad_version_stops(
        sizes in prop::collection::vec((1..4_i32, 2..6_i32), 1..4)
    ) {
        let mut parts: Vec<Model> = sizes
            .iter()
            .map(|(minimum, times)| Model::new(minimum * times, *minimum, *minimum))
            .collect();
        for _ in 0..100 {
            step(&mut parts);
            for (i, part) in parts.iter_mut().enumerate() {
                part.delete(i);
                part.create();
            }
        }
        for part in &parts {
            let lost = part.reached - part.available();
            prop_assert!(lost <= part.max_unavailable, "{parts:?}");
        }
    }

    /// The change back from a version that never came up ends, whatever it cost.
    #[test]
    fn a_change_back_ends(
        sizes in prop::collection::vec((1..4_i32, 2..6_i32, 1..9_i32), 1..4)
    ) {
        let mut parts: Vec<Model> = sizes
            .iter()
            .map(|(minimum, times, bad)| {
                let mut part = Model::new(minimum * times, *minimum, *minimum);
                let bad = index(*bad).min(part.units.len());
                let first = part.units.len() - bad;
                part.units[..first].fill(Some(true));
                part.up[first..].fill(false);
                part
            })
            .collect();
        let before = parts.clone();
        run(&mut parts, |parts| {
            for (part, before) in parts.iter().zip(&before) {
                assert!(part.available() >= before.available());
            }
        });
    }

    /// A restart between two writes changes nothing: the same inputs give the same targets.
    #[test]
    fn targets_that_are_stored_stay(total in 2..20_i32, minimum in 1..4_i32) {
        let minimum = minimum.min(total);
        let mut parts = [Model::new(total, minimum, minimum), Model::new(8, 2, 3)];
        step(&mut parts);
        let stored: Vec<Option<i32>> = parts.iter().map(|part| part.from).collect();
        step(&mut parts);
        let again: Vec<Option<i32>> = parts.iter().map(|part| part.from).collect();
        prop_assert_eq!(stored, again);
    }
}
