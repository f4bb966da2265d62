//! The mixing step of structural hashes. They order commutative operands, so they must not depend on ids, on the
//! process or on the machine.

/// `value` folded into `hash`: the two halves of a 64×64 product, xored.
#[inline]
pub(crate) fn mix(hash: u64, value: u64) -> u64 {
    let a = hash ^ 0x9e37_79b9_7f4a_7c15;
    let b = value ^ 0xbf58_476d_1ce4_e5b9;
    let product = (a as u128).wrapping_mul(b as u128 | 1);
    (product as u64) ^ ((product >> 64) as u64) ^ hash.rotate_left(23) ^ value
}

pub(crate) fn hash_bytes(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(bytes.len() as u64, |hash, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mix(hash, u64::from_le_bytes(word))
    })
}
