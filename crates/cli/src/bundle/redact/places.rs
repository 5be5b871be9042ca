//! Places whose contents are secrets, however they look.

use api::labels::{env, operator_env};
use serde_json::{Map, Value};

use super::counts::Counts;
use super::{REDACTED, Redaction, fields};

/// Environment variables that an operator of this API sets: names and numbers of objects.
const OUR_VARIABLES: [&str; 12] = [
    env::PCS_NAME,
    env::PCS_INDEX,
    env::PCLQ_NAME,
    env::HEADLESS_SERVICE,
    env::PCLQ_POD_INDEX,
    env::ATTEMPT,
    env::PCSG_NAME,
    env::PCSG_TEMPLATE_NUM_PODS,
    env::PCSG_INDEX,
    env::PCSG_POD_INDEX,
    operator_env::INIT_CONTAINER_IMAGE,
    operator_env::SERVICE_ACCOUNT_NAME,
];

impl Redaction<'_> {
    /// A list of names and values, or, in kinds that are not Kubernetes' own, a map.
    pub(super) fn visit_env(&mut self, env: &mut Value) {
        match env {
            Value::Array(list) => list.iter_mut().for_each(|entry| self.visit_variable(entry)),
            Value::Object(map) => hide_all(map, &mut self.counts.env_values),
            other => self.counts.env_values += hide(other),
        }
    }

    fn visit_variable(&mut self, entry: &mut Value) {
        let Value::Object(entry) = entry else {
            self.counts.env_values += hide(entry);
            return;
        };
        let name = entry.get("name").and_then(Value::as_str);
        let is_ours = name.is_some_and(|name| OUR_VARIABLES.contains(&name));
        for (key, value) in entry {
            let is_name = is_ours && value.as_str().is_some_and(fields::is_name);
            match &**key {
                "value" if is_name => (),
                "value" => self.counts.env_values += hide(value),
                key => self.visit(key, value),
            }
        }
    }
}

/// Headers of a probe; their names stay.
pub fn hide_headers(headers: &mut [Value], counts: &mut Counts) {
    headers
        .iter_mut()
        .filter_map(|h| h.get_mut("value"))
        .for_each(|value| counts.others += hide(value));
}

/// Every value of a map; its names stay.
pub fn hide_all(map: &mut Map<String, Value>, count: &mut usize) {
    map.values_mut().for_each(|value| *count += hide(value));
}

/// Returns 1, or 0 if there was nothing to hide.
pub fn hide(value: &mut Value) -> usize {
    let is_empty = value.is_null() || value == "" || value == REDACTED;
    if !is_empty {
        *value = Value::from(REDACTED);
    }
    usize::from(!is_empty)
}
