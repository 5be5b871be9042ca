//! The pods of a workload over time.

use crate::chart::{Chart, Line};
use crate::curve::Counts;
use crate::limit;
use crate::ours::Run;

/// States of pods, in the order of their counts.
const STATES: [&str; 3] = ["created", "ungated", "Ready"];

/// The last run of each contender.
pub fn chart(
    title: &str,
    runs: &[Run],
    limits: &[limit::Run],
    base: Option<&str>,
    bases: &[Run],
) -> Chart {
    let curves = [
        ("operator", runs.last().map(|run| &run.curve)),
        ("limit driver", limits.last().map(|run| &run.curve)),
        (base.unwrap_or_default(), bases.last().map(|run| &run.curve)),
    ];
    let curves = curves.iter().enumerate();
    let lines = curves
        .filter_map(|(contender, (name, curve))| Some(lines(contender, name, curve.as_ref()?)));
    Chart {
        title: title.to_owned(),
        lines: lines.flatten().collect(),
    }
}

fn lines(contender: usize, name: &str, curve: &[(f64, Counts)]) -> Vec<Line> {
    let of = |(state, what): (usize, &&str)| Line {
        name: format!("{name}: {what}"),
        contender,
        state,
        points: curve
            .iter()
            .filter_map(|(at, counts)| Some((*at, *counts.get(state)?)))
            .collect(),
    };
    STATES.iter().enumerate().map(of).collect()
}
