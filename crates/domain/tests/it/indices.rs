//! Sets of indices as text.

use std::collections::BTreeSet;

use domain::object::indices::{format, parse};
use proptest::prelude::*;
use rstest::rstest;

#[rstest]
#[case("", &[])]
#[case("0", &[0])]
#[case("0-3,5", &[0, 1, 2, 3, 5])]
#[case("1,2, 4", &[1, 2, 4])]
#[case("3-1", &[])]
#[case("x,7,-2,9999999999", &[7])]
#[case("0-2000000000", &[])]
fn reads(#[case] text: &str, #[case] indices: &[i32]) {
    assert_eq!(parse(text), indices.iter().copied().collect());
}

#[test]
fn writes_the_shortest_text() {
    assert_eq!(format(&[0, 1, 2, 3, 5, 7, 8].into()), "0-3,5,7-8");
    assert_eq!(format(&BTreeSet::new()), "");
}

proptest! {
    #[test]
    fn a_written_value_is_read(indices in prop::collection::btree_set(0..200_i32, 0..60)) {
        prop_assert_eq!(parse(&format(&indices)), indices);
    }
}
