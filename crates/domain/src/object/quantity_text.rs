//! Amounts in the notation of Kubernetes: `3500m`, `16Gi`, `8`.

/// An amount of the resource's smallest unit: thousandths of a CPU, bytes, pieces.
pub fn write_amount(resource: &str, amount: impl Into<i128>) -> String {
    let amount = amount.into();
    match resource {
        "cpu" if amount % 1000 == 0 => (amount / 1000).to_string(),
        "cpu" => format!("{amount}m"),
        _ if is_bytes(resource) => write_bytes(amount),
        _ => amount.to_string(),
    }
}

/// Billionths of the resource's smallest unit.
pub fn smallest_unit(resource: &str) -> i128 {
    if resource == "cpu" {
        1_000_000
    } else {
        1_000_000_000
    }
}

fn is_bytes(resource: &str) -> bool {
    ["memory", "ephemeral-storage"].contains(&resource) || resource.starts_with("hugepages-")
}

fn write_bytes(bytes: i128) -> String {
    const UNITS: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    let (mut amount, mut unit) = (bytes, 0);
    while amount != 0 && amount % 1024 == 0 && unit + 1 < UNITS.len() {
        amount /= 1024;
        unit += 1;
    }
    format!("{amount}{}", UNITS.get(unit).unwrap_or(&""))
}
