//! Names and the way back.

use api::names::*;
use proptest::prelude::*;

#[test]
fn the_names_of_one_set() {
    assert_eq!(scaling_group("llm", 1, "decode"), "llm-1-decode");
    assert_eq!(standalone_clique("llm", 1, "router"), "llm-1-router");
    assert_eq!(
        grouped_clique("llm-1-decode", 2, "leader"),
        "llm-1-decode-2-leader"
    );
    assert_eq!(base_gang("llm", 1), "llm-1");
    assert_eq!(scaled_gang("llm-1-decode", 3, 2), "llm-1-decode-1");
    assert_eq!(group_constraint("llm-1-decode", 3), "llm-1-decode-3");
    assert_eq!(hostname("llm-1-router", 0), "llm-1-router-0");
    assert_eq!(
        headless_service_address("llm", 1, "ml"),
        "llm-1.ml.svc.cluster.local"
    );
    assert_eq!(shared_claim("llm-1-router", "gpu"), "llm-1-router-all-gpu");
    assert_eq!(
        replica_claim("llm-1-router", 3, "gpu"),
        "llm-1-router-3-gpu"
    );
    assert_eq!(compute_domain("llm", 1, "nvl"), "llm-1-nvl");
    let parts = parts_of_compute_domain("llm", "llm-1-nvl");
    assert_eq!(parts, Some((1, "nvl")));
    assert_eq!(
        parts_of_compute_domain("llm", "llm-2-1-nvl-x").map(|p| p.0),
        Some(2)
    );
    assert_eq!(parts_of_compute_domain("other", "llm-1-nvl"), None);
}

#[test]
fn indices_are_decimal_without_padding() {
    assert_eq!(pod_index_of_hostname("a-0-b", "a-0-b-10"), Some(10));
    for other in [
        "a-0-b-01",
        "a-0-b-+1",
        "a-0-b-",
        "a-0-b",
        "a-0-bc-1",
        "a-0-b-1-2",
        "a-0-b--1",
    ] {
        assert_eq!(pod_index_of_hostname("a-0-b", other), None, "{other}");
    }
    assert_eq!(pod_index_of_hostname("a-0-b", "a-0-b-99999999999"), None);
}

#[test]
fn combined_lengths() {
    assert_eq!(combined_length("llm", None, "router"), 9);
    assert_eq!(combined_length("llm", Some("decode"), "leader"), 15);
    // The longest allowed names with two-digit indices still fit into host names.
    let (pcs, group, clique) = ("p".repeat(15), "g".repeat(15), "c".repeat(15));
    assert_eq!(
        combined_length(&pcs, Some(&group), &clique),
        MAX_COMBINED_LENGTH
    );
    let name = grouped_clique(&scaling_group(&pcs, 99, &group), 99, &clique);
    assert!(hostname(&name, 99).len() <= 63);
}

/// Grove has the same clashes (`names` documents them): the inverse functions need the name of the
/// parent.
#[test]
fn known_clashes() {
    assert_eq!(
        scaled_gang(&scaling_group("a", 0, "sg"), 2, 1),
        base_gang("a-0-sg", 1)
    );
    assert_eq!(
        standalone_clique("a", 0, "g-0-c"),
        grouped_clique(&scaling_group("a", 0, "g"), 0, "c")
    );
}

const NAME: &str = "[a-z][a-z0-9]{0,5}(-[a-z0-9]{1,4}){0,2}";
const PLAIN: &str = "[a-z]{1,6}";

proptest! {
    #[test]
    fn inverses_hold(pcs in NAME, part in NAME, clique in NAME, i in 0..200_i32, j in 0..200_i32, min in 0..9_i32) {
        let group = scaling_group(&pcs, i, &part);
        prop_assert_eq!(parts_of_scaling_group(&pcs, &group), Some((i, part.as_str())));
        let standalone = standalone_clique(&pcs, i, &clique);
        prop_assert_eq!(parts_of_standalone_clique(&pcs, &standalone), Some((i, clique.as_str())));
        let grouped = grouped_clique(&group, j, &clique);
        prop_assert_eq!(parts_of_grouped_clique(&group, &grouped), Some((j, clique.as_str())));
        prop_assert_eq!(replica_of_base_gang(&pcs, &base_gang(&pcs, i)), Some(i));
        prop_assert_eq!(replica_of_headless_service(&pcs, &headless_service(&pcs, i)), Some(i));
        let scaled = scaled_gang(&group, j + min, min);
        prop_assert_eq!(replica_of_scaled_gang(&group, &scaled, min), Some(j + min));
        prop_assert_eq!(base_of_scaled_gang(&pcs, &scaled), Some(base_gang(&pcs, i)));
        prop_assert_eq!(base_of_scaled_gang(&pcs, &base_gang(&pcs, i)), None);
        prop_assert_eq!(pod_index_of_hostname(&grouped, &hostname(&grouped, j)), Some(j));
        let claim = replica_claim(&group, j, &part);
        prop_assert_eq!(parts_of_replica_claim(&group, &claim), Some((j, part.as_str())));
    }

    /// Without hyphens and digits in users' names, two objects never share a name.
    #[test]
    fn plain_names_never_clash(
        a in (PLAIN, 0..30_i32, PLAIN, 0..30_i32, PLAIN),
        b in (PLAIN, 0..30_i32, PLAIN, 0..30_i32, PLAIN),
    ) {
        let names = |(pcs, i, group, j, clique): &(String, i32, String, i32, String)| {
            let group_name = scaling_group(pcs, *i, group);
            let grouped = grouped_clique(&group_name, *j, clique);
            (grouped, standalone_clique(pcs, *i, clique), scaled_gang(&group_name, *j, 0), group_name)
        };
        let (x, y) = (names(&a), names(&b));
        prop_assert_eq!(x.0 == y.0, a == b);
        prop_assert_eq!(x.1 == y.1, (&a.0, a.1, &a.4) == (&b.0, b.1, &b.4));
        prop_assert_eq!(x.2 == y.2, (&a.0, a.1, &a.2, a.3) == (&b.0, b.1, &b.2, b.3));
        prop_assert_eq!(x.3 == y.3, (&a.0, a.1, &a.2) == (&b.0, b.1, &b.2));
    }
}
