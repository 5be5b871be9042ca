//! The API server is overloaded, by its own priority and fairness.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::control_plane::{ControlPlane, fed, folder};
use crate::harness::installation::{Installation, RELEASE, SYSTEM};
use crate::harness::manifest::{clique, set};
use crate::harness::operator::Operator;
use crate::harness::requests::Requests;
use crate::harness::{Namespace, same, site, wait};

/// The duration of the overload.
const LONG: Duration = Duration::from_secs(5);
/// The time after its end within which all is done.
const DONE: Duration = Duration::from_mins(2);
const CLIQUES: usize = 20;

#[test]
fn an_operator_with_one_share_slows_down_and_catches_up() {
    let control_plane = site::quiet();
    let installation = Installation::on(&control_plane, &[]);
    let operator = Operator::start(&installation, &folder("throttled-operator")).unwrap();
    operator.wait_until_ready().unwrap();
    let ns = Namespace::on(&control_plane, &operator, "throttled");
    let all = |requests: &Requests| requests.count(|_| true);
    let refused = |requests: &Requests| requests.count(|labels| labels.contains("code=\"429\""));

    let before = Requests::of(&operator).unwrap();
    ns.apply(&wide("calm"));
    ns.until("it runs", |seen| runs(seen.one("PodCliqueSet", "calm")?));
    let undisturbed = all(&Requests::of(&operator).unwrap()) - all(&before);
    ns.kubectl(&["delete", "pcs", "calm", "--timeout=180s"]);

    let level = limited(&control_plane);
    let before = Requests::of(&operator).unwrap();
    ns.apply(&wide("noisy"));
    let since = Instant::now();
    let throttled = wait::until(|| {
        let requests = Requests::of(&operator)?;
        let is_over = refused(&requests) > refused(&before) && since.elapsed() > LONG;
        is_over.then_some(()).ok_or_else(|| format!("{requests:?}"))
    });
    throttled.unwrap();
    drop(level);
    ns.within(DONE, "it runs", |seen| {
        runs(seen.one("PodCliqueSet", "noisy")?)
    });
    let asked = all(&Requests::of(&operator).unwrap()) - all(&before);
    assert!(
        asked <= 2 * undisturbed,
        "{asked}, undisturbed {undisturbed}"
    );
    assert_eq!(operator.ended(), None);
}

/// Many writes at once.
fn wide(name: &str) -> Value {
    let cliques: Vec<_> = (0..CLIQUES).map(|i| clique(&format!("c{i}"), 3)).collect();
    set(name, &cliques, &[])
}

fn runs(set: &Value) -> Result<(), String> {
    same(
        "availableReplicas",
        &set["status"]["availableReplicas"],
        &1.into(),
    )
}

/// A share of one for the operator's account, without a queue. It ends when this is dropped.
struct Level<'a>(&'a ControlPlane);

fn limited(control_plane: &ControlPlane) -> Level<'_> {
    let version = "flowcontrol.apiserver.k8s.io/v1";
    let level = json!({
        "apiVersion": version, "kind": "PriorityLevelConfiguration", "metadata": {"name": "narrow"},
        "spec": {"type": "Limited", "limited": {
            "nominalConcurrencyShares": 1, "lendablePercent": 0, "borrowingLimitPercent": 0,
            "limitResponse": {"type": "Reject"},
        }},
    });
    let account = json!({"name": format!("{RELEASE}-operator"), "namespace": SYSTEM});
    let anything = json!({
        "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"],
        "clusterScope": true,
    });
    let flow = json!({
        "apiVersion": version, "kind": "FlowSchema", "metadata": {"name": "narrow"},
        "spec": {
            "priorityLevelConfiguration": {"name": "narrow"}, "matchingPrecedence": 2,
            "rules": [{
                "subjects": [{"kind": "ServiceAccount", "serviceAccount": account}],
                "resourceRules": [anything],
            }],
        },
    });
    for object in [level, flow] {
        let applied = fed(
            &mut control_plane.tool("kubectl", ["apply", "-f", "-"]),
            &object,
        );
        let error = String::from_utf8_lossy(&applied.stderr);
        assert!(applied.status.success(), "{object}: {error}");
    }
    Level(control_plane)
}

impl Drop for Level<'_> {
    fn drop(&mut self) {
        for object in ["flowschema/narrow", "prioritylevelconfiguration/narrow"] {
            let delete = ["delete", object, "--wait=false"];
            let _ = self.0.tool("kubectl", delete).output();
        }
    }
}
