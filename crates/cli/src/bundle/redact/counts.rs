//! Numbers of redacted values.

use std::fmt;
use std::ops::AddAssign;

use crate::output::count;

/// How many of each were taken out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Values of environment variables.
    pub env_values: usize,
    /// Arguments of containers that look like secrets.
    pub arguments: usize,
    /// Annotations, removed or replaced.
    pub annotations: usize,
    /// Entries of `managedFields`.
    pub managed_fields: usize,
    /// Text that looks like a secret elsewhere: in messages, log lines, headers of probes.
    pub others: usize,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, more: Self) {
        self.env_values += more.env_values;
        self.arguments += more.arguments;
        self.annotations += more.annotations;
        self.managed_fields += more.managed_fields;
        self.others += more.others;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = [
            (self.env_values, "environment value", ""),
            (self.arguments, "argument", ""),
            (self.annotations, "annotation", ""),
            (self.managed_fields, "record", " of managedFields"),
            (self.others, "other value", ""),
        ];
        let parts: Vec<String> = all
            .iter()
            .filter(|(number, ..)| *number > 0)
            .map(|(number, what, of)| count(*number, what) + of)
            .collect();
        let text = parts.join(", ");
        f.write_str(if text.is_empty() { "nothing" } else { &text })
    }
}
