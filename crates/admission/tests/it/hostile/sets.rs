//! The hostile objects.

use std::sync::LazyLock;

use serde_json::{Value, json};

use testkit::good_set::{CLIQUES, GROUPS, good};

const TOO_LONG: usize = 3_200_000;

/// A repeated letter, longer than a specification may be.
fn too_long() -> String {
    "x".repeat(TOO_LONG)
}

pub(super) fn with(edits: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    let mut set = good();
    for (pointer, value) in edits {
        let (parent, field) = pointer.rsplit_once('/').unwrap();
        set.pointer_mut(parent).unwrap()[field] = value;
    }
    set
}

/// A clique; `more` goes into its `spec`.
fn clique(name: &str, more: Value) -> Value {
    let mut spec = json!({"roleName": name, "replicas": 1,
        "podSpec": {"containers": [{"name": "main", "image": "llm:1"}]}});
    if let (Value::Object(spec), Value::Object(more)) = (&mut spec, more) {
        spec.extend(more);
    }
    json!({"name": name, "spec": spec})
}

/// Cliques alone, in an explicit start order.
fn of_cliques(count: usize, each: impl Fn(usize) -> Value) -> Value {
    with([
        (CLIQUES, (0..count).map(each).collect()),
        (GROUPS, json!([])),
        (STARTUP, json!("CliqueStartupTypeExplicit")),
    ])
}

const STARTUP: &str = "/spec/template/cliqueStartupType";
const ENV: &str = "/spec/template/cliques/0/spec/podSpec/containers/0/env";

fn plain(i: usize) -> Value {
    clique(&format!("c{i}"), json!({}))
}

/// Each clique starts after the previous one; the first after none, or after the last.
fn chain(count: usize, is_closed: bool) -> Value {
    of_cliques(count, |i| {
        let before = match i.checked_sub(1) {
            Some(before) => vec![format!("c{before}")],
            None if is_closed => vec![format!("c{}", count - 1)],
            None => vec![],
        };
        clique(&format!("c{i}"), json!({ "startsAfter": before }))
    })
}

fn texts(count: usize) -> Value {
    let pair = |i| (format!("key {i}"), json!("no value of a label"));
    Value::Object((0..count).map(pair).collect())
}

fn groups(count: usize, each: impl Fn(usize) -> Value) -> Value {
    with([
        (CLIQUES, (0..500).map(plain).collect()),
        (GROUPS, (0..count).map(each).collect()),
    ])
}

/// All hostile objects by name, created once for all tests. They are refused unless their name says
/// otherwise.
pub(crate) fn all() -> &'static [(&'static str, Value)] {
    static ALL: LazyLock<Vec<(&str, Value)>> = LazyLock::new(|| {
        let mut all = large_texts();
        all.extend(long_lists());
        all.extend(large_maps());
        all.extend(long_lists_of_names());
        all.extend(start_orders());
        all.extend(long_texts_that_are_often_told());
        all
    });
    &ALL
}

fn large_texts() -> Vec<(&'static str, Value)> {
    let env = json!([{"name": "LONG", "value": "x".repeat(10_000_000)}]);
    let pod = |name: &str| json!([{"name": name, "image": "llm:1"}]);
    let containers = "/spec/template/cliques/0/spec/podSpec/containers";
    vec![
        ("a variable of 10 MB", with([(ENV, env)])),
        (
            "a container's name of 3.2 MB",
            with([(containers, pod(&too_long()))]),
        ),
        (
            "a set's name of 3.2 MB",
            with([("/metadata/name", json!(too_long()))]),
        ),
        (
            "a clique's name of 3.2 MB",
            with([("/spec/template/cliques/0/name", json!(too_long()))]),
        ),
        (
            "a name of 3.2 MB of hyphens",
            with([(
                "/spec/template/cliques/0/name",
                json!("1-".repeat(TOO_LONG / 2)),
            )]),
        ),
        (
            "a delay of 3.2 MB",
            with([(
                "/spec/template/terminationDelay",
                json!("9".repeat(TOO_LONG)),
            )]),
        ),
        (
            "names of unicode",
            of_cliques(500, |i| clique(&format!("é\u{202e}🦀İ{i}\u{0}"), json!({}))),
        ),
        (
            "names of 253 characters",
            of_cliques(500, |i| {
                clique(&format!("{i:0>4}{}", "x".repeat(249)), json!({}))
            }),
        ),
        (
            "names of 253 characters with indices",
            of_cliques(500, |i| {
                clique(&format!("{i:0>3}{}", "-1".repeat(125)), json!({}))
            }),
        ),
        (
            "names of 63 characters with indices",
            of_cliques(500, |i| {
                clique(&format!("{i:0>3}{}", "-1".repeat(30)), json!({}))
            }),
        ),
    ]
}

fn long_lists() -> Vec<(&'static str, Value)> {
    let many = |count: usize, each: Value| Value::from(vec![each; count]);
    let env = |name: &str| many(19_000, json!({"name": name}));
    let containers = "/spec/template/cliques/0/spec/podSpec/containers";
    vec![
        ("10,000 cliques", of_cliques(10_000, plain)),
        ("1,000 cliques of one name", of_cliques(1_000, |_| plain(0))),
        ("500 cliques of one name", of_cliques(500, |_| plain(0))),
        (
            "500 cliques without anything",
            of_cliques(
                500,
                |_| json!({"name": "", "spec": {"roleName": "", "replicas": -1, "podSpec": {"containers": []}}}),
            ),
        ),
        ("19,000 variables without a name", with([(ENV, env(""))])),
        ("19,000 variables of one name", with([(ENV, env("A"))])),
        (
            "250,000 variables without a name",
            with([(ENV, many(250_000, json!({"name": ""})))]),
        ),
        (
            "100,000 containers without a name",
            with([(
                containers,
                many(100_000, json!({"name": "", "env": [{"name": ""}]})),
            )]),
        ),
        (
            "9,900 containers with a variable without a name",
            with([(
                containers,
                many(9_900, json!({"name": "", "env": [{"name": ""}]})),
            )]),
        ),
    ]
}

fn large_maps() -> Vec<(&'static str, Value)> {
    vec![
        (
            "100,000 labels of the set",
            with([("/metadata/labels", texts(100_000))]),
        ),
        (
            "1,000 labels of a clique",
            with([("/spec/template/cliques/0/labels", texts(1_000))]),
        ),
        (
            "500 labels of each of 38 cliques",
            of_cliques(38, |i| {
                let mut clique = plain(i);
                clique["labels"] = texts(500);
                clique
            }),
        ),
        (
            "1,000 annotations of a group",
            with([(
                "/spec/template/podCliqueScalingGroups/0/annotations",
                texts(1_000),
            )]),
        ),
    ]
}

fn long_lists_of_names() -> Vec<(&'static str, Value)> {
    let claims = "/spec/template/resourceClaimTemplates";
    let sharing = "/spec/template/resourceSharing";
    let shared = |i: usize| {
        json!({"name": format!("t{i}"), "scope": "PerReplica", "namespace": "n",
                                   "filter": {"childCliqueNames": ["a", "b", "c", "d"]}})
    };
    let claim = |i: usize| json!({"name": format!("t{i}"), "templateSpec": {"spec": {}}});
    let filter = |count: usize| {
        json!({"name": "t", "scope": "PerReplica",
               "filter": {"childCliqueNames": vec!["nobody"; count]}})
    };
    vec![
        (
            "38 filters of 500 unknown names",
            with([(sharing, json!(vec![filter(500); 38]))]),
        ),
        (
            "41 filters of 500 unknown names",
            with([(sharing, json!(vec![filter(500); 41]))]),
        ),
        (
            "4,000 shared claims of 4,000 templates",
            with([
                (claims, (0..4_000).map(claim).collect()),
                (sharing, (0..4_000).map(shared).collect()),
            ]),
        ),
        (
            "600 names in a filter",
            with([
                (CLIQUES, (0..500).map(plain).collect()),
                (GROUPS, json!([])),
                (sharing, json!([filter(600)])),
            ]),
        ),
        (
            "500 groups of one clique",
            groups(
                500,
                |i| json!({"name": format!("g{i}"), "cliqueNames": ["c1"]}),
            ),
        ),
        (
            "500 groups of unknown cliques",
            groups(
                500,
                |i| json!({"name": format!("g{i}"), "cliqueNames": [format!("u{i}")]}),
            ),
        ),
    ]
}

fn start_orders() -> Vec<(&'static str, Value)> {
    let all = |own: usize, prefix: &str| -> Vec<String> {
        let others = (0..500).filter(|i| *i != own);
        others.map(|i| format!("{prefix}{i}")).collect()
    };
    let after =
        |i: usize, names: Vec<String>| clique(&format!("c{i}"), json!({ "startsAfter": names }));
    let earlier = |i: usize| (0..i).map(|i| format!("c{i}")).collect::<Vec<_>>();
    vec![
        ("a chain of 1,000", chain(1_000, false)),
        ("a circle of 1,000", chain(1_000, true)),
        ("a circle of 500", chain(500, true)),
        (
            "39 that start after all others and more",
            of_cliques(39, |i| after(i, all(i, "c"))),
        ),
        (
            "500 that start after 500 unknown",
            of_cliques(500, |i| after(i, all(i, "u"))),
        ),
        (
            "39 that start after 499 unknown",
            of_cliques(39, |i| after(i, all(i, "u"))),
        ),
        (
            "38 that start after 500 times the same",
            of_cliques(38, |i| after(i, vec!["c0".into(); 500])),
        ),
        (
            "190 that start after all before and the last",
            of_cliques(190, |i| match i {
                0 => after(0, vec!["c189".into()]),
                i => after(i, earlier(i)),
            }),
        ),
    ]
}

/// One long text beside many short ones, in rules that quote both.
fn long_texts_that_are_often_told() -> Vec<(&'static str, Value)> {
    let scheduler = |i: usize| {
        let name = if i == 0 { too_long() } else { "s".into() };
        let pod = json!({"schedulerName": name, "containers": [{"name": "main"}]});
        clique(&format!("c{i}"), json!({ "podSpec": pod }))
    };
    let topology = |i: usize| {
        let name = if i == 0 { too_long() } else { "s".into() };
        let mut clique = plain(i);
        clique["topologyConstraint"] = json!({"topologyName": name, "packDomain": "rack"});
        clique
    };
    let scaled = |i: usize| {
        let scaling = json!({"maxReplicas": 2});
        let mut clique = clique(&format!("c{i}"), json!({ "autoScalingConfig": scaling }));
        clique["rollingUpdate"] = json!({"maxUnavailable": 1});
        clique
    };
    let members: Vec<_> = (0..500).map(|i| format!("c{i}")).collect();
    let unknown: Vec<_> = (0..500).map(|i| format!("u{i}")).collect();
    let after = |i: usize| {
        let name = format!("{}{i}", "n".repeat(10_000));
        clique(&name, json!({ "startsAfter": unknown.clone() }))
    };
    vec![
        (
            "a scheduler of 3.2 MB beside 499",
            of_cliques(500, scheduler),
        ),
        ("a topology of 3.2 MB beside 499", of_cliques(500, topology)),
        (
            "a group of 3.2 MB with 500 members",
            with([
                (CLIQUES, (0..500).map(scaled).collect()),
                (
                    GROUPS,
                    json!([{"name": too_long(), "cliqueNames": members}]),
                ),
            ]),
        ),
        (
            "39 names of 10,000 characters, each offered 19,500 times",
            of_cliques(39, after),
        ),
    ]
}
