//! A few measurements of one thing.

/// What was measured, in the order of the runs.
#[derive(Clone, Debug, Default)]
pub struct Sample(Vec<f64>);

impl FromIterator<f64> for Sample {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl Sample {
    /// Their mean; 0 of none.
    pub fn mean(&self) -> f64 {
        let count = u32::try_from(self.0.len()).unwrap_or(u32::MAX).max(1);
        self.0.iter().sum::<f64>() / f64::from(count)
    }

    /// The largest; 0 of none.
    pub fn max(&self) -> f64 {
        self.0.iter().copied().fold(0.0, f64::max)
    }

    fn min(&self) -> f64 {
        self.0.iter().copied().fold(self.max(), f64::min)
    }

    /// Mean and, of several, the least and the largest.
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
}
