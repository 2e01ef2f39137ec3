//! Arm, 64 bits: two table look-ups of half a byte each. Every such processor has the instructions.

use super::tables::HALVES;
use super::vector::Vector;
use std::arch::aarch64::*;

/// 16 bytes.
#[derive(Clone, Copy)]
pub(super) struct Neon(uint8x16_t);

impl Vector for Neon {
    const WIDTH: usize = 16;
    const AT_ONCE: usize = 2;
    type Factor = &'static [u8; 32];
    /// The low halves of the bytes, and the high ones.
    type Source = [uint8x16_t; 2];

    #[inline(always)]
    fn factor(value: u8) -> &'static [u8; 32] {
        &HALVES[usize::from(value)]
    }

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: as the caller's.
        unsafe { Self(vld1q_u8(from)) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: as the caller's.
        unsafe { vst1q_u8(to, self.0) }
    }

    #[inline(always)]
    unsafe fn source(self) -> [uint8x16_t; 2] {
        // SAFETY: as the caller's.
        unsafe { [vandq_u8(self.0, vdupq_n_u8(0x0F)), vshrq_n_u8::<4>(self.0)] }
    }

    #[inline(always)]
    unsafe fn add_product(self, factor: &'static [u8; 32], [low, high]: [uint8x16_t; 2]) -> Self {
        // SAFETY: as the caller's; a factor has two tables of 16 bytes.
        unsafe {
            let table = |at| vld1q_u8(factor.as_ptr().add(at));
            let product = veorq_u8(vqtbl1q_u8(table(0), low), vqtbl1q_u8(table(16), high));
            Self(veorq_u8(self.0, product))
        }
    }
}
