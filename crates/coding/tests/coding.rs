//! Blocks through encoder, recoder and decoder; the kernels against the field's own multiplication.

use proptest::prelude::*;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use windward_coding::field::multiply;
use windward_coding::{Decoder, Encoder, Error, Kernel, MOST_PACKETS, Recoder, draw};

fn random(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

fn packets(count: usize, size: usize, seed: u64) -> Vec<Vec<u8>> {
    let mut random = random(seed);
    let packet = |_| {
        let mut packet = vec![0; size];
        random.fill_bytes(&mut packet);
        packet
    };
    (0..count).map(packet).collect()
}

/// Σ c_m·η_m, bit by bit.
fn by_definition(coefficients: &[u8], packets: &[Vec<u8>]) -> Vec<u8> {
    let byte = |at| coefficients.iter().zip(packets).fold(0, |sum, (&c, packet)| sum ^ multiply(c, packet[at]));
    (0..packets[0].len()).map(byte).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_kernel_multiplies_as_the_field_does(count in 1_usize..140, size in 1_usize..300, outputs in 1_usize..9, seed: u64) {
        let packets = packets(count, size, seed);
        let mut random = random(seed ^ 1);
        let rows: Vec<_> = (0..outputs).map(|_| draw(&mut random, count)).collect();
        for kernel in Kernel::available() {
            let encoder = Encoder::new(&packets).unwrap().with_kernel(kernel);
            let all = encoder.encode_all(&rows).unwrap();
            for (at, row) in rows.iter().enumerate() {
                let expected = by_definition(row, &packets);
                prop_assert_eq!(all.packet(at), &expected[..], "{}", kernel.name());
                prop_assert_eq!(encoder.encode(row).unwrap(), expected, "{}", kernel.name());
            }
        }
    }

    #[test]
    fn any_combinations_of_full_rank_give_the_block_back(count in 1_usize..80, size in 1_usize..200, seed: u64) {
        let packets = packets(count, size, seed);
        let encoder = Encoder::new(&packets).unwrap();
        for kernel in Kernel::available() {
            let mut random = random(seed ^ 2);
            let mut decoder = Decoder::new(count, size).unwrap().with_kernel(kernel);
            for sent in 0.. {
                // Sparse rows meet pivots out of order and combinations that say nothing new.
                let mut row = draw(&mut random, count);
                row.iter_mut().for_each(|c| if *c < 128 { *c = 0 });
                if row.iter().all(|&c| c == 0) {
                    continue;
                }
                let rank = decoder.rank();
                let is_new = decoder.add(&row, &encoder.encode(&row).unwrap()).unwrap();
                prop_assert_eq!(decoder.rank(), rank + usize::from(is_new));
                if decoder.is_complete() {
                    break;
                }
                prop_assert!(decoder.decode().is_none());
                prop_assert!(sent < 100 * count + 100);
            }
            let decoded = decoder.decode().unwrap();
            prop_assert_eq!(decoded.packets().map(<[u8]>::to_vec).collect::<Vec<_>>(), packets.clone());
            prop_assert!(!decoder.add(&vec![1; count], &encoder.encode(&vec![1; count]).unwrap()).unwrap());
        }
    }

    #[test]
    fn recoded_packets_decode(count in 1_usize..40, size in 1_usize..100, hops in 1_usize..4, seed: u64) {
        let packets = packets(count, size, seed);
        let encoder = Encoder::new(&packets).unwrap();
        let mut random = random(seed ^ 3);
        let mut sent: Vec<_> = (0..count + 4).map(|_| draw(&mut random, count)).map(|row| {
            let payload = encoder.encode(&row).unwrap();
            (row, payload)
        }).collect();
        for _ in 0..hops {
            let mut recoder = Recoder::new(count, size).unwrap();
            for (coefficients, payload) in &sent {
                recoder.add(coefficients, payload).unwrap();
            }
            sent = (0..count + 4).map(|_| {
                let coded = recoder.recode(&draw(&mut random, recoder.len())).unwrap();
                assert_eq!(coded.payload, by_definition(&coded.coefficients, &packets));
                (coded.coefficients, coded.payload)
            }).filter(|(row, _)| row.iter().any(|&c| c != 0)).collect();
        }
        let mut decoder = Decoder::new(count, size).unwrap();
        for (row, payload) in &sent {
            decoder.add(row, payload).unwrap();
        }
        // 4 combinations more than needed, at each hop: rank lacks with less than 256⁻⁴ a hop and packet.
        prop_assert!(decoder.is_complete());
        prop_assert_eq!(decoder.decode().unwrap().packets().map(<[u8]>::to_vec).collect::<Vec<_>>(), packets);
    }
}

#[test]
fn incremental_coding_gives_packets_away_before_the_block_is_whole() {
    // a_k = Σ_{m ≤ k} α_{k,m} η_m (seferoglu2014 §IV): the k-th combination received completes the first k packets.
    let packets = packets(10, 33, 5);
    let encoder = Encoder::new(&packets).unwrap();
    let mut decoder = Decoder::new(10, 33).unwrap();
    for k in 1..=10 {
        let mut row = vec![0; 10];
        (0..k).for_each(|m| row[m] = (7 * k + m) as u8 | 1);
        assert!(decoder.add(&row, &encoder.encode(&row).unwrap()).unwrap());
        for (at, packet) in packets.iter().enumerate() {
            assert_eq!(decoder.packet(at).as_ref(), (at < k).then_some(packet));
        }
    }
}

#[test]
fn the_probability_of_full_rank_is_that_of_random_matrices() {
    // ∏ (1 − 256⁻ⁱ) / (1 − 256⁻ᵏ)ᵏ ≈ 0.996078: failures of n = 20 000 blocks of 16 are binomial, 78.4 ± 8.8.
    let (blocks, count) = (20_000, 16);
    let mut random = random(11);
    let failures = (0..blocks).filter(|_| {
        let mut decoder = Decoder::new(count, 1).unwrap();
        for _ in 0..count {
            decoder.add(&draw(&mut random, count), &[0]).unwrap();
        }
        !decoder.is_complete()
    });
    let (mean, deviation) = (78.4, 8.8);
    let failures = failures.count() as f64;
    assert!((failures - mean).abs() < 4.0 * deviation, "{failures}");
}

#[test]
fn what_is_malformed_is_refused_and_changes_nothing() {
    assert_eq!(Encoder::new::<Vec<u8>>(&[]).unwrap_err(), Error::Packets { given: 0 });
    let many = vec![vec![0; 1]; MOST_PACKETS + 1];
    assert_eq!(Encoder::new(&many).unwrap_err(), Error::Packets { given: MOST_PACKETS + 1 });
    assert_eq!(Encoder::new(&[b""]).unwrap_err(), Error::Empty);
    let uneven = [&b"abc"[..], b"ab"];
    assert_eq!(Encoder::new(&uneven).unwrap_err(), Error::Length { at: 1, given: 2, expected: 3 });
    let encoder = Encoder::new(&[b"abc", b"def"]).unwrap();
    assert_eq!(encoder.encode(&[1]), Err(Error::Coefficients { given: 1, expected: 2 }));
    assert_eq!(encoder.encode(&[0, 0]), Err(Error::Zero));
    assert_eq!(encoder.encode_all(&[vec![1, 2], vec![0, 0]]).unwrap_err(), Error::Zero);
    assert!(encoder.encode_all::<Vec<u8>>(&[]).unwrap().is_empty());
    assert_eq!(Decoder::new(0, 1).unwrap_err(), Error::Packets { given: 0 });
    assert_eq!(Decoder::new(MOST_PACKETS + 1, 1).unwrap_err(), Error::Packets { given: MOST_PACKETS + 1 });
    assert_eq!(Decoder::new(1, 0).unwrap_err(), Error::Empty);
    let mut decoder = Decoder::new(2, 3).unwrap();
    assert_eq!(decoder.add(&[1, 2, 3], b"abc"), Err(Error::Coefficients { given: 3, expected: 2 }));
    assert_eq!(decoder.add(&[0, 0], b"abc"), Err(Error::Zero));
    assert_eq!(decoder.add(&[1, 2], b"ab"), Err(Error::Payload { given: 2, expected: 3 }));
    assert_eq!(decoder.rank(), 0);
    assert_eq!(decoder.packet(2), None);
    let mut recoder = Recoder::new(2, 3).unwrap();
    assert_eq!(recoder.add(&[1, 2], b"abcd"), Err(Error::Payload { given: 4, expected: 3 }));
    assert_eq!(recoder.recode(&[]), Err(Error::Zero));
    recoder.add(&[1, 2], b"abc").unwrap();
    assert_eq!(recoder.recode(&[1, 2]), Err(Error::Factors { given: 2, expected: 1 }));
    assert_eq!(recoder.recode(&[0]), Err(Error::Zero));
}

#[test]
fn the_largest_block_decodes() {
    let packets = packets(MOST_PACKETS, 3, 1);
    let encoder = Encoder::new(&packets).unwrap();
    let mut decoder = Decoder::new(MOST_PACKETS, 3).unwrap();
    let mut random = random(2);
    while !decoder.is_complete() {
        let row = draw(&mut random, MOST_PACKETS);
        decoder.add(&row, &encoder.encode(&row).unwrap()).unwrap();
    }
    assert_eq!(decoder.decode().unwrap().packet(MOST_PACKETS - 1), &packets[MOST_PACKETS - 1][..]);
}
