//! Look-up tables of the kernels, computed at compile time.

use crate::field::multiply;

/// c·b, a row each factor c.
pub(super) static PRODUCTS: [[u8; 256]; 256] = {
    let mut products = [[0; 256]; 256];
    let mut c = 0;
    while c < 256 {
        let mut b = 0;
        while b < 256 {
            products[c][b] = multiply(c as u8, b as u8);
            b += 1;
        }
        c += 1;
    }
    products
};

/// c·b for the sixteen low halves b of a byte, then for the sixteen high halves: their sum is the product.
#[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
pub(super) static HALVES: [[u8; 32]; 256] = {
    let mut halves = [[0; 32]; 256];
    let mut c = 0;
    while c < 256 {
        let mut half = 0;
        while half < 16 {
            halves[c][half] = multiply(c as u8, half as u8);
            halves[c][half + 16] = multiply(c as u8, (half << 4) as u8);
            half += 1;
        }
        c += 1;
    }
    halves
};

/// Multiplication by c as a matrix over GF(2), as GF2P8AFFINEQB reads it: byte 7 − i of the word is the row that bit i
/// of the product comes from, and bit j of that row says whether bit j of the other factor enters.
#[cfg(target_arch = "x86_64")]
pub(super) static MATRICES: [u64; 256] = {
    let mut matrices = [0; 256];
    let mut c = 0;
    while c < 256 {
        let mut j = 0;
        while j < 8 {
            let column = multiply(c as u8, 1 << j) as u64;
            let mut i = 0;
            while i < 8 {
                matrices[c] |= (column >> i & 1) << (8 * (7 - i) + j);
                i += 1;
            }
            j += 1;
        }
        c += 1;
    }
    matrices
};
