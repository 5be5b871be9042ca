//! The chart's webhooks: requests without an answer, exempt accounts, and separate certificates of
//! two releases.

use std::collections::BTreeSet;

use admission::authorizer::ALWAYS_EXEMPT;
use serde_json::Value;

use super::rendered;
use crate::harness::Namespace;

const AUTHORIZED: &str = "config.authorizer.enabled=true";

/// All webhooks that the chart renders with these values.
fn webhooks(ns: &Namespace<'_>, values: &[&str]) -> Vec<Value> {
    let rendered = rendered(ns, values);
    let documents = rendered
        .split("\n---")
        .filter(|d| d.contains("\nwebhooks:"));
    let webhooks = documents.map(|document| {
        let mut configuration: Value = serde_saphyr::from_str(document).unwrap();
        serde_json::from_value::<Vec<Value>>(configuration["webhooks"].take()).unwrap()
    });
    webhooks.flatten().collect()
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap()
}

#[test]
fn scaling_by_autoscalers_continues_without_an_answer() {
    let ns = Namespace::new("chart-webhooks");
    let webhooks = webhooks(&ns, &[AUTHORIZED]);
    let rows = webhooks.iter().map(|webhook| {
        let path = text(webhook, "/clientConfig/service/path");
        let resources = webhook.pointer("/rules/0/resources").unwrap();
        let policy = text(webhook, "/failurePolicy");
        format!("{path} {resources} {policy}")
    });
    let expected = [
        r#"/webhooks/default-podcliqueset ["podcliquesets"] Fail"#,
        r#"/webhooks/validate-podcliqueset ["podcliquesets"] Fail"#,
        r#"/webhooks/validate-podcliqueset ["podcliquesets/scale"] Ignore"#,
        r#"/webhooks/validate-podclique ["podcliques","podcliques/scale"] Ignore"#,
        r#"/webhooks/validate-podcliquescalinggroup ["podcliquescalinggroups","podcliquescalinggroups/scale"] Ignore"#,
        r#"/webhooks/validate-clustertopology ["clustertopologybindings"] Fail"#,
        r#"/webhooks/authorizer-webhook ["pods"] Fail"#,
    ];
    assert_eq!(rows.collect::<Vec<_>>(), expected);
}

/// `admission::served` tests the others.
#[test]
fn the_webhook_is_not_called_for_exempt_accounts_only() {
    let ns = Namespace::new("chart-exempt");
    let names =
        r#"config.authorizer.exemptServiceAccountUserNames={system:serviceaccount:a:b,o'"c}"#;
    let webhooks = webhooks(&ns, &[AUTHORIZED, names]);
    let conditions = webhooks.last().unwrap()["matchConditions"].as_array();
    let mut conditions = conditions.unwrap().iter();
    let exempt = conditions.find(|c| c["name"] == "is-not-exempt").unwrap();
    let expression = text(exempt, "/expression");
    let list = expression.strip_prefix("!(request.userInfo.username in ");
    let list = list.and_then(|rest| rest.strip_suffix(')')).unwrap();
    let rendered: BTreeSet<String> = serde_json::from_str(list).unwrap();
    let always = ALWAYS_EXEMPT.map(|(user, _)| user);
    let configured = ["system:serviceaccount:a:b", "o'\"c"];
    let expected = always.into_iter().chain(configured).map(str::to_owned);
    assert_eq!(rendered, expected.collect());
}

#[test]
fn a_release_of_another_name_has_a_secret_of_its_own() {
    let ns = Namespace::new("chart-secret");
    let own = format!("{}-webhook-server-cert", ns.name);
    for (value, name) in [
        ("replicaCount=2", own.as_str()),
        (
            "fullnameOverride=grove-operator",
            "grove-webhook-server-cert",
        ),
        ("webhooks.certificates.secretName=mine", "mine"),
    ] {
        let rendered = rendered(&ns, &[value]);
        for place in [
            format!("kind: Secret\nmetadata:\n  name: {name}\n"),
            format!("resourceNames: [{name}]\n"),
            format!("secretName: {name}\n"),
        ] {
            assert!(rendered.contains(&place), "{value}: {place}");
        }
    }
}
