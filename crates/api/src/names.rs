//! Every generated name (Grove, `operator/api/common/namegen.go`), and the way back.
//!
//! `i` is the index of the PodCliqueSet replica, `j` of the scaling group's replica, `k` of the
//! pod: decimal, from 0, without leading zeros.
//!
//! Names alone are ambiguous, because the names of sets, groups and cliques may contain hyphens and
//! digits. The way back therefore starts from the name of the parent. Possible clashes (Grove has
//! the same; only renaming helps):
//!
//! - a scaled gang with the base gang of another set: set `a` with group `sg` has `a-0-sg-1`, which
//!   is also replica 1 of set `a-0-sg`; likewise PodCliques and Services of such sets,
//! - a standalone clique `g-0-c` with the clique `c` of group `g`,
//! - the autoscalers of a clique and a group with the same name,
//! - the Service `<pcs>-<i>` with a Service of another owner.

/// Longest sum of the lengths of set, group and clique (Grove's webhook). With indices, hyphens
/// and the random part of a pod's name the rest stays below the 63 characters of a host name.
pub const MAX_COMBINED_LENGTH: usize = 45;

/// The sum that [`MAX_COMBINED_LENGTH`] limits, in bytes; `group` is `None` for a standalone
/// clique.
pub fn combined_length(pcs: &str, group: Option<&str>, clique: &str) -> usize {
    pcs.len() + group.map_or(0, str::len) + clique.len()
}

/// `<pcs>-<i>-<group>`
pub fn scaling_group(pcs: &str, i: i32, group: &str) -> String {
    format!("{pcs}-{i}-{group}")
}

/// The way back from [`scaling_group`]: `(i, group)`.
pub fn parts_of_scaling_group<'a>(pcs: &str, name: &'a str) -> Option<(i32, &'a str)> {
    index_and_rest(pcs, name)
}

/// `<pcs>-<i>-<clique>`
pub fn standalone_clique(pcs: &str, i: i32, clique: &str) -> String {
    format!("{pcs}-{i}-{clique}")
}

/// The way back from [`standalone_clique`]: `(i, clique)`. The name of a grouped clique gives a
/// "clique" `<group>-<j>-<clique>`: only the labels or the template tell the two apart.
pub fn parts_of_standalone_clique<'a>(pcs: &str, name: &'a str) -> Option<(i32, &'a str)> {
    index_and_rest(pcs, name)
}

/// `<pcs>-<i>-<group>-<j>-<clique>`, where `scaling_group` is `<pcs>-<i>-<group>`.
pub fn grouped_clique(scaling_group: &str, j: i32, clique: &str) -> String {
    format!("{scaling_group}-{j}-{clique}")
}

/// The way back from [`grouped_clique`]: `(j, clique)`.
pub fn parts_of_grouped_clique<'a>(scaling_group: &str, name: &'a str) -> Option<(i32, &'a str)> {
    index_and_rest(scaling_group, name)
}

/// `<pcs>-<i>`
pub fn base_gang(pcs: &str, i: i32) -> String {
    format!("{pcs}-{i}")
}

/// The way back from [`base_gang`]: `i`.
pub fn replica_of_base_gang(pcs: &str, name: &str) -> Option<i32> {
    index_after(pcs, name)
}

/// `<pcs>-<i>-<group>-<j - minAvailable>`, where `scaling_group` is `<pcs>-<i>-<group>`.
pub fn scaled_gang(scaling_group: &str, j: i32, min_available: i32) -> String {
    format!("{scaling_group}-{}", j - min_available)
}

/// The way back from [`scaled_gang`]: `j`.
pub fn replica_of_scaled_gang(scaling_group: &str, name: &str, min_available: i32) -> Option<i32> {
    index_after(scaling_group, name)?.checked_add(min_available)
}

/// The base gang `<pcs>-<i>` that a scaled gang `<pcs>-<i>-<group>-<k>` waits for; `None` for a
/// base gang.
pub fn base_of_scaled_gang(pcs: &str, name: &str) -> Option<String> {
    let (i, _) = index_and_rest(pcs, name)?;
    Some(base_gang(pcs, i))
}

/// `<pcs>-<i>-<group>-<j>`: a PodGang's topology constraint of one group replica.
pub fn group_constraint(scaling_group: &str, j: i32) -> String {
    format!("{scaling_group}-{j}")
}

/// `<podclique>-<k>`
pub fn hostname(podclique: &str, k: i32) -> String {
    format!("{podclique}-{k}")
}

/// The way back from [`hostname`]: `k`.
pub fn pod_index_of_hostname(podclique: &str, hostname: &str) -> Option<i32> {
    index_after(podclique, hostname)
}

/// `<pcs>-<i>`: the headless Service, also the pods' subdomain.
pub fn headless_service(pcs: &str, i: i32) -> String {
    format!("{pcs}-{i}")
}

/// The way back from [`headless_service`]: `i`.
pub fn replica_of_headless_service(pcs: &str, name: &str) -> Option<i32> {
    index_after(pcs, name)
}

/// `<pcs>-<i>.<namespace>.svc.cluster.local`
pub fn headless_service_address(pcs: &str, i: i32, namespace: &str) -> String {
    format!("{pcs}-{i}.{namespace}.svc.cluster.local")
}

/// `<owner>-all-<reference>`: the ResourceClaim of scope `AllReplicas`. The owner is the name of
/// the PodCliqueSet, PodCliqueScalingGroup or PodClique.
pub fn shared_claim(owner: &str, reference: &str) -> String {
    format!("{owner}-all-{reference}")
}

/// `<owner>-<index>-<reference>`: a ResourceClaim of scope `PerReplica`; the index is that of the
/// owner's replica (of the pod, for a PodClique).
pub fn replica_claim(owner: &str, index: i32, reference: &str) -> String {
    format!("{owner}-{index}-{reference}")
}

/// The way back from [`replica_claim`]: `(index, reference)`.
pub fn parts_of_replica_claim<'a>(owner: &str, name: &'a str) -> Option<(i32, &'a str)> {
    index_and_rest(owner, name)
}

/// `<pcs>-<i>-<mnnvl group>`: a ComputeDomain and its ResourceClaimTemplate.
pub fn compute_domain(pcs: &str, i: i32, mnnvl_group: &str) -> String {
    format!("{pcs}-{i}-{mnnvl_group}")
}

/// The way back from [`compute_domain`]: `(i, group)`.
pub fn parts_of_compute_domain<'a>(pcs: &str, name: &'a str) -> Option<(i32, &'a str)> {
    index_and_rest(pcs, name)
}

/// `<pcs>-<generation hash>`: the ControllerRevision of these pod templates. The set's name is cut
/// so that the whole has at most 253 characters.
pub fn revision(pcs: &str, generation_hash: &str) -> String {
    const LONGEST_SET: usize = 236;
    let set: String = pcs.chars().take(LONGEST_SET).collect();
    format!("{set}-{generation_hash}")
}

/// `k` of `<prefix>-<k>`.
fn index_after(prefix: &str, name: &str) -> Option<i32> {
    parse_index(name.strip_prefix(prefix)?.strip_prefix('-')?)
}

/// `(k, rest)` of `<prefix>-<k>-<rest>`.
fn index_and_rest<'a>(prefix: &str, name: &'a str) -> Option<(i32, &'a str)> {
    let (digits, rest) = name
        .strip_prefix(prefix)?
        .strip_prefix('-')?
        .split_once('-')?;
    Some((parse_index(digits)?, rest)).filter(|_| !rest.is_empty())
}

/// A number as the functions above write it: `+1` and `01` are not accepted.
fn parse_index(digits: &str) -> Option<i32> {
    let plain = digits.bytes().all(|b| b.is_ascii_digit());
    let canonical = digits == "0" || !digits.starts_with('0');
    (plain && canonical).then(|| digits.parse().ok()).flatten()
}
