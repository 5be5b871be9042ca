//! Every generated name (Grove, `operator/api/common/namegen.go`).
//!
//! `i` is the index of the PodCliqueSet replica, `j` of the scaling group's replica, `k` of the pod.

/// `<pcs>-<i>-<group>`
pub fn scaling_group(pcs: &str, i: i32, group: &str) -> String {
    format!("{pcs}-{i}-{group}")
}

/// `<pcs>-<i>-<clique>`
pub fn standalone_clique(pcs: &str, i: i32, clique: &str) -> String {
    format!("{pcs}-{i}-{clique}")
}

/// `<pcs>-<i>-<group>-<j>-<clique>`, where `scaling_group` is `<pcs>-<i>-<group>`.
pub fn grouped_clique(scaling_group: &str, j: i32, clique: &str) -> String {
    format!("{scaling_group}-{j}-{clique}")
}

/// `<pcs>-<i>`
pub fn base_gang(pcs: &str, i: i32) -> String {
    format!("{pcs}-{i}")
}

/// `<pcs>-<i>-<group>-<j - minAvailable>`, where `scaling_group` is `<pcs>-<i>-<group>`.
pub fn scaled_gang(scaling_group: &str, j: i32, min_available: i32) -> String {
    format!("{scaling_group}-{}", j - min_available)
}

/// `<podclique>-<k>`
pub fn hostname(podclique: &str, k: i32) -> String {
    format!("{podclique}-{k}")
}

/// `<pcs>-<i>`: the headless Service, also the pods' subdomain.
pub fn headless_service(pcs: &str, i: i32) -> String {
    format!("{pcs}-{i}")
}

/// `<pcs>-<i>.<namespace>.svc.cluster.local`
pub fn headless_service_address(pcs: &str, i: i32, namespace: &str) -> String {
    format!("{pcs}-{i}.{namespace}.svc.cluster.local")
}

/// `<pcs>`
pub fn service_account(pcs: &str) -> String {
    pcs.to_owned()
}

/// `grove.io:pcs:<pcs>`: Role and RoleBinding.
pub fn role(pcs: &str) -> String {
    format!("grove.io:pcs:{pcs}")
}

/// `grove.io-pcs-<pcs>`: value of the name label of Role and RoleBinding, where a colon is not
/// allowed.
pub fn role_label(pcs: &str) -> String {
    format!("grove.io-pcs-{pcs}")
}
