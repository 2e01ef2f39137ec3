//! libFuzzer on [`windward_fuzz::scenario`]; half of the inputs are changed as text, line by line.
#![no_main]

use libfuzzer_sys::Corpus;

libfuzzer_sys::fuzz_target!(|data: &[u8]| -> Corpus {
    // A scenario may ask for a million flows, and then takes its time: the others are worth more of it.
    let is_crowd = |word: &[u8]| word.len() > 3 && word.iter().all(|byte| byte.is_ascii_digit() || *byte == b'_');
    if data.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').any(is_crowd) {
        return Corpus::Reject;
    }
    windward_fuzz::scenario(data);
    Corpus::Keep
});

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    match std::str::from_utf8(&data[..size]) {
        Ok(text) if seed % 2 == 0 => {
            let changed = windward_fuzz::mutate::scenario(text, seed);
            let length = changed.len().min(max_size);
            data[..length].copy_from_slice(&changed.as_bytes()[..length]);
            length
        }
        _ => libfuzzer_sys::fuzzer_mutate(data, size, max_size),
    }
});
