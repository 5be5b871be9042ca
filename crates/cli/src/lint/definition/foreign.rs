//! Words of other APIs, such as Job and Deployment, for fields that a set has under another name or in
//! another place.

/// A field of another API.
struct Foreign {
    /// The places where it may be written, without the indices of lists.
    places: &'static [&'static str],
    /// Its names.
    names: &'static [&'static str],
    /// Our field.
    remedy: &'static str,
}

const CLIQUE: &str = "spec.template.cliques";
const CLIQUE_SPEC: &str = "spec.template.cliques.spec";
const GROUP: &str = "spec.template.podCliqueScalingGroups";

const FOREIGN: [Foreign; 14] = [
    Foreign {
        places: &["spec.updateStrategy"],
        names: &["rollingUpdate"],
        remedy: "move it to the cliques and scaling groups, each of which has its own: \
                 spec.template.cliques[0].rollingUpdate, \
                 spec.template.podCliqueScalingGroups[0].rollingUpdate",
    },
    Foreign {
        places: &["spec.updateStrategy"],
        names: &[
            "maxUnavailable",
            "maxSurge",
            "minReadySeconds",
            "progressDeadline",
        ],
        remedy: "move it to rollingUpdate of the clique or scaling group, such as \
                 spec.template.cliques[0].rollingUpdate",
    },
    Foreign {
        places: &[CLIQUE, CLIQUE_SPEC],
        names: &["updateStrategy", "strategy"],
        remedy: "move its type to spec.updateStrategy, and its numbers to rollingUpdate of the clique, \
                 which is beside its spec",
    },
    Foreign {
        places: &[GROUP],
        names: &["updateStrategy", "strategy"],
        remedy: "move its type to spec.updateStrategy, and its numbers to rollingUpdate of the scaling \
                 group",
    },
    Foreign {
        places: &["spec"],
        names: &["strategy"],
        remedy: "name it updateStrategy",
    },
    Foreign {
        places: &["spec.trainingSpec"],
        names: &["backoffLimit"],
        remedy: "name it maxRestarts, which counts restarts of whole replicas",
    },
    Foreign {
        places: &["spec"],
        names: &["backoffLimit"],
        remedy: "write it as spec.trainingSpec.maxRestarts, which counts restarts of whole replicas",
    },
    Foreign {
        places: &["spec.trainingSpec", "spec"],
        names: &["activeDeadlineSeconds"],
        remedy: "write it as spec.trainingSpec.maxRuntime, with a unit, such as 3600s",
    },
    Foreign {
        places: &["spec.trainingSpec", "spec"],
        names: &["ttlSecondsAfterFinished"],
        remedy: "write it as spec.trainingSpec.ttlAfterFinished, with a unit, such as 3600s",
    },
    Foreign {
        places: &["spec.template"],
        names: &["startupType"],
        remedy: "name it cliqueStartupType",
    },
    Foreign {
        places: &["spec"],
        names: &["startupType"],
        remedy: "write it as spec.template.cliqueStartupType",
    },
    Foreign {
        places: &[
            "spec.template.topologyConstraint",
            "spec.template.cliques.topologyConstraint",
            "spec.template.podCliqueScalingGroups.topologyConstraint",
            "spec.template.podCliqueScalingGroups.allReplicasTopologyConstraint",
        ],
        names: &["name"],
        remedy: "name it topologyName",
    },
    Foreign {
        places: &[GROUP],
        names: &["autoScalingConfig"],
        remedy: "name it scaleConfig",
    },
    Foreign {
        places: &[CLIQUE_SPEC],
        names: &["scaleConfig"],
        remedy: "name it autoScalingConfig",
    },
];

/// Our field for that name in the object at that path.
pub(super) fn remedy(path: &str, name: &str) -> Option<&'static str> {
    let place = without_indices(path);
    let is_it = |one: &&Foreign| one.places.contains(&place.as_str()) && one.names.contains(&name);
    FOREIGN.iter().find(is_it).map(|one| one.remedy)
}

fn without_indices(path: &str) -> String {
    let names = path.split('.');
    let names = names.map(|name| name.split_once('[').map_or(name, |(name, _)| name));
    names.collect::<Vec<_>>().join(".")
}
