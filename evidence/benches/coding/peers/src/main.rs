//! Encoding and decoding blocks of 1000-byte packets, beside other libraries: one JSON line each.
//!
//! All take turns, round after round, on the same packets; CPU time of the thread. What each makes is checked first.

mod clock;
mod isa_l;

use isa_l::IsaL;
use rand::{RngCore, SeedableRng, rngs::StdRng};
use serde_json::json;
use windward_coding::{Decoder, Encoder, Kernel};

const SIZE: usize = 1000;
const ROUNDS: usize = 31;
/// Bytes that each contender makes in a round, about.
const WORK: usize = 4_000_000;

/// Name of a contender, and its work: a call makes the k packets of a block.
type Contender<'a> = (String, Box<dyn FnMut() + 'a>);

fn main() {
    let isa_l = IsaL::load();
    if isa_l.is_none() {
        eprintln!("ISA-L is not installed (Debian: apt install libisal2): left out");
    }
    for packets in [8, 32, 64, 128] {
        let mut random = StdRng::seed_from_u64(packets as u64);
        let mut bytes = |count: usize| (0..count).map(|_| random.next_u32() as u8).collect::<Vec<u8>>();
        let sources: Vec<Vec<u8>> = (0..packets).map(|_| bytes(SIZE)).collect();
        let rows: Vec<Vec<u8>> = (0..packets).map(|_| bytes(packets)).collect();
        race("encode", packets, encoders(&sources, &rows, isa_l.as_ref()));
        race("decode", packets, decoders(&sources, &rows));
    }
}

/// Times all contenders in turn and prints the median of each, in MB/s of packets made.
fn race(what: &str, packets: usize, mut contenders: Vec<Contender<'_>>) {
    let repeats = (WORK / (packets * SIZE)).max(1);
    let mut times = vec![Vec::new(); contenders.len()];
    for _ in 0..ROUNDS {
        for ((_, run), times) in contenders.iter_mut().zip(&mut times) {
            let begin = clock::cpu_seconds();
            (0..repeats).for_each(|_| run());
            times.push(clock::cpu_seconds() - begin);
        }
    }
    for ((who, _), mut times) in contenders.into_iter().zip(times) {
        times.sort_by(f64::total_cmp);
        let rate = (repeats * packets * SIZE) as f64 / times[ROUNDS / 2] / 1e6;
        println!("{}", json!({"what": what, "packets": packets, "who": who, "mb_s": rate}));
    }
}

fn encoders<'a>(sources: &'a [Vec<u8>], rows: &'a [Vec<u8>], isa_l: Option<&'a IsaL>) -> Vec<Contender<'a>> {
    let packets = sources.len();
    let expected = Encoder::new(sources).unwrap().encode_all(rows).unwrap();
    let mut all: Vec<Contender<'a>> = Vec::new();
    for kernel in Kernel::available() {
        let encoder = Encoder::new(sources).unwrap().with_kernel(kernel);
        assert_eq!(encoder.encode_all(rows).unwrap(), expected);
        let run = move || drop(std::hint::black_box(encoder.encode_all(rows).unwrap()));
        all.push((format!("windward, {}", kernel.name()), Box::new(run)));
    }
    if let Some(isa_l) = isa_l {
        let mut outputs = vec![vec![0; SIZE]; packets];
        isa_l.encode(&isa_l.tables(rows), sources, &mut outputs);
        assert!(outputs.iter().map(|packet| &packet[..]).eq(expected.packets()), "ISA-L disagrees");
        let tables = isa_l.tables(rows);
        all.push(("ISA-L, its tables prepared".into(), {
            let mut outputs = outputs.clone();
            Box::new(move || isa_l.encode(&tables, sources, &mut outputs))
        }));
        all.push(("ISA-L".into(), Box::new(move || isa_l.encode(&isa_l.tables(rows), sources, &mut outputs))));
    }
    let references: Vec<&[u8]> = sources.iter().map(Vec::as_slice).collect();
    let encoder = rlnc_simdx::Encoder::new(packets, SIZE).unwrap();
    let mut random = rlnc_simdx::SimpleRng::new(1);
    all.push((
        "rlnc-simdx".into(),
        Box::new(move || {
            for _ in 0..packets {
                std::hint::black_box(encoder.encode_random(&references, &mut random).unwrap());
            }
        }),
    ));
    let encoder = rlnc::full::Encoder::new(sources.concat(), packets).unwrap();
    let mut piece = vec![0; encoder.get_full_coded_piece_byte_len()];
    let mut random = StdRng::seed_from_u64(1);
    all.push((
        "rlnc".into(),
        Box::new(move || {
            (0..packets).for_each(|_| encoder.code_with_buf(&mut random, &mut piece).unwrap());
        }),
    ));
    let mut output = vec![0; SIZE];
    all.push((
        "gf256, multiply and add".into(),
        Box::new(move || {
            for row in rows {
                output.fill(0);
                for (&factor, source) in row.iter().zip(sources) {
                    let factor = gf256::gf256(factor);
                    output
                        .iter_mut()
                        .zip(source)
                        .for_each(|(sum, &byte)| *sum ^= u8::from(factor * gf256::gf256(byte)));
                }
                std::hint::black_box(&output);
            }
        }),
    ));
    all
}

fn decoders<'a>(sources: &'a [Vec<u8>], rows: &'a [Vec<u8>]) -> Vec<Contender<'a>> {
    let packets = sources.len();
    let coded = Encoder::new(sources).unwrap().encode_all(rows).unwrap();
    let mut all: Vec<Contender<'a>> = Vec::new();
    for kernel in Kernel::available() {
        let coded = coded.clone();
        let run = move || {
            let mut decoder = Decoder::new(packets, SIZE).unwrap().with_kernel(kernel);
            for (row, payload) in rows.iter().zip(coded.packets()) {
                decoder.add(row, payload).unwrap();
            }
            decoder.decode().expect("the rows are independent")
        };
        assert!(run().packets().eq(sources.iter().map(Vec::as_slice)));
        all.push((format!("windward, {}", kernel.name()), Box::new(move || drop(std::hint::black_box(run())))));
    }
    // Its field is another, 0x11B: of the same coefficients it makes other packets, by as much work.
    let made: Vec<_> =
        rows.iter().zip(coded.packets()).map(|(row, of)| rlnc_simdx::CodedPacket::from_slices(row, of)).collect();
    all.push((
        "rlnc-simdx".into(),
        Box::new(move || {
            let mut decoder = rlnc_simdx::Decoder::new(packets, SIZE).unwrap();
            for packet in &made {
                decoder.receive(packet.clone()).unwrap();
            }
            std::hint::black_box(decoder.decode().unwrap().expect("the rows are independent"));
        }),
    ));
    let encoder = rlnc::full::Encoder::new(sources.concat(), packets).unwrap();
    let mut random = StdRng::seed_from_u64(2);
    let pieces: Vec<_> = (0..packets + 4).map(|_| encoder.code(&mut random)).collect();
    all.push((
        "rlnc".into(),
        Box::new(move || {
            let mut decoder = rlnc::full::Decoder::new(encoder.get_piece_byte_len(), packets).unwrap();
            for piece in &pieces {
                if decoder.is_already_decoded() {
                    break;
                }
                let _ = decoder.decode(piece);
            }
            std::hint::black_box(decoder.get_decoded_data().expect("four pieces more than needed"));
        }),
    ));
    all
}
