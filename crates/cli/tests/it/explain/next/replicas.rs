//! The answer for several replicas that do not run.

use super::*;

/// Two replicas of 3 pods, 2 of them required, with these pods.
fn two_replicas(pods: [&[Value]; 2]) -> Workload {
    let set = build_set("demo")
        .replicas(2)
        .clique("worker", |c| c.replicas(3).min(2))
        .build();
    let mut workload = Workload {
        set,
        ..Workload::default()
    };
    for (i, pods) in pods.iter().enumerate() {
        let name = format!("demo-{i}-worker");
        let clique = podclique(&name).size(3, 2).was_available().build();
        let pods = (0..).zip(*pods).map(|(k, rest)| pod_of(&clique, k, rest));
        let pods: Vec<_> = pods.collect();
        let listed = [(&*name, Some(&*pods))];
        workload.gangs.push(gang(&format!("demo-{i}"), &listed));
        workload.podcliques.push((*clique).clone());
        workload.pods.extend(pods);
    }
    judge(&mut workload);
    workload
}

fn crashing() -> Value {
    on_node(
        &json!({"waiting": {"reason": "CrashLoopBackOff"}}),
        &json!({}),
        3,
    )
}

/// A shortage in an available replica does not explain why the set is not ready.
#[test]
fn the_culprit_is_in_a_replica_that_is_not_available() {
    let pending = || unschedulable("0/3 nodes are available: 3 Insufficient cpu.");
    let mut workload = two_replicas([
        &[ready(), ready(), crashing()],
        &[pending(), pending(), pending()],
    ]);
    workload.set.status.as_mut().unwrap().available_replicas = 1;
    let answer = explain(&workload, &[]);
    let last = answer.chain.last().unwrap();
    assert_eq!(last.name, "demo-1-worker-bcdf0");
}

/// Whichever replica the pod is of: each of them is terminated.
#[test]
fn terminations_of_other_replicas_are_listed_too() {
    let down = || [ready(), crashing(), crashing()];
    let mut workload = two_replicas([&down(), &down()]);
    workload.set.spec.template.termination_delay = Some("10m".into());
    for (podclique, since) in workload.podcliques.iter_mut().zip([240, 200]) {
        breach(podclique, since);
    }
    let next = next_of(&explain(&workload, &[]));
    for replica in [0, 1] {
        let told = format!("terminates replica {replica} unless");
        assert!(next.contains(&told), "{next}");
    }
}

/// One node is lost with pods of two replicas: they count together.
#[test]
fn replicas_that_fail_together_need_as_many_restarts() {
    let down = || [ready(), crashing(), crashing()];
    let mut workload = two_replicas([&down(), &down()]);
    workload.set.spec.workload_type = Some(WorkloadType::Training);
    workload.set.spec.template.termination_delay = Some("5m".into());
    for podclique in &mut workload.podcliques {
        podclique.spec.workload_type = Some(WorkloadType::Training);
        breach(podclique, 240);
    }
    for (used, told) in [
        (0, "replicas 0, 1 are restarted"),
        (1, "the job fails with MaxRestartsExceeded"),
    ] {
        workload.set.spec.training_spec = Some(TrainingSpec {
            max_restarts: Some(2),
            max_runtime: None,
            ..TrainingSpec::default()
        });
        workload.set.status.as_mut().unwrap().restart_count = Some(used);
        let next = next_of(&explain(&workload, &[]));
        assert!(next.replace("\n    ", " ").contains(told), "{next}");
    }
}
