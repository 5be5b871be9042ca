//! Words of other APIs for fields of ours.

use rstest::rstest;
use serde_json::json;
use testkit::good_set::{Edit, FRONTEND, GROUP, at, edited};

use super::{lint, said};

const OF_UPDATES: &str = "move it to the cliques and scaling groups, each of which has its own: \
                          spec.template.cliques[0].rollingUpdate, \
                          spec.template.podCliqueScalingGroups[0].rollingUpdate";
const OF_AN_UPDATE: &str = "move it to rollingUpdate of the clique or scaling group, such as \
                            spec.template.cliques[0].rollingUpdate";
const OF_A_CLIQUE: &str = "move its type to spec.updateStrategy, and its numbers to rollingUpdate of \
                           the clique, which is beside its spec";
const OF_A_GROUP: &str = "move its type to spec.updateStrategy, and its numbers to rollingUpdate of \
                          the scaling group";
const RESTARTS: &str = "name it maxRestarts, which counts restarts of whole replicas";
const RESTARTS_OF_SPEC: &str =
    "write it as spec.trainingSpec.maxRestarts, which counts restarts of whole replicas";
const RUN_TIME: &str = "write it as spec.trainingSpec.maxRuntime, with a unit, such as 3600s";
const KEPT: &str = "write it as spec.trainingSpec.ttlAfterFinished, with a unit, such as 3600s";

/// Each field in an object that has no other.
#[rstest]
#[case::rolling_update("/spec/updateStrategy".to_owned(), "rollingUpdate", OF_UPDATES)]
#[case::max_unavailable("/spec/updateStrategy".to_owned(), "maxUnavailable", OF_AN_UPDATE)]
#[case::max_surge("/spec/updateStrategy".to_owned(), "maxSurge", OF_AN_UPDATE)]
#[case::min_ready("/spec/updateStrategy".to_owned(), "minReadySeconds", OF_AN_UPDATE)]
#[case::deadline("/spec/updateStrategy".to_owned(), "progressDeadline", OF_AN_UPDATE)]
#[case::backoff_limit("/spec/trainingSpec".to_owned(), "backoffLimit", RESTARTS)]
#[case::active_deadline("/spec/trainingSpec".to_owned(), "activeDeadlineSeconds", RUN_TIME)]
#[case::ttl("/spec/trainingSpec".to_owned(), "ttlSecondsAfterFinished", KEPT)]
#[case::topology("/spec/template/topologyConstraint".to_owned(), "name", "name it topologyName")]
#[case::topology_of_a_clique(at(FRONTEND, "topologyConstraint"), "name", "name it topologyName")]
#[case::topology_of_a_group(at(GROUP, "topologyConstraint"), "name", "name it topologyName")]
#[case::topology_of_all(
    at(GROUP, "allReplicasTopologyConstraint"),
    "name",
    "name it topologyName"
)]
fn in_an_object(#[case] object: String, #[case] name: &str, #[case] remedy: &str) {
    expect(&object, name, &[(&object, json!({(name): 1}))], remedy);
}

#[rstest]
#[case::strategy_of_a_clique(at(FRONTEND, "spec"), "updateStrategy", OF_A_CLIQUE)]
#[case::strategy_of_pods(at(FRONTEND, "spec"), "strategy", OF_A_CLIQUE)]
#[case::strategy_beside_a_spec(FRONTEND.to_owned(), "updateStrategy", OF_A_CLIQUE)]
#[case::strategy_of_a_group(GROUP.to_owned(), "updateStrategy", OF_A_GROUP)]
#[case::strategy("/spec".to_owned(), "strategy", "name it updateStrategy")]
#[case::backoff_limit("/spec".to_owned(), "backoffLimit", RESTARTS_OF_SPEC)]
#[case::active_deadline("/spec".to_owned(), "activeDeadlineSeconds", RUN_TIME)]
#[case::ttl("/spec".to_owned(), "ttlSecondsAfterFinished", KEPT)]
#[case::startup("/spec/template".to_owned(), "startupType", "name it cliqueStartupType")]
#[case::startup_of_the_set("/spec".to_owned(), "startupType", "write it as spec.template.cliqueStartupType")]
#[case::autoscaler_of_a_group(GROUP.to_owned(), "autoScalingConfig", "name it scaleConfig")]
#[case::autoscaler_of_a_clique(at(FRONTEND, "spec"), "scaleConfig", "name it autoScalingConfig")]
fn beside_other_fields(#[case] object: String, #[case] name: &str, #[case] remedy: &str) {
    expect(&object, name, &[(&at(&object, name), json!(1))], remedy);
}

/// The only remark on a field that does not exist.
fn expect(object: &str, name: &str, edits: &[Edit<'_>], remedy: &str) {
    let report = lint(&edited(edits).to_string());
    let found = said(&report, &["unknown-field"]);
    assert_eq!(found.len(), 1, "{found:?}");
    let path = format!("{}.{name}: the field does not exist; ", path_of(object));
    assert!(found[0].contains(&path), "{found:?}");
    assert!(found[0].ends_with(&format!("; {remedy}")), "{found:?}");
}

/// The JSON pointer as a path.
fn path_of(pointer: &str) -> String {
    let names = pointer.split('/').filter(|name| !name.is_empty());
    names.fold(String::new(), |path, name| match name.parse::<usize>() {
        Ok(index) => format!("{path}[{index}]"),
        Err(_) if path.is_empty() => name.to_owned(),
        Err(_) => format!("{path}.{name}"),
    })
}
