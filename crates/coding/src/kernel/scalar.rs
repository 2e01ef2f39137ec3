//! Multiplication by table, byte after byte: for any machine, and the reference for the other kernels.

use super::tables::PRODUCTS;
use crate::packets::Packets;

/// See [`super::Kernel::combine`].
pub(super) fn combine(factors: &[u8], sources: Packets<&[u8]>, outputs: Packets<&mut [u8]>) {
    for (output, factors) in outputs.bytes.chunks_exact_mut(outputs.size).zip(factors.chunks_exact(sources.count)) {
        for (source, &factor) in sources.bytes.chunks_exact(sources.size).zip(factors) {
            add_product(factor, source, output);
        }
    }
}

/// See [`super::Kernel::spread`].
pub(super) fn spread(factors: &[u8], source: &[u8], outputs: &mut [u8]) {
    for (output, &factor) in outputs.chunks_exact_mut(source.len()).zip(factors) {
        add_product(factor, source, output);
    }
}

fn add_product(factor: u8, source: &[u8], output: &mut [u8]) {
    let products = &PRODUCTS[usize::from(factor)];
    output.iter_mut().zip(source).for_each(|(sum, &byte)| *sum ^= products[usize::from(byte)]);
}
