//! Names of objects and hosts: patterns, and examples made by the functions that name the objects.

use anyhow::ensure;
use api::names;

use super::page::{code, fill, table};
use crate::output::Output;

const SET: &str = "llm";
const NAMESPACE: &str = "ml";
const GROUP: &str = "llm-0-model";

/// The parts of a name, and those of the example.
const PARTS: [(&str, &str); 8] = [
    ("<set>", SET),
    ("<i>", "0"),
    ("<clique>", "router"),
    ("<member>", "worker"),
    ("<group>", "model"),
    ("<j>", "1"),
    ("<k>", "3"),
    ("<namespace>", NAMESPACE),
];

pub(super) fn page() -> anyhow::Result<Output> {
    let rows: anyhow::Result<Vec<_>> = rows().into_iter().map(check).collect();
    let names = table(["Name of", "Pattern", "Example"], rows?);
    fill(
        "dns-names",
        include_str!("dns_names.md"),
        &[("names", names)],
    )
}

/// Named objects, patterns, and an example from the code.
fn rows() -> [(&'static str, &'static str, String); 9] {
    let standalone = names::standalone_clique(SET, 0, "router");
    let grouped = names::grouped_clique(GROUP, 1, "worker");
    let address = names::headless_service_address(SET, 0, NAMESPACE);
    let host = names::hostname(&grouped, 3);
    [
        (
            "headless Service of a replica",
            "<set>-<i>",
            names::headless_service(SET, 0),
        ),
        (
            "its domain (`GROVE_HEADLESS_SERVICE`)",
            "<set>-<i>.<namespace>.svc.cluster.local",
            address.clone(),
        ),
        (
            "PodCliqueScalingGroup",
            "<set>-<i>-<group>",
            names::scaling_group(SET, 0, "model"),
        ),
        (
            "PodClique outside of groups",
            "<set>-<i>-<clique>",
            standalone.clone(),
        ),
        (
            "PodClique in a group",
            "<set>-<i>-<group>-<j>-<member>",
            grouped,
        ),
        (
            "host of a pod outside of groups",
            "<set>-<i>-<clique>-<k>",
            names::hostname(&standalone, 3),
        ),
        (
            "host of a pod in a group",
            "<set>-<i>-<group>-<j>-<member>-<k>",
            host.clone(),
        ),
        (
            "DNS name of a pod",
            "<set>-<i>-<group>-<j>-<member>-<k>.<set>-<i>.<namespace>.svc.cluster.local",
            format!("{host}.{address}"),
        ),
        (
            "base PodGang of a replica",
            "<set>-<i>",
            names::base_gang(SET, 0),
        ),
    ]
}

fn check((what, pattern, example): (&str, &str, String)) -> anyhow::Result<[String; 3]> {
    let mut filled = pattern.to_owned();
    for (part, value) in PARTS {
        filled = filled.replace(part, value);
    }
    ensure!(filled == example, "{pattern} gives {filled}, not {example}");
    Ok([what.to_owned(), code(pattern), code(&example)])
}
