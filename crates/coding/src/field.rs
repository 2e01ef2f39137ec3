//! GF(2⁸): bytes as polynomials over GF(2), modulo [`POLYNOMIAL`]. Sums are exclusive or.

/// x⁸ + x⁴ + x³ + x² + 1, primitive: x generates the 255 elements that are not zero. ISA-L's.
pub const POLYNOMIAL: u16 = 0x11D;

/// a·b, bit by bit.
pub const fn multiply(a: u8, b: u8) -> u8 {
    let (mut shifted, mut product, mut bit) = (a as u16, 0, 0);
    while bit < 8 {
        if b >> bit & 1 == 1 {
            product ^= shifted;
        }
        shifted <<= 1;
        if shifted > 0xFF {
            shifted ^= POLYNOMIAL;
        }
        bit += 1;
    }
    product as u8
}

/// 1/a: a²⁵⁴; of zero, zero.
pub const fn inverse(a: u8) -> u8 {
    INVERSES[a as usize]
}

const INVERSES: [u8; 256] = {
    let mut inverses = [0; 256];
    let mut a = 1;
    while a < 256 {
        // 254 = 2 + 4 + … + 128.
        let (mut power, mut inverse, mut square) = (a as u8, 1, 0);
        while square < 7 {
            power = multiply(power, power);
            inverse = multiply(inverse, power);
            square += 1;
        }
        inverses[a] = inverse;
        a += 1;
    }
    inverses
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_products() {
        // x⁷·x = x⁸ = x⁴ + x³ + x² + 1.
        assert_eq!(multiply(0x80, 2), 0x1D);
        assert_eq!(multiply(0, 7), 0);
        assert_eq!(multiply(1, 0xAB), 0xAB);
        // (x + 1)² = x² + 1.
        assert_eq!(multiply(3, 3), 5);
    }

    #[test]
    fn it_is_a_field() {
        for a in 0..=255 {
            for b in 0..=255 {
                assert_eq!(multiply(a, b), multiply(b, a));
                assert_eq!(multiply(a ^ 0x5A, b), multiply(a, b) ^ multiply(0x5A, b));
                assert_eq!(multiply(multiply(a, b), 0x8E), multiply(a, multiply(b, 0x8E)));
            }
            assert_eq!(multiply(a, inverse(a)), u8::from(a != 0));
        }
    }

    #[test]
    fn x_generates_it() {
        let (mut power, mut order) = (2, 1);
        while power != 1 {
            power = multiply(power, 2);
            order += 1;
        }
        assert_eq!(order, 255);
    }
}
