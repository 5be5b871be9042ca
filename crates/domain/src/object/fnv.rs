//! FNV-1a 64 and the alphabet that generated names and hashes are written in.

/// Consonants and digits that cannot form words or be mistaken for each other; the API server's
/// own alphabet for generated names.
pub const ALPHABET: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

/// FNV-1a over `bytes`, 64 bits.
pub fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The last `width` base-27 digits of `value`, most significant first.
pub fn encode(value: u64, width: usize) -> String {
    let mut rest = value;
    let mut digits: Vec<char> = (0..width)
        .map(|_| {
            let digit = usize::try_from(rest % 27).unwrap_or_default();
            rest /= 27;
            ALPHABET.get(digit).copied().map_or('b', char::from)
        })
        .collect();
    digits.reverse();
    digits.into_iter().collect()
}
