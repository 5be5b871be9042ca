//! A few measurements of one figure.

/// The measurements, in the order of the runs.
#[derive(Clone, Debug, Default)]
pub struct Sample(Vec<f64>);

impl FromIterator<f64> for Sample {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl Sample {
    /// Their mean; 0 without measurements.
    pub fn mean(&self) -> f64 {
        let count = u32::try_from(self.0.len()).unwrap_or(u32::MAX).max(1);
        self.0.iter().sum::<f64>() / f64::from(count)
    }

    /// The largest; 0 without measurements.
    pub fn max(&self) -> f64 {
        self.0.iter().copied().fold(0.0, f64::max)
    }

    /// The value that this percentage of them does not exceed; 0 without measurements.
    pub fn percentile(&self, percent: usize) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let rank = (sorted.len() * percent).div_ceil(100).max(1);
        sorted.get(rank - 1).copied().unwrap_or_default()
    }

    /// Their number.
    pub fn count(&self) -> f64 {
        f64::from(u32::try_from(self.0.len()).unwrap_or(u32::MAX))
    }

    fn min(&self) -> f64 {
        self.0.iter().copied().fold(self.max(), f64::min)
    }

    /// Mean and, with several measurements, the least and the largest.
    pub fn show(&self) -> String {
        let (mean, min, max) = (self.mean(), self.min(), self.max());
        if self.0.len() < 2 {
            return format!("{mean:.2}");
        }
        format!("{mean:.2} ({min:.2}-{max:.2})")
    }
}

#[cfg(test)]
mod tests {
    use super::Sample;

    #[test]
    fn shows_mean_and_spread() {
        assert_eq!(
            Sample::from_iter([1.0, 2.0, 6.0]).show(),
            "3.00 (1.00-6.00)"
        );
        assert_eq!(Sample::from_iter([1.5]).show(), "1.50");
    }

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let sample: Sample = (1..=40_u8).rev().map(f64::from).collect();
        let of = |percent| sample.percentile(percent).to_string();
        assert_eq!([of(50), of(97), of(99), of(100)], ["20", "39", "40", "40"]);
        assert_eq!(Sample::default().percentile(99).to_string(), "0");
    }
}
