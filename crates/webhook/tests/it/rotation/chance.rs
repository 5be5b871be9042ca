//! Random choices from a seed.

/// A seeded sequence (splitmix64).
pub struct Chance(pub u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, limit: i64) -> i64 {
        i64::try_from(self.next() % u64::try_from(limit).unwrap()).unwrap()
    }

    pub fn one_in(&mut self, many: i64) -> bool {
        self.below(many) == 0
    }

    /// Mostly the longest lag: otherwise every process would soon know everything.
    pub fn lag(&mut self, longest: i64) -> i64 {
        if self.one_in(100) {
            return self.below(longest + 1);
        }
        longest
    }

    /// How far a clock is ahead: up to that much, either way.
    pub fn skew(&mut self, most: i64) -> i64 {
        self.below(2 * most + 1) - most
    }
}
