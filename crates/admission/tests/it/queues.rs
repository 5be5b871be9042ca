//! Sets that name a queue of Kueue (docs/queues.md).

use admission::Rules;
use admission::warnings::in_cluster;
use api::{PodCliqueSet, PodCliqueSetStatus};
use domain::health::suspension;
use domain::scheduling::{Backend, Profiles, SchedulerProfile};
use rstest::rstest;
use serde_json::{Value, json};
use testkit::builders::after;
use testkit::good_set::{Edit, FRONTEND, at};

use crate::cases::set;

const QUEUE: &str = "/metadata/labels";

fn rules() -> Rules {
    Rules {
        profiles: Some(Profiles::default().with_queueing(true)),
        ..Rules::default()
    }
}

fn queue(name: &str) -> Value {
    json!({"kueue.x-k8s.io/queue-name": name})
}

fn words(errors: &[admission::FieldError]) -> String {
    let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

fn changed(old: &PodCliqueSet, edits: &[Edit<'_>]) -> String {
    words(&admission::validate_update(old, &set(edits), &rules()))
}

fn queued(edits: &[Edit<'_>]) -> PodCliqueSet {
    let mut all = vec![(QUEUE, queue("team-a"))];
    all.extend(edits.iter().cloned());
    set(&all)
}

#[test]
fn a_clique_hands_no_pods_to_kueue() {
    let labels = at(FRONTEND, "labels");
    let edits: [Edit<'_>; 1] = [(&labels, queue("team-a"))];
    assert_eq!(
        words(&admission::validate(&set(&edits), &rules())),
        "spec.template.cliques[0].labels[kueue.x-k8s.io/queue-name]: \"team-a\": here it hands pods to \
         Kueue one by one; name the queue in metadata.labels of the PodCliqueSet"
    );
    assert_eq!(
        words(&admission::validate(&set(&edits), &Rules::default())),
        ""
    );
}

#[test]
fn the_queue_stays_while_the_set_is_not_suspended() {
    let old = queued(&[]);
    let told = |value: &str| {
        format!(
            "metadata.labels[kueue.x-k8s.io/queue-name]: {value}: cannot be changed while gangs hold \
             quota; suspend the set first: kubectl grove suspend NAME"
        )
    };
    assert_eq!(
        changed(&old, &[(QUEUE, queue("team-b"))]),
        told("\"team-b\"")
    );
    assert_eq!(changed(&old, &[]), told("null"));
    assert_eq!(changed(&set(&[]), &[(QUEUE, queue("team-b"))]), "");
    let mut suspended = old;
    let status = suspended
        .status
        .get_or_insert_with(PodCliqueSetStatus::default);
    suspension::begin(status, Some(1), after(0));
    assert_eq!(changed(&suspended, &[(QUEUE, queue("team-b"))]), "");
}

#[rstest]
#[case::selector("nodeSelector", json!({"gpu": "h100"}))]
#[case::tolerations("tolerations", json!([{"key": "gpu", "operator": "Exists"}]))]
#[case::affinity("affinity", json!({"podAffinity": {}}))]
fn what_kueue_reads_stays_too(#[case] field: &str, #[case] value: Value) {
    let place = at(FRONTEND, &format!("spec/podSpec/{field}"));
    let edits: [Edit<'_>; 2] = [(QUEUE, queue("team-a")), (&place, value.clone())];
    let told = changed(&queued(&[]), &edits);
    assert!(
        told.contains("cannot be changed while the set is queued"),
        "{told}"
    );
    let unqueued: [Edit<'_>; 1] = [(&place, value)];
    assert_eq!(changed(&set(&[]), &unqueued), "");
}

#[test]
fn what_kueue_does_not_read_may_change() {
    let place = at(FRONTEND, "spec/podSpec/terminationGracePeriodSeconds");
    let edits: [Edit<'_>; 2] = [(QUEUE, queue("team-a")), (&place, json!(5))];
    assert_eq!(changed(&queued(&[]), &edits), "");
}

fn warned(set: &PodCliqueSet, profiles: Option<Profiles>) -> Vec<String> {
    let rules = Rules {
        profiles,
        ..Rules::default()
    };
    let warnings = in_cluster(set, &rules).into_iter();
    warnings.map(|warning| warning.to_string()).collect()
}

#[rstest]
#[case::off(Some(false), true)]
#[case::on(Some(true), false)]
#[case::not_known(None, false)]
fn a_queue_without_effect_is_reported(
    #[case] is_queueing: Option<bool>,
    #[case] is_reported: bool,
) {
    let profiles = is_queueing.map(|is_on| Profiles::default().with_queueing(is_on));
    let told = "metadata.labels[kueue.x-k8s.io/queue-name]: has no effect: the gangs start without quota; \
                set queueing.kueue.enabled: true in the operator's configuration";
    let expected: Vec<&str> = is_reported.then_some(told).into_iter().collect();
    assert_eq!(warned(&queued(&[]), profiles.clone()), expected);
    assert!(warned(&set(&[]), profiles).is_empty());
}

#[test]
fn a_queue_that_the_profile_requires_is_reported_as_missing() {
    let profile = SchedulerProfile {
        backend: Backend::Kubernetes,
        scheduler_name: None,
        requires_queue: true,
    };
    let profiles = Profiles::of([("default-scheduler".to_owned(), profile)]).with_queueing(true);
    assert_eq!(
        warned(&set(&[]), Some(profiles.clone())),
        [
            "metadata.labels[kueue.x-k8s.io/queue-name]: nothing starts without it: the profile of scheduler \
             default-scheduler requires a queue"
        ]
    );
    assert!(warned(&queued(&[]), Some(profiles)).is_empty());
}

#[test]
fn claims_have_no_quota() {
    let place = at(FRONTEND, "spec/podSpec/resourceClaims");
    let claim = json!([{"name": "gpu", "resourceClaimTemplateName": "gpu"}]);
    let told = |rules: &Rules| {
        let warnings = in_cluster(&queued(&[(&place, claim.clone())]), rules);
        warnings.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        told(&rules()),
        [
            "metadata.labels[kueue.x-k8s.io/queue-name]: Kueue reserves no quota for resource claims: limit \
          them by a ResourceQuota"
        ]
    );
    assert!(told(&Rules::default()).is_empty());
}
