//! Fields of a pod template by their names.

use serde_json::Value;

/// The values of a field below `value`, each with its path; a list on the way stands for each of its items.
pub(in crate::lint) fn values_at<'a>(
    value: &'a Value,
    at: &str,
    field: &str,
) -> Vec<(String, &'a Value)> {
    let (step, rest) = field.split_once('.').unwrap_or((field, ""));
    let at = format!("{at}.{step}");
    match value.get(step) {
        None => Vec::new(),
        Some(inner) if rest.is_empty() => vec![(at, inner)],
        Some(Value::Array(items)) => {
            let items = items.iter().enumerate();
            items
                .flat_map(|(i, item)| values_at(item, &format!("{at}[{i}]"), rest))
                .collect()
        }
        Some(inner) => values_at(inner, &at, rest),
    }
}
