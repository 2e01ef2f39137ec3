//! libFuzzer on [`windward_fuzz::scenario`]; half of the inputs are changed as text, line by line.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| windward_fuzz::scenario(data));

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
