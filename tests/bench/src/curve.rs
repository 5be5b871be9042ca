//! Number of pods in each state over time.

use std::time::{Duration, Instant};

/// A chart does not show shorter intervals.
const STEP: Duration = Duration::from_millis(20);

/// Pods that are created, without a gate, and Ready.
pub type Counts = [u32; 3];

/// The counts in the order of time.
#[derive(Clone, Debug, Default)]
pub struct Curve(Vec<(Instant, Counts)>);

impl Curve {
    /// Adds the present counts. Among counts closer together than a step, the last one stays.
    pub fn add(&mut self, now: Instant, counts: Counts) {
        let is_close = |(before, _): &(Instant, Counts)| now.duration_since(*before) < STEP;
        if self.0.iter().nth_back(1).is_some_and(is_close) {
            self.0.pop();
        }
        self.0.push((now, counts));
    }

    /// Seconds since then, and the number of pods since then: `before` existed earlier.
    pub fn since(&self, began: Instant, before: u32) -> Vec<(f64, Counts)> {
        let later = self.0.iter().filter(|(at, _)| *at >= began);
        let points = later.map(|(at, counts)| {
            let counts = counts.map(|count| count.saturating_sub(before));
            (at.duration_since(began).as_secs_f64(), counts)
        });
        let zero = (0.0, [0; 3]);
        std::iter::once(zero).chain(points).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::Curve;

    #[test]
    fn keeps_the_first_and_the_last_of_close_counts() {
        let began = Instant::now();
        let mut curve = Curve::default();
        for i in 0..100 {
            curve.add(
                began + Duration::from_millis(i),
                [4 + u32::try_from(i).unwrap(), 4, 4],
            );
        }
        let points = curve.since(began, 4);
        assert!((6..=14).contains(&points.len()), "{points:?}");
        let (at, counts) = points[points.len() - 1];
        assert_eq!(
            (format!("{at:.3}"), counts),
            ("0.099".to_owned(), [99, 0, 0])
        );
    }
}
