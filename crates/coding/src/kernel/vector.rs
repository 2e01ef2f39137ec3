//! The two loops, for registers of any width.

use crate::packets::Packets;

/// A register full of elements of the field, and the instructions for it.
pub(super) trait Vector: Copy {
    /// Bytes; divides [`crate::packets::ALIGNMENT`].
    const WIDTH: usize;
    /// Registers of a source that are worked on at once: as many as leave room for the sums.
    const AT_ONCE: usize;
    /// A factor as the instructions want it.
    type Factor: Copy;
    /// A source, prepared for products with several factors.
    type Source: Copy;

    /// The factor.
    fn factor(value: u8) -> Self::Factor;
    /// # Safety
    /// As of all that follow: the machine has the instructions. `WIDTH` bytes can be read there.
    unsafe fn load(from: *const u8) -> Self;
    /// # Safety
    /// `WIDTH` bytes can be written there.
    unsafe fn store(self, to: *mut u8);
    /// # Safety
    /// The machine has the instructions.
    unsafe fn source(self) -> Self::Source;
    /// `self` + `factor`·`source`.
    ///
    /// # Safety
    /// The machine has the instructions.
    unsafe fn add_product(self, factor: Self::Factor, source: Self::Source) -> Self;
}

/// Outputs that are summed in registers while a source is read once.
const OUTPUTS: usize = 4;
/// Sources whose factors are prepared at a time, on the stack.
const SOURCES: usize = 64;

/// See [`super::Kernel::combine`].
///
/// # Safety
/// The machine has the instructions of `V`; packets are as long as they say, and there is a factor for each pair.
#[inline(always)]
pub(super) unsafe fn combine<V: Vector>(factors: &[u8], sources: Packets<&[u8]>, outputs: Packets<&mut [u8]>) {
    let (packets, size) = (sources.count, sources.size);
    for output in (0..outputs.count).step_by(OUTPUTS) {
        for first in (0..packets).step_by(SOURCES) {
            let factor = |row: usize, source: usize| factors[(output + row) * packets + first + source];
            let count = SOURCES.min(packets - first);
            // SAFETY: as the caller's; from `output` on there are as many outputs as are named.
            unsafe {
                let from = sources.bytes.as_ptr().add(first * size);
                let to = outputs.bytes.as_mut_ptr().add(output * size);
                match outputs.count - output {
                    1 => combine_group::<V, 1>(factor, from, count, to, size),
                    2 => combine_group::<V, 2>(factor, from, count, to, size),
                    3 => combine_group::<V, 3>(factor, from, count, to, size),
                    _ => combine_group::<V, 4>(factor, from, count, to, size),
                }
            }
        }
    }
}

/// Adds to `N` outputs what `packets` sources, at most [`SOURCES`], give.
///
/// # Safety
/// As of [`combine`]; there are as many sources and outputs from there on.
#[inline(always)]
unsafe fn combine_group<V: Vector, const N: usize>(
    factor: impl Fn(usize, usize) -> u8,
    sources: *const u8,
    packets: usize,
    outputs: *mut u8,
    size: usize,
) {
    let mut factors = [[V::factor(0); N]; SOURCES];
    for (source, factors) in factors[..packets].iter_mut().enumerate() {
        for (output, prepared) in factors.iter_mut().enumerate() {
            *prepared = V::factor(factor(output, source));
        }
    }
    let factors = &factors[..packets];
    let mut at = 0;
    // SAFETY: as the caller's; every step ends within `size`.
    unsafe {
        if V::AT_ONCE == 2 {
            while at + 2 * V::WIDTH <= size {
                combine_step::<V, N, 2>(factors, sources.add(at), outputs.add(at), size);
                at += 2 * V::WIDTH;
            }
        }
        while at < size {
            combine_step::<V, N, 1>(factors, sources.add(at), outputs.add(at), size);
            at += V::WIDTH;
        }
    }
}

/// `U` registers of every output.
///
/// # Safety
/// As of [`combine_group`]; `U` registers from `sources` and `outputs` on lie within a packet.
#[inline(always)]
unsafe fn combine_step<V: Vector, const N: usize, const U: usize>(
    factors: &[[V::Factor; N]],
    sources: *const u8,
    outputs: *mut u8,
    size: usize,
) {
    // SAFETY: as the caller's.
    unsafe {
        let place = |output: usize, unit: usize| outputs.add(output * size + unit * V::WIDTH);
        let mut sums = [[V::load(outputs); U]; N];
        for (output, sums) in sums.iter_mut().enumerate() {
            for (unit, sum) in sums.iter_mut().enumerate() {
                *sum = V::load(place(output, unit));
            }
        }
        for (at, factors) in factors.iter().enumerate() {
            for unit in 0..U {
                let source = V::load(sources.add(at * size + unit * V::WIDTH)).source();
                for (sums, &factor) in sums.iter_mut().zip(factors) {
                    sums[unit] = sums[unit].add_product(factor, source);
                }
            }
        }
        for (output, sums) in sums.iter().enumerate() {
            for (unit, sum) in sums.iter().enumerate() {
                sum.store(place(output, unit));
            }
        }
    }
}

/// See [`super::Kernel::spread`].
///
/// # Safety
/// The machine has the instructions of `V`; the length of `source` is a multiple of `V::WIDTH`, and `outputs` are as
/// many packets of that length as there are factors.
#[inline(always)]
pub(super) unsafe fn spread<V: Vector>(factors: &[u8], source: &[u8], outputs: &mut [u8]) {
    let size = source.len();
    for at in (0..size).step_by(V::WIDTH) {
        // SAFETY: as the caller's.
        unsafe {
            let part = V::load(source.as_ptr().add(at)).source();
            for (row, &factor) in factors.iter().enumerate() {
                let place = outputs.as_mut_ptr().add(row * size + at);
                V::load(place).add_product(V::factor(factor), part).store(place);
            }
        }
    }
}
