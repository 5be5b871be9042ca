//! The operator's cost without that of the cluster that is simulated in the same thread.

use std::cell::Cell;
use std::pin::Pin;
use std::task::{Context, Poll};

use allocation_counter::{measure, opt_out};
use rustix::time::{ClockId, clock_gettime};

/// The cost of the operator.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Seconds of the processor.
    pub cpu: f64,
    /// Number of allocations.
    pub allocations: u64,
    /// Bytes more than before.
    pub bytes: i64,
    /// Bytes more than before, at most.
    pub peak: u64,
}

thread_local! {
    static OUTSIDE: Cell<f64> = const { Cell::new(0.0) };
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// The cost of this, without the parts that run [`outside`].
pub fn meter(run: impl FnOnce()) -> Cost {
    let (cpu, before) = (cpu(), OUTSIDE.get());
    let counted = measure(run);
    Cost {
        cpu: self::cpu() - cpu - (OUTSIDE.get() - before),
        allocations: counted.count_total,
        bytes: counted.bytes_current,
        peak: counted.bytes_max,
    }
}

/// Runs a part that does not belong to the operator.
pub fn outside<T>(act: impl FnOnce() -> T) -> T {
    let begin = (DEPTH.get() == 0).then(cpu);
    DEPTH.set(DEPTH.get() + 1);
    let mut result = None;
    opt_out(|| result = Some(act()));
    DEPTH.set(DEPTH.get() - 1);
    if let Some(begin) = begin {
        OUTSIDE.set(OUTSIDE.get() + cpu() - begin);
    }
    result.unwrap()
}

/// A future that does not belong to the operator.
pub struct Outside<F: Future>(Option<Pin<Box<F>>>);

impl<F: Future> Outside<F> {
    pub fn new(make: impl FnOnce() -> F) -> Self {
        Self(Some(outside(|| Box::pin(make()))))
    }
}

impl<F: Future> Future for Outside<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let future = self.0.as_mut().unwrap();
        outside(|| future.as_mut().poll(context))
    }
}

impl<F: Future> Drop for Outside<F> {
    fn drop(&mut self) {
        outside(|| drop(self.0.take()));
    }
}

/// Processor seconds of this thread.
fn cpu() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    let [seconds, nanos] = [now.tv_sec, now.tv_nsec].map(|part| i32::try_from(part).unwrap());
    f64::from(seconds) + f64::from(nanos) / 1e9
}
