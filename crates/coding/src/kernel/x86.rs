//! x86-64: the affine instruction of GFNI, or two table look-ups of half a byte each.

use super::tables::{HALVES, MATRICES};
use super::vector::{self, Vector};
use crate::packets::Packets;
use std::arch::x86_64::*;

/// The two loops for one kind of register, compiled for its instructions.
macro_rules! kernel {
    ($vector:ty, $features:literal, $combine:ident, $spread:ident) => {
        /// # Safety
        /// As of [`vector::combine`].
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $combine(factors: &[u8], sources: Packets<&[u8]>, outputs: Packets<&mut [u8]>) {
            // SAFETY: as the caller's.
            unsafe { vector::combine::<$vector>(factors, sources, outputs) }
        }

        /// # Safety
        /// As of [`vector::spread`].
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $spread(factors: &[u8], source: &[u8], outputs: &mut [u8]) {
            // SAFETY: as the caller's.
            unsafe { vector::spread::<$vector>(factors, source, outputs) }
        }
    };
}

kernel!(Gfni512, "gfni,avx512f", combine_gfni512, spread_gfni512);
kernel!(Gfni256, "gfni,avx2", combine_gfni256, spread_gfni256);
kernel!(Avx2, "avx2", combine_avx2, spread_avx2);
kernel!(Ssse3, "ssse3", combine_ssse3, spread_ssse3);

/// Loads and stores of [`Vector`] by these instructions.
macro_rules! moves {
    ($load:ident, $store:ident) => {
        #[inline(always)]
        unsafe fn load(from: *const u8) -> Self {
            // SAFETY: as the caller's.
            unsafe { Self($load(from.cast())) }
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut u8) {
            // SAFETY: as the caller's.
            unsafe { $store(to.cast(), self.0) }
        }
    };
}

/// 64 bytes.
#[derive(Clone, Copy)]
pub(super) struct Gfni512(__m512i);

impl Vector for Gfni512 {
    const WIDTH: usize = 64;
    const AT_ONCE: usize = 2;
    type Factor = u64;
    type Source = __m512i;

    #[inline(always)]
    fn factor(value: u8) -> u64 {
        MATRICES[usize::from(value)]
    }

    moves!(_mm512_loadu_si512, _mm512_storeu_si512);

    #[inline(always)]
    unsafe fn source(self) -> __m512i {
        self.0
    }

    #[inline(always)]
    unsafe fn add_product(self, factor: u64, source: __m512i) -> Self {
        // SAFETY: as the caller's.
        unsafe {
            let product = _mm512_gf2p8affine_epi64_epi8(source, _mm512_set1_epi64(factor as i64), 0);
            Self(_mm512_xor_si512(self.0, product))
        }
    }
}

/// 32 bytes.
#[derive(Clone, Copy)]
pub(super) struct Gfni256(__m256i);

impl Vector for Gfni256 {
    const WIDTH: usize = 32;
    const AT_ONCE: usize = 2;
    type Factor = u64;
    type Source = __m256i;

    #[inline(always)]
    fn factor(value: u8) -> u64 {
        MATRICES[usize::from(value)]
    }

    moves!(_mm256_loadu_si256, _mm256_storeu_si256);

    #[inline(always)]
    unsafe fn source(self) -> __m256i {
        self.0
    }

    #[inline(always)]
    unsafe fn add_product(self, factor: u64, source: __m256i) -> Self {
        // SAFETY: as the caller's.
        unsafe {
            let product = _mm256_gf2p8affine_epi64_epi8(source, _mm256_set1_epi64x(factor as i64), 0);
            Self(_mm256_xor_si256(self.0, product))
        }
    }
}

/// 32 bytes.
#[derive(Clone, Copy)]
pub(super) struct Avx2(__m256i);

impl Vector for Avx2 {
    const WIDTH: usize = 32;
    const AT_ONCE: usize = 1;
    type Factor = &'static [u8; 32];
    /// The low halves of the bytes, and the high ones.
    type Source = [__m256i; 2];

    #[inline(always)]
    fn factor(value: u8) -> &'static [u8; 32] {
        &HALVES[usize::from(value)]
    }

    moves!(_mm256_loadu_si256, _mm256_storeu_si256);

    #[inline(always)]
    unsafe fn source(self) -> [__m256i; 2] {
        // SAFETY: as the caller's.
        unsafe {
            let low = _mm256_set1_epi8(0x0F);
            [_mm256_and_si256(self.0, low), _mm256_and_si256(_mm256_srli_epi64(self.0, 4), low)]
        }
    }

    #[inline(always)]
    unsafe fn add_product(self, factor: &'static [u8; 32], [low, high]: [__m256i; 2]) -> Self {
        // SAFETY: as the caller's; a factor has two tables of 16 bytes.
        unsafe {
            let table = |at| _mm256_broadcastsi128_si256(_mm_loadu_si128(factor.as_ptr().add(at).cast()));
            let product = _mm256_xor_si256(_mm256_shuffle_epi8(table(0), low), _mm256_shuffle_epi8(table(16), high));
            Self(_mm256_xor_si256(self.0, product))
        }
    }
}

/// 16 bytes.
#[derive(Clone, Copy)]
pub(super) struct Ssse3(__m128i);

impl Vector for Ssse3 {
    const WIDTH: usize = 16;
    const AT_ONCE: usize = 1;
    type Factor = &'static [u8; 32];
    /// The low halves of the bytes, and the high ones.
    type Source = [__m128i; 2];

    #[inline(always)]
    fn factor(value: u8) -> &'static [u8; 32] {
        &HALVES[usize::from(value)]
    }

    moves!(_mm_loadu_si128, _mm_storeu_si128);

    #[inline(always)]
    unsafe fn source(self) -> [__m128i; 2] {
        // SAFETY: as the caller's.
        unsafe {
            let low = _mm_set1_epi8(0x0F);
            [_mm_and_si128(self.0, low), _mm_and_si128(_mm_srli_epi64(self.0, 4), low)]
        }
    }

    #[inline(always)]
    unsafe fn add_product(self, factor: &'static [u8; 32], [low, high]: [__m128i; 2]) -> Self {
        // SAFETY: as the caller's; a factor has two tables of 16 bytes.
        unsafe {
            let table = |at| _mm_loadu_si128(factor.as_ptr().add(at).cast());
            let product = _mm_xor_si128(_mm_shuffle_epi8(table(0), low), _mm_shuffle_epi8(table(16), high));
            Self(_mm_xor_si128(self.0, product))
        }
    }
}
