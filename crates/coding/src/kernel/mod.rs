//! Products and sums of whole packets, by the best instructions that the machine has.

#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
mod tables;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod vector;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::packets::{ALIGNMENT, Packets};

/// The instructions by which packets are combined; all give the same bytes. Only those that the machine has can be
/// named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel(Instructions);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Instructions {
    /// GFNI on registers of 512 bits (Intel since Ice Lake, AMD since Zen 4).
    #[cfg(target_arch = "x86_64")]
    Gfni512,
    /// GFNI on registers of 256 bits.
    #[cfg(target_arch = "x86_64")]
    Gfni256,
    /// Table look-ups in registers of 256 bits.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Table look-ups in registers of 128 bits.
    #[cfg(target_arch = "x86_64")]
    Ssse3,
    /// Table look-ups in registers of 128 bits.
    #[cfg(target_arch = "aarch64")]
    Neon,
    /// A table, byte after byte.
    Scalar,
}

impl Kernel {
    /// All that this machine can run, the fastest first.
    pub fn available() -> Vec<Self> {
        let mut found = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            found.extend((has!("gfni") && has!("avx512f")).then_some(Instructions::Gfni512));
            found.extend((has!("gfni") && has!("avx2")).then_some(Instructions::Gfni256));
            found.extend(has!("avx2").then_some(Instructions::Avx2));
            found.extend(has!("ssse3").then_some(Instructions::Ssse3));
        }
        #[cfg(target_arch = "aarch64")]
        found.push(Instructions::Neon);
        found.push(Instructions::Scalar);
        found.into_iter().map(Self).collect()
    }

    /// The fastest that this machine can run.
    pub fn best() -> Self {
        Self::available()[0]
    }

    /// Its name in lower case, such as `gfni512`.
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Instructions::Gfni512 => "gfni512",
            #[cfg(target_arch = "x86_64")]
            Instructions::Gfni256 => "gfni256",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Instructions::Ssse3 => "ssse3",
            #[cfg(target_arch = "aarch64")]
            Instructions::Neon => "neon",
            Instructions::Scalar => "scalar",
        }
    }

    /// Adds to output o the sum of f(o, s)·source s over all sources; `factors` has a row for each output.
    pub(crate) fn combine(self, factors: &[u8], sources: Packets<&[u8]>, outputs: Packets<&mut [u8]>) {
        let size = sources.size;
        let is_whole = size.is_multiple_of(ALIGNMENT) && sources.bytes.len() == sources.count * size;
        let fits = outputs.size == size && outputs.bytes.len() == outputs.count * size;
        assert!(is_whole && fits && factors.len() == sources.count * outputs.count, "{sources:?}, {outputs:?}");
        if factors.is_empty() {
            return;
        }
        // Kernels come from `available` alone: the machine has their instructions.
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the machine has GFNI and AVX-512, and the lengths fit.
            Instructions::Gfni512 => unsafe { x86::combine_gfni512(factors, sources, outputs) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the machine has GFNI and AVX2, and the lengths fit.
            Instructions::Gfni256 => unsafe { x86::combine_gfni256(factors, sources, outputs) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the machine has AVX2, and the lengths fit.
            Instructions::Avx2 => unsafe { x86::combine_avx2(factors, sources, outputs) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the machine has SSSE3, and the lengths fit.
            Instructions::Ssse3 => unsafe { x86::combine_ssse3(factors, sources, outputs) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: the machine has NEON, and the lengths fit.
            Instructions::Neon => unsafe { vector::combine::<neon::Neon>(factors, sources, outputs) },
            Instructions::Scalar => scalar::combine(factors, sources, outputs),
        }
    }

    /// Adds f(o)·`source` to output o. Outputs are packets as long as the source one after the other, a multiple of
    /// [`ALIGNMENT`].
    pub(crate) fn spread(self, factors: &[u8], source: &[u8], outputs: &mut [u8]) {
        let is_whole = source.len().is_multiple_of(ALIGNMENT) && outputs.len() == factors.len() * source.len();
        assert!(is_whole, "{} factors for {} bytes in parts of {}", factors.len(), outputs.len(), source.len());
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the machine has GFNI and AVX-512, and the lengths fit.
            Instructions::Gfni512 => unsafe { x86::spread_gfni512(factors, source, outputs) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the machine has GFNI and AVX2, and the lengths fit.
            Instructions::Gfni256 => unsafe { x86::spread_gfni256(factors, source, outputs) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the machine has AVX2, and the lengths fit.
            Instructions::Avx2 => unsafe { x86::spread_avx2(factors, source, outputs) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the machine has SSSE3, and the lengths fit.
            Instructions::Ssse3 => unsafe { x86::spread_ssse3(factors, source, outputs) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: the machine has NEON, and the lengths fit.
            Instructions::Neon => unsafe { vector::spread::<neon::Neon>(factors, source, outputs) },
            Instructions::Scalar => scalar::spread(factors, source, outputs),
        }
    }
}
